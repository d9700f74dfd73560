"""Declared habits of the server behind a binding, as data.

Every default is the vendor's own behaviour. A preset for a server that people run is in `DIALECTS`; each value there
is justified in docs/dialects.md by what that server was seen to send.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, Literal

from llm_projections._values import frozen

__all__ = ["ALL", "All", "Dialect"]


class All(Enum):
    """The type of `ALL`."""

    ALL = "all"


ALL: Final = All.ALL
"""Everything, where a set of names is asked for."""


@frozen
class Dialect:
    """How a server differs from its wire's vendor; fields of other wires than the binding's have no effect.

    `query` is appended to the URL of every request, without its question mark (Azure's `api-version=...`).
    `request_fields` names the published extension fields of this server (`ALL` for every listed one) that may be
    sent to it, each by its top-level key or spec path.
    """

    name: str = ""
    """For the reader alone."""
    query: str = ""
    request_fields: frozenset[str] | All = frozenset()
    answers_whole: bool = False
    """The server answers a streamed request with a whole body at times."""
    answers_stream: bool = False
    """The server answers a plain request with a stream at times."""

    # both OpenAI wires
    cache_beside_input: bool = False
    """The input counter leaves cached tokens out (Grok models behind Azure)."""
    reasoning_beside_output: bool = False
    """The output counter leaves reasoning out (Gemini's compatible endpoint)."""

    # Chat Completions
    output_limit_field: Literal["max_completion_tokens", "max_tokens"] = "max_completion_tokens"
    instruction_role: Literal["system", "developer"] = "system"
    end_user_field: Literal["safety_identifier", "user"] = "safety_identifier"
    stream_usage: bool = True
    """Whether `stream_options` may be sent."""
    reasoning_field: Literal["reasoning_content", "reasoning"] | None = None
    """Where readable reasoning of earlier turns goes, if anywhere."""
    reasoning_details: bool = False
    """Whether `reasoning_details` (OpenRouter) are replayed as opaque state."""
    extra_content: bool = False
    """Whether `extra_content` on calls (Gemini) is replayed as opaque state."""
    done_required: bool = False
    """A stream without `[DONE]` is cut, not complete."""
    derive_call_ids: bool = False
    """The server sends calls without ids; they are derived from the response id and the index."""
    tool_result_parts: bool = False
    """Images and documents may stand in a `tool` message."""
    prefill: bool = False
    """A conversation that ends with an assistant message is continued by the model."""

    # Messages
    version: Literal["2023-06-01", "2026-10-21"] = "2023-06-01"
    unsigned_thinking: bool = False
    """Whether thinking without a signature is taken, whoever thought it (DeepSeek's endpoint)."""
    automatic_cache_marks: bool = True
    """Whether a turn whose marks are `auto` gets the two automatic ones."""

    # Responses
    tool_result_envelope: Literal["always", "failures", "never"] = "always"
