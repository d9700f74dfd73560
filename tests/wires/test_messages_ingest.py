"""Messages bodies as turns."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve

from llm_projections import _json
from llm_projections.errors import RefusalCode, RequestRefused
from llm_projections.messages import (
    encode_request,
    ingest_count_tokens,
    ingest_request,
)
from llm_projections.model.items import (
    Instruction,
    Text,
    ToolCall,
    ToolResult,
    UnattributedOpaque,
    UserMessage,
    WireItem,
)
from llm_projections.model.limits import Limits
from llm_projections.model.results import AnswerShape, Ingested
from llm_projections.model.tools import FunctionTool
from llm_projections.model.turn import Thinking
from tests.cases.messages import (
    ASKED,
    BINDING,
    CASES,
    HOME,
    MEANS,
    PUBLISHED,
    REDACTED,
    SCHEMA,
    SIGNED,
    WIRE,
    Case,
    body,
    own,
)
from tests.everything import MODEL

PINNED = {"model": "m", "max_tokens": 64_000}
CALL: dict[str, Any] = {"type": "tool_use", "id": "t1", "name": "look", "input": {}}


def read(fields: dict[str, Any], **options: Any) -> Ingested:
    """A body, with what every body says unless it says so itself."""
    return ingest_request(_json.dumps({**PINNED, **fields}), **options)


def bound(ingested: Ingested) -> Any:
    """The turn as its operator binds it."""
    return evolve(ingested.request.bind_unattributed(HOME), model=MODEL)


def refused(fields: dict[str, Any], **options: Any) -> dict[str, str]:
    """Every path that is refused, and why."""
    with pytest.raises(RequestRefused) as caught:
        read(fields, **options)
    return {error.path: error.message for error in (caught.value, *caught.value.others)}


def spoken(*blocks: Any) -> dict[str, Any]:
    """A body with one assistant message of these blocks."""
    return body(ASKED, {"role": "assistant", "content": list(blocks)})


def asked(*blocks: Any) -> dict[str, Any]:
    """A body with one user message of these blocks."""
    return body({"role": "user", "content": list(blocks)})


@pytest.mark.parametrize("case", [*CASES, *MEANS], ids=lambda case: case.name)
def test_a_body_is_read_as_its_turn(case: Case) -> None:
    """The turn says what the body says; marks are as given, sealed state is nobody's yet."""
    ingested = read(case.body)
    limit = case.turn.max_output_tokens or 64_000
    assert evolve(case.turn, max_output_tokens=limit) == bound(ingested)
    assert () == ingested.losses


@pytest.mark.parametrize("case", [*CASES, *MEANS], ids=lambda case: case.name)
def test_spaces_and_escapes_say_nothing(case: Case) -> None:
    """The same body as another writer spells it is the same turn."""
    plain = _json.dumps({**PINNED, **case.body})
    gaps = plain.replace(b',"', b' ,\n "').replace(b"Hello", b"\\u0048ello")
    assert bound(ingest_request(plain)) == bound(ingest_request(gaps))


@pytest.mark.parametrize("case", [*CASES, *MEANS], ids=lambda case: case.name)
def test_a_second_round_changes_nothing(case: Case) -> None:
    """What was read once is written so that it is read and written the same again."""
    first = encode_request(bound(read(case.body)), BINDING)
    again = bound(ingest_request(first))
    assert bound(read(case.body)) == again
    assert first == encode_request(again, BINDING)


def test_other_spellings_are_never_written() -> None:
    """Each has its canonical one."""
    for case in MEANS:
        written = _json.loads(encode_request(bound(read(case.body)), BINDING))
        assert isinstance(written, dict)
        assert {**written, **case.body} != written, case.name


def test_sealed_state_arrives_unattributed() -> None:
    """It is not sendable until the operator binds it."""
    items = read(spoken(SIGNED, REDACTED)).request.items
    assert (
        UnattributedOpaque(WIRE, SIGNED, "plan"),
        UnattributedOpaque(WIRE, REDACTED, None),
    ) == items[1:]


def test_how_the_client_wants_its_answer() -> None:
    """Streamed or whole, and how much of the thinking is shown."""
    assert AnswerShape() == read(body()).answer
    assert AnswerShape(stream=True) == read(body(stream=True)).answer
    shown = read(body(stream=False, thinking={"type": "adaptive", "display": "omitted"}))
    assert AnswerShape(reasoning_display="omitted") == shown.answer


def test_text_before_a_result_keeps_its_place() -> None:
    """Reading reorders nothing."""
    ingested = read(
        body(
            ASKED,
            {"role": "assistant", "content": [CALL, {**CALL, "id": "t2"}]},
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "a"},
                    {"type": "tool_result", "tool_use_id": "t1", "content": "1"},
                    {"type": "text", "text": "b"},
                    {"type": "tool_result", "tool_use_id": "t2", "content": "2"},
                ],
            },
        )
    )
    assert (
        UserMessage((Text("a"),)),
        ToolResult("t1", (Text("1"),)),
        UserMessage((Text("b"),)),
        ToolResult("t2", (Text("2"),)),
    ) == ingested.request.items[3:]


# arguments


@pytest.mark.parametrize(
    ("given", "arguments"),
    [
        ('{ "b" : 1 , "a" : " x " }', '{"b":1,"a":" x "}'),
        (
            '{"id": 2512292042121000001, "x": 1.10, "e": 1e2}',
            '{"id":2512292042121000001,"x":1.10,"e":1e2}',
        ),
        ('{"n": 123456789012345678901234567890}', '{"n":123456789012345678901234567890}'),
        ('{"a": 1, "a": 2}', '{"a":1,"a":2}'),
        ('{"n": 1e400}', '{"n":1e400}'),
    ],
)
def test_arguments_are_the_text_that_was_sent(given: str, arguments: str) -> None:
    """Tokens as the model wrote them, whatever a value of Python would make of them."""
    call = f'{{"type":"tool_use","id":"t1","name":"f","input":{given}}}'
    result = '{"type":"tool_result","tool_use_id":"t1","content":"r"}'
    data = (
        '{"model":"m","max_tokens":9,"messages":['
        f'{{"role":"assistant","content":[{call}]}},{{"role":"user","content":[{result}]}}]}}'
    )
    assert ToolCall("t1", "f", arguments) == ingest_request(data.encode()).request.items[0]


def test_the_input_of_a_hosted_call_keeps_its_tokens_too() -> None:
    """It is carried whole: also what a value would lose."""
    data = (
        b'{"model":"m","max_tokens":9,"messages":[{"role":"assistant","content":[{"type":'
        b'"server_tool_use","id":"s","name":"n","input":{"a": 1, "a": 2.50}}]}]}'
    )
    ingested = ingest_request(data)
    (item,) = ingested.request.items
    assert isinstance(item, WireItem)
    assert b'"input":{"a":1,"a":2.50}' in encode_request(bound(ingested), BINDING)


def test_duplicate_keys_elsewhere_are_refused_by_path() -> None:
    """Nobody can say which of two was meant."""
    data = b'{"model":"m","max_tokens":9,"messages":[],"thinking":{"type":"adaptive","type":"enabled"}}'
    with pytest.raises(RequestRefused) as caught:
        ingest_request(data)
    assert "thinking.type" == caught.value.path


# refusals


@pytest.mark.parametrize(
    ("fields", "paths"),
    [
        ({"foo": 1}, ["foo"]),
        ({"seed": 1, "n": 1}, ["seed", "n"]),
        ({"max_tokens": None}, ["max_tokens"]),
        ({"max_tokens": "9"}, ["max_tokens"]),
        ({"max_tokens": True}, ["max_tokens"]),
        ({"max_tokens": 0}, ["max_tokens"]),
        ({"model": None}, ["model"]),
        ({"model": 1}, ["model"]),
        ({"messages": None}, ["messages"]),
        ({"messages": {}}, ["messages"]),
        ({"messages": ["x"]}, ["messages[0]"]),
        ({"temperature": "1"}, ["temperature"]),
        ({"temperature": True}, ["temperature"]),
        ({"top_k": 1.5}, ["top_k"]),
        ({"stop_sequences": "x"}, ["stop_sequences"]),
        ({"stop_sequences": [1]}, ["stop_sequences[0]"]),
        ({"stream": "yes"}, ["stream"]),
        ({"service_tier": "flex"}, ["service_tier"]),
        ({"metadata": {"user_id": 1}}, ["metadata.user_id"]),
        ({"metadata": {"user_id": "u", "team": "t"}}, ["metadata.team"]),
        ({"thinking": {}}, ["thinking.type"]),
        ({"thinking": {"type": "deep"}}, ["thinking.type"]),
        ({"thinking": {"type": "adaptive", "budget_tokens": 1}}, ["thinking.budget_tokens"]),
        ({"thinking": {"type": "enabled", "budget_tokens": 0}}, ["thinking.budget_tokens"]),
        ({"thinking": {"type": "disabled", "display": "omitted"}}, ["thinking.display"]),
        ({"thinking": {"type": "adaptive", "display": "all"}}, ["thinking.display"]),
        ({"thinking": {"type": "adaptive", "keep": "all"}}, ["thinking.keep"]),
        ({"output_config": {"effort": "minimal"}}, ["output_config.effort"]),
        ({"output_config": {"style": 1}}, ["output_config.style"]),
        (
            {"output_config": {"format": {"type": "json_object"}}},
            ["output_config.format.type", "output_config.format.schema"],
        ),
        (
            {"output_config": {"format": {"type": "json_schema", "schema": {}, "name": "n"}}},
            ["output_config.format.name"],
        ),
        (
            {
                "output_config": {"format": {"type": "json_schema", "schema": {"a": 1}}},
                "output_format": {"type": "json_schema", "schema": {}},
            },
            ["output_format"],
        ),
        ({"tool_choice": "auto"}, ["tool_choice"]),
        ({"tool_choice": {"type": "required"}}, ["tool_choice.type"]),
        ({"tool_choice": {"type": "tool"}}, ["tool_choice.name"]),
        ({"tool_choice": {"type": "tool", "name": "x"}}, ["tool_choice"]),
        ({"tool_choice": {"type": "any", "name": "x"}}, ["tool_choice.name"]),
        (
            {"tool_choice": {"type": "none", "disable_parallel_tool_use": True}},
            ["tool_choice.disable_parallel_tool_use"],
        ),
        (
            {"tool_choice": {"type": "auto", "disable_parallel_tool_use": True}},
            ["tool_choice.disable_parallel_tool_use"],
        ),
        ({"tools": {}}, ["tools"]),
        ({"tools": [1]}, ["tools[0]"]),
        ({"tools": [{"name": "f"}]}, ["tools[0].input_schema"]),
        ({"tools": [{"input_schema": {}}]}, ["tools[0].name"]),
        ({"tools": [{**PUBLISHED, "parameters": {}}]}, ["tools[0].parameters"]),
        ({"tools": [PUBLISHED, PUBLISHED]}, ["tools[1].name"]),
        ({"tools": [{"type": "teleport_20990101", "name": "t"}]}, ["tools[0].type"]),
        ({"tools": [{"type": 1, "name": "t"}]}, ["tools[0].type"]),
        ({"tools": [{"type": "function", "function": {}}]}, ["tools[0].type"]),
        (
            {"tools": [{**PUBLISHED, "cache_control": {"type": "forever"}}]},
            ["tools[0].cache_control.type"],
        ),
        (
            {"tools": [{**PUBLISHED, "cache_control": {"type": "ephemeral", "ttl": "2h", "x": 1}}]},
            ["tools[0].cache_control.x", "tools[0].cache_control.ttl"],
        ),
        ({"system": 1}, ["system"]),
        ({"system": ["x"]}, ["system[0]"]),
        ({"system": [{"type": "image", "source": {}}]}, ["system[0].type"]),
        ({"system": [{"type": "text"}]}, ["system[0].text"]),
        ({"system": [{"type": "text", "text": "a", "b": 1}]}, ["system[0].b"]),
        (body({"role": "tool", "content": "x"}), ["messages[0].role"]),
        (body({"content": "x"}), ["messages[0].role"]),
        (body({"role": "user"}), ["messages[0].content"]),
        (body({"role": "user", "content": "x", "name": "n"}), ["messages[0].name"]),
        (
            body({"role": "user", "content": "x", "output_config": {}}),
            ["messages[0].output_config"],
        ),
        (
            body(ASKED, {"role": "system", "content": [{"type": "document"}]}),
            ["messages[1].content[0].type"],
        ),
        (asked("x"), ["messages[0].content[0]"]),
        (asked({"text": "x"}), ["messages[0].content[0].type"]),
        (asked({"type": "text", "text": 1}), ["messages[0].content[0].text"]),
        (asked({"type": "text", "text": "a", "foo": 1}), ["messages[0].content[0].foo"]),
        (
            asked({"type": "text", "text": "a", "citations": ["c"]}),
            ["messages[0].content[0].citations[0]"],
        ),
        (asked({"type": "hologram"}), ["messages[0].content[0].type"]),
        (asked({"type": ["text"]}), ["messages[0].content[0].type"]),
        (asked(SIGNED), ["messages[0].content[0].type"]),
        (asked(CALL), ["messages[0].content[0].type"]),
        (asked({"type": "compaction"}), ["messages[0].content[0]"]),
        (asked({"type": "image"}), ["messages[0].content[0].source"]),
        (
            asked({"type": "image", "source": {"type": "s3"}}),
            ["messages[0].content[0].source.type"],
        ),
        (
            asked(
                {
                    "type": "image",
                    "source": {"type": "base64", "media_type": "image/bmp", "data": "Qk0="},
                }
            ),
            ["messages[0].content[0].source.media_type"],
        ),
        (
            asked({"type": "image", "source": {"type": "base64", "url": "u"}}),
            [
                "messages[0].content[0].source.url",
                "messages[0].content[0].source.media_type",
                "messages[0].content[0].source.data",
            ],
        ),
        (
            asked(
                {
                    "type": "document",
                    "source": {"type": "base64", "media_type": "text/csv", "data": ""},
                }
            ),
            ["messages[0].content[0].source.media_type"],
        ),
        (
            asked({"type": "document", "source": {"type": "url", "url": "u"}, "pages": 1}),
            ["messages[0].content[0].pages"],
        ),
        (
            asked({"type": "tool_result", "tool_use_id": "t1"}),
            ["messages[0].content[0].tool_use_id"],
        ),
        (asked({"type": "tool_result"}), ["messages[0].content[0].tool_use_id"]),
        (
            asked({"type": "tool_result", "tool_use_id": "t", "is_error": 1, "content": 1, "x": 1}),
            [
                "messages[0].content[0].content",
                "messages[0].content[0].is_error",
                "messages[0].content[0].x",
            ],
        ),
        (
            asked({"type": "tool_result", "tool_use_id": "t", "content": [{"type": "thinking"}]}),
            ["messages[0].content[0].content[0].type"],
        ),
        (spoken("x"), ["messages[1].content[0]"]),
        (spoken({"type": "tool_result", "tool_use_id": "t"}), ["messages[1].content[0].type"]),
        (
            spoken({"type": "tool_use", "name": "f", "input": "{}", "foo": 1}),
            [
                "messages[1].content[0].foo",
                "messages[1].content[0].input",
                "messages[1].content[0].id",
            ],
        ),
        (spoken(CALL), ["messages[1].content[0]"]),
        (spoken({"type": "thinking", "signature": "c2ln"}), ["messages[1].content[0].thinking"]),
        (
            spoken({"type": "thinking", "thinking": "a", "extra": 1}),
            ["messages[1].content[0].extra"],
        ),
        (
            spoken({**SIGNED, "cache_control": {"type": "ephemeral"}}),
            ["messages[1].content[0].cache_control"],
        ),
        (
            spoken({**REDACTED, "cache_control": {"type": "ephemeral"}}),
            ["messages[1].content[0].cache_control"],
        ),
        (spoken({"type": "redacted_thinking"}), ["messages[1].content[0].data"]),
        ({"weird key": 1}, [""]),
    ],
    ids=str,
)
def test_what_is_not_carried_is_refused_by_its_path(
    fields: dict[str, Any], paths: list[str]
) -> None:
    """All of it at once; a name is quoted only where it is a plain one."""
    assert sorted(paths) == sorted(refused({**body(), **fields}))


@pytest.mark.parametrize(
    "fields",
    [
        {"thinking": {"type": "disabled", "budget_tokens": None, "display": None}},
        {"thinking": {"type": "adaptive", "budget_tokens": None, "block_binding": None}},
        {"tool_choice": {"type": "auto", "name": None, "disable_parallel_tool_use": None}},
    ],
)
def test_null_under_the_key_of_another_form_reads_as_absent(fields: dict[str, Any]) -> None:
    """Typed clients write every key of a union; a key that no form has stays unknown."""
    bare = {
        name: {key: value for key, value in node.items() if value is not None}
        for name, node in fields.items()
    }
    assert read({"messages": [ASKED], **bare}) == read({"messages": [ASKED], **fields})
    name, node = next(iter(fields.items()))
    odd = {"messages": [ASKED], name: {**node, "odd": None}}
    assert {f"{name}.odd": "not a published field"} == refused(odd)


def test_thinking_of_no_kind_is_refused() -> None:
    """Null is no kind either: nothing of what is asked beside it is passed over."""
    for kind in ({}, {"type": None}):
        told = refused({"messages": [ASKED], "thinking": {**kind, "budget_tokens": 5}})
        assert {"thinking.type": "is required"} == told


def test_no_value_is_ever_quoted() -> None:
    """What a client wrote stays out of what a refusal says."""
    secret = "sk-secret-value"
    for fields in (
        {"service_tier": secret},
        {"thinking": {"type": secret}},
        {"tools": [{"type": secret, "name": secret}]},
        asked({"type": secret}),
    ):
        with pytest.raises(RequestRefused) as caught:
            read({**body(), **fields})
        assert secret not in f"{caught.value!r} {caught.value} {caught.value.others}"


@pytest.mark.parametrize(
    "block",
    [
        {"type": "text", "text": "a"},
        {"type": "image", "source": {"type": "url", "url": "u"}},
        {"type": "document", "source": {"type": "url", "url": "u"}},
        {"type": "search_result", "source": "s", "title": "t", "content": []},
    ],
    ids=lambda block: str(block["type"]),
)
def test_a_fifth_cache_mark_is_refused(block: dict[str, Any]) -> None:
    """Four are the vendor's limit, over the whole request."""
    mark = {"cache_control": {"type": "ephemeral"}}
    five = [{**block, **mark} for _ in range(5)]
    assert ["messages[0].content[4].cache_control"] == list(refused(asked(*five)))
    assert ["messages[0].content[3].cache_control"] == list(refused({**asked(*five[:4]), **mark}))
    (message,) = read(asked(*five[:4])).request.items
    assert isinstance(message, UserMessage)
    assert 4 == len(message.content)


def test_a_body_that_is_no_json_object_is_refused() -> None:
    """Nothing else leaves the reader."""
    for data in (b"", b"[]", b"{", b"\xff", b'{"a":NaN}', b'"x"', b"null"):
        with pytest.raises(RequestRefused) as caught:
            ingest_request(data)
        assert RefusalCode.INVALID_REQUEST is caught.value.code


def test_a_lone_surrogate_is_refused_by_path_and_a_pair_is_a_character() -> None:
    """JSON escapes hide it from those that only parse."""
    data = '{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"%s"}]}'
    with pytest.raises(RequestRefused) as caught:
        ingest_request((data % "bad \\ud83d end").encode())
    assert "messages[0].content" == caught.value.path
    pair = ingest_request((data % "\\ud83d\\ude00").encode()).request.items
    assert (UserMessage((Text("\U0001f600"),)),) == pair


def test_limits_hold() -> None:
    """Past one, the request is too large."""
    for limits in (
        Limits(request_bytes=10),
        Limits(json_depth=2),
        Limits(items=1),
        Limits(tools=1),
        Limits(instructions_bytes=1),
    ):
        fields = body(ASKED, ASKED, tools=[PUBLISHED, {**PUBLISHED, "name": "g"}], system="two")
        with pytest.raises(RequestRefused) as caught:
            read(fields, limits=limits)
        assert RefusalCode.TOO_LARGE is caught.value.code


# versions, headers, flavours


def test_both_versions_are_read_and_no_other() -> None:
    """2023-06-01 has sampling, 2026-10-21 has none."""
    sampled = body(temperature=0.5, top_p=0.5, top_k=5)
    for version in ("2023-06-01", "2026-10-21"):
        read(body(), headers=[("Anthropic-Version", version)])
    read(sampled, headers=[("anthropic-version", "2023-06-01")])
    newer = refused(sampled, headers=[("anthropic-version", "2026-10-21")])
    assert ["temperature", "top_p", "top_k"] == list(newer)
    assert ["header.anthropic-version"] == list(
        refused(body(), headers=[("anthropic-version", "2019-01-01")])
    )


def test_only_listed_headers_are_part_of_a_request() -> None:
    """Beta names, user profile and workspace are carried; transport and credentials are not."""
    headers = [
        ("X-Api-Key", "secret"),
        ("authorization", "Bearer secret"),
        ("user-agent", "claude-cli/2"),
        ("x-stainless-lang", "js"),
        ("Anthropic-Beta", "a-1,b-2"),
        ("anthropic-beta", "c-3"),
        ("anthropic-workspace-id", "w"),
    ]
    assert (
        own("header.anthropic-beta", "a-1,b-2,c-3"),
        own("header.anthropic-workspace-id", "w"),
    ) == read(body(), headers=headers).request.extensions


def test_bedrock_and_vertex_bodies_need_no_model() -> None:
    """Their version in the body tells them; beta names stand there too."""
    flavour = {
        "anthropic_version": "vertex-2023-10-16",
        "anthropic_beta": ["context-management-2025-06-27"],
    }
    request = read({**body(), **flavour, "model": None}).request
    assert "" == request.model
    assert tuple(own(key, value) for key, value in flavour.items()) == request.extensions


def test_a_body_like_that_of_claude_code_passes_whole() -> None:
    """A changing billing line first, marks, reminders in place with their effort, betas, adaptive thinking."""
    fields = {
        "model": "claude-x",
        "max_tokens": 32_000,
        "stream": True,
        "system": [
            {"type": "text", "text": "x-anthropic-billing-header: cc_version=2; cch=36ee5;"},
            {"type": "text", "text": "You are an agent.", "cache_control": {"type": "ephemeral"}},
        ],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "hi"}]},
            {"role": "system", "content": "Agents: x", "output_config": {"effort": "medium"}},
            {"role": "assistant", "content": [SIGNED, {**CALL, "input": {"command": "ls"}}]},
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "t1",
                        "content": "a\nb",
                        "is_error": False,
                        "cache_control": {"type": "ephemeral"},
                    }
                ],
            },
        ],
        "tools": [{"name": "Bash", "input_schema": SCHEMA, "defer_loading": True}],
        "metadata": {"user_id": '{"device_id":"d","session_id":"s"}'},
        "thinking": {"type": "adaptive", "display": "omitted"},
        "context_management": {"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]},
        "output_config": {"effort": "medium"},
    }
    ingested = ingest_request(
        _json.dumps(fields), headers=[("anthropic-beta", "effort-2025-11-24")]
    )
    assert 2 == len(ingested.request.instructions)
    assert Thinking("medium", mode="adaptive", display="omitted") == ingested.request.thinking
    assert isinstance(ingested.request.items[1], Instruction)
    written = _json.loads(encode_request(bound(ingested), BINDING))
    messages = [{**fields["messages"][0], "content": "hi"}, *fields["messages"][1:]]
    assert {**fields, "model": "upstream-model", "messages": messages} == written


# counting


def test_a_request_to_count_tokens_has_no_limit() -> None:
    """Its fields are those of a request without limits, sampling and stream."""
    fields = {"model": "m", **body(system="s", tools=[PUBLISHED], speed="fast")}
    request = ingest_count_tokens(_json.dumps(fields)).request
    assert None is request.max_output_tokens
    assert (own("speed", "fast"),) == request.extensions
    (tool,) = request.tools
    assert isinstance(tool, FunctionTool)
    assert "look" == tool.name
    for key, value in (("max_tokens", 9), ("stream", True), ("temperature", 1), ("metadata", {})):
        with pytest.raises(RequestRefused) as caught:
            ingest_count_tokens(_json.dumps({**fields, key: value}))
        assert key == caught.value.path
