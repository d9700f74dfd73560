"""What stands around a Messages request, what is refused in one, its limits, and requests to count tokens."""

from typing import Any

from llm_projections.model.items import Text, UserMessage
from llm_projections.model.turn import TurnRequest
from tests.conformance.declared import (
    Declared,
    answer_kind,
    headers,
    ingest,
    ingest_count,
    project,
    url,
    write_count,
)
from tests.conformance.messages_fields import LOOK, asked, body
from tests.conformance.messages_parts import CALLING, CITATION, HELLO, PDF, PNG, RESULT

__all__ = ["CASES"]

_TURN = TurnRequest("caller-model", (UserMessage((Text("Hello"),)),), cache_marks="given")
_BEARER = {"base": "messages", "auth": {"kind": "Bearer"}}
_KEY = {"base": "messages", "auth": {"kind": "ApiKey", "header": "x-api-key"}}
_JSON = [["content-type", "application/json"]]
_STREAM = [["content-type", "text/event-stream; charset=utf-8"]]
_MARK = {"cache_control": {"type": "ephemeral"}}
_SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}}


def _user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def _said(*blocks: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


_AROUND = [
    url("messages", "plain", "The base, then the wire's path.", "messages"),
    url(
        "messages",
        "query",
        "The query of the dialect comes last.",
        {"base": "messages", "dialect": {"query": "beta=true"}},
    ),
    url(
        "messages",
        "no-slash",
        "A base URL ends in a slash.",
        {"base": "messages", "base_url": "https://upstream.example/v1"},
    ),
    headers("messages", "anonymous", "Nobody asks: no credential goes out; the version does."),
    headers(
        "messages",
        "newer-version",
        "The version that the dialect declares.",
        binding={"base": "messages", "dialect": {"version": "2026-10-21"}},
    ),
    headers("messages", "api-key", "A key in its header.", binding=_KEY, credential="secret"),
    headers("messages", "bearer", "A bearer's token.", binding=_BEARER, credential="secret"),
    headers("messages", "no-credential", "A credential that is missing.", binding=_KEY),
    headers(
        "messages", "empty-credential", "An empty one is none.", binding=_BEARER, credential=""
    ),
    headers("messages", "credential-unasked", "One that nobody asked for.", credential="secret"),
    headers(
        "messages",
        "two-lines",
        "One that would end its line.",
        binding=_KEY,
        credential="a\r\nb: c",
    ),
    headers("messages", "whole", "An answer in one body is never asked for.", streamed=False),
    headers(
        "messages",
        "conversation",
        "An identity of the conversation has no place on this wire.",
        conversation={"id": "conv_1"},
    ),
    answer_kind("messages", "stream", "What was asked for.", 200, headers=_STREAM),
    answer_kind("messages", "unnamed", "Without a type it is what was asked for.", 200),
    answer_kind("messages", "whole", "A body where a stream was asked.", 200, headers=_JSON),
    answer_kind(
        "messages",
        "whole-by-dialect",
        "Unless the dialect says that this server answers so.",
        200,
        headers=_JSON,
        binding={"base": "messages", "dialect": {"answers_whole": True}},
    ),
    answer_kind(
        "messages",
        "page",
        "A page is no answer.",
        200,
        headers=[["Content-Type", "text/html"]],
    ),
    answer_kind(
        "messages", "error", "A status of failure, whatever the type.", 529, headers=_STREAM
    ),
]


def _refused(slug: str, about: str, value: Any, **more: Any) -> Declared:
    return ingest("messages", f"refused-{slug}", about, value, **more)


_REFUSED = [
    _refused(
        "many",
        "Every fault of form is told at once: first the settings, then the messages.",
        body(
            _user({"type": "text", "text": 7}),
            {"role": "wizard", "content": "Hello"},
            stop_sequences=[1],
        ),
    ),
    _refused(
        "blocks-of-other-roles",
        "Blocks that another role says.",
        body(
            _user(
                {"type": "thinking", "thinking": "plan", "signature": "c2ln"},
                {"type": "redacted_thinking", "data": "RW9w"},
                {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}},
            ),
            _said(RESULT),
            {"role": "system", "content": [PNG]},
        ),
    ),
    _refused(
        "compaction-of-a-user",
        "A compaction is said by an assistant.",
        body(_user({"type": "compaction", "content": "so far"})),
    ),
    _refused("system-image", "A system prompt holds texts.", asked(system=[PNG])),
    _refused("no-model", "No model.", {"max_tokens": 9, "messages": [HELLO]}),
    _refused("no-limit", "No output limit.", {"model": "m", "messages": [HELLO]}),
    _refused("model", "A model that is a number.", {**asked(), "model": 7}),
    _refused("zero-limit", "A limit of nothing.", {**asked(), "max_tokens": 0}),
    _refused("stream-text", "A flag that is text.", asked(stream="yes")),
    _refused("not-an-object", "A body that is no object.", b"[]"),
    _refused("not-a-number", "A number that is none.", b'{"model":"m","max_tokens":NaN}'),
    _refused(
        "ranges",
        "Sampling out of its range.",
        asked(temperature=3, top_p=0),
    ),
    _refused("top-k", "A count that is text.", asked(top_k="5")),
    _refused("effort", "An effort that nobody published.", asked(output_config={"effort": "none"})),
    _refused(
        "formats",
        "Two formats that contradict each other.",
        asked(
            output_format={"type": "json_schema", "schema": {}},
            output_config={"format": {"type": "json_schema", "schema": _SCHEMA}},
        ),
    ),
    _refused(
        "format",
        "A format that nobody published.",
        asked(output_config={"format": {"type": "json_object"}}),
    ),
    _refused(
        "thinking", "Thinking of a kind that nobody published.", asked(thinking={"type": "on"})
    ),
    _refused("thinking-bare", "Thinking that does not say how.", asked(thinking={})),
    _refused(
        "thinking-fields",
        "A budget where thinking adapts, and a display that nobody published.",
        asked(thinking={"type": "adaptive", "budget_tokens": 2048, "display": "bold"}),
    ),
    _refused(
        "thinking-budget",
        "A budget of nothing.",
        asked(thinking={"type": "enabled", "budget_tokens": 0}),
    ),
    _refused("tier", "A tier that nobody published.", asked(service_tier="flex")),
    _refused(
        "choice",
        "A choice of a tool that nobody published.",
        asked(tools=[LOOK], tool_choice={"type": "tool", "name": "see"}),
    ),
    _refused("choice-kind", "A choice that nobody published.", asked(tool_choice={"type": "some"})),
    _refused(
        "serial-without-tools",
        "One call at a time, and there is no tool.",
        asked(tool_choice={"type": "auto", "disable_parallel_tool_use": True}),
    ),
    _refused("tool", "A tool that nobody published.", asked(tools=[{"type": "wombat_20260101"}])),
    _refused(
        "tool-fields",
        "Unknown fields of a tool, and one whose name cannot be said: its parent is told.",
        asked(tools=[{**LOOK, "wombat": 1, "bad key": 2}]),
    ),
    _refused("tool-without-schema", "A tool without its schema.", asked(tools=[{"name": "look"}])),
    _refused(
        "results",
        "A result that answers no call, beside one that does.",
        body(HELLO, CALLING, _user({**RESULT, "tool_use_id": "toolu_2"}, RESULT)),
    ),
    _refused(
        "call",
        "A call without its id and name, and one without its input.",
        body(
            HELLO,
            _said(
                {"type": "tool_use", "input": {}},
                {"type": "tool_use", "id": "toolu_1", "name": "look"},
            ),
        ),
    ),
    _refused(
        "sources",
        "Sources that nobody published, of another kind, and incomplete.",
        body(
            _user(
                {"type": "image", "source": {"type": "disk", "path": "/a"}},
                {"type": "image", "source": {**PNG["source"], "media_type": "image/bmp"}},
                {
                    "type": "image",
                    "source": {"type": "text", "media_type": "text/plain", "data": "a"},
                },
                {"type": "document", "source": {"type": "url"}},
                {"type": "document"},
            )
        ),
    ),
    _refused(
        "marks",
        "A mark of another kind, one with another time, and a field of it that nobody published.",
        body(
            _user(
                {"type": "text", "text": "a", "cache_control": {"type": "eternal"}},
                {"type": "text", "text": "b", "cache_control": {"type": "ephemeral", "ttl": "2h"}},
                {"type": "text", "text": "c", "cache_control": {"type": "ephemeral", "wombat": 1}},
            )
        ),
    ),
    _refused(
        "fifth-mark",
        "A fifth mark, the one of the request counted.",
        body(_user(*({"type": "text", "text": text, **_MARK} for text in "abcd")), **_MARK),
    ),
    _refused(
        "mark-on-redacted",
        "A mark on redacted thinking.",
        body(HELLO, _said({"type": "redacted_thinking", "data": "RW9w", **_MARK})),
    ),
    _refused(
        "citations",
        "Citations that are no list, and one that is no object.",
        body(
            _user(
                {"type": "text", "text": "a", "citations": CITATION},
                {"type": "text", "text": "b", "citations": [7]},
            )
        ),
    ),
    _refused(
        "metadata", "Metadata of the caller's own.", asked(metadata={"user_id": "u", "team": "a"})
    ),
    _refused("no-content", "A message without content.", body({"role": "user"})),
    _refused("message", "A message that is text.", body("Hello")),
    ingest("messages", "stream", "An answer in events is asked for.", asked(stream=True)),
    ingest(
        "messages",
        "display",
        "How a client wants its thinking shown is said to the answer too.",
        asked(stream=True, thinking={"type": "adaptive", "display": "omitted"}),
    ),
    ingest(
        "messages",
        "accepted-unknown",
        "Leave to lose a name never lets an unknown field pass.",
        asked(wombat=1),
        accept=("messages.speed",),
    ),
    ingest(
        "messages",
        "choice-of-nothing",
        "A tool must be called, and there is none: that is for the server to judge.",
        asked(tool_choice={"type": "any"}),
    ),
    ingest(
        "messages",
        "settings-of-null",
        "Null is absent.",
        asked(
            temperature=None,
            tools=None,
            stop_sequences=None,
            metadata={"user_id": None},
            thinking={"type": "disabled", "budget_tokens": None},
            tool_choice={"type": "none", "name": None},
        ),
    ),
    ingest(
        "messages",
        "marks-four",
        "As many marks as there may be.",
        body(_user(*({"type": "text", "text": text, **_MARK} for text in "abcd"))),
    ),
]

_LIMITS = [
    ingest(
        "messages", "limit-request", "A body past its limit.", asked(), limits={"request_bytes": 40}
    ),
    ingest("messages", "limit-items", "Too many items.", body(*[HELLO] * 3), limits={"items": 2}),
    ingest(
        "messages",
        "limit-items-met",
        "As many as there may be.",
        body(*[HELLO] * 2),
        limits={"items": 2},
    ),
    ingest(
        "messages",
        "limit-tools",
        "Too many tools.",
        asked(tools=[LOOK, {**LOOK, "name": "see"}]),
        limits={"tools": 1},
    ),
    ingest(
        "messages",
        "limit-arguments",
        "Arguments that are too long.",
        body(HELLO, CALLING, _user(RESULT)),
        limits={"arguments_bytes": 4},
    ),
    ingest(
        "messages",
        "limit-result",
        "A result that is too long.",
        body(HELLO, CALLING, _user(RESULT)),
        limits={"result_bytes": 2},
    ),
    ingest(
        "messages",
        "limit-instructions",
        "Instructions that are too long.",
        asked(system="Be brief."),
        limits={"instructions_bytes": 4},
    ),
    ingest(
        "messages",
        "limit-depth",
        "A body that nests too deep.",
        asked(container=[[[[1]]]]),
        limits={"json_depth": 4},
    ),
    project(
        "messages",
        "limit-request",
        "A body that would be too large is not written.",
        _TURN,
        limits={"request_bytes": 40},
    ),
    project(
        "messages",
        "limit-items",
        "Nor too many items.",
        TurnRequest("caller-model", _TURN.items * 3, cache_marks="given"),
        limits={"items": 2},
    ),
]

_COUNTS = [
    ingest_count(
        "plain", "A model and messages: no limit is asked for.", {"model": "m", "messages": [HELLO]}
    ),
    ingest_count(
        "everything",
        "All that may stand there.",
        {
            "model": "m",
            "messages": [_user({"type": "text", "text": "a"}, PDF)],
            "system": "Be brief.",
            "tools": [LOOK],
            "tool_choice": {"type": "tool", "name": "look", "disable_parallel_tool_use": True},
            "thinking": {"type": "enabled", "budget_tokens": 2048},
            "output_config": {
                "effort": "low",
                "format": {"type": "json_schema", "schema": _SCHEMA},
            },
            "billing_policy": {"type": "default"},
            "cache_control": {"type": "ephemeral"},
            "compaction": {"type": "auto"},
            "context_management": {"edits": []},
            "mcp_servers": [{"type": "url", "name": "m", "url": "https://m.example/sse"}],
            "speed": "fast",
            "chat_template_kwargs": {"enable_thinking": False},
        },
        headers=[["anthropic-beta", "beta-1"]],
    ),
    ingest_count(
        "older-format",
        "The format in its older place.",
        {
            "model": "m",
            "messages": [HELLO],
            "output_format": {"type": "json_schema", "schema": _SCHEMA},
        },
    ),
    ingest_count(
        "refused",
        "What says how to answer has no place there.",
        {
            "model": "m",
            "messages": [HELLO],
            "max_tokens": 9,
            "stream": True,
            "temperature": 1,
            "stop_sequences": ["a"],
            "container": "container_1",
        },
    ),
    ingest_count("refused-no-messages", "Nothing to count.", {"model": "m"}),
    ingest_count(
        "limit-request",
        "A body past its limit.",
        {"model": "m", "messages": [HELLO]},
        limits={"request_bytes": 8},
    ),
    write_count("some", "A number.", 2095),
    write_count("none", "Zero stays zero.", 0),
]

CASES: list[Declared] = [*_AROUND, *_REFUSED, *_LIMITS, *_COUNTS]
