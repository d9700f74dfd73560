"""The reader of a Messages body: what its blocks share."""

from __future__ import annotations

from collections.abc import Collection

from llm_projections import _json
from llm_projections._json import Json
from llm_projections.errors import RefusalCode
from llm_projections.model.items import CacheMark, Extension, Protocol
from llm_projections.model.limits import Limits
from llm_projections.wires._reading import Path, Reader
from llm_projections.wires.messages.subset import TABLE
from llm_projections.wires.messages.vocab import MAX_MARKS, TTLS

__all__ = ["MessagesReader", "is_free"]

_MARK_KEYS = frozenset({"type", "ttl", "scope"})
_MARK = "request.tools[]<custom>.cache_control"


def is_free(path: tuple[str | int, ...]) -> bool:
    """Whether the caller's own JSON begins here: the input of a call."""
    return len(path) == 5 and path[4] == "input" and path[0] == "messages"


class MessagesReader(Reader):
    """Reads one Messages body; counts its cache marks."""

    def __init__(
        self, protocol: Protocol, accept: Collection[str], limits: Limits, envelope: _json.Envelope
    ) -> None:
        super().__init__(protocol, accept, limits, envelope)
        self.sliced: bool = envelope.sliced
        self.in_order: int = 0
        """How many of the items are known to be in order, with every call answered."""
        self.ids: frozenset[str] = frozenset()
        """The ids of the calls among these."""
        self._marks = 0

    def arguments(self, node: dict[str, Json]) -> str:
        """The text of a call's input, without the spaces between its tokens."""
        if self.sliced:
            return _json.compact(self.text_of(node))
        return _json.object_text(node)

    def whole(self, block: dict[str, Json], path: Path) -> dict[str, Json]:
        """A block that is carried whole; what its value alone would lose of an input is kept as text."""
        if block.get("cache_control") is not None:
            self.count_mark((*path, "cache_control"))
        given = block.get("input")
        if not self.sliced or not isinstance(given, dict):
            return block
        text = _json.compact(self.text_of(given))
        if _json.same_tokens(text, _json.dumps(given).decode()):
            return block
        return {**block, "input": _json.RawJson(text)}

    def mark(
        self, owner: dict[str, Json], path: Path, prefix: str = "messages.content."
    ) -> tuple[CacheMark | None, tuple[Extension, ...]]:
        """The cache mark of a block or tool, and what is carried of it."""
        node = self.object(owner, "cache_control", path)
        if node is None:
            return None, ()
        at = (*path, "cache_control")
        if node.get("type") != "ephemeral":
            self.refuse((*at, "type"), "not one of the published values", RefusalCode.UNSUPPORTED)
        self.count_mark(at)
        if not node.keys() <= _MARK_KEYS:
            self.extras(node, at, TABLE.fields(_MARK), _MARK_KEYS)
        scope = node.get("scope")
        extra = (
            ()
            if scope is None
            else (Extension(self.protocol, f"{prefix}cache_control.scope", scope),)
        )
        return CacheMark(self.choice(node, "ttl", at, TTLS)), extra

    def count_mark(self, path: Path) -> None:
        """Count one cache mark; more than four are refused."""
        self._marks += 1
        if self._marks > MAX_MARKS:
            self.refuse(path, f"more than {MAX_MARKS} cache marks")
