"""The exact reader for what orjson cannot be trusted with, and for the path of what it refused."""

import re
from collections.abc import Callable, Iterable
from typing import Any, Final, TypeAlias, cast

import orjson

__all__ = ["TOO_DEEP", "Data", "JsonError", "Parser", "Path", "path_text"]

TOO_DEEP: Final = "nested too deep"

Data: TypeAlias = bytes | bytearray | memoryview | str
Path: TypeAlias = tuple[str | int, ...]
Span: TypeAlias = tuple[object, int, int]

_MAX_DIGITS: Final = 4300  # CPython's own bound: converting decimal digits takes quadratic time
_MAX_STEPS: Final = 64  # of a path shown; a deeper place is named by what holds it

_PLAIN: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_STRING: Final = r'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+"'
_NUMBER: Final = r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+"
_SPACE: Final = r"[ \t\n\r]*+"
_VALUE_AT: Final = re.compile(
    rf"{_SPACE}(?:({_STRING})|(-?(?:NaN|Infinity))|({_NUMBER})|(true|false|null)|([\[{{])(?:{_SPACE}([\]}}]))?+)"
)
_TEXT, _NOT_A_NUMBER, _NUMERIC, _WORD, _OPEN, _EMPTY = range(1, 7)
_KEY_AT: Final = re.compile(rf"{_SPACE}({_STRING}){_SPACE}:")
_NEXT_AT: Final = re.compile(rf"{_SPACE}([,\]}}])")
_END_AT: Final = re.compile(_SPACE + r"\Z")

_WORDS: Final[dict[str, bool | None]] = {"true": True, "false": False, "null": None}
_CLOSES: Final = {"[": "]", "{": "}"}


class JsonError(ValueError):
    """What is wrong with a JSON text or value, and where; never input text.

    ``reason`` is one of the fixed texts of this package, ``path`` a body path, empty for the whole.
    """

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)
        self.path, self.reason = path, reason

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}" if self.path else self.reason

    @property
    def too_deep(self) -> bool:
        """Whether the first fault is the depth: what a limit refuses, where all else is no JSON."""
        return self.reason == TOO_DEEP


def path_text(path: Iterable[str | int]) -> str:
    """The body path, cut at 64 steps and before the first key that is no bounded plain name."""
    shown: list[str] = []
    for step in tuple(path)[:_MAX_STEPS]:
        if isinstance(step, int):
            shown.append(f"[{step}]")
        elif _PLAIN.fullmatch(step):
            shown.append(f".{step}" if shown else step)
        else:
            break
    return "".join(shown)


class Parser:
    """Reads one JSON text, without recursion and in time linear in its length.

    The open containers stand on a stack; the path has one step for each: the key or index that is
    being read. A key not yet read is the empty string, which no path shows.

    ``unique`` refuses duplicate keys. ``loose`` hands numbers that Python cannot hold to
    ``oversized`` instead of refusing them. ``free`` turns both on below the members it accepts.
    ``keep`` records where each container and float stands.
    """

    def __init__(
        self,
        data: Data,
        max_depth: int,
        *,
        unique: bool = False,
        loose: bool = False,
        oversized: Callable[[str], object] = str,
        free: Callable[[Path], bool] | None = None,
        keep: bool = False,
    ) -> None:
        self.spans: dict[int, Span] = {}
        self.text, self._bad_at, self._bad = _decoded(data)
        self._max_depth, self._unique, self._loose = max_depth, unique, loose
        self._free, self._keep = free, keep
        self._oversized, self._free_from = oversized, -1
        self._path: list[str | int] = []
        self._stack: list[tuple[list[Any] | dict[str, Any], int]] = []
        self._at = 0

    def parse(self) -> Any:
        """The value of the whole text.

        Raises:
            JsonError: whatever makes it no such text, at its place.
        """
        if self.text.startswith("\ufeff"):
            raise self._fault("byte order mark")
        while True:
            value = self._next_value()
            while self._stack:
                if self._place(value):
                    break
                value = self._close()
            else:
                if not _END_AT.match(self.text, self._at):
                    raise self._fault("invalid JSON")
                return value

    def _fault(self, reason: str) -> JsonError:
        return JsonError(path_text(self._path), reason)

    def _next_value(self) -> Any:
        """The next scalar or empty container, after opening whatever stands before it."""
        while True:
            found = _VALUE_AT.match(self.text, self._at)
            if found is None:
                raise self._fault("invalid JSON")
            self._at = found.end()
            kind = found.lastindex
            if kind == _TEXT:
                return self._string(found[_TEXT])
            if kind == _NUMERIC:
                return self._number(found[_NUMERIC])
            if kind == _WORD:
                return _WORDS[found[_WORD]]
            if kind == _NOT_A_NUMBER:
                raise self._fault("not a JSON number")
            self._open(found[_OPEN], found.start(_OPEN))
            if kind == _EMPTY:
                if found[_EMPTY] != _CLOSES[found[_OPEN]]:
                    raise self._fault("invalid JSON")
                return self._close()
            if found[_OPEN] == "{":
                self._key()

    def _open(self, bracket: str, start: int) -> None:
        if len(self._stack) >= self._max_depth:
            raise self._fault(TOO_DEEP)
        if (
            self._free is not None
            and not self._loose
            and self._path
            and isinstance(self._path[-1], str)
        ):
            self._loose = self._free(tuple(self._path))
            self._free_from = len(self._stack)
        self._stack.append(({} if bracket == "{" else [], start))
        self._path.append("" if bracket == "{" else 0)

    def _close(self) -> Any:
        self._path.pop()
        node, start = self._stack.pop()
        if self._free_from == len(self._stack):
            self._loose, self._free_from = False, -1
        return self._kept(node, start)

    def _kept(self, node: Any, start: int) -> Any:
        if self._keep:
            # The node itself is held, so that its identity is never given to another one.
            self.spans[id(node)] = (node, start, self._at)
        return node

    def _place(self, value: Any) -> bool:
        """Put a value into the open container; whether another one follows."""
        node, _ = self._stack[-1]
        if isinstance(node, dict):
            node[cast(str, self._path[-1])] = value
        else:
            node.append(value)
        found = _NEXT_AT.match(self.text, self._at)
        if found is None:
            raise self._fault("invalid JSON")
        self._at = found.end()
        if found[1] != ",":
            if (found[1] == "}") != isinstance(node, dict):
                raise self._fault("invalid JSON")
            return False
        if isinstance(node, dict):
            self._key()
        else:
            self._path[-1] = len(node)
        return True

    def _key(self) -> None:
        self._path[-1] = ""
        found = _KEY_AT.match(self.text, self._at)
        if found is None:
            raise self._fault("invalid JSON")
        self._at = found.end()
        key = self._path[-1] = self._string(found[1])
        if self._unique and not self._loose and key in cast("dict[str, Any]", self._stack[-1][0]):
            raise self._fault("duplicate key")

    def _string(self, literal: str) -> str:
        if self._at > self._bad_at:
            raise self._fault(self._bad)
        if "\\" not in literal:
            return literal[1:-1]
        try:
            return cast(str, orjson.loads(literal))
        except orjson.JSONDecodeError:
            raise self._fault("lone surrogate") from None

    def _number(self, literal: str) -> Any:
        try:
            if literal.lstrip("-").isdigit():
                if len(literal) <= _MAX_DIGITS:
                    return int(literal)
            elif (number := float(literal)) - number == 0.0:
                return self._kept(number, self._at - len(literal))
        except ValueError:
            pass  # the embedding program lowered the interpreter's bound on digits
        if self._loose:
            return self._oversized(literal)
        raise self._fault("number out of range")


def _decoded(data: Data) -> tuple[str, int, str]:
    """The text, and where and why it first is no Unicode text (past its end if it is)."""
    if isinstance(data, str):
        try:
            data.encode()
        except UnicodeEncodeError as error:
            return data, error.start, "lone surrogate"
        return data, len(data), ""
    raw = bytes(data)
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        return (
            raw.decode(errors="surrogateescape"),
            len(raw[: error.start].decode()),
            "invalid UTF-8",
        )
    return text, len(text), ""
