"""The frames of one output item: opening, pieces, closing.

Everything that stays the same in the deltas of one part is put together once, when the part opens. Order and
fields: openai 3.57.0, `lib/streaming/responses`, and the published event types, read 2026-11-30.
"""

from __future__ import annotations

from typing import Any, Final, cast

from llm_projections import _json
from llm_projections._json import Json
from llm_projections.wires.responses.answer.parts import joined

__all__ = ["Output", "Part", "Shown"]

_TAILS: Final = {"text": b',"logprobs":[]}\n\n'}
_DELTAS: Final = {
    "text": "response.output_text.delta",
    "refusal": "response.refusal.delta",
    "summary": "response.reasoning_summary_text.delta",
    "content": "response.reasoning_text.delta",
    "function_call": "response.function_call_arguments.delta",
    "custom_tool_call": "response.custom_tool_call_input.delta",
}


class Output:
    """The events of one answer, numbered in the order in which they are written.

    What was written waits here until it is taken, so that nothing is lost when what follows it is refused.
    """

    __slots__ = ("next", "pending")

    def __init__(self) -> None:
        self.next: int = 0
        self.pending: list[bytes] = []

    def frame(self, kind: str, **fields: object) -> None:
        """One event. Raises `JsonError` for what JSON cannot hold."""
        body = _json.dumps({"type": kind, "sequence_number": self.next, **fields})
        self.next += 1
        self.pending.append(
            b"event: %b\ndata: %b\n\n" % (kind.encode(), _json.escape_separators(body))
        )

    def take(self) -> bytes:
        """Everything that was written since the last time."""
        data = b"".join(self.pending)
        self.pending.clear()
        return data


class Part:
    """One text, refusal, summary or raw reasoning, or the arguments of a call, while it is open."""

    __slots__ = ("head", "mid", "pieces", "tail")

    def __init__(self, family: str, place: dict[str, Json]) -> None:
        kind = _DELTAS[family].encode()
        self.head: bytes = b'event: %b\ndata: {"type":"%b","sequence_number":' % (kind, kind)
        self.mid: bytes = b",%b," % _json.dumps(place)[1:-1] + b'"delta":'
        self.tail: bytes = _TAILS.get(family, b"}\n\n")
        self.pieces: list[str] = []

    def delta(self, out: Output, text: str) -> bytes:
        """One piece, for the caller to write; none is nothing. Raises `JsonError` for a lone surrogate."""
        if not text:
            return b""
        number = out.next
        data = _json.quoted(self.head + b"%d" % number + self.mid, text, self.tail)
        out.next = number + 1
        self.pieces.append(text)
        return data

    def deltas(self, out: Output, texts: list[str], quoted: list[bytes]) -> bytes:
        """`delta` of each text, whose JSON without its quotation marks stands in `quoted`."""
        count, number = len(texts), out.next
        out.next += count
        self.pieces += texts
        parts = [b'"%b%b' % (self.tail, self.head)] * (4 * count)
        parts[::4] = [b"%d" % each for each in range(number, out.next)]
        parts[1::4] = [self.mid + b'"'] * count
        parts[2::4] = quoted
        parts[-1] = b'"' + self.tail
        return self.head + b"".join(parts)

    def text(self) -> str:
        """All pieces so far."""
        if len(self.pieces) > 1:
            self.pieces[:] = ["".join(self.pieces)]
        return self.pieces[0] if self.pieces else ""


class Shown:
    """One output item that was announced, until it is done."""

    __slots__ = (
        "aside",
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
        self.kind: str = kind
        self.item_id: str = item_id
        self.output_index: int = output_index
        self.call_id: str | None = call_id
        self.name: str | None = name
        self.family: str = ""
        self.position: int = -1
        self.part: Part | None = None
        # of a summary and the raw reasoning, which grow side by side: the one that is not said just now
        self.aside: tuple[str, int, Part] | None = None
        # what the parts before the open one said, with their families
        self.closed: list[tuple[str, str]] = []

    def added(self, out: Output, body: dict[str, Any]) -> None:
        """The item is announced, empty."""
        out.frame("response.output_item.added", output_index=self.output_index, item=body)

    def say(self, out: Output, text: str) -> None:
        """A piece of the open part."""
        if self.part is not None:
            out.pending.append(self.part.delta(out, text))

    def open(self, out: Output, family: str) -> None:
        """A part begins, or goes on; the one before it ends, unless the two grow side by side."""
        if self.part is not None and {self.family, family} == {"summary", "content"}:
            waiting, self.aside = self.aside, (self.family, self.position, self.part)
            if waiting is not None:
                self.family, self.position, self.part = waiting
                return
        else:
            self.close(out)
        counted = [each for each in self.closed if (each[0] == "summary") == (family == "summary")]
        self.family, self.position = family, len(counted)
        place = self._place()
        self.part = Part(family, place)
        body = _part_body(family, "")
        if family == "summary":
            out.frame("response.reasoning_summary_part.added", **place, part=body)
        else:
            out.frame("response.content_part.added", **place, part=body)

    def open_call(self) -> None:
        """A call's arguments begin."""
        self.family = self.kind
        self.part = Part(self.kind, {"item_id": self.item_id, "output_index": self.output_index})

    def finish(self, out: Output, whole: dict[str, Any] | None = None) -> None:
        """Everything that is open ends; `whole` is as in `close`."""
        self.close(out, whole)
        if self.aside is not None:
            self.family, self.position, self.part = self.aside
            self.aside = None
            self.close(out)

    def close(self, out: Output, whole: dict[str, Any] | None = None) -> None:
        """The open part ends; `whole` is how it stands in the finished item."""
        if self.part is None:
            return
        text, place, family = self.part.text(), self._place(), self.family
        self.closed.append((family, text))
        self.part = None
        body = _part_body(family, text) if whole is None else whole
        match family:
            case "summary":
                out.frame("response.reasoning_summary_text.done", **place, text=text)
                out.frame("response.reasoning_summary_part.done", **place, part=body)
                return
            case "refusal":
                out.frame("response.refusal.done", **place, refusal=text)
            case "content":
                out.frame("response.reasoning_text.done", **place, text=text)
            case "text":
                # a part that was carried whole may hold anything there
                found: object = body.get("annotations")
                listed = cast("list[object]", found) if isinstance(found, list) else []
                for index, cited in enumerate(listed):
                    kind = "response.output_text.annotation.added"
                    out.frame(kind, **place, annotation_index=index, annotation=cited)
                logprobs: Any = body.get("logprobs") or []
                out.frame("response.output_text.done", **place, text=text, logprobs=logprobs)
            case _:
                self._close_call(out, text)
                return
        out.frame("response.content_part.done", **place, part=body)

    def said(self) -> list[tuple[str, str]]:
        """What was shown, neighbours of one family joined."""
        parts = list(self.closed)
        if self.aside is not None:
            parts.append((self.aside[0], self.aside[2].text()))
        if self.part is not None:
            parts.append((self.family, self.part.text()))
        return joined(parts)

    def _close_call(self, out: Output, text: str) -> None:
        place: dict[str, Any] = {"item_id": self.item_id, "output_index": self.output_index}
        if self.kind == "custom_tool_call":
            out.frame("response.custom_tool_call_input.done", **place, input=text)
            return
        # openai 2.54.0 demands the name here; 3.57.0 does not know it and lets it stand
        kind = "response.function_call_arguments.done"
        out.frame(kind, **place, arguments=text, name=self.name)

    def _place(self) -> dict[str, Any]:
        index = "summary_index" if self.family == "summary" else "content_index"
        return {
            "item_id": self.item_id,
            "output_index": self.output_index,
            index: max(self.position, 0),
        }


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
