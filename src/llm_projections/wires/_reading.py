"""Strict reading of a request body: what every wire's ingest shares.

Rules:
1. Every key of every object is known by a row of the wire's subset, or refused by its path.
2. All refusals of one body are collected before any is raised.
3. `null` reads as absent.
4. Positions are tuples until something is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from math import isfinite
from re import compile as pattern
from typing import TypeVar, cast

from llm_projections import _json
from llm_projections._json import Json
from llm_projections.errors import RefusalCode, RequestRefused
from llm_projections.model.items import Extension, Protocol
from llm_projections.model.limits import Limits
from llm_projections.model.losses import NAMES, Loss, accepted
from llm_projections.model.validation import raise_all
from llm_projections.wires._depth import json_refused
from llm_projections.wires._rows import Row, Treat

__all__ = ["Path", "Reader", "extension_path", "path_text", "read_body"]

Path = tuple[str | int, ...]

_PLAIN = pattern(r"[A-Za-z0-9_.-]{1,64}").fullmatch
_T = TypeVar("_T")
_K = TypeVar("_K")


def path_text(path: Path) -> str:
    """A position as text; it ends at the parent of a key that is not a bounded plain name."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif _PLAIN(step) is None:
            return text
        else:
            text += f".{step}" if text else step
    return text


def read_body(
    body: bytes, limits: Limits, free: Callable[[tuple[str | int, ...]], bool] | None = None
) -> _json.Envelope:
    """A request body as an exact JSON object; without `free`, nothing asks for the text of its nodes.

    Raises `RequestRefused`: TOO_LARGE past `Limits.request_bytes` (or the values that it allows) or `json_depth`,
    INVALID_REQUEST by path for anything that is not one JSON object with distinct keys, finite numbers and whole
    characters.
    """
    if len(body) > limits.request_bytes:
        raise RequestRefused(
            RefusalCode.TOO_LARGE, f"a request of more than {limits.request_bytes} bytes"
        )
    if _json.crowded(body, limits.request_bytes):
        raise RequestRefused(RefusalCode.TOO_LARGE, "a request of too many JSON values")
    try:
        envelope = _json.read(body, limits.json_depth, free, texts=free is not None)
    except _json.JsonError as error:
        raise json_refused(error) from None
    if not isinstance(envelope.value, dict):
        raise RequestRefused(RefusalCode.INVALID_REQUEST, "a request is a JSON object")
    return envelope


class Reader:
    """Reads one request body of one wire and collects its refusals and accepted losses."""

    def __init__(
        self, protocol: Protocol, accept: Collection[str], limits: Limits, envelope: _json.Envelope
    ) -> None:
        self.protocol = protocol
        self.accept: frozenset[str] = accepted(accept)
        self.limits = limits
        self.text_of: Callable[[Json], str] = envelope.text_of
        self.losses: list[Loss] = []
        self.refusals: list[RequestRefused] = []
        self._refused: set[str] = set()

    # refusing

    def refuse(
        self,
        path: Path,
        message: str,
        code: RefusalCode = RefusalCode.INVALID_REQUEST,
        loss: str | None = None,
    ) -> None:
        """Note one refusal; reading goes on, so that the caller sees all of them at once."""
        text = path_text(path)
        self._refused.add(text)
        self.refusals.append(RequestRefused(code, message, text, loss=loss))

    def lose(self, loss: str, path: Path, message: str) -> None:
        """Leave something out: reported if its name was accepted, refused otherwise."""
        if loss in self.accept:
            self.losses.append(Loss(loss, path_text(path)))
        else:
            self.refuse(path, message, RefusalCode.UNSUPPORTED, loss)

    def finish(self) -> None:
        """Raise everything that was refused, as one `RequestRefused`."""
        raise_all(self.refusals)

    # keys

    def extras(
        self,
        node: Mapping[str, Json],
        path: Path,
        known: Mapping[str, Row],
        mapped: Collection[str],
    ) -> tuple[Extension, ...]:
        """What becomes of the keys of `node` that the caller does not read itself (`mapped`).

        Carried ones come back as extensions, in the order of the body; a default at its declared value is nothing;
        every other key is refused. Callers skip this where `node.keys() <= mapped`.
        """
        found: list[Extension] = []
        for key, value in node.items():
            if key in mapped or (value is None and key in known):
                continue
            row = known.get(key)
            if row is None:
                self.refuse((*path, key), "not a published field", RefusalCode.UNSUPPORTED)
            elif row.treat is Treat.CARRY:
                found.append(Extension(self.protocol, extension_path(row), value))
            elif row.treat is Treat.REFUSE or (
                row.treat is Treat.DEFAULT and not row.accepts(value)
            ):
                self._refuse_row(row, (*path, key))
        return tuple(found)

    def _refuse_row(self, row: Row, path: Path) -> None:
        if row.loss is not None and row.loss in NAMES:
            self.lose(row.loss, path, "not carried")
        else:
            self.refuse(path, row.neutral or "not carried", RefusalCode.UNSUPPORTED)

    # typed values: absent and null give None, a value of another type is refused

    def string(self, node: Mapping[str, Json], key: str, path: Path) -> str | None:
        """A string member."""
        return self._typed(node, key, path, str, "must be a string")

    def boolean(self, node: Mapping[str, Json], key: str, path: Path) -> bool | None:
        """A boolean member."""
        return self._typed(node, key, path, bool, "must be true or false")

    def integer(self, node: Mapping[str, Json], key: str, path: Path) -> int | None:
        """An integer member."""
        return self._typed(node, key, path, int, "must be an integer")

    def array(self, node: Mapping[str, Json], key: str, path: Path) -> list[Json] | None:
        """A list member."""
        return cast("list[Json] | None", self._typed(node, key, path, list, "must be a list"))

    def object(self, node: Mapping[str, Json], key: str, path: Path) -> dict[str, Json] | None:
        """An object member."""
        return cast(
            "dict[str, Json] | None", self._typed(node, key, path, dict, "must be an object")
        )

    def number(self, node: Mapping[str, Json], key: str, path: Path) -> float | None:
        """A number member; an integer stays one, so that it goes out as it came."""
        value = node.get(key)
        if value is None:
            return None
        if type(value) is int or (type(value) is float and isfinite(value)):
            return value
        self.refuse((*path, key), "must be a number")
        return None

    def choice(
        self, node: Mapping[str, Json], key: str, path: Path, words: Collection[str]
    ) -> str | None:
        """A string member that is one of `words`."""
        value = self.string(node, key, path)
        if value is not None and value not in words:
            self.refuse((*path, key), "not one of the published values", RefusalCode.UNSUPPORTED)
            return None
        return value

    def required(self, value: _T | None, path: Path, empty: _T) -> _T:
        """`value`, or `empty` after refusing its absence (once: not where its type was refused already)."""
        if value is None:
            if path_text(path) not in self._refused:
                self.refuse(path, "is required")
            return empty
        return value

    def objects(self, values: Iterable[Json], path: Path) -> Iterable[tuple[int, dict[str, Json]]]:
        """Each element that is an object, with its position; others are refused."""
        for position, value in enumerate(values):
            if isinstance(value, dict):
                yield position, value
            else:
                self.refuse((*path, position), "must be an object")

    def _typed(
        self, node: Mapping[str, Json], key: str, path: Path, kind: type[_K], message: str
    ) -> _K | None:
        value = node.get(key)
        if value is None:
            return None
        # by identity of type: a bool is an int to isinstance
        if type(value) is kind:
            return value
        self.refuse((*path, key), message)
        return None


_VARIANT = pattern(r"<[^>]*>|\[\]|\{\}")


def extension_path(row: Row) -> str:
    """The path of the extension that carries what `row` places: no root, indexes or variants."""
    if row.loss is not None:
        return row.loss.split(".", 1)[1]
    return _VARIANT.sub("", row.at.removesuffix(".**").split(".", 1)[1])
