"""One output item of the wire, whole, to its neutral item.

Rules:
1. What has a neutral meaning is mapped; every other key stays as an extension of the item or its part.
2. Sealed items and items that only this wire knows keep their whole object as it came.
3. An item is refused only where its meaning is lost: a call without a name, or a finished one whose arguments are not
   JSON. Those of a call that a limit cut off need not be whole.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from attrs import evolve

from llm_projections import _json
from llm_projections._json import Json
from llm_projections.errors import Dispatch, RefusalCode, ResponseRefused
from llm_projections.model.items import (
    AssistantMessage,
    CustomToolCall,
    Extension,
    Item,
    Opaque,
    Protocol,
    Provenance,
    Reasoning,
    RefusalText,
    Text,
    ToolCall,
    WirePart,
)
from llm_projections.model.limits import Limits
from llm_projections.wires.responses.decode.published import text_called
from llm_projections.wires.responses.decode.slots import JOINT, kind_of
from llm_projections.wires.responses.vocab import WIRE_ITEMS, wire_item
from llm_projections.wires.responses.vocab_answer import ANNOTATIONS, SUMMARY

__all__ = ["ItemReader", "texts_of"]

_RESPONSES = Protocol.RESPONSES
_SEALED_ITEMS = frozenset({"compaction", "compaction_summary"})

_MESSAGE = frozenset({"type", "id", "role", "status", "content"})
_TEXT = frozenset({"type", "text", "annotations", "logprobs"})
_REFUSAL = frozenset({"type", "refusal"})
_REASONING = frozenset({"type", "id", "status", "summary", "content", "encrypted_content"})
_CALL = frozenset({"type", "id", "call_id", "name", "arguments", "status"})
_CUSTOM = frozenset({"type", "id", "call_id", "name", "input", "status"})

# keys of an output item that the same item of a request has too, and so can be sent again
_SENT_AGAIN = frozenset({"agent", "async", "caller", "namespace", "phase"})
_PUBLISHED_ONLY_HERE = frozenset({"created_by"})

Warn = Callable[[str, str], None]


def texts_of(node: Json, key: str = "text") -> list[str]:
    """The texts of a list of parts, or of one text; what is no text part is passed over."""
    if isinstance(node, str):
        return [node] if node else []
    if not isinstance(node, list):
        return []
    found = [part.get(key) if isinstance(part, dict) else part for part in node]
    return [text for text in found if isinstance(text, str)]


class ItemReader:
    """Reads the items of one answer. `warn(code, message)` is told what was odd."""

    def __init__(
        self, provenance: Provenance, limits: Limits, keeps_arguments: bool, warn: Warn
    ) -> None:
        self._provenance = provenance
        self._limits = limits
        self._keeps_arguments = keeps_arguments
        self._warn = warn
        # set by the decoder once the answer is known to have been cut off by a limit
        self.unfinished = False
        self._kinds: dict[str, Callable[[dict[str, Json]], Item]] = {
            "message": self._message,
            "reasoning": self._reasoning,
            "function_call": self._call,
            "custom_tool_call": self._custom,
        }

    def read(self, payload: dict[str, Json]) -> Item:
        """The neutral item. Raises `ResponseRefused` (PROTOCOL, TOO_LARGE)."""
        kind = kind_of(payload)
        read = self._kinds.get(kind)
        if read is not None:
            return read(payload)
        if kind in _SEALED_ITEMS and payload.get("encrypted_content"):
            return Opaque(self._provenance, payload)
        if kind not in WIRE_ITEMS:
            self._warn("unknown-output-item", "an output item of a type that nobody publishes")
        item = wire_item(payload, kind)
        # in an answer a result comes from the provider, who ran the call too
        return evolve(item, role="other") if item.role == "result" else item

    def _message(self, payload: dict[str, Json]) -> Item:
        content = payload.get("content")
        if isinstance(content, str):
            content = [content]
        parts = tuple(
            self._part(part) if isinstance(part, dict) else Text(part)
            for part in (content if isinstance(content, list) else ())
            if isinstance(part, dict | str)
        )
        return AssistantMessage(parts, self._kept(payload, _MESSAGE))

    def _part(self, part: dict[str, Json]) -> Text | RefusalText | WirePart:
        kind = kind_of(part)
        if kind in ("output_text", "text") and isinstance(part.get("text"), str):
            return self._text(part)
        if kind == "refusal" and isinstance(part.get("refusal"), str):
            kept = self._kept(part, _REFUSAL) if part.keys() - _REFUSAL else ()
            return RefusalText(str(part["refusal"]), None, kept)
        if kind not in ("reasoning_text", "summary_text"):
            self._warn("unknown-output-item", "a part of a type that nobody publishes")
        return WirePart(_RESPONSES, part)

    def _text(self, part: dict[str, Json]) -> Text:
        annotations = part.get("annotations")
        logprobs = part.get("logprobs")
        kept: tuple[Extension, ...] = ()
        if part.keys() - _TEXT:
            kept = self._kept(part, _TEXT)
        if logprobs is not None and logprobs != []:
            kept = (Extension(_RESPONSES, "answer.logprobs", logprobs), *kept)
        cited = (
            tuple(Extension(_RESPONSES, ANNOTATIONS, each) for each in annotations)
            if isinstance(annotations, list)
            else ()
        )
        return Text(str(part["text"]), cited, None, kept)

    def _reasoning(self, payload: dict[str, Json]) -> Item:
        summary = texts_of(payload.get("summary"))
        raw = texts_of(payload.get("content"))
        if payload.get("encrypted_content"):
            text = JOINT.join(summary or raw)
            return Opaque(self._provenance, payload, text or None)
        kept = self._kept(payload, _REASONING)
        if not raw:
            return Reasoning(JOINT.join(summary), True, kept)
        if summary:
            kept = (*kept, Extension(_RESPONSES, SUMMARY, payload["summary"]))
        return Reasoning(JOINT.join(raw), False, kept)

    def _call(self, payload: dict[str, Json]) -> Item:
        call_id, name = self._named(payload)
        text = text_called(payload.get("arguments")) or ""
        self._measure(text)
        if _json.nests_past(text, self._limits.json_depth):
            raise _too_large("json_depth")
        if text.strip() and not _json.is_complete(text):
            if self.unfinished or payload.get("status") == "incomplete":
                self._warn("unfinished-call", "the answer ended inside a call's arguments")
            elif self._keeps_arguments:
                self._warn("invalid-arguments", "the arguments of a call are not JSON")
            else:
                raise _refused("the arguments of a finished call are not JSON")
        elif not text.strip() and not self.unfinished and payload.get("status") != "incomplete":
            text = "{}"  # a call without arguments, on every wire
        return ToolCall(call_id, name, text, None, self._kept(payload, _CALL))

    def _custom(self, payload: dict[str, Json]) -> Item:
        call_id, name = self._named(payload)
        said = payload.get("input")
        text = said if isinstance(said, str) else ""
        self._measure(text)
        return CustomToolCall(call_id, name, text, None, self._kept(payload, _CUSTOM))

    def _named(self, payload: Mapping[str, Json]) -> tuple[str, str]:
        name, call_id = payload.get("name"), payload.get("call_id")
        if not isinstance(name, str) or not name:
            raise _refused("a call without a name")
        if not isinstance(call_id, str) or not call_id:
            call_id = payload.get("id")
            if not isinstance(call_id, str) or not call_id:
                raise _refused("a call without an id")
            self._warn("call-id-from-item", "a call without a call id is known by its item's id")
        return call_id, name

    def _measure(self, text: str) -> None:
        limit = self._limits.arguments_bytes
        if len(text) > limit or (
            len(text) * 4 > limit and len(text.encode("utf-8", "replace")) > limit
        ):
            raise _too_large("arguments_bytes")

    def _kept(self, node: Mapping[str, Json], known: frozenset[str]) -> tuple[Extension, ...]:
        """The keys without a neutral meaning, in their order."""
        kept: list[Extension] = []
        for key, value in node.items():
            if value is None:
                continue
            if key == "id" and value:
                kept.append(Extension(_RESPONSES, "input.id", value))
            elif key == "status":
                if value != "completed" and value != "in_progress":
                    kept.append(Extension(_RESPONSES, "input.status", value))
            elif key in _SENT_AGAIN:
                kept.append(Extension(_RESPONSES, f"input.{key}", value))
            elif key not in known and not (key == "annotations" and value == []):
                kept.append(Extension(_RESPONSES, f"answer.{key}", value))
                if key not in _PUBLISHED_ONLY_HERE:
                    self._warn("unknown-answer-field", "a field that nobody publishes")
        return tuple(kept)


def _refused(message: str) -> ResponseRefused:
    return ResponseRefused(RefusalCode.PROTOCOL, message, dispatch=Dispatch.ACCEPTED)


def _too_large(limit: str) -> ResponseRefused:
    return ResponseRefused(
        RefusalCode.TOO_LARGE, f"past the limit {limit}", dispatch=Dispatch.ACCEPTED
    )
