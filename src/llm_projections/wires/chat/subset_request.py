"""What the vendor publishes for a request, and what becomes of it."""

from __future__ import annotations

from llm_projections.wires._rows import Row, Treat
from llm_projections.wires.chat._row import carry, default, mapped, spell

__all__ = ["ROWS"]

_INSTRUCTION = "messages[]<system|developer>"
_USER = "messages[]<user>"
_ASSISTANT = "messages[]<assistant>"
_TOOL = "messages[]<tool>"
_CALL = f"{_ASSISTANT}.tool_calls[]"


def _message(at: str, neutral: str) -> tuple[Row, ...]:
    """A message with content, and its texts."""
    return (
        mapped(at, neutral),
        spell(f"{at}.role"),
        mapped(f"{at}.content", f"{neutral}.content"),
        *_part(f"{at}.content[]<text>", "Text"),
        mapped(f"{at}.content[]<text>.text", "Text.text"),
    )


def _part(at: str, neutral: str, loss: str | None = None) -> tuple[Row, ...]:
    """A content part and its mark."""
    mark = f"{at}.prompt_cache_breakpoint"
    return (
        mapped(at, neutral, loss),
        spell(f"{at}.type"),
        mapped(mark, f"{neutral}.cache", "turn.cache"),
        spell(f"{mark}.mode"),
        mapped(f"{mark}.ttl", f"{neutral}.cache.ttl", "turn.cache.ttl"),
    )


_SETTINGS: tuple[Row, ...] = (
    mapped("model", "model"),
    mapped("max_completion_tokens", "max_output_tokens", "turn.max_output_tokens"),
    mapped("max_tokens", "max_output_tokens", "turn.max_output_tokens"),
    mapped("temperature", "sampling.temperature", "turn.temperature"),
    mapped("top_p", "sampling.top_p", "turn.top_p"),
    mapped("presence_penalty", "sampling.presence_penalty", "turn.presence_penalty"),
    mapped("frequency_penalty", "sampling.frequency_penalty", "turn.frequency_penalty"),
    mapped("seed", "sampling.seed", "turn.seed"),
    mapped("stop", "stop", "turn.stop"),
    mapped("reasoning_effort", "thinking.effort", "turn.thinking.effort"),
    mapped("verbosity", "verbosity", "turn.verbosity"),
    mapped("service_tier", "service_tier", "turn.service_tier"),
    mapped("safety_identifier", "end_user_id", "turn.end_user_id"),
    mapped("user", "end_user_id", "turn.end_user_id"),
    mapped("prompt_cache_key", "prompt_cache_key", "turn.prompt_cache_key"),
    mapped("metadata", "metadata", "turn.metadata"),
    mapped("parallel_tool_calls", "parallel_tool_calls", "turn.parallel_tool_calls"),
    mapped("stream", "AnswerShape.stream"),
    mapped("stream_options", "AnswerShape"),
    mapped("stream_options.include_usage", "AnswerShape.include_usage"),
    carry("stream_options.include_obfuscation"),
    default("n", 1),
    carry("store"),
    carry("logprobs"),
    carry("top_logprobs"),
    carry("logit_bias"),
    carry("modalities"),
    carry("audio"),
    carry("prediction"),
    carry("moderation"),
    carry("prompt_cache_options"),
    carry("prompt_cache_retention"),
    carry("web_search_options"),
    carry("functions"),
    carry("function_call"),
)

_FORMAT: tuple[Row, ...] = (
    mapped("response_format", "output_format", "turn.output_format"),
    spell("response_format<text>"),
    spell("response_format<text>.type"),
    mapped("response_format<json_object>", "JsonObject", "turn.output_format"),
    spell("response_format<json_object>.type"),
    mapped("response_format<json_schema>", "JsonSchema", "turn.output_format"),
    spell("response_format<json_schema>.type"),
    spell("response_format<json_schema>.json_schema"),
    mapped(
        "response_format<json_schema>.json_schema.name",
        "JsonSchema.name",
        "turn.output_format.name",
    ),
    mapped(
        "response_format<json_schema>.json_schema.description",
        "JsonSchema.description",
        "turn.output_format.description",
    ),
    mapped("response_format<json_schema>.json_schema.schema", "JsonSchema.schema"),
    mapped(
        "response_format<json_schema>.json_schema.strict",
        "JsonSchema.strict",
        "turn.output_format.strict",
    ),
)

_TOOLS: tuple[Row, ...] = (
    mapped("tools", "tools", "turn.tools"),
    mapped("tools[]<function>", "FunctionTool", "turn.tools"),
    spell("tools[]<function>.type"),
    spell("tools[]<function>.function"),
    mapped("tools[]<function>.function.name", "FunctionTool.name"),
    mapped("tools[]<function>.function.description", "FunctionTool.description"),
    mapped("tools[]<function>.function.parameters", "FunctionTool.input_schema"),
    mapped("tools[]<function>.function.strict", "FunctionTool.strict", "turn.tools.strict"),
    mapped("tools[]<custom>", "CustomTool", "turn.tools.custom"),
    spell("tools[]<custom>.type"),
    spell("tools[]<custom>.custom"),
    mapped("tools[]<custom>.custom.name", "CustomTool.name"),
    mapped("tools[]<custom>.custom.description", "CustomTool.description"),
    mapped("tools[]<custom>.custom.format", "CustomTool.format"),
    spell("tools[]<custom>.custom.format<text>"),
    spell("tools[]<custom>.custom.format<text>.type"),
    mapped("tools[]<custom>.custom.format<grammar>", "Grammar"),
    spell("tools[]<custom>.custom.format<grammar>.type"),
    spell("tools[]<custom>.custom.format<grammar>.grammar"),
    mapped("tools[]<custom>.custom.format<grammar>.grammar.syntax", "Grammar.syntax"),
    mapped("tools[]<custom>.custom.format<grammar>.grammar.definition", "Grammar.definition"),
    mapped("tool_choice", "tool_choice", "turn.tool_choice"),
    mapped("tool_choice<function>", "Named", "turn.tool_choice"),
    spell("tool_choice<function>.type"),
    spell("tool_choice<function>.function"),
    mapped("tool_choice<function>.function.name", "Named.name"),
    mapped("tool_choice<custom>", "Named", "turn.tool_choice"),
    spell("tool_choice<custom>.type"),
    spell("tool_choice<custom>.custom"),
    mapped("tool_choice<custom>.custom.name", "Named.name"),
    mapped("tool_choice<allowed_tools>", "Allowed", "turn.tool_choice.allowed"),
    spell("tool_choice<allowed_tools>.type"),
    spell("tool_choice<allowed_tools>.allowed_tools"),
    mapped("tool_choice<allowed_tools>.allowed_tools.mode", "Allowed.mode"),
    mapped("tool_choice<allowed_tools>.allowed_tools.tools", "Allowed.names"),
)

_MESSAGES: tuple[Row, ...] = (
    mapped("messages", "instructions and items"),
    *_message(_INSTRUCTION, "Instruction"),
    carry(f"{_INSTRUCTION}.name"),
    *_message(_USER, "UserMessage"),
    carry(f"{_USER}.name"),
    *_part(f"{_USER}.content[]<image_url>", "Image", "turn.images"),
    spell(f"{_USER}.content[]<image_url>.image_url"),
    mapped(f"{_USER}.content[]<image_url>.image_url.url", "Image.source"),
    mapped(f"{_USER}.content[]<image_url>.image_url.detail", "Image.detail", "turn.image.detail"),
    *_part(f"{_USER}.content[]<file>", "Document", "turn.documents"),
    spell(f"{_USER}.content[]<file>.file"),
    mapped(f"{_USER}.content[]<file>.file.file_data", "Document.source"),
    mapped(f"{_USER}.content[]<file>.file.file_id", "Document.source", "turn.document.file"),
    mapped(f"{_USER}.content[]<file>.file.filename", "Document.title", "turn.document.title"),
    *_part(f"{_USER}.content[]<input_audio>", "Audio", "turn.audio"),
    spell(f"{_USER}.content[]<input_audio>.input_audio"),
    mapped(f"{_USER}.content[]<input_audio>.input_audio.data", "Audio.data"),
    mapped(f"{_USER}.content[]<input_audio>.input_audio.format", "Audio.format"),
    *_message(_ASSISTANT, "AssistantMessage"),
    carry(f"{_ASSISTANT}.name"),
    carry(f"{_ASSISTANT}.audio"),
    carry(f"{_ASSISTANT}.function_call"),
    mapped(f"{_ASSISTANT}.refusal", "RefusalText", "turn.refusal"),
    mapped(f"{_ASSISTANT}.content[]<refusal>", "RefusalText", "turn.refusal"),
    spell(f"{_ASSISTANT}.content[]<refusal>.type"),
    mapped(f"{_ASSISTANT}.content[]<refusal>.refusal", "RefusalText.text"),
    mapped(f"{_ASSISTANT}.tool_calls", "ToolCall and CustomToolCall"),
    mapped(f"{_CALL}<function>", "ToolCall"),
    spell(f"{_CALL}<function>.type"),
    spell(f"{_CALL}<function>.function"),
    mapped(f"{_CALL}<function>.id", "ToolCall.call_id"),
    mapped(f"{_CALL}<function>.function.name", "ToolCall.name"),
    mapped(f"{_CALL}<function>.function.arguments", "ToolCall.arguments"),
    mapped(f"{_CALL}<custom>", "CustomToolCall"),
    spell(f"{_CALL}<custom>.type"),
    spell(f"{_CALL}<custom>.custom"),
    mapped(f"{_CALL}<custom>.id", "CustomToolCall.call_id"),
    mapped(f"{_CALL}<custom>.custom.name", "CustomToolCall.name"),
    mapped(f"{_CALL}<custom>.custom.input", "CustomToolCall.input"),
    *_message(_TOOL, "ToolResult"),
    mapped(f"{_TOOL}.tool_call_id", "ToolResult.call_id"),
    carry("messages[]<function>", path="messages.function"),
)

# Who asks and who pays is the binding's to say, on the way out; ingest leaves all headers to the caller.
_HEADERS: tuple[Row, ...] = tuple(
    Row(f"chat-header-{name}", f"header.{name}", Treat.SPELL)
    for name in (
        "accept",
        "authorization",
        "content-type",
        "openai-organization",
        "openai-project",
    )
)

ROWS: tuple[Row, ...] = (*_SETTINGS, *_FORMAT, *_TOOLS, *_MESSAGES, *_HEADERS)
"""Both generations of the vendor's types publish these places, and no others."""
