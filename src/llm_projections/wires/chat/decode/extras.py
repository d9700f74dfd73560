"""What an answer says beyond its meaning: kept under the name of its place.

Rules:
1. A null says nothing, and neither does an empty string.
2. A field of the whole answer has the last value that it was given.
3. A field of a choice or a message that comes in pieces has all of them, in a list, unless they are one and the same.
"""

from __future__ import annotations

from llm_projections._json import Json
from llm_projections.model.items import Extension, Protocol

__all__ = ["Extras"]


class Extras:
    """Answer fields without a neutral meaning, in the order in which they came first."""

    __slots__ = ("_last", "_pieces")

    def __init__(self) -> None:
        self._last: dict[str, Json] = {}
        self._pieces: dict[str, list[Json]] = {}

    def keep(self, path: str, value: Json) -> None:
        """A field of the whole answer."""
        if value is not None and value != "":
            self._last[path] = value

    def gather(self, path: str, value: Json) -> None:
        """A piece of a field of a choice or a message."""
        if value is None or value == "":
            return
        pieces = self._pieces.setdefault(path, [])
        if not pieces or pieces[-1] != value:
            pieces.append(value)

    def extensions(self) -> tuple[Extension, ...]:
        """Everything kept, as extensions of the outcome."""
        whole = {path: each[0] if len(each) == 1 else each for path, each in self._pieces.items()}
        return tuple(
            Extension(Protocol.CHAT, path, value) for path, value in (self._last | whole).items()
        )
