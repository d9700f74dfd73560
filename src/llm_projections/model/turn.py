"""What one call asks, without a wire."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from attrs import evolve

from llm_projections._values import frozen
from llm_projections.model.items import (
    Extension,
    Instruction,
    Item,
    Provenance,
    Text,
    UserMessage,
    bind_item,
)
from llm_projections.model.limits import Limits
from llm_projections.model.tools import AUTO, OutputFormat, Tool, ToolChoice

if TYPE_CHECKING:
    from llm_projections.model.binding import Binding

__all__ = ["Sampling", "Thinking", "TurnRequest"]


@frozen
class Sampling:
    """How tokens are drawn; `None` leaves the server's default and writes nothing."""

    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    seed: int | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None


@frozen
class Thinking:
    """How much the model reasons, and how much of it is shown.

    `effort` is `none`, `minimal`, `low`, `medium`, `high`, `xhigh` or `max`; `display` is `summarized`, `omitted` or
    `updates` (Messages).
    """

    effort: str | None = None
    budget_tokens: int | None = None
    mode: Literal["adaptive", "enabled", "disabled", "between_tools"] | None = None
    display: str | None = None


@frozen
class TurnRequest:
    """What one call asks of one model.

    `instructions` are the leading system and developer messages, one each; later ones stand among `items`.
    `cache_marks` is `"auto"` where the target may place its own marks and `"given"` where those in the turn are all.
    """

    model: str
    items: tuple[Item, ...]
    instructions: tuple[Instruction, ...] = ()
    tools: tuple[Tool, ...] = ()
    tool_choice: ToolChoice = AUTO
    parallel_tool_calls: bool | None = None
    max_output_tokens: int | None = None
    sampling: Sampling = Sampling()
    thinking: Thinking = Thinking()
    output_format: OutputFormat | None = None
    stop: tuple[str, ...] = ()
    verbosity: str | None = None
    end_user_id: str | None = None
    prompt_cache_key: str | None = None
    metadata: Mapping[str, str] | None = None
    service_tier: str | None = None
    cache_marks: Literal["auto", "given"] = "auto"
    extensions: tuple[Extension, ...] = ()

    @classmethod
    def text(
        cls,
        model: str,
        user: str,
        *,
        instructions: str | Iterable[Instruction] = (),
        **settings: Any,
    ) -> TurnRequest:
        """A turn with one user text; a string of `instructions` is one instruction, an empty one none."""
        if isinstance(instructions, str):
            given: tuple[Instruction, ...] = (
                (Instruction((Text(instructions),)),) if instructions else ()
            )
        else:
            given = tuple(instructions)
        return cls(model, (UserMessage((Text(user),)),), given, **settings)

    def bind_unattributed(self, provenance: Provenance) -> TurnRequest:
        """The turn with its unattributed state of `provenance`'s protocol bound to it: the caller's explicit decision.

        State of other protocols is left alone.
        """
        items = tuple(bind_item(item, provenance) for item in self.items)
        return evolve(self, items=items)

    def validate(self, limits: Limits | None = None) -> None:
        """Check the turn against itself.

        Raises `RequestRefused` with every fault (`.others`): names and call ids that repeat, results without their
        call, calls without their result, a named choice of a tool that is not published, numbers out of range,
        sizes past `limits`.
        """
        from llm_projections.model.validation import check_turn  # a cycle by types only

        check_turn(self, Limits() if limits is None else limits)

    def validate_for(self, binding: Binding, limits: Limits | None = None) -> None:
        """`validate`, and that `binding` can take it: its model, its opaque state, its declared capabilities.

        Raises `RequestRefused` with every fault.
        """
        from llm_projections.model.validation import check_turn_for

        check_turn_for(self, binding, Limits() if limits is None else limits)
