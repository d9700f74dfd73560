"""What the vendor and other servers publish for answers, and what becomes of it.

`response.` is the whole body, `chunk.` a piece of a stream; the two say the same things. Read from openai 3.57.0 and
2.54.0; the rows of other servers from their reference pages and recorded answers (docs/evidence.md).
"""

from __future__ import annotations

from re import compile as pattern

from llm_projections.wires._rows import Row, Table, Treat

__all__ = ["ANSWERS", "ROWS"]

_NOT_PLAIN = pattern(r"[^A-Za-z0-9_]+")


def _row(treat: Treat, at: str, neutral: str = "", loss: str | None = None, by: str = "") -> Row:
    name = _NOT_PLAIN.sub("-", at).strip("-")
    return Row(f"chat-ans-{name}", at, treat, neutral, loss, by=frozenset(by.split()))


def _map(at: str, neutral: str, loss: str | None = None, by: str = "") -> Row:
    return _row(Treat.MAP, at, neutral, loss, by)


def _spell(at: str, by: str = "") -> Row:
    return _row(Treat.SPELL, at, by=by)


def _carry(at: str, loss: str = "answer.extensions", by: str = "") -> Row:
    return _row(Treat.CARRY, f"{at}.**", loss=loss, by=by)


def _around(body: str) -> tuple[Row, ...]:
    """What stands around the message."""
    choice = f"{body}.choices[]"
    return (
        _map(f"{body}.id", "Observation.response_id"),
        _map(f"{body}.model", "Observation.upstream_model"),
        _spell(f"{body}.object"),
        _spell(f"{body}.created"),
        _carry(f"{body}.service_tier"),
        _carry(f"{body}.system_fingerprint"),
        _carry(f"{body}.moderation"),
        _map(f"{body}.usage", "Observation.usage", "answer.usage"),
        _map(f"{body}.choices", "TurnOutcome"),
        _spell(f"{choice}.index"),
        _map(f"{choice}.finish_reason", "TurnOutcome.stop", "answer.stop_reason"),
        _carry(f"{choice}.logprobs"),
    )


def _message(at: str) -> tuple[Row, ...]:
    """What a message or a piece of it says."""
    call = f"{at}.tool_calls[]<function>"
    return (
        _map(at, "TurnOutcome.items"),
        _spell(f"{at}.role"),
        _map(f"{at}.content", "AssistantMessage"),
        _map(f"{at}.refusal", "RefusalText", "answer.refusal"),
        _carry(f"{at}.audio", "answer.audio"),
        _carry(f"{at}.function_call", "answer.wire_item"),
        _map(f"{at}.tool_calls", "ToolCall and CustomToolCall"),
        _map(call, "ToolCall"),
        _map(f"{call}.id", "ToolCall.call_id"),
        _spell(f"{call}.type"),
        _spell(f"{call}.function"),
        _map(f"{call}.function.name", "ToolCall.name"),
        _map(f"{call}.function.arguments", "ToolCall.arguments"),
    )


_WHOLE = "response.choices[].message"
_PIECE = "chunk.choices[].delta"
_CUSTOM = f"{_WHOLE}.tool_calls[]<custom>"

_VENDOR: tuple[Row, ...] = (
    *_around("response"),
    _carry("response.metadata"),
    *_message(_WHOLE),
    _map(f"{_WHOLE}.annotations.**", "Text.annotations", "answer.annotations"),
    _map(_CUSTOM, "CustomToolCall", "answer.custom_tool_call"),
    _map(f"{_CUSTOM}.id", "CustomToolCall.call_id"),
    _spell(f"{_CUSTOM}.type"),
    _spell(f"{_CUSTOM}.custom"),
    _map(f"{_CUSTOM}.custom.name", "CustomToolCall.name"),
    _map(f"{_CUSTOM}.custom.input", "CustomToolCall.input"),
    *_around("chunk"),
    _spell("chunk.obfuscation"),
    *_message(_PIECE),
    _spell(f"{_PIECE}.tool_calls[]<function>.index"),
    _map("usage.prompt_tokens", "Usage.input_tokens", "answer.usage"),
    _map("usage.completion_tokens", "Usage.output_tokens", "answer.usage"),
    _spell("usage.total_tokens"),
    _carry("usage.prompt_tokens_details", "answer.usage"),
    _map("usage.prompt_tokens_details.cached_tokens", "Usage.cached_input_tokens", "answer.usage"),
    _map(
        "usage.prompt_tokens_details.cache_write_tokens",
        "Usage.cache_creation_input_tokens",
        "answer.usage",
    ),
    _carry("usage.completion_tokens_details", "answer.usage"),
    _map(
        "usage.completion_tokens_details.reasoning_tokens",
        "Usage.reasoning_output_tokens",
        "answer.usage",
    ),
    _map("stop.stop", "EndTurn"),
    _map("stop.length", "MaxOutputTokens"),
    _map("stop.tool_calls", "ToolCalls"),
    _map("stop.function_call", "ToolCalls"),
    _map("stop.content_filter", "Incomplete"),
    _map("error.type", "UpstreamError.type"),
    _map("error.code", "UpstreamError.code"),
    _map("error.message", "UpstreamError.message"),
    _map("error.param", "UpstreamError.param"),
    _map("error.misalignment.**", "UpstreamError.raw"),
)

# Fields of other servers around the message, each at the top of a body and of a chunk.
_TOP: dict[str, str] = {
    "citations": "perplexity",
    "search_results": "perplexity",
    "images": "perplexity",
    "related_questions": "perplexity",
    "type": "perplexity",
    "timings": "llama.cpp",
    "prompt_progress": "llama.cpp",
    "__verbose": "llama.cpp",
    "provider": "openrouter",
    "openrouter_metadata": "openrouter",
    "prompt_filter_results": "azure",
    "x_groq": "groq",
    "usage_breakdown": "groq",
    "time_info": "cerebras",
    "request_id": "zai",
    "prompt_logprobs": "vllm",
    "prompt_token_ids": "vllm",
    "prompt_text": "vllm",
    "prompt_routed_experts": "vllm",
    "kv_transfer_params": "vllm",
    "ec_transfer_params": "vllm",
    "metrics": "vllm",
}

_CHOICE: dict[str, str] = {
    "content_filter_results": "azure",
    "content_filter_offsets": "azure",
    "native_finish_reason": "openrouter",
    "token_ids": "vllm",
    "routed_experts": "vllm",
    "seed": "together",
}

# What a server says of its message beside text, reasoning and calls.
_BESIDE: dict[str, str] = {
    "executed_tools": "groq",
    "channel": "groq",
    "context": "azure",
    "thinking_blocks": "litellm",
    "provider_specific_fields": "litellm",
    "provider_metadata": "vercel",
    "token_id": "together",
}


def _elsewhere(body: str, message: str) -> tuple[Row, ...]:
    choice = f"{body}.choices[]"
    return (
        *(_carry(f"{body}.{name}", by=by) for name, by in _TOP.items()),
        *(_carry(f"{choice}.{name}", by=by) for name, by in _CHOICE.items()),
        _map(f"{choice}.stop_reason", "StopSequence.text", "answer.stop_sequence", "vllm"),
        _spell(f"{choice}.text", "together"),
        _map(f"{choice}.usage.**", "Observation.usage", "answer.usage", "kimi"),
        _map(f"{choice}.error.**", "UpstreamError", by="openrouter"),
        _map(f"{message}.reasoning_content", "Reasoning", "answer.reasoning", "vllm deepseek kimi"),
        _map(f"{message}.reasoning", "Reasoning", "answer.reasoning", "openrouter groq ollama"),
        _carry(f"{message}.reasoning_details", "answer.opaque", "openrouter"),
        _carry(f"{message}.tool_calls[]<*>.extra_content", "answer.opaque", "gemini"),
        _carry(f"{message}.images", "answer.images", "openrouter"),
        *(_carry(f"{message}.{name}", by=by) for name, by in _BESIDE.items()),
    )


_OTHERS: tuple[Row, ...] = (
    *_elsewhere("response", _WHOLE),
    *_elsewhere("chunk", _PIECE),
    _spell("chunk.p", "mistral"),
    _spell("chunk.choices[].message", "perplexity"),
    _map(f"{_PIECE}.annotations.**", "Text.annotations", "answer.annotations", "openrouter"),
    _map(f"{_PIECE}.content[]<text>", "Text", by="mistral"),
    _map(f"{_PIECE}.content[]<thinking>", "Reasoning", "answer.reasoning", "mistral"),
    _carry(f"{_PIECE}.content[]<reference>.**", "answer.wire_part", "mistral"),
    _map(f"{_WHOLE}.content[]<text>", "Text", by="mistral"),
    _map(f"{_WHOLE}.content[]<thinking>", "Reasoning", "answer.reasoning", "mistral"),
    _carry(f"{_WHOLE}.content[]<reference>.**", "answer.wire_part", "mistral"),
    _map("stop.eos", "EndTurn", by="together"),
    _map("stop.model_length", "MaxOutputTokens", by="mistral"),
    _row(Treat.REFUSE, "stop.error", by="mistral openrouter"),
)

ROWS: tuple[Row, ...] = (*_VENDOR, *_OTHERS)
ANSWERS = Table(ROWS)
