"""What the messages of streams and bodies have in common: input text, stop reasons, extras."""

from __future__ import annotations

from collections.abc import Iterable

from llm_projections import _json
from llm_projections._json import Json
from llm_projections.model.items import Extension, Item, Protocol, ToolCall
from llm_projections.model.limits import Limits
from llm_projections.model.outcome import (
    Incomplete,
    StopReason,
    StopSequence,
    ToolCalls,
)
from llm_projections.wires._types import TEXT, TEXTS, Types
from llm_projections.wires.messages.decode.blocks import (
    Block,
    BlockReader,
    Warn,
    broken,
    too_large,
    word,
)
from llm_projections.wires.messages.vocab_answer import (
    PUBLISHED_MESSAGE_KEYS,
    STOPS,
)

__all__ = [
    "AROUND",
    "ENDING",
    "MESSAGE",
    "Extras",
    "exact",
    "fallback_model",
    "given_arguments",
    "read_stop",
    "whole_block",
]

ENDING: Types = {"stop_reason": TEXT, "stop_sequence": TEXT}
"""Where a message says why it stopped."""
MESSAGE: Types = {**ENDING, "content": TEXTS}
"""What an opening message means; its content may be an empty text."""
AROUND: Types = {"id": TEXT, "type": TEXT, "role": TEXT, "model": TEXT}
"""What only accompanies it. Counters of another type are kept as they are."""


class Extras:
    """Fields of the message without a neutral meaning; the last value of each stands."""

    def __init__(self, warn: Warn) -> None:
        self._warn = warn
        self._found: dict[str, Json] = {}

    def add(self, node: dict[str, Json], known: frozenset[str]) -> None:
        """Keep what is in `node` and neither known nor null."""
        for key, value in node.items():
            if key in known or value is None:
                continue
            if key not in PUBLISHED_MESSAGE_KEYS:
                self._warn("unknown-answer-field", "an unpublished field of the answer was kept")
            self._found[key] = value

    def extensions(self) -> tuple[Extension, ...]:
        """What was kept, in the order in which it was first said."""
        return tuple(
            Extension(Protocol.MESSAGES, f"answer.{key}", value)
            for key, value in self._found.items()
        )


def exact(data: bytes, limits: Limits) -> tuple[dict[str, Json], _json.Envelope]:
    """A payload that holds whole blocks: integers and the text of inputs exact.

    Raises `ResponseRefused`: PROTOCOL where it is not one JSON object, TOO_LARGE past `json_depth`.
    """
    try:
        envelope = _json.read(data, limits.json_depth, lambda _: True, unique=False)
    except _json.JsonError as error:
        if error.too_deep:
            raise too_large("json_depth") from None
        raise broken(f"a payload that cannot be read: {error.reason}", error.path) from None
    if not isinstance(envelope.value, dict):
        raise broken("a payload that is not an object")
    return envelope.value, envelope


def given_arguments(block: Block, envelope: _json.Envelope) -> str:
    """The arguments that a call's block brings itself; llama.cpp leaves `input` out, some write text."""
    given = block.get("input")
    if isinstance(given, str):
        return given
    return "" if given is None or given == {} else envelope.text_of(given)


def read_stop(reason: Json, sequence: Json, items: Iterable[Item], warn: Warn) -> StopReason:
    """Why the answer ended. Raises `ResponseRefused` (PROTOCOL) where it does not say."""
    said, text = word(reason), word(sequence)
    if said is None:
        raise broken("the answer does not say why it stopped", "stop_reason")
    if said == "end_turn":
        if any(type(item) is ToolCall for item in items):
            warn("stop-reads-as-tool-calls", "it ends as if it held no calls, and holds some")
            return ToolCalls()
        if text is not None:
            # llama.cpp b11434 keeps end_turn where a stop sequence was met
            warn("stop-reads-as-stop-sequence", "it ends of itself, and names a stop sequence")
            return StopSequence(text)
    if said == "stop_sequence":
        return StopSequence(text)
    return STOPS.get(said) or Incomplete(said)


def fallback_model(content: list[Json]) -> str | None:
    """The model that took over, where one did."""
    models = [
        word(to.get("model"))
        for block in content
        if isinstance(block, dict)
        and block.get("type") == "fallback"
        and isinstance(to := block.get("to"), dict)
    ]
    return models[-1] if models else None


def whole_block(
    block: Json, position: int, reader: BlockReader, envelope: _json.Envelope
) -> Item | None:
    """The item of a whole block, or None for one that says nothing. Raises `ResponseRefused`."""
    path = f"content[{position}]"
    if not isinstance(block, dict):
        raise broken("a block that is not an object", path)
    arguments = ""
    if block.get("type") == "tool_use":
        arguments = reader.arguments(given_arguments(block, envelope), path)
    return reader.item(block, arguments, path)
