"""The texts of one case in a form without repetition: what was said before is named by where it stands."""

from typing import Any

__all__ = ["Pool"]

# A shorter repetition costs more to name than to say again.
_SHORTEST = 20


class Pool:
    """Texts by number. Each is a row of pieces: new text as it is, repeated text as its start and length.

    A start counts from the beginning of the first text, through all that came before.
    """

    def __init__(self) -> None:
        self.packed: list[list[Any]] = []
        self._said = ""
        self._seen: dict[str, int] = {}
        self._numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        """The number of a text; an equal one has the same."""
        if text not in self._numbers:
            self._numbers[text] = len(self.packed)
            self.packed.append(self._pieces(text))
        return self._numbers[text]

    def _pieces(self, text: str) -> list[Any]:
        pieces: list[Any] = []
        at = new = 0
        base, said = len(self._said), self._said + text
        while at < len(text):
            start = self._seen.get(text[at : at + _SHORTEST], -1)
            length = _common(said, start, base + at) if start >= 0 else 0
            if length:
                if new < at:
                    pieces.append(text[new:at])
                pieces += [start, length]
                new = at + length
            for each in range(at, at + max(length, 1)):
                gram = text[each : each + _SHORTEST]
                if len(gram) == _SHORTEST:
                    self._seen.setdefault(gram, base + each)
            at += max(length, 1)
        if new < at:
            pieces.append(text[new:at])
        self._said = said
        return pieces


def _common(said: str, start: int, at: int) -> int:
    """How far the text at `start` is the text at `at`, without running into it; 0 where that is too short."""
    length = 0
    while start + length < at < at + length + 1 <= len(said):
        if said[start + length] != said[at + length]:
            break
        length += 1
    return length if length >= _SHORTEST else 0
