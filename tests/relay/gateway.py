"""A client, a server and the relay between them: what every test of the relay drives."""

import json
from collections.abc import Iterable
from typing import Any

from llm_projections import (
    CROSS_VENDOR,
    AnswerBody,
    AnswerHead,
    HttpAnswer,
    HttpRequest,
    Identity,
    Protocol,
    Relay,
    TurnCompleted,
    TurnFailed,
    TurnOutcome,
)
from llm_projections.wires import WIRES
from tests.everything import HABITS, binding_of
from tests.helpers import by_event

CHAT, MESSAGES, RESPONSES = Protocol.CHAT, Protocol.MESSAGES, Protocol.RESPONSES
PAIRS = [(client, server) for client in Protocol for server in Protocol]
FOREIGN = [(client, server) for client, server in PAIRS if client is not server]
ALIAS = "alias-of-the-client"
SSE = (("Content-Type", "text/event-stream"),)
JSON = (("content-type", "application/json"),)
SCHEMA = {"type": "object", "properties": {}}

Payload = dict[str, Any]
Call = tuple[str, str, str]

_ASKS: dict[Protocol, Payload] = {
    CHAT: {"messages": [{"role": "user", "content": "go"}]},
    MESSAGES: {"max_tokens": 64, "messages": [{"role": "user", "content": "go"}]},
    RESPONSES: {"input": "go", "store": False},
}


def tool(client: Protocol, name: str) -> Payload:
    """A published function as a client of this wire spells it."""
    if client is MESSAGES:
        return {"name": name, "input_schema": SCHEMA}
    body = {"name": name, "parameters": SCHEMA}
    return {"type": "function", "function": body} if client is CHAT else {"type": "function"} | body


def ask(client: Protocol, *, tools: Iterable[str | Payload] = (), **fields: Any) -> bytes:
    """A client's request: a plain question, tools by name or whole, and whatever else is given."""
    body = {"model": ALIAS, "stream": True, **_ASKS[client]}
    if client is CHAT:
        body["stream_options"] = {"include_usage": True}
    published = [tool(client, each) if isinstance(each, str) else each for each in tools]
    if published:
        body["tools"] = published
    body |= fields
    if not body["stream"]:
        body.pop("stream_options", None)
    return json.dumps(body).encode()


def frames(protocol: Protocol, *payloads: Payload) -> bytes:
    """Payloads as the wire frames them."""
    named = protocol is not CHAT
    return b"".join(
        (f"event: {each['type']}\n" if named else "").encode()
        + f"data: {json.dumps(each)}\n\n".encode()
        for each in payloads
    )


def answer(
    protocol: Protocol,
    text: str = "Hello",
    *,
    thought: str = "",
    calls: Iterable[Call] = (),
    sealed: bool = False,
    end: bool = True,
) -> bytes:
    """What a server of this wire streams; with `end=False` it breaks off before it says how it ended."""
    calls = tuple(calls)
    make = {CHAT: _chat, MESSAGES: _messages, RESPONSES: _responses}[protocol]
    opening, said, ending = make(text, thought, calls, sealed)
    data = frames(protocol, opening, *said, *(ending if end else ()))
    return data + b"data: [DONE]\n\n" if end and protocol is CHAT else data


def opening(protocol: Protocol) -> bytes:
    """The first event of an answer, which shows nothing."""
    return by_event(answer(protocol))[0]


Parts = tuple[Payload, list[Payload], list[Payload]]


def _chat(text: str, thought: str, calls: tuple[Call, ...], sealed: bool) -> Parts:
    def chunk(delta: Payload, finish: str | None = None) -> Payload:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return {**head, "choices": [choice]}

    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "real"}
    said = [chunk({"reasoning_content": piece}) for piece in _pieces(thought)]
    if sealed:
        detail = {"type": "reasoning.encrypted", "data": "SEAL"}
        said.append(chunk({"reasoning_details": [detail]}))
    said += [chunk({"content": piece}) for piece in _pieces(text)]
    for index, (call_id, name, arguments) in enumerate(calls):
        function = {"name": name, "arguments": ""}
        call = {"index": index, "id": call_id, "type": "function", "function": function}
        said.append(chunk({"tool_calls": [call]}))
        said += [
            chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
            for piece in _pieces(arguments)
        ]
    usage = {
        "prompt_tokens": 11,
        "completion_tokens": 7,
        "total_tokens": 18,
        "prompt_tokens_details": {"cached_tokens": 3, "cache_write_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 2},
    }
    ending = [chunk({}, "tool_calls" if calls else "stop"), {**head, "choices": [], "usage": usage}]
    return chunk({"role": "assistant", "content": ""}), said, ending


def _messages(text: str, thought: str, calls: tuple[Call, ...], sealed: bool) -> Parts:
    blocks: list[tuple[Payload, list[Payload]]] = []
    if thought or sealed:
        deltas = [{"type": "thinking_delta", "thinking": piece} for piece in _pieces(thought)]
        if sealed:
            deltas.append({"type": "signature_delta", "signature": "SEAL"})
        blocks.append(({"type": "thinking", "thinking": "", "signature": ""}, deltas))
    if text:
        deltas = [{"type": "text_delta", "text": piece} for piece in _pieces(text)]
        blocks.append(({"type": "text", "text": ""}, deltas))
    for call_id, name, arguments in calls:
        deltas = [
            {"type": "input_json_delta", "partial_json": piece} for piece in _pieces(arguments)
        ]
        blocks.append(({"type": "tool_use", "id": call_id, "name": name, "input": {}}, deltas))
    said: list[Payload] = []
    for index, (block, deltas) in enumerate(blocks):
        said.append({"type": "content_block_start", "index": index, "content_block": block})
        said += [{"type": "content_block_delta", "index": index, "delta": each} for each in deltas]
        said.append({"type": "content_block_stop", "index": index})
    message: Payload = {
        "id": "msg_up",
        "type": "message",
        "role": "assistant",
        "model": "real",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {
            "input_tokens": 8,
            "cache_read_input_tokens": 3,
            "cache_creation_input_tokens": 0,
            "output_tokens": 1,
        },
    }
    reason = {"stop_reason": "tool_use" if calls else "end_turn", "stop_sequence": None}
    ending: list[Payload] = [
        {"type": "message_delta", "delta": reason, "usage": {"output_tokens": 7}},
        {"type": "message_stop"},
    ]
    return {"type": "message_start", "message": message}, said, ending


def _responses(text: str, thought: str, calls: tuple[Call, ...], sealed: bool) -> Parts:
    said: list[Payload] = []
    output: list[Payload] = []

    def announce(item: Payload) -> tuple[int, Payload]:
        index = len(output)
        output.append(item)
        return index, {"item_id": item["id"], "output_index": index}

    def added(index: int, item: Payload) -> None:
        said.append({"type": "response.output_item.added", "output_index": index, "item": item})

    def done(index: int) -> None:
        item = output[index]
        said.append({"type": "response.output_item.done", "output_index": index, "item": item})

    if thought or sealed:
        item: Payload = {"type": "reasoning", "id": "rs_up", "summary": []}
        index, at = announce(item)
        added(index, dict(item))
        if thought:
            part = {"type": "summary_text", "text": thought}
            at = {**at, "summary_index": 0}
            event = "response.reasoning_summary_"
            said.append({"type": f"{event}part.added", **at, "part": {**part, "text": ""}})
            said += [{"type": f"{event}text.delta", **at, "delta": p} for p in _pieces(thought)]
            said.append({"type": f"{event}text.done", **at, "text": thought})
            said.append({"type": f"{event}part.done", **at, "part": part})
            item["summary"] = [part]
        if sealed:
            item["encrypted_content"] = "SEAL"
        done(index)
    if text:
        base: Payload = {"type": "message", "id": "msg_up", "role": "assistant"}
        part = {"type": "output_text", "text": text, "annotations": []}
        index, at = announce({**base, "status": "completed", "content": [part]})
        added(index, {**base, "status": "in_progress", "content": []})
        at = {**at, "content_index": 0}
        said.append({"type": "response.content_part.added", **at, "part": {**part, "text": ""}})
        said += [
            {"type": "response.output_text.delta", **at, "delta": piece} for piece in _pieces(text)
        ]
        said.append({"type": "response.output_text.done", **at, "text": text})
        said.append({"type": "response.content_part.done", **at, "part": part})
        done(index)
    for call_id, name, arguments in calls:
        base = {"type": "function_call", "id": f"fc_{call_id}", "call_id": call_id, "name": name}
        index, at = announce({**base, "status": "completed", "arguments": arguments})
        added(index, {**base, "status": "in_progress", "arguments": ""})
        event = "response.function_call_arguments."
        said += [{"type": f"{event}delta", **at, "delta": p} for p in _pieces(arguments)]
        said.append({"type": f"{event}done", **at, "arguments": arguments})
        done(index)
    usage = {
        "input_tokens": 11,
        "output_tokens": 7,
        "total_tokens": 18,
        "input_tokens_details": {"cached_tokens": 3, "cache_write_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 2},
    }
    response: Payload = {"id": "resp_up", "object": "response", "created_at": 1, "model": "real"}
    first = {**response, "status": "in_progress", "output": []}
    last = {**response, "status": "completed", "output": output, "usage": usage}
    ending = [{"type": "response.completed", "response": last}]
    return {"type": "response.created", "response": first}, said, ending


def _pieces(text: str) -> list[str]:
    return [text[at : at + 3] for at in range(0, len(text), 3)]


class Run:
    """One exchange through a relay. `head` and `body` are what the client got."""

    def __init__(self, client: Protocol, server: Protocol, **options: Any) -> None:
        defaults: dict[str, Any] = {"accept": CROSS_VENDOR}
        binding = options.pop("binding", None) or binding_of(server, **HABITS[server])
        identity = options.pop("identity", Identity("resp_1", 1_790_000_000))
        self.client = client
        self.server = server
        self.relay = Relay(WIRES[client], binding, identity, **(defaults | options))
        self.sent: HttpRequest | None = None
        self.answered = False
        self.out: list[AnswerHead | AnswerBody] = []

    def ask(self, body: bytes | None = None, headers: Iterable[tuple[str, str]] = ()) -> "Run":
        """The client's request; a refusal is its answer."""
        made = self.relay.request(tuple(headers), ask(self.client) if body is None else body)
        if isinstance(made, HttpAnswer):
            self.out = [AnswerHead(made.status, made.headers), AnswerBody(made.body)]
        else:
            self.sent = made
        return self

    def take(self, out: list[AnswerHead | AnswerBody]) -> "Run":
        """More of the answer: one head before any body, and nothing once it has ended."""
        self.out += out
        assert all(isinstance(piece, AnswerHead) is (at == 0) for at, piece in enumerate(self.out))
        return self

    def play(
        self,
        *chunks: bytes,
        status: int = 200,
        headers: Iterable[tuple[str, str]] = SSE,
        close: bool = True,
    ) -> "Run":
        """The server's whole answer, or more of it."""
        if not self.answered:
            self.answered = True
            self.take(self.relay.response(status, headers))
        for chunk in chunks:
            self.take(self.relay.feed(chunk))
        return self.take(self.relay.close()) if close else self

    @property
    def sent_body(self) -> Any:
        """What went to the server."""
        assert self.sent is not None
        return json.loads(self.sent.body)

    @property
    def head(self) -> AnswerHead:
        """The one head."""
        head = self.out[0]
        assert isinstance(head, AnswerHead)
        return head

    @property
    def body(self) -> bytes:
        """All of the body."""
        return b"".join(piece.data for piece in self.out if isinstance(piece, AnswerBody))

    @property
    def told(self) -> Any:
        """The error object of an answer that is one."""
        return json.loads(self.body)["error"]

    def events(self) -> list[Any]:
        """What the client's own stream reader makes of the body."""
        return list(WIRES[self.client].decode_stream([self.body], binding_of(self.client)))

    def outcome(self) -> TurnOutcome:
        """What the client reads, streamed or whole."""
        if self.head.headers[0][1] == "application/json":
            read: TurnOutcome = WIRES[self.client].decode_response(
                self.body, binding_of(self.client)
            )
            return read
        last = self.events()[-1]
        assert isinstance(last, TurnCompleted), last
        return last.outcome

    def failure(self) -> TurnFailed:
        """How the client's own reader sees a stream that failed."""
        last = self.events()[-1]
        assert isinstance(last, TurnFailed), last
        return last
