"""Counters as Messages writes them: cache reads and writes beside `input_tokens`, not in it.

The wire cannot leave out `input_tokens` in `message_start` and `output_tokens` in either place:
before they are known zeros stand there, and one that stays unknown is the reported loss
`answer.usage.unknown_as_zero`.
"""

from __future__ import annotations

from llm_projections._json import Json
from llm_projections.model.items import Protocol
from llm_projections.model.outcome import Observation, Usage
from llm_projections.wires._answers import AnswerLosses, unsayable
from llm_projections.wires._usage import contradiction, counter, disjoint_input
from llm_projections.wires.messages.vocab_answer import DELTA_USAGE

__all__ = ["final_usage", "is_own", "opening_usage", "whole_usage"]

_ZERO = "answer.usage.unknown_as_zero"
# keys of the other wires' usage objects, one of which each of theirs has
_FOREIGN = frozenset({"total_tokens", "prompt_tokens", "input_tokens_details"})


def is_own(usage: Usage, observed: Observation | None = None) -> bool:
    """Whether the reported object is one of this wire; by its keys where no provenance tells."""
    if usage.reported is None:
        return False
    if observed is not None and observed.provenance is not None:
        return observed.provenance.protocol is Protocol.MESSAGES
    keys = usage.reported.keys()
    return bool(keys & {"input_tokens", "output_tokens"}) and not keys & _FOREIGN


def opening_usage(usage: Usage | None) -> dict[str, Json]:
    """The counters of `message_start`, zeros where nothing is known yet."""
    known: dict[str, Json] = {}
    if usage is not None:
        known = dict(usage.reported or {}) if is_own(usage) else _counters(usage)
    return _numbered(known)


def final_usage(
    usage: Usage | None, observed: Observation, opened: dict[str, Json], losses: AnswerLosses
) -> dict[str, Json]:
    """The counters of `message_delta`: all that it publishes, and what changed since the start."""
    known = _known(usage, observed, losses)
    told = {
        key: value
        for key, value in known.items()
        if key in DELTA_USAGE or key not in opened or opened[key] != value
    }
    if counter(told.get("output_tokens")) is None:
        told["output_tokens"] = 0
    return told


def whole_usage(
    usage: Usage | None, observed: Observation, losses: AnswerLosses
) -> dict[str, Json]:
    """The counters of a whole message."""
    return _numbered(_known(usage, observed, losses))


def _known(usage: Usage | None, observed: Observation, losses: AnswerLosses) -> dict[str, Json]:
    """What is finally known; each counter that the wire needs and nobody reported is a loss."""
    known: dict[str, Json] = {}
    if usage is not None:
        if contradiction(usage) is not None:
            raise unsayable("a part of the counters is more than their whole", "usage")
        known = dict(usage.reported or {}) if is_own(usage, observed) else _counters(usage)
        # Without both cache counters the total could not be told from this wire's counters again.
        half = ("cache_creation_input_tokens" in known) is not ("cache_read_input_tokens" in known)
        if half and "input_tokens" in known and not is_own(usage, observed):
            missing = (
                "cache_creation_input_tokens"
                if "cache_read_input_tokens" in known
                else "cache_read_input_tokens"
            )
            if _ZERO in losses.accept:
                losses.lose(_ZERO, f"usage.{missing}")
                known[missing] = 0
    for key in ("input_tokens", "output_tokens"):
        if counter(known.get(key)) is None:
            losses.lose(_ZERO, f"usage.{key}", "a counter that this wire needs is unknown")
    return known


def _counters(usage: Usage) -> dict[str, Json]:
    written: dict[str, Json] = {
        "input_tokens": disjoint_input(usage),
        "cache_creation_input_tokens": usage.cache_creation_input_tokens,
        "cache_read_input_tokens": usage.cached_input_tokens,
        "output_tokens": usage.output_tokens,
    }
    if usage.reasoning_output_tokens is not None:
        written["output_tokens_details"] = {"thinking_tokens": usage.reasoning_output_tokens}
    return {key: value for key, value in written.items() if value is not None}


def _numbered(known: dict[str, Json]) -> dict[str, Json]:
    for key in ("input_tokens", "output_tokens"):
        if counter(known.get(key)) is None:
            known[key] = 0
    return known
