"""Turns as Chat bodies."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve

from llm_projections import _json
from llm_projections.model.items import (
    AssistantMessage,
    Extension,
    Instruction,
    Reasoning,
    RefusalText,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
)
from llm_projections.model.losses import Loss
from llm_projections.model.tools import (
    FunctionTool,
    JsonSchema,
)
from llm_projections.model.turn import Sampling, Thinking
from llm_projections.wires._fragments import FragmentCache
from llm_projections.wires.chat import encode_request, ingest_request, project_request
from tests.cases.chat import ASK, ASKED, BINDING, CASES, HOME, Case, own, turn
from tests.everything import MODEL, binding_of
from tests.wires.chat_projecting import (
    CALL,
    CALLED,
    CHAT,
    DIALECTED,
    PNG,
    RESULT,
    VENDOR,
    WIDE,
    lost,
    messages,
    refused,
    without,
)

# both directions


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_turn_is_written_as_its_body(case: Case) -> None:
    """Beside what the turn says stand the pinned additions and nothing else."""
    body = project_request(case.turn, BINDING).body
    options = {"include_usage": True, **case.body.get("stream_options", {})}
    assert {
        "model": "upstream-model",
        **case.body,
        "stream": True,
        "stream_options": options,
    } == body


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_is_written_is_read_as_the_same_turn(case: Case) -> None:
    """Ingest is the inverse of project; the bytes are those of the projected body."""
    data = encode_request(case.turn, BINDING)
    assert _json.dumps(project_request(case.turn, BINDING).body) == data
    found = ingest_request(data).request.bind_unattributed(HOME)
    assert case.turn == evolve(found, model=MODEL)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_kept_fragments_never_change_a_byte(case: Case) -> None:
    """A first request fills the cache, a second one is made of it, and both are what they were."""
    fragments = FragmentCache()
    expected = encode_request(case.turn, BINDING)
    for _ in range(2):
        assert expected == encode_request(case.turn, BINDING, fragments=fragments)
    assert len(fragments) >= 1


def test_a_growing_conversation_is_made_of_what_was_kept() -> None:
    """Only what is new is encoded, and a call that stands open is known though it came from the cache."""
    fragments = FragmentCache()
    first = turn(ASK, CALL, RESULT, ASK)
    encode_request(first, BINDING, fragments=fragments)
    kept = len(fragments)
    grown = evolve(first, items=(*first.items, AssistantMessage((Text("hi"),)), ASK))
    assert encode_request(grown, BINDING) == encode_request(grown, BINDING, fragments=fragments)
    assert kept + 1 == len(fragments)
    moved = turn(ASK, CALL, UserMessage((Text("wait"),)), RESULT)
    accept = ("chat.text_before_result",)
    assert encode_request(moved, BINDING, accept=accept) == encode_request(
        moved, BINDING, accept=accept, fragments=fragments
    )


def test_the_order_of_keys_is_declared() -> None:
    """The same turn gives the same bytes, in one order."""
    full = turn(
        tools=(FunctionTool("f"),),
        parallel_tool_calls=True,
        max_output_tokens=5,
        sampling=Sampling(0.5, 0.5, 5, 5, 0.5, 0.5),
        thinking=Thinking("low"),
        output_format=JsonSchema("n", {}),
        stop=("a",),
        verbosity="low",
        end_user_id="u",
        prompt_cache_key="k",
        metadata={},
        service_tier="flex",
        extensions=(own("store", True),),
    )
    assert [
        "model",
        "messages",
        "tools",
        "parallel_tool_calls",
        "response_format",
        "max_completion_tokens",
        "temperature",
        "top_p",
        "top_k",
        "presence_penalty",
        "frequency_penalty",
        "seed",
        "stop",
        "reasoning_effort",
        "verbosity",
        "service_tier",
        "safety_identifier",
        "prompt_cache_key",
        "metadata",
        "stream",
        "stream_options",
        "store",
    ] == list(project_request(full, BINDING).body)


def test_a_plain_request_has_no_stream_options() -> None:
    """The vendor turns them down without a stream."""
    body = project_request(turn(), BINDING, stream=False).body
    assert {"model": "upstream-model", "messages": [ASKED], "stream": False} == body
    padded = turn(extensions=(own("stream_options.include_obfuscation", False),))
    loss = "chat.stream_options.include_obfuscation"
    assert {"stream_options.include_obfuscation": loss} == refused(padded, stream=False)


def test_a_server_without_usage_in_streams_gets_no_options() -> None:
    """A dialect may say that `stream_options` is unknown to it."""
    body = project_request(turn(), binding_of(CHAT, stream_usage=False)).body
    assert {"model": "upstream-model", "messages": [ASKED], "stream": True} == body


# habits of servers


@pytest.mark.parametrize(
    ("habits", "given", "key"),
    [
        ({"output_limit_field": "max_tokens"}, {"max_output_tokens": 5}, "max_tokens"),
        ({"end_user_field": "user"}, {"end_user_id": "u"}, "user"),
    ],
)
def test_a_dialect_names_the_fields(habits: Any, given: Any, key: str) -> None:
    """The older names are written only where the server wants them."""
    assert key in project_request(turn(**given), binding_of(CHAT, **habits)).body


def test_a_dialect_says_who_instructs() -> None:
    """A role of the turn stands; without one the server's habit does."""
    binding = binding_of(CHAT, instruction_role="developer")
    given = (Instruction((Text("a"),)), Instruction((Text("b"),), "system"))
    assert ["developer", "system", "user"] == [
        message["role"] for message in messages(turn(instructions=given), binding)
    ]


@pytest.mark.parametrize(
    ("field", "memory", "written"),
    [
        ("reasoning", (), {"reasoning": "hm"}),
        ("reasoning_content", (), {"reasoning_content": "hm"}),
        (None, (own("messages.reasoning", True),), {"reasoning": "hm"}),
        ("reasoning", (own("messages.reasoning_content", True),), {"reasoning_content": "hm"}),
    ],
)
def test_reasoning_goes_where_it_came_from_or_where_the_server_wants_it(
    field: Any, memory: tuple[Extension, ...], written: dict[str, Any]
) -> None:
    """Its own field if the binding takes it, else the dialect's."""
    given = turn(ASK, Reasoning("hm", False, memory), AssistantMessage((Text("hi"),)), ASK)
    binding = binding_of(CHAT, reasoning_field=field)
    assert {"role": "assistant", "content": "hi", **written} == messages(given, binding)[1]


def test_a_server_that_does_not_take_the_field_gets_its_own() -> None:
    """A remembered field is no reason to send what the server does not know."""
    binding = without(DIALECTED, extensions=frozenset())
    memory = (own("messages.reasoning_content", True),)
    given = turn(ASK, Reasoning("hm", False, memory), AssistantMessage((Text("hi"),)), ASK)
    assert {"role": "assistant", "content": "hi", "reasoning": "hm"} == messages(given, binding)[1]


def test_reasoning_alone_is_a_message() -> None:
    """A turn cut off while it thought still shows that it did."""
    given = turn(ASK, Reasoning("hm"), ASK)
    assert {"role": "assistant", "content": "", "reasoning": "hm"} == messages(given, DIALECTED)[1]


def test_a_conversation_may_end_with_the_model_only_where_it_goes_on() -> None:
    """Elsewhere the model would start anew: left out, or refused."""
    given = turn(ASK, Reasoning("hm"), AssistantMessage((Text("Once"),)))
    assert {"items[1]": "turn.prefill"} == refused(given, DIALECTED)
    assert [ASKED] == messages(given, DIALECTED, accept=("turn.prefill",))
    assert 2 == len(messages(turn(*given.items[::2]), binding_of(CHAT, prefill=True)))
    continued = turn(*given.items[::2], extensions=(own("continue_final_message", True),))
    assert 2 == len(messages(continued, WIDE))
    assert "Once" == messages(continued, WIDE)[1]["content"]


def test_an_instruction_out_of_place_moves_to_the_front() -> None:
    """Where the binding takes none among the items."""
    given = turn(ASK, Instruction((Text("now"),)), ASK, instructions=(Instruction((Text("be"),)),))
    binding = without(VENDOR, instructions_in_place=False)
    written, losses = lost(given, binding, "turn.instruction.position")
    assert ["be", "now", "Hello", "Hello"] == [message["content"] for message in written]
    assert (Loss("turn.instruction.position", "items[1]"),) == losses


# what the shape of a message forces


def test_several_answers_in_a_row_are_joined() -> None:
    """One message holds all that was said in one turn."""
    given = turn(
        ASK, AssistantMessage((Text("a"),)), AssistantMessage((Text("b"), RefusalText("c"))), ASK
    )
    written, losses = lost(given, BINDING, "chat.assistant.merged")
    assert {"role": "assistant", "content": "a\nb", "refusal": "c"} == written[1]
    assert (Loss("chat.assistant.merged", "items[2]"),) == losses


def test_answers_of_other_parts_stand_side_by_side() -> None:
    """A newline keeps them apart where they cannot be one text."""
    given = turn(ASK, AssistantMessage((RefusalText("a"),)), AssistantMessage((Text("b"),)), ASK)
    written = messages(given, accept=("chat.assistant.merged",))
    parts = [
        {"type": "refusal", "refusal": "a"},
        {"type": "text", "text": "\n"},
        {"type": "text", "text": "b"},
    ]
    assert {"role": "assistant", "content": parts} == written[1]


@pytest.mark.parametrize("late", [AssistantMessage((Text("after"),)), Reasoning("after")])
def test_what_comes_after_a_call_cannot_stay_there(late: Any) -> None:
    """Reasoning, then text, then calls: any other order is told."""
    given = turn(ASK, CALL, late, RESULT)
    written, losses = lost(given, DIALECTED, "chat.assistant.reordered")
    assert [CALLED] == written[1]["tool_calls"]
    assert "after" in (written[1]["content"], written[1].get("reasoning"))
    assert (Loss("chat.assistant.reordered", "items[2]"),) == losses


def test_reasonings_of_one_turn_share_a_field() -> None:
    """Two of them are joined, by name."""
    given = turn(ASK, Reasoning("a"), Reasoning("b"), AssistantMessage((Text("hi"),)), ASK)
    written, losses = lost(given, DIALECTED, "chat.reasoning.merged")
    assert "a\n\nb" == written[1]["reasoning"]
    assert (Loss("chat.reasoning.merged", "items[2]"),) == losses


def test_words_between_a_call_and_its_result_move_after_it() -> None:
    """Results stand right after their calls, in this order; what was between them follows."""
    other = ToolCall("c2", "f", "{}")
    given = turn(
        ASK,
        CALL,
        other,
        RESULT,
        UserMessage((Text("one done"),)),
        ToolResult("c2", (Text("s"),)),
        ASK,
    )
    written, losses = lost(given, BINDING, "chat.text_before_result")
    assert ["user", "assistant", "tool", "tool", "user", "user"] == [
        message["role"] for message in written
    ]
    assert "one done" == written[4]["content"]
    assert (Loss("chat.text_before_result", "items[4]"),) == losses


def test_images_move_out_of_a_result_that_takes_texts_only() -> None:
    """After the last result, in a message of the user's: refused unless the caller wants that."""
    given = turn(
        ASK,
        CALL,
        ToolCall("c2", "f", "{}"),
        ToolResult("c1", (Text("a"), PNG)),
        ToolResult("c2", (PNG,), True),
        ASK,
    )
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
    written, losses = lost(given, VENDOR, "turn.tool_result.media_moved")
    assert [
        {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "a"}]},
        {"role": "tool", "tool_call_id": "c2", "content": '{"error":"","ok":false}'},
        {"role": "user", "content": [image, image]},
        ASKED,
    ] == [{**message, "content": _listed(message["content"])} for message in written[2:]]
    assert ["items[3]", "items[4]"] == [loss.path for loss in losses]


def _listed(content: Any) -> Any:
    return [{"type": "text", "text": content}] if content == "a" else content


@pytest.mark.parametrize(
    "content",
    [(Text('{"error":"no","ok":false}'),), (Text('{"ok":false}'), Text("more"))],
)
def test_a_result_that_reads_as_our_failure_is_refused(content: tuple[Text, ...]) -> None:
    """The tool's own words would come back as a failure that nobody reported."""
    given = turn(ASK, CALL, ToolResult("c1", content))
    written, losses = lost(given, BINDING, "turn.tool_result.ambiguous")
    assert (Loss("turn.tool_result.ambiguous", "items[2].content"),) == losses
    assert content[0].text in str(written[2]["content"])


def test_a_failure_that_reads_as_a_failure_is_wrapped_once_more() -> None:
    """What failed and said so by itself still comes back whole."""
    failed = ToolResult("c1", (Text('{"error":"no","ok":false}'),), True)
    given = turn(ASK, CALL, failed)
    assert failed == ingest_request(encode_request(given, BINDING)).request.items[2]


def test_success_and_no_word_are_one_here() -> None:
    """This wire has no mark of success."""
    good = turn(ASK, CALL, ToolResult("c1", (Text("r"),), False))
    assert messages(turn(ASK, CALL, RESULT)) == messages(good)
