"""What one call asks, without a wire."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from attrs import evolve

from llm_projections._values import field, frozen
from llm_projections.model.items import (
    Extension,
    Instruction,
    Item,
    Provenance,
    Text,
    UnattributedOpaque,
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
    """0 to 2; Messages takes 0 to 1, and none under version 2026-10-21."""
    top_p: float | None = None
    """Above 0, at most 1."""
    top_k: int | None = None
    seed: int | None = None
    presence_penalty: float | None = None
    """A finite number; the vendor's range is -2 to 2 (openai 3.57.0, read 2026-11-30)."""
    frequency_penalty: float | None = None
    """A finite number; the vendor's range is -2 to 2 (openai 3.57.0, read 2026-11-30)."""


@frozen
class Thinking:
    """How much the model reasons, and how much of it is shown.

    `effort` is `none`, `minimal`, `low`, `medium`, `high`, `xhigh` or `max`; `display` is `summarized`, `omitted` or
    `updates` (Messages).
    """

    effort: str | None = None
    budget_tokens: int | None = None
    """The most tokens to reason with (Messages)."""
    mode: Literal["adaptive", "enabled", "disabled", "between_tools"] | None = None
    display: str | None = None


@frozen
class TurnRequest:
    """What one call asks of one model.

    `instructions` are the leading system and developer messages, one each; later ones stand among `items`.
    `cache_marks` is `"auto"` where the target may place its own marks and `"given"` where those in the turn are all.
    """

    model: str
    """The caller's name for the model: `Binding.model`, never the name on the wire."""
    items: tuple[Item, ...]
    """The conversation so far, oldest first."""
    instructions: tuple[Instruction, ...] = ()
    tools: tuple[Tool, ...] = ()
    """What the model may call in this turn; calls in the history need not be among them."""
    tool_choice: ToolChoice = AUTO
    parallel_tool_calls: bool | None = None
    """`False` asks for one call at a time; `None` leaves the server's default, which is parallel."""
    max_output_tokens: int | None = None
    """Above 0. Messages requires one: without it the binding's declared maximum is sent."""
    sampling: Sampling = Sampling()
    thinking: Thinking = Thinking()
    output_format: OutputFormat | None = None
    stop: tuple[str, ...] = ()
    """Texts that end the answer where the model writes one."""
    verbosity: str | None = None
    """`low`, `medium` or `high` (the OpenAI wires)."""
    end_user_id: str | None = None
    """A stable id of the person who asks."""
    prompt_cache_key: str | None = None
    """What groups requests for the server's prompt cache (the OpenAI wires)."""
    metadata: Mapping[str, str] | None = field(default=None, hash=False)
    """Tags for the provider's own records (the OpenAI wires)."""
    service_tier: str | None = None
    """The provider's own word for how the call is served and billed: `auto`, `default`, `flex`, `priority`, ..."""
    cache_marks: Literal["auto", "given"] = "auto"
    extensions: tuple[Extension, ...] = ()
    """Known fields of one wire's request without a neutral meaning, in the order of the body."""

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
        # most items have nothing to bind, and a call for each takes as long as binding those that have
        items = tuple(
            [
                bind_item(item, provenance)
                if type(item) is UnattributedOpaque or item.extensions
                else item
                for item in self.items
            ]
        )
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
