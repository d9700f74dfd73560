"""What one call answered, without a wire."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llm_projections._json import Json
from llm_projections._values import field, frozen
from llm_projections.model.items import Extension, Item, Provenance

if TYPE_CHECKING:
    from llm_projections.model.turn import TurnRequest

__all__ = [
    "EndTurn",
    "Incomplete",
    "MaxOutputTokens",
    "Observation",
    "OpenItem",
    "PartialOutcome",
    "StopReason",
    "StopSequence",
    "ToolCalls",
    "TurnOutcome",
    "UpstreamError",
    "Usage",
    "Warning",
]


@frozen
class EndTurn:
    """The model had said what it wanted to say."""


@frozen
class ToolCalls:
    """The model waits for the results of its calls."""


@frozen
class MaxOutputTokens:
    """The output limit was reached."""


@frozen
class StopSequence:
    """A stop sequence was met; `text` is which one, where the wire says it."""

    text: str | None = None


@frozen
class Incomplete:
    """Any other end, under the wire's own name (`content_filter`, `pause_turn`, `refusal`, ...)."""

    reason: str
    details: Json = field(default=None, hash=False)


StopReason = EndTurn | ToolCalls | MaxOutputTokens | StopSequence | Incomplete
"""Why an answer ended."""


@frozen
class Usage:
    """Tokens counted, on one scale: `input_tokens` includes cache reads and writes, `output_tokens` reasoning.

    `None` is a counter that the wire did not report. `reported` is the wire's own usage object, whole.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_input_tokens: int | None = None
    """Of `input_tokens`, those read from a cache."""
    cache_creation_input_tokens: int | None = None
    """Of `input_tokens`, those written to a cache."""
    reasoning_output_tokens: int | None = None
    """Of `output_tokens`, those reasoned with."""
    reported: dict[str, Json] | None = field(default=None, hash=False)


@frozen
class Observation:
    """What the answer said of itself. `final_usage` says that the counters are the last word."""

    provenance: Provenance | None = None
    """The binding that was asked; `None` in a recording that nobody attributed."""
    upstream_model: str | None = None
    """As the wire reported it, never a configured name."""
    response_id: str | None = None
    usage: Usage | None = None
    """`None` where the server reported no counters."""
    final_usage: bool = False


@frozen
class Warning:
    """Something odd that did not change the answer's meaning; `code` is stable, `message` our own fixed text."""

    code: str
    message: str


@frozen
class UpstreamError:
    """What a provider wrote about its failure, as it wrote it."""

    type: str | None = None
    code: str | None = None
    message: str | None = field(default=None, repr=False)
    param: str | None = None
    raw: Json = field(default=None, repr=False, hash=False)


@frozen
class OpenItem:
    """An output item that had begun and not ended: its text, arguments or input so far."""

    index: int
    kind: str
    """`text`, `refusal`, `reasoning`, `summary`, `call` or `custom`."""
    text: str = field(repr=False)
    call_id: str | None = None
    name: str | None = None


@frozen
class PartialOutcome:
    """What stood when an answer broke off (or now, as a snapshot). Warnings and raw frames are not compared."""

    items: tuple[Item, ...] = ()
    open_items: tuple[OpenItem, ...] = ()
    observation: Observation = Observation()
    warnings: tuple[Warning, ...] = field(default=(), eq=False)
    raw: tuple[bytes, ...] = field(default=(), eq=False, repr=False)


@frozen
class TurnOutcome:
    """What one call answered. Warnings are not compared."""

    stop: StopReason
    items: tuple[Item, ...]
    observation: Observation = Observation()
    warnings: tuple[Warning, ...] = field(default=(), eq=False)
    extensions: tuple[Extension, ...] = ()

    def validate_for(
        self, request: TurnRequest, provenance: Provenance | None = None
    ) -> tuple[Warning, ...]:
        """Check the answer against what was asked.

        Returns a warning for each call of an unpublished tool and for a forced choice that was not honoured. Raises
        `ResponseRefused` (PROTOCOL, ACCEPTED) for items that only a caller may write, a call id used twice, opaque
        state of another provenance, and a terminal reason that contradicts the items.
        """
        from llm_projections.model.agreement import check_outcome

        return check_outcome(self, request, provenance)
