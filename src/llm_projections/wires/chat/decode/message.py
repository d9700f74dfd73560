"""What one delta says: reasoning, text, refusal, calls, and what is carried beside them.

Rules:
1. Within a delta, reasoning comes before text, text before calls.
2. One text is one item, however it is cut.
3. A whole message is read as one delta.
"""

from __future__ import annotations

from llm_projections._json import Json
from llm_projections.model.events import Event, RefusalDelta, TextDelta
from llm_projections.model.items import Protocol, WirePart
from llm_projections.wires._types import LIST, OBJECT, TEXT, TEXTS, Types
from llm_projections.wires.chat.decode.ending import EndingDecoder
from llm_projections.wires.chat.subset_answers import ANSWERS

__all__ = ["MessageDecoder"]

_MESSAGES = ("chunk.choices[].delta", "response.choices[].message")
_READ_MESSAGE = frozenset(
    {
        "role",
        "content",
        "refusal",
        "tool_calls",
        "function_call",
        "reasoning_content",
        "reasoning",
        "reasoning_details",
        "annotations",
        "audio",
    }
)
_TYPES: Types = {
    "role": TEXT,
    "content": TEXTS,
    "refusal": TEXT,
    "tool_calls": LIST,
    "function_call": OBJECT,
    "reasoning_content": TEXT,
    "reasoning": TEXT,
    "reasoning_details": LIST,
    "annotations": LIST,
    "audio": OBJECT,
}
_THOUGHT: Types = {"type": TEXT}
# what a typed chunk may hold: of each, its own field; `closed` says that a thought ends, as what follows it does too
_PART = frozenset({"type", "text", "refusal", "thinking", "closed"})
_KINDS = frozenset({"text", "refusal", "thinking"})
# read by `_rest` alone
_PLAINLY = frozenset({"function_call", "annotations", "audio"})


class MessageDecoder(EndingDecoder):
    """The part of the decoder that reads a message, whole or in pieces."""

    def _delta(self, delta: dict[str, Json], events: list[Event]) -> None:
        self._check(delta, _TYPES, "choices[0].delta")
        if "reasoning" in delta or "reasoning_content" in delta or "reasoning_details" in delta:
            self._reason(delta, events)
        content = delta.get("content")
        if type(content) is str:
            self._text(content, events)
        elif type(content) is list:
            self._parts(content, events)
        refusal = delta.get("refusal")
        if type(refusal) is str and refusal:
            self._refuses(refusal, events)
        if delta.get("tool_calls"):
            self._fragments(delta["tool_calls"], events)
        if not _READ_MESSAGE.issuperset(delta) or not _PLAINLY.isdisjoint(delta):
            self._rest(delta, events)

    def _rest(self, delta: dict[str, Json], events: list[Event]) -> None:
        """What a message says beside its text, reasoning and calls."""
        called, cited, audio = (delta.get(key) for key in ("function_call", "annotations", "audio"))
        if type(called) is dict:
            self._legacy(called, events)
        if type(cited) is list:
            self._cited += cited
        if type(audio) is dict:
            self._hear(audio, events)
        for key, value in delta.items():
            if key in _READ_MESSAGE or value is None:
                continue
            if not any(key in ANSWERS.fields(at) for at in _MESSAGES):
                self._unread(events)
            self._extras.gather(f"answer.message.{key}", value)

    def _text(self, text: str, events: list[Event]) -> None:
        if not text:
            return
        said = self._said
        if said is None:
            self._end_thought(events)
            said = self._said = self._open_item("text")
        said.pieces.append(text)
        events.append(TextDelta(text, said.index))

    def _refuses(self, text: str, events: list[Event]) -> None:
        if self._refused is None:
            self._end_thought(events)
            self._refused = self._open_item("refusal")
        self._refused.pieces.append(text)
        events.append(RefusalDelta(text, self._refused.index))

    def _parts(self, parts: list[Json], events: list[Event]) -> None:
        """Content as a list of typed chunks (Mistral: docs.mistral.ai, "Reasoning", read 2026-11)."""
        for at, part in enumerate(parts):
            path = f"choices[0].delta.content[{at}]"
            if not isinstance(part, dict):
                raise self._protocol("an unknown kind of content", path)
            match part:
                case {"type": "text", "text": str(text)}:
                    self._text(text, events)
                case {"type": "refusal", "refusal": str(text)}:
                    self._refuses(text, events)
                case {"type": "thinking", "thinking": str(text)} if text:
                    self._think(text, events)
                case {"type": "thinking", "thinking": list(thoughts)}:
                    for thought in thoughts:
                        if not isinstance(thought, dict) or type(thought.get("text")) is not str:
                            raise self._protocol("an unknown kind of thinking", path)
                        self._check(thought, _THOUGHT, path)
                        if not thought.keys() <= _PART:
                            self._unread(events)
                        if thought["text"]:
                            self._think(str(thought["text"]), events)
                case {"type": str(kind)} if kind and kind not in _KINDS:
                    self._keep_part(part, events)
                    continue
                case _:
                    raise self._protocol("an unknown kind of content", path)
            if not part.keys() <= _PART:
                self._unread(events)

    def _keep_part(self, part: dict[str, Json], events: list[Event]) -> None:
        """A part without a neutral meaning (Mistral: `reference`) is kept after the text of its message."""
        if self._said is None:
            self._end_thought(events)
            self._said = self._open_item("text")
        self._kept_parts.append(WirePart(Protocol.CHAT, part))
        self._warn("unknown-output-item", "a part of an unknown kind was kept", events, once=True)
