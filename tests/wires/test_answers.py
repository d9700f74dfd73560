"""What every encoder of answers shares, driven through a wire of brackets."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from llm_projections.errors import Dispatch, Refusal, RefusalCode, RequestRefused, ResponseRefused
from llm_projections.model.binding import Identity
from llm_projections.model.events import (
    Event,
    ItemCompleted,
    ReasoningDelta,
    RefusalDelta,
    ResponseStarted,
    TextDelta,
    ToolArgumentsDelta,
    ToolCallStarted,
    TurnCompleted,
    TurnFailed,
    UsageReported,
)
from llm_projections.model.items import Reasoning
from llm_projections.model.losses import Loss
from llm_projections.model.outcome import EndTurn, TurnOutcome, Usage, Warning
from llm_projections.model.results import AnswerShape
from llm_projections.wires._answers import (
    AnswerLosses,
    BaseIngressStream,
    unsayable,
    write_events,
    write_events_async,
)
from tests.everything import IDENTITY

FAILURE = ResponseRefused(RefusalCode.UNAVAILABLE, "x")
DONE = TurnCompleted(TurnOutcome(EndTurn(), ()))


class Brackets(BaseIngressStream):
    """Says each event's name in brackets; has no place for reasoning or refusals."""

    def _name(self, event: Any) -> bytes:
        return f"<{type(event).__name__}>".encode()

    _text = _call = _arguments = _item = _usage = _name

    def keepalive(self) -> bytes:
        return b"<>"

    def _more(self, like: Any, texts: list[str], quoted: list[bytes]) -> bytes | None:
        return None

    def _reasoning(self, event: ReasoningDelta) -> bytes:
        self.lose("answer.reasoning", f"output[{event.index}]")
        return b""

    def _refusal(self, event: RefusalDelta) -> bytes:
        raise unsayable("no place for a refusal", "output[0]")

    def _completed(self, event: TurnCompleted) -> bytes:
        self.done = True
        return b"<end>"

    def _failure(self, error: Refusal) -> bytes:
        return f"<{error.code.value}>".encode()


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (TextDelta("a", 0), b"<TextDelta>"),
        (ToolCallStarted("c", "f", 0), b"<ToolCallStarted>"),
        (ToolArgumentsDelta("c", "{}", 0), b"<ToolArgumentsDelta>"),
        (ItemCompleted(Reasoning("r"), 0), b"<ItemCompleted>"),
        (UsageReported(Usage(1)), b"<UsageReported>"),
        (ResponseStarted("id", "m"), b""),
        (Warning("odd", "fixed"), b""),
        (DONE, b"<end>"),
        (TurnFailed(FAILURE), b"<UNAVAILABLE>"),
    ],
)
def test_each_event_has_its_handler(event, expected):
    """Openings and warnings show nothing of themselves."""
    assert expected == Brackets(IDENTITY).encode(event)


@pytest.mark.parametrize("terminal", [DONE, TurnFailed(FAILURE)])
def test_nothing_is_written_after_the_terminal_frame(terminal):
    """An event then is misuse; another failure is nothing."""
    stream = Brackets(IDENTITY)
    stream.encode(terminal)
    assert stream.done
    assert b"" == stream.fail(FAILURE)
    with pytest.raises(RuntimeError, match="has ended"):
        stream.encode(TextDelta("a", 0))


@pytest.mark.parametrize("error", [FAILURE, RequestRefused(RefusalCode.TOO_LARGE, "x")])
def test_any_refusal_closes_the_stream_in_the_wires_own_words(error):
    """Once."""
    stream = Brackets(IDENTITY)
    assert f"<{error.code.value}>".encode() == stream.fail(error)
    assert b"" == stream.fail(error)


def test_what_has_no_place_is_refused_and_leaves_the_stream_open():
    """So that it can still be closed properly; a model worked on it, and a retry is not free."""
    stream = Brackets(IDENTITY)
    with pytest.raises(ResponseRefused) as refused:
        stream.encode(RefusalDelta("no", 0))
    error = refused.value
    assert (RefusalCode.UNSUPPORTED, Dispatch.ACCEPTED, False, "output[0]") == (
        error.code,
        error.dispatch,
        error.retriable,
        error.path,
    )
    assert not stream.done
    assert b"<TextDelta>" == stream.encode(TextDelta("a", 0))


def test_an_accepted_loss_is_reported_once_a_place():
    """However many deltas it takes away."""
    stream = Brackets(IDENTITY, accept=["answer.reasoning"])
    for index in (0, 0, 1):
        assert b"" == stream.encode(ReasoningDelta("r", index))
    names = [Loss("answer.reasoning", "output[0]"), Loss("answer.reasoning", "output[1]")]
    assert names == stream.losses


def test_a_loss_that_was_not_accepted_is_refused_by_name():
    """So that a caller knows what to decide."""
    with pytest.raises(ResponseRefused, match=r"\(answer\.reasoning\)"):
        Brackets(IDENTITY).encode(ReasoningDelta("r", 0))


def test_losses_go_into_the_list_of_the_caller():
    """Where only bytes come back."""
    into: list[Loss] = []
    AnswerLosses(["answer.usage"], into).lose("answer.usage", "usage")
    assert [Loss("answer.usage", "usage")] == into
    with pytest.raises(ValueError, match="not the name of a loss"):
        Brackets(IDENTITY, accept=["answer.everything"])


@pytest.mark.parametrize(
    ("given", "reported", "expected"),
    [("mine", "theirs", "mine"), ("mine", None, "mine"), (None, "theirs", "theirs")],
)
def test_the_model_is_named_by_the_caller_or_by_the_server(given, reported, expected):
    """Never by a configured name."""
    stream = Brackets(Identity("r", 0, given))
    stream.encode(ResponseStarted("id", reported))
    assert expected == stream.model()


def test_a_model_that_nobody_named_is_refused():
    """Nothing is invented."""
    with pytest.raises(ResponseRefused, match="named the model"):
        Brackets(Identity("r", 0)).model()


def test_the_usual_answer_of_a_stream_is_a_stream():
    """A shape is optional, and one stream's is not another's."""
    assert AnswerShape(stream=True) == Brackets(IDENTITY).answer


SEQUENCES: list[tuple[list[Event], bytes]] = [
    ([TextDelta("a", 0), DONE], b"<TextDelta><end>"),
    ([ResponseStarted("id"), DONE, TextDelta("a", 0)], b"<end>"),
    ([TextDelta("a", 0), TurnFailed(FAILURE)], b"<TextDelta><UNAVAILABLE>"),
    ([TextDelta("a", 0), RefusalDelta("n", 0), DONE], b"<TextDelta><UNSUPPORTED>"),
    ([TextDelta("a", 0)], b"<TextDelta>"),
]


@pytest.mark.parametrize(("events", "expected"), SEQUENCES)
def test_a_driver_closes_what_it_cannot_say_and_stops_there(events, expected):
    """Its pieces are never empty; the rest of the events is not asked for."""
    pieces = list(write_events(Brackets(IDENTITY), events))
    assert expected == b"".join(pieces)
    assert b"" not in pieces


@pytest.mark.parametrize(("events", "expected"), SEQUENCES)
def test_an_asynchronous_driver_writes_the_same(events, expected):
    """Under any event loop."""

    async def source() -> AsyncIterator[Event]:
        for event in events:
            yield event

    async def collected() -> list[bytes]:
        return [data async for data in write_events_async(Brackets(IDENTITY), source())]

    assert expected == b"".join(asyncio.run(collected()))
