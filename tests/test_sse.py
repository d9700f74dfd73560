"""Frames out of bytes and bytes out of frames: the standard's rules, departures, limits."""

import re
import tomllib
import tracemalloc
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from llm_projections import sse
from llm_projections.sse import DONE, Framer, FrameTooLarge, comment, frame, frames
from tests.helpers import by_event, chunked, cut, cuts, reads, singles, whole

Found = list[tuple[bytes, bytes]]
# What was found, and how it ended: the answer of close(), or the limit that was passed.
Ending = tuple[Found, Found, bool | str]

ROOM = 1 << 20


def read(
    chunks: Iterable[bytes], max_frame: int = ROOM, max_stream: int = ROOM, *, swift: bool = True
) -> Ending:
    """Everything that a framer says about the chunks; `swift` as decoders feed it single bytes."""
    framer = Framer(max_frame, max_stream)
    found: Found = []
    try:
        for chunk in chunks:
            if not (swift and len(chunk) == 1 and framer.goes_on(chunk)):
                found += framer.feed(chunk)
        return found, *framer.close()
    except FrameTooLarge as refused:
        return found + refused.frames, [], refused.what


def fed(chunks: Iterable[bytes]) -> Found:
    return read(chunks)[0]


def by_the_standard(data: bytes) -> Found:
    """The standard's algorithm, one byte at a time, written without regard to speed."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    lines: list[bytes] = []
    line = bytearray()
    for at, byte in enumerate(data):
        if byte == 10 and data[at - 1 : at] == b"\r":
            continue
        if byte in b"\r\n":
            lines.append(bytes(line))
            line.clear()
        else:
            line.append(byte)
    found: Found = []
    name, buffer = b"", b""
    for ended in lines:
        if ended == b"":
            text = buffer[:-1]
            if text != b"":
                found.append((name, text))
            name, buffer = b"", b""
            continue
        colon = ended.find(b":")
        field, value = (ended, b"") if colon < 0 else (ended[:colon], ended[colon + 1 :])
        if value[:1] == b" ":
            value = value[1:]
        if field == b"event":
            name = value
        if field == b"data":
            buffer += value + b"\n"
    return found


FACTS: dict[str, tuple[bytes, Found]] = {
    "one event": (b"data: x\n\n", [(b"", b"x")]),
    "a named event": (b"event: ping\ndata: {}\n\n", [(b"ping", b"{}")]),
    "the name may follow the data": (b"data: x\nevent: e\n\n", [(b"e", b"x")]),
    "the last name counts": (b"event: a\nevent: b\ndata: x\n\n", [(b"b", b"x")]),
    "an empty name takes the name back": (b"event: a\nevent\ndata: x\n\n", [(b"", b"x")]),
    "the name is forgotten after its event": (
        b"event: e\ndata: x\n\ndata: y\n\n",
        [(b"e", b"x"), (b"", b"y")],
    ),
    "the name of nothing is forgotten": (b"event: e\n\ndata: x\n\n", [(b"", b"x")]),
    "no space after the colon": (b"event:e\ndata:x\n\n", [(b"e", b"x")]),
    "one space is removed, not two": (b"event:  e\ndata:  x\n\n", [(b" e", b" x")]),
    "a tab is kept": (b"data:\tx\n\n", [(b"", b"\tx")]),
    "trailing spaces are kept": (b"data: x  \n\n", [(b"", b"x  ")]),
    "data lines are joined by LF": (b"data: x\ndata: y\n\n", [(b"", b"x\ny")]),
    "the data of many events is not joined": (
        b"data: a\ndata: b\n\n" * 3,
        [(b"", b"a\nb")] * 3,
    ),
    "an empty data line is a line": (b"data: x\ndata\ndata:y\n\n", [(b"", b"x\n\ny")]),
    "two empty data lines are a line end": (b"data\ndata\n\n", [(b"", b"\n")]),
    "no data is nothing": (b"event: e\n\n", []),
    "empty data is nothing": (b"data:\n\ndata\n\ndata: \n\n", []),
    "empty data under a name is nothing": (
        b"event: e\ndata: \n\nevent: f\ndata: x\n\n",
        [(b"f", b"x")],
    ),
    "a second space is data": (b"data:  \n\n", [(b"", b" ")]),
    "blank lines are nothing": (
        b"\n\n\ndata: x\n\n\n\n\ndata: y\n\n\n",
        [(b"", b"x"), (b"", b"y")],
    ),
    "comments are nothing": (b": hi\n\n:\n\n: data: x\n\n", []),
    "a comment inside an event": (b"event: e\n: hi\ndata: x\n:\n\n", [(b"e", b"x")]),
    "comments before every event": (b": hi\ndata: x\n\n" * 2, [(b"", b"x")] * 2),
    "id and retry are ignored": (b"id: 1\nretry: 5\ndata: x\n\n", [(b"", b"x")]),
    "unknown fields are ignored": (b"foo: 1\nfoo\ndata: x\n\n", [(b"", b"x")]),
    "field names are exact": (b"Data: x\ndata : y\n data: z\nxdata: w\n\n", []),
    "a field inside a line is no field": (b"event: e data: x\n\nid: data: x\n\n", []),
    "a field name is not the end of another": (
        b"event: e\ndata: x\n\nxevent: e\ndata: y\n\n",
        [(b"e", b"x"), (b"", b"y")],
    ),
    "a colon in the data": (b'data: {"a":1}\n\n', [(b"", b'{"a":1}')]),
    "a byte order mark at the start": (b"\xef\xbb\xbfdata: x\n\n", [(b"", b"x")]),
    "only the first byte order mark": (b"\xef\xbb\xbf\xef\xbb\xbfdata: x\n\n", []),
    "a byte order mark later is a name": (b"data: x\n\n\xef\xbb\xbfdata: y\n\n", [(b"", b"x")]),
    "half a byte order mark is a name": (b"\xef\xbbdata: x\n\ndata: y\n\n", [(b"", b"y")]),
    "CRLF": (b"event: e\r\ndata: x\r\n\r\n", [(b"e", b"x")]),
    "CR": (b"event: e\rdata: x\r\r", [(b"e", b"x")]),
    "mixed line ends": (
        b"data: x\r\n\ndata: y\n\r\ndata: z\r\n\r",
        [(b"", b"x"), (b"", b"y"), (b"", b"z")],
    ),
    "LF then CR are two line ends": (b"data: x\n\r", [(b"", b"x")]),
    "U+2028, U+2029 and U+0085 end no line": (
        "data: a\u2028b\u2029c\u0085d\n\n".encode(),
        [(b"", "a\u2028b\u2029c\u0085d".encode())],
    ),
    "vertical tab, form feed and separators end no line": (
        b"data: a\x0bb\x0cc\x1cd\x1de\x1ef\n\n",
        [(b"", b"a\x0bb\x0cc\x1cd\x1de\x1ef")],
    ),
    "NUL and invalid UTF-8 pass": (b"data: \x00\xff\xc3\n\n", [(b"", b"\x00\xff\xc3")]),
    "the sentinel is an event": (b"data: [DONE]\n\n", [(b"", b"[DONE]")]),
    "nothing at all": (b"", []),
}


@pytest.mark.parametrize("fact", FACTS)
def test_facts(fact: str) -> None:
    """Each fact holds however the bytes are cut, and the standard's own algorithm agrees."""
    data, expected = FACTS[fact]
    assert expected == reads(fed, data)
    assert expected == by_the_standard(data)


@pytest.mark.parametrize("fact", FACTS)
def test_a_comment_beside_it_changes_no_event(fact: str) -> None:
    """What is read line by line is what is read at a glance."""
    data, expected = FACTS[fact]
    if not data.startswith(b"\xef\xbb\xbf"):
        assert expected == reads(fed, b": c\n" + data)


def test_an_event_without_a_name_may_follow_a_named_one() -> None:
    """Each in a chunk of its own, as servers send them."""
    framer = Framer(1000, 1000)
    fed_ones = [b'event: ping\ndata: {"a":1}\n\n', b'data: {"b":"longer than the name"}\n\n'] * 2
    expected = [[(b"ping", b'{"a":1}')], [(b"", b'{"b":"longer than the name"}')]] * 2
    assert expected == [framer.feed(chunk) for chunk in fed_ones]


def test_every_row_cites_tests_and_every_fact_has_a_row() -> None:
    """spec/sse.toml and the facts here cover each other; a row names tests that exist."""
    table = Path(__file__).resolve().parents[1] / "spec" / "sse.toml"
    rows = tomllib.loads(table.read_text("utf-8"))["row"]
    ids = [row["id"] for row in rows]
    assert sorted(set(ids)) == sorted(ids)
    cases = {case for row in rows for case in row["cases"]}
    facts = {f"tests/test_sse.py::test_facts[{fact}]" for fact in FACTS}
    assert set() == facts - cases
    others = {case.removeprefix("tests/test_sse.py::") for case in cases - facts}
    assert set() == {case for case in others if not callable(globals().get(case))}
    assert all(row["source"] and row["cases"] for row in rows)


# Endings: what stands at the end of input -> what counts, and whether input ended inside an event.
ENDINGS: dict[bytes, tuple[Found, bool]] = {
    b"": ([], False),
    b'data: {"a":1}\n': ([(b"", b'{"a":1}')], False),
    b'data: {"a":1}': ([(b"", b'{"a":1}')], False),
    b'event: e\ndata: {"a":1}': ([(b"e", b'{"a":1}')], False),
    b"data: [DONE]\n": ([(b"", b"[DONE]")], False),
    b"data: [DONE]": ([(b"", b"[DONE]")], False),
    b'data: {"a":\ndata: 1}': ([(b"", b'{"a":\n1}')], False),
    b'data: {"a":1}\nevent': ([(b"", b'{"a":1}')], False),
    b'data: {"a":': ([], True),
    b'data: {"a":\n': ([], True),
    b"data: [DON": ([], True),
    b'data: "\xc3': ([], True),
    b"data: ": ([], True),
    b"data": ([], True),
    b"dat": ([], True),
    b"e": ([], True),
    b"event: message_st": ([], True),
    b"event: message_stop\n": ([], True),
    b": keep-ali": ([], False),
    b": keep-alive\n": ([], False),
    b":": ([], False),
    b"id: 7": ([], False),
    b"id: 7\n": ([], False),
    b"retry: 1\n: x": ([], False),
    b"\xef\xbb": ([], False),
    b"id: 1\nda": ([], True),
}


@pytest.mark.parametrize("tail", ENDINGS)
@pytest.mark.parametrize("before", [b"", b'event: e\ndata: "x"\n\n', b'data: "x"\r\n\r\n'])
def test_endings(before: bytes, tail: bytes) -> None:
    """A pending event counts when its data is whole; less than that is an end inside an event."""
    earlier = fed(whole(before))
    counts, inside = ENDINGS[tail]
    for chunks in (whole(before + tail), singles(before + tail), [before, tail]):
        assert (earlier, counts, inside) == read(chunks)


@pytest.mark.parametrize("end", [b"\n\n", b"\n", b""])
def test_the_three_tails_of_a_stream_read_alike(end: bytes) -> None:
    data = b'event: a\ndata: {"n":1}\n\nevent: b\ndata: {"n":2}' + end
    assert [(b"a", b'{"n":1}'), (b"b", b'{"n":2}')] == frames(data)


def test_close_forgets_what_it_returned() -> None:
    framer = Framer(ROOM, ROOM)
    framer.feed(b"data: 1")
    assert ([(b"", b"1")], False) == framer.close()
    assert ([], False) == framer.close()


def test_pending_says_whether_bytes_are_held() -> None:
    framer = Framer(ROOM, ROOM)
    seen: list[bool] = []
    for chunk in (b"", b"\xef", b"\xbb\xbf", b"data: x", b"\n", b"\n", b"\n", b": c", b"\n\n"):
        framer.feed(chunk)
        seen.append(framer.pending)
    assert [False, True, False, True, True, False, False, True, False] == seen


@pytest.mark.parametrize(
    ("end", "behind"), [(b"\n\n", 0), (b"\r\r", 0), (b"\r\n\r\n", 1), (b"\r\n\n", 0)]
)
def test_an_event_comes_with_the_feed_of_its_blank_line(end: bytes, behind: int) -> None:
    """The byte that ends the blank line is enough, also where a CR may still get its LF."""
    data = b"event: e\ndata: x" + end
    framer = Framer(ROOM, ROOM)
    brought = [framer.feed(chunk) for chunk in singles(data + data)]
    expected: list[Found] = [[] for _ in data]
    expected[len(data) - 1 - behind] = [(b"e", b"x")]
    assert expected + expected == brought


@pytest.mark.parametrize(
    ("chunks", "expected"),
    [
        ([b"data: x\nd", b"ata: y\n\n"], [(b"", b"x\ny")]),
        ([b"data: x\n", b"\n"], [(b"", b"x")]),
        ([b"data: x\n\nd", b"ata: y\n\n"], [(b"", b"x"), (b"", b"y")]),
        ([b"event: e\ndata: x\n\n", b"event: e\ndata: y\n\n"], [(b"e", b"x"), (b"e", b"y")]),
        ([b"event: e\ndata: x\n\n", b"data: y\n\n"], [(b"e", b"x"), (b"", b"y")]),
        ([b"event: e\ndata: x\n\n", b"event: ee\ndata: y\n\n"], [(b"e", b"x"), (b"ee", b"y")]),
        ([b"event: e\ndata: x\n\n", b"event: e\ndata: \n\n"], [(b"e", b"x")]),
        ([b"event: e", b"\ndata: x\n\n", b"data: y\n\n"], [(b"e", b"x"), (b"", b"y")]),
        ([b": hi\n\n", b"data: x\n\n"], [(b"", b"x")]),
        ([b"data: x\r", b"\ndata: y\n\n"], [(b"", b"x\ny")]),
    ],
)
def test_a_chunk_that_looks_like_one_frame(chunks: list[bytes], expected: Found) -> None:
    """What the chunk before it was, and what follows it, count as always."""
    assert expected == fed([b"data: 0\n\n", *chunks])[1:]


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_every_kind_of_bytes_is_fed_alike(kind: type) -> None:
    data = b"event: e\ndata: x\n\ndata: y\n\n"
    framer = Framer(ROOM, ROOM)
    found = [event for chunk in chunked(data, 5) for event in framer.feed(kind(chunk))]
    assert [(b"e", b"x"), (b"", b"y")] == found
    assert all(type(part) is bytes for event in found for part in event)


def test_what_is_not_bytes_is_misuse() -> None:
    for wrong in ("data: x\n\n", 5, None):
        with pytest.raises(TypeError):
            Framer(ROOM, ROOM).feed(wrong)  # type: ignore[arg-type]  # the misuse under test


def test_all_of_an_input_is_read_at_once() -> None:
    """However few its frames are: one may be all of it."""
    assert [(b"", b"x")] == frames(b"data: x\n\n")
    assert [(b"e", b"1")] == frames(b"event: e\ndata: 1")


def test_what_was_returned_stays_as_it_was() -> None:
    """A buffer that its owner fills again, and later feeds, change nothing that was returned."""
    framer = Framer(ROOM, ROOM)
    framer.feed(b"data: first")
    buffer = bytearray(b" one\n\nevent: e\ndata: x\n\n")
    first = framer.feed(buffer)
    buffer[:] = b"z" * len(buffer)
    framer.feed(b"data: later\n\n")
    framer.close()
    assert [(b"", b"first one"), (b"e", b"x")] == first


# Limits

SMALL, LONG = b"data: x\n\n", b"event: e\ndata: " + b"y" * 40 + b"\n\n"


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_a_frame_may_be_as_large_as_its_limit(end: bytes) -> None:
    """The limit counts every byte to the end of the blank line, a CRLF as one."""
    data = (SMALL + LONG + SMALL).replace(b"\n", end)
    first, second, third = fed(whole(data))
    for chunks in (whole(data), singles(data), by_event(data), chunked(data, 7)):
        assert ([first, second, third], [], False) == read(chunks, max_frame=len(LONG))
        assert ([first], [], "frame") == read(chunks, max_frame=len(LONG) - 1)


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_a_stream_may_be_as_large_as_its_limit(end: bytes) -> None:
    """Frames that came whole before the limit are returned, also by the feed that passed it."""
    data = (SMALL + LONG).replace(b"\n", end)
    first, second = fed(whole(data))
    for chunks in (whole(data), singles(data), by_event(data), chunked(data, 7)):
        assert ([first, second], [], False) == read(chunks, max_stream=len(data))
        cut_short = read(chunks, max_stream=len(data) - len(end) - 1)
        assert ([first], [], "stream") == cut_short


def test_a_pending_frame_may_be_as_large_as_its_limit() -> None:
    """One byte more is refused at once; the frames before it in the same chunk are returned."""
    pending = b"event: eeee\ndata: 1"
    for before in (b"", SMALL):
        found = fed(whole(before))
        for chunks in (whole(before + pending), singles(before + pending), [before, pending]):
            kept = (found, [(b"eeee", b"1")], False)
            assert kept == read(chunks, max_frame=len(pending))
            assert (found, [], "frame") == read(chunks, max_frame=len(pending) - 1)


def test_comments_and_ignored_fields_count_in_a_frame() -> None:
    """Otherwise a peer that never ends a line could fill the memory with them."""
    for line in (b": x\n", b"id: x\n", b"x" * 50):
        assert ([], [], "frame") == read([line] * 40, max_frame=30)


def test_blank_lines_and_comments_between_events_never_add_up() -> None:
    data = (b"\n" * 7 + b": hi\n\n") * 50 + SMALL
    for size in (1, 3, len(data)):
        assert ([(b"", b"x")], [], False) == read(chunked(data, size), max_frame=len(SMALL))


@pytest.mark.parametrize("what", ["frame", "stream"])
def test_a_framer_that_refused_refuses_for_good(what: str) -> None:
    framer = Framer(8 if what == "frame" else ROOM, 8 if what == "stream" else ROOM)
    for chunk in (b"data: 123456789", b"\n\n", b"data: 1\n\n", b""):
        with pytest.raises(FrameTooLarge) as refused:
            framer.feed(chunk)
        assert what == refused.value.what
        assert [] == refused.value.frames
    assert ([], False) == framer.close()


def test_a_large_input_is_read_in_steps_and_reads_the_same() -> None:
    """A recording of several MiB given at once; its frames lie across the steps."""
    one = b"event: e\ndata: " + b"z" * 3001 + b"\n\n"
    data = one * (3 * sse._STEP // len(one))
    for text in (data, data.replace(b"\n", b"\r\n")):
        found, pending, inside = read(whole(text), max_stream=len(text))
        assert [(b"e", b"z" * 3001)] * (len(data) // len(one)) == found
        assert ([], False) == (pending, inside)


@pytest.mark.parametrize("size", [1, 2, 1 << 10, 1 << 16])
def test_memory_stays_within_a_frame(size: int) -> None:
    """A line that never ends is refused at the limit, having taken a small multiple of it."""
    limit = 1 << 18
    framer = Framer(limit, 1 << 40)
    chunk = b"data: " if size > 6 else b"d"
    chunk += b"x" * (size - len(chunk))
    tracemalloc.start()
    try:
        ending = _endlessly(framer, chunk, 2 * limit // size)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert ending == "frame"
    assert peak < 4 * limit


def _endlessly(framer: Framer, chunk: bytes, times: int) -> str:
    try:
        for _ in range(times):
            framer.feed(chunk)
    except FrameTooLarge as refused:
        return refused.what
    return "not refused"


def test_what_is_held_is_let_go_with_its_event() -> None:
    """After a giant event a framer holds no more than before it."""
    framer = Framer(1 << 23, 1 << 40)
    tracemalloc.start()
    try:
        for _ in range(3):
            framer.feed(b"data: ")
            for _ in range(64):
                framer.feed(b"x" * (1 << 15))
            framer.feed(b"\n\n")
        current, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert current < 1 << 16


class Counting:
    """A pattern that counts the bytes it is asked to search."""

    def __init__(self, pattern: re.Pattern[bytes]) -> None:
        self.pattern = pattern
        self.bytes = 0

    def findall(self, region: bytes) -> Found:
        self.bytes += len(region)
        return self.pattern.findall(region)


@pytest.mark.parametrize("size", [1, 2, 3, 64, 1021, 1 << 16])
@pytest.mark.parametrize("line", [10, 1000, 100_000])
def test_law_linear(monkeypatch: pytest.MonkeyPatch, line: int, size: int) -> None:
    """Every byte of a frame is searched for fields once, in whatever chunks it came."""
    named, nameless = Counting(sse._NAMED), Counting(sse._NAMELESS)
    monkeypatch.setattr(sse, "_NAMED", named)
    monkeypatch.setattr(sse, "_NAMELESS", nameless)
    data = (b"event: e\ndata: " + b"x" * line + b"\n\n") * (200_000 // line)
    found, pending, inside = read(chunked(data, size))
    assert [(b"e", b"x" * line)] * (200_000 // line) == found
    assert ([], False) == (pending, inside)
    assert named.bytes + nameless.bytes <= len(data)


# Laws

_WORDS = (
    *(
        b"\n",
        b"\n\n",
        b"\r",
        b"\r\n",
        b"data: ",
        b"data:",
        b"data",
        b"event: ",
        b"event:x",
        b"event",
    ),
    *(
        b"x",
        b"1",
        b"{}",
        b" ",
        b":",
        b": hi\n",
        b"id: 1\n",
        b"retry: 2",
        b"\xef\xbb\xbf",
        b"\xc2\x85",
    ),
    *(b"data: {}\n\n", b"event: ping\ndata: 2\n\n", b"data: [DONE]\n\n", b"data: a\ndata: b\n\n"),
)
streams = st.lists(st.sampled_from(_WORDS), max_size=16).map(b"".join) | st.binary(max_size=60)


@given(st.data(), streams)
def test_law_cuts(data: st.DataObject, stream: bytes) -> None:
    """Cuts never show: not in what counts, not in how it ends, not in what is refused."""
    max_frame = data.draw(st.integers(0, 30) | st.just(ROOM))
    max_stream = data.draw(st.integers(0, 80) | st.just(ROOM))
    expected = read(whole(stream), max_frame, max_stream)
    assert expected == read(data.draw(cuts(stream)), max_frame, max_stream)
    for swift in (True, False):
        assert expected == read(singles(stream), max_frame, max_stream, swift=swift)
    assert expected == read(by_event(stream), max_frame, max_stream)


@given(streams)
@example(b": hi\ndata: x\n\n" * 2)
@example(b"data: a\ndata: b\n\n" * 2)
@example(b"event: e data: x\n\n")
@example(b"id: data: x\n\n")
@example(b"data: \n\ndata: x\n\n")
def test_both_ways_of_reading_are_the_standard(stream: bytes) -> None:
    """The quick ways, the line reader and the standard's own algorithm find the same events."""
    expected = by_the_standard(stream)
    assert expected == fed(whole(stream))
    assert expected == fed(by_event(stream))
    lines = re.sub(rb"\r\n?", b"\n", stream.removeprefix(b"\xef\xbb\xbf"))
    ended = lines.rfind(b"\n\n") + 2
    assert expected == sse._read(lines[:ended] if ended > 1 else b"", ROOM)


@given(st.binary(max_size=200), st.integers(0, 40), st.integers(0, 250))
def test_law_only_ours(stream: bytes, max_frame: int, max_stream: int) -> None:
    """Any bytes give events or FrameTooLarge: read() would let anything else out."""
    for chunks in (whole(stream), singles(stream)):
        found, pending, end = read(chunks, max_frame, max_stream)
        assert end in (True, False, "frame", "stream")
        assert all(data and b"\r" not in data for _, data in found + pending)


# Surrogates (Cs) have no UTF-8, and a line end in a name is refused by a test of its own.
names = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"))


@given(st.lists(st.tuples(st.none() | names, st.binary(min_size=1))))
def test_law_frames_of_frame(events: list[tuple[str | None, bytes]]) -> None:
    """What frame() writes reads back as it was given, with comments anywhere between."""
    events = [(name, data.replace(b"\n", b"n").replace(b"\r", b"r")) for name, data in events]
    data = comment("start") + b"".join(frame(data, name) + comment() for name, data in events)
    assert [((name or "").encode(), data) for name, data in events] == reads(fed, data)


# Bytes out of frames


def test_frame_writes_one_event() -> None:
    assert b'data: {"a":1}\n\n' == frame(b'{"a":1}')
    assert b"event: ping\ndata: {}\n\n" == frame(b"{}", "ping")
    assert b"event: \xc3\xa9\ndata: {}\n\n" == frame(b"{}", "é")
    assert DONE == frame(b"[DONE]")


def test_comment_writes_one_comment() -> None:
    assert b": keep-alive\n\n" == comment("keep-alive")
    assert b":\n\n" == comment()


@pytest.mark.parametrize("data", [b"", b"a\nb", b"a\rb", b"\r\n"])
def test_frame_refuses_data_that_would_read_differently(data: bytes) -> None:
    with pytest.raises(ValueError, match="data of an event"):
        frame(data)


@pytest.mark.parametrize("text", ["a\nb", "a\rb", "\n"])
def test_names_and_comments_are_one_line(text: str) -> None:
    with pytest.raises(ValueError, match="name of an event"):
        frame(b"{}", text)
    with pytest.raises(ValueError, match="comment"):
        comment(text)


# The helper itself


def test_the_helper_cuts_and_loses_nothing() -> None:
    data = b"event: e\ndata: x\n\ndata: y\r\n\r\ndata: z\r\rrest"
    assert [b"event: e\ndata: x\n\n", b"data: y\r\n\r\n", b"data: z\r\r", b"rest"] == by_event(data)
    assert [b"ab", b"", b"cd", b"e"] == cut(b"abcde", [4, 2, 2])
    assert [b"ab", b"cd", b"e"] == chunked(b"abcde", 2)
    for chunks in (whole(data), singles(data), cut(data, [3, 9]), chunked(data, 4)):
        assert data == b"".join(chunks)


def test_the_helper_catches_a_reader_that_cuts_confuse() -> None:
    with pytest.raises(AssertionError, match="single bytes"):
        reads(lambda chunks: [part for chunk in chunks for part in chunk.split(b"\n\n")], b"a\n\nb")
