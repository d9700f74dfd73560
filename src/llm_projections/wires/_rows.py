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

from llm_projections._values import frozen

# Far above the number of places that the published types have: only tags that peers made up can
# reach it, and then the cache stops growing.
_KEPT = 8192

_TOKENS = re.compile(r"\.?[^.\[\]{}<>]+|\[\]|\{\}|<[^<>]+>").findall
_BELOW = ".**"
_ELEMENTS = frozenset({"[]", "{}"})
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
    tokens: list[str] = _TOKENS(path)
    if not tokens or len(path) != sum(map(len, tokens)):
        raise ValueError(f"not a spec path: {path!r}")
    for position, token in enumerate(tokens):
        if token[0] not in "[{<":
            # a name follows a dot, unless it is the first
            if (token[0] == ".") != (position > 0):
                raise ValueError(f"not a spec path: {path!r}")
            tokens[position] = token.removeprefix(".")
    return tuple(tokens)


class _Word:
    """A token with alternatives or globs."""

    __slots__ = ("_glob", "_plain", "literals", "rank")

    def __init__(self, token: str) -> None:
        variant = token.startswith("<")
        words = (token[1:-1] if variant else token).split("|")
        if not all(words):
            raise ValueError(f"an empty alternative: {token!r}")
        plain = [word for word in words if "*" not in word]
        self._plain = frozenset(f"<{word}>" if variant else word for word in plain)
        self._glob = None
        if len(plain) < len(words):
            pattern = "|".join(
                ".*".join(re.escape(literal) for literal in word.split("*"))
                for word in words
                if "*" in word
            )
            # A glob over names never takes an index, a map's key or a variant for a name.
            expression = f"<(?:{pattern})>" if variant else rf"(?![\[{{<])(?:{pattern})"
            self._glob = re.compile(expression, re.DOTALL)
        self.literals = () if variant else tuple(plain)
        self.rank = _ANY if "*" in words else _GLOB if "*" in token else _ALTERNATIVES

    def matches(self, token: str) -> bool:
        """Whether one of the alternatives is this token."""
        if token in self._plain:
            return True
        return self._glob is not None and self._glob.fullmatch(token) is not None


@frozen
class _Placed:
    """A row and how specific it is."""

    row: Row
    rank: tuple[int, bool, tuple[int, ...]]


class _Node:
    """One token of the places of all rows; what follows it, and the rows that end here."""

    __slots__ = ("ends", "literals", "words")

    def __init__(self) -> None:
        self.literals: dict[str, _Node] = {}
        self.words: dict[str, tuple[_Word, _Node]] = {}
        self.ends: list[_Placed] = []

    def add(self, row: Row) -> None:
        """Place a row below the root."""
        node = self
        ranks: list[int] = []
        tokens = split(row.at.removesuffix(_BELOW))
        for token in tokens:
            if "|" in token or "*" in token:
                if token not in node.words:
                    node.words[token] = (_Word(token), _Node())
                word, node = node.words[token]
                ranks.append(word.rank)
            else:
                node = node.literals.setdefault(token, _Node())
                ranks.append(_LITERAL)
        node.ends.append(_Placed(row, (len(tokens), not row.whole, tuple(ranks))))


def _step(nodes: Iterable[_Node], token: str) -> list[_Node]:
    found: list[_Node] = []
    for node in nodes:
        if token in node.literals:
            found.append(node.literals[token])
        found.extend(after for word, after in node.words.values() if word.matches(token))
    return found


class Table:
    """The rows of one wire, asked by place.

    Places are the code's own words: what a peer wrote goes in as `tag` only.
    """

    def __init__(self, rows: Iterable[Row]) -> None:
        self.rows: tuple[Row, ...] = tuple(rows)
        self._root: _Node | None = None
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
        nodes = _step(self._reach(split(at)), f"<{tag}>")
        best = _most_specific(placed for node in nodes for placed in node.ends)
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
        named = len(tokens)
        while tokens[named - 1] in _ELEMENTS and named > 1:
            named -= 1
        nodes = [self._tree()]
        found: list[_Placed] = []
        for depth, token in enumerate(tokens, 1):
            nodes = _step(nodes, token)
            ends = (placed for node in nodes for placed in node.ends)
            found.extend(placed for placed in ends if placed.row.whole or depth >= named)
        return _most_specific(found)

    def _tree(self) -> _Node:
        if self._root is None:
            root = _Node()
            for row in self.rows:
                root.add(row)
            self._root = root
        return self._root

    def _reach(self, place: tuple[str, ...]) -> list[_Node]:
        nodes = [self._tree()]
        for token in place:
            nodes = _step(nodes, token)
        return nodes

    def _find_fields(self, place: tuple[str, ...]) -> Mapping[str, Row]:
        found: dict[str, list[_Placed]] = {}
        for node in self._reach(place):
            for name, after in node.literals.items():
                if name not in _ELEMENTS and not name.startswith("<"):
                    found.setdefault(name, []).extend(after.ends)
            for word, after in node.words.values():
                for name in word.literals:
                    found.setdefault(name, []).extend(after.ends)
        best = {name: _most_specific(placed) for name, placed in found.items()}
        return MappingProxyType({name: rows[0] for name, rows in best.items() if rows})


def _most_specific(placed: Iterable[_Placed]) -> tuple[Row, ...]:
    found = sorted(placed, key=lambda own: own.rank, reverse=True)
    return tuple(own.row for own in found if own.rank == found[0].rank)
