"""Words and small shapes of this wire that requests are read from and written with, both directions."""

from __future__ import annotations

from llm_projections.model.items import DataSource, UrlSource
from llm_projections.model.tools import AUTO, NONE, REQUIRED, ToolChoiceMode

__all__ = [
    "ANNOTATIONS",
    "APART",
    "CHOICES",
    "CHOICES_OUT",
    "DETAILS",
    "EFFORTS",
    "EXTRA_CONTENT",
    "MARK_TTLS",
    "REASONING_FIELDS",
    "USER",
    "VERBOSITIES",
    "data_url",
    "source_of",
]

# openai 3.57.0, ChatCompletionToolChoiceOptionParam; "any" is Mistral's word for "required".
CHOICES: dict[str, ToolChoiceMode] = {
    "auto": AUTO,
    "none": NONE,
    "required": REQUIRED,
    "any": REQUIRED,
}
CHOICES_OUT: dict[ToolChoiceMode, str] = {AUTO: "auto", NONE: "none", REQUIRED: "required"}

# openai 3.57.0, ReasoningEffort.
EFFORTS = frozenset({"none", "minimal", "low", "medium", "high", "xhigh", "max"})
# openai 3.57.0, CompletionCreateParams.verbosity.
VERBOSITIES = frozenset({"low", "medium", "high"})
# openai 3.57.0, PromptCacheBreakpoint.ttl.
MARK_TTLS = frozenset({"30m", "12h"})

REASONING_FIELDS = {
    "messages.reasoning_content": "reasoning_content",
    "messages.reasoning": "reasoning",
}
"""Extensions by which readable reasoning remembers the field it came in."""
DETAILS = "reasoning_details"
"""Where sealed reasoning stands, in a message and in an opaque payload."""
APART = "messages.apart"
"""The extension that marks the first item of an assistant message which directly follows another one."""
ANNOTATIONS = "messages.annotations"
EXTRA_CONTENT = "messages.tool_calls.extra_content"
USER = "user"
"""The extension that holds `user` where the body has a different `safety_identifier` too."""

_SCHEME, _BASE64 = "data:", ";base64,"


def source_of(url: str) -> UrlSource | DataSource:
    """A base64 data URL as its data, spelled as it came; anything else stays a URL."""
    if url.startswith(_SCHEME):
        kind, found, data = url[len(_SCHEME) :].partition(_BASE64)
        if found and kind and "," not in kind:
            return DataSource(data, kind)
    return UrlSource(url)


def data_url(source: DataSource) -> str:
    """Inline data as a URL; the exact inverse of `source_of` for a source with a media type."""
    return f"{_SCHEME}{source.media_type}{_BASE64}{source.data}"
