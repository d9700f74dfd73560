"""The declared part of a Responses request, and the table of all rows of this wire.

`spec/responses.toml` says the same with a reason and a source for each row; a test compares the two.
"""

from __future__ import annotations

from llm_projections.wires._rows import Row, Table, Treat
from llm_projections.wires.responses.subset_answers import ROWS as ANSWER_ROWS
from llm_projections.wires.responses.vocab import WIRE_ITEMS

__all__ = ["ROWS", "TABLE"]

_MAP, _CARRY, _SPELL, _DEFAULT = Treat.MAP, Treat.CARRY, Treat.SPELL, Treat.DEFAULT

_VLLM = frozenset({"vllm"})
_LOCAL = frozenset({"vllm", "llama.cpp"})
_CODEX = frozenset({"codex"})


def _map(
    name: str, at: str, neutral: str, loss: str | None = None, by: frozenset[str] = frozenset()
) -> Row:
    return Row(f"responses-{name}", at, _MAP, neutral, loss, (), by)


def _carry(name: str, at: str, path: str, by: frozenset[str] = frozenset()) -> Row:
    return Row(f"responses-{name}", at, _CARRY, "", f"responses.{path}", (), by)


def _spell(name: str, at: str, neutral: str = "") -> Row:
    return Row(f"responses-{name}", at, _SPELL, neutral)


_REQUEST = (
    _map("req-model", "request.model", "TurnRequest.model"),
    _map("req-input", "request.input", "TurnRequest.items"),
    _spell("req-instructions", "request.instructions", "TurnRequest.instructions"),
    _map("req-max", "request.max_output_tokens", "max_output_tokens"),
    _map("req-temperature", "request.temperature", "Sampling.temperature", "turn.temperature"),
    _map("req-top-p", "request.top_p", "Sampling.top_p", "turn.top_p"),
    _map("req-tools", "request.tools", "TurnRequest.tools", "turn.tools"),
    _map("req-choice", "request.tool_choice", "TurnRequest.tool_choice", "turn.tool_choice"),
    _map(
        "req-parallel",
        "request.parallel_tool_calls",
        "parallel_tool_calls",
        "turn.parallel_tool_calls",
    ),
    _map("req-reasoning", "request.reasoning", "Thinking"),
    _map("req-effort", "request.reasoning.effort", "Thinking.effort", "turn.thinking.effort"),
    _map("req-summary", "request.reasoning.summary", "Thinking.display", "turn.thinking.display"),
    _carry("req-old-summary", "request.reasoning.generate_summary", "reasoning.generate_summary"),
    _carry("req-reasoning-context", "request.reasoning.context", "reasoning.context"),
    _carry("req-reasoning-mode", "request.reasoning.mode", "reasoning.mode"),
    _map("req-text", "request.text", "TurnRequest.output_format"),
    _map("req-format", "request.text.format", "OutputFormat", "turn.output_format"),
    _spell("req-format-text", "request.text.format<text>.**"),
    _map("req-format-object", "request.text.format<json_object>.**", "JsonObject"),
    _map("req-format-schema", "request.text.format<json_schema>", "JsonSchema"),
    _spell("req-format-schema-type", "request.text.format<json_schema>.type"),
    _map("req-format-name", "request.text.format<json_schema>.name", "JsonSchema.name"),
    _map("req-format-body", "request.text.format<json_schema>.schema", "JsonSchema.schema"),
    _map("req-format-strict", "request.text.format<json_schema>.strict", "JsonSchema.strict"),
    _map(
        "req-format-about", "request.text.format<json_schema>.description", "JsonSchema.description"
    ),
    _map("req-verbosity", "request.text.verbosity", "TurnRequest.verbosity", "turn.verbosity"),
    _map("req-metadata", "request.metadata", "TurnRequest.metadata", "turn.metadata"),
    _map("req-user-id", "request.safety_identifier", "end_user_id", "turn.end_user_id"),
    _spell("req-user", "request.user", "end_user_id"),
    _map("req-cache-key", "request.prompt_cache_key", "prompt_cache_key", "turn.prompt_cache_key"),
    _map("req-tier", "request.service_tier", "TurnRequest.service_tier", "turn.service_tier"),
    _map("req-stream", "request.stream", "AnswerShape.stream"),
    _map("req-store", "request.store", "AnswerShape.echo", "responses.store"),
    _map("req-include", "request.include", "AnswerShape.encrypted_reasoning", "responses.include"),
    _carry("req-truncation", "request.truncation", "truncation"),
    _carry("req-background", "request.background", "background"),
    _carry("req-background-options", "request.background_options.**", "background_options"),
    _carry("req-previous", "request.previous_response_id", "previous_response_id"),
    _carry("req-conversation", "request.conversation.**", "conversation"),
    _carry("req-prompt", "request.prompt.**", "prompt"),
    _carry("req-access", "request.access_programs.**", "access_programs"),
    _carry("req-context", "request.context_management.**", "context_management"),
    _carry("req-image", "request.image.**", "image"),
    _carry("req-tool-calls", "request.max_tool_calls", "max_tool_calls"),
    _carry("req-moderation", "request.moderation.**", "moderation"),
    _carry("req-agents", "request.multi_agent.**", "multi_agent"),
    _carry("req-cache-options", "request.prompt_cache_options.**", "prompt_cache_options"),
    _carry("req-cache-retention", "request.prompt_cache_retention", "prompt_cache_retention"),
    _carry("req-stream-options", "request.stream_options.**", "stream_options"),
    _carry("req-logprobs", "request.top_logprobs", "top_logprobs"),
    # what programs and servers publish beside the vendor
    Row("responses-req-frame", "request.type", _DEFAULT, "", None, ("response.create",), _CODEX),
    _carry("req-generate", "request.generate", "generate", _CODEX),
    _carry("req-client-metadata", "request.client_metadata", "client_metadata", _CODEX),
    _map("req-top-k", "request.top_k", "Sampling.top_k", "turn.top_k", by=_VLLM),
    _map("req-seed", "request.seed", "Sampling.seed", "turn.seed", by=_LOCAL),
    _map("req-stop", "request.stop", "TurnRequest.stop", "turn.stop", by=_VLLM),
    _map(
        "req-presence",
        "request.presence_penalty",
        "Sampling.presence_penalty",
        "turn.presence_penalty",
        by=_VLLM,
    ),
    _map(
        "req-frequency",
        "request.frequency_penalty",
        "Sampling.frequency_penalty",
        "turn.frequency_penalty",
        by=_VLLM,
    ),
    _carry("req-template", "request.chat_template_kwargs", "chat_template_kwargs", _LOCAL),
    *(
        _carry(f"req-vllm-{name.replace('_', '-')}", f"request.{name}", name, _VLLM)
        for name in (
            "cache_salt",
            "enable_response_messages",
            "ignore_eos",
            "include_stop_str_in_output",
            "kv_transfer_params",
            "logit_bias",
            "media_io_kwargs",
            "mm_processor_kwargs",
            "previous_input_messages",
            "priority",
            "repetition_penalty",
            "request_id",
            "skip_special_tokens",
            "structured_outputs",
            "vllm_xargs",
        )
    ),
    _carry("header-beta", "header.openai-beta", "header.openai-beta"),
    _spell("headers", "header.accept|authorization|content-type"),
)

_SAID = "request.input[]<user|assistant|developer|system>"
_CALL = "request.input[]<function_call|custom_tool_call>"
_OUTPUT = "request.input[]<function_call_output|custom_tool_call_output>"
_NEUTRAL = (
    "request.input[]<user|assistant|developer|system|function_call|custom_tool_call"
    "|function_call_output|custom_tool_call_output|reasoning>"
)

_ITEMS = (
    _map("item-user", "request.input[]<user>", "UserMessage"),
    _map("item-assistant", "request.input[]<assistant>", "AssistantMessage"),
    _map("item-developer", "request.input[]<developer>", "Instruction"),
    _spell("item-system", "request.input[]<system>", "Instruction"),
    _map("item-call", "request.input[]<function_call>", "ToolCall"),
    _map(
        "item-custom-call",
        "request.input[]<custom_tool_call>",
        "CustomToolCall",
        "turn.tools.custom",
    ),
    _map("item-output", "request.input[]<function_call_output>", "ToolResult"),
    _map("item-custom-output", "request.input[]<custom_tool_call_output>", "ToolResult.custom"),
    _map("item-reasoning", "request.input[]<reasoning>", "Reasoning", "turn.reasoning"),
    _map("item-compaction", "request.input[]<compaction>.**", "UnattributedOpaque", "turn.opaque"),
    _spell("item-type", f"{_NEUTRAL}.type"),
    _carry("item-id", f"{_NEUTRAL}.id", "input.id"),
    _carry("item-status", f"{_NEUTRAL}.status", "input.status"),
    _carry("item-agent", f"{_NEUTRAL}.agent.**", "input.agent"),
    _spell("said-role", f"{_SAID}.role"),
    _map("said-content", f"{_SAID}.content", "content"),
    _carry("said-phase", f"{_SAID}.phase", "input.phase"),
    _map("call-id", f"{_CALL}.call_id", "ToolCall.call_id"),
    _map("call-name", f"{_CALL}.name", "ToolCall.name"),
    _map("call-arguments", "request.input[]<function_call>.arguments", "ToolCall.arguments"),
    _map("call-input", "request.input[]<custom_tool_call>.input", "CustomToolCall.input"),
    _carry("call-async", f"{_CALL}.async", "input.async"),
    _carry("call-namespace", f"{_CALL}.namespace", "input.namespace"),
    _carry("call-caller", f"{_CALL}.caller.**", "input.caller"),
    _map("output-call-id", f"{_OUTPUT}.call_id", "ToolResult.call_id"),
    _map("output-content", f"{_OUTPUT}.output", "ToolResult.content"),
    _carry("output-caller", f"{_OUTPUT}.caller.**", "input.caller"),
    _carry("output-name", "request.input[]<function_call_output>.name", "input.name"),
    _carry(
        "output-namespace", "request.input[]<function_call_output>.namespace", "input.namespace"
    ),
    _map(
        "reasoning-seal",
        "request.input[]<reasoning>.encrypted_content",
        "UnattributedOpaque",
        "turn.opaque",
    ),
    _map("reasoning-summary", "request.input[]<reasoning>.summary.**", "Reasoning.summary"),
    _map("reasoning-content", "request.input[]<reasoning>.content.**", "Reasoning.text"),
    *(
        _carry(f"item-{kind.replace('_', '-')}", f"request.input[]<{kind}>.**", f"input.{kind}")
        for kind in WIRE_ITEMS
    ),
)

_WIDE = "request.input[]<developer|system|assistant>.content[]"


def _parts(name: str, place: str) -> tuple[Row, ...]:
    """The parts that both a user's message and a tool's output may hold."""
    text, image, file = (f"{place}<input_{kind}>" for kind in ("text", "image", "file"))
    marked = f"{place}<input_text|input_image|input_file>"
    return (
        _map(f"{name}-text", text, "Text"),
        _spell(f"{name}-type", f"{marked}.type"),
        _map(f"{name}-mark", f"{marked}.prompt_cache_breakpoint.**", "cache", "turn.cache"),
        _map(f"{name}-text-text", f"{text}.text", "Text.text"),
        _map(f"{name}-image", image, "Image", "turn.images"),
        _map(f"{name}-image-detail", f"{image}.detail", "Image.detail", "turn.image.detail"),
        _map(f"{name}-image-url", f"{image}.image_url", "Image.source"),
        _map(f"{name}-image-file", f"{image}.file_id", "FileSource", "turn.image.file"),
        _map(f"{name}-file", file, "Document", "turn.documents"),
        _map(f"{name}-file-data", f"{file}.file_data", "DataSource"),
        _map(f"{name}-file-id", f"{file}.file_id", "FileSource", "turn.document.file"),
        _map(f"{name}-file-url", f"{file}.file_url", "UrlSource"),
        _map(f"{name}-file-name", f"{file}.filename", "Document.title", "turn.document.title"),
        _carry(f"{name}-file-detail", f"{file}.detail", "input.content.detail"),
    )


_PARTS = (
    *_parts("part", "request.input[]<user>.content[]"),
    *_parts("result", f"{_OUTPUT}.output[]"),
    Row(
        "responses-part-audio",
        "request.input[]<user>.content[]<input_audio>.**",
        _MAP,
        "Audio",
        "turn.audio",
        by=frozenset({"openai-sdk"}),
    ),
    _map("wide-text", f"{_WIDE}<input_text>", "Text"),
    _spell("wide-text-type", f"{_WIDE}<input_text>.type"),
    _map("wide-text-text", f"{_WIDE}<input_text>.text", "Text.text"),
    _map("wide-mark", f"{_WIDE}<input_text>.prompt_cache_breakpoint.**", "cache", "turn.cache"),
    _carry("wide-image", f"{_WIDE}<input_image>.**", "input.content.input_image"),
    _carry("wide-file", f"{_WIDE}<input_file>.**", "input.content.input_file"),
    _map("said-text", "request.input[]<assistant>.content[]<output_text>", "Text"),
    _spell("said-text-type", "request.input[]<assistant>.content[]<output_text>.type"),
    _map("said-text-text", "request.input[]<assistant>.content[]<output_text>.text", "Text.text"),
    _map(
        "said-annotations",
        "request.input[]<assistant>.content[]<output_text>.annotations.**",
        "Text.annotations",
        "turn.annotations",
    ),
    _carry(
        "said-logprobs",
        "request.input[]<assistant>.content[]<output_text>.logprobs.**",
        "input.content.logprobs",
    ),
    # the client's own reading of the text beside it, null where it read none
    Row(
        "responses-said-parsed",
        "request.input[]<assistant>.content[]<output_text>.parsed.**",
        _SPELL,
        by=frozenset({"openai-sdk"}),
    ),
    _map(
        "said-refusal",
        "request.input[]<assistant>.content[]<refusal>.**",
        "RefusalText",
        "turn.refusal",
    ),
)

_TOOL = "request.tools[]<function|custom>"

_HOSTED = (
    "apply_patch",
    "code_interpreter",
    "computer",
    "computer_use_preview",
    "file_search",
    "image_generation",
    "local_shell",
    "mcp",
    "namespace",
    "programmatic_tool_calling",
    "shell",
    "tool_search",
    "web_search",
    "web_search_preview",
)
_DATED = {
    "web_search": "web_search|web_search_2025_08_26",
    "web_search_preview": "web_search_preview|web_search_preview_2025_03_11",
}
_CHOICES = (
    "apply_patch",
    "code_interpreter",
    "computer",
    "computer_use",
    "computer_use_preview",
    "file_search",
    "image_generation",
    "mcp",
    "programmatic_tool_calling",
    "shell",
    "web_search_preview",
)

_TOOLS = (
    _map("tool-function", "request.tools[]<function>", "FunctionTool", "turn.tools"),
    _map("tool-custom", "request.tools[]<custom>", "CustomTool", "turn.tools.custom"),
    _spell("tool-type", f"{_TOOL}.type"),
    _map("tool-name", f"{_TOOL}.name", "FunctionTool.name"),
    _map("tool-about", f"{_TOOL}.description", "FunctionTool.description"),
    _map("tool-schema", "request.tools[]<function>.parameters", "FunctionTool.input_schema"),
    _map(
        "tool-strict",
        "request.tools[]<function>.strict",
        "FunctionTool.strict",
        "turn.tools.strict",
    ),
    _map("tool-format", "request.tools[]<custom>.format.**", "CustomTool.format"),
    _carry("tool-async", f"{_TOOL}.async", "tools.async"),
    _carry("tool-callers", f"{_TOOL}.allowed_callers", "tools.allowed_callers"),
    _carry("tool-deferred", f"{_TOOL}.defer_loading", "tools.defer_loading"),
    _carry("tool-result", "request.tools[]<function>.output_schema", "tools.output_schema"),
    *(
        _carry(
            f"tool-{kind.replace('_', '-')}",
            f"request.tools[]<{_DATED.get(kind, kind)}>.**",
            f"tools.{kind}",
        )
        for kind in _HOSTED
    ),
    _map("choice-named", "request.tool_choice<function|custom>.**", "Named", "turn.tool_choice"),
    _map(
        "choice-allowed",
        "request.tool_choice<allowed_tools>.**",
        "Allowed",
        "turn.tool_choice.allowed",
    ),
    *(
        _carry(
            f"choice-{kind.replace('_', '-')}",
            f"request.tool_choice<{_DATED.get(kind, kind)}>.**",
            f"tool_choice.{kind}",
        )
        for kind in _CHOICES
    ),
)

ROWS: tuple[Row, ...] = (*_REQUEST, *_ITEMS, *_PARTS, *_TOOLS, *ANSWER_ROWS)
"""Every row of this wire."""

TABLE = Table(ROWS)
