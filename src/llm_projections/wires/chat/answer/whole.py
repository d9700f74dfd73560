"""A whole answer of this wire: one JSON body."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, cast

from llm_projections import _json
from llm_projections._json import Json
from llm_projections.model.binding import Identity
from llm_projections.model.limits import Limits
from llm_projections.model.losses import Loss
from llm_projections.model.outcome import TurnOutcome
from llm_projections.model.results import AnswerShape
from llm_projections.wires._answers import AnswerLosses, refuse_unsound, unsayable, unwritable
from llm_projections.wires.chat.answer.message import Said, Sayer, said_by
from llm_projections.wires.chat.answer.words import (
    beside,
    finish_word,
    too_many_items,
    usage_object,
)

__all__ = ["encode_ingress_answer"]


def encode_ingress_answer(
    outcome: TurnOutcome,
    identity: Identity,
    answer: AnswerShape = AnswerShape(),  # noqa: ARG001  every wire has this signature; frozen
    *,
    accept: Collection[str] = (),
    limits: Limits = Limits(),
    losses: list[Loss] | None = None,
) -> bytes:
    """The body of a whole answer.

    Raises `ResponseRefused` (UNSUPPORTED, ACCEPTED) for what this wire cannot hold and nobody accepted to lose, and for
    an answer whose model nobody named, TOO_LARGE past `limits`; `ValueError` for an unknown loss. Accepted losses are
    appended to `losses`.
    """
    losing = AnswerLosses(accept, losses)
    refuse_unsound(outcome)
    if len(outcome.items) > limits.items:
        raise too_many_items()
    model = identity.model or outcome.observation.upstream_model
    if model is None:
        raise unsayable("neither the caller nor the server named the model", "model")
    message = _Message(losing)
    for position, item in enumerate(outcome.items):
        said = said_by(losing, item, f"items[{position}]", streamed=False)
        message.add(said, position)
    carried = beside(losing, outcome.extensions)
    choice: dict[str, Json] = {
        "index": 0,
        "message": message.body(carried.message),
        "logprobs": message.logprobs if message.logprobs is not None else carried.logprobs,
        "finish_reason": finish_word(losing, outcome, waits=message.waits),
    }
    body: dict[str, Json] = {
        "id": identity.response_id,
        "object": "chat.completion",
        "created": identity.created,
        "model": model,
        "choices": [choice | _fresh(carried.choice, choice)],
    }
    usage = usage_object(losing, outcome)
    if usage is not None:
        body["usage"] = usage
    try:
        return _json.dumps(body | _fresh(carried.top, body))
    except _json.JsonError as error:
        raise unwritable(error, error.path) from None


class _Message:
    """The one message of an answer."""

    def __init__(self, losing: AnswerLosses) -> None:
        self._sayer = Sayer(losing)
        self._texts: list[str] = []
        self._parts: list[Json] = []
        self._refusals: list[str] = []
        self._thoughts: list[str] = []
        self._calls: list[Json] = []
        self._annotations: list[Json] = []
        self._extras: dict[str, Any] = {}
        self.logprobs: Json = None

    @property
    def waits(self) -> bool:
        """Whether it holds a call that the client must answer."""
        return bool(self._calls) or "function_call" in self._extras

    def add(self, said: Said, index: int) -> None:
        """One more item."""
        match said.kind:
            case "reasoning":
                if said.text:
                    self._sayer.say("reasoning", index)
                self._thoughts.append(said.text)
                self._details(said)
            case "call" | "custom":
                self._sayer.say("call", index)
                told = "arguments" if said.kind == "call" else "input"
                kind = "function" if said.kind == "call" else "custom"
                call: dict[str, Json] = {
                    "id": said.call_id,
                    "type": kind,
                    kind: {"name": said.name, told: said.text},
                }
                self._calls.append(call | said.extras)
            case "nothing":
                pass
            case _:
                if said.text:
                    self._sayer.say("text", index)
                    self._texts.append(said.text)
                self._parts += said.parts
                if said.refusal:
                    self._sayer.say("refusal", index)
                    self._refusals.append(said.refusal)
                self._annotations += said.annotations
                self.logprobs = said.extras.pop("logprobs", self.logprobs)
                self._extras.update(said.extras)

    def _details(self, said: Said) -> None:
        for key, value in said.extras.items():
            before = self._extras.get(key)
            if isinstance(before, list) and isinstance(value, list):
                self._extras[key] = [*cast("list[Json]", before), *value]
            else:
                self._extras[key] = value

    def body(self, extras: dict[str, Json]) -> dict[str, Json]:
        """The message, its keys in the vendor's order."""
        text = "".join(self._texts) if self._texts else None
        made: dict[str, Json] = {
            "role": "assistant",
            "content": text if not self._parts else [*_part_of(text), *self._parts],
            "refusal": "".join(self._refusals) if self._refusals else None,
        }
        thought = "".join(self._thoughts)
        if thought:
            made["reasoning_content"] = thought
        if self._annotations:
            made["annotations"] = self._annotations
        if self._calls:
            made["tool_calls"] = self._calls
        made |= _fresh(self._extras, made)
        return made | _fresh(extras, made)


def _part_of(text: str | None) -> list[Json]:
    return [] if text is None else [{"type": "text", "text": text}]


def _fresh(extras: dict[str, Any], made: dict[str, Json]) -> dict[str, Any]:
    """Carried fields, save those that the answer says itself."""
    return {key: value for key, value in extras.items() if key not in made}
