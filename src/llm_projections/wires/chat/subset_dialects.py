"""Request fields that other servers of this wire publish, and what becomes of them.

Ingest takes all of them; projection writes one only to a binding that declares it, or whose dialect lists it
(`DIALECTS` in model/dialects.py, where each list is what the rows here say of that dialect).
Sources: each server's reference page for its Chat endpoint, and the recorded bodies that docs/dialects.md describes.
"""

from __future__ import annotations

from llm_projections.wires._rows import Row
from llm_projections.wires.chat._row import carry, mapped, spell

__all__ = ["ROWS"]

# Who publishes which setting beside the messages, each at the top of the body.
_FIELDS: dict[str, str] = {
    # sampling
    "min_p": "vllm llama.cpp openrouter",
    "top_a": "openrouter",
    "typical_p": "llama.cpp",
    "repetition_penalty": "vllm openrouter",
    "repeat_penalty": "llama.cpp",
    "repeat_last_n": "llama.cpp",
    "length_penalty": "vllm",
    "mirostat": "llama.cpp",
    "mirostat_tau": "llama.cpp",
    "mirostat_eta": "llama.cpp",
    "dynatemp_range": "llama.cpp",
    "dynatemp_exponent": "llama.cpp",
    "xtc_probability": "llama.cpp",
    "xtc_threshold": "llama.cpp",
    "dry_multiplier": "llama.cpp",
    "dry_base": "llama.cpp",
    "dry_allowed_length": "llama.cpp",
    "dry_penalty_last_n": "llama.cpp",
    "dry_sequence_breakers": "llama.cpp",
    "top_n_sigma": "llama.cpp",
    "adaptive_target": "llama.cpp",
    "adaptive_decay": "llama.cpp",
    "samplers": "llama.cpp",
    "min_keep": "llama.cpp",
    "random_seed": "mistral",
    "do_sample": "zai",
    "best_of": "vllm",
    "use_beam_search": "vllm",
    "vllm_xargs": "vllm",
    "watermarking": "vllm",
    "repetition_detection": "vllm",
    # what may be generated, and when it ends
    "stop_token_ids": "vllm",
    "include_stop_str_in_output": "vllm",
    "ignore_eos": "vllm llama.cpp",
    "min_tokens": "vllm",
    "bad_words": "vllm",
    "allowed_token_ids": "vllm",
    "n_predict": "llama.cpp",
    "n_keep": "llama.cpp",
    "n_indent": "llama.cpp",
    "t_max_predict_ms": "llama.cpp",
    "grammar": "llama.cpp",
    "json_schema": "llama.cpp",
    "guided_json": "vllm",
    "guided_regex": "vllm",
    "guided_choice": "vllm",
    "guided_grammar": "vllm",
    "guided_decoding_backend": "vllm",
    "guided_whitespace_pattern": "vllm",
    "structured_outputs": "vllm openrouter",
    "structural_tag": "vllm",
    # the prompt
    "chat_template": "vllm llama.cpp",
    "chat_template_kwargs": "vllm llama.cpp",
    "add_generation_prompt": "vllm llama.cpp",
    "continue_final_message": "vllm",
    "add_special_tokens": "vllm",
    "echo": "vllm",
    "documents": "vllm groq",
    "mm_processor_kwargs": "vllm",
    "media_io_kwargs": "vllm",
    "truncate_prompt_tokens": "vllm",
    "truncation_side": "vllm",
    "vl_high_resolution_images": "qwen",
    "prompt_mode": "mistral",
    "safe_prompt": "mistral",
    "guardrails": "mistral",
    "transforms": "openrouter",
    "image_config": "openrouter",
    # reasoning
    "thinking": "deepseek kimi zai",
    "reasoning": "openrouter ollama",
    "think": "ollama",
    "include_reasoning": "openrouter groq vllm",
    "reasoning_format": "groq llama.cpp",
    "reasoning_budget": "llama.cpp",
    "thinking_forced_open": "llama.cpp",
    "thinking_token_budget": "vllm",
    "thinking_budget": "qwen",
    "enable_thinking": "qwen",
    "clear_thinking": "cerebras",
    "disable_reasoning": "cerebras",
    # tools that the server runs
    "search_parameters": "xai",
    "search_settings": "groq",
    "compound_custom": "groq",
    "citation_options": "groq",
    "include_domains": "groq",
    "exclude_domains": "groq",
    "disable_tool_validation": "groq",
    "enable_search": "qwen",
    "search_options": "qwen",
    "plugins": "openrouter",
    "parse_tool_calls": "llama.cpp",
    "tool_stream": "zai",
    "data_sources": "azure",
    # routing, caching, accounting
    "provider": "openrouter",
    "models": "openrouter",
    "route": "openrouter",
    "preset": "openrouter",
    "usage": "openrouter",
    "session_id": "openrouter vllm",
    "trace": "openrouter",
    "user_id": "zai",
    "user_security_context": "azure",
    "request_id": "vllm zai",
    "priority": "vllm",
    "cache_salt": "vllm",
    "cache_prompt": "llama.cpp",
    "n_cache_reuse": "llama.cpp",
    "cache_control": "openrouter",
    "id_slot": "llama.cpp",
    "lora": "llama.cpp",
    "kv_transfer_params": "vllm",
    "ec_transfer_params": "vllm",
    "deferred": "xai",
    "extra_body": "gemini",
    "google": "gemini",
    # what the answer shows
    "prompt_logprobs": "vllm",
    "logprob_token_ids": "vllm",
    "return_prompt_text": "vllm",
    "return_token_offsets": "vllm",
    "return_mm_kwargs": "vllm",
    "routed_experts_prompt_start": "vllm",
    "debug": "openrouter",
    "response_fields": "llama.cpp",
    "sse_ping_interval": "llama.cpp",
    "n_probs": "llama.cpp",
    "post_sampling_probs": "llama.cpp",
    "skip_special_tokens": "vllm",
    "spaces_between_special_tokens": "vllm",
    "return_tokens_as_token_ids": "vllm",
    "return_token_ids": "vllm",
    "return_tokens": "llama.cpp",
    "return_progress": "llama.cpp",
    "timings_per_token": "llama.cpp",
    "incremental_output": "qwen",
    "stream_options.stream_tool_calls": "mistral",
    "stream_options.continuous_usage_stats": "vllm",
}

# Tools that the server runs, each whole.
_TOOLS: dict[str, str] = {
    "openrouter:*": "openrouter",
    "browser_search": "groq",
    "code_interpreter": "groq",
    "builtin_function": "kimi",
    "live_search": "xai",
    "web_search": "zai",
    "retrieval": "zai",
}

# Parts without a neutral meaning, each whole.
_PARTS: dict[str, str] = {
    "messages[]<user|tool>.content[]<document_url>": "mistral",
    "messages[]<user|tool>.content[]<video_url>": "vllm openrouter qwen kimi zai",
    "messages[]<user|tool>.content[]<audio_url>": "vllm",
    "messages[]<assistant>.content[]<thinking>": "mistral",
    "messages[]<assistant>.content[]<reference>": "mistral",
}

_ASSISTANT = "messages[]<assistant>"
_REPLAYS = ("vllm", "llama.cpp", "deepseek", "kimi", "qwen", "zai", "xai")


def _tool(kind: str, by: str) -> Row:
    return carry(f"tools[]<{kind}>", path=f"tools.{kind.partition(':')[0]}", by=(by,))


def _part(at: str, by: str) -> Row:
    kind = at.rpartition("<")[2].removesuffix(">")
    return carry(at, path=f"messages.content.{kind}", by=by.split())


def _tool_parts() -> tuple[Row, ...]:
    """Images and files in a tool message."""
    image, file = (f"messages[]<tool>.content[]<{kind}>" for kind in ("image_url", "file"))
    by = ("vllm", "kimi", "mistral")
    return (
        mapped(image, "Image", "turn.tool_result.media_moved", by=by),
        spell(f"{image}.type", by=by),
        spell(f"{image}.image_url", by=by),
        mapped(f"{image}.image_url.url", "Image.source", by=by),
        mapped(f"{image}.image_url.detail", "Image.detail", "turn.image.detail", by=by),
        mapped(file, "Document", "turn.tool_result.media_moved", by=("mistral",)),
        spell(f"{file}.type", by=("mistral",)),
        spell(f"{file}.file", by=("mistral",)),
        mapped(f"{file}.file.file_data", "Document.source", by=("mistral",)),
        mapped(f"{file}.file.file_id", "Document.source", "turn.document.file", by=("mistral",)),
        mapped(f"{file}.file.filename", "Document.title", "turn.document.title", by=("mistral",)),
    )


# The program spreads what it remembers of an answer's message into each of its text parts; all of it stands in
# the message itself too (seen in recorded bodies).
_ECHOED = ("role", "refusal", "annotations", "reasoning_content", "tool_calls")

ROWS: tuple[Row, ...] = (
    mapped("top_k", "sampling.top_k", "turn.top_k", by=("vllm", "llama.cpp", "openrouter", "qwen")),
    *(carry(at, by=by.split()) for at, by in _FIELDS.items()),
    carry(
        "response_format<grammar|structural_tag|regex>",
        path="response_format",
        by=("llama.cpp", "vllm"),
    ),
    carry("response_format<json_object>.schema", by=("llama.cpp",)),
    *(_tool(kind, by) for kind, by in _TOOLS.items()),
    carry("tools[]<function>.cache_control", by=("openrouter",)),
    carry("tools[]<function>.defer_loading", by=("vllm",)),
    carry("tools[]<function>.function.defer_loading", by=("vllm",)),
    *(_part(at, by) for at, by in _PARTS.items()),
    *_tool_parts(),
    carry("messages[]<system|developer|user|assistant|tool>.cache_control", by=("openrouter",)),
    carry(
        "messages[]<system|developer|user|assistant|tool>.content[]<text|image_url|file>"
        ".cache_control",
        by=("openrouter",),
    ),
    carry("messages[]<user|tool>.content[]<image_url>.image_url.id", by=("kimi",)),
    carry("messages[]<tool>.name", by=("mistral", "kimi", "llama.cpp")),
    mapped(f"{_ASSISTANT}.annotations", "Text.annotations", "turn.annotations", by=("openrouter",)),
    mapped(f"{_ASSISTANT}.reasoning_content", "Reasoning", "turn.reasoning", by=_REPLAYS),
    mapped(
        f"{_ASSISTANT}.reasoning",
        "Reasoning",
        "turn.reasoning",
        by=("openrouter", "vllm", "groq", "ollama", "cerebras"),
    ),
    mapped(
        f"{_ASSISTANT}.reasoning_details",
        "Opaque and UnattributedOpaque",
        "turn.opaque",
        by=("openrouter",),
    ),
    carry(f"{_ASSISTANT}.prefix", by=("mistral", "deepseek")),
    carry(f"{_ASSISTANT}.partial", by=("kimi", "qwen")),
    *(carry(f"{_ASSISTANT}.content[]<text>.{key}", by=("openai-agents-js",)) for key in _ECHOED),
    carry(f"{_ASSISTANT}.tool_calls[]<function|custom>.cache_control", by=("openrouter",)),
    carry(f"{_ASSISTANT}.tool_calls[]<function>.extra_content", by=("gemini",)),
    spell(f"{_ASSISTANT}.tool_calls[]<function|custom>.index", by=("mistral",)),
    # the client's own reading of the content and the arguments beside it, null where it read neither
    spell(f"{_ASSISTANT}.parsed.**", by=("openai-sdk",)),
    spell(f"{_ASSISTANT}.tool_calls[]<function>.function.parsed_arguments.**", by=("openai-sdk",)),
)
"""Fields, parts and tools beyond the vendor's, each with the dialects that publish it."""
