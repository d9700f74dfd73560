"""JSON text to values: at orjson's speed where that is proved exact, by the parser elsewhere."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias, cast

import orjson

from llm_projections._json.parser import Data, JsonError, Parser, Path, Span
from llm_projections._values import frozen

__all__ = [
    "Envelope",
    "Json",
    "RawJson",
    "exactly",
    "is_complete",
    "is_object",
    "loads",
    "loads_exact",
    "read",
    "swift",
    "unescaped",
]

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | RawJson | None"

_ORJSON_READS: Final = 1024  # orjson 3.13 refuses to read deeper nests
_ORJSON_WRITES: Final = 254  # and to write deeper ones

_INTEGER: Final = re.compile(rb"0|-?[1-9][0-9]{0,17}")  # any of 18 digits fits 64 bit
_NUMERIC: Final = bytes(byte if byte in b"0123456789+-.eE" else 32 for byte in range(256))
_DIGITS: Final = bytes(48 if 48 <= byte <= 57 else 32 for byte in range(256))
_LONG_RUN: Final = (
    b"0" * 19
)  # the shortest integer out of 64 bit, -9223372036854775809, has 19 digits


@frozen
class RawJson:
    """A JSON text that goes out unchanged: equal and hashed by its text.

    Raises:
        JsonError: the text is not one complete JSON value, nests deeper than 1024 levels, or
            escapes a lone surrogate.
    """

    text: str

    def __attrs_post_init__(self) -> None:
        if not is_complete(self.text):
            raise JsonError("", "invalid JSON")

    @property
    def value(self) -> Json:
        """The decoded value, integers exact, the last of duplicate keys.

        Raises:
            JsonError: a number that no double holds (``1e400``), an integer of more than
                4,300 digits.
        """
        return loads_exact(self.text, _ORJSON_READS)


@frozen(eq=False, repr=False)
class Envelope:
    """A request body that was read exactly: its value, and the text of every node in it."""

    value: Json
    _source: str = ""
    _spans: Mapping[int, Span] | None = None

    @property
    def sliced(self) -> bool:
        """Whether texts are slices of the source, with its spaces, and are not written anew."""
        return self._spans is not None

    def text_of(self, node: Json) -> str:
        """The JSON text of a node of ``value``: number spelling, order and duplicates as sent.

        The node is found by identity. Where writing the value again loses nothing, this is the
        compact text; elsewhere it is the slice of the source, spaces included. The one spelling
        lost is that of a bare ``-0`` asked for by itself, which is the integer 0.
        """
        if self._spans is not None:
            found = self._spans.get(id(node))
            if found is not None:
                return self._source[found[1] : found[2]]
        if isinstance(node, RawJson):
            return node.text
        # Integers beyond 64 bit stand only in values that orjson did not read.
        return str(node) if type(node) is int else orjson.dumps(node).decode()


def loads(data: Data) -> Json:
    """The value of a JSON text, at orjson's speed.

    Integers beyond 64 bit are floats, and the last of duplicate keys stands.

    Raises:
        JsonError: not JSON, not UTF-8, a lone surrogate, a number that no double holds, or more
            than 1024 levels.
    """
    try:
        value: Json = orjson.loads(data)
    except orjson.JSONDecodeError:
        return cast(Json, Parser(data, _ORJSON_READS).parse())
    return value


swift = orjson.loads
"""``loads`` without a second opinion: for loops in which a call more shows (70 ns).

Raises ``JSONDecodeError``, a ``ValueError``, also for the few texts that only ``loads`` reads.
"""


def loads_exact(data: Data, max_depth: int = 512) -> Json:
    """Like ``loads``, but integers of any size are exact and nests are bounded.

    Raises:
        JsonError: as ``loads``; more than ``max_depth`` levels; an integer of more than 4,300
            digits.
    """
    try:
        value = cast(Json, orjson.loads(data))
    except orjson.JSONDecodeError:
        return cast(Json, Parser(data, max_depth).parse())
    return exactly(value, data, max_depth)


def exactly(value: Json, data: Data, max_depth: int = 512) -> Json:
    """What ``loads_exact`` gives, for a text that ``loads`` has read as ``value``: it is read again only if need be.

    Raises:
        JsonError: as ``loads_exact``.
    """
    raw = data.encode() if isinstance(data, str) else bytes(data)
    few = raw.count(b"[") + raw.count(b"{") <= max_depth
    if (few and _LONG_RUN not in raw.translate(_DIGITS)) or _exact_within(value, max_depth):
        return value
    return cast(Json, Parser(data, max_depth).parse())


def read(
    body: bytes | bytearray | memoryview,
    max_depth: int = 512,
    free: Callable[[Path], bool] | None = None,
    *,
    texts: bool = True,
    unique: bool = True,
) -> Envelope:
    """A request body, exactly, or a refusal that names the place.

    ``free`` is asked with the path of a member that holds an object or a list. Where it says yes,
    duplicate keys are allowed below (the last one stands in the value, all stand in the text), and
    a number that Python cannot hold is a ``RawJson``. A body without such things never asks it.
    ``unique=False`` allows duplicate keys everywhere.
    ``texts=False`` is the caller's word that it asks for no ``text_of`` a node: then only the value
    has to be proved, and how a number was spelled has not.

    Raises:
        JsonError: as ``loads_exact``, and for a duplicate key anywhere else.
    """
    raw = bytes(body)
    try:
        value = cast(Json, orjson.loads(raw))
    except orjson.JSONDecodeError:
        pass  # a fault to be named
    else:
        # A writer puts its spaces everywhere: the first tokens tell which proof is the likely one.
        proofs = (_counted, _written) if b'": ' in raw[:256] else (_written, _counted)
        if any(proof(value, raw, max_depth, texts) for proof in proofs):
            return Envelope(value)
    parser = Parser(raw, max_depth, unique=unique, oversized=_raw, free=free, keep=True)
    return Envelope(parser.parse(), parser.text, parser.spans)


def is_complete(text: Data) -> bool:
    """Whether this is one JSON value and nothing else; duplicates and any numbers are fine."""
    return _parsed(text) is not None


def is_object(text: Data) -> bool:
    """Whether this is one JSON object and nothing else; duplicates and any numbers are fine."""
    found = _parsed(text)
    return found is not None and type(found[0]) is dict


def _written(value: Json, raw: bytes, max_depth: int, _texts: bool) -> bool:
    """Proof for compact bodies: writing the value again gives the same bytes.

    What is written depends on the value alone, so equal bytes say that nothing was lost. This takes
    0.35 of the time of reading, 0.7 where most texts are not ASCII.
    """
    try:
        same = orjson.dumps(value) == raw
    except orjson.JSONEncodeError:  # deeper than orjson writes
        return False
    return same and (max_depth >= _ORJSON_WRITES or _exact_within(value, max_depth))


def _counted(value: Json, raw: bytes, max_depth: int, texts: bool) -> bool:
    """Proof for every other spelling: each quotation mark of the text is accounted for by the value.

    A text has two marks around every key and string, and one for each mark inside that is not spelled
    by its number. A key given twice took its marks out of the value. This takes as long as reading
    does; taking the text apart first, as is done where marks may be spelled by number, twice as long.
    """
    # the text of a node is that which orjson writes of it
    found = _survey(value, min(max_depth, _ORJSON_WRITES) if texts else max_depth)
    if found is None:
        return False
    strings, inside, floats, zeros = found
    marks = 2 * strings
    if b"u0022" in raw:
        bare = unescaped(raw)
    else:
        bare, marks = raw, marks + inside
    if marks != bare.count(b'"'):
        return False
    # the integer of two spellings is 0, and most texts have no -0 anywhere
    plain = not floats and not (zeros and b"-0" in raw)
    return plain or not texts or _spelled(raw)


def _survey(value: Json, max_depth: int) -> tuple[int, int, bool, bool] | None:
    """How many keys and strings a value has, how many marks in its strings, and whether it has floats, and zeros.

    None where it has more than so many levels, or a float that may have been a big integer. Marks in
    keys, which nobody sends, are not looked for: they leave the proof wanting.
    """
    strings, inside, floats, zeros = 0, 0, False, False
    level: list[Any] = [value]
    for left in range(max_depth, -1, -1):
        below: list[Any] = []
        for node in level:
            # asked once, the frequent ones first: this loop is half of the proof
            kind = type(node)  # pyright: ignore[reportUnknownVariableType]  a cast is a call a node
            if kind is str:
                strings += 1
                inside += node.count('"')
            elif kind is dict:
                if not left:
                    return None
                strings += len(node)
                below += node.values()
            elif kind is list:
                if not left:
                    return None
                below += node
            elif kind is float:
                if not -(2.0**63) < node < 2.0**63:
                    return None
                floats = True
            elif kind is int and not node:
                zeros = True
        if not below:
            return strings, inside, floats, zeros
        level = below
    return None


def _spelled(raw: bytes) -> bool:
    """Whether each number of a text is spelled as orjson spells it."""
    between = b" ".join(unescaped(raw).split(b'"')[::2])
    numbers = set(between.translate(_NUMERIC).split())
    numbers.discard(b"e")  # of true and false
    return all(
        _INTEGER.fullmatch(number) or orjson.dumps(orjson.loads(number)) == number
        for number in numbers
    )


def unescaped(raw: bytes) -> bytes:
    """Valid JSON text whose quotation marks are all those around keys and strings.

    A run of backslashes begins an escape, so pairs are taken from the left; one that is left over
    before a mark escapes that mark.
    """
    return raw.replace(b"\\\\", b"").replace(b'\\"', b"") if b"\\" in raw else raw


def _exact_within(value: Json, max_depth: int) -> bool:
    """Whether a value has at most so many levels, and no float that may have been a big integer."""
    level: list[Json] = [value]
    for left in range(max_depth, -1, -1):
        below: list[Json] = []
        for node in level:
            if isinstance(node, str):
                continue
            if isinstance(node, float):
                if not -(2.0**63) < node < 2.0**63:
                    return False
            elif isinstance(node, dict | list):
                if not left:
                    return False
                below += node.values() if isinstance(node, dict) else node
        if not below:
            return True
        level = below
    return False


def _raw(text: str) -> RawJson:
    """A ``RawJson`` whose text the parser has already checked."""
    raw = object.__new__(RawJson)
    object.__setattr__(raw, "text", text)
    return raw


def _parsed(text: Data) -> tuple[object] | None:
    try:
        return (orjson.loads(text),)
    except orjson.JSONDecodeError:
        pass
    try:
        return (Parser(text, _ORJSON_READS, loose=True).parse(),)
    except JsonError:
        return None
