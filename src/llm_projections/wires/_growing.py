"""The next request of a growing conversation: what is new in it, between bytes that are not.

Rules:
1. A request is put together so only where its beginning and all its settings are the very objects of the request
   before, nothing of it is refused, and no new item has a say in what stands around the conversation.
2. Whatever else there is, the whole body is written as if nothing were known, so that each refusal has its place.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

from attrs import evolve

from llm_projections import _json
from llm_projections.model.items import Instruction, WireItem
from llm_projections.model.losses import Loss
from llm_projections.model.tools import Allowed, Named
from llm_projections.model.turn import TurnRequest
from llm_projections.model.validation import item_faults
from llm_projections.wires._fragments import Beginning, FragmentCache, Frame, settings_of
from llm_projections.wires._writing import SPLICE, Writer

__all__ = ["go_on", "keep_frame"]

_Writer = TypeVar("_Writer", bound=Writer)

# So many items may be written again for every request where they cannot be joined; more of them are kept one by one.
_MANY: Final = 64
# No JSON text holds it: a place in one can be told by it.
_PLACE: Final = b"\0"
_INSTRUCTIONS: Final = frozenset({Instruction})
_PUBLISHING: Final = frozenset({Instruction, WireItem})


def go_on(
    fragments: FragmentCache,
    make: Callable[[], _Writer],
    turn: TurnRequest,
    write: Callable[[_Writer, TurnRequest, Frame | None], list[Any]],
    losses: list[Loss] | None,
    *beside: object,
) -> bytes | None:
    """The body of `turn` where it goes on from the request before; None where it has to be written whole.

    `make` gives a writer, and `write` the values of what comes after the beginning that it has; without a frame they
    are about to be joined to it, and no end of a conversation. `beside` is what the body depends on beside the turn
    and the binding. Losses are appended to `losses`.
    """
    writer = make()
    begun = writer.begin(fragments, turn)
    since = begun.count
    if len(turn.items) - since > _MANY and fragments.is_stuck(begun):
        return None
    frame = fragments.frame((*settings_of(turn), *beside))
    if (
        frame is None
        or _reaches_around(turn, since)
        or any(item_faults(turn, writer.limits, since, begun.calls))
    ):
        return None
    begun = writer.begun = _joined(fragments, begun, make, turn, write)
    nodes = write(writer, turn, frame)
    if writer.refusals or not nodes:
        return None
    new = writer.shallow(nodes)
    if new is None:
        return None
    data = b"".join((frame.head, *begun.chunks, memoryview(new)[1:-1], frame.tail))
    if len(data) > writer.limits.request_bytes:
        return None
    if losses is not None:
        losses += (*frame.before, *begun.losses, *writer.losses, *frame.after)
    return data


def _joined(
    fragments: FragmentCache,
    begun: Beginning,
    make: Callable[[], _Writer],
    turn: TurnRequest,
    write: Callable[[_Writer, TurnRequest, Frame | None], list[Any]],
) -> Beginning:
    """`begun` and what is old enough of `turn`, joined to it before the rest is written: nothing is written twice.

    That takes a tenth less of the next request at 400 messages than to join what the request has written too. `begun`
    itself where it cannot be: what has a mark, or an id that depends on all others.
    """
    end, calls = fragments.due(begun, turn.items)
    if not end:
        return begun
    writer = make()
    writer.begun = begun
    items = turn.items[:end]
    nodes = write(writer, evolve(turn, items=items), None)
    told = nodes and writer.repeatable and writer.events == len(writer.losses)
    new = writer.shallow(nodes) if told else None
    if new is None:
        fragments.stick(begun, turn.items)
        return begun
    data = b"".join((memoryview(new)[1:-1], b","))
    return fragments.join(begun, items, data, calls, tuple(writer.losses))


def keep_frame(
    writer: Writer,
    turn: TurnRequest,
    body: dict[str, Any],
    place: tuple[str, int],
    marks: int,
    *beside: object,
) -> None:
    """Hold what stands around the conversation of a body that was written whole and refused nothing.

    `place` is the body's key of it, and how many values of the settings are the first there; `marks` is how many cache
    marks are in what is kept. It costs a copy of the settings, so it is done for those that the request before had.
    """
    fragments = writer.fragments
    key, first = place
    if fragments is None or writer.refusals or key not in body or _reaches_around(turn, 0):
        return
    settings = (*settings_of(turn), *beside)
    if not fragments.seen(settings):
        return
    before, after = writer.around
    framed = {**body, key: [*body[key][:first], SPLICE(_PLACE)]}
    try:
        head, _, tail = _json.dumps(framed).partition(_PLACE)
    except _json.JsonError:
        return  # it is told with its place by who writes the body
    losses = tuple(writer.losses)
    fragments.hold_frame(Frame(settings, head, tail, losses[:before], losses[after:], marks))


def _reaches_around(turn: TurnRequest, since: int) -> bool:
    """Whether an item has a say in what stands around them all: an instruction may be moved there, and a wire item may
    publish the tool that is chosen. No instruction is before `since`."""
    if isinstance(turn.tool_choice, Named | Allowed):
        return not _PUBLISHING.isdisjoint(map(type, turn.items))
    return not _INSTRUCTIONS.isdisjoint(map(type, turn.items[since:]))
