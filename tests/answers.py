"""Hypothesis strategies: what a server of each wire answers, as neutral events and as bytes.

`answers(binding)` gives events as a decoder of that binding would: what its wire can say, item by item. `said(events)`
is their bytes, written by the wire's own encoder.
"""

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

from hypothesis import strategies as st

from llm_projections.model.binding import Binding
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
    UsageReported,
    Warning,
)
from llm_projections.model.items import (
    AssistantMessage,
    CustomToolCall,
    Extension,
    Item,
    Opaque,
    Protocol,
    Reasoning,
    RefusalText,
    Text,
    ToolCall,
    WireItem,
)
from llm_projections.model.losses import Loss
from llm_projections.model.outcome import (
    EndTurn,
    Incomplete,
    MaxOutputTokens,
    Observation,
    StopReason,
    StopSequence,
    ToolCalls,
    TurnOutcome,
    Usage,
)
from llm_projections.model.results import AnswerShape
from llm_projections.wires import WIRES
from llm_projections.wires._usage import disjoint_usage, inclusive_usage
from tests.everything import IDENTITY, SHAPE
from tests.knobs import CHAT, KNOBS, MESSAGES, RESPONSES
from tests.values import arguments, json_objects, names, texts

__all__ = ["answers", "decoded", "exploded", "outcomes", "said", "written"]


# How each wire may end beside its calls; a reason of its own is said by its own word.
_STOPS: dict[Protocol, list[StopReason]] = {
    CHAT: [MaxOutputTokens(), Incomplete("content_filter")],
    MESSAGES: [
        MaxOutputTokens(),
        StopSequence("END"),
        Incomplete("pause_turn"),
        Incomplete("refusal"),
        Incomplete("model_context_window_exceeded"),
    ],
    RESPONSES: [MaxOutputTokens(), Incomplete("content_filter")],
}


class _Drawn:
    """One outcome while it is drawn."""

    def __init__(self, draw: Callable[..., Any], binding: Binding) -> None:
        self.draw, self.binding, self.wire = draw, binding, binding.protocol
        self.calls = 0

    def some(self, *options: Any) -> Any:
        return self.draw(st.sampled_from(options))

    def chance(self) -> bool:
        return bool(self.draw(st.integers(0, 2)) == 0)

    def text(self) -> Text:
        text = Text(self.draw(texts(1)))
        # on Chat annotations come after the text, on the message
        if self.wire is CHAT or not self.chance():
            return text
        path = (
            "messages.content.citations" if self.wire is MESSAGES else "input.content.annotations"
        )
        note = Extension(self.wire, path, {"type": "t", **self.draw(json_objects())})
        return Text(text.text, (note,))

    def message(self) -> AssistantMessage:
        if self.wire is MESSAGES:
            return AssistantMessage((self.text(),))
        parts: list[Any] = [self.text()]
        if self.wire is RESPONSES and self.chance():
            parts.append(self.text())
        if self.wire is RESPONSES and self.chance():
            parts.append(RefusalText(self.draw(texts(1))))
        return AssistantMessage(tuple(parts))

    def thought(self) -> Item:
        text = self.draw(texts(1))
        if self.chance():
            return Reasoning(text, self.wire is RESPONSES and self.chance())
        return Opaque(self.binding.provenance, *self._sealed(text))

    def _sealed(self, text: str) -> tuple[dict[str, Any], str | None]:
        if self.wire is CHAT:
            entry = {"type": "reasoning.text", "text": text, "signature": "s"}
            return {"reasoning_details": [entry]}, text
        if self.wire is RESPONSES:
            part = {"type": "summary_text", "text": text}
            return {
                "id": f"rs_{self.draw(st.integers(0, 9))}",
                "type": "reasoning",
                "summary": [part],
                "encrypted_content": "e",
            }, text
        if self.chance():
            return {"type": "redacted_thinking", "data": "d"}, None
        return {"type": "thinking", "thinking": text, "signature": "s"}, text

    def call(self) -> Item:
        self.calls += 1
        call_id, name = f"call_{self.calls}", self.draw(names())
        if self.wire is RESPONSES and self.chance():
            return CustomToolCall(call_id, name, self.draw(texts()))
        return ToolCall(call_id, name, self.draw(arguments()))

    def items(self) -> tuple[Item, ...]:
        thoughts = [self.thought()] if self.chance() else []
        messages = [self.message()] if self.chance() else []
        calls = [self.call() for _ in range(self.draw(st.integers(0, 2)))]
        if self.wire is CHAT:
            # text and refusal stand in two fields here, and are two items
            if self.chance():
                messages.append(AssistantMessage((RefusalText(self.draw(texts(1))),)))
            return (*thoughts, *messages, *calls)
        ran: list[WireItem] = list(KNOBS[self.wire].items[:1]) if self.chance() else []
        return tuple(self.draw(st.permutations([*thoughts, *messages, *calls, *ran])))

    def usage(self) -> Usage | None:
        # Messages cannot leave counters out
        if self.wire is not MESSAGES and self.chance():
            return None
        read, written, fresh, thought, out = (self.draw(st.integers(0, 99)) for _ in range(5))
        dialect = self.binding.dialect
        if self.wire is MESSAGES:
            reported: dict[str, Any] = {
                "input_tokens": fresh,
                "cache_creation_input_tokens": written,
                "cache_read_input_tokens": read,
                "output_tokens": out,
            }
            return disjoint_usage(reported)
        given, answered = (
            ("prompt_tokens", "completion_tokens")
            if self.wire is CHAT
            else ("input_tokens", "output_tokens")
        )
        whole, total = fresh + read + written, out + thought
        reported = {
            given: whole,
            answered: total,
            "total_tokens": whole + total,
            f"{given}_details": {"cached_tokens": read, "cache_write_tokens": written},
            f"{answered}_details": {"reasoning_tokens": thought},
        }
        return inclusive_usage(reported, given, answered, dialect)

    def outcome(self) -> TurnOutcome:
        items = self.items()
        waits = any(isinstance(item, ToolCall | CustomToolCall) for item in items)
        usual: StopReason = ToolCalls() if waits else EndTurn()
        stop = self.some(*_STOPS[self.wire]) if self.chance() else usual
        usage = self.usage()
        seen = Observation(
            self.binding.provenance, "upstream-model", "resp_up", usage, usage is not None
        )
        return TurnOutcome(stop, items, seen)


@st.composite
def outcomes(draw: Callable[..., Any], binding: Binding) -> TurnOutcome:
    """What a server of this binding may answer, and its own wire can say."""
    return _Drawn(draw, binding).outcome()


def _pieces(draw: Callable[..., Any], text: str) -> list[str]:
    """A text in pieces, none of them empty."""
    at = sorted(draw(st.sets(st.integers(1, max(1, len(text) - 1)), max_size=3)))
    edges = [0, *(cut for cut in at if cut < len(text)), len(text)]
    return [text[a:b] for a, b in pairwise(edges) if a < b]


def _deltas(draw: Callable[..., Any], item: Item, index: int) -> list[Event]:
    """How an item is said before it is whole; nothing at all is a way too."""
    match item:
        case AssistantMessage((Text(text), *_)):
            return [TextDelta(piece, index) for piece in _pieces(draw, text)]
        case AssistantMessage((RefusalText(text), *_)):
            return [RefusalDelta(piece, index) for piece in _pieces(draw, text)]
        case Reasoning(text, summary):
            return [ReasoningDelta(piece, index, summary) for piece in _pieces(draw, text)]
        case Opaque(text=str(text)):
            # what may be read of it is a summary on Responses
            summary = item.protocol is RESPONSES
            return [ReasoningDelta(piece, index, summary) for piece in _pieces(draw, text)]
        case ToolCall(call_id, name, said) | CustomToolCall(call_id, name, said):
            started = ToolCallStarted(call_id, name, index, isinstance(item, CustomToolCall))
            pieces = _pieces(draw, said)
            return [started, *(ToolArgumentsDelta(call_id, piece, index) for piece in pieces)]
        case _:
            return []


@st.composite
def exploded(
    draw: Callable[..., Any], outcome: TurnOutcome, *, interleaved: bool = False
) -> list[Event]:
    """The events of an outcome: each item said in pieces or at once, one after the other or interleaved."""
    said: list[list[Event]] = []
    for index, item in enumerate(outcome.items):
        deltas = _deltas(draw, item, index) if draw(st.booleans()) else []
        said.append([*deltas, ItemCompleted(item, index)])
    events: list[Event] = [ResponseStarted("resp_up", "upstream-model")]
    begun = 0
    while any(said):
        # an item begins after those before it, so that its place is its index
        waiting = [each for each in said[:begun] if each] or [said[begun]]
        if interleaved and begun < len(said):
            waiting.append(said[begun])
        chosen = draw(st.sampled_from(waiting)) if interleaved else waiting[0]
        begun += begun < len(said) and chosen is said[begun]
        events.append(chosen.pop(0))
        if draw(st.integers(0, 9)) == 0:
            events.append(Warning("odd", "fixed"))
    if outcome.observation.usage is not None and draw(st.booleans()):
        events.append(UsageReported(outcome.observation.usage))
    return [*events, TurnCompleted(outcome)]


def written(
    wire: Protocol,
    events: Iterable[Event],
    accept: Iterable[str] = (),
    losses: list[Loss] | None = None,
    shape: AnswerShape = SHAPE,
) -> bytes:
    """A whole stream of a wire."""
    stream = WIRES[wire].encode_ingress_stream(
        events, IDENTITY, shape, accept=frozenset(accept), losses=losses
    )
    return b"".join(stream)


def decoded(binding: Binding, chunks: Iterable[bytes], **options: Any) -> list[Event]:
    """The events of a stream of a binding's wire."""
    return list(WIRES[binding.protocol].decode_stream(chunks, binding, **options))


@st.composite
def answers(draw: Callable[..., Any], binding: Binding) -> bytes:
    """The bytes of an answer as a server of this binding writes it, nothing left out."""
    outcome = draw(outcomes(binding))
    events = draw(exploded(outcome, interleaved=binding.protocol is RESPONSES))
    return said(binding, events)


def said(binding: Binding, events: Iterable[Event]) -> bytes:
    """A stream of the binding's own wire; a loss would be a fault of the strategies."""
    losses: list[Loss] = []
    data = written(binding.protocol, events, (), losses)
    assert [] == losses
    return data
