"""What an answer begins with: events, or one JSON body where a stream was asked for."""

from __future__ import annotations

from typing import Final

__all__ = ["Opening"]

_SPACE: Final = b" \t\r\n\xef\xbb\xbf"
_BODY_START: Final = b"{["
# more white space than this before the first character is a stream's keep-alive, not a body's
_LONGEST_BLANK: Final = 65_536


class Opening:
    """Holds the first bytes until one that is not white space shows what kind of answer this is.

    `body` is the body so far where it is one; `over` says that bytes go straight on, `remarked` that a stream's comment
    came first.
    """

    __slots__ = ("_head", "body", "over", "remarked")

    def __init__(self) -> None:
        self._head = bytearray()
        self.body: bytearray | None = None
        self.over = self.remarked = False

    def take(self, chunk: bytes) -> bytes | None:
        """The bytes to frame, once it is known that they are a stream; None while they are not."""
        if self.over:
            return chunk
        if self.body is not None:
            self.body += chunk
            return None
        # what is held is white space alone, so that each byte is looked at once
        start = chunk.lstrip(_SPACE)
        blank = len(self._head) + len(chunk) - len(start)
        self._head += chunk
        if not start and blank <= _LONGEST_BLANK:
            return None
        if blank > _LONGEST_BLANK or start[0] not in _BODY_START:
            held = bytes(self._head)
            self._head.clear()
            self.over = True
            self.remarked = start.startswith(b":")
            return held
        self.body = bytearray(start)
        self._head.clear()
        return None
