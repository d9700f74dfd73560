"""A client before a server of its own wire: what goes through is what came, up to declared spellings."""

import json
from typing import Any

import pytest
from attrs import evolve

from llm_projections import Identity, Opaque, Protocol, WireItem
from llm_projections.wires import WIRES
from tests.everything import binding_of
from tests.helpers import by_event
from tests.relay.gateway import CHAT, MESSAGES, RESPONSES, Payload, Run, answer, ask, frames

CALL = ("call_1", "look", '{"b":1,"a":1.0}')
own = pytest.mark.parametrize("wire", [MESSAGES, RESPONSES])

# What an agent of each wire sends: marks, sealed state, hosted tools and their history, failures, options.
BODIES: dict[Protocol, Payload] = {
    MESSAGES: {
        "model": "alias",
        "max_tokens": 32_000,
        "stream": True,
        "system": [
            {"type": "text", "text": "One."},
            {"type": "text", "text": "Two.", "cache_control": {"type": "ephemeral"}},
        ],
        "thinking": {"type": "adaptive", "display": "summarized"},
        "output_config": {"effort": "medium"},
        "context_management": {"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]},
        "metadata": {"user_id": '{"device_id":"d"}'},
        "tools": [
            {"name": "look", "description": "Looks.", "input_schema": {"type": "object"}},
            {"type": "web_search_20250305", "name": "web_search", "max_uses": 8},
        ],
        "tool_choice": {"type": "tool", "name": "look"},
        "messages": [
            {"role": "user", "content": "go"},
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "Hm", "signature": "S=="},
                    {"type": "redacted_thinking", "data": "R=="},
                    {
                        "type": "server_tool_use",
                        "id": "srvtoolu_1",
                        "name": "web_search",
                        "input": {"query": "q"},
                    },
                    {
                        "type": "web_search_tool_result",
                        "tool_use_id": "srvtoolu_1",
                        "content": [],
                    },
                    {"type": "text", "text": "I look."},
                    {"type": "tool_use", "id": "t1", "name": "look", "input": {"b": 1}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "t1",
                        "content": "none",
                        "is_error": True,
                    },
                    {"type": "text", "text": "on", "cache_control": {"type": "ephemeral"}},
                ],
            },
        ],
    },
    RESPONSES: {
        "model": "alias",
        "stream": True,
        "store": False,
        "include": ["reasoning.encrypted_content"],
        "prompt_cache_key": "thread",
        "text": {"verbosity": "low"},
        "reasoning": {"effort": "high", "summary": "auto"},
        "parallel_tool_calls": True,
        "client_metadata": {"k": "v"},
        "tools": [
            {"type": "function", "name": "look", "parameters": {"type": "object"}, "strict": False},
            {
                "type": "custom",
                "name": "apply_patch",
                "format": {"type": "grammar", "syntax": "lark", "definition": "start: X"},
            },
            {"type": "web_search"},
        ],
        "input": [
            {
                "type": "message",
                "role": "developer",
                "id": "msg_1",
                "content": [{"type": "input_text", "text": "Rules."}],
            },
            {
                "type": "message",
                "role": "user",
                "id": "msg_2",
                "content": [{"type": "input_text", "text": "go"}],
            },
            {
                "id": "rs_1",
                "type": "reasoning",
                "summary": [{"type": "summary_text", "text": "Hm"}],
                "encrypted_content": "E==",
            },
            {"type": "web_search_call", "id": "ws_1", "status": "completed"},
            {
                "type": "function_call",
                "id": "fc_1",
                "call_id": "c1",
                "name": "look",
                "arguments": '{"b": 1.0}',
            },
            {"type": "function_call_output", "id": "fco_1", "call_id": "c1", "output": "none"},
            {
                "type": "custom_tool_call",
                "id": "ctc_1",
                "call_id": "c2",
                "name": "apply_patch",
                "input": "*** x",
            },
            {"type": "custom_tool_call_output", "call_id": "c2", "output": "done"},
        ],
    },
}


def plain(wire: Protocol, body: Payload) -> Payload:
    """A body without the model, and each thing that has several spellings in one of them."""
    body = {k: v for k, v in body.items() if k != "model"}
    if wire is MESSAGES:
        for message in body["messages"]:
            message["content"] = _texts(message["content"])
            for block in message["content"]:
                if block["type"] == "tool_result":
                    block["content"] = _texts(block["content"])
        return body
    for item in body["input"]:
        # what an item is, where its role says it already, and how a text is spelled
        if "role" in item:
            item["type"] = "message"
            item["content"] = _texts(item["content"], "input_text")
        item.pop("status", None)
    body.pop("include")
    return body


def _texts(content: Any, kind: str = "text") -> Any:
    return [{"type": kind, "text": content}] if isinstance(content, str) else content


@own
def test_a_request_goes_through_as_it_came(wire: Protocol) -> None:
    """With a binding that declares everything, only the model's name changes; nothing is lost."""
    body = BODIES[wire]
    binding = evolve(
        binding_of(wire, tool_result_envelope="failures"),
        upstream_name="upstream-model",
    )
    run = Run(wire, wire, binding=binding, unattributed="bind", accept=())
    run.ask(json.dumps(body).encode())
    assert run.relay.error is None
    assert [] == run.relay.losses
    assert "upstream-model" == run.sent_body["model"]
    assert plain(wire, json.loads(json.dumps(body))) == plain(wire, run.sent_body)


@own
def test_sealed_state_is_sent_key_by_key(wire: Protocol) -> None:
    """In the order in which it came: a vendor may sign the bytes."""
    body = BODIES[wire]
    run = Run(wire, wire, unattributed="bind").ask(json.dumps(body).encode())
    assert run.sent is not None
    sealed = body["messages"][1]["content"][:2] if wire is MESSAGES else [body["input"][2]]
    for each in sealed:
        assert json.dumps(each, separators=(",", ":")).encode() in run.sent.body


@own
def test_carried_headers_go_out_again(wire: Protocol) -> None:
    """Beta names on Messages; nothing of the client's own credentials."""
    headers = [("anthropic-beta", "one,two"), ("authorization", "Bearer mine"), ("x-other", "1")]
    run = Run(wire, wire).ask(headers=headers)
    assert run.sent is not None
    sent = dict(run.sent.headers)
    assert ("one,two" if wire is MESSAGES else None) == sent.get("anthropic-beta")
    assert {"authorization", "x-other"}.isdisjoint(sent)


def structure(wire: Protocol, data: bytes) -> list[Any]:
    """What a stream opens, says and closes, without its ids, counters and the cut of its texts."""
    seen: list[Any] = []
    for frame in by_event(data):
        payload = json.loads(frame.partition(b"data: ")[2])
        match payload["type"]:
            case "content_block_start":
                seen.append((payload["index"], payload["content_block"]["type"]))
            case "response.output_item.added" | "response.output_item.done" as name:
                item = payload["item"]
                seen.append((name, payload["output_index"], item["type"], item["id"]))
            case "content_block_stop" | "message_stop" | "response.completed" as name:
                seen.append((name, payload.get("index")))
            case name if name.endswith(("part.added", "part.done")):
                seen.append((name, payload["item_id"]))
            case _:
                pass
    return seen


@own
def test_a_stream_keeps_its_blocks(wire: Protocol) -> None:
    """What is opened, in which order, under which ids, and what is closed."""
    calls = [CALL, ("call_2", "look", "{}")]
    data = answer(wire, "Hello", thought="Hm", sealed=True, calls=calls)
    run = Run(wire, wire, accept=()).ask(ask(wire, tools=["look"])).play(*by_event(data))
    assert structure(wire, data) == structure(wire, run.body)
    assert [] == run.relay.losses


@pytest.mark.parametrize("wire", list(Protocol))
@pytest.mark.parametrize("streams", [True, False])
def test_an_outcome_goes_through_as_it_came(wire: Protocol, streams: bool) -> None:
    """Items, seals, ids, spelling of arguments, stop and counters: all that a reader of the server would see."""
    data = answer(wire, "Hello", thought="Hm", sealed=True, calls=[CALL])
    run = Run(wire, wire, accept=()).ask(ask(wire, tools=["look"], stream=streams)).play(data)
    direct = list(WIRES[wire].decode_stream([data], binding_of(wire)))[-1].outcome
    seen = run.outcome()
    assert direct.items == seen.items
    assert (direct.stop, direct.extensions) == (seen.stop, seen.extensions)
    assert direct.observation.usage == seen.observation.usage


def test_sealed_reasoning_keeps_the_id_that_it_was_sealed_under() -> None:
    """OpenAI refuses state that comes back under another; streamed, every event bears it from the first."""
    data = answer(RESPONSES, "", thought="Hm", sealed=True)
    run = Run(RESPONSES, RESPONSES).ask().play(*by_event(data))
    (item,) = run.outcome().items
    assert isinstance(item, Opaque)
    assert "rs_up" == item.payload["id"]
    assert b"rs_resp_1" not in run.body


def test_a_server_that_repeats_an_id_gives_each_item_one() -> None:
    """Readers tell items apart by it."""
    data = answer(RESPONSES, "", calls=[CALL, ("call_2", "look", "{}")])
    run = Run(RESPONSES, RESPONSES).ask(ask(RESPONSES, tools=["look"]))
    run.play(data.replace(b"fc_call_2", b"fc_call_1"))
    added = [each for each in structure(RESPONSES, run.body) if each[0].endswith("item.added")]
    assert 2 == len({item_id for *_, item_id in added})


def test_ids_that_the_caller_gives_stand() -> None:
    """A gateway may have its own scheme."""
    identity = Identity("r", 1, item_id=lambda kind, index: f"own-{kind}-{index}")
    run = Run(RESPONSES, RESPONSES, identity=identity).ask().play(answer(RESPONSES, "Hi"))
    assert b'"own-msg-0"' in run.body
    assert b'"id":"msg_up"' not in run.body


def test_what_the_server_ran_stands_at_its_place() -> None:
    """Blocks of hosted tools go through whole, and the answer may end without the client's turn."""
    use: Payload = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}}
    found: Payload = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []}
    blocks = [
        event
        for index, block in enumerate((use, found))
        for event in (
            {"type": "content_block_start", "index": index, "content_block": block},
            {"type": "content_block_stop", "index": index},
        )
    ]
    first, *_, last, stop = by_event(answer(MESSAGES, ""))
    data = first + frames(MESSAGES, *blocks) + last + stop
    run = Run(MESSAGES, MESSAGES, accept=()).ask().play(data)
    assert structure(MESSAGES, data) == structure(MESSAGES, run.body)
    assert [use, found] == [
        item.payload for item in run.outcome().items if isinstance(item, WireItem)
    ]


def test_an_unknown_event_of_the_wire_is_shown_again() -> None:
    """A vendor adds events, and its own clients know them."""
    first, *rest = by_event(answer(MESSAGES))
    unknown = frames(MESSAGES, {"type": "never_heard_of", "value": 1})
    run = Run(MESSAGES, MESSAGES, accept=()).ask().play(first, unknown, *rest)
    assert b"event: never_heard_of" in run.body
    assert ["unknown-stream-event"] == [each.code for each in run.relay.warnings]


def test_what_the_client_asked_for_is_repeated() -> None:
    """The answer's object echoes the request's own values (Responses)."""
    run = Run(RESPONSES, RESPONSES).ask(ask(RESPONSES, temperature=0.5, stream=False))
    run.play(answer(RESPONSES))
    assert 0.5 == json.loads(run.body)["temperature"]


def test_a_chat_client_gets_counters_only_if_it_asked() -> None:
    """Upstream is always asked for them, for the books."""
    body = ask(CHAT, stream_options={"include_usage": False})
    run = Run(CHAT, CHAT).ask(body).play(answer(CHAT))
    assert {"include_usage": True} == run.sent_body["stream_options"]
    assert b"prompt_tokens" not in run.body
    assert run.relay.outcome is not None
    assert run.relay.outcome.observation.usage is not None
