"""The writer of this wire: what all wires share, and what its bodies hold unread."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from llm_projections import _json
from llm_projections.model.binding import Binding
from llm_projections.model.items import Extension
from llm_projections.model.limits import Limits
from llm_projections.wires._reading import Path
from llm_projections.wires._writing import Writer

__all__ = ["ResponsesWriter"]


class ResponsesWriter(Writer):
    """A writer that notes every value it writes unread: only those may hold a number that is none.

    `_json.dumps` looks through all of a value for them; a conversation is mostly text, and these are few.
    """

    refines: frozenset[str] = frozenset({"reasoning.summary", "input.summary"})

    def __init__(self, binding: Binding, accept: Collection[str], limits: Limits) -> None:
        super().__init__(binding, accept, limits)
        self.unread: list[object] = []

    @property
    def finite(self) -> bool:
        """As for every wire: told by what is unread."""
        return _json.all_finite(self.unread)

    def carry(
        self, extensions: tuple[Extension, ...], prefix: str, into: dict[str, Any], path: Path
    ) -> None:
        """As every wire's writer, noting the values."""
        if extensions:
            self.unread.extend(extension.value for extension in extensions)
            super().carry(extensions, prefix, into, path)
