"""How much the library takes before it refuses."""

from __future__ import annotations

from llm_projections._values import frozen

__all__ = ["Limits"]

_MIB = 1024 * 1024


@frozen
class Limits:
    """Upper bounds, all enforced in both directions; past one the refusal is `TOO_LARGE`, at once.

    Sizes are bytes of UTF-8 unless said otherwise.

    Raises TypeError where one is no integer, and ValueError where one is below zero.
    """

    frame_bytes: int = 16 * _MIB
    """One server-sent event, or one payload of a framed transport."""
    stream_bytes: int = 512 * _MIB
    """All bytes of one streamed answer; also of one whole answer body, and 128 times the JSON values of that."""
    request_bytes: int = 64 * _MIB
    """One request body; also 128 times its JSON values (65,536 are always allowed), which take memory whatever their
    bytes."""
    items: int = 65_536
    """Items of one turn, or output items of one answer."""
    tools: int = 1_024
    """Published tools of one turn."""
    arguments_bytes: int = 16 * _MIB
    """Arguments of one tool call, or input of one custom tool call."""
    result_bytes: int = 16 * _MIB
    """Text of one tool result."""
    instructions_bytes: int = 4 * _MIB
    """All instructions of one turn together."""
    json_depth: int = 512
    """Nesting of arrays and objects in what is read, a call's arguments by themselves where they are text; never more
    than 1,024. What nests past 1,024 levels is not written."""
    raw_bytes: int = 16 * _MIB
    """Raw bytes of an answer kept for a report (`keep_raw`)."""

    def __attrs_post_init__(self) -> None:
        for name in self.__match_args__:
            most: object = getattr(self, name)
            if type(most) is not int:
                raise TypeError(f"Limits: {name} must be an integer")
            if most < 0:
                raise ValueError(f"Limits: {name} must not be below zero")
