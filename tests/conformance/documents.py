"""Neutral values of the conformance suite as the documents of spec/cases/README.md, and back.

Turns, outcomes and bindings are the library's own documents without their `format`; an event, a refusal, an answer's
shape and an identity have no document in the library, and are said here. A value that equals its default is left out.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import asdict, fields

from llm_projections import _json
from llm_projections.errors import Dispatch, Refusal, RefusalCode, RequestRefused, ResponseRefused
from llm_projections.model import events
from llm_projections.model.binding import Binding, Identity
from llm_projections.model.document import from_document, to_document
from llm_projections.model.events import Event
from llm_projections.model.items import Item
from llm_projections.model.losses import Loss
from llm_projections.model.outcome import (
    EndTurn,
    Observation,
    PartialOutcome,
    TurnOutcome,
    UpstreamError,
    Usage,
)
from llm_projections.model.results import AnswerShape
from llm_projections.model.turn import TurnRequest
from tests.spec_tools import SPEC

__all__ = [
    "CASES",
    "Doc",
    "binding_of",
    "event_document",
    "event_of",
    "identity_of",
    "losses_document",
    "outcome_document",
    "outcome_of",
    "refusal_document",
    "refusal_of",
    "shape_document",
    "shape_of",
    "turn_document",
    "turn_of",
]

CASES = SPEC / "cases"
# Stands for the provenance of the case's binding: its revision is a hash that only this library computes.
OURS = "binding"

Doc = dict[str, Any]

_TURN, _OUTCOME, _BINDING = "llm.turn/1", "llm.outcome/1", "llm.binding/1"
_EVENTS = {name: getattr(events, name) for name in events.__all__ if name != "Event"}


def _written(value: TurnRequest | TurnOutcome | Binding, binding: Binding | None) -> Doc:
    document = json.loads(to_document(value))
    del document["format"]
    if binding is None:
        return dict(document)
    return dict(_swapped(document, _provenance(binding), OURS))


def _read(document: Doc, form: str, binding: Binding | None) -> Any:
    whole = {"format": form, **document}
    if binding is not None:
        whole = _swapped(whole, OURS, _provenance(binding))
    return from_document(_json.dumps(whole))


def _provenance(binding: Binding) -> Doc:
    return {**asdict(binding.provenance), "protocol": binding.protocol.value}


def _swapped(value: Any, old: Any, new: Any) -> Any:
    """A document with one provenance in place of another."""
    if isinstance(value, list):
        return [_swapped(each, old, new) for each in value]
    if isinstance(value, dict):
        return {
            key: new if key == "provenance" and inner == old else _swapped(inner, old, new)
            for key, inner in value.items()
        }
    return value


def binding_of(told: str | Doc) -> Binding:
    """A binding by its name, or with what differs from a named one."""
    changes: Doc = {"base": told} if isinstance(told, str) else dict(told)
    document = json.loads(_file(CASES / "bindings" / f"{changes.pop('base')}.json"))
    for key, value in changes.items():
        merged = key in ("capabilities", "dialect")
        document[key] = {**document.get(key, {}), **value} if merged else value
    found = _read(document, _BINDING, None)
    assert isinstance(found, Binding)
    return found


def _file(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def turn_document(turn: TurnRequest, binding: Binding | None = None) -> Doc:
    """A turn, its provenance as the word where it is that of the binding."""
    return _written(turn, binding)


def turn_of(document: Doc, binding: Binding | None = None) -> TurnRequest:
    """The turn that a document says."""
    found = _read(document, _TURN, binding)
    assert isinstance(found, TurnRequest)
    return found


def outcome_document(outcome: TurnOutcome, binding: Binding | None = None) -> Doc:
    """An outcome without its warnings, which are facts of their own."""
    document = _written(outcome, binding)
    document.pop("warnings", None)
    return document


def outcome_of(document: Doc) -> TurnOutcome:
    """The outcome that a document says."""
    found = _read(document, _OUTCOME, None)
    assert isinstance(found, TurnOutcome)
    return found


# An outcome holds items and an observation: the way in and out for documents of theirs.
def _item_document(item: Item, binding: Binding | None) -> Doc:
    return dict(outcome_document(TurnOutcome(EndTurn(), (item,)), binding)["items"][0])


def _item_of(document: Doc) -> Item:
    held = {"stop": {"kind": "EndTurn"}, "items": [document]}
    return outcome_of(held).items[0]


def _usage_document(usage: Usage) -> Doc:
    held = TurnOutcome(EndTurn(), (), Observation(usage=usage))
    return dict(outcome_document(held)["observation"].get("usage", {}))


def _usage_of(document: Doc) -> Usage:
    held = {"stop": {"kind": "EndTurn"}, "items": [], "observation": {"usage": document}}
    usage = outcome_of(held).observation.usage
    assert usage is not None
    return usage


def event_document(event: Event, binding: Binding | None = None) -> Doc:
    """An event by its kind and fields; of a warning only its code."""
    match event:
        case events.ItemCompleted(item, index):
            said: Doc = {"item": _item_document(item, binding), "index": index}
        case events.UsageReported(usage):
            said = {"usage": _usage_document(usage)}
        case events.TurnCompleted(outcome):
            said = {"outcome": outcome_document(outcome, binding)}
        case events.TurnFailed(error):
            said = {"error": refusal_document(error, binding, message=True)}
        case events.Warning(code):
            said = {"code": code}
        case _:
            said = {
                each.name: getattr(event, each.name)
                for each in fields(type(event))
                if getattr(event, each.name) != each.default
            }
    return {"kind": type(event).__name__, **said}


def event_of(document: Doc) -> Event:
    """The event that a document says."""
    said = dict(document)
    kind = _EVENTS[said.pop("kind")]
    if kind is events.Warning:
        said["message"] = "said by a case"
    if "item" in said:
        said["item"] = _item_of(said["item"])
    if "usage" in said:
        said["usage"] = _usage_of(said["usage"])
    if "outcome" in said:
        said["outcome"] = outcome_of(said["outcome"])
    if "error" in said:
        said["error"] = refusal_of(said["error"])
    event: Event = kind(**said)
    return event


def refusal_document(
    error: Refusal, binding: Binding | None = None, *, message: bool = False
) -> Doc:
    """A refusal; our own words only where a case gives them, for no case expects them."""
    said: Doc = {"dispatch": error.dispatch.value, "code": error.code.value, "path": error.path}
    if message:
        said["message"] = error.message
    if isinstance(error, RequestRefused):
        others = [refusal_document(other, message=message) for other in error.others]
        return said | _told(loss=error.loss, others=others)
    assert isinstance(error, ResponseRefused)
    said["retriable"] = error.retriable
    upstream = None if error.upstream is None else _told(**asdict(error.upstream))
    partial = None if error.partial is None else _partial_document(error.partial, binding)
    return said | _told(retry_after_ms=error.retry_after_ms, upstream=upstream, partial=partial)


def _told(**said: Any) -> Doc:
    return {key: value for key, value in said.items() if value is not None and value != []}


def _partial_document(partial: PartialOutcome, binding: Binding | None) -> Doc:
    whole = TurnOutcome(EndTurn(), partial.items, partial.observation)
    document = outcome_document(whole, binding)
    return {
        "items": document["items"],
        "open_items": [_told(**asdict(item)) for item in partial.open_items],
        "observation": document.get("observation", {}),
        "warnings": [warning.code for warning in partial.warnings],
    }


def refusal_of(document: Doc) -> Refusal:
    """The refusal that a document says; what stood when it broke is never given."""
    said = dict(document)
    dispatch = Dispatch(said.pop("dispatch"))
    code, path = RefusalCode(said.pop("code")), said.pop("path")
    message = said.pop("message")
    if dispatch is Dispatch.NOT_SENT:
        others = [refusal_of(other) for other in said.pop("others", ())]
        told = [other for other in others if isinstance(other, RequestRefused)]
        return RequestRefused(code, message, path, others=told, **said)
    if "upstream" in said:
        said["upstream"] = UpstreamError(**said["upstream"])
    return ResponseRefused(code, message, path, dispatch=dispatch, **said)


def shape_document(shape: AnswerShape) -> Doc:
    """How an answer is wanted."""
    said = asdict(shape, recurse=False)
    return {key: json.loads(_json.dumps(value)) for key, value in said.items() if value}


def shape_of(document: Doc) -> AnswerShape:
    """The shape that a document says."""
    return AnswerShape(**document)


def identity_of(document: Mapping[str, Any]) -> Identity:
    """Who answers."""
    return Identity(**document)


def losses_document(losses: list[Loss] | tuple[Loss, ...]) -> list[Doc]:
    """Losses in the order in which they were reported."""
    return [{"name": loss.name, "path": loss.path} for loss in losses]
