"""What a stream has said of one item so far."""

from __future__ import annotations

from typing import Any

from llm_projections._json import Json
from llm_projections.model.events import ReasoningDelta, ToolCallStarted
from llm_projections.wires.messages.answer.frames import texts_of
from llm_projections.wires.messages.answer.queue import Segment

__all__ = ["Said"]


class Said:
    """What was said of one item so far.

    `segment` is its block, while it can still take more; `parted` says that it is not its first.
    """

    __slots__ = ("blank", "call", "kind", "parted", "pieces", "segment")

    def __init__(self, kind: str) -> None:
        self.kind: str = kind
        self.pieces: list[str] = []
        self.segment: Segment | None = None
        self.call: ToolCallStarted | None = None
        self.blank: str = ""
        self.parted: bool = False

    def text(self) -> str:
        """All of it."""
        if len(self.pieces) > 1:
            self.pieces[:] = ["".join(self.pieces)]
        return self.pieces[0] if self.pieces else ""

    def more(self, like: Any, texts: list[str], quoted: list[bytes]) -> bytes | None:
        """More deltas like one of it that was written; None unless they can go straight out."""
        segment = self.segment
        if segment is None or not segment.open or segment.complete:
            return None
        if type(like) is ReasoningDelta and self.kind != (
            "summary" if like.summary else "thinking"
        ):
            return None
        self.pieces += texts
        return texts_of(segment.lead, quoted)

    def call_start(self) -> dict[str, Json]:
        """The block of an announced call as it opens."""
        assert self.call is not None
        return {"type": "tool_use", "id": self.call.call_id, "name": self.call.name, "input": {}}
