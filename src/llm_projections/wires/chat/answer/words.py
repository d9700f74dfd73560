"""What stands around a message in an answer: stop, counters, and what is carried for this wire.

Rules:
1. A part of the usage that nobody reported is left out; where a total is unknown, the whole object is, by its loss:
   typed clients cannot hold its absence (openai 3.57.0, `CompletionUsage`, read 2026-11-30).
2. Extensions of this wire go back to their places; those of other wires are lost by name.
"""

from __future__ import annotations

from collections.abc import Iterable

from llm_projections._json import Json
from llm_projections.errors import Dispatch, RefusalCode, ResponseRefused
from llm_projections.model.items import Extension, Protocol
from llm_projections.model.outcome import Incomplete, StopReason, StopSequence, TurnOutcome
from llm_projections.wires._answers import AnswerLosses, unsayable
from llm_projections.wires.chat.vocab_answer import INCOMPLETE_OUT, STOPS_OUT

__all__ = ["Beside", "beside", "finish_word", "too_many_items", "usage_object"]

# said by `finish_reason` itself
_SAID = "answer.choices.finish_reason"
_MATCHED = "answer.choices.stop_reason"


def too_many_items() -> ResponseRefused:
    """The refusal of an answer past `Limits.items`."""
    return ResponseRefused(
        RefusalCode.TOO_LARGE, "past the limit items", "items", dispatch=Dispatch.ACCEPTED
    )


class Beside:
    """The carried fields of an outcome, by their places."""

    def __init__(self) -> None:
        self.top: dict[str, Json] = {}
        self.choice: dict[str, Json] = {}
        self.message: dict[str, Json] = {}
        self.logprobs: Json = None


def beside(losing: AnswerLosses, extensions: Iterable[Extension]) -> Beside:
    """What of an outcome's extensions this wire takes back; the rest is lost by name."""
    found = Beside()
    for extension in extensions:
        path = extension.path
        if extension.protocol is not Protocol.CHAT:
            details = path == "answer.stop_details"
            losing.lose(
                "answer.stop_details" if details else "answer.extensions",
                path.removeprefix("answer."),
            )
        elif path == "answer.logprobs":
            found.logprobs = extension.value
        elif path.startswith("answer.choices."):
            if path != _SAID:
                found.choice[path.removeprefix("answer.choices.")] = extension.value
        elif path.startswith("answer.message."):
            found.message[path.removeprefix("answer.message.")] = extension.value
        else:
            found.top[path.removeprefix("answer.")] = extension.value
    return found


def finish_word(losing: AnswerLosses, outcome: TurnOutcome, *, waits: bool) -> str:
    """The `finish_reason` of an outcome. `waits` says that calls were written."""
    stop: StopReason = outcome.stop
    if isinstance(stop, Incomplete):
        return _incomplete(losing, stop, outcome)
    word = STOPS_OUT[type(stop)]
    if isinstance(stop, StopSequence) and stop.text is not None:
        carried = any(
            extension.protocol is Protocol.CHAT and extension.path == _MATCHED
            for extension in outcome.extensions
        )
        if not carried:
            losing.lose("answer.stop_sequence", "stop")
    if waits and word == "stop":
        return "tool_calls"
    if word == "tool_calls" and not waits:
        # what was to be answered is lost, by its own name: that the turn just ends is another thing
        losing.lose("answer.stop_reason", "stop")
        return "stop"
    return word


def _incomplete(losing: AnswerLosses, stop: Incomplete, outcome: TurnOutcome) -> str:
    if stop.details is not None:
        losing.lose("answer.stop_details", "stop.details")
    word = INCOMPLETE_OUT.get(stop.reason)
    if word is not None:
        return word
    origin = outcome.observation.provenance
    if origin is not None and origin.protocol is Protocol.CHAT:
        return stop.reason
    if "answer.stop_reason" in losing.accept:
        losing.lose("answer.stop_reason", "stop")
        return "stop"
    raise unsayable("a reason to stop that this wire cannot say (answer.stop_reason)", "stop")


def usage_object(losing: AnswerLosses, outcome: TurnOutcome) -> dict[str, Json] | None:
    """The counters as this wire writes them, with what its own server counted beside them."""
    usage = outcome.observation.usage
    if usage is None:
        return None
    if usage.input_tokens is None or usage.output_tokens is None:
        losing.lose("answer.usage", "usage", "typed clients of this wire need both totals")
        return None
    made: dict[str, Json] = {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.input_tokens + usage.output_tokens,
    }
    origin = outcome.observation.provenance
    own = usage.reported if origin is not None and origin.protocol is Protocol.CHAT else None
    split = (usage.reported or {}).get("cache_creation")
    if own is None and isinstance(split, dict) and any(split.values()):
        losing.lose("answer.usage", "usage.cache_creation", "cache writes are one number here")
    _detail(
        made,
        "prompt_tokens_details",
        {
            "cached_tokens": usage.cached_input_tokens,
            "cache_write_tokens": usage.cache_creation_input_tokens,
        },
        own,
    )
    _detail(
        made,
        "completion_tokens_details",
        {"reasoning_tokens": usage.reasoning_output_tokens},
        own,
    )
    for key, value in (own or {}).items():
        if value is not None and key not in made:
            made[key] = value
    return made


def _detail(
    made: dict[str, Json], key: str, known: dict[str, int | None], own: dict[str, Json] | None
) -> None:
    details: dict[str, Json] = {name: count for name, count in known.items() if count is not None}
    counted = (own or {}).get(key)
    if isinstance(counted, dict):
        details.update(
            {name: each for name, each in counted.items() if each is not None and name not in known}
        )
    if details:
        made[key] = details
