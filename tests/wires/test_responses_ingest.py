"""Reading of a Responses request: every spelling, every refusal, and how the client wants its answer."""

import json
from typing import Any

import pytest

from llm_projections.errors import RefusalCode, RequestRefused
from llm_projections.model.items import (
    AssistantMessage,
    Document,
    Extension,
    Image,
    Instruction,
    Protocol,
    Text,
    ToolCall,
    ToolResult,
    UrlSource,
    UserMessage,
    WireItem,
)
from llm_projections.model.limits import Limits
from llm_projections.model.losses import Loss
from llm_projections.model.results import AnswerShape, Ingested
from llm_projections.model.tools import CustomTool, FunctionTool, HostedTool, WireChoice
from llm_projections.model.turn import TurnRequest
from llm_projections.wires.responses import ingest_request
from tests.cases.responses import CASES
from tests.cases.responses_words import CALL_BODY, PATCH, SCHEMA, USER, WEATHER, Case, said, turn

R = Protocol.RESPONSES


def ingested(body: Any, **options: Any) -> Ingested:
    """A body, read."""
    return ingest_request(json.dumps(body).encode(), **options)


def read(body: Any, **options: Any) -> TurnRequest:
    """The turn of a body."""
    return ingested(body, **options).request


def asked(**keys: Any) -> dict[str, Any]:
    """The least that a client sends."""
    return {"model": "m", "input": "Hi", **keys}


def told(*nodes: Any) -> dict[str, Any]:
    """A conversation after a greeting."""
    return asked(input=[USER, *nodes])


def output(value: Any) -> dict[str, Any]:
    """A call, and what came back."""
    return told(CALL_BODY, {"type": "function_call_output", "call_id": "c1", "output": value})


def refusals(body: Any, **options: Any) -> list[tuple[str, str, str | None]]:
    """What is refused of a body: code, path and loss."""
    with pytest.raises(RequestRefused) as caught:
        ingested(body, **options)
    error = caught.value
    return [(r.code.value, r.path, r.loss) for r in (error, *error.others)]


def roles(body: Any) -> list[str]:
    """Who answers each wire item of a body."""
    return [item.role for item in read(body).items if isinstance(item, WireItem)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_body_is_read_as_its_turn(case: Case) -> None:
    """Each body of the table is the turn beside it, and loses nothing."""
    found = ingested(case.body)
    assert case.turn == found.request
    assert () == found.losses


def test_the_table_is_of_some_size() -> None:
    """Cases have names of their own, and there are enough of them."""
    assert len(CASES) >= 60
    assert len({case.name for case in CASES}) == len(CASES)


SPELLINGS = {
    "a string as input": (asked(), told()),
    "an easy message without a type": (asked(input=[{"role": "user", "content": "Hi"}]), told()),
    "a text in a list": (
        asked(input=[{"role": "user", "content": [{"type": "input_text", "text": "Hi"}]}]),
        told(),
    ),
    "empty contents": (
        asked(input=[{"role": "user", "content": ""}]),
        asked(input=[{"role": "user", "content": []}]),
    ),
    "no input": ({"model": "m"}, {"model": "m", "input": []}),
    "an easy answer": (
        told({"role": "assistant", "content": "Yes."}),
        told(
            {
                "type": "message",
                "role": "assistant",
                "status": "completed",
                "id": "",
                "content": [
                    {"type": "output_text", "text": "Yes.", "annotations": [], "logprobs": []}
                ],
            }
        ),
    ),
    "the official client's reading of its own answer": (
        told({"role": "assistant", "content": [{"type": "output_text", "text": "1"}]}),
        told({"role": "assistant", "content": [{"type": "output_text", "text": "1", "parsed": 1}]}),
    ),
    "nothing that the official client read": (
        told({"role": "assistant", "content": [{"type": "output_text", "text": "1"}]}),
        told(
            {"role": "assistant", "content": [{"type": "output_text", "text": "1", "parsed": None}]}
        ),
    ),
    "an answer in input parts": (
        told({"role": "assistant", "content": [{"type": "input_text", "text": "Yes."}]}),
        told({"role": "assistant", "content": [{"type": "output_text", "text": "Yes."}]}),
    ),
    "instructions at the top": (
        asked(instructions="Be brief."),
        asked(input=[{"role": "developer", "content": "Be brief."}, USER]),
    ),
    "a system message": (
        asked(input=[{"role": "system", "content": "Be brief."}, USER]),
        asked(input=[{"role": "developer", "content": "Be brief."}, USER]),
    ),
    "empty instructions": (asked(instructions=""), asked()),
    "nulls": (
        asked(
            **dict.fromkeys(
                ("instructions", "tools", "metadata", "reasoning", "temperature", "prompt", "text")
            )
        ),
        asked(),
    ),
    "defaults": (
        asked(
            tools=[],
            tool_choice="auto",
            truncation="disabled",
            background=False,
            metadata={},
            reasoning={},
            text={"format": {"type": "text"}},
            generate=True,
        ),
        asked(),
    ),
    "a deprecated user": (asked(user="u"), asked(safety_identifier="u")),
    "one stop": (asked(stop="a"), asked(stop=["a"])),
    "strict left out": (
        asked(tools=[{"type": "function", "name": "f"}]),
        asked(tools=[{"type": "function", "name": "f", "parameters": None, "strict": False}]),
    ),
    "any text as a format": (
        asked(tools=[PATCH]),
        asked(tools=[{**PATCH, "format": {"type": "text"}}]),
    ),
    "an image at the default detail": (
        told({"role": "user", "content": [{"type": "input_image", "file_id": "f"}]}),
        told(
            {
                "role": "user",
                "content": [
                    {"type": "input_image", "file_id": "f", "image_url": None, "detail": "auto"}
                ],
            }
        ),
    ),
    "a file inline as its URL": (
        told(
            {
                "role": "user",
                "content": [{"type": "input_file", "file_url": "data:a/b;base64,QQ=="}],
            }
        ),
        told(
            {
                "role": "user",
                "content": [{"type": "input_file", "file_data": "data:a/b;base64,QQ=="}],
            }
        ),
    ),
    "an output in a list": (output([{"type": "input_text", "text": "12 C"}]), output("12 C")),
    "a reference without its type": (
        asked(input=[{"id": "msg_1"}]),
        asked(input=[{"type": "item_reference", "id": "msg_1"}]),
    ),
    "a frame of a socket": ({"type": "response.create", **asked()}, asked()),
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_spellings_of_one_meaning_are_one(name: str) -> None:
    """Two spellings that mean the same read as the same turn."""
    one, other = SPELLINGS[name]
    assert read(one) == read(other)


def test_a_data_url_without_base64_stays_whole() -> None:
    """Content in a URL that is not base64 is not taken for base64."""
    node = {"type": "input_file", "file_data": "data:text/plain,hello"}
    assert (UserMessage((Document(UrlSource("data:text/plain,hello")),)),) == read(
        asked(input=[{"role": "user", "content": [node]}])
    ).items


def test_the_answer_is_wanted_as_the_body_says() -> None:
    """`stream`, `include` and what the answer repeats are the shape of the answer."""
    found = ingested(said(temperature=0.5, tools=[WEATHER], instructions=None, metadata={"a": "b"}))
    assert (
        AnswerShape(
            stream=True,
            encrypted_reasoning=True,
            echo={"metadata": {"a": "b"}, "store": False, "temperature": 0.5, "tools": [WEATHER]},
        )
        == found.answer
    )
    assert AnswerShape() == ingested(asked()).answer


def test_other_included_things_are_carried() -> None:
    """What `include` asks for beside sealed reasoning goes on to this wire."""
    names: list[Any] = ["message.output_text.logprobs", "reasoning.encrypted_content"]
    found = ingested(asked(include=names))
    assert (Extension(R, "include", names[:1]),) == found.request.extensions
    assert found.answer.encrypted_reasoning


def test_a_stored_answer_is_a_named_loss() -> None:
    """`store: true` is refused by name, and left out where its name was accepted; absence is neither."""
    assert [("UNSUPPORTED", "store", "responses.store")] == refusals(asked(store=True))
    found = ingested(asked(store=True), accept={"responses.store"})
    assert (Loss("responses.store", "store"),) == found.losses
    assert () == ingested(asked()).losses


def test_of_the_headers_only_the_beta_is_part_of_the_request() -> None:
    """`openai-beta` is carried; who calls, and from where, is not."""
    headers = [("OpenAI-Beta", "responses=v1"), ("Authorization", "Bearer s"), ("session-id", "x")]
    assert (Extension(R, "header.openai-beta", "responses=v1"),) == read(
        asked(), headers=headers
    ).extensions


def test_state_that_the_provider_holds_is_carried_by_name() -> None:
    """Results may answer a call that only the provider knows, and the model may be named there."""
    body = {
        "input": [{"type": "function_call_output", "call_id": "c1", "output": "r"}],
        "previous_response_id": "resp_1",
        "prompt": {"id": "pmpt_1"},
    }
    found = read(body)
    assert "" == found.model
    assert (ToolResult("c1", (Text("r"),)),) == found.items
    assert {"previous_response_id", "prompt"} == {e.path for e in found.extensions}
    assert [("INVALID_REQUEST", "model", None)] == refusals({"input": "Hi"})


def test_an_envelope_is_read_back_only_where_it_is_asked_for() -> None:
    """Our own envelope says whether the tool failed; a foreign client's output is its own words."""
    body = output('{"ok":false,"output":"no"}')
    assert ToolResult("c1", (Text("no"),), True) == read(body).items[-1]
    assert (
        ToolResult("c1", (Text('{"ok":false,"output":"no"}'),))
        == (read(body, envelopes=False).items[-1])
    )
    spaced = output('{"ok": false, "output": "no"}')
    assert ToolResult("c1", (Text('{"ok": false, "output": "no"}'),)) == read(spaced).items[-1]


def test_only_a_client_side_search_is_a_call() -> None:
    """Items that the provider answers itself are no calls of the client's."""
    kinds = [
        ({"type": "tool_search_call", "call_id": "t", "execution": "client"}, "call"),
        ({"type": "tool_search_call", "call_id": "t", "execution": "server"}, "other"),
        ({"type": "tool_search_output", "call_id": "t", "execution": "client"}, "result"),
        ({"type": "tool_search_output", "call_id": "t"}, "other"),
        ({"type": "shell_call", "call_id": "t"}, "call"),
        ({"type": "shell_call", "call_id": "t", "environment": {"type": "local"}}, "call"),
        (
            {"type": "shell_call", "call_id": "t", "environment": {"type": "container_reference"}},
            "other",
        ),
        ({"type": "apply_patch_call", "call_id": "t"}, "call"),
        ({"type": "mcp_approval_request", "id": "t"}, "call"),
        ({"type": "mcp_approval_response", "approval_request_id": "t"}, "result"),
        ({"type": "program_output", "call_id": "t"}, "other"),
    ]
    for node, role in kinds:
        assert WireItem(R, node, "t", role) == read(told(node)).items[-1]


def test_what_the_provider_ran_itself_is_no_result_of_the_clients() -> None:
    """The output of a shell in the provider's container belongs to it, like the call."""
    hosted = {"type": "shell_call", "call_id": "t", "environment": {"type": "container_reference"}}
    result = {"type": "shell_call_output", "call_id": "t", "output": []}
    assert ["other", "other"] == roles(told(hosted, result))
    assert ["call", "result"] == roles(told({"type": "shell_call", "call_id": "t"}, result))


def test_an_output_of_a_programs_call_is_carried_whole() -> None:
    """An output without a call's id answers no call of the conversation."""
    node = {"type": "function_call_output", "output": "r", "caller": {"type": "program"}}
    assert WireItem(R, node, None, "result") == read(told(node)).items[-1]


def test_a_choice_that_contradicts_the_tools_is_carried() -> None:
    """A custom choice of a function is not turned into a choice of a function."""
    node: dict[str, Any] = {"type": "custom", "name": "weather"}
    assert WireChoice(R, node) == read(asked(tools=[WEATHER], tool_choice=node)).tool_choice


def test_codex_tools_are_all_kept() -> None:
    """A custom tool, a search of tools and of the web stay beside the functions."""
    search: dict[str, Any] = {"type": "tool_search", "execution": "client"}
    web = {"type": "web_search", "external_web_access": True}
    found = read(asked(tools=[WEATHER, PATCH, web, search], client_metadata={"a": "b"}))
    assert (
        FunctionTool("weather", "The weather.", SCHEMA),
        CustomTool("patch"),
        HostedTool(R, web),
        HostedTool(R, search),
    ) == found.tools


REFUSED = {
    "an unknown field": (asked(zz=1), "UNSUPPORTED", "zz"),
    "a name that is not plain": (asked(**{"a b": 1}), "UNSUPPORTED", ""),
    "an unknown field of reasoning": (asked(reasoning={"zz": 1}), "UNSUPPORTED", "reasoning.zz"),
    "an unknown field of text": (asked(text={"zz": 1}), "UNSUPPORTED", "text.zz"),
    "an unknown format": (
        asked(text={"format": {"type": "xml"}}),
        "UNSUPPORTED",
        "text.format.type",
    ),
    "a schema without a name": (
        asked(text={"format": {"type": "json_schema", "schema": {}}}),
        "INVALID_REQUEST",
        "text.format.name",
    ),
    "an unknown field of a format": (
        asked(text={"format": {"type": "json_object", "zz": 1}}),
        "UNSUPPORTED",
        "text.format.zz",
    ),
    "an unknown effort": (asked(reasoning={"effort": "huge"}), "UNSUPPORTED", "reasoning.effort"),
    "another frame": (asked(type="response.cancel"), "UNSUPPORTED", "type"),
    "a hot temperature": (asked(temperature="hot"), "INVALID_REQUEST", "temperature"),
    "a stop that is a number": (asked(stop=[1]), "INVALID_REQUEST", "stop"),
    "metadata that is no text": (asked(metadata={"a": 1}), "INVALID_REQUEST", "metadata.a"),
    "an include that is no text": (asked(include=[1]), "INVALID_REQUEST", "include[0]"),
    "an input that is a number": (asked(input=1), "INVALID_REQUEST", "input"),
    "an item that is a number": (told(1), "INVALID_REQUEST", "input[1]"),
    "an unknown item": (told({"type": "wombat"}), "UNSUPPORTED", "input[1].type"),
    "an unknown role": (told({"role": "tool", "content": ""}), "UNSUPPORTED", "input[1].role"),
    "an unknown field of a message": (
        told({"role": "user", "content": "", "zz": 1}),
        "UNSUPPORTED",
        "input[1].zz",
    ),
    "an unknown field of a call": (told({**CALL_BODY, "zz": 1}), "UNSUPPORTED", "input[1].zz"),
    "arguments that are an object": (
        told({**CALL_BODY, "arguments": {}}),
        "INVALID_REQUEST",
        "input[1].arguments",
    ),
    "a message without content": (told({"role": "user"}), "INVALID_REQUEST", "input[1].content"),
    "content that is a number": (
        told({"role": "user", "content": 1}),
        "INVALID_REQUEST",
        "input[1].content",
    ),
    "a part that is a string": (
        told({"role": "user", "content": ["a"]}),
        "INVALID_REQUEST",
        "input[1].content[0]",
    ),
    "a part of the other side": (
        told({"role": "user", "content": [{"type": "output_text", "text": "a"}]}),
        "UNSUPPORTED",
        "input[1].content[0].type",
    ),
    "an unknown field of a part": (
        told({"role": "user", "content": [{"type": "input_text", "text": "a", "zz": 1}]}),
        "UNSUPPORTED",
        "input[1].content[0].zz",
    ),
    "an unknown field of a part that says nothing": (
        told({"role": "user", "content": [{"type": "input_text", "text": "a", "zz": 0}]}),
        "UNSUPPORTED",
        "input[1].content[0].zz",
    ),
    "an image from two places": (
        told(
            {"role": "user", "content": [{"type": "input_image", "file_id": "f", "image_url": "u"}]}
        ),
        "INVALID_REQUEST",
        "input[1].content[0]",
    ),
    "a file from nowhere": (
        told({"role": "user", "content": [{"type": "input_file", "filename": "f"}]}),
        "INVALID_REQUEST",
        "input[1].content[0]",
    ),
    "an unknown breakpoint": (
        told(
            {
                "role": "user",
                "content": [
                    {"type": "input_text", "text": "a", "prompt_cache_breakpoint": {"mode": "x"}}
                ],
            }
        ),
        "UNSUPPORTED",
        "input[1].content[0].prompt_cache_breakpoint.mode",
    ),
    "a summary of another kind": (
        told({"type": "reasoning", "summary": [{"type": "text", "text": "a"}]}),
        "UNSUPPORTED",
        "input[1].summary[0].type",
    ),
    "an output without a value": (output(None), "INVALID_REQUEST", "input[2].output"),
    "an unknown tool": (asked(tools=[{"type": "wombat"}]), "UNSUPPORTED", "tools[0].type"),
    "a tool without a name": (
        asked(tools=[{"type": "function"}]),
        "INVALID_REQUEST",
        "tools[0].name",
    ),
    "an unknown field of a tool": (
        asked(tools=[{**WEATHER, "zz": 1}]),
        "UNSUPPORTED",
        "tools[0].zz",
    ),
    "an unknown grammar": (
        asked(tools=[{**PATCH, "format": {"type": "peg"}}]),
        "UNSUPPORTED",
        "tools[0].format.type",
    ),
    "an unknown choice": (asked(tool_choice="maybe"), "UNSUPPORTED", "tool_choice"),
    "a choice of an unknown kind": (
        asked(tool_choice={"type": "wombat"}),
        "UNSUPPORTED",
        "tool_choice.type",
    ),
    "an unknown field of a choice": (
        asked(tools=[WEATHER], tool_choice={"type": "function", "name": "weather", "zz": 1}),
        "UNSUPPORTED",
        "tool_choice.zz",
    ),
    "a choice of a tool that is not there": (
        asked(tool_choice={"type": "function", "name": "weather"}),
        "INVALID_REQUEST",
        "tool_choice",
    ),
    "a result without its call": (
        told({"type": "function_call_output", "call_id": "c9", "output": ""}),
        "INVALID_REQUEST",
        "input[1].call_id",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_carried_is_refused_by_its_path(name: str) -> None:
    """Nothing unknown, mistyped or contradictory passes; the path says where it stands."""
    body, code, path = REFUSED[name]
    assert (code, path) in [(found, at) for found, at, _ in refusals(body)]


def test_all_refusals_come_at_once() -> None:
    """A client sees everything that is wrong with its body in one answer."""
    body = asked(zz=1, store=True, tools=[{"type": "wombat"}], input=[{"type": "wombat"}])
    assert {"zz", "store", "tools[0].type", "input[0].type"} == {at for _, at, _ in refusals(body)}


def test_bytes_that_are_no_request_are_refused() -> None:
    """Not JSON, no object, a key twice, a lone surrogate, too much."""
    for body, path in (
        (b"{", ""),
        (b"[]", ""),
        (b'{"model":"m","model":"n"}', "model"),
        (b'{"model":"m","input":"\\ud83d"}', "input"),
    ):
        with pytest.raises(RequestRefused) as caught:
            ingest_request(body)
        assert (RefusalCode.INVALID_REQUEST, path) == (caught.value.code, caught.value.path)
    with pytest.raises(RequestRefused) as caught:
        ingest_request(b'{"model":"m","input":"Hi"}', limits=Limits(request_bytes=10))
    assert RefusalCode.TOO_LARGE is caught.value.code


def test_an_unknown_loss_is_a_mistake_of_the_caller() -> None:
    """A typing mistake in `accept` never accepts anything."""
    with pytest.raises(ValueError, match=r"responses\.shop"):
        ingested(asked(), accept={"responses.shop"})


def test_pictures_in_results_are_pictures() -> None:
    """A tool's picture is read as one, with its call."""
    body = output([{"type": "input_image", "image_url": "https://e.x/a.png"}])
    assert (
        UserMessage((Text("Hi"),)),
        ToolCall("c1", "weather", CALL_BODY["arguments"]),
        ToolResult("c1", (Image(UrlSource("https://e.x/a.png")),)),
    ) == read(body).items


def test_words_before_the_first_turn_are_instructions_and_later_ones_are_not() -> None:
    """The leading run ends with the first item of the conversation."""
    early = {"role": "developer", "content": "One."}
    late = {"role": "developer", "content": "Two."}
    found = read(asked(instructions="Top.", input=[early, USER, late]))
    assert (Instruction((Text("Top."),)), Instruction((Text("One."),))) == found.instructions
    assert turn(UserMessage((Text("Hi"),)), Instruction((Text("Two."),))).items == found.items


def test_assistant_parts_that_only_this_wire_reads_keep_their_place() -> None:
    """A part without a neutral meaning stands between the others."""
    parts = [
        {"type": "output_text", "text": "a"},
        {"type": "input_file", "file_id": "f"},
        {"type": "output_text", "text": "b"},
    ]
    found = read(told({"role": "assistant", "content": parts})).items[-1]
    assert isinstance(found, AssistantMessage)
    assert ["Text", "WirePart", "Text"] == [type(part).__name__ for part in found.content]
