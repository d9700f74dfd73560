"""What every client does through the gateway, what the server plays to it, and what must come out.

`truth` is what a client would see on its own vendor's wire; where the gateway cannot keep that up,
table.py names the loss or the refusal.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from . import plays
from .clients import MORE, SCHEMA, Point, Told, awaited, read
from .plays import Called, Declined, Thought, Words
from .upstream import Asked, Played

Fields = dict[str, Any]
HELLO = Words("Hello there")
POINT = Words('{"x":1,"y":2}')
THOUGHT = Thought("Let me see what they hold.")
FIRST = (
    Called("call_1", "read", '{"path":"a"}'),
    Called("call_2", "read", '{"path": "b"}'),
)
SECOND = Called("call_3", "read", '{"path":"c"}')
COUNTED = (12, 4, 7)
SAID: Fields = {"words": "Hello there", "stop": "end", "usage": COUNTED, "error": ""}
DONE: Fields = SAID | {"words": "Done."}
OVERFLOW = "prompt is too long: 210000 tokens > 200000 maximum"


@dataclass(frozen=True)
class Scenario:
    """One thing that a client does."""

    play: Callable[[str], list[Played]]
    drive: Callable[[Any, str], Told]
    truth: Callable[[str, str], Fields]
    route: str = "via"
    sealed: bool = False
    asked: Callable[[str, list[Asked]], Any] = field(default=lambda _upstream, _asked: None)
    expected: Any = None


def results(wire: str, body: Any) -> list[tuple[str, str]]:
    """The tool results that a request body holds, as (call id, text), in order."""
    if wire == "chat":
        found = [m for m in body["messages"] if m["role"] == "tool"]
        return [(m["tool_call_id"], m["content"]) for m in found]
    if wire == "messages":
        contents = [m["content"] for m in body["messages"] if isinstance(m["content"], list)]
        blocks = [b for content in contents for b in content if b["type"] == "tool_result"]
        return [(b["tool_use_id"], b["content"]) for b in blocks]
    outputs = [i for i in body["input"] if i["type"] == "function_call_output"]
    return [(i["call_id"], i["output"]) for i in outputs]


def schema(wire: str, body: Any) -> Any:
    """The schema of the answer that a request body asks for."""
    if wire == "chat":
        return body["response_format"]["json_schema"]["schema"]["required"]
    if wire == "messages":
        return body["output_config"]["format"]["schema"]["required"]
    return body["text"]["format"]["schema"]["required"]


def tools(wire: str, body: Any) -> Any:
    """The schema of the one tool that a request body publishes."""
    (tool,) = body["tools"]
    if wire == "chat":
        return tool["function"]["parameters"]
    return tool["input_schema"] if wire == "messages" else tool["parameters"]


def seals(wire: str, body: Any) -> list[str]:
    """The sealed state that a request body holds."""
    if wire == "messages":
        contents = [m["content"] for m in body["messages"] if isinstance(m["content"], list)]
        blocks = [b for content in contents for b in content if b["type"] == "thinking"]
        return [b["signature"] for b in blocks if b["signature"]]
    if wire == "responses":
        return [i["encrypted_content"] for i in body["input"] if i.get("encrypted_content")]
    return []


SEALS = {"chat": [], "messages": [plays.SIGNATURE], "responses": [plays.CIPHERTEXT]}


def called(*calls: Called) -> list[tuple[str, str, Any]]:
    """Calls as a client tells them."""
    return [(c.call_id, c.name, {"path": c.arguments.split('"')[3]}) for c in calls]


def stream(*parts: plays.Part, limit: bool = False) -> Callable[[str], list[Played]]:
    """One streamed answer."""
    return lambda upstream: [plays.stream(upstream, *parts, limit=limit)]


def helper(client: Any, model: str) -> Told:
    """The stream helper."""
    return client.stream(model)


def loop(client: Any, model: str) -> Told:
    """The tool loop."""
    return client.loop(model)


def in_stream(client: str, upstream: str, message: str, *, ours: bool) -> Fields:
    """The error that ends a stream which had begun; `ours` where it is not the server's own."""
    told: Fields = {"words": "Hello", "message": message, "stop": "", "usage": None}
    if client == "chat":
        code = "bad_gateway" if ours else "server_is_overloaded"
        return told | {"error": "APIError", "code": code}
    if client == "messages":
        kind = "api_error" if ours or upstream == "messages" else "overloaded_error"
        return told | {"error": "APIStatusError", "status": 200, "code": kind}
    return told | {"error": "response.failed", "code": "server_error"}


def bad_gateway(client: str, message: str) -> Fields:
    """The status for an upstream that gave no answer at all."""
    code = "api_error" if client == "messages" else "bad_gateway"
    told = {"error": "InternalServerError", "status": 502, "code": code}
    return told | {"message": message, "words": ""}


def limited(upstream: str) -> Played:
    """A rate limit with its wait."""
    kind = "rate_limit_error" if upstream == "messages" else "requests"
    waits = (("retry-after", "1"),)
    return plays.error(upstream, 429, kind, "slow down", code="rate_limit_exceeded", headers=waits)


def too_long(upstream: str) -> list[Played]:
    """A conversation that does not fit, in the words of the wire."""
    long = "context_length_exceeded"
    return [plays.error(upstream, 400, "invalid_request_error", OVERFLOW, code=long)]


def rate_limit(client: str, _upstream: str) -> Fields:
    """What each client raises for a rate limit."""
    code = "rate_limit_error" if client == "messages" else "rate_limit_exceeded"
    told = {"error": "RateLimitError", "status": 429, "code": code, "retry_after": "1"}
    return told | {"message": "slow down"}


def overflow(client: str, _upstream: str) -> Fields:
    """What each client raises for a conversation that does not fit."""
    code = "invalid_request_error" if client == "messages" else "context_length_exceeded"
    return {"error": "BadRequestError", "status": 400, "code": code, "message": OVERFLOW}


LOOPED = [("call_1", read("a")), ("call_2", read("b")), ("call_3", read("c"))]


def looped(upstream: str, asked: list[Asked]) -> Any:
    """The results that went upstream in the last request, and the tool that each published."""
    return results(upstream, asked[-1].body), [tools(upstream, each.body) for each in asked]


def loop_plays(upstream: str) -> list[Played]:
    """Two parallel calls, one more, and the end."""
    return [
        plays.stream(upstream, Words("Reading."), *FIRST),
        plays.stream(upstream, SECOND),
        plays.stream(upstream, Words("Done.")),
    ]


def reasoned_loop(upstream: str) -> list[Played]:
    """Reasoning before a call, and the end."""
    return [plays.stream(upstream, THOUGHT, SECOND), plays.stream(upstream, Words("Done."))]


def same(told: Fields) -> Callable[[str, str], Fields]:
    """What every client tells of every server."""
    return lambda _client, _upstream: told


SCENARIOS: dict[str, Scenario] = {
    "text": Scenario(stream(HELLO), helper, same(SAID)),
    "text, asynchronous": Scenario(stream(HELLO), awaited, same(SAID)),
    "text, whole": Scenario(stream(HELLO), lambda c, model: c.whole(model), same(SAID)),
    "text, cut off by the limit": Scenario(
        stream(HELLO, limit=True), helper, same(SAID | {"stop": "limit"})
    ),
    "reasoning": Scenario(stream(THOUGHT, HELLO), helper, same(SAID | {"reasoning": THOUGHT.said})),
    "refusal": Scenario(
        stream(Declined("I cannot.")),
        helper,
        same({"words": "I cannot.", "declined": True, "usage": COUNTED, "error": ""}),
    ),
    "tool loop": Scenario(
        loop_plays,
        loop,
        same(DONE | {"calls": called(*FIRST, SECOND)}),
        asked=looped,
        expected=(LOOPED, [SCHEMA] * 3),
    ),
    "tool loop with reasoning": Scenario(
        reasoned_loop,
        loop,
        same(DONE | {"calls": called(SECOND), "reasoning": THOUGHT.said}),
        asked=lambda upstream, asked: results(upstream, asked[-1].body),
        expected=[("call_3", read("c"))],
    ),
    "tool loop, reasoning sealed": Scenario(
        reasoned_loop,
        loop,
        same(DONE | {"calls": called(SECOND), "reasoning": THOUGHT.said}),
        sealed=True,
        asked=lambda upstream, asked: seals(upstream, asked[-1].body) == SEALS[upstream],
        expected=True,
    ),
    "tool runner": Scenario(
        loop_plays,
        lambda c, model: c.run_tools(model),
        same(DONE | {"calls": called(*FIRST, SECOND)}),
        # the newest runner sends the last results alone and has the server keep the others
        asked=lambda upstream, asked: results(upstream, asked[-1].body)[-1:],
        expected=LOOPED[-1:],
    ),
    "tools, server without": Scenario(lambda _upstream: [], loop, same({}), route="plain"),
    "structured, streamed": Scenario(
        stream(POINT),
        lambda c, model: c.parse(model, streamed=True),
        same({"parsed": Point(x=1, y=2), "error": ""}),
        asked=lambda upstream, asked: schema(upstream, asked[-1].body),
        expected=["x", "y"],
    ),
    "structured, whole": Scenario(
        stream(POINT),
        lambda c, model: c.parse(model, streamed=False),
        same({"parsed": Point(x=1, y=2), "error": ""}),
        asked=lambda upstream, asked: schema(upstream, asked[-1].body),
        expected=["x", "y"],
    ),
    "structured, replayed": Scenario(
        lambda upstream: [plays.stream(upstream, POINT), plays.stream(upstream, HELLO)],
        lambda c, model: c.go_on(model),
        same(SAID),
        asked=lambda _upstream, asked: str(MORE["content"]) in str(asked[-1].body),
        expected=True,
    ),
    "error in mid-stream": Scenario(
        lambda upstream: [plays.failing(upstream, shown=True)],
        helper,
        lambda client, upstream: in_stream(client, upstream, "the engine died", ours=False),
    ),
    "error under HTTP 200": Scenario(
        # the status makes the client send it again by itself
        lambda upstream: [plays.failing(upstream, shown=False), plays.stream(upstream, HELLO)],
        lambda c, model: c.whole(model, retries=1),
        same(SAID),
    ),
    "stream ends early": Scenario(
        lambda upstream: [plays.cut(upstream, shown=True, broken=False)],
        helper,
        lambda client, upstream: in_stream(client, upstream, "the stream ended", ours=True),
    ),
    "stream ends before any output": Scenario(
        lambda upstream: [plays.cut(upstream, shown=False, broken=False)],
        helper,
        lambda client, _upstream: bad_gateway(client, "the stream ended"),
    ),
    "connection breaks": Scenario(
        lambda upstream: [plays.cut(upstream, shown=True, broken=True)],
        helper,
        lambda client, upstream: in_stream(client, upstream, "the connection broke", ours=True),
    ),
    "connection breaks before any output": Scenario(
        lambda upstream: [plays.cut(upstream, shown=False, broken=True)],
        helper,
        lambda client, _upstream: bad_gateway(client, "the connection broke"),
    ),
    "rate limit": Scenario(lambda upstream: [limited(upstream)], helper, rate_limit),
    "rate limit, waited out": Scenario(
        lambda upstream: [limited(upstream), plays.stream(upstream, HELLO)],
        lambda c, model: c.whole(model, retries=1),
        same(SAID),
    ),
    "context overflow": Scenario(too_long, helper, overflow),
    "JSON body, undeclared": Scenario(
        # a retry would be billed twice, and the answer says so: one request is all that comes
        lambda upstream: [plays.whole_body(upstream, HELLO.said)],
        lambda c, model: c.whole(model, retries=1),
        lambda client, _upstream: bad_gateway(client, "another content type"),
    ),
    "JSON body, declared": Scenario(
        lambda upstream: [plays.whole_body(upstream, HELLO.said)],
        helper,
        same(SAID),
        route="whole",
    ),
}
