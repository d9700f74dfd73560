"""What stands around a Chat request, what is refused in one, and its limits."""

from typing import Any

from llm_projections.model.items import Extension, Protocol, Text, UserMessage
from llm_projections.model.turn import TurnRequest
from tests.conformance.chat_fields import ask, asked
from tests.conformance.chat_parts import body
from tests.conformance.declared import NEEDED, Declared, headers, ingest, project, url

__all__ = ["CASES"]

_ASK = {"role": "user", "content": "Hello"}
_CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
_CALLING = {"role": "assistant", "content": None, "tool_calls": [_CALL]}
_RESULT = {"role": "tool", "tool_call_id": "c1", "content": "one"}
_LOOK = {"type": "function", "function": {"name": "look"}}
_TURN = TurnRequest("caller-model", (UserMessage((Text("Hello"),)),), cache_marks="given")


def _bound(auth: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"base": "chat", "auth": auth, **more}


_BEARER = _bound({"kind": "Bearer"})
_KEY = _bound({"kind": "ApiKey", "header": "api-key"})

_AROUND = [
    url("chat", "plain", "The base, then the wire's path.", "chat"),
    url(
        "chat",
        "query",
        "The query of the dialect comes last.",
        {"base": "chat", "dialect": {"query": "api-version=2025-01-01"}},
    ),
    url(
        "chat",
        "no-slash",
        "A base URL ends in a slash: where the path goes is nobody's guess.",
        {"base": "chat", "base_url": "https://upstream.example/v1"},
    ),
    headers("chat", "anonymous", "Nobody asks: no credential goes out."),
    headers("chat", "bearer", "A bearer's token.", binding=_BEARER, credential="secret"),
    headers(
        "chat",
        "api-key",
        "A key in the header that the binding names, and an answer in one body.",
        binding=_KEY,
        credential="secret",
        streamed=False,
    ),
    headers(
        "chat",
        "carried",
        "A carried header goes out on its own wire, and no other's does.",
        turn=TurnRequest(
            "caller-model",
            _TURN.items,
            extensions=(
                Extension(Protocol.MESSAGES, "header.anthropic-beta", "beta-1"),
                Extension(Protocol.CHAT, "header.x-own", "1"),
            ),
        ),
    ),
    headers("chat", "no-credential", "A credential that is missing.", binding=_BEARER),
    headers("chat", "empty-credential", "An empty one is none.", binding=_KEY, credential=""),
    headers("chat", "credential-unasked", "One that nobody asked for.", credential="secret"),
    headers(
        "chat", "two-lines", "One that would end its line.", binding=_BEARER, credential="a\r\nb: c"
    ),
    headers(
        "chat",
        "conversation",
        "An identity of the conversation has no place on this wire.",
        conversation={"id": "conv_1"},
    ),
]

_DEFAULTS = [
    ingest("chat", "n-one", "One answer is what is given anyway.", asked(n=1)),
    ingest("chat", "n-two", "Two are refused.", asked(n=2)),
    ingest("chat", "n-true", "So is what only looks like one.", asked(n=True)),
    ingest(
        "chat",
        "effort-default",
        "The server's own effort is carried: it is no effort of the neutral model.",
        asked(reasoning_effort="default"),
    ),
    project(
        "messages",
        "from-chat-effort-default",
        "The server's own effort is left out elsewhere, by its name.",
        ask(reasoning_effort="default"),
        accept=NEEDED,
    ),
    ingest(
        "chat",
        "effort-unknown",
        "An effort that nobody published.",
        asked(reasoning_effort="wombat"),
    ),
    ingest(
        "chat",
        "settings-of-null",
        "Null is absent.",
        asked(temperature=None, tools=None, stop=None, metadata=None, response_format=None),
    ),
]

_REFUSED = [
    ingest(
        "chat",
        "refused-many",
        "Every fault of form is told at once: those of the settings, then those of the messages.",
        body(
            {"role": "user", "content": [{"type": "text", "text": 7}]},
            {"role": "wizard", "content": "Hello"},
            stop=[1],
        ),
    ),
    ingest(
        "chat",
        "refused-ranges",
        "Sampling out of its range.",
        asked(temperature=3, top_p=0, presence_penalty=5),
    ),
    ingest(
        "chat",
        "refused-results",
        "A result that answers no call, beside one that does.",
        body(_ASK, _CALLING, {"role": "tool", "tool_call_id": "c2", "content": "two"}, _RESULT),
    ),
    ingest(
        "chat",
        "refused-choice",
        "A choice of a tool that nobody published.",
        body(_ASK, tools=[_LOOK], tool_choice={"type": "function", "function": {"name": "see"}}),
    ),
    ingest(
        "chat",
        "refused-tool-fields",
        "Unknown fields of a tool, and one whose name cannot be said: its parent is told.",
        body(
            _ASK,
            tools=[{"type": "function", "function": {"name": "look", "wombat": 1}, "bad key": 2}],
        ),
    ),
    ingest(
        "chat",
        "refused-arguments",
        "Arguments that are no text.",
        body(
            _ASK,
            {**_CALLING, "tool_calls": [{**_CALL, "function": {"name": "look", "arguments": 7}}]},
            _RESULT,
        ),
    ),
    ingest(
        "chat",
        "users-two",
        "Two names of the end user that differ: the newer one counts, the older one is carried.",
        asked(user="a", safety_identifier="b"),
    ),
    ingest("chat", "refused-stream-text", "A flag that is text.", asked(stream="yes")),
    ingest("chat", "refused-model", "A model that is a number.", {**asked(), "model": 7}),
    ingest("chat", "refused-no-model", "No model.", {"messages": [_ASK]}),
    ingest(
        "chat",
        "refused-image",
        "An image without its place.",
        body({"role": "user", "content": [{"type": "image_url", "image_url": {"detail": "low"}}]}),
    ),
    ingest(
        "chat",
        "refused-file",
        "A file with nothing in it.",
        body({"role": "user", "content": [{"type": "file", "file": {}}]}),
    ),
    ingest("chat", "refused-zero-limit", "A limit of nothing.", asked(max_completion_tokens=0)),
    ingest(
        "chat",
        "accepted-unknown",
        "Leave to lose a name never lets an unknown field pass.",
        asked(wombat=1),
        accept=("chat.store",),
    ),
]

_LIMITS = [
    ingest(
        "chat", "limit-request", "A body past its limit.", asked(), limits={"request_bytes": 40}
    ),
    ingest("chat", "limit-items", "Too many items.", body(*[_ASK] * 3), limits={"items": 2}),
    ingest(
        "chat",
        "limit-items-met",
        "As many as there may be.",
        body(*[_ASK] * 2),
        limits={"items": 2},
    ),
    ingest(
        "chat",
        "limit-tools",
        "Too many tools.",
        body(_ASK, tools=[_LOOK, {"type": "function", "function": {"name": "see"}}]),
        limits={"tools": 1},
    ),
    ingest(
        "chat",
        "limit-arguments",
        "Arguments that are too long.",
        body(
            _ASK,
            {
                **_CALLING,
                "tool_calls": [
                    {**_CALL, "function": {"name": "look", "arguments": '{"a": "xxxxxxxx"}'}}
                ],
            },
            _RESULT,
        ),
        limits={"arguments_bytes": 8},
    ),
    ingest(
        "chat",
        "limit-result",
        "A result that is too long.",
        body(_ASK, _CALLING, _RESULT),
        limits={"result_bytes": 2},
    ),
    ingest(
        "chat",
        "limit-instructions",
        "Instructions that are too long.",
        body({"role": "system", "content": "Be brief."}, _ASK),
        limits={"instructions_bytes": 4},
    ),
    ingest(
        "chat",
        "limit-depth",
        "A body that nests too deep.",
        asked(metadata={"a": "b"}, store=[[[[1]]]]),
        limits={"json_depth": 4},
    ),
    project(
        "chat",
        "limit-request",
        "A body that would be too large is not written.",
        _TURN,
        limits={"request_bytes": 40},
    ),
    project(
        "chat",
        "limit-items",
        "Nor too many items.",
        TurnRequest("caller-model", _TURN.items * 3, cache_marks="given"),
        limits={"items": 2},
    ),
]

_ENVELOPES = [
    ingest(
        "chat",
        "envelope",
        "Our envelope of a failure is read back as a failure.",
        body(_ASK, _CALLING, {**_RESULT, "content": '{"error":"no such file","ok":false}'}),
    ),
    ingest(
        "chat",
        "envelope-unread",
        "On request it is the text that it is.",
        body(_ASK, _CALLING, {**_RESULT, "content": '{"error":"no such file","ok":false}'}),
        envelopes=False,
    ),
    ingest(
        "chat",
        "envelope-other",
        "Nothing else is an envelope.",
        body(_ASK, _CALLING, {**_RESULT, "content": '{"ok":false,"error":"no such file"}'}),
    ),
    ingest(
        "chat",
        "headers",
        "Who asks and for what is the caller's to check: no header is part of the request.",
        asked(),
        headers=[
            ["Authorization", "Bearer secret"],
            ["Content-Type", "application/json"],
            ["OpenAI-Organization", "org_1"],
            ["OpenAI-Project", "proj_1"],
            ["Accept", "text/event-stream"],
        ],
    ),
]

CASES: list[Declared] = [*_AROUND, *_DEFAULTS, *_REFUSED, *_LIMITS, *_ENVELOPES]
