"""The declared subset of the Messages wire, requests: every published place and what becomes of it.

Read from anthropic 2.14 (2026-10-21) and 0.121 (2023-06-01), beta types included. A block's fields are carried under
`messages.content.`, wherever the block stands; a tool's under `tools.`.
"""

from __future__ import annotations

from llm_projections.wires._rows import Row, Table, Treat
from llm_projections.wires.messages.subset_answers import ROWS as ANSWER_ROWS

__all__ = ["HEADERS", "ROWS", "TABLE"]

_MAP, _CARRY, _SPELL, _REFUSE = Treat.MAP, Treat.CARRY, Treat.SPELL, Treat.REFUSE
_SAID = "request.messages[]<user|assistant>.content[]"
_SYSTEM = "request.messages[]<system>.content[]"
_USER = "request.messages[]<user>.content[]"
_ASSISTANT = "request.messages[]<assistant>.content[]"
_RESULT = f"{_USER}<tool_result>"
# A text block may stand in all of these.
_TEXTS = {
    "system": "request.system[]<text>",
    "said": f"{_SAID}<text>",
    "instructed": f"{_SYSTEM}<text>",
    "result": f"{_RESULT}.content[]<text>",
}


def _map(name: str, at: str, neutral: str, loss: str | None = None) -> Row:
    return Row(f"messages-req-{name}", at, _MAP, neutral, loss)


def _carry(name: str, at: str, path: str, *by: str) -> Row:
    return Row(f"messages-req-{name}", at, _CARRY, "", f"messages.{path}", by=frozenset(by))


def _spell(name: str, at: str, neutral: str) -> Row:
    return Row(f"messages-req-{name}", at, _SPELL, neutral)


def _refuse(name: str, at: str, why: str) -> Row:
    return Row(f"messages-req-{name}", at, _REFUSE, why)


def _mark(name: str, at: str, owner: str = "messages.content") -> tuple[Row, ...]:
    return (
        _map(f"{name}-cache", f"{at}.cache_control", "CacheMark", "turn.cache"),
        _spell(f"{name}-cache-type", f"{at}.cache_control.type", "ephemeral, a constant"),
        _map(f"{name}-cache-ttl", f"{at}.cache_control.ttl", "CacheMark.ttl", "turn.cache.ttl"),
        _carry(
            f"{name}-cache-scope",
            f"{at}.cache_control.scope",
            f"{owner}.cache_control.scope",
            "claude-code",
        ),
    )


def _text(name: str, at: str) -> tuple[Row, ...]:
    return (
        _map(f"{name}-text", at, "Text"),
        _spell(f"{name}-text-type", f"{at}.type", "text, a constant"),
        _map(f"{name}-text-text", f"{at}.text", "Text.text"),
        _map(
            f"{name}-text-citations", f"{at}.citations.**", "Text.annotations", "turn.annotations"
        ),
        *_mark(f"{name}-text", at),
    )


def _source(name: str, at: str, kinds: dict[str, str]) -> tuple[Row, ...]:
    rows: list[Row] = [_map(f"{name}-source", f"{at}.source", "source")]
    for kind, neutral in kinds.items():
        rows += (
            _map(f"{name}-{kind}", f"{at}.source<{kind}>", neutral),
            _spell(f"{name}-{kind}-type", f"{at}.source<{kind}>.type", f"{kind}, a constant"),
        )
        for key in _SOURCE_KEYS[kind]:
            rows.append(
                _map(
                    f"{name}-{kind}-{key.replace('_', '-')}", f"{at}.source<{kind}>.{key}", neutral
                )
            )
    return tuple(rows)


_SOURCE_KEYS = {
    "base64": ("data", "media_type"),
    "url": ("url",),
    "file": ("file_id",),
    "text": ("data", "media_type"),
}
_IMAGES = {"base64": "DataSource", "url": "UrlSource", "file": "FileSource"}
_DOCUMENTS = {**_IMAGES, "text": "TextSource"}


def _media(name: str, at: str) -> tuple[Row, ...]:
    """Images and documents, of a user or inside a result."""
    image, document = f"{at}<image>", f"{at}<document>"
    return (
        _map(f"{name}-image", image, "Image", "turn.images"),
        _spell(f"{name}-image-type", f"{image}.type", "image, a constant"),
        *_source(f"{name}-image", image, _IMAGES),
        _carry(
            f"{name}-image-transformations",
            f"{image}.transformations.**",
            "messages.content.transformations",
        ),
        *_mark(f"{name}-image", image),
        _map(f"{name}-document", document, "Document", "turn.documents"),
        _spell(f"{name}-document-type", f"{document}.type", "document, a constant"),
        *_source(f"{name}-document", document, _DOCUMENTS),
        _carry(f"{name}-document-content", f"{document}.source<content>.**", "content.document"),
        _map(
            f"{name}-document-title", f"{document}.title", "Document.title", "turn.document.title"
        ),
        _carry(f"{name}-document-context", f"{document}.context", "messages.content.context"),
        _carry(
            f"{name}-document-citations",
            f"{document}.citations.**",
            "messages.content.citations",
        ),
        *_mark(f"{name}-document", document),
    )


# Blocks that only this wire can read, carried whole. Provider-run tools and their results stand in
# assistant messages; the published types allow them to a user too.
_CARRIED_SAID = (
    "server_tool_use",
    "web_search_tool_result",
    "web_fetch_tool_result",
    "code_execution_tool_result",
    "bash_code_execution_tool_result",
    "text_editor_code_execution_tool_result",
    "tool_search_tool_result",
    "advisor_tool_result",
    "mcp_tool_use",
    "mcp_tool_result",
    "mcp_tool_listing",
    "container_upload",
    "search_result",
    "fallback",
    "tool_addition",
    "tool_removal",
    "mid_conv_system",
)
_HOSTED = (
    ("advisor", "advisor_*"),
    ("bash", "bash_*"),
    ("browser_toolset", "browser_toolset_*"),
    ("code_execution", "code_execution_*"),
    ("computer", "computer_2*"),
    ("computer_toolset", "computer_toolset_*"),
    ("mcp_toolset", "mcp_toolset"),
    ("memory", "memory_*"),
    ("text_editor", "text_editor_*"),
    ("tool_search_tool_bm25", "tool_search_tool_bm25|tool_search_tool_bm25_*"),
    ("tool_search_tool_regex", "tool_search_tool_regex|tool_search_tool_regex_*"),
    ("web_fetch", "web_fetch_*"),
    ("web_search", "web_search_*"),
)


def _slug(name: str) -> str:
    return name.replace("_", "-").replace(".", "-")


_SETTINGS = (
    _map("model", "request.model", "model"),
    _map("max-tokens", "request.max_tokens", "max_output_tokens"),
    _map("stream", "request.stream", "AnswerShape.stream"),
    _map("temperature", "request.temperature", "sampling.temperature", "turn.temperature"),
    _map("top-p", "request.top_p", "sampling.top_p", "turn.top_p"),
    _map("top-k", "request.top_k", "sampling.top_k", "turn.top_k"),
    _map("stop-sequences", "request.stop_sequences", "stop", "turn.stop"),
    _map("service-tier", "request.service_tier", "service_tier", "turn.service_tier"),
    _map("metadata", "request.metadata", "end_user_id"),
    _map("metadata-user-id", "request.metadata.user_id", "end_user_id", "turn.end_user_id"),
    _map("thinking", "request.thinking", "thinking"),
    _map("thinking-mode", "request.thinking<*>", "thinking.mode", "turn.thinking.mode"),
    _map("thinking-type", "request.thinking<*>.type", "thinking.mode", "turn.thinking.mode"),
    _map(
        "thinking-budget",
        "request.thinking<*>.budget_tokens",
        "thinking.budget_tokens",
        "turn.thinking.budget_tokens",
    ),
    _map(
        "thinking-display",
        "request.thinking<*>.display",
        "thinking.display",
        "turn.thinking.display",
    ),
    _carry("thinking-binding", "request.thinking<*>.block_binding.**", "thinking.block_binding"),
    _map("output-config", "request.output_config", "thinking.effort, output_format"),
    _map("effort", "request.output_config.effort", "thinking.effort", "turn.thinking.effort"),
    _map("format", "request.output_config.format", "output_format", "turn.output_format"),
    _spell("format-type", "request.output_config.format.type", "json_schema, a constant"),
    _map("format-schema", "request.output_config.format.schema", "JsonSchema.schema"),
    _carry("task-budget", "request.output_config.task_budget.**", "output_config.task_budget"),
    _spell("format-old", "request.output_format.**", "output_config.format, its older place"),
    _map("tool-choice", "request.tool_choice", "tool_choice", "turn.tool_choice"),
    _map("tool-choice-auto", "request.tool_choice<auto>", "AUTO"),
    _map("tool-choice-any", "request.tool_choice<any>", "REQUIRED", "turn.tool_choice"),
    _map("tool-choice-tool", "request.tool_choice<tool>", "Named", "turn.tool_choice"),
    _map("tool-choice-none", "request.tool_choice<none>", "NONE", "turn.tool_choice"),
    _spell("tool-choice-type", "request.tool_choice<*>.type", "tool_choice"),
    _map("tool-choice-name", "request.tool_choice<tool>.name", "Named.name"),
    _map(
        "tool-choice-parallel",
        "request.tool_choice<*>.disable_parallel_tool_use",
        "parallel_tool_calls, negated",
        "turn.parallel_tool_calls",
    ),
)
# Whole subtrees of the request with no neutral meaning.
_CARRIED = (
    "billing_policy",
    "cache_control",
    "compaction",
    "container",
    "context_management",
    "diagnostics",
    "fallback_credit_token",
    "fallbacks",
    "inference_geo",
    "mcp_servers",
    "speed",
    "thread",
)
# Fields of other servers that take this wire: Bedrock and Vertex (the vendor's platform pages), Claude Code
# (captured), llama.cpp (its server, run), vLLM (its protocol types), OpenRouter (its API reference); read 2026-11.
_DIALECTS = (
    ("anthropic_beta", ("bedrock", "vertex")),
    ("anthropic_version", ("bedrock", "vertex")),
    ("chat_template_kwargs", ("llama.cpp", "vllm")),
    ("kv_transfer_params", ("vllm",)),
    ("models", ("openrouter",)),
    ("plugins", ("openrouter",)),
    ("provider", ("openrouter",)),
    ("route", ("openrouter",)),
    ("safeguards", ("claude-code",)),
    ("session_id", ("openrouter",)),
    ("trace", ("openrouter",)),
    ("user", ("openrouter",)),
)
_MESSAGES = (
    _map("messages", "request.messages", "items"),
    _map("user", "request.messages[]<user>", "UserMessage"),
    _map("assistant", "request.messages[]<assistant>", "AssistantMessage"),
    _map(
        "system-message",
        "request.messages[]<system>",
        "Instruction",
        "turn.instruction.position",
    ),
    _spell("role", "request.messages[]<user|assistant|system>.role", "the kind of item"),
    _map("content", "request.messages[]<user|assistant|system>.content", "content"),
    _carry(
        "message-effort", "request.messages[]<system>.output_config.**", "messages.output_config"
    ),
    _carry("message-clear-at", "request.messages[]<system>.clear_at", "messages.clear_at"),
    _map("system", "request.system", "instructions"),
    *(row for name, at in _TEXTS.items() for row in _text(name, at)),
    *_media("user", _USER),
    *_media("result", f"{_RESULT}.content[]"),
    _carry("assistant-image", f"{_ASSISTANT}<image>.**", "content.image"),
    _carry("assistant-document", f"{_ASSISTANT}<document>.**", "content.document"),
    _map(
        "thinking-block", f"{_ASSISTANT}<thinking>", "UnattributedOpaque, Reasoning", "turn.opaque"
    ),
    _spell("thinking-block-type", f"{_ASSISTANT}<thinking>.type", "thinking, a constant"),
    _map(
        "thinking-block-text",
        f"{_ASSISTANT}<thinking>.thinking",
        "Reasoning.text",
        "turn.reasoning",
    ),
    _map(
        "thinking-block-signature",
        f"{_ASSISTANT}<thinking>.signature",
        "UnattributedOpaque.payload",
        "turn.opaque",
    ),
    _map(
        "redacted-thinking",
        f"{_ASSISTANT}<redacted_thinking>.**",
        "UnattributedOpaque",
        "turn.opaque",
    ),
    _refuse(
        "user-thinking",
        f"{_USER}<thinking|redacted_thinking|tool_use>.**",
        "only an assistant says it",
    ),
    _map("compaction-block", f"{_SAID}<compaction>.**", "UnattributedOpaque", "turn.opaque"),
    _map("tool-use", f"{_ASSISTANT}<tool_use>", "ToolCall"),
    _spell("tool-use-type", f"{_ASSISTANT}<tool_use>.type", "tool_use, a constant"),
    _map("tool-use-id", f"{_ASSISTANT}<tool_use>.id", "ToolCall.call_id", "turn.call_id"),
    _map("tool-use-name", f"{_ASSISTANT}<tool_use>.name", "ToolCall.name"),
    _map("tool-use-input", f"{_ASSISTANT}<tool_use>.input", "ToolCall.arguments"),
    _carry("tool-use-caller", f"{_ASSISTANT}<tool_use>.caller.**", "messages.content.caller"),
    _carry(
        "tool-use-toolset", f"{_ASSISTANT}<tool_use>.toolset_name", "messages.content.toolset_name"
    ),
    *_mark("tool-use", f"{_ASSISTANT}<tool_use>"),
    _map("tool-result", _RESULT, "ToolResult"),
    _spell("tool-result-type", f"{_RESULT}.type", "tool_result, a constant"),
    _map("tool-result-id", f"{_RESULT}.tool_use_id", "ToolResult.call_id"),
    _map("tool-result-content", f"{_RESULT}.content", "ToolResult.content"),
    _map(
        "tool-result-error", f"{_RESULT}.is_error", "ToolResult.failed", "turn.tool_result.failed"
    ),
    _carry("tool-result-toolset", f"{_RESULT}.toolset_name", "messages.content.toolset_name"),
    *_mark("tool-result", _RESULT),
    _carry("result-search", f"{_RESULT}.content[]<search_result>.**", "content.search_result"),
    _carry("result-reference", f"{_RESULT}.content[]<tool_reference>.**", "content.tool_reference"),
    _carry("result-browser", f"{_RESULT}.content[]<browser_state>.**", "content.browser_state"),
    _refuse("assistant-result", f"{_ASSISTANT}<tool_result>.**", "only a user says it"),
    *(_carry(_slug(kind), f"{_SAID}<{kind}>.**", f"content.{kind}") for kind in _CARRIED_SAID),
    *(
        _carry(f"instructed-{_slug(kind)}", f"{_SYSTEM}<{kind}>.**", f"content.{kind}")
        for kind in ("tool_addition", "tool_removal")
    ),
    _refuse(
        "instructed-other", f"{_SYSTEM}<*>.**", "a system message holds texts and tool changes"
    ),
)
_TOOL = "request.tools[]<custom>"
_TOOLS = (
    _map("tools", "request.tools", "tools", "turn.tools"),
    _map("tool", _TOOL, "FunctionTool"),
    _spell("tool-type", f"{_TOOL}.type", "custom or absent"),
    _map("tool-name", f"{_TOOL}.name", "FunctionTool.name"),
    _map("tool-description", f"{_TOOL}.description", "FunctionTool.description"),
    _map("tool-schema", f"{_TOOL}.input_schema.**", "FunctionTool.input_schema"),
    _map("tool-strict", f"{_TOOL}.strict", "FunctionTool.strict", "turn.tools.strict"),
    *(
        _carry(f"tool-{_slug(key)}", f"{_TOOL}.{key}", f"tools.{key}")
        for key in ("allowed_callers", "defer_loading", "eager_input_streaming")
    ),
    _carry("tool-examples", f"{_TOOL}.input_examples.**", "tools.input_examples"),
    *_mark("tool", _TOOL, "tools"),
    *(
        _carry(f"hosted-{_slug(family)}", f"request.tools[]<{kinds}>.**", f"tools.{family}")
        for family, kinds in _HOSTED
    ),
)
_COUNTED = (
    "messages",
    "model",
    "output_config",
    "output_format",
    "system",
    "thinking",
    "tool_choice",
    "tools",
)
_COUNTS = (
    _carry(
        "count-chat-template-kwargs",
        "count_tokens.chat_template_kwargs.**",
        "chat_template_kwargs",
        "vllm",
    ),
    *(_map(f"count-{_slug(key)}", f"count_tokens.{key}", f"as request.{key}") for key in _COUNTED),
    *(
        _carry(f"count-{_slug(key)}", f"count_tokens.{key}", key)
        for key in (
            "billing_policy",
            "cache_control",
            "compaction",
            "context_management",
            "mcp_servers",
            "speed",
        )
    ),
)
HEADERS = ("anthropic-beta", "anthropic-user-profile-id", "anthropic-workspace-id")
"""Headers that a turn carries; no other is part of a request."""
_HEADS = (
    _spell("header-version", "header.anthropic-version", "Dialect.version"),
    _spell("header-key", "header.x-api-key", "Binding.auth"),
    _spell("header-authorization", "header.authorization", "Binding.auth"),
    _spell("header-accept", "header.accept", "a constant"),
    _spell("header-content-type", "header.content-type", "a constant"),
    *(_carry(f"header-{name}", f"header.{name}", f"header.{name}") for name in HEADERS),
)

ROWS: tuple[Row, ...] = (
    *_SETTINGS,
    *(_carry(_slug(key), f"request.{key}.**", key) for key in _CARRIED),
    *(_carry(f"other-{_slug(key)}", f"request.{key}.**", key, *by) for key, by in _DIALECTS),
    *_MESSAGES,
    *_TOOLS,
    *_COUNTS,
    *_HEADS,
    *ANSWER_ROWS,
)
TABLE = Table(ROWS)
