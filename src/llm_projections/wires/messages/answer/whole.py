"""A neutral outcome to a whole Messages message."""

from __future__ import annotations

from collections.abc import Collection

from llm_projections._json import Json
from llm_projections.model.binding import Identity
from llm_projections.model.items import (
    AssistantMessage,
    Protocol,
    RefusalText,
    ToolCall,
    WireItem,
)
from llm_projections.model.limits import Limits
from llm_projections.model.losses import Loss
from llm_projections.model.outcome import TurnOutcome
from llm_projections.model.results import AnswerShape
from llm_projections.wires._answers import AnswerLosses, refuse_unsound, unsayable
from llm_projections.wires.messages.answer.blocks import item_blocks, too_many_items
from llm_projections.wires.messages.answer.ending import read_ending
from llm_projections.wires.messages.answer.frames import dump
from llm_projections.wires.messages.answer.usage import whole_usage
from llm_projections.wires.messages.vocab_answer import KEPT_EVENT, MESSAGE_KEYS

__all__ = ["encode_ingress_answer"]


def encode_ingress_answer(
    outcome: TurnOutcome,
    identity: Identity,
    answer: AnswerShape = AnswerShape(),
    *,
    accept: Collection[str] = (),
    limits: Limits = Limits(),
    losses: list[Loss] | None = None,
) -> bytes:
    """The JSON body of an answer without streaming; accepted losses are appended to `losses`.

    Raises `ResponseRefused` (UNSUPPORTED, ACCEPTED) for what this wire cannot hold, TOO_LARGE past `limits`, and
    `ValueError` for a name in `accept` that is no loss. Source: `Message` of anthropic 2.14.0, read 2026-11-30.
    """
    left = AnswerLosses(accept, losses)
    refuse_unsound(outcome)
    observed = outcome.observation
    model = identity.model or observed.upstream_model
    if model is None:
        raise unsayable("neither the caller nor the server named the model", "model")
    content = _content(outcome, answer.reasoning_display, left, limits)
    calls = any(isinstance(item, ToolCall) for item in outcome.items)
    refused = any(
        isinstance(part, RefusalText)
        for item in outcome.items
        if isinstance(item, AssistantMessage)
        for part in item.content
    )
    ending = read_ending(outcome, left, calls=calls, refused=refused)
    for name in ending.fields.keys() & MESSAGE_KEYS:
        left.lose("answer.extensions", f"answer.{name}", "the message has that field already")
        del ending.fields[name]
    message: dict[str, Json] = {
        "id": identity.response_id,
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": ending.reason,
        "stop_sequence": ending.sequence,
        "usage": whole_usage(observed.usage, observed, left),
        **ending.fields,
    }
    return dump(message)


def _content(
    outcome: TurnOutcome, display: str | None, left: AnswerLosses, limits: Limits
) -> list[Json]:
    if len(outcome.items) > limits.items:
        raise too_many_items()
    content: list[Json] = []
    for index, item in enumerate(outcome.items):
        path = f"items[{index}]"
        if isinstance(item, WireItem) and item.protocol is Protocol.MESSAGES:
            if any(extension.path == KEPT_EVENT for extension in item.extensions):
                left.lose("answer.kept_event", path, "a whole message has no events")
                continue
        for block in item_blocks(item, path, left, display):
            if block.deltas or block.beside:
                left.lose("answer.extensions", path, "a whole message has no events")
            content.append(block.whole())
    return content
