"""Chat bodies as turns."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve

from llm_projections import _json
from llm_projections.errors import RefusalCode, RequestRefused
from llm_projections.model.items import (
    AssistantMessage,
    Extension,
    Instruction,
    Protocol,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    UnattributedOpaque,
    UserMessage,
    WireItem,
)
from llm_projections.model.limits import Limits
from llm_projections.model.losses import Loss
from llm_projections.model.results import AnswerShape
from llm_projections.model.turn import TurnRequest
from llm_projections.wires.chat import ingest_request
from tests.cases.chat import ASK, ASKED, CASES, HOME, MEANS, Case, own
from tests.everything import MODEL

CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
CALLING = {"role": "assistant", "content": None, "tool_calls": [CALL]}


def read(body: dict[str, Any], **options: Any) -> TurnRequest:
    """The turn that a body says, its sealed state bound."""
    return ingested(body, **options).request.bind_unattributed(HOME)


def ingested(body: dict[str, Any], **options: Any) -> Any:
    """A body with a model, read."""
    return ingest_request(_json.dumps({"model": MODEL, **body}), **options)


def faults(body: dict[str, Any], **options: Any) -> dict[str, str]:
    """Every refused path and why, of a body."""
    with pytest.raises(RequestRefused) as caught:
        ingested(body, **options)
    error = caught.value
    return {fault.path: fault.message for fault in (error, *error.others)}


def of_messages(*messages: Any) -> dict[str, Any]:
    """A body that is nothing but messages."""
    return {"messages": list(messages)}


def result(content: Any, **fields: Any) -> dict[str, Any]:
    """A call and what its tool answered."""
    return of_messages(
        ASKED, CALLING, {"role": "tool", "tool_call_id": "c1", "content": content, **fields}
    )


@pytest.mark.parametrize("case", [*CASES, *MEANS], ids=lambda case: case.name)
def test_a_body_is_read_as_its_turn(case: Case) -> None:
    """Every spelling of a meaning gives the one turn."""
    assert case.turn == read(case.body)


def test_the_model_is_the_bodys() -> None:
    """Which binding the name stands for is not decided here."""
    assert ingest_request(b'{"model":"a","messages":[{"role":"user","content":"b"}]}').request == (
        TurnRequest("a", (UserMessage((Text("b"),)),), cache_marks="given")
    )


@pytest.mark.parametrize(
    ("fields", "shape"),
    [
        ({}, AnswerShape()),
        ({"stream": False, "stream_options": None}, AnswerShape()),
        ({"stream": True}, AnswerShape(stream=True)),
        (
            {"stream": True, "stream_options": {"include_usage": True}},
            AnswerShape(stream=True, include_usage=True),
        ),
        ({"stream": True, "stream_options": {"include_usage": False}}, AnswerShape(stream=True)),
    ],
)
def test_how_the_answer_is_wanted_is_kept_apart(fields: dict[str, Any], shape: AnswerShape) -> None:
    """Streaming and its usage chunk are the client's wishes, not the turn's."""
    found = ingested({"messages": [ASKED], **fields})
    assert shape == found.answer
    assert (ASK,) == found.request.items
    assert () == found.request.extensions


def test_other_stream_options_are_carried() -> None:
    """What only the vendor or another server does with a stream goes out again."""
    found = read(
        {
            "messages": [ASKED],
            "stream": True,
            "stream_options": {"include_obfuscation": False, "stream_tool_calls": True},
        }
    )
    assert (
        own("stream_options.include_obfuscation", False),
        own("stream_options.stream_tool_calls", True),
    ) == found.extensions


@pytest.mark.parametrize(
    ("fields", "path", "message"),
    [
        ({"n": 2}, "n", "not carried"),
        ({"n": True}, "n", "not carried"),
        ({"wombat": 1}, "wombat", "not a published field"),
        ({"a b": 1}, "", "not a published field"),
        ({"model": None}, "model", "is required"),
        ({"model": 1}, "model", "must be a string"),
        ({"messages": None}, "messages", "is required"),
        ({"messages": []}, "messages", "needs at least one message"),
        ({"messages": "hi"}, "messages", "must be a list"),
        ({"messages": ["hi"]}, "messages[0]", "must be an object"),
        ({"temperature": "1"}, "temperature", "must be a number"),
        ({"temperature": 3}, "temperature", "must be a number from 0 to 2"),
        ({"max_tokens": True}, "max_tokens", "must be an integer"),
        ({"max_tokens": 1.5}, "max_tokens", "must be an integer"),
        (
            {"max_tokens": 1, "max_completion_tokens": 2},
            "max_tokens",
            "contradicts max_completion_tokens",
        ),
        ({"stop": 1}, "stop", "must be a string or a list of strings"),
        ({"stop": ["a", 1]}, "stop[1]", "must be a string"),
        ({"metadata": {"a": 1}}, "metadata.a", "must be a string"),
        ({"reasoning_effort": "huge"}, "reasoning_effort", "not one of the published values"),
        ({"verbosity": "loud"}, "verbosity", "not one of the published values"),
        ({"stream": "yes"}, "stream", "must be true or false"),
        ({"stream_options": {"wombat": 1}}, "stream_options.wombat", "not a published field"),
        ({"response_format": {}}, "response_format.type", "is required"),
        ({"response_format": {"type": "xml"}}, "response_format.type", "not a published format"),
        (
            {"response_format": {"type": "json_schema", "json_schema": {}}},
            "response_format.json_schema.name",
            "is required",
        ),
        (
            {"response_format": {"type": "text", "a": 1}},
            "response_format.a",
            "not a published field",
        ),
        ({"tools": [1]}, "tools[0]", "must be an object"),
        ({"tools": [{}]}, "tools[0].type", "is required"),
        ({"tools": [{"type": "function"}]}, "tools[0].function", "is required"),
        ({"tools": [{"type": "wombat"}]}, "tools[0].type", "not a published tool"),
        (
            {"tools": [{"type": "function", "function": {"name": "f", "a": 1}}]},
            "tools[0].function.a",
            "not a published field",
        ),
        (
            {"tools": [{"type": "function", "function": {"name": "f", "parameters": []}}]},
            "tools[0].function.parameters",
            "must be an object",
        ),
        (
            {"tools": [{"type": "custom", "custom": {"name": "f", "format": {"type": "xml"}}}]},
            "tools[0].custom.format.type",
            "not one of the published values",
        ),
        ({"tool_choice": "maybe"}, "tool_choice", "not one of the published values"),
        ({"tool_choice": 1}, "tool_choice", "must be a string or an object"),
        ({"tool_choice": {"type": "tool"}}, "tool_choice.type", "not a published choice"),
        (
            {"tool_choice": {"type": "function", "function": {"name": "f"}}},
            "tool_choice",
            "chooses a tool that is not published",
        ),
    ],
)
def test_a_wrong_setting_is_refused_by_its_path(
    fields: dict[str, Any], path: str, message: str
) -> None:
    """The path names the place; a key that is no plain name is never quoted."""
    assert message == faults({"messages": [ASKED], **fields})[path]


@pytest.mark.parametrize(
    ("message", "path", "why"),
    [
        ({}, "role", "is required"),
        ({"role": 1}, "role", "must be a string"),
        ({"role": ["user"]}, "role", "must be a string"),
        ({"role": "robot", "content": "a"}, "role", "not a published role"),
        ({"role": "user"}, "content", "is required"),
        ({"role": "system", "content": None}, "content", "is required"),
        ({"role": "user", "content": 1}, "content", "must be a string or a list of parts"),
        ({"role": "user", "content": "a", "b": 1}, "b", "not a published field"),
        ({"role": "user", "content": "a", "refusal": "b"}, "refusal", "not a published field"),
        ({"role": "user", "content": ["a"]}, "content[0]", "must be an object"),
        ({"role": "user", "content": [{}]}, "content[0].type", "is required"),
        ({"role": "user", "content": [{"type": 1}]}, "content[0].type", "must be a string"),
        (
            {"role": "user", "content": [{"type": "refusal", "refusal": "a"}]},
            "content[0].type",
            "not a published part here",
        ),
        ({"role": "user", "content": [{"type": "text"}]}, "content[0].text", "is required"),
        (
            {"role": "user", "content": [{"type": "text", "text": "a", "b": 1}]},
            "content[0].b",
            "not a published field",
        ),
        (
            {"role": "user", "content": [{"type": "image_url"}]},
            "content[0].image_url",
            "is required",
        ),
        (
            {"role": "user", "content": [{"type": "image_url", "image_url": {"a": 1}}]},
            "content[0].image_url.url",
            "is required",
        ),
        (
            {"role": "user", "content": [{"type": "file", "file": {}}]},
            "content[0].file",
            "needs either file_data or file_id",
        ),
        (
            {
                "role": "user",
                "content": [{"type": "file", "file": {"file_data": "a", "file_id": "b"}}],
            },
            "content[0].file",
            "needs either file_data or file_id",
        ),
        (
            {"role": "user", "content": [{"type": "input_audio", "input_audio": {"data": "a"}}]},
            "content[0].input_audio.format",
            "is required",
        ),
        (
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "a", "prompt_cache_breakpoint": {"mode": "auto"}}
                ],
            },
            "content[0].prompt_cache_breakpoint.mode",
            "not one of the published values",
        ),
        ({"role": "assistant", "content": 1}, "content", "must be a string or a list of parts"),
        ({"role": "assistant", "tool_calls": {}}, "tool_calls", "must be a list"),
        ({"role": "assistant", "tool_calls": [1]}, "tool_calls[0]", "must be an object"),
        (
            {"role": "assistant", "tool_calls": [{**CALL, "type": "x"}]},
            "tool_calls[0].type",
            "not a published call",
        ),
        (
            {"role": "assistant", "tool_calls": [{**CALL, "id": ""}]},
            "tool_calls[0].id",
            "is empty",
        ),
        (
            {"role": "assistant", "tool_calls": [{**CALL, "function": {"name": "f"}}]},
            "tool_calls[0].function.arguments",
            "is required",
        ),
        (
            {"role": "assistant", "tool_calls": [{**CALL, "index": -1}]},
            "tool_calls[0].index",
            "must not be negative",
        ),
        (
            {"role": "assistant", "tool_calls": [{**CALL, "wombat": 1}]},
            "tool_calls[0].wombat",
            "not a published field",
        ),
        (
            {"role": "assistant", "content": "a", "reasoning_content": 1},
            "reasoning_content",
            "must be a string",
        ),
        ({"role": "tool", "content": "a"}, "tool_call_id", "is required"),
        ({"role": "tool", "tool_call_id": "x", "content": None}, "content", "is required"),
    ],
)
def test_a_wrong_message_is_refused_by_its_path(
    message: dict[str, Any], path: str, why: str
) -> None:
    """A message of a role takes what is published for that role and nothing else."""
    assert why == faults(of_messages(ASKED, message))[f"messages[1].{path}"]


def test_all_refusals_come_at_once() -> None:
    """An operator sees the whole list, in the order of reading."""
    found = faults({"messages": [{"role": "x"}], "n": 2, "wombat": 1, "stop": 1})
    assert ["stop", "n", "wombat", "messages[0].role"] == list(found)


def test_what_is_missing_is_refused_once() -> None:
    """Not again for everything that would have stood in it."""
    assert {"tools[0].function": "is required"} == faults(
        {"messages": [ASKED], "tools": [{"type": "function"}]}
    )
    call = {"id": "c1", "type": "custom"}
    assert {"messages[1].tool_calls[0].custom": "is required"} == faults(
        of_messages(ASKED, {"role": "assistant", "tool_calls": [call]})
    )


def test_what_is_unpublished_is_unsupported_and_what_is_wrong_is_invalid() -> None:
    """The code tells a program that may leave something out from one that is broken."""
    with pytest.raises(RequestRefused) as caught:
        ingested({"messages": [ASKED], "wombat": 1, "stop": 1})
    codes = {fault.path: fault.code for fault in (caught.value, *caught.value.others)}
    assert {
        "stop": RefusalCode.INVALID_REQUEST,
        "wombat": RefusalCode.UNSUPPORTED,
    } == codes


@pytest.mark.parametrize(
    ("raw", "path", "code"),
    [
        (b"[]", "", RefusalCode.INVALID_REQUEST),
        (b'{"model":"a","model":"b"}', "model", RefusalCode.INVALID_REQUEST),
        (b'{"model":"a","temperature":NaN}', "temperature", RefusalCode.INVALID_REQUEST),
        (
            b'{"model":"m","messages":[{"role":"user","content":"bad \\ud83d end"}]}',
            "messages[0].content",
            RefusalCode.INVALID_REQUEST,
        ),
        (b"{", "", RefusalCode.INVALID_REQUEST),
    ],
)
def test_a_body_that_is_no_json_object_is_refused(raw: bytes, path: str, code: RefusalCode) -> None:
    """Twice the same key, a number that is none, half a character: each by its place."""
    with pytest.raises(RequestRefused) as caught:
        ingest_request(raw)
    assert (path, code) == (caught.value.path, caught.value.code)


def test_limits_hold() -> None:
    """A body past a limit is refused as too large."""
    for limits in (Limits(request_bytes=10), Limits(items=0), Limits(result_bytes=1)):
        with pytest.raises(RequestRefused) as caught:
            ingested(result("long"), limits=limits)
        assert RefusalCode.TOO_LARGE is caught.value.code


@pytest.mark.parametrize(
    ("content", "parts", "failed"),
    [
        ('{"error":"no","ok":false}', (Text("no"),), True),
        ('{"error":"","ok":false}', (), True),
        ('{"error":["a","b"],"ok":false}', (Text("a"), Text("b")), True),
        ('{"error":[""],"ok":false}', (Text(""),), True),
        ('{"error":"no","ok":true}', None, None),
        ('{"error": "no", "ok": false}', None, None),
        ('{"ok":false,"error":"no"}', None, None),
        ('{"error":{"code":1},"ok":false}', None, None),
        ('{"error":["a"],"ok":false}', None, None),
        ('{"error":"no","ok":false} ', None, None),
    ],
)
def test_only_our_own_envelope_is_opened(
    content: str, parts: tuple[Text, ...] | None, failed: bool | None
) -> None:
    """Token for token: what a tool prints by itself stays its own."""
    expected = (Text(content),) if parts is None else parts
    found = read(result(content)).items[-1]
    assert ToolResult("c1", expected, failed) == found


def test_a_result_with_parts_begins_with_the_verdict() -> None:
    """The first text says that it failed; the rest is what it said."""
    parts = [{"type": "text", "text": '{"ok":false}'}, {"type": "text", "text": "a"}]
    assert ToolResult("c1", (Text("a"),), True) == read(result(parts)).items[-1]


def test_a_relay_for_foreign_programs_opens_no_envelope() -> None:
    """Without `envelopes` every text is the tool's own."""
    text = '{"error":"no","ok":false}'
    found = read(result(text), envelopes=False).items[-1]
    assert ToolResult("c1", (Text(text),)) == found


def test_words_between_a_call_and_its_result_are_refused_or_moved() -> None:
    """The wire wants results right after their calls."""
    told = {"role": "tool", "tool_call_id": "c1", "content": "r"}
    body = of_messages(ASKED, CALLING, {"role": "user", "content": "wait"}, told)
    assert {"messages[2]": "stands between a call and its result"} == faults(body)
    found = ingested(body, accept=("chat.text_before_result",))
    assert (Loss("chat.text_before_result", "messages[2]"),) == found.losses
    assert (ToolResult("c1", (Text("r"),)), UserMessage((Text("wait"),))) == (
        found.request.items[2:]
    )


def test_the_conversation_must_hold_together() -> None:
    """A result answers a call, a call is answered, ids are used once."""
    assert ["messages[1].tool_call_id"] == list(
        faults(of_messages(ASKED, {"role": "tool", "tool_call_id": "c9", "content": "r"}))
    )
    assert ["messages[1].tool_calls[0]"] == list(faults(of_messages(ASKED, CALLING)))
    twice = {**CALLING, "tool_calls": [CALL, CALL]}
    assert "messages[1].tool_calls[1].id" in faults(of_messages(ASKED, twice))


def test_sealed_state_arrives_unattributed() -> None:
    """Nobody has said yet whose it is."""
    details = [
        {"type": "reasoning.summary", "summary": "sum "},
        {"type": "reasoning.text", "text": "text", "signature": "c2ln"},
        {"type": "reasoning.encrypted", "data": "ZW5j"},
        "odd",
    ]
    call = {**CALL, "extra_content": {"google": {"thought_signature": "c2ln"}}}
    found = ingested(
        of_messages(
            ASKED,
            {"role": "assistant", "reasoning_details": details, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": "r"},
        )
    ).request
    sealed = Extension(Protocol.CHAT, "messages.tool_calls.extra_content", call["extra_content"])
    assert (
        ASK,
        UnattributedOpaque(Protocol.CHAT, {"reasoning_details": details}, "sum text"),
        ToolCall("c1", "f", "{}", extensions=(sealed,)),
        ToolResult("c1", (Text("r"),)),
    ) == found.items


def test_sealed_state_keeps_its_entries_to_the_byte() -> None:
    """Signed entries go back as the same array: key order, nulls and big integers stand."""
    raw = b'[{"type":"x","b":null,"a":123456789012345678901,"signature":"c2ln"}]'
    body = (
        b'{"model":"m","messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a",'
        b'"reasoning_details":' + raw + b'},{"role":"user","content":"n"}]}'
    )
    payload = ingest_request(body).request.items[1].payload  # type: ignore[union-attr]  # the second item is sealed
    assert b'{"reasoning_details":' + raw + b"}" == _json.dumps(payload)


def test_a_sealed_answer_without_words_is_sealed_state_alone() -> None:
    """No empty message is made up beside it."""
    found = read(of_messages(ASKED, {"role": "assistant", "content": "", "reasoning": "hm"}, ASKED))
    assert (ASK, Reasoning("hm", False, (own("messages.reasoning", True),)), ASK) == found.items


def test_call_arguments_are_kept_as_text() -> None:
    """Big integers, number spelling and even what is no JSON stand as the model wrote them."""
    for text in ('{"id": 2512292042121000001, "x": 1.10, "e": 1e2}', '{"t": NaN}', "not json"):
        call = {**CALL, "function": {"name": "f", "arguments": text}}
        body = of_messages(
            ASKED,
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": "r"},
        )
        assert text == read(body).items[1].arguments  # type: ignore[union-attr]  # the second item is the call


def test_citations_of_a_message_without_text_belong_to_the_message() -> None:
    """They are never lost for want of a text to hold them."""
    body = of_messages(
        ASKED, {"role": "assistant", "content": None, "annotations": [{"a": 1}]}, ASKED
    )
    assert AssistantMessage((), (own("messages.annotations", {"a": 1}),)) == read(body).items[1]


def test_every_part_of_a_run_of_messages_remembers_its_own() -> None:
    """The first item of a message that follows another one is marked, whatever it is."""
    body = of_messages(
        ASKED,
        {"role": "assistant", "content": "a"},
        {**CALLING, "reasoning_content": "hm"},
        {"role": "tool", "tool_call_id": "c1", "content": "r"},
    )
    apart = own("messages.apart", True)
    found = read(body).items
    assert [(), (apart, own("messages.reasoning_content", True)), ()] == [
        item.extensions for item in found[1:4]
    ]


def test_an_unknown_name_of_a_loss_is_a_mistake_of_the_caller() -> None:
    """It never accepts anything."""
    with pytest.raises(ValueError, match=r"chat\.nothing"):
        ingested(of_messages(ASKED), accept=("chat.nothing",))


def test_null_reads_as_absent_everywhere() -> None:
    """A published key with a null says nothing, at every depth."""
    part = {"type": "image_url", "image_url": {"url": "https://e.x/a.png", "detail": None}}
    body = {
        "messages": [
            {"role": "user", "content": [{**part, "prompt_cache_breakpoint": None}], "name": None}
        ],
        "stream_options": None,
        "response_format": None,
        "tool_choice": None,
        "guided_json": None,
    }
    bare = {**part, "image_url": {"url": "https://e.x/a.png"}}
    assert read(of_messages({"role": "user", "content": [bare]})) == read(body)


def test_the_turn_says_that_its_marks_are_all() -> None:
    """No automatic mark is added to what a client marked itself."""
    turn = read(of_messages(ASKED))
    assert turn != evolve(turn, cache_marks="auto")
    assert "given" == turn.cache_marks


@pytest.mark.parametrize("field", ["tool_choice", "response_format"])
@pytest.mark.parametrize("kind", ["", "wombat"])
def test_a_kind_that_nobody_publishes_is_refused(field: str, kind: str) -> None:
    """An empty word is as unknown as any other, and what stands beside it is never left out in silence."""
    found = faults({"messages": [ASKED], field: {"type": kind, "function": {"name": "f"}}})
    assert [f"{field}.type"] == list(found)


@pytest.mark.parametrize("field", ["tool_choice", "response_format"])
@pytest.mark.parametrize(
    ("kind", "why"), [(None, "is required"), (1, "must be a string")], ids=["null", "number"]
)
def test_a_kind_that_is_no_word_is_refused_once(field: str, kind: Any, why: str) -> None:
    """Null is absent, and it must be there."""
    assert {f"{field}.type": why} == faults({"messages": [ASKED], field: {"type": kind}})


def test_an_instruction_after_a_function_message_stays_there() -> None:
    """Nothing passes what is carried at its place."""
    legacy: dict[str, Any] = {"role": "function", "name": "f", "content": "r"}
    found = read(of_messages(legacy, {"role": "system", "content": "s"}, ASKED))
    assert () == found.instructions
    assert WireItem(Protocol.CHAT, legacy, role="result") == found.items[0]
    assert Instruction((Text("s"),)) == found.items[1]


def test_a_function_message_between_a_call_and_its_result_is_refused() -> None:
    """As any other message there."""
    legacy: dict[str, Any] = {"role": "function", "name": "f", "content": "r"}
    tool = {"role": "tool", "tool_call_id": "c1", "content": "x"}
    body = of_messages(ASKED, CALLING, legacy, tool)
    assert ["messages[2]"] == list(faults(body))
    moved = ingested(body, accept={"chat.text_before_result"})
    assert (Loss("chat.text_before_result", "messages[2]"),) == moved.losses
    assert WireItem(Protocol.CHAT, legacy, role="result") == moved.request.items[-1]
