"""Rows of a declared subset, and the table that finds the row of a place.

Rules:
1. A row is placed by a spec path. A name or a variant may list alternatives (`<a|b>`) and hold
   globs (`<web_search_*>`); a trailing `.**` makes the row cover its place and everything below it.
2. The most specific row wins: the deeper one; at one depth the row of the place itself before one
   with `.**`; then, from the left, a literal before alternatives before a glob before a bare `*`.
3. A row of a list or map speaks for its elements too (`[]`, `{}`), unless a deeper row does.
4. Nothing is parsed before it is first asked for, and what was asked for is kept.
"""

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from types import MappingProxyType

from attrs import field, frozen

# Far above the number of places that the published types have: only tags that peers made up can
# reach it, and then the cache stops growing.
_KEPT = 8192

_TOKEN = re.compile(r"\.?([^.\[\]{}<>]+)|(\[\]|\{\})|(<[^<>]+>)")
_BELOW = ".**"
_LITERAL, _ALTERNATIVES, _GLOB, _ANY = 3, 2, 1, 0


class Treat(StrEnum):
    """What happens to a published thing."""

    MAP = "map"
    """It has a neutral meaning."""
    CARRY = "carry"
    """It travels whole, for its own wire only."""
    SPELL = "spell"
    """It is another spelling of something that is mapped, or a constant of the wire."""
    DEFAULT = "default"
    """It is accepted at the declared values, where it changes nothing, and refused at any other."""
    REFUSE = "refuse"
    """It is refused by name."""


@frozen
class Row:
    """One declared treatment of one published place.

    `neutral` names what it means, `loss` what is lost on a wire that lacks it. `default` holds the
    accepted values of a `DEFAULT` row. `by` names the dialects that publish the place; empty when
    the vendor does.
    """

    id: str
    at: str
    treat: Treat
    neutral: str = ""
    loss: str | None = None
    default: tuple[object, ...] = ()
    by: frozenset[str] = frozenset()

    @property
    def whole(self) -> bool:
        """Whether the row covers everything below its place."""
        return self.at.endswith(_BELOW)

    def accepts(self, value: object) -> bool:
        """Whether a value is one of `default`, by type too: `True` is not `1`."""
        return any(type(known) is type(value) and known == value for known in self.default)


def split(path: str) -> tuple[str, ...]:
    """The tokens of a spec path: `a[].b<c>` is `a`, `[]`, `b`, `<c>`.

    Raises ValueError for anything else.
    """
    tokens: list[str] = []
    end = 0
    while end < len(path):
        found = _TOKEN.match(path, end)
        if found is None or (found[1] is not None and found[0].startswith(".") != bool(tokens)):
            raise ValueError(f"not a spec path: {path!r}")
        tokens.append(found[1] or found[2] or found[3])
        end = found.end()
    if not tokens:
        raise ValueError("an empty spec path")
    return tuple(tokens)


class _Word:
    """A token with alternatives or globs."""

    __slots__ = ("_match", "literals", "rank")

    def __init__(self, token: str) -> None:
        variant = token.startswith("<")
        words = (token[1:-1] if variant else token).split("|")
        if not all(words):
            raise ValueError(f"an empty alternative: {token!r}")
        pattern = "|".join(
            ".*".join(re.escape(literal) for literal in word.split("*")) for word in words
        )
        # A glob over names never takes an index, a map's key or a variant for a name.
        expression = f"<(?:{pattern})>" if variant else rf"(?![\[{{<])(?:{pattern})"
        self._match = re.compile(expression, re.DOTALL).fullmatch
        self.literals = () if variant else tuple(word for word in words if "*" not in word)
        self.rank = _ANY if "*" in words else _GLOB if "*" in token else _ALTERNATIVES

    def matches(self, token: str) -> bool:
        return self._match(token) is not None


@frozen
class _Pattern:
    """A parsed row."""

    row: Row
    tokens: tuple[str | _Word, ...]
    rank: tuple[int, bool, tuple[int, ...]] = field(eq=False)

    def covers(self, tokens: tuple[str, ...]) -> bool:
        """Whether the leading tokens are this pattern's."""
        return len(tokens) >= len(self.tokens) and all(
            own == token if isinstance(own, str) else own.matches(token)
            for own, token in zip(self.tokens, tokens, strict=False)
        )

    def meets(self, tokens: tuple[str, ...]) -> bool:
        """Whether the row speaks for this place."""
        if not self.covers(tokens):
            return False
        return self.row.whole or all(token in {"[]", "{}"} for token in tokens[len(self.tokens) :])


def _pattern(row: Row) -> _Pattern:
    tokens = tuple(
        _Word(token) if "|" in token or "*" in token else token
        for token in split(row.at.removesuffix(_BELOW))
    )
    ranks = tuple(_LITERAL if isinstance(token, str) else token.rank for token in tokens)
    return _Pattern(row, tokens, (len(tokens), not row.whole, ranks))


class Table:
    """The rows of one wire, asked by place.

    Places are the code's own words: what a peer wrote goes in as `tag` only.
    """

    def __init__(self, rows: Iterable[Row]) -> None:
        self.rows = tuple(rows)
        self._patterns: dict[int, list[_Pattern]] | None = None
        self._fields: dict[str, Mapping[str, Row]] = {}
        self._variants: dict[tuple[str, str], Row | None] = {}

    def fields(self, at: str) -> Mapping[str, Row]:
        """The keys that are declared directly at an object, given with its concrete variant.

        `request.messages[]<user>.content[]<text>` gives `type`, `text` and so on. Raises ValueError
        when a row or the place is no spec path.
        """
        known = self._fields.get(at)
        if known is None:
            known = self._find_fields(split(at))
            if len(self._fields) < _KEPT:
                self._fields[at] = known
        return known

    def variant(self, at: str, tag: str) -> Row | None:
        """The most specific row that names a variant: `("request.tools[]", "web_search")`.

        `Row.whole` tells whether it covers the variant's fields too. A row of the place that has
        the variants is not one of theirs.
        """
        key = (at, tag)
        if key in self._variants:
            return self._variants[key]
        tokens = (*split(at), f"<{tag}>")
        best = _most_specific(own for own in self._of_depth(len(tokens)) if own.covers(tokens))
        row = best[0] if best else None
        if len(self._variants) < _KEPT:
            self._variants[key] = row
        return row

    def match(self, path: str) -> Row | None:
        """The most specific row of any place; the first of several that are equally specific."""
        best = self.best(path)
        return best[0] if best else None

    def best(self, path: str) -> tuple[Row, ...]:
        """The most specific rows of a place: one, none, or several that contradict each other."""
        tokens = split(path)
        depths = range(1, len(tokens) + 1)
        return _most_specific(
            own for depth in depths for own in self._of_depth(depth) if own.meets(tokens)
        )

    def _of_depth(self, depth: int) -> list[_Pattern]:
        if self._patterns is None:
            patterns: dict[int, list[_Pattern]] = {}
            for row in self.rows:
                pattern = _pattern(row)
                patterns.setdefault(len(pattern.tokens), []).append(pattern)
            self._patterns = patterns
        return self._patterns.get(depth, [])

    def _find_fields(self, place: tuple[str, ...]) -> Mapping[str, Row]:
        found: dict[str, _Pattern] = {}
        for own in self._of_depth(len(place) + 1):
            last = own.tokens[-1]
            names = (last,) if isinstance(last, str) else last.literals
            for name in names:
                if name[0] not in "[{<" and own.covers((*place, name)):
                    rival = found.get(name)
                    if rival is None or rival.rank < own.rank:
                        found[name] = own
        return MappingProxyType({name: own.row for name, own in found.items()})


def _most_specific(patterns: Iterable[_Pattern]) -> tuple[Row, ...]:
    found = sorted(patterns, key=lambda own: own.rank, reverse=True)
    return tuple(own.row for own in found if own.rank == found[0].rank)
