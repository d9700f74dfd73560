"""What the jobs give back beside bytes and events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from llm_projections._json import Json
from llm_projections._values import define, field, frozen
from llm_projections.model.losses import Loss
from llm_projections.model.turn import TurnRequest

__all__ = [
    "AnswerBody",
    "AnswerHead",
    "AnswerShape",
    "HttpAnswer",
    "HttpRequest",
    "Ingested",
    "Projection",
]


@frozen
class AnswerShape:
    """How a client wants its answer.

    `include_usage` is Chat's `stream_options.include_usage`; `encrypted_reasoning` says that sealed reasoning was
    asked for (Responses' `include`), which is written in any case; `reasoning_display` is Messages' `thinking.display`.
    `echo` holds the request's own values that the answer object repeats.
    """

    stream: bool = False
    include_usage: bool = False
    encrypted_reasoning: bool = False
    reasoning_display: str | None = None
    echo: Mapping[str, Json] = field(factory=dict[str, Json], hash=False)


@frozen
class Ingested:
    """A client's request, read. `losses` is what was left out because the caller had accepted it by name."""

    request: TurnRequest
    answer: AnswerShape
    losses: tuple[Loss, ...] = ()


@frozen
class Projection:
    """A request body for one wire. `losses` is what was left out because the caller had accepted it by name."""

    body: dict[str, Any] = field(hash=False)
    losses: tuple[Loss, ...] = ()


@frozen
class HttpRequest:
    """A request to send. `host` and `content-length` are the HTTP stack's to write."""

    method: str
    url: str
    headers: tuple[tuple[str, str], ...] = field(repr=False)
    body: bytes = field(repr=False)


@frozen
class HttpAnswer:
    """An answer to give. What says how long its body is (`content-length`) is the HTTP stack's to write."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes = field(repr=False)


@frozen
class AnswerHead:
    """The status and headers of an answer whose body comes in pieces."""

    status: int
    headers: tuple[tuple[str, str], ...]


@define(unsafe_hash=True)
class AnswerBody:
    """A piece of that body. Plain, as events are: one is made for every event that is relayed."""

    data: bytes = field(repr=False)
