"""One output item while it is streamed: what was said of it so far, part by part."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from llm_projections._json import Json
from llm_projections.fold import Building, Kind, gathered

__all__ = [
    "CALLS",
    "JOINT",
    "KINDS",
    "Family",
    "Piece",
    "Slot",
    "as_list",
    "as_object",
    "kind_of",
    "output_of",
]

Family = str
"""Where a text of an item stands: `text`, `refusal` (content), `summary`, `content` (reasoning)."""

KINDS: dict[str, Kind] = {
    "message": "text",
    "reasoning": "reasoning",
    "function_call": "call",
    "custom_tool_call": "custom",
}
JOINT = "\n\n"
"""What stands between the parts of a summary, and of raw reasoning, in one text."""

CALLS = {"function_call": "arguments", "custom_tool_call": "input"}
"""The key under which a call's item says what it was called with."""


class Piece:
    """One part's text, gathered."""

    __slots__ = ("annotations", "family", "logprobs", "pieces")

    def __init__(self, family: Family) -> None:
        self.family: Family = family
        self.pieces: list[str] = []
        self.logprobs: list[Json] = []
        self.annotations: list[Json] = []

    def likely(self, logprobs: Json) -> bool:
        """Keep the probabilities of a delta, for an item that never says them whole; False where they are none."""
        if not isinstance(logprobs, list):
            return False
        self.logprobs += logprobs
        return True

    def text(self) -> str:
        """All of it."""
        return gathered(self.pieces)

    def wire(self) -> dict[str, Json]:
        """The part as the wire writes it."""
        match self.family:
            case "refusal":
                return {"type": "refusal", "refusal": self.text()}
            case "summary":
                return {"type": "summary_text", "text": self.text()}
            case "content":
                return {"type": "reasoning_text", "text": self.text()}
            case _:
                part: dict[str, Json] = {"type": "output_text", "text": self.text()}
                if self.annotations:
                    part["annotations"] = self.annotations
                if self.logprobs:
                    part["logprobs"] = self.logprobs
                return part


class Slot(Building):
    """One output item at its index, from its first event to its last.

    `type` is the wire's; `payload` the last whole object that the server sent of it; `place` its output index and
    how many kept events came before it.
    """

    kind: Kind

    __slots__ = ("announced", "done", "item_id", "parts", "payload", "place", "type")

    def __init__(self, index: int, kind: str, payload: dict[str, Any]) -> None:
        super().__init__(index, KINDS.get(kind, "text"))
        self.place: tuple[int, int] = (-1, 0)
        self.type: str = kind
        self.payload: dict[str, Any] = payload
        self.parts: dict[tuple[Family, int], Piece] = {}
        self.announced: bool = False
        self.done: bool = False
        identity = payload.get("id")
        self.item_id: str | None = identity if isinstance(identity, str) and identity else None
        self.learn(payload)

    def learn(self, payload: dict[str, Any]) -> None:
        """Take a call's id and name where they are known."""
        if self.type in CALLS:
            for attribute in ("call_id", "name"):
                value = payload.get(attribute)
                if isinstance(value, str) and value and getattr(self, attribute) is None:
                    setattr(self, attribute, value)

    def part(self, family: Family, index: int) -> Piece:
        """The text of one part, made where it is new."""
        found = self.parts.get((family, index))
        if found is None:
            found = self.parts[(family, index)] = Piece(family)
            if family in ("refusal", "summary") and len(self.parts) == 1:
                self.kind = "refusal" if family == "refusal" else "summary"
        return found

    def gather(self) -> None:
        """Hold what was said in one piece a part."""
        super().gather()
        for piece in self.parts.values():
            gathered(piece.pieces)

    def text(self) -> str:
        """Everything that was said, for a snapshot."""
        if self.type in CALLS:
            return super().text()
        texts = [piece.text() for piece in self.parts.values() if piece.pieces]
        return (JOINT if self.type == "reasoning" else "").join(texts)

    def texts(self, family: Family) -> list[str]:
        """The texts of one family, by their place."""
        places = sorted(at for each, at in self.parts if each == family)
        return [self.parts[family, at].text() for at in places]

    def known(self) -> bool:
        """Whether a call's id and name came; true of every other item."""
        return self.type not in CALLS or (self.call_id is not None and self.name is not None)

    def shown(self) -> bool:
        """Whether anything of it was shown."""
        return self.announced or any(piece.pieces for piece in self.parts.values())

    def whole(self, payload: dict[str, Any]) -> dict[str, Any]:
        """The finished object, with what was streamed where the object leaves it out."""
        if self.type in CALLS:
            return self._whole_call(payload)
        # sealed state goes back exactly as it came
        if not self.parts or payload.get("encrypted_content"):
            return payload
        if self.type == "message":
            return self._filled(payload, "content", ("text", "refusal"))
        payload = self._filled(payload, "summary", ("summary",))
        return self._filled(payload, "content", ("content",))

    def _whole_call(self, payload: dict[str, Any]) -> dict[str, Any]:
        key = CALLS[self.type]
        known: dict[str, Any] = {
            key: super().text() or self.payload.get(key) or "",
            "call_id": self.call_id,
            "name": self.name,
        }
        lacking = {name: value for name, value in known.items() if value and not payload.get(name)}
        return {**payload, **lacking} if lacking else payload

    def _told(self, content: list[Any], family: Family) -> bool:
        """Whether a finished object's parts say what was shown of a family, however they are cut."""
        shown = "".join(self.texts(family))
        whole = "".join(_text_of(part, family) for part in content)
        # looking for joints takes ten times as long as comparing
        return whole.startswith(shown) or (
            whole.replace(JOINT, "").startswith(shown.replace(JOINT, ""))
        )

    def _filled(
        self, payload: dict[str, Any], key: str, families: tuple[Family, ...]
    ) -> dict[str, Any]:
        given: Any = payload.get(key)
        if isinstance(given, str) and given:
            return payload
        # what is no part says nothing, and takes the place of nothing
        content: list[Any] = [each for each in as_list(given) if isinstance(each, dict | str)]
        silent = {each for each in families if not self._told(content, each)}
        for (family, index), piece in sorted(self.parts.items(), key=lambda each: each[0][1]):
            if family not in families or not piece.pieces:
                continue
            if index >= len(content):
                if family in silent:
                    content.append(piece.wire())
            elif family in silent and not _says(content[index]):
                content[index] = {**as_object(content[index]), **piece.wire()}
            elif piece.annotations and isinstance(content[index], dict):
                noted = content[index].get("annotations") or piece.annotations
                content[index] = {**content[index], "annotations": noted}
        return {**payload, key: content}


def _text_of(part: dict[str, Any] | str, family: Family) -> str:
    """What a part says for one family; a part whose type is unknown or missing says it for any."""
    if isinstance(part, str):
        return part
    said = part.get("refusal" if family == "refusal" else "text")
    return said if isinstance(said, str) else ""


def as_object(value: Json) -> dict[str, Any]:
    """An object, or an empty one."""
    return value if isinstance(value, dict) else {}


def kind_of(payload: Mapping[str, Json]) -> str:
    """The `type` of an object, or nothing."""
    kind = payload.get("type")
    return kind if isinstance(kind, str) else ""


def as_list(value: Json) -> list[Any]:
    """A list, or an empty one."""
    return value if isinstance(value, list) else []


def output_of(response: Mapping[str, Json]) -> list[dict[str, Any]]:
    """The output items of a response object, those that are objects."""
    return [each for each in as_list(response.get("output")) if isinstance(each, dict)]


def _says(part: dict[str, Any] | str) -> bool:
    return bool(_text_of(part, "text") or _text_of(part, "refusal"))
