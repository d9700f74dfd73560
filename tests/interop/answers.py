"""Neutral answers, written by hand, that every wire must say so that its official client agrees."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from llm_projections import (
    AnswerShape,
    AssistantMessage,
    CustomToolCall,
    EndTurn,
    Event,
    Identity,
    ItemCompleted,
    MaxOutputTokens,
    Observation,
    Opaque,
    Protocol,
    Provenance,
    Reasoning,
    ReasoningDelta,
    RefusalDelta,
    RefusalText,
    ResponseStarted,
    StopReason,
    StopSequence,
    Text,
    TextDelta,
    ToolArgumentsDelta,
    ToolCall,
    ToolCalls,
    ToolCallStarted,
    TurnCompleted,
    TurnOutcome,
    Usage,
    UsageReported,
)

IDENTITY = Identity(response_id="resp_1", created=1_760_000_000, model="client-model")
SHAPE = AnswerShape(stream=True, include_usage=True, encrypted_reasoning=True)
USAGE = Usage(input_tokens=12, output_tokens=7, cached_input_tokens=4, reasoning_output_tokens=2)
SEPARATORS = "a\u2028b\u2029c\u0085d 🙂 \u200d\ufeff\\n"


@dataclass(frozen=True)
class Answer:
    """One answer, and what any client must find in it."""

    events: tuple[Event, ...]
    text: str = ""
    reasoning: str = ""
    refusal: str = ""
    calls: tuple[tuple[str, str, str], ...] = ()
    usage: Usage | None = USAGE

    @property
    def outcome(self) -> TurnOutcome:
        """The whole of it."""
        last = self.events[-1]
        assert isinstance(last, TurnCompleted)
        return last.outcome


def text(said: str) -> tuple[list[Event], AssistantMessage]:
    """A text in two deltas."""
    half = len(said) // 2
    pieces = [piece for piece in (said[:half], said[half:]) if piece]
    return [TextDelta(piece, 0) for piece in pieces], AssistantMessage((Text(said),))


def refusal(said: str) -> tuple[list[Event], AssistantMessage]:
    """The model's words of refusal."""
    return [RefusalDelta(said, 0)], AssistantMessage((RefusalText(said),))


def reasoning(thought: str, *, summary: bool = False) -> tuple[list[Event], Reasoning]:
    """Readable reasoning in two deltas."""
    pieces = (thought[:3], thought[3:])
    return [ReasoningDelta(piece, 0, summary) for piece in pieces], Reasoning(thought, summary)


def signed(thought: str, signature: str) -> tuple[list[Event], Opaque]:
    """Signed thinking of the Messages wire."""
    origin = Provenance(Protocol.MESSAGES, "p", "a", "e", "m", "r")
    payload: dict[str, Any] = {"type": "thinking", "thinking": thought, "signature": signature}
    return [ReasoningDelta(thought, 0)], Opaque(origin, payload, text=thought)


def call(call_id: str, name: str, arguments: str) -> tuple[list[Event], ToolCall]:
    """A call of a function, its arguments in two deltas."""
    pieces = [p for p in (arguments[:4], arguments[4:]) if p]
    deltas: list[Event] = [ToolArgumentsDelta(call_id, piece, 0) for piece in pieces]
    return [ToolCallStarted(call_id, name, 0), *deltas], ToolCall(call_id, name, arguments)


def custom(call_id: str, name: str, said: str) -> tuple[list[Event], CustomToolCall]:
    """A call of a custom tool."""
    started = ToolCallStarted(call_id, name, 0, custom=True)
    return [started, ToolArgumentsDelta(call_id, said, 0)], CustomToolCall(call_id, name, said)


def answer(
    *parts: tuple[list[Event], Any],
    stop: StopReason | None = None,
    usage: Usage | None = USAGE,
    interleaved: bool = False,
) -> Answer:
    """An answer said item after item, or with the deltas of all items in turn."""
    items = tuple(item for _, item in parts)
    columns = [[_at(index, event) for event in events] for index, (events, _) in enumerate(parts)]
    completed = [ItemCompleted(item, index) for index, item in enumerate(items)]
    said: list[Event] = []
    if interleaved:
        said = [*_in_turn(columns), *completed]
    else:
        for column, whole in zip(columns, completed, strict=True):
            said += [*column, whole]
    calls = [item for item in items if isinstance(item, ToolCall | CustomToolCall)]
    observed = Observation(None, "upstream-model", "up_1", usage, usage is not None)
    outcome = TurnOutcome(stop or (ToolCalls() if calls else EndTurn()), items, observed)
    counted: list[Event] = [] if usage is None else [UsageReported(usage)]
    events = (ResponseStarted("up_1", "upstream-model"), *said, *counted, TurnCompleted(outcome))
    return Answer(
        events,
        text="".join(_texts(items, Text)),
        refusal="".join(_texts(items, RefusalText)),
        reasoning="".join(i.text or "" for i in items if isinstance(i, Reasoning | Opaque)),
        calls=tuple((c.call_id, c.name, _input(c)) for c in calls),
        usage=usage,
    )


def _at(index: int, event: Event) -> Event:
    event_at: Any = event
    kept = {name: getattr(event_at, name) for name in type(event_at).__match_args__}
    moved: Event = type(event_at)(**(kept | {"index": index}))
    return moved


def _in_turn(columns: list[list[Event]]) -> Iterator[Event]:
    for row in range(max(map(len, columns))):
        yield from (column[row] for column in columns if row < len(column))


def _texts(items: tuple[Any, ...], kind: type[Any]) -> Iterator[str]:
    for item in items:
        if isinstance(item, AssistantMessage):
            yield from (part.text for part in item.content if type(part) is kind)


def _input(called: ToolCall | CustomToolCall) -> str:
    return called.arguments if isinstance(called, ToolCall) else called.input


ANSWERS: dict[str, Answer] = {
    "text": answer(text("Hello there")),
    "separators": answer(text(SEPARATORS)),
    "long text": answer(text("word " * 4000)),
    "one call": answer(call("call_1", "read", '{"path":"a.txt"}')),
    "a call without arguments": answer(call("call_1", "now", "")),
    "text and a call": answer(text("Let me see."), call("call_1", "read", '{"path":"a"}')),
    "parallel calls": answer(
        call("call_1", "read", '{"path":"a"}'),
        call("call_2", "read", '{"path":"b"}'),
        call("call_3", "now", "{}"),
    ),
    "interleaved calls": answer(
        call("call_1", "read", '{"path":"a"}'),
        call("call_2", "read", '{"path":"b"}'),
        interleaved=True,
    ),
    "reasoning and text": answer(reasoning("hm, let me think"), text("Yes.")),
    "a summary and text": answer(reasoning("weighing it", summary=True), text("Yes.")),
    "reasoning and a call": answer(
        reasoning("I need the file"), call("call_1", "read", '{"path":"a"}')
    ),
    "only reasoning": answer(reasoning("hm, let me think")),
    "refusal": answer(refusal("I cannot help with that.")),
    "cut by the limit": answer(text("Once upon"), stop=MaxOutputTokens()),
    "stop sequence": answer(text("1, 2, 3"), stop=StopSequence("4")),
    "no usage": answer(text("Hello"), usage=None),
    "unknown counters": answer(text("Hello"), usage=Usage(output_tokens=3)),
    "empty": answer(),
}
