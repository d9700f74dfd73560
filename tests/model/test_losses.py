"""Names of losses: every one known, in the set that its table says."""

from re import fullmatch

import pytest

from llm_projections.model.losses import (
    AGENT_CLIENTS,
    CROSS_VENDOR,
    HINTS,
    NAMES,
    Loss,
    Tier,
    accepted,
    chat,
    messages,
    responses,
    turn,
)


def test_the_sets_grow_from_each_other():
    """Whoever accepts more accepts all that is less."""
    assert HINTS < CROSS_VENDOR < AGENT_CLIENTS < NAMES.keys()


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_in_the_sets_that_its_tier_says(name):
    """The smallest set and everything above it, or none."""
    above = {
        Tier.HINT: [True, True, True],
        Tier.CROSS_VENDOR: [False, True, True],
        Tier.AGENT: [False, False, True],
        Tier.OWN: [False, False, False],
    }
    assert above[NAMES[name]] == [name in each for each in (HINTS, CROSS_VENDOR, AGENT_CLIENTS)]


@pytest.mark.parametrize(
    ("table", "prefixes"),
    [
        (turn.NAMES, ("turn.", "answer.", "max_output_tokens.")),
        (chat.NAMES, ("chat.",)),
        (messages.NAMES, ("messages.",)),
        (responses.NAMES, ("responses.",)),
    ],
)
def test_a_name_begins_with_what_it_belongs_to(table, prefixes):
    """And is a dotted path of plain words; no name is in two tables."""
    assert [] == [name for name in table if not name.startswith(prefixes)]
    assert [] == [name for name in table if not fullmatch(r"[a-z_]+(\.[A-Za-z0-9_-]+)+", name)]
    assert len(NAMES) == sum(len(each.NAMES) for each in (turn, chat, messages, responses))


@pytest.mark.parametrize(
    "name",
    [
        "max_output_tokens.lowered",
        "turn.output_format",
        "turn.tool_choice",
        "turn.stop",
        "turn.images",
        "turn.documents",
        "turn.instruction.position",
    ],
)
def test_what_changes_the_answer_is_always_its_own_decision(name):
    """No published set holds it."""
    assert name not in AGENT_CLIENTS


@pytest.mark.parametrize("names", [(), ["turn.cache"], ("turn.cache", "turn.cache"), HINTS])
def test_known_names_are_accepted(names):
    """Any collection of them, as a set."""
    assert frozenset(names) == accepted(names)


@pytest.mark.parametrize("names", [["turn.cash"], {"turn.cache", ""}, "turn.cache"])
def test_a_mistyped_name_accepts_nothing(names):
    """It is a programming error, said at once; a bare string is one too."""
    with pytest.raises(ValueError, match="not the name of a loss"):
        accepted(names)


def test_a_loss_is_a_name_and_a_place():
    """And compares by both."""
    assert Loss("turn.cache", "a") == Loss("turn.cache", "a")
    assert Loss("turn.cache", "a") != Loss("turn.cache", "b")
