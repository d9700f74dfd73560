"""How an answer ends: the stop reason, and the fields of the message without a neutral meaning."""

from __future__ import annotations

from llm_projections._json import Json
from llm_projections._values import frozen
from llm_projections.model.items import Protocol
from llm_projections.model.outcome import EndTurn, Incomplete, ToolCalls, TurnOutcome
from llm_projections.wires._answers import AnswerLosses
from llm_projections.wires.messages.vocab_answer import stop_words

__all__ = ["Ending", "read_ending"]


# fields that say why it stopped are not another's to say
_SAID = frozenset({"type", "stop_reason", "stop_sequence"})


@frozen
class Ending:
    """`stop_reason`, `stop_sequence`, and further fields of the message."""

    reason: str
    sequence: str | None
    fields: dict[str, Json]


def read_ending(
    outcome: TurnOutcome, losses: AnswerLosses, *, calls: bool, refused: bool
) -> Ending:
    """What the end of an answer says.

    `calls` says that a call of the client's was written, `refused` that words of refusal were. Raises
    `ResponseRefused` for a reason that this wire cannot say, unless its loss was accepted: then the turn just ends; and
    for details of another wire beside it, unless that loss was.
    """
    stop = outcome.stop
    observed = outcome.observation.provenance
    own = observed is not None and observed.protocol is Protocol.MESSAGES
    said = stop_words(stop, own=own)
    if isinstance(stop, EndTurn) and calls:
        said = ("tool_use", None)
    elif isinstance(stop, EndTurn) and refused:
        said = ("refusal", None)
    elif isinstance(stop, ToolCalls) and not calls:
        said = None
    if isinstance(stop, Incomplete) and stop.details is not None:
        # what this wire itself says beside a reason is a field of its message
        losses.lose("answer.stop_details", "stop.details")
    if said is None:
        losses.lose("answer.stop_reason", "stop")
        said = ("tool_use" if calls else "end_turn", None)
    fields: dict[str, Json] = {}
    for extension in outcome.extensions:
        name = extension.path.removeprefix("answer.")
        own_field = extension.protocol is Protocol.MESSAGES and name != extension.path
        if own_field and name not in _SAID:
            fields[name] = extension.value
        else:
            losses.leave(extension, extension.path)
    return Ending(said[0], said[1], fields)
