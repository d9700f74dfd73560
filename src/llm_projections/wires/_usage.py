"""Counters of all wires on one scale, and whether they agree with each other.

Rules:
1. `input_tokens` includes cache reads and writes, `output_tokens` includes reasoning.
2. A counter that is absent, null or no whole number is unknown, never zero.
3. The server's own object is kept beside the counters, whole.
4. Counters that contradict each other are refused when they are final, never clamped.
"""

from __future__ import annotations

from collections.abc import Mapping

from llm_projections._json import Json
from llm_projections.errors import Dispatch, RefusalCode, ResponseRefused
from llm_projections.model.dialect import Dialect
from llm_projections.model.outcome import Usage

__all__ = [
    "check_usage",
    "contradiction",
    "counter",
    "disjoint_input",
    "disjoint_usage",
    "inclusive_usage",
    "went_down",
]

# what a 64-bit counter holds; more is no count of tokens
_MOST = 2**63


def counter(value: Json) -> int | None:
    """A count, or `None` for anything that is not one. `12.0` is 12: servers in JavaScript write it."""
    if type(value) is int:
        return value if 0 <= value < _MOST else None
    if type(value) is float and value.is_integer() and 0 <= value < _MOST:
        return int(value)
    return None


def inclusive_usage(
    reported: dict[str, Json], input_key: str, output_key: str, dialect: Dialect
) -> Usage:
    """The counters of an OpenAI wire, whose totals include their details unless the dialect says otherwise.

    `input_key` and `output_key` are `prompt_tokens` and `completion_tokens` on Chat, `input_tokens` and
    `output_tokens` on Responses; the details stand under `<key>_details`.

    xAI leaves reasoning out of the output counter and puts it in `total_tokens`: where the server's own total says so,
    it is added without a declaration (streams of Grok models, recorded 2025; docs/evidence.md).
    """
    details_in = _object(reported, f"{input_key}_details")
    details_out = _object(reported, f"{output_key}_details")
    given, said = counter(reported.get(input_key)), counter(reported.get(output_key))
    read = counter(details_in.get("cached_tokens"))
    written = counter(details_in.get("cache_write_tokens"))
    reasoning = counter(details_out.get("reasoning_tokens"))
    if said is not None and reasoning:
        total = counter(reported.get("total_tokens"))
        proved = given is not None and total == given + said + reasoning
        if proved or dialect.reasoning_beside_output:
            said += reasoning
    if given is not None and dialect.cache_beside_input:
        given += (read or 0) + (written or 0)
    return Usage(given, said, read, written, reasoning, reported)


def disjoint_usage(reported: dict[str, Json]) -> Usage:
    """The counters of Messages, whose `input_tokens` leaves both cache counters out.

    A server that names neither cache counter accounts no cache, and its `input_tokens` is the total; one named and the
    other not leaves the total unknown.
    """
    fresh = counter(reported.get("input_tokens"))
    read = counter(reported.get("cache_read_input_tokens"))
    written = counter(reported.get("cache_creation_input_tokens"))
    if fresh is None or (read is None) is not (written is None):
        total = None
    else:
        total = fresh + (read or 0) + (written or 0)
    thinking = _object(reported, "output_tokens_details").get("thinking_tokens")
    return Usage(
        total, counter(reported.get("output_tokens")), read, written, counter(thinking), reported
    )


def disjoint_input(usage: Usage) -> int | None:
    """`input_tokens` as Messages counts it: without cache reads and writes. The inverse of `disjoint_usage`.

    A cache counter that nobody reported is taken as none of the total, which is what the vendors of the other wires say
    when they leave it out.
    """
    if usage.input_tokens is None:
        return None
    return (
        usage.input_tokens
        - (usage.cached_input_tokens or 0)
        - (usage.cache_creation_input_tokens or 0)
    )


def contradiction(usage: Usage) -> str | None:
    """The neutral name of a counter that is more than the total which includes it, if there is one."""
    whole = usage.input_tokens
    if whole is not None:
        if (usage.cached_input_tokens or 0) + (usage.cache_creation_input_tokens or 0) > whole:
            return "cached_input_tokens"
    whole = usage.output_tokens
    if whole is not None and (usage.reasoning_output_tokens or 0) > whole:
        return "reasoning_output_tokens"
    return None


def check_usage(usage: Usage | None) -> None:
    """Raise `ResponseRefused` (PROTOCOL, ACCEPTED) when final counters contradict each other."""
    at = None if usage is None else contradiction(usage)
    if at is not None:
        raise ResponseRefused(
            RefusalCode.PROTOCOL,
            "a part of the counters is more than their whole",
            f"usage.{at}",
            dispatch=Dispatch.ACCEPTED,
        )


def went_down(before: Usage | None, after: Usage) -> bool:
    """Whether a counter is less than it was: odd, as counters are cumulative, but servers do it."""
    if before is None:
        return False
    pairs = (
        (before.input_tokens, after.input_tokens),
        (before.output_tokens, after.output_tokens),
        (before.cached_input_tokens, after.cached_input_tokens),
        (before.cache_creation_input_tokens, after.cache_creation_input_tokens),
        (before.reasoning_output_tokens, after.reasoning_output_tokens),
    )
    return any(old is not None and new is not None and new < old for old, new in pairs)


def _object(node: Mapping[str, Json], key: str) -> Mapping[str, Json]:
    value = node.get(key)
    return value if isinstance(value, dict) else {}
