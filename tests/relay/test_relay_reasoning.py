"""Reasoning across wires: readable, replayed, and sealed where the caller can seal."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from llm_projections import (
    CROSS_VENDOR,
    Loss,
    Opaque,
    Protocol,
    Reasoning,
    RefusalCode,
    RequestRefused,
    UnattributedOpaque,
)
from llm_projections.sealing import MAX_SEALED_BYTES
from llm_projections.wires import WIRES
from tests.everything import HABITS, binding_of
from tests.helpers import by_event, singles, whole
from tests.relay.gateway import (
    CHAT,
    FOREIGN,
    MESSAGES,
    PAIRS,
    RESPONSES,
    Payload,
    Run,
    answer,
    ask,
    frames,
)

THOUGHT = "First this, then that"
CALL = ("call_1", "look", "{}")
# what a server did not count has to be a number on some wires
ZEROS = {"answer.usage.unknown_as_zero"}
pairs = pytest.mark.parametrize(("client", "server"), PAIRS)
# Chat has nowhere to carry sealed state
SEALED = [(client, server) for client, server in FOREIGN if client is not CHAT]
sealed_pairs = pytest.mark.parametrize(("client", "server"), SEALED)


def sealer() -> tuple[Callable[[bytes], str], Callable[[str], bytes | None]]:
    """A seal that differs each time, as encryption does, and its opening."""
    number = count()

    def seal(data: bytes) -> str:
        return f"{next(number)}.{urlsafe_b64encode(data).decode()}.mac"

    def unseal(text: str) -> bytes | None:
        parts = text.split(".")
        if len(parts) != 3 or parts[2] != "mac":
            return None
        try:
            return urlsafe_b64decode(parts[1])
        except ValueError:
            return None

    return seal, unseal


def replay(run: Run) -> list[Payload]:
    """What a client sends next: the answer's messages as they came, and the call's result."""
    body = json.loads(_whole(run))
    if run.client is CHAT:
        said = {k: v for k, v in body["choices"][0]["message"].items() if k != "refusal"}
        return [said, {"role": "tool", "tool_call_id": "call_1", "content": "found"}]
    if run.client is MESSAGES:
        result = {"type": "tool_result", "tool_use_id": "call_1", "content": "found"}
        return [
            {"role": "assistant", "content": body["content"]},
            {"role": "user", "content": [result]},
        ]
    result = {"type": "function_call_output", "call_id": "call_1", "output": "found"}
    return [*body["output"], result]


def _whole(run: Run) -> bytes:
    """The body that says what a client gathered of its answer, streamed or whole."""
    if run.head.headers[0][1] == "application/json":
        return run.body
    from tests.everything import IDENTITY

    written: bytes = WIRES[run.client].encode_ingress_answer(run.outcome(), IDENTITY)
    return written


def again(run: Run, said: list[Payload], **options: Any) -> Run:
    """The next request of the conversation, to the same server."""
    first: Payload = {"role": "user", "content": "go"}
    key = "input" if run.client is RESPONSES else "messages"
    body = ask(run.client, tools=["look"], **{key: [first, *said]})
    return Run(run.client, run.server, **options).ask(body)


def thoughts(run: Run) -> list[Any]:
    """The reasoning that the client reads."""
    kinds = (Reasoning, Opaque, UnattributedOpaque)
    return [item for item in run.outcome().items if isinstance(item, kinds)]


# readable reasoning


@pairs
@pytest.mark.parametrize("streams", [True, False])
@pytest.mark.parametrize("sealed", [True, False])
def test_reasoning_is_readable_and_no_seal_is_invented(
    client: Protocol, server: Protocol, streams: bool, sealed: bool
) -> None:
    """What a foreign server sealed is not passed off as the client's own state."""
    run = Run(client, server).ask(ask(client, stream=streams))
    run.play(answer(server, thought=THOUGHT, sealed=sealed))
    (thought,) = thoughts(run)
    if client is server and sealed:
        assert isinstance(thought, Opaque)
        assert b"SEAL" in run.body
    else:
        assert isinstance(thought, Reasoning)
        assert THOUGHT == thought.text
        assert b"SEAL" not in run.body
        assert b'"encrypted_content"' not in run.body
        assert b"signature_delta" not in run.body
    lost = [Loss("answer.opaque", "items[0]")] if sealed and client is not server else []
    assert lost == [loss for loss in run.relay.losses if loss.name == "answer.opaque"]


@pairs
@pytest.mark.parametrize("streams", [True, False])
def test_replayed_readable_reasoning_is_recognised(
    client: Protocol, server: Protocol, streams: bool
) -> None:
    """It goes out again where the server has a place for it, and is a named loss elsewhere."""
    run = Run(client, server).ask(ask(client, tools=["look"], stream=streams))
    run.play(answer(server, thought=THOUGHT, calls=[CALL]))
    body = again(run, replay(run))
    assert body.sent is not None, body.relay.error
    names = {loss.name for loss in body.relay.losses}
    if THOUGHT in json.dumps(body.sent_body):
        assert not names & {"turn.reasoning", "turn.opaque"}
    else:
        assert "turn.reasoning" in names
    assert "SEAL" not in json.dumps(body.sent_body)


def test_chat_replays_reasoning_where_its_dialect_has_a_place() -> None:
    """DeepSeek and Kimi want it back, others are not told."""
    run = Run(MESSAGES, CHAT).ask(ask(MESSAGES, tools=["look"]))
    run.play(answer(CHAT, thought=THOUGHT, calls=[CALL]))
    assert THOUGHT == again(run, replay(run)).sent_body["messages"][1]["reasoning_content"]
    plain = again(run, replay(run), binding=binding_of(CHAT))
    assert THOUGHT not in json.dumps(plain.sent_body)
    assert Loss("turn.reasoning", "items[1]") in plain.relay.losses


@pytest.mark.parametrize("wire", [MESSAGES, RESPONSES])
def test_sealed_state_goes_back_only_where_the_operator_binds_it(wire: Protocol) -> None:
    """On ingress nobody knows whose it is."""
    run = Run(wire, wire).ask(ask(wire, tools=["look"]))
    run.play(answer(wire, thought=THOUGHT, sealed=True, calls=[CALL]))
    said = replay(run)
    bound = again(run, said, unattributed="bind")
    assert "SEAL" in json.dumps(bound.sent_body)
    error = again(run, said, accept=()).relay.error
    assert isinstance(error, RequestRefused)
    assert "turn.opaque.unattributed" == error.loss
    left = again(run, said, accept={"turn.opaque.unattributed"})
    assert "SEAL" not in json.dumps(left.sent_body)


def test_what_another_wire_sealed_is_never_bound() -> None:
    """`bind` speaks of the binding's own protocol."""
    run = Run(MESSAGES, MESSAGES).ask(ask(MESSAGES, tools=["look"]))
    run.play(answer(MESSAGES, thought=THOUGHT, sealed=True, calls=[CALL]))
    elsewhere = Run(MESSAGES, RESPONSES, unattributed="bind", accept=())
    first: Payload = {"role": "user", "content": "go"}
    elsewhere.ask(ask(MESSAGES, messages=[first, *replay(run)]))
    error = elsewhere.relay.error
    assert isinstance(error, RequestRefused)
    assert ("turn.opaque.unattributed", "items[1]") == (error.loss, error.path)


def test_claude_code_may_ask_for_no_thinking_text() -> None:
    """Unsigned reasoning is then a loss, and signed thinking has no text."""
    body = ask(MESSAGES, thinking={"type": "adaptive", "display": "omitted"})
    accept = CROSS_VENDOR | {"turn.thinking.mode", "turn.thinking.display"}
    run = Run(MESSAGES, CHAT, accept=accept).ask(body).play(answer(CHAT, thought=THOUGHT))
    assert THOUGHT.encode() not in run.body
    assert b"thinking_delta" not in run.body
    assert "answer.reasoning" in {loss.name for loss in run.relay.losses}
    run = Run(MESSAGES, MESSAGES).ask(body)
    run.play(answer(MESSAGES, thought=THOUGHT, sealed=True))
    assert b"thinking_delta" not in run.body
    assert b"SEAL" in run.body


# sealed across wires


@sealed_pairs
@pytest.mark.parametrize("streams", [True, False])
@pytest.mark.parametrize("cut", [whole, by_event, singles])
@pytest.mark.parametrize("thought", [THOUGHT, ""])
def test_state_survives_a_tool_loop_through_a_foreign_client(
    client: Protocol, server: Protocol, streams: bool, cut: Any, thought: str
) -> None:
    """Sealed on the way out, opened on the way back, and sent as it came: nobody between can read it."""
    seal, unseal = sealer()
    run = Run(client, server, seal=seal, unseal=unseal, accept=ZEROS)
    run.ask(ask(client, tools=["look"], stream=streams))
    run.play(*cut(answer(server, "", thought=thought, sealed=True, calls=[CALL])))
    assert run.relay.error is None
    assert b"SEAL" not in run.body
    (item,) = thoughts(run)
    assert isinstance(item, Opaque)
    assert (client, thought) == (item.protocol, item.text or "")
    following = again(run, replay(run), unseal=unseal, accept=ZEROS)
    assert following.relay.error is None
    sent = json.dumps(following.sent_body)
    direct = Run(server, server).ask(ask(server, tools=["look"]))
    direct.play(answer(server, "", thought=thought, sealed=True, calls=[CALL]))
    plain = json.dumps(again(direct, replay(direct), unattributed="bind").sent_body)
    assert "SEAL" in sent
    assert _state(plain, server) == _state(sent, server)


def _state(body: str, server: Protocol) -> list[Any]:
    """The sealed things of a request."""
    read = json.loads(body)
    if server is CHAT:
        return [m["reasoning_details"] for m in read["messages"] if "reasoning_details" in m]
    if server is RESPONSES:
        return [item for item in read["input"] if item.get("type") == "reasoning"]
    blocks = [b for m in read["messages"] if isinstance(m["content"], list) for b in m["content"]]
    return [block for block in blocks if block["type"] == "thinking"]


@sealed_pairs
def test_an_item_is_sealed_once(client: Protocol, server: Protocol) -> None:
    """The stream and what the relay keeps as its outcome agree, though no two seals are alike."""
    seal, _ = sealer()
    calls: list[bytes] = []

    def counted(data: bytes) -> str:
        calls.append(data)
        return seal(data)

    run = Run(client, server, seal=counted).ask().play(answer(server, thought="Hm", sealed=True))
    assert 1 == len(calls)
    assert run.relay.outcome is not None
    kept = [item.payload for item in run.relay.outcome.items if isinstance(item, Opaque)]
    read = [item.payload for item in thoughts(run)]
    key = "signature" if client is MESSAGES else "encrypted_content"
    assert [each[key] for each in read] == [each[key] for each in kept]


@pytest.mark.parametrize("client", [MESSAGES, RESPONSES])
@pytest.mark.parametrize("streams", [True, False])
def test_a_summary_of_several_parts_is_sealed_whole(client: Protocol, streams: bool) -> None:
    """What was shown as it came and what the sealed item says are one text."""
    parts = [{"type": "summary_text", "text": text} for text in ("One", "Two")]
    item: Payload = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "SEAL"}
    done = {**item, "summary": parts}
    at = {"item_id": "rs_1", "output_index": 0}
    deltas: list[Payload] = []
    for index, part in enumerate(parts):
        event, place = "response.reasoning_summary_", {**at, "summary_index": index}
        deltas += [
            {"type": f"{event}part.added", **place, "part": {**part, "text": ""}},
            {"type": f"{event}text.delta", **place, "delta": part["text"]},
            {"type": f"{event}text.done", **place, "text": part["text"]},
            {"type": f"{event}part.done", **place, "part": part},
        ]
    first, *_, last = by_event(answer(RESPONSES, ""))
    end = json.loads(last.partition(b"data: ")[2])
    end["response"]["output"] = [done]
    data = first + frames(
        RESPONSES,
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        *deltas,
        {"type": "response.output_item.done", "output_index": 0, "item": done},
        end,
    )
    seal, unseal = sealer()
    if client is RESPONSES:
        run = Run(client, RESPONSES).ask(ask(client, stream=streams)).play(data)
    else:
        run = Run(client, RESPONSES, seal=seal, accept=ZEROS).ask(ask(client, stream=streams))
        run.play(data)
    assert run.relay.error is None
    assert ["One\n\nTwo"] == [item.text for item in thoughts(run)]
    if client is MESSAGES:
        body = json.loads(_whole(run))["content"]
        back = Run(client, RESPONSES, unseal=unseal).ask(
            ask(client, messages=[
                {"role": "user", "content": "go"},
                {"role": "assistant", "content": body},
                {"role": "user", "content": "on"},
            ])
        )  # fmt: skip
        assert [done] == _state(json.dumps(back.sent_body), RESPONSES)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda seal: seal[:-1],
        lambda seal: seal + "x",
        lambda seal: seal.replace(".mac", ".other.mac"),
        lambda _: "llmp1.",
        lambda _: "llmp1.0.e30=.mac",
        lambda _: "llmp1.0.bnVsbA==.mac",
        lambda _: "llmp1.0.W10=.mac",
        lambda _: f"llmp1.{'x' * 2 * MAX_SEALED_BYTES}",
        lambda _: "llmp1.0." + urlsafe_b64encode(b'{"provenance":{},"payload":{},"text":1}').decode()
        + ".mac",
    ],
)  # fmt: skip
@pytest.mark.parametrize("client", [MESSAGES, RESPONSES])
def test_a_seal_that_does_not_open_is_refused(
    client: Protocol, spoil: Callable[[str], str]
) -> None:
    """Tampering is never guessed about, whatever losses are accepted."""
    seal, unseal = sealer()
    run = Run(client, CHAT, seal=seal).ask(ask(client, tools=["look"], stream=False))
    run.play(answer(CHAT, "", thought="Hm", sealed=True, calls=[CALL]))
    said = json.loads(json.dumps(replay(run)), object_hook=lambda node: _spoiled(node, spoil))
    refused = again(run, said, unseal=unseal)
    assert 400 == refused.head.status
    error = refused.relay.error
    assert isinstance(error, RequestRefused)
    assert (RefusalCode.INVALID_REQUEST, "items[1]") == (error.code, error.path)


def _spoiled(node: Payload, spoil: Callable[[str], str]) -> Payload:
    for key in ("signature", "encrypted_content"):
        if node.get(key):
            node[key] = spoil(node[key])
    return node


@sealed_pairs
def test_without_the_key_a_seal_is_state_like_any(client: Protocol, server: Protocol) -> None:
    """Off by default: it is nobody's, and left out by name."""
    seal, _ = sealer()
    run = Run(client, server, seal=seal).ask(ask(client, tools=["look"], stream=False))
    run.play(answer(server, "", thought="Hm", sealed=True, calls=[CALL]))
    following = again(run, replay(run))
    assert "llmp1." not in json.dumps(following.sent_body)
    assert "turn.opaque.unattributed" in {loss.name for loss in following.relay.losses}


def test_opened_state_goes_back_only_where_it_came_from() -> None:
    """Another account is another provenance: the state is left out by name, or refused."""
    seal, unseal = sealer()
    run = Run(MESSAGES, RESPONSES, seal=seal).ask(ask(MESSAGES, tools=["look"], stream=False))
    run.play(answer(RESPONSES, "", thought="Hm", sealed=True, calls=[CALL]))
    from attrs import evolve

    other = evolve(binding_of(RESPONSES, **HABITS[RESPONSES]), account="another")
    for server, binding in ((RESPONSES, other), (CHAT, None), (MESSAGES, None)):
        elsewhere = Run(MESSAGES, server, unseal=unseal, binding=binding, unattributed="bind")
        first: Payload = {"role": "user", "content": "go"}
        elsewhere.ask(ask(MESSAGES, tools=["look"], messages=[first, *replay(run)]))
        assert "SEAL" not in json.dumps(elsewhere.sent_body)
        assert "turn.opaque" in {loss.name for loss in elsewhere.relay.losses}


@sealed_pairs
@pytest.mark.parametrize("streams", [True, False])
def test_state_too_large_to_seal_is_what_it_is_without_a_seal(
    client: Protocol, server: Protocol, streams: bool
) -> None:
    """A named loss, with its text still readable; not the end of the answer."""
    seal, _ = sealer()
    data = answer(server, thought="Hm", sealed=True)
    data = data.replace(b"SEAL", b"S" * (MAX_SEALED_BYTES + 1))
    run = Run(client, server, seal=seal).ask(ask(client, stream=streams)).play(data)
    assert run.relay.error is None
    assert ["Hm"] == [item.text for item in thoughts(run)]
    assert "answer.opaque" in {loss.name for loss in run.relay.losses}


@pytest.mark.parametrize("wire", list(Protocol))
def test_a_wires_own_state_needs_no_seal(wire: Protocol) -> None:
    """It goes through as it is."""
    seal, _ = sealer()
    run = Run(wire, wire, seal=seal).ask().play(answer(wire, thought="Hm", sealed=True))
    assert b"llmp1." not in run.body
    assert b"SEAL" in run.body
