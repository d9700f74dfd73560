"""Good exchanges: every client's wire before every server's."""

import json
from typing import Any

import pytest
from attrs import evolve

from llm_projections import (
    AGENT_CLIENTS,
    AnswerBody,
    AnswerHead,
    ApiKey,
    AssistantMessage,
    Bearer,
    Conversation,
    Identity,
    Limits,
    Loss,
    Opaque,
    Protocol,
    Reasoning,
    Text,
    ToolCall,
    ToolCalls,
    TurnRequest,
)
from llm_projections.wires import WIRES
from tests.everything import HABITS, binding_of
from tests.helpers import by_event, chunked, singles, whole
from tests.relay.gateway import (
    ALIAS,
    CHAT,
    MESSAGES,
    PAIRS,
    RESPONSES,
    SSE,
    Run,
    answer,
    ask,
    frames,
    opening,
)

CALLS = (("call_1", "look", '{"at":1}'), ("call_2", "look", "{}"))
SECRET = "sk-very-secret"
pairs = pytest.mark.parametrize(("client", "server"), PAIRS)


def said(run: Run) -> dict[str, Any]:
    """What the client reads, without ids of items and provenance."""
    outcome = run.outcome()
    texts: list[str] = []
    calls: list[tuple[str, str, Any]] = []
    thoughts: list[str] = []
    for item in outcome.items:
        match item:
            case AssistantMessage(content):
                texts += [part.text for part in content if isinstance(part, Text)]
            case ToolCall(call_id, name, arguments):
                calls.append((call_id, name, json.loads(arguments or "{}")))
            case Reasoning(text):
                thoughts.append(text)
            case _:
                raise AssertionError(item)
    return {"texts": texts, "calls": calls, "thoughts": thoughts, "stop": outcome.stop}


@pairs
@pytest.mark.parametrize("streams", [True, False])
@pytest.mark.parametrize("cut", [whole, singles, by_event, lambda data: chunked(data, 61)])
def test_an_answer_crosses(client: Protocol, server: Protocol, streams: bool, cut: Any) -> None:
    """Text, reasoning and parallel calls come through, whether the client streams and however bytes are cut."""
    run = Run(client, server).ask(ask(client, tools=["look"], stream=streams))
    run.play(*cut(answer(server, "Hello, world", thought="Let me see", calls=CALLS)))
    assert 200 == run.head.status
    expected = "text/event-stream; charset=utf-8" if streams else "application/json"
    assert expected == dict(run.head.headers)["content-type"]
    assert {
        "texts": ["Hello, world"],
        "calls": [("call_1", "look", {"at": 1}), ("call_2", "look", {})],
        "thoughts": ["Let me see"],
        "stop": ToolCalls(),
    } == said(run)
    assert (True, None) == (run.relay.done, run.relay.error)
    assert run.relay.outcome is not None
    assert ToolCalls() == run.relay.outcome.stop


@pairs
def test_a_stream_and_a_whole_answer_say_the_same(client: Protocol, server: Protocol) -> None:
    """Upstream is streamed in both cases, and the client's two readers agree."""
    runs = [
        Run(client, server)
        .ask(ask(client, tools=["look"], stream=streams))
        .play(answer(server, thought="Hm", calls=CALLS))
        for streams in (True, False)
    ]
    assert runs[0].sent_body == runs[1].sent_body
    assert runs[0].sent_body["stream"] is True
    assert said(runs[0]) == said(runs[1])
    assert runs[0].relay.outcome == runs[1].relay.outcome


@pairs
@pytest.mark.parametrize("streams", [True, False])
def test_counters_cross_on_one_scale(client: Protocol, server: Protocol, streams: bool) -> None:
    """Cache reads are within the input and reasoning is within the output, whoever counted."""
    run = Run(client, server).ask(ask(client, stream=streams)).play(answer(server))
    for outcome in (run.outcome(), run.relay.outcome):
        assert outcome is not None
        usage = outcome.observation.usage
        assert usage is not None
        counted = (usage.input_tokens, usage.output_tokens, usage.cached_input_tokens)
        assert (11, 7, 3) == counted


@pairs
@pytest.mark.parametrize("streams", [True, False])
def test_an_alias_goes_out_as_the_upstream_name_and_comes_back(
    client: Protocol, server: Protocol, streams: bool
) -> None:
    """Neither the alias nor the upstream's name is seen on the other side."""
    run = Run(client, server).ask(ask(client, stream=streams)).play(answer(server))
    assert run.sent is not None
    assert "upstream-model" == run.sent_body["model"]
    assert ALIAS.encode() not in run.sent.body
    assert ALIAS == run.outcome().observation.upstream_model
    assert b"upstream-model" not in run.body
    assert b'"real"' not in run.body


def test_the_operator_may_name_the_model() -> None:
    """A name that the caller gives stands."""
    run = Run(CHAT, CHAT, identity=Identity("resp_1", 1, "house-model"))
    run.ask().play(answer(CHAT))
    assert "house-model" == run.outcome().observation.upstream_model


@pairs
@pytest.mark.parametrize(
    ("auth", "header"), [(Bearer(), "authorization"), (ApiKey("x-goog-api-key"), "x-goog-api-key")]
)
def test_the_credential_is_in_its_header_alone(
    client: Protocol, server: Protocol, auth: Any, header: str
) -> None:
    """Not in a body, a repr, an error or what the client gets; nor does the client's own go upstream."""
    run = Run(client, server, binding=binding_of(server, auth=auth), credential=SECRET)
    run.ask(headers=[("authorization", "Bearer client-own"), ("x-api-key", "client-own")])
    assert run.sent is not None
    assert [header] == [name for name, value in run.sent.headers if SECRET in value]
    assert not [value for _, value in run.sent.headers if "client-own" in value]
    run.play(b'{"error":{"message":"no"}}', status=401)
    seen = (run.sent.url, run.sent.body, repr(run.sent), repr(run.relay), repr(run.relay.error))
    assert not [text for text in (*map(str, seen), str(run.out)) if SECRET in text]


@pairs
def test_what_is_sent_is_a_post_to_the_path_of_the_wire(client: Protocol, server: Protocol) -> None:
    """The URL is the binding's, never the client's."""
    run = Run(client, server).ask()
    assert run.sent is not None
    path = WIRES[server].path
    assert ("POST", f"https://upstream.example/v1/{path}") == (run.sent.method, run.sent.url)
    assert "application/json" == dict(run.sent.headers)["content-type"]


# what was left out


def test_the_losses_of_both_halves_are_in_one_list() -> None:
    """A cache mark of the request and the seal of the answer, each at its place."""
    mark = {"type": "ephemeral"}
    content = [{"type": "text", "text": "go", "cache_control": mark}]
    binding = binding_of(RESPONSES)
    binding = evolve(binding, capabilities=evolve(binding.capabilities, cache_marks=False))
    body = ask(MESSAGES, messages=[{"role": "user", "content": content}], service_tier="auto")
    run = Run(MESSAGES, RESPONSES, binding=binding).ask(body)
    assert Loss("turn.cache", "items[0].content[0].cache") in run.relay.losses
    before = len(run.relay.losses)
    run.play(answer(RESPONSES, sealed=True, thought="Hm"))
    assert Loss("answer.opaque", "items[0]") in run.relay.losses[before:]
    assert len(set(run.relay.losses)) == len(run.relay.losses)


@pytest.mark.parametrize("streams", [True, False])
def test_a_loss_is_reported_once_streamed_or_whole(streams: bool) -> None:
    """The two forms of an answer leave out the same."""
    run = Run(CHAT, MESSAGES).ask(ask(CHAT, stream=streams))
    run.play(answer(MESSAGES, sealed=True, thought="Hm"))
    assert [Loss("answer.opaque", "items[0]")] == run.relay.losses


@pytest.mark.parametrize("streams", [True, False])
def test_what_was_not_accepted_is_refused_on_the_way_back(streams: bool) -> None:
    """An answer is never lowered unasked: before anything was shown that is a status."""
    run = Run(CHAT, MESSAGES, accept=()).ask(ask(CHAT, stream=streams))
    run.play(answer(MESSAGES, "", sealed=True))
    assert run.head.status >= 400
    assert run.relay.outcome is None
    assert run.relay.error is not None
    assert ("items[0]", False) == (run.relay.error.path, run.relay.error.may_retry)


def test_an_unknown_name_is_no_loss() -> None:
    """A typing mistake in what is accepted shows at once."""
    with pytest.raises(ValueError, match=r"turn\.cash"):
        Run(CHAT, CHAT, accept={"turn.cash"})


def test_how_state_is_attributed_is_one_of_two_words() -> None:
    """A typing mistake there shows too."""
    with pytest.raises(ValueError, match="unattributed"):
        Run(CHAT, CHAT, unattributed="maybe")


# when what comes


@pairs
def test_the_head_waits_for_output_and_then_comes_at_once(
    client: Protocol, server: Protocol
) -> None:
    """An opening event shows nothing; the first piece of text goes out in the very feed that completes it."""
    run = Run(client, server).ask()
    data = answer(server, "Hi")
    run.play(opening(server), close=False)
    assert [] == run.out
    rest = data[len(opening(server)) :]
    for at in range(len(rest)):
        run.take(run.relay.feed(rest[at : at + 1]))
        if run.out:
            break
    shown = rest[: at + 1]
    assert b"Hi" in shown
    assert shown.endswith(b"\n\n")
    assert b"Hi" in run.body
    assert 200 == run.head.status


@pairs
def test_every_event_is_shown_in_the_feed_that_completes_it(
    client: Protocol, server: Protocol
) -> None:
    """Nothing is held back until later: each piece of text is out before the next comes in."""
    run = Run(client, server).ask().play(close=False)
    told = ""
    for frame in by_event(answer(server, "abcdefghi")):
        run.take(run.relay.feed(frame))
        for piece in ("abc", "def", "ghi"):
            if f'"{piece}"'.encode() in frame and piece not in told:
                told += piece
                assert f'"{piece}"'.encode() in run.body
    assert "abcdefghi" == told


@pairs
def test_one_feed_gives_one_piece(client: Protocol, server: Protocol) -> None:
    """A head and a body at most, so that a server writes once a read."""
    run = Run(client, server).ask().play(close=False)
    out = run.relay.feed(answer(server, "Hello" * 9))
    assert [AnswerHead, AnswerBody] == [type(piece) for piece in out]


@pairs
def test_bytes_after_the_end_are_ignored(client: Protocol, server: Protocol) -> None:
    """Once the turn has ended nothing changes any more."""
    run = Run(client, server).ask().play(answer(server))
    before, outcome = list(run.out), run.relay.outcome
    run.take(run.relay.feed(answer(server, "more")))
    run.take(run.relay.close())
    run.take(run.relay.keepalive())
    run.take(run.relay.transport_failed(None))
    assert before == run.out
    assert (outcome, None) == (run.relay.outcome, run.relay.error)


@pairs
def test_a_keepalive_commits_the_head(client: Protocol, server: Protocol) -> None:
    """It may come before the server answered; what follows is the same answer."""
    run = Run(client, server).ask()
    run.take(run.relay.keepalive())
    assert 200 == run.head.status
    run.take(run.relay.response(200, SSE))
    for frame in by_event(answer(server, "Hello", calls=CALLS[:1])):
        run.take(run.relay.feed(frame))
        run.take(run.relay.keepalive())
    assert ["Hello"] == said(run)["texts"]
    assert [("call_1", "look", {"at": 1})] == said(run)["calls"]


def test_what_waited_for_the_head_is_shown_behind_it() -> None:
    """Counters that came before any output stand in the first event of an answer."""
    run = Run(MESSAGES, MESSAGES).ask().play(*by_event(answer(MESSAGES)))
    first = json.loads(by_event(run.body)[0].partition(b"data: ")[2])
    assert ("message_start", 8) == (first["type"], first["message"]["usage"]["input_tokens"])


@pairs
def test_a_keepalive_after_the_opening_event_loses_nothing(
    client: Protocol, server: Protocol
) -> None:
    """What waited goes out with it."""
    run = Run(client, server).ask().play(opening(server), close=False)
    run.take(run.relay.keepalive())
    run.play(answer(server)[len(opening(server)) :])
    assert ["Hello"] == said(run)["texts"]


def test_a_client_of_a_whole_answer_gets_no_keepalive() -> None:
    """A body has no place for one."""
    run = Run(CHAT, CHAT).ask(ask(CHAT, stream=False))
    assert [] == run.relay.keepalive()


def test_before_a_request_there_is_nothing_to_keep_alive() -> None:
    """Nothing fails either: a timer may run from the first."""
    assert [] == Run(CHAT, CHAT).relay.keepalive()


def test_what_is_called_out_of_order_is_a_misuse() -> None:
    """A request and an answer come once each, in this order; bytes come after the status."""
    relay = Run(CHAT, CHAT).relay
    with pytest.raises(RuntimeError, match="one answer follows one request"):
        relay.response(200, SSE)
    for early in (lambda: relay.feed(b"data: {}\n\n"), relay.close):
        with pytest.raises(RuntimeError, match="an answer begins with its status"):
            early()
    relay.request((), ask(CHAT))
    for early in (lambda: relay.feed(b"data: {}\n\n"), relay.close):
        with pytest.raises(RuntimeError, match="an answer begins with its status"):
            early()
    relay.response(200, SSE)
    with pytest.raises(RuntimeError, match="a relay carries one request"):
        relay.request((), ask(CHAT))
    with pytest.raises(RuntimeError, match="one answer follows one request"):
        relay.response(200, SSE)
    relay.feed(answer(CHAT))
    assert relay.outcome is not None


def test_what_still_comes_after_the_end_is_ignored() -> None:
    """Of a request that was refused, too: whoever drives a relay need not look what became of it."""
    relay = Run(CHAT, CHAT).relay
    relay.request((), b"{}")
    assert relay.done
    assert ([], [], []) == (relay.response(200, SSE), relay.feed(b"x"), relay.close())


# what the caller adds


def test_prepare_sees_the_bound_turn_and_may_change_it() -> None:
    """It runs before wrapping and projection, with the binding's model in place."""
    seen: list[TurnRequest] = []

    def prepare(turn: TurnRequest) -> TurnRequest:
        seen.append(turn)
        return evolve(turn, max_output_tokens=5)

    run = Run(CHAT, MESSAGES, prepare=prepare).ask()
    assert ["caller-model"] == [turn.model for turn in seen]
    assert 5 == run.sent_body["max_tokens"]
    thought = {"type": "thinking", "thinking": "Hm", "signature": "SEAL"}
    history = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [thought, {"type": "text", "text": "Hello"}]},
        {"role": "user", "content": "on"},
    ]
    run = Run(MESSAGES, MESSAGES, prepare=prepare, unattributed="bind")
    run.ask(ask(MESSAGES, messages=history))
    provenances = [item.provenance for item in seen[-1].items if isinstance(item, Opaque)]
    assert [run.relay.binding.provenance] == provenances


def test_a_conversation_is_named_where_the_wire_has_a_place() -> None:
    """Its id and the number of the request are headers on Responses."""
    run = Run(CHAT, RESPONSES, conversation=Conversation("c1"), request_number=4).ask()
    assert run.sent is not None
    headers = dict(run.sent.headers)
    assert ("c1", "c1-4") == (headers["session-id"], headers["x-client-request-id"])
    assert "c1" == run.sent_body["prompt_cache_key"]


def test_limits_hold_for_the_request() -> None:
    """A body past its bound is refused before it is read."""
    run = Run(CHAT, CHAT, limits=Limits(request_bytes=20)).ask()
    assert 413 == run.head.status


def test_warnings_are_collected() -> None:
    """What was odd about an answer is told beside it, also while deltas pass straight on."""
    unknown = frames(MESSAGES, {"type": "never_heard_of"})
    data = by_event(answer(MESSAGES))
    run = Run(CHAT, MESSAGES, accept=AGENT_CLIENTS).ask().play(*data[:3], unknown, *data[3:])
    assert ["unknown-stream-event"] == [warning.code for warning in run.relay.warnings]
    assert ["Hello"] == said(run)["texts"]


def test_a_tool_result_that_looks_like_our_envelope_is_left_alone() -> None:
    """A client of another make never wrote one."""
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    text = '{"error":"x","ok":false}'
    history = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": text},
    ]
    binding = binding_of(RESPONSES, tool_result_envelope="failures", **HABITS[RESPONSES])
    run = Run(CHAT, RESPONSES, binding=binding).ask(ask(CHAT, messages=history))
    assert text == run.sent_body["input"][-1]["output"]


def test_two_relays_of_one_exchange_give_the_same_bytes() -> None:
    """Nothing is minted: equal inputs, equal outputs."""
    first, second = (Run(RESPONSES, MESSAGES).ask(ask(RESPONSES, tools=["look"])) for _ in range(2))
    first.play(answer(MESSAGES, calls=CALLS))
    second.play(*singles(answer(MESSAGES, calls=CALLS)))
    assert first.sent == second.sent
    assert first.body == second.body
