"""The frames of one output item: opening, pieces, closing.

Everything that stays the same in the deltas of one part is put together once, when the part opens. Order and
fields: openai 3.57.0, `lib/streaming/responses`, and the published event types, read 2026-11-30.
"""

from __future__ import annotations

from typing import Any, Final

from llm_projections import _json
from llm_projections._json import Json

__all__ = ["Part", "Sequence", "Shown"]

_TAILS: Final = {"text": b',"logprobs":[]}\n\n'}
_DELTAS: Final = {
    "text": "response.output_text.delta",
    "refusal": "response.refusal.delta",
    "summary": "response.reasoning_summary_text.delta",
    "content": "response.reasoning_text.delta",
    "function_call": "response.function_call_arguments.delta",
    "custom_tool_call": "response.custom_tool_call_input.delta",
}


class Sequence:
    """Numbers the events of one answer in the order in which they are written."""

    __slots__ = ("next",)

    def __init__(self) -> None:
        self.next = 0

    def frame(self, kind: str, **fields: object) -> bytes:
        """One event."""
        number, self.next = self.next, self.next + 1
        body = _json.dumps({"type": kind, "sequence_number": number, **fields})
        return b"event: %b\ndata: %b\n\n" % (kind.encode(), _json.escape_separators(body))


class Part:
    """One text, refusal, summary or raw reasoning, or the arguments of a call, while it is open."""

    __slots__ = ("head", "mid", "pieces", "tail")

    def __init__(self, family: str, place: dict[str, Json]) -> None:
        kind = _DELTAS[family].encode()
        self.head = b'event: %b\ndata: {"type":"%b","sequence_number":' % (kind, kind)
        self.mid = b",%b," % _json.dumps(place)[1:-1] + b'"delta":'
        self.tail = _TAILS.get(family, b"}\n\n")
        self.pieces: list[str] = []

    def delta(self, sequence: Sequence, text: str) -> bytes:
        """One piece. Raises `JsonError` for a lone surrogate."""
        quoted = _json.quote(text)
        number = sequence.next
        sequence.next = number + 1
        self.pieces.append(text)
        return b"%b%d%b%b%b" % (self.head, number, self.mid, quoted, self.tail)

    def text(self) -> str:
        """All pieces so far."""
        if len(self.pieces) > 1:
            self.pieces[:] = ["".join(self.pieces)]
        return self.pieces[0] if self.pieces else ""


class Shown:
    """One output item that was announced, until it is done."""

    __slots__ = (
        "call_id",
        "closed",
        "family",
        "item_id",
        "kind",
        "name",
        "output_index",
        "part",
        "position",
    )

    def __init__(
        self,
        kind: str,
        item_id: str,
        output_index: int,
        call_id: str | None = None,
        name: str | None = None,
    ) -> None:
        self.kind = kind
        self.item_id = item_id
        self.output_index = output_index
        self.call_id = call_id
        self.name = name
        self.family = ""
        self.position = -1
        self.part: Part | None = None
        # what the parts before the open one said, with their families
        self.closed: list[tuple[str, str]] = []

    def added(self, sequence: Sequence, body: dict[str, Any]) -> bytes:
        """The item is announced, empty."""
        return sequence.frame(
            "response.output_item.added", output_index=self.output_index, item=body
        )

    def open(self, sequence: Sequence, family: str) -> bytes:
        """A part begins; the one before it ends."""
        data = self.close(sequence)
        counted = [each for each in self.closed if (each[0] == "summary") == (family == "summary")]
        self.family, self.position = family, len(counted)
        place = self._place()
        self.part = Part(family, place)
        if family == "summary":
            part = {"type": "summary_text", "text": ""}
            return data + sequence.frame(
                "response.reasoning_summary_part.added", **place, part=part
            )
        return data + sequence.frame(
            "response.content_part.added", **place, part=_part_body(family, "")
        )

    def open_call(self) -> None:
        """A call's arguments begin."""
        self.family = self.kind
        self.part = Part(self.kind, {"item_id": self.item_id, "output_index": self.output_index})

    def close(self, sequence: Sequence, whole: dict[str, Any] | None = None) -> bytes:
        """The open part ends; `whole` is how it stands in the finished item."""
        if self.part is None:
            return b""
        text, place, family = self.part.text(), self._place(), self.family
        self.closed.append((family, text))
        self.part = None
        body = _part_body(family, text) if whole is None else whole
        match family:
            case "summary":
                return sequence.frame(
                    "response.reasoning_summary_text.done", **place, text=text
                ) + sequence.frame("response.reasoning_summary_part.done", **place, part=body)
            case "refusal":
                done = sequence.frame("response.refusal.done", **place, refusal=text)
            case "content":
                done = sequence.frame("response.reasoning_text.done", **place, text=text)
            case "text":
                done = b"".join(
                    sequence.frame(
                        "response.output_text.annotation.added",
                        **place,
                        annotation_index=index,
                        annotation=annotation,
                    )
                    for index, annotation in enumerate(body.get("annotations") or ())
                )
                done += sequence.frame(
                    "response.output_text.done",
                    **place,
                    text=text,
                    logprobs=body.get("logprobs") or [],
                )
            case _:
                return self._close_call(sequence, text)
        return done + sequence.frame("response.content_part.done", **place, part=body)

    def said(self) -> list[tuple[str, str]]:
        """What was shown, neighbours of one family joined."""
        parts = list(self.closed)
        if self.part is not None:
            parts.append((self.family, self.part.text()))
        return joined(parts)

    def _close_call(self, sequence: Sequence, text: str) -> bytes:
        place: dict[str, object] = {"item_id": self.item_id, "output_index": self.output_index}
        if self.kind == "custom_tool_call":
            return sequence.frame("response.custom_tool_call_input.done", **place, input=text)
        # openai 2.54.0 demands the name here; 3.57.0 does not know it and lets it stand
        return sequence.frame(
            "response.function_call_arguments.done", **place, arguments=text, name=self.name
        )

    def _place(self) -> dict[str, Any]:
        index = "summary_index" if self.family == "summary" else "content_index"
        return {
            "item_id": self.item_id,
            "output_index": self.output_index,
            index: max(self.position, 0),
        }


def joined(parts: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Parts with neighbours of one family made one, and empty ones left out."""
    found: list[tuple[str, str]] = []
    for family, text in parts:
        if not text:
            continue
        if found and found[-1][0] == family:
            # summaries and raw reasoning of several parts are told apart by an empty line
            joint = "\n\n" if family in ("summary", "content") else ""
            found[-1] = (family, found[-1][1] + joint + text)
        else:
            found.append((family, text))
    return found


def _part_body(family: str, text: str) -> dict[str, Any]:
    match family:
        case "summary":
            return {"type": "summary_text", "text": text}
        case "content":
            return {"type": "reasoning_text", "text": text}
        case "refusal":
            return {"type": "refusal", "refusal": text}
        case _:
            return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
