"""The writer of a Messages body: what its blocks share."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from re import compile as pattern
from typing import Any

from llm_projections import _json
from llm_projections._json import Json
from llm_projections.errors import RefusalCode
from llm_projections.model.binding import Binding
from llm_projections.model.items import (
    CacheMark,
    Extension,
    Protocol,
    Provenance,
    WireItem,
    WirePart,
)
from llm_projections.model.limits import Limits
from llm_projections.model.tools import HostedTool
from llm_projections.wires._carried import Place, carried_path
from llm_projections.wires._depth import TOO_DEEP, WRITTEN_DEPTH
from llm_projections.wires._reading import Path
from llm_projections.wires._writing import SPLICE, Writer
from llm_projections.wires.messages.vocab import CALL_ID, MAX_MARKS, TTLS

__all__ = ["MessagesWriter"]

_OUTSIDE = pattern(r"[^a-zA-Z0-9_-]")


class MessagesWriter(Writer):
    """Writes one turn as a Messages body; counts its cache marks and keeps its call ids apart.

    With `splice`, arguments are spliced in as bytes, for a body that is only written; without it they are values.
    """

    def __init__(
        self, binding: Binding, accept: Collection[str], limits: Limits, *, splice: bool = False
    ) -> None:
        super().__init__(binding, accept, limits)
        self.splice = splice
        self.home: Provenance = binding.provenance
        self._finite: bool = True
        self.unread: list[object] = []
        """What is looked through for such a number, once all is written."""
        self.marks: int = 0
        self._renamed: dict[str, str] = {}
        self._taken: set[str] = set()
        self._alike: dict[str, int] = {}
        self._read: dict[str, dict[str, Json]] = {}
        self.plain_ids: frozenset[str] = frozenset()
        """Ids of calls of the turn that are of the wire's alphabet: each is looked at once, not at every place."""

    @property
    def events(self) -> int:
        """As for every wire, and the marks, of which a body has only so many."""
        return super().events + self.marks

    @property
    def repeatable(self) -> bool:
        """Until a call got another name: which one depends on all ids of the turn."""
        return not self._renamed

    # arguments and ids of calls

    def read(self, texts: Sequence[str]) -> list[dict[str, Json]] | None:
        """The inputs of many calls, read at once; None where each has to be asked for by itself.

        Where the first shows that all are likely to be read so.
        """
        if len(texts) < 2 or not self.splice or _json.object_bytes(texts[0]) is None:
            return None
        return _json.objects(texts)

    def know(self, texts: Sequence[str], inputs: Iterable[dict[str, Json]]) -> None:
        """Keep what `read` gave, for when `arguments` are asked for."""
        self._read = dict(zip(texts, inputs, strict=True))

    def arguments(self, text: str, path: Path) -> Any:
        """The input of a call: its tokens exactly as in `text`, without the spaces between them."""
        if (known := self._read.get(text)) is not None:
            return known
        if self.splice and type(text) is _json.ObjectText:
            return SPLICE(text.data)
        text = text or "{}"
        if self.splice and (data := _json.object_bytes(text)) is not None:
            return SPLICE(data)
        try:
            value = _json.loads(text)
        except _json.JsonError:
            # not JSON, or a number that only text can hold
            if not _json.is_object(text):
                if _json.nests_past(text, WRITTEN_DEPTH):
                    self.refuse((*path, "arguments"), TOO_DEEP, RefusalCode.TOO_LARGE)
                else:
                    self.refuse((*path, "arguments"), "this wire takes a JSON object only")
                return {}
            return self._raw(text)
        if type(value) is not dict:
            self.refuse((*path, "arguments"), "this wire takes a JSON object only")
            return {}
        data = _json.dumps(value, finite=True)
        written = data.decode()
        if written == text or _json.same_tokens(written, text):
            return SPLICE(data) if self.splice else value
        return self._raw(text)

    def _raw(self, text: str) -> Any:
        compact = _json.compact(text)
        return SPLICE(compact) if self.splice else _json.RawJson(compact)

    def reserve(self, ids: Collection[str]) -> None:
        """The ids of the turn that go out as they are."""
        self._taken.update(ids)

    def call_id(self, call_id: str, path: Path) -> str:
        """The id, or one of the wire's alphabet that stands for it and for no other."""
        if CALL_ID(call_id):
            return call_id
        known = self._renamed.get(call_id)
        if known is not None:
            return known
        self.lose("turn.call_id", path, "outside the alphabet of this wire's call ids")
        name = base = _OUTSIDE.sub("_", call_id) or "_"
        # counted on from the last of its kind, so that many alike ids take no longer than others
        number = self._alike.get(base, 1)
        while name in self._taken:
            number += 1
            name = f"{base}_{number}"
        self._alike[base] = number
        self._taken.add(name)
        self._renamed[call_id] = name
        return name

    # marks and carried fields of a block or tool

    def close(
        self,
        block: dict[str, Any],
        cache: CacheMark | None,
        extensions: tuple[Extension, ...],
        path: Path,
        prefix: str = "messages.content.",
    ) -> dict[str, Any]:
        """Write the mark and the carried fields of a block or tool into it."""
        mark = self.mark(cache, path)
        if mark is not None:
            block["cache_control"] = {"type": "ephemeral"}
            if mark.ttl in TTLS:
                block["cache_control"]["ttl"] = mark.ttl
            elif mark.ttl is not None:
                self.lose("turn.cache.ttl", (*path, "cache", "ttl"), "not a time of this wire")
            self.count_mark(path)
        elif extensions:
            # a part of a mark goes with it
            extensions = tuple(
                extension
                for extension in extensions
                if extension.protocol is not self.protocol
                or not extension.path.startswith(f"{prefix}cache_control.")
            )
        if extensions:
            self.carry(extensions, prefix, block, path)
        return block

    def carry(
        self, extensions: tuple[Extension, ...], prefix: str, into: dict[str, Any], path: Path
    ) -> None:
        """As every wire's writer, watching the values."""
        for extension in extensions:
            self.watch(extension.value)
        super().carry(extensions, prefix, into, path)

    def count_mark(self, path: Path) -> None:
        """Count one cache mark; more than four are refused."""
        self.marks += 1
        if self.marks > MAX_MARKS:
            self.refuse((*path, "cache"), f"more than {MAX_MARKS} cache marks")

    # numbers

    @property
    def finite(self) -> bool:
        """As for every wire: told by what was watched, and by what is unread."""
        return self._finite and _json.all_finite(self.unread)

    def watch(self, value: Json) -> None:
        """Note a value of the caller's own in which there may be a number that is none.

        Where no such value is, the body need not be searched for one after it was written.
        """
        if self.splice and self._finite:
            try:
                _json.dumps(value)
            except _json.JsonError:
                self._finite = False

    # things carried whole

    def whole(
        self, carried: WireItem | WirePart | HostedTool, place: Place, path: Path
    ) -> dict[str, Any] | None:
        """The payload of a thing that is carried whole, if it goes out here."""
        named = carried_path(carried.protocol, place, carried.payload)
        if not self.takes(carried.protocol, named):
            self.lose(
                f"{carried.protocol.short}.{named}",
                path,
                "carried for its own wire, and this binding does not take it",
            )
            return None
        if carried.payload.get("cache_control") is not None:
            self.count_mark(path)
        if carried.extensions:
            self.carry(carried.extensions, "messages.content.", {}, path)
        self.watch(carried.payload)
        return carried.payload

    def name_of(self, carried: WirePart) -> str:
        """The loss of a part that is carried whole."""
        named = carried_path(carried.protocol, "part", carried.payload)
        return f"{carried.protocol.short}.{named}"

    def foreign(self, extensions: tuple[Extension, ...], path: Path) -> None:
        """Leave out the carried fields of an owner that has none on this wire."""
        own = tuple(e for e in extensions if e.protocol is self.protocol and not _answers(e))
        for extension in own:
            self.lose(f"{Protocol.MESSAGES.short}.{extension.path}", path)
        self.carry(tuple(e for e in extensions if e not in own), "messages.", {}, path)


def _answers(extension: Extension) -> bool:
    return extension.path.startswith("answer.")
