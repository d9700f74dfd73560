"""Presets for the servers that people run behind the Chat wire.

Each value beside a vendor's default is justified in docs/dialects.md by what that server was seen to send or to take.
`request_fields` lists by extension path what a server publishes beside what every target takes; the rows of the
wire's subset say the same (a test holds the two together). A preset is a starting point: `attrs.evolve` it for a
deployment that differs (Azure's `query`, a vLLM that continues the last message).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from llm_projections.model.dialect import Dialect

__all__ = ["DIALECTS"]

# Carried settings of the vendor that servers of open weights take over with the rest of its reference.
_SHARED = frozenset({"logit_bias", "logprobs", "top_logprobs", "messages.name"})
_OPENAI = frozenset(
    {
        "audio",
        "function_call",
        "functions",
        "logit_bias",
        "logprobs",
        "messages.audio",
        "messages.function",
        "messages.function_call",
        "messages.name",
        "modalities",
        "moderation",
        "prediction",
        "prompt_cache_options",
        "prompt_cache_retention",
        "store",
        "stream_options.include_obfuscation",
        "top_logprobs",
        "user",
        "web_search_options",
    }
)
_AZURE = frozenset(
    {
        "data_sources",
        "user_security_context",
    }
)
_VLLM = frozenset(
    {
        "add_generation_prompt",
        "add_special_tokens",
        "allowed_token_ids",
        "bad_words",
        "best_of",
        "cache_salt",
        "chat_template",
        "chat_template_kwargs",
        "continue_final_message",
        "documents",
        "ec_transfer_params",
        "echo",
        "guided_choice",
        "guided_decoding_backend",
        "guided_grammar",
        "guided_json",
        "guided_regex",
        "guided_whitespace_pattern",
        "ignore_eos",
        "include_reasoning",
        "include_stop_str_in_output",
        "kv_transfer_params",
        "length_penalty",
        "logprob_token_ids",
        "media_io_kwargs",
        "messages.content.audio_url",
        "messages.content.video_url",
        "messages.reasoning",
        "messages.reasoning_content",
        "min_p",
        "min_tokens",
        "mm_processor_kwargs",
        "priority",
        "prompt_logprobs",
        "repetition_detection",
        "repetition_penalty",
        "request_id",
        "response_format",
        "return_mm_kwargs",
        "return_prompt_text",
        "return_token_ids",
        "return_token_offsets",
        "return_tokens_as_token_ids",
        "routed_experts_prompt_start",
        "session_id",
        "skip_special_tokens",
        "spaces_between_special_tokens",
        "stop_token_ids",
        "stream_options.continuous_usage_stats",
        "structural_tag",
        "structured_outputs",
        "thinking_token_budget",
        "tools.defer_loading",
        "tools.function.defer_loading",
        "top_k",
        "truncate_prompt_tokens",
        "truncation_side",
        "use_beam_search",
        "vllm_xargs",
        "watermarking",
    }
)
_LLAMA_CPP = frozenset(
    {
        "adaptive_decay",
        "adaptive_target",
        "add_generation_prompt",
        "cache_prompt",
        "chat_template",
        "chat_template_kwargs",
        "dry_allowed_length",
        "dry_base",
        "dry_multiplier",
        "dry_penalty_last_n",
        "dry_sequence_breakers",
        "dynatemp_exponent",
        "dynatemp_range",
        "grammar",
        "id_slot",
        "ignore_eos",
        "json_schema",
        "lora",
        "messages.name",
        "messages.reasoning_content",
        "min_keep",
        "min_p",
        "mirostat",
        "mirostat_eta",
        "mirostat_tau",
        "n_cache_reuse",
        "n_indent",
        "n_keep",
        "n_predict",
        "n_probs",
        "parse_tool_calls",
        "post_sampling_probs",
        "reasoning_budget",
        "reasoning_format",
        "repeat_last_n",
        "repeat_penalty",
        "response_fields",
        "response_format",
        "response_format.schema",
        "return_progress",
        "return_tokens",
        "samplers",
        "sse_ping_interval",
        "t_max_predict_ms",
        "thinking_forced_open",
        "timings_per_token",
        "top_k",
        "top_n_sigma",
        "typical_p",
        "xtc_probability",
        "xtc_threshold",
    }
)
_OLLAMA = frozenset(
    {
        "messages.reasoning",
        "reasoning",
        "think",
    }
)
_DEEPSEEK = frozenset(
    {
        "messages.prefix",
        "messages.reasoning_content",
        "thinking",
    }
)
_OPENROUTER = frozenset(
    {
        "cache_control",
        "debug",
        "image_config",
        "include_reasoning",
        "messages.annotations",
        "messages.cache_control",
        "messages.content.cache_control",
        "messages.content.video_url",
        "messages.reasoning",
        "messages.tool_calls.cache_control",
        "min_p",
        "models",
        "plugins",
        "preset",
        "provider",
        "reasoning",
        "repetition_penalty",
        "route",
        "session_id",
        "structured_outputs",
        "tools.cache_control",
        "tools.openrouter",
        "top_a",
        "top_k",
        "trace",
        "transforms",
        "usage",
    }
)
_GROQ = frozenset(
    {
        "citation_options",
        "compound_custom",
        "disable_tool_validation",
        "documents",
        "exclude_domains",
        "include_domains",
        "include_reasoning",
        "messages.reasoning",
        "reasoning_format",
        "search_settings",
        "tools.browser_search",
        "tools.code_interpreter",
    }
)
_MISTRAL = frozenset(
    {
        "guardrails",
        "messages.content.document_url",
        "messages.content.reference",
        "messages.content.thinking",
        "messages.name",
        "messages.prefix",
        "prompt_mode",
        "random_seed",
        "safe_prompt",
        "stream_options.stream_tool_calls",
    }
)
_GEMINI = frozenset(
    {
        "extra_body",
        "google",
        "messages.tool_calls.extra_content",
    }
)
_XAI = frozenset(
    {
        "deferred",
        "messages.reasoning_content",
        "search_parameters",
        "tools.live_search",
    }
)
_KIMI = frozenset(
    {
        "messages.content.image_url.id",
        "messages.content.video_url",
        "messages.name",
        "messages.partial",
        "messages.reasoning_content",
        "thinking",
        "tools.builtin_function",
    }
)
_QWEN = frozenset(
    {
        "enable_search",
        "enable_thinking",
        "incremental_output",
        "messages.content.video_url",
        "messages.partial",
        "messages.reasoning_content",
        "search_options",
        "thinking_budget",
        "top_k",
        "vl_high_resolution_images",
    }
)
_ZAI = frozenset(
    {
        "do_sample",
        "messages.content.video_url",
        "messages.reasoning_content",
        "request_id",
        "thinking",
        "tool_stream",
        "tools.retrieval",
        "tools.web_search",
        "user_id",
    }
)
_CEREBRAS = frozenset(
    {
        "clear_thinking",
        "disable_reasoning",
        "messages.reasoning",
    }
)

_PRESETS = (
    Dialect(name="openai", request_fields=_OPENAI),
    Dialect(name="azure", request_fields=_OPENAI | _AZURE, end_user_field="user"),
    Dialect(
        name="vllm",
        request_fields=_SHARED | _VLLM,
        end_user_field="user",
        reasoning_field="reasoning",
        tool_result_parts=True,
    ),
    Dialect(
        name="llama.cpp",
        request_fields=_SHARED | _LLAMA_CPP,
        output_limit_field="max_tokens",
        end_user_field="user",
        reasoning_field="reasoning_content",
        prefill=True,
    ),
    Dialect(
        name="ollama",
        request_fields=_OLLAMA,
        output_limit_field="max_tokens",
        end_user_field="user",
        reasoning_field="reasoning",
    ),
    Dialect(
        name="deepseek",
        request_fields=_DEEPSEEK | {"logprobs", "top_logprobs", "messages.name"},
        output_limit_field="max_tokens",
        end_user_field="user",
        reasoning_field="reasoning_content",
    ),
    Dialect(
        name="openrouter",
        request_fields=_SHARED | _OPENROUTER | {"messages.content.file.file_url", "modalities"},
        end_user_field="user",
        reasoning_field="reasoning",
        reasoning_details=True,
        prefill=True,
    ),
    Dialect(
        name="groq",
        request_fields=_GROQ | {"reasoning_effort", "messages.name"},
        end_user_field="user",
        reasoning_field="reasoning",
    ),
    Dialect(
        name="mistral",
        request_fields=_MISTRAL | {"prediction"},
        output_limit_field="max_tokens",
        end_user_field="user",
        tool_result_parts=True,
    ),
    Dialect(
        name="gemini",
        request_fields=_GEMINI,
        end_user_field="user",
        extra_content=True,
        reasoning_beside_output=True,
    ),
    Dialect(
        name="xai",
        request_fields=_SHARED | _XAI,
        end_user_field="user",
        reasoning_field="reasoning_content",
    ),
    Dialect(
        name="kimi",
        request_fields=_KIMI | {"messages.name"},
        reasoning_field="reasoning_content",
        tool_result_parts=True,
    ),
    Dialect(
        name="qwen",
        request_fields=_QWEN | {"logprobs", "top_logprobs"},
        output_limit_field="max_tokens",
        end_user_field="user",
        reasoning_field="reasoning_content",
    ),
    Dialect(
        name="zai",
        request_fields=_ZAI,
        output_limit_field="max_tokens",
        end_user_field="user",
        reasoning_field="reasoning_content",
    ),
    Dialect(
        name="cerebras",
        request_fields=_CEREBRAS | {"logprobs", "top_logprobs"},
        end_user_field="user",
        reasoning_field="reasoning",
    ),
)

DIALECTS: Mapping[str, Dialect] = MappingProxyType({preset.name: preset for preset in _PRESETS})
"""The presets by name."""
