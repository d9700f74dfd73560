"""Turns as Messages bodies."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve

from llm_projections import _json
from llm_projections.errors import RefusalCode, RequestRefused
from llm_projections.messages import encode_request, ingest_request, project_request
from llm_projections.model.binding import Capabilities, Conversation
from llm_projections.model.items import (
    AssistantMessage,
    Audio,
    CacheMark,
    Instruction,
    Opaque,
    Protocol,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
    WireItem,
)
from llm_projections.model.losses import Loss
from llm_projections.model.tools import (
    FunctionTool,
    HostedTool,
    JsonSchema,
    Named,
)
from llm_projections.model.turn import Sampling, Thinking, TurnRequest
from llm_projections.wires._fragments import FragmentCache
from tests.cases.messages import (
    ASK,
    BINDING,
    CASES,
    HOME,
    SCHEMA,
    SIGNED,
    TOOL,
    WIRE,
    Case,
    own,
    turn,
)
from tests.everything import MODEL, binding_of
from tests.wires.messages_projecting import refused, written

CHAT = Protocol.CHAT
RESPONSES = Protocol.RESPONSES
MARK: dict[str, Any] = {"type": "ephemeral"}
ELSEWHERE = evolve(HOME, account="another")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_turn_is_written_as_its_body(case: Case) -> None:
    """The body says what the turn says, with nothing lost and nothing added."""
    assert case.body == written(case.turn)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_bytes_are_those_of_the_body(case: Case) -> None:
    """Encoding is writing the projection, key by key in its order."""
    assert _json.dumps(project_request(case.turn, BINDING).body) == encode_request(
        case.turn, BINDING
    )


def test_there_are_many_cases() -> None:
    """The table cannot vanish."""
    assert len(CASES) >= 80
    assert len({case.name for case in CASES}) == len(CASES)


def test_what_is_always_written_comes_first() -> None:
    """Model, limit and stream are pinned, in the declared order of keys."""
    request = turn(
        tools=(TOOL,),
        thinking=Thinking("low", mode="adaptive"),
        sampling=Sampling(0.5),
        stop=("x",),
        end_user_id="u",
        service_tier="auto",
        tool_choice=Named("look"),
        instructions=(Instruction((Text("s"),)),),
        extensions=(own("speed", "fast"),),
    )
    assert [
        "model",
        "max_tokens",
        "stream",
        "system",
        "messages",
        "tools",
        "tool_choice",
        "thinking",
        "output_config",
        "temperature",
        "stop_sequences",
        "service_tier",
        "metadata",
        "speed",
    ] == list(project_request(request, BINDING).body)


def test_the_limit_of_the_binding_is_sent_where_the_caller_set_none() -> None:
    """The wire requires a limit; without any, the turn is refused."""
    without = binding_of(WIRE, capabilities=Capabilities.all())
    assert 64_000 == project_request(turn(), BINDING).body["max_tokens"]
    assert {"max_output_tokens": None} == refused(turn(), without)


def test_a_limit_past_the_binding_is_refused_in_the_words_that_clients_read() -> None:
    """Claude Code reads the two numbers; accepted, the maximum is sent."""
    request = turn(max_output_tokens=64_001)
    with pytest.raises(RequestRefused, match="max_tokens: 64001 > 64000"):
        project_request(request, BINDING)
    projection = project_request(request, BINDING, accept=["max_output_tokens.lowered"])
    assert (64_000, (Loss("max_output_tokens.lowered", "max_output_tokens"),)) == (
        projection.body["max_tokens"],
        projection.losses,
    )


def test_requests_are_always_streamed_and_know_no_conversation() -> None:
    """Both are refused by name."""
    for options in ({"stream": False}, {"conversation": Conversation("c")}):
        for write in (project_request, encode_request):
            with pytest.raises(RequestRefused) as caught:
                write(turn(), BINDING, **options)  # type: ignore[arg-type]  # one option of two, each of its own type
            assert RefusalCode.UNSUPPORTED is caught.value.code
            assert next(iter(options)) == caught.value.path


# results


CALLS = (ToolCall("t1", "look", "{}"), ToolCall("t2", "look", "{}"))


def test_all_results_of_a_turn_go_first_in_the_next_user_message() -> None:
    """Results that came as items of their own are grouped, with what the user says after them."""
    request = turn(
        ASK,
        *CALLS,
        ToolResult("t2", (Text("2"),)),
        ToolResult("t1", ()),
        UserMessage((Text("On"),)),
    )
    assert [
        {"type": "tool_result", "tool_use_id": "t2", "content": "2"},
        {"type": "tool_result", "tool_use_id": "t1", "content": ""},
        {"type": "text", "text": "On"},
    ] == written(request)["messages"][2]["content"]


def test_text_before_or_between_results_is_refused_or_moved_after_them() -> None:
    """The vendor wants results first; the order of everything else stays."""
    request = turn(
        ASK,
        *CALLS,
        UserMessage((Text("a"),)),
        ToolResult("t1", (Text("1"),)),
        UserMessage((Text("b"),)),
        Instruction((Text("note"),)),
        ToolResult("t2", (Text("2"),)),
        UserMessage((Text("c"),)),
    )
    name = "messages.text_before_result"
    assert {"items[3]": name, "items[5]": name, "items[6]": name} == refused(request)
    messages = written(request, accept=[name])["messages"][2:]
    assert [
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "t1", "content": "1"},
                {"type": "tool_result", "tool_use_id": "t2", "content": "2"},
                {"type": "text", "text": "a"},
                {"type": "text", "text": "b"},
            ],
        },
        {"role": "system", "content": "note"},
        {"role": "user", "content": "c"},
    ] == messages


def test_an_unanswered_call_is_refused_and_no_result_is_made_up() -> None:
    """Every call of a turn needs its result."""
    assert {"items[2]": None} == refused(turn(ASK, *CALLS[:1], UserMessage((Text("On"),))))


# instructions in place


def test_an_instruction_in_place_needs_its_capability_or_moves_to_the_system_prompt() -> None:
    """Accepted, it stands after the standing instructions."""
    able = evolve(BINDING.capabilities, instructions_in_place=False)
    binding = evolve(BINDING, capabilities=able)
    request = turn(
        ASK,
        Instruction((Text("note"),)),
        UserMessage((Text("On"),)),
        instructions=(Instruction((Text("base"),)),),
    )
    assert {"items[1]": "turn.instruction.position"} == refused(request, binding)
    body = written(request, binding=binding, accept=["turn.instruction.position"])
    assert [{"type": "text", "text": "base"}, {"type": "text", "text": "note"}] == body["system"]
    assert ["user", "user"] == [message["role"] for message in body["messages"]]


# arguments


@pytest.mark.parametrize(
    ("text", "input_text"),
    [
        ("", "{}"),
        ('{"a": 1}', '{"a":1}'),
        ('{"b":1,"a":2}', '{"b":1,"a":2}'),
        (
            '{"id":2512292042121000001,"x":1.10,"e":1e2}',
            '{"id":2512292042121000001,"x":1.10,"e":1e2}',
        ),
        ('{"n":123456789012345678901234567890}', '{"n":123456789012345678901234567890}'),
        ('{"a":1,"a":2}', '{"a":1,"a":2}'),
        ('{"n" : 1e400}', '{"n":1e400}'),
    ],
)
def test_arguments_keep_their_tokens(text: str, input_text: str) -> None:
    """Numbers as spelled, any size, key order and duplicates; only the spaces between tokens go."""
    request = turn(ASK, ToolCall("t1", "look", text), ToolResult("t1", ()))
    data = encode_request(request, BINDING)
    assert f'"input":{input_text}}}'.encode() in data
    assert _json.dumps(project_request(request, BINDING).body) == data


def test_arguments_are_a_value_where_a_value_loses_nothing() -> None:
    """A body can be read without knowing of raw texts."""
    request = turn(ASK, ToolCall("t1", "look", '{ "a": [1, "x"] }'), ToolResult("t1", ()))
    assert {"a": [1, "x"]} == written(request)["messages"][1]["content"][0]["input"]


@pytest.mark.parametrize(
    "text", ["{", "[]", "1", '{"t":NaN}', "x", '{"a":"\\ud83d"}', '{"a":"\ud83d"}']
)
def test_arguments_that_are_no_object_are_refused(text: str) -> None:
    """This wire has nothing to hold them, and nothing is repaired."""
    request = turn(ASK, ToolCall("t1", "look", text), ToolResult("t1", ()))
    assert {"items[1].arguments": None} == refused(request)


def test_call_ids_outside_the_alphabet_are_refused_or_stand_in_one_to_one() -> None:
    """Two ids that look alike stay two, and each result keeps its call."""
    ids = ("functions.look:0", "functions_look_0", "functions/look/0")
    request = turn(
        ASK,
        *(ToolCall(call_id, "look", "{}") for call_id in ids),
        *(ToolResult(call_id, (Text(call_id),)) for call_id in ids),
    )
    lost = {"items[1].call_id": "turn.call_id", "items[3].call_id": "turn.call_id"}
    assert lost == refused(request)
    _, calls, results = written(request, accept=["turn.call_id"])["messages"]
    named = [block["id"] for block in calls["content"]]
    assert ["functions_look_0_2", "functions_look_0", "functions_look_0_3"] == named
    assert named == [block["tool_use_id"] for block in results["content"]]
    assert list(ids) == [block["content"] for block in results["content"]]


# marks


def automatic(*items: Any, binding: Any = BINDING, **settings: Any) -> dict[str, Any]:
    """The body of a turn that leaves its marks to the wire."""
    return written(TurnRequest(MODEL, items or (ASK,), **settings), binding=binding)


def test_two_automatic_marks_end_the_instructions_and_the_conversation() -> None:
    """What had been strings become block lists."""
    body = automatic(instructions=(Instruction((Text("s"),)),))
    assert [{"type": "text", "text": "s", "cache_control": MARK}] == body["system"]
    block = {"type": "text", "text": "Hello", "cache_control": MARK}
    assert [{"role": "user", "content": [block]}] == body["messages"]


def test_the_automatic_mark_passes_over_thinking_and_empty_texts() -> None:
    """It stands on the last block that may hold one."""
    body = automatic(
        ASK,
        ToolCall("t1", "look", "{}"),
        ToolResult("t1", ()),
        AssistantMessage((Text(""),)),
        Opaque(HOME, SIGNED),
    )
    assert MARK == body["messages"][2]["content"][0]["cache_control"]
    assert [{"type": "text", "text": ""}, SIGNED] == body["messages"][3]["content"]
    assert {"type", "thinking", "signature"} == SIGNED.keys()


def test_no_automatic_mark_where_the_binding_or_the_dialect_has_none() -> None:
    """Nobody asked for them, so nothing is lost."""
    off = binding_of(WIRE, automatic_cache_marks=False)
    unable = evolve(BINDING, capabilities=evolve(BINDING.capabilities, cache_marks=False))
    for binding in (off, unable):
        projection = project_request(TurnRequest(MODEL, (ASK,)), binding)
        assert [{"role": "user", "content": "Hello"}] == projection.body["messages"]
        assert () == projection.losses


def test_a_place_that_the_caller_marked_is_left_alone() -> None:
    """Its time to live stays."""
    body = automatic(UserMessage((Text("a", (), CacheMark("1h")),)))
    assert "1h" == body["messages"][0]["content"][0]["cache_control"]["ttl"]


def test_automatic_marks_never_exceed_four() -> None:
    """The caller's own come first."""
    marked = tuple(Text(name, (), CacheMark()) for name in "abcd")
    body = automatic(UserMessage((*marked, Text("e"))), instructions=(Instruction((Text("s"),)),))
    assert "s" == body["system"]
    assert "cache_control" not in body["messages"][0]["content"][4]


def test_a_fifth_mark_is_refused_by_its_path() -> None:
    """Marks of tools, of carried payloads and of the request itself count."""
    marks = (Text("a", (), CacheMark()), Text("b", (), CacheMark()))
    request = turn(
        UserMessage(marks),
        tools=(
            FunctionTool("f", cache=CacheMark()),
            HostedTool(WIRE, {"type": "bash_20250124", "name": "bash", "cache_control": MARK}),
        ),
        extensions=(own("cache_control", MARK),),
    )
    assert {"cache_control.cache": None} == refused(request)


def test_times_of_other_wires_are_lost_by_name() -> None:
    """The mark stays without them."""
    request = turn(UserMessage((Text("a", (), CacheMark("30m")),)))
    assert {"items[0].content[0].cache.ttl": "turn.cache.ttl"} == refused(request)
    block = written(request, accept=["turn.cache.ttl"])["messages"][0]["content"][0]
    assert MARK == block["cache_control"]


def test_a_part_of_a_mark_goes_with_the_mark() -> None:
    """No half of it stays behind."""
    able = evolve(BINDING.capabilities, cache_marks=False)
    text = Text("a", (), CacheMark(), (own("messages.content.cache_control.scope", "global"),))
    body = written(
        turn(UserMessage((text,))),
        binding=evolve(BINDING, capabilities=able),
        accept=["turn.cache"],
    )
    assert [{"role": "user", "content": "a"}] == body["messages"]


# versions, dialects


def test_the_newer_version_has_no_sampling() -> None:
    """Temperature, top_p and top_k are lost by name under 2026-10-21."""
    newer = binding_of(WIRE, version="2026-10-21")
    lost = {
        "sampling.temperature": "turn.temperature",
        "sampling.top_p": "turn.top_p",
        "sampling.top_k": "turn.top_k",
    }
    assert lost == refused(turn(sampling=Sampling(0.5, 0.5, 5)), newer)


def test_bedrock_and_vertex_take_no_model_in_the_body() -> None:
    """Told by the version that they want there instead."""
    request = turn(extensions=(own("anthropic_version", "vertex-2023-10-16"),))
    body = project_request(request, BINDING).body
    assert "model" not in body
    assert "vertex-2023-10-16" == body["anthropic_version"]


def test_cross_rules_of_thinking() -> None:
    """No effort is thinking disabled; a budget alone is thinking enabled; an effort alone adds nothing."""
    assert {"type": "disabled"} == written(turn(thinking=Thinking("none")))["thinking"]
    assert {"type": "enabled", "budget_tokens": 9} == written(turn(thinking=Thinking(None, 9)))[
        "thinking"
    ]
    body = written(turn(thinking=Thinking("high")))
    assert ({"effort": "high"}, False) == (body["output_config"], "thinking" in body)


def test_a_schema_that_binds_loses_nothing() -> None:
    """The wire always enforces it."""
    body = written(turn(output_format=JsonSchema(None, SCHEMA, True)))
    assert {"format": {"type": "json_schema", "schema": SCHEMA}} == body["output_config"]


def test_a_function_without_parameters_takes_an_empty_object() -> None:
    """The wire requires a schema."""
    body = written(turn(tools=(FunctionTool("f"),)))
    assert [{"name": "f", "input_schema": {"type": "object", "properties": {}}}] == body["tools"]


def test_a_carried_thing_needs_the_binding_or_its_dialect() -> None:
    """Listed by either, it goes out; listed by none, it is refused by its path."""
    bare = evolve(BINDING.capabilities, extensions=frozenset())
    request = turn(extensions=(own("context_management", {"edits": []}),))
    none = binding_of(WIRE, capabilities=bare, request_fields=frozenset())
    assert {"context_management": "messages.context_management"} == refused(request, none)
    for able, fields in (
        (evolve(bare, extensions=frozenset({"messages.context_management"})), frozenset[str]()),
        (bare, frozenset({"context_management"})),
    ):
        listed = binding_of(WIRE, capabilities=able, request_fields=fields)
        assert {"edits": []} == project_request(request, listed).body["context_management"]


def test_held_conversations_are_refused_by_their_own_path_where_the_binding_has_none() -> None:
    """A result whose call the provider holds is then the smaller problem."""
    request = turn(
        ToolResult("t1", (Text("1"),)),
        extensions=(own("thread", {"type": "continue", "previous_message_id": "m"}),),
    )
    bare = evolve(BINDING.capabilities, extensions=frozenset())
    none = binding_of(WIRE, capabilities=bare, request_fields=frozenset())
    assert {"thread": "messages.thread"} == refused(request, none)
    assert [{"type": "tool_result", "tool_use_id": "t1", "content": "1"}] == written(request)[
        "messages"
    ][0]["content"]


# bytes


def test_lone_surrogates_are_refused_by_path() -> None:
    """Never are bytes written that are not UTF-8."""
    with pytest.raises(RequestRefused) as caught:
        encode_request(turn(UserMessage((Text("bad \ud83d end"),))), BINDING)
    assert ("messages[0].content", RefusalCode.INVALID_REQUEST) == (
        caught.value.path,
        caught.value.code,
    )


@pytest.mark.parametrize(
    "request_with",
    [
        turn(tools=(FunctionTool("f", None, {"x": float("nan")}),)),
        turn(output_format=JsonSchema(None, {"x": [float("inf")]})),
        turn(extensions=(own("speed", float("nan")),)),
        turn(tools=(HostedTool(WIRE, {"type": "bash_20250124", "x": float("nan")}),)),
        turn(ASK, WireItem(WIRE, {"type": "fallback", "x": float("nan")})),
        turn(ASK, Opaque(HOME, {**SIGNED, "x": float("nan")})),
        turn(ASK, Instruction((Text("a"),), None, (own("messages.context", float("nan")),))),
        turn(UserMessage((Text("a", (own("messages.content.citations", float("nan")),)),))),
        turn(
            UserMessage((Text("a", extensions=(own("messages.content.context", float("nan")),)),))
        ),
    ],
)
def test_numbers_that_are_none_are_refused_wherever_they_stand(request_with: TurnRequest) -> None:
    """No null is written in their place."""
    with pytest.raises(RequestRefused, match="not a JSON number"):
        encode_request(request_with, BINDING)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_kept_fragments_change_no_byte(case: Case) -> None:
    """With and without what was encoded before, with given and with automatic marks."""
    fragments = FragmentCache()
    for marks in ("given", "auto"):
        request = evolve(case.turn, cache_marks=marks)
        expected = encode_request(request, BINDING)
        assert [expected] * 2 == [
            encode_request(request, BINDING, fragments=fragments) for _ in range(2)
        ]


def test_accepted_losses_of_an_encoding_are_handed_back() -> None:
    """Where only bytes come back, they are appended to the caller's list."""
    losses: list[Loss] = []
    encode_request(turn(verbosity="low"), BINDING, accept=["turn.verbosity"], losses=losses)
    assert [Loss("turn.verbosity", "verbosity")] == losses


def test_an_unknown_name_of_a_loss_is_a_mistake_of_the_caller() -> None:
    """It never accepts anything."""
    with pytest.raises(ValueError, match=r"turn\.nothing"):
        project_request(turn(), BINDING, accept=["turn.nothing"])


def test_what_is_written_is_read_as_the_same_turn() -> None:
    """All cases together, through bytes."""
    for case in CASES:
        again = ingest_request(encode_request(case.turn, BINDING)).request
        bound = evolve(again.bind_unattributed(HOME), model=MODEL)
        given = case.turn.max_output_tokens or 64_000
        assert evolve(case.turn, max_output_tokens=given) == bound, case.name


@pytest.mark.parametrize("schema", [None, {}])
def test_a_tool_that_takes_nothing_has_a_schema_of_an_object(schema: dict[str, Any] | None) -> None:
    """Its type is required (anthropic 2.14.0 `InputSchemaTyped`)."""
    (tool,) = written(turn(tools=(FunctionTool("f", None, schema),)))["tools"]
    assert {"type": "object", "properties": {}} == tool["input_schema"]


def test_a_conversation_of_which_nothing_is_left_is_refused() -> None:
    """One that had no message to begin with is as its client wrote it: some servers take it."""
    silent = evolve(turn(), items=(UserMessage((Audio("QUJD", "wav"),)),))
    with pytest.raises(RequestRefused) as caught:
        project_request(silent, BINDING, accept={"turn.audio"})
    assert "items" in {caught.value.path, *(other.path for other in caught.value.others)}
    assert [] == written(evolve(turn(), items=()))["messages"]


@pytest.mark.parametrize("strict", [True, False])
def test_strictness_is_written_either_way(strict: bool) -> None:
    """Who switched it off did not leave it to the server."""
    (tool,) = written(turn(tools=(FunctionTool("f", None, SCHEMA, strict),)))["tools"]
    assert {"name": "f", "input_schema": SCHEMA, "strict": strict} == tool
