"""Counters of all wires on one scale."""

from __future__ import annotations

from typing import Any

import pytest

from llm_projections.errors import Dispatch, RefusalCode, ResponseRefused
from llm_projections.model.dialect import Dialect
from llm_projections.model.outcome import Usage
from llm_projections.wires._usage import (
    check_usage,
    contradiction,
    counter,
    disjoint_input,
    disjoint_usage,
    inclusive_usage,
    went_down,
)

PLAIN = Dialect()


def chat(reported: dict[str, Any], dialect: Dialect = PLAIN) -> tuple[int | None, ...]:
    """The counters of a Chat usage object, without the object."""
    return counters(inclusive_usage(reported, "prompt_tokens", "completion_tokens", dialect))


def counters(usage: Usage) -> tuple[int | None, ...]:
    """Input, output, cached, written, reasoning."""
    return (
        usage.input_tokens,
        usage.output_tokens,
        usage.cached_input_tokens,
        usage.cache_creation_input_tokens,
        usage.reasoning_output_tokens,
    )


@pytest.mark.parametrize(
    ("value", "count"),
    [
        (0, 0),
        (7, 7),
        (12.0, 12),
        (0.0, 0),
        (2.0**63, None),
        (None, None),
        (True, None),
        ("7", None),
        (-1, None),
        (1.5, None),
        (2**63, None),
    ],
)
def test_a_count_is_a_whole_number_from_zero(value: Any, count: int | None) -> None:
    """Anything else is unknown, never zero."""
    assert count == counter(value)


def test_openai_totals_include_their_details() -> None:
    """Nothing is added or taken away."""
    reported = {
        "prompt_tokens": 100,
        "completion_tokens": 50,
        "total_tokens": 150,
        "prompt_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 10},
        "completion_tokens_details": {"reasoning_tokens": 20},
    }
    assert (100, 50, 60, 10, 20) == chat(reported)


def test_the_reported_object_is_kept_whole() -> None:
    """Also where nothing in it is understood."""
    reported: dict[str, Any] = {"cost": 0.1, "prompt_tokens": None}
    usage = inclusive_usage(reported, "prompt_tokens", "completion_tokens", PLAIN)
    assert Usage(reported=reported) == usage
    assert Usage(reported=reported) == disjoint_usage(reported)


def test_reasoning_beside_the_output_is_added_where_the_total_proves_it() -> None:
    """The total counts it, the output counter does not."""
    reported = {
        "prompt_tokens": 30,
        "completion_tokens": 9,
        "total_tokens": 133,
        "completion_tokens_details": {"reasoning_tokens": 94},
    }
    assert (30, 103, None, None, 94) == chat(reported)


def test_a_dialect_declares_counters_that_leave_a_part_out() -> None:
    """Without a proving total, only a declaration adds the part."""
    reported = {
        "prompt_tokens": 7,
        "completion_tokens": 9,
        "total_tokens": 16,
        "prompt_tokens_details": {"cached_tokens": 161},
        "completion_tokens_details": {"reasoning_tokens": 84},
    }
    declared = Dialect(cache_beside_input=True, reasoning_beside_output=True)
    assert (7, 9, 161, None, 84) == chat(reported)
    assert (168, 93, 161, None, 84) == chat(reported, declared)
    written = reported | {"prompt_tokens_details": {"cache_write_tokens": 5}}
    assert (12, 93, None, 5, 84) == chat(written, declared)


def test_a_part_without_its_whole_leaves_it_unknown() -> None:
    """Nothing is added to what was not reported."""
    reported = {"total_tokens": 10, "completion_tokens_details": {"reasoning_tokens": 3}}
    assert (None, None, None, None, 3) == chat(reported, Dialect(reasoning_beside_output=True))
    whole = {"prompt_tokens": 7, **reported}
    assert (7, None, None, None, 3) == chat(whole)


def test_a_total_of_nothing_contradicts_no_part_that_is_unknown() -> None:
    """What nobody reported is not more than zero."""
    assert None is contradiction(Usage(0, 0))


@pytest.mark.parametrize(
    ("reported", "expected"),
    [
        ({"input_tokens": 10, "output_tokens": 5}, (10, 5, None, None, None)),
        (
            {"input_tokens": 10, "cache_read_input_tokens": 3, "cache_creation_input_tokens": 4},
            (17, None, 3, 4, None),
        ),
        ({"input_tokens": 10, "cache_read_input_tokens": 3}, (None, None, 3, None, None)),
        ({"input_tokens": 10, "cache_read_input_tokens": None}, (10, None, None, None, None)),
        (
            {"cache_read_input_tokens": 3, "cache_creation_input_tokens": 0},
            (None, None, 3, 0, None),
        ),
        ({"output_tokens_details": {"thinking_tokens": 2}}, (None, None, None, None, 2)),
    ],
)
def test_messages_counters_are_summed_when_every_part_is_known(
    reported: dict[str, Any], expected: tuple[int | None, ...]
) -> None:
    """A server that names no cache counter accounts no cache; half an account leaves the total unknown."""
    assert expected == counters(disjoint_usage(reported))


def test_disjoint_input_is_the_inverse_of_the_sum() -> None:
    """What Messages counts as input is what no cache held."""
    reported: dict[str, Any] = {
        "input_tokens": 10,
        "cache_read_input_tokens": 3,
        "cache_creation_input_tokens": 4,
    }
    assert 10 == disjoint_input(disjoint_usage(reported))
    assert 12 == disjoint_input(Usage(input_tokens=12))
    assert None is disjoint_input(Usage(cached_input_tokens=1))


@pytest.mark.parametrize(
    ("usage", "at"),
    [
        (Usage(10, 5, 10, 0, 5), None),
        (Usage(None, None, 10, 0, 5), None),
        (Usage(10, 5, 11), "cached_input_tokens"),
        (Usage(10, 5, 6, 5), "cached_input_tokens"),
        (Usage(10, 5, None, None, 6), "reasoning_output_tokens"),
    ],
)
def test_a_part_above_its_whole_is_a_contradiction(usage: Usage, at: str | None) -> None:
    """Unknown counters contradict nothing."""
    assert at == contradiction(usage)


def test_final_counters_that_contradict_each_other_are_refused() -> None:
    """By the name of the counter, and never clamped."""
    check_usage(None)
    check_usage(Usage(10, 5, 10))
    with pytest.raises(ResponseRefused) as refused:
        check_usage(Usage(10, 5, 11))
    assert ("usage.cached_input_tokens", RefusalCode.PROTOCOL, Dispatch.ACCEPTED) == (
        refused.value.path,
        refused.value.code,
        refused.value.dispatch,
    )


def test_a_counter_that_goes_down_is_noticed() -> None:
    """One that becomes unknown, or was, is not."""
    assert went_down(Usage(10, 5), Usage(9, 6))
    assert not went_down(Usage(10, 5), Usage(10, 6))
    assert not went_down(Usage(10, 5), Usage(None, 6))
    assert not went_down(None, Usage(0, 0))
