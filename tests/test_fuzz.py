"""The targets of fuzz/ hold for what they start from; the fuzzer itself runs in the gate."""

import pytest

from fuzz.inputs import HEAD, SPLIT, Input
from fuzz.mutation import mutate
from fuzz.seeds import GOLDEN, seeds, words
from fuzz.targets import TARGETS

# how many of a target's seeds run here, spread over all of them
SAMPLE = 40


def sample(target: str) -> list[bytes]:
    every = list(seeds(target, [GOLDEN]))
    return every[:: max(1, len(every) // SAMPLE)]


def unchanged(data: bytes, size: int) -> bytes:
    """Stands for the fuzzer's changes of bytes."""
    return data[:size]


@pytest.mark.parametrize("target", TARGETS)
def test_every_target_holds_for_its_seeds_and_changes_of_them(target: str) -> None:
    """The fuzzer starts from these."""
    every = sample(target)
    assert len(every) >= SAMPLE
    known = words()
    for number, seed in enumerate(every):
        TARGETS[target](seed)
        TARGETS[target](mutate(seed, 1 << 16, number, known, unchanged))


def test_a_target_says_what_it_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A decoder that shows its cuts, and one that raises something else, are both found."""
    from llm_projections.sse import Framer

    seed = b"\0" * 4 + b"\7" * 6 + b"data: [DONE]\n\n"
    TARGETS["framing"](seed)
    monkeypatch.setattr(Framer, "close", lambda _framer: ([], False))
    monkeypatch.setattr(Framer, "feed", lambda _framer, chunk: [(b"", bytes(chunk))])
    with pytest.raises(AssertionError, match="cuts of frames"):
        TARGETS["framing"](seed)
    monkeypatch.setattr(Framer, "feed", lambda _framer, chunk: chunk.nothing)
    with pytest.raises(AttributeError):
        TARGETS["framing"](seed)


def test_changes_are_the_same_for_the_same_seed_and_keep_json_json() -> None:
    """So that a run of the fuzzer can be repeated."""
    data = bytes(HEAD) + b'{"a":[1,{"b":"c"}]}' + SPLIT + b'data: {"d":1}\n\ndata: [DONE]\n\n'
    found = {mutate(data, 4096, seed, ["word"], unchanged) for seed in range(200)}
    again = {mutate(data, 4096, seed, ["word"], unchanged) for seed in range(200)}
    assert found == again
    assert len(found) > 80
    assert all(SPLIT in each for each in found)


def test_what_a_change_makes_too_long_is_left_to_the_fuzzer() -> None:
    """An input never passes the size that was asked for."""
    data = bytes(HEAD) + b'{"a":[1,2,3,4,5,6,7,8,9,10]}'
    assert all(len(mutate(data, 40, seed, [], unchanged)) <= 40 for seed in range(200))


@pytest.mark.parametrize("depth", [300, 700, 990, 1_200, 4_000])
def test_what_is_nested_too_deeply_to_change_stays_an_input(depth: int) -> None:
    """The fuzzer nests by repeating bytes; its changes of JSON then end without an error of their own."""
    data = bytes(HEAD) + b'{"a":' * depth + b"[1]" + b"}" * depth
    for seed in range(60):
        assert len(mutate(data, 1 << 16, seed, ["word"], unchanged)) > HEAD


@pytest.mark.parametrize("sizes", [bytes(6), b"\1" * 6, b"\xff" * 6, b"\0\0\0\0\0\3"])
def test_chunks_are_the_whole_of_what_is_cut(sizes: bytes) -> None:
    """Any choice of cuts comes to an end, and loses nothing."""
    data = bytes(range(256)) * 40
    chunks = Input(bytes(4) + sizes).chunks(data)
    assert data == b"".join(chunks)
    assert len(chunks) > 1
