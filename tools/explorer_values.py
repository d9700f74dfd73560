"""Neutral values, refusals and bytes as the JSON and the text that docs/explorer.html shows."""

import json
from collections.abc import Mapping
from enum import Enum
from typing import Any

from attrs import Factory, fields, has

from llm_projections import RawJson, Refusal, RequestRefused, ResponseRefused, UpstreamError
from llm_projections.errors import Dispatch, RefusalCode

__all__ = ["compact", "refusal_of", "refusal_shown", "shown", "text_of"]


def compact(value: Any) -> str:
    """JSON without spaces, every character as it is."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def text_of(data: bytes) -> str:
    """Bytes as text; those that are no UTF-8 as escapes, so that they can be seen."""
    return data.decode("utf-8", "backslashreplace")


def shown(value: Any) -> Any:
    """A value as JSON that leads with its class; what equals its default is left out."""
    if isinstance(value, Refusal):
        return refusal_shown(value)
    if isinstance(value, RawJson):
        return {"$raw": value.text}
    if isinstance(value, Enum):
        return value.value
    if has(type(value)):
        told = {
            field.name: shown(getattr(value, field.name))
            for field in fields(type(value))
            if not field.name.startswith("_") and getattr(value, field.name) != _default(field)
        }
        told.pop("provenance", None)
        return {"kind": type(value).__name__, **told}
    if isinstance(value, Mapping):
        return {key: shown(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [shown(inner) for inner in value]
    return value


def _default(field: Any) -> Any:
    default = field.default
    return default.factory() if isinstance(default, Factory) else default  # type: ignore[arg-type]  # attrs types it as a function


def refusal_shown(error: Refusal) -> dict[str, Any]:
    """A refusal as JSON; what it does not say is left out."""
    told: dict[str, Any] = {
        "kind": type(error).__name__,
        "code": error.code.value,
        "message": error.message,
        "path": error.path,
        "dispatch": error.dispatch.value,
    }
    if isinstance(error, RequestRefused):
        told |= {"loss": error.loss, "others": [refusal_shown(each) for each in error.others]}
    if isinstance(error, ResponseRefused):
        told |= {"retriable": error.retriable, "retry_after_ms": error.retry_after_ms}
        if error.upstream is not None:
            names = ("type", "code", "message", "param")
            its = {name: getattr(error.upstream, name) for name in names}
            told["upstream"] = {name: value for name, value in its.items() if value is not None}
        if error.partial is not None:
            told["partial"] = {
                "items": shown(error.partial.items),
                "open_items": shown(error.partial.open_items),
            }
    return {name: value for name, value in told.items() if value not in (None, "", [])}


def refusal_of(told: Mapping[str, Any]) -> Refusal:
    """The refusal that `refusal_shown` told of. Raises ValueError and KeyError for another thing."""
    code, message, path = RefusalCode(told["code"]), told["message"], told.get("path", "")
    if told["kind"] == "RequestRefused":
        others = [refusal_of(each) for each in told.get("others", [])]
        asked = [each for each in others if isinstance(each, RequestRefused)]
        return RequestRefused(code, message, path, loss=told.get("loss"), others=asked)
    upstream = told.get("upstream")
    return ResponseRefused(
        code,
        message,
        path,
        dispatch=Dispatch(told["dispatch"]),
        retriable=told["retriable"],
        retry_after_ms=told.get("retry_after_ms"),
        upstream=UpstreamError(**upstream) if upstream is not None else None,
    )
