"""Writing of a Responses request: exact bytes, what is always written, and what is refused or lost by name."""

import json
from typing import Any

import pytest
from attrs import evolve

from llm_projections.errors import RefusalCode, RequestRefused
from llm_projections.model.binding import Anonymous, Binding, Capabilities, Conversation
from llm_projections.model.dialect import ALL, Dialect
from llm_projections.model.items import (
    AssistantMessage,
    CustomToolCall,
    DataSource,
    Document,
    Image,
    Instruction,
    Item,
    Opaque,
    Reasoning,
    RefusalText,
    Text,
    TextSource,
    ToolCall,
    ToolResult,
    UnattributedOpaque,
    UrlSource,
    UserMessage,
    WireItem,
    WirePart,
)
from llm_projections.model.limits import Limits
from llm_projections.model.losses import Loss
from llm_projections.model.results import Projection
from llm_projections.model.tools import (
    FunctionTool,
    HostedTool,
    JsonSchema,
    Named,
    WireChoice,
)
from llm_projections.model.turn import Sampling, Thinking, TurnRequest
from llm_projections.wires._fragments import FragmentCache
from llm_projections.wires.responses import encode_request, ingest_request, project_request
from tests.cases.responses import CASES
from tests.cases.responses_words import (
    CALL,
    CALL_BODY,
    USER,
    WEATHER,
    Case,
    R,
    carried,
    said,
    turn,
)

GREETING = UserMessage((Text("Hi"),))


def bound(able: Capabilities | None = None, **dialect: Any) -> Binding:
    """A binding that declares everything, or `able`."""
    return Binding(
        protocol=R,
        provider="p",
        account="a",
        endpoint="e",
        model="m",
        upstream_name="m",
        base_url="https://e.x/v1/",
        auth=Anonymous(),
        capabilities=Capabilities.all() if able is None else able,
        dialect=Dialect(**dialect),
    )


EVERYTHING = bound()
TEXT = bound(Capabilities.text())


def written(request: TurnRequest, binding: Binding = EVERYTHING, **options: Any) -> Projection:
    """The projection of a turn, after binding what nobody has attributed."""
    return project_request(request.bind_unattributed(binding.provenance), binding, **options)


def node(item: Item, binding: Binding = EVERYTHING, **options: Any) -> Any:
    """How one item after a greeting is written."""
    return written(turn(GREETING, item), binding, **options).body["input"][-1]


def refusals(
    request: TurnRequest, binding: Binding = EVERYTHING, **options: Any
) -> list[tuple[str, str | None]]:
    """What is refused of a turn: path and loss."""
    with pytest.raises(RequestRefused) as caught:
        project_request(request, binding, **options)
    return [(r.path, r.loss) for r in (caught.value, *caught.value.others)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_turn_is_written_as_its_body(case: Case) -> None:
    """Each turn of the table is the body beside it, loses nothing, and goes out as compact JSON of it."""
    found = written(case.turn)
    assert case.body == found.body
    assert () == found.losses
    data = encode_request(case.turn.bind_unattributed(EVERYTHING.provenance), EVERYTHING)
    expected = json.dumps(found.body, ensure_ascii=False, separators=(",", ":"))
    assert expected.encode() == data


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_is_written_reads_back(case: Case) -> None:
    """Writing and reading a turn changes nothing, and doing so again not a byte."""
    request = case.turn.bind_unattributed(EVERYTHING.provenance)
    data = encode_request(request, EVERYTHING)
    again = ingest_request(data).request.bind_unattributed(EVERYTHING.provenance)
    assert request == again
    assert data == encode_request(again, EVERYTHING)


def test_the_keys_stand_in_their_declared_order() -> None:
    """The order of keys is part of the bytes."""
    request = turn(
        tools=(FunctionTool("f"),),
        tool_choice=Named("f"),
        parallel_tool_calls=True,
        max_output_tokens=1,
        sampling=Sampling(temperature=1, top_p=1),
        thinking=Thinking(effort="low"),
        verbosity="low",
        metadata={"a": "b"},
        end_user_id="u",
        prompt_cache_key="k",
        service_tier="flex",
        extensions=(carried("truncation", "auto"),),
    )
    assert [
        "model",
        "input",
        "tools",
        "tool_choice",
        "parallel_tool_calls",
        "max_output_tokens",
        "temperature",
        "top_p",
        "reasoning",
        "text",
        "metadata",
        "safety_identifier",
        "prompt_cache_key",
        "service_tier",
        "store",
        "stream",
        "include",
        "truncation",
    ] == list(written(request).body)


def test_what_is_always_written() -> None:
    """A bare turn is streamed, not stored, and asks for sealed reasoning; the wire gets the upstream name."""
    binding = evolve(EVERYTHING, upstream_name="upstream")
    assert said() | {"model": "upstream"} == written(turn(), binding).body
    assert [("stream", None)] == refusals(turn(), stream=False)


def test_other_included_things_are_appended() -> None:
    """What was asked for beside sealed reasoning follows it, if the binding takes it."""
    request = turn(extensions=(carried("include", ["message.output_text.logprobs"]),))
    wanted = ["reasoning.encrypted_content", "message.output_text.logprobs"]
    assert wanted == written(request).body["include"]
    assert [("include", "responses.include")] == refusals(request, TEXT)
    left = project_request(request, TEXT, accept={"responses.include"})
    assert (wanted[:1], (Loss("responses.include", "include"),)) == (
        left.body["include"],
        left.losses,
    )


def test_a_schema_without_a_name_gets_one() -> None:
    """Messages names no schema, and this wire needs a name."""
    request = turn(output_format=JsonSchema(None, {}))
    assert {"type": "json_schema", "name": "response", "schema": {}} == (
        written(request).body["text"]["format"]
    )


def test_strict_is_always_written() -> None:
    """This wire would read absence as true, which other wires never mean."""
    tools = tuple(
        FunctionTool(name, strict=strict)
        for name, strict in (("a", None), ("b", False), ("c", True))
    )
    assert [False, False, True] == [
        tool["strict"] for tool in written(turn(tools=tools)).body["tools"]
    ]


# results and their envelopes


def result(content: Any, failed: bool | None, **dialect: Any) -> Any:
    """How the output of a call is written."""
    answer = ToolResult("c1", content, failed)
    body = written(turn(GREETING, CALL, answer), bound(**dialect)).body
    return body["input"][-1]["output"]


def test_envelopes_go_out_as_the_dialect_says() -> None:
    """`always` wraps what somebody said of it, `failures` only those, `never` nothing."""
    text = (Text("r"),)
    assert '{"ok":true,"output":"r"}' == result(text, False)
    assert "r" == result(text, False, tool_result_envelope="failures")
    assert '{"ok":false,"output":"r"}' == result(text, True, tool_result_envelope="failures")
    assert "r" == result(text, False, tool_result_envelope="never")
    request = turn(GREETING, CALL, ToolResult("c1", text, True))
    never = bound(tool_result_envelope="never")
    assert [("items[2].failed", "turn.tool_result.failed")] == refusals(request, never)
    left = project_request(request, never, accept={"turn.tool_result.failed"})
    assert "r" == left.body["input"][-1]["output"]


def test_a_result_that_reads_as_an_envelope_is_refused() -> None:
    """Its own words would be taken for ours; where no envelope is ever written they are not."""
    for content in (
        (Text('{"ok":true,"output":"r"}'),),
        (Text('{"ok":true}'), Image(UrlSource("https://e.x/a.png"))),
    ):
        request = turn(GREETING, CALL, ToolResult("c1", content))
        assert [("items[2]", "turn.tool_result.ambiguous")] == refusals(request)
        assert written(request, bound(tool_result_envelope="never")).body
        assert written(request, accept={"turn.tool_result.ambiguous"}).losses
    nested = result((Text('{"ok":true,"output":"r"}'),), True)
    assert {"ok": False, "output": '{"ok":true,"output":"r"}'} == json.loads(nested)


def test_a_lone_surrogate_is_refused_by_path() -> None:
    """Bytes are always valid UTF-8, in an envelope and outside."""
    for item in (UserMessage((Text("a\ud83d"),)), ToolResult("c1", (Text("a\ud83d"),), True)):
        request = (
            turn(GREETING, CALL, ToolResult("c1", ()), item)
            if isinstance(item, UserMessage)
            else turn(GREETING, CALL, item)
        )
        with pytest.raises(RequestRefused) as caught:
            encode_request(request, EVERYTHING)
        assert RefusalCode.INVALID_REQUEST is caught.value.code
        assert caught.value.path.startswith(("input[", "items["))


def test_a_number_that_is_none_is_refused_wherever_it_hides() -> None:
    """What a caller puts into carried values, schemas and payloads is looked through."""
    nan = float("nan")
    for request in (
        turn(extensions=(carried("context_management", [{"x": nan}]),)),
        turn(tools=(FunctionTool("f", input_schema={"minimum": nan}),)),
        turn(output_format=JsonSchema("n", {"minimum": nan})),
        turn(GREETING, WireItem(R, {"type": "web_search_call", "x": nan})),
        turn(GREETING, Opaque(EVERYTHING.provenance, {"type": "compaction", "x": nan})),
        turn(GREETING, Opaque(EVERYTHING.provenance, {"type": "r", "summary": [{"x": nan}]})),
        turn(UserMessage((Text("a"),), (carried("input.id", nan),))),
        turn(GREETING, AssistantMessage((WirePart(R, {"type": "input_file", "x": nan}),))),
        turn(
            GREETING, AssistantMessage((Text("a", (carried("input.content.annotations", nan),)),))
        ),
    ):
        with pytest.raises(RequestRefused):
            encode_request(request, EVERYTHING)


# reasoning


def test_sealed_reasoning_goes_back_whole_with_its_summary() -> None:
    """The key is required beside the seal; everything else is as it came, and in its place."""
    sealed = Opaque(
        EVERYTHING.provenance, {"type": "reasoning", "id": "rs_1", "encrypted_content": "Z0E="}
    )
    body = written(turn(GREETING, sealed, CALL, ToolResult("c1", ()))).body
    assert [
        {"type": "reasoning", "id": "rs_1", "encrypted_content": "Z0E=", "summary": []},
        CALL_BODY,
    ] == body["input"][1:3]


def test_state_of_another_binding_does_not_go_out() -> None:
    """All six coordinates must match; what nobody has attributed never goes."""
    foreign = Opaque(evolve(EVERYTHING.provenance, account="b"), {"type": "reasoning"})
    nobodys = UnattributedOpaque(R, {"type": "reasoning"})
    request = turn(GREETING, foreign, nobodys)
    assert [
        ("items[1]", "turn.opaque"),
        ("items[2]", "turn.opaque.unattributed"),
    ] == refusals(request)
    left = project_request(request, EVERYTHING, accept={"turn.opaque", "turn.opaque.unattributed"})
    assert [USER] == left.body["input"]


def test_reasoning_without_seal_and_name_is_refused() -> None:
    """It cannot be continued from, unless the binding says that its server takes it."""
    request = turn(GREETING, Reasoning("Thinking."))
    assert [("items[1]", "turn.reasoning")] == refusals(request, TEXT)
    able = evolve(Capabilities.text(), extensions=frozenset({"responses.input.reasoning"}))
    raw = [{"type": "reasoning_text", "text": "Thinking."}]
    assert {"type": "reasoning", "summary": [], "content": raw} == node(
        request.items[1], bound(able)
    )
    named = Reasoning("Thinking.", extensions=(carried("input.id", "rs_1"),))
    assert "rs_1" == node(named, TEXT)["id"]


def test_a_binding_lists_what_it_takes() -> None:
    """A hosted tool, a choice of it and a field of a dialect go out where they are listed."""
    able = evolve(
        Capabilities.text(),
        tools=True,
        tool_choice=True,
        seed=True,
        extensions=frozenset(
            {"responses.tools.web_search_preview", "responses.tool_choice.web_search_preview"}
        ),
    )
    web: dict[str, Any] = {"type": "web_search_preview_2025_03_11"}
    request = turn(tools=(HostedTool(R, web),), tool_choice=WireChoice(R, web))
    body = written(request, bound(able)).body
    assert ([web], web) == (body["tools"], body["tool_choice"])
    seeded = turn(sampling=Sampling(seed=1))
    assert [("sampling.seed", "turn.seed")] == refusals(seeded, bound(able))
    assert 1 == written(seeded, bound(able, request_fields=frozenset({"seed"}))).body["seed"]
    assert 1 == written(seeded, bound(able, request_fields=ALL)).body["seed"]


def test_parallel_calls_ask_for_nothing_where_they_are_the_default() -> None:
    """`True` is left out for a binding that does not declare the setting; `False` is refused."""
    able = evolve(Capabilities.text(), tools=True)
    tools = (FunctionTool("weather", "The weather.", WEATHER["parameters"]),)
    body = written(turn(tools=tools, parallel_tool_calls=True), bound(able)).body
    assert "parallel_tool_calls" not in body
    assert [("parallel_tool_calls", "turn.parallel_tool_calls")] == refusals(
        turn(tools=tools, parallel_tool_calls=False), bound(able)
    )


def test_instructions_that_may_not_stay_move_to_the_front() -> None:
    """An accepted move keeps the words, after the leading instructions."""
    request = turn(
        GREETING, Instruction((Text("Two."),)), instructions=(Instruction((Text("One."),)),)
    )
    found = written(request, TEXT, accept={"turn.instruction.position"})
    assert ["One.", "Two.", "Hi"] == [message["content"] for message in found.body["input"]]


def test_documents_of_other_wires_are_sent_as_data() -> None:
    """A plain text is written as the data that it is."""
    item = UserMessage((Document(TextSource("hé"), "a.txt"),))
    data = {"type": "input_file", "filename": "a.txt", "file_data": "data:text/plain;base64,aMOp"}
    assert [data] == node(item)["content"]


def test_a_refusal_of_the_user_has_no_place() -> None:
    """Only the assistant refuses on this wire; a turn that says otherwise is refused."""
    item = UserMessage((RefusalText("No."),))  # type: ignore[arg-type]  # what the types forbid
    place = "items[0].content[0]"
    assert [(place, None), (place, "turn.refusal")] == refusals(turn(item))


def test_a_conversation_keys_the_cache() -> None:
    """Its id stands in for a missing key, and another key contradicts it."""
    talk = Conversation("k")
    assert "k" == written(turn(), conversation=talk).body["prompt_cache_key"]
    assert "k" == written(turn(prompt_cache_key="k"), conversation=talk).body["prompt_cache_key"]
    assert [("prompt_cache_key", None)] == refusals(turn(prompt_cache_key="x"), conversation=talk)
    assert "prompt_cache_key" not in written(turn()).body


def test_another_model_and_too_much_are_refused() -> None:
    """The binding is for one model; limits hold on the way out too."""
    assert ("model", None) in refusals(evolve(turn(), model="other"))
    with pytest.raises(RequestRefused) as caught:
        encode_request(turn(), EVERYTHING, limits=Limits(request_bytes=10))
    assert RefusalCode.TOO_LARGE is caught.value.code


def test_all_refusals_come_at_once() -> None:
    """A caller sees everything that a target cannot say in one error."""
    request = turn(GREETING, Reasoning("a"), tools=(FunctionTool("f"),), verbosity="low")
    assert {"turn.tools", "turn.verbosity", "turn.reasoning"} == {
        loss for _, loss in refusals(request, TEXT)
    }


def test_losses_are_appended_to_the_callers_list() -> None:
    """Where only bytes come back, the losses go where the caller says."""
    losses: list[Loss] = []
    request = turn(GREETING, Reasoning("a"))
    encode_request(request, TEXT, accept={"turn.reasoning"}, losses=losses)
    assert [Loss("turn.reasoning", "items[1]")] == losses


def test_fragments_never_change_a_byte() -> None:
    """A cache finds the items of an earlier request again; losses are reported every time."""
    cache = FragmentCache()
    items: tuple[Item, ...] = (GREETING,)
    accept = {"turn.reasoning"}
    for number in range(3):
        call = ToolCall(f"c{number}", "f", "{}")
        items += (Reasoning("a"), call, ToolResult(call.call_id, (Text("r" * number),)))
        losses: list[Loss] = []
        request = turn(*items)
        data = encode_request(request, TEXT, accept=accept, fragments=cache, losses=losses)
        assert encode_request(request, TEXT, accept=accept) == data
        assert number + 1 == len(losses)
    assert 5 == len(cache)  # the third request went on from the second
    custom = turn(GREETING, CustomToolCall("c1", "p", "x\ud83d"), ToolResult("c1", (), custom=True))
    with pytest.raises(RequestRefused):
        encode_request(custom, EVERYTHING, fragments=cache)


def test_a_stranger_among_losses_is_a_mistake_of_the_caller() -> None:
    """A typing mistake in `accept` never accepts anything."""
    with pytest.raises(ValueError, match=r"turn\.wombat"):
        project_request(turn(), EVERYTHING, accept={"turn.wombat"})


def test_inline_files_keep_their_type() -> None:
    """Inline data with a type is a URL, without one bare base64."""
    typed = UserMessage((Document(DataSource("QQ==", "text/csv")),))
    assert "data:text/csv;base64,QQ==" == node(typed)["content"][0]["file_data"]
