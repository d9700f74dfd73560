"""What was encoded before, kept between requests of one conversation."""

import tracemalloc

from attrs import fields

from llm_projections import _json
from llm_projections.model.items import AssistantMessage, Item, Text, ToolCall, UserMessage
from llm_projections.model.turn import TurnRequest
from llm_projections.wires._fragments import NOTHING_BEGUN, FragmentCache, Frame, settings_of

ONE: Item = UserMessage((Text("one"),))
TWO: Item = AssistantMessage((Text("two"),))
THREE: Item = ToolCall("c", "look", "{}")


def test_the_very_items_are_found_again() -> None:
    """Alone and in runs; equal ones are others."""
    cache = FragmentCache()
    cache.put((ONE,), b"1")
    cache.put((TWO, THREE), b"23")
    assert (b"1", b"23") == (cache.get((ONE,)), cache.get((TWO, THREE)))
    assert (None, None) == (cache.get((TWO,)), cache.get((THREE, TWO)))
    assert cache.get((UserMessage((Text("one"),)),)) is None
    assert (2, 3) == (len(cache), cache.size)


def test_what_is_put_again_replaces_and_is_the_newest() -> None:
    """And counts once."""
    cache = FragmentCache(max_bytes=4)
    cache.put((ONE,), b"1")
    cache.put((TWO,), b"22")
    cache.put((ONE,), b"11")
    assert (2, 4, b"11") == (len(cache), cache.size, cache.get((ONE,)))
    cache.put((THREE,), b"3")
    assert cache.get((TWO,)) is None
    assert (b"11", b"3", 3) == (cache.get((ONE,)), cache.get((THREE,)), cache.size)


def test_the_oldest_go_first() -> None:
    """Until what is held is within the bound."""
    cache = FragmentCache(max_bytes=3)
    for item, data in ((ONE, b"1"), (TWO, b"2"), (THREE, b"333")):
        cache.put((item,), data)
    assert (1, 3, b"333") == (len(cache), cache.size, cache.get((THREE,)))


def test_what_is_larger_than_the_bound_is_not_held() -> None:
    """And drives nothing out."""
    cache = FragmentCache(max_bytes=2)
    cache.put((ONE,), b"1")
    cache.put((TWO,), b"222")
    assert (b"1", None, 1) == (cache.get((ONE,)), cache.get((TWO,)), cache.size)


def test_another_context_finds_nothing() -> None:
    """The same items may be written otherwise for another binding."""
    cache = FragmentCache()
    cache.enter(("a", 1))
    cache.put((ONE,), b"1")
    cache.enter(("a", 1))
    assert b"1" == cache.get((ONE,))
    cache.enter(("a", 2))
    assert (None, 0, 0) == (cache.get((ONE,)), len(cache), cache.size)


def test_held_items_keep_their_identity() -> None:
    """An item that is dropped by its owner cannot hand its place to another."""
    cache = FragmentCache()
    for number in range(50):
        cache.put((UserMessage((Text(str(number)),)),), b"x")
    assert 50 == len(cache)


def test_a_frame_is_written_from_every_setting() -> None:
    """A field that it left out could be changed unnoticed."""
    names = [own.name for own in fields(TurnRequest) if own.name != "items"]
    turn = TurnRequest.text("m", "hi", instructions="be brief", end_user_id="u")
    assert tuple(getattr(turn, name) for name in names) == settings_of(turn)


def test_a_frame_is_found_by_the_very_settings() -> None:
    """Equal ones are others, since what is equal may be written otherwise: `1`, `1.0` and `True` are."""
    cache = FragmentCache()
    settings = ("m", [1])
    assert not cache.seen(settings)
    assert cache.seen(tuple(settings))
    cache.hold_frame(Frame(settings, b"{", b"}"))
    assert cache.frame(tuple(settings)) == Frame(settings, b"{", b"}")
    assert cache.frame(("m", [1])) is None
    assert cache.frame(("m",)) is None
    assert 2 == cache.size
    cache.enter("another binding")
    assert cache.frame(settings) is None
    assert not cache.seen(settings)


def test_a_frame_that_takes_more_than_half_is_not_held() -> None:
    """So that what is joined of the conversation always has as much."""
    cache = FragmentCache(max_bytes=7)
    cache.hold_frame(Frame(("m",), b"{{", b"}}"))
    assert (None, 0) == (cache.frame(("m",)), cache.size)
    cache.hold_frame(Frame(("m",), b"{", b"}}"))
    assert 3 == cache.size
    cache.hold_frame(Frame(("n",), b"{", b"}"))
    assert 2 == cache.size


def test_what_is_too_large_to_be_joined_is_not_asked_for_again_soon() -> None:
    """Else every request would be written twice, once for nothing."""
    cache = FragmentCache(max_bytes=3)
    items = (ONE, TWO) * 6
    assert (7, []) == cache.due(NOTHING_BEGUN, items)
    assert NOTHING_BEGUN is cache.join(NOTHING_BEGUN, items[:7], b"12,", [], ())
    assert cache.is_stuck(NOTHING_BEGUN)
    assert (0, []) == cache.due(NOTHING_BEGUN, items)
    assert (23, []) == cache.due(NOTHING_BEGUN, (ONE, TWO) * 14)


def test_a_piece_takes_as_much_memory_as_its_text() -> None:
    """Whoever wrote it may have taken more room for it, which is given back."""
    fragments, count = FragmentCache(), 1000
    owners = [(UserMessage((Text(str(number)),)),) for number in range(count)]
    tracemalloc.start()
    try:
        for owner in owners:
            fragments.put(owner, _json.dumps({"content": "text"}))
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert count == len(fragments)
    assert held < 600 * count
