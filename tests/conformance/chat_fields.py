"""Fields at the top of a Chat body without a neutral meaning: read, written to a server, left out elsewhere."""

from collections.abc import Iterator
from typing import Any

from llm_projections.chat import ingest_request
from llm_projections.model.turn import TurnRequest
from tests.conformance.declared import NEEDED, Declared, ingest, project
from tests.conformance.forms import bytes_of

__all__ = ["CASES", "ask", "asked"]

_SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}}

_VENDOR: dict[str, dict[str, Any]] = {
    "vendor-sampling": {
        "store": True,
        "logprobs": True,
        "top_logprobs": 2,
        "logit_bias": {"50256": -100},
        "prediction": {"type": "content", "content": "Hello."},
        "moderation": {"model": "omni-moderation-latest"},
    },
    "vendor-voice": {
        "modalities": ["text", "audio"],
        "audio": {"voice": "alloy", "format": "wav"},
    },
    "vendor-cache": {
        "prompt_cache_options": {"mode": "explicit"},
        "prompt_cache_retention": "24h",
    },
    "vendor-search": {"web_search_options": {"search_context_size": "low"}},
    "vendor-functions": {
        "functions": [{"name": "look", "description": "Looks.", "parameters": _SCHEMA}],
        "function_call": "auto",
    },
}

_OTHERS: dict[str, dict[str, Any]] = {
    "sampling-everywhere": {
        "min_p": 0.05,
        "top_a": 0.1,
        "repetition_penalty": 1.1,
        "length_penalty": 1.0,
        "random_seed": 7,
        "do_sample": True,
        "best_of": 1,
        "use_beam_search": False,
        "vllm_xargs": {"a": "b"},
        "watermarking": False,
        "repetition_detection": {"min_count": 3},
    },
    "sampling-of-llama-cpp": {
        "typical_p": 0.9,
        "repeat_penalty": 1.1,
        "repeat_last_n": 64,
        "mirostat": 2,
        "mirostat_tau": 5.0,
        "mirostat_eta": 0.1,
        "dynatemp_range": 0.5,
        "dynatemp_exponent": 1.0,
        "xtc_probability": 0.5,
        "xtc_threshold": 0.1,
        "dry_multiplier": 0.8,
        "dry_base": 1.75,
        "dry_allowed_length": 2,
        "dry_penalty_last_n": -1,
        "dry_sequence_breakers": ["\n", ":"],
        "top_n_sigma": 1.0,
        "adaptive_target": 0.5,
        "adaptive_decay": 0.9,
        "samplers": ["top_k", "min_p"],
        "min_keep": 1,
    },
    "ends": {
        "stop_token_ids": [2, 151645],
        "include_stop_str_in_output": True,
        "ignore_eos": False,
        "min_tokens": 1,
        "bad_words": ["no"],
        "allowed_token_ids": [1, 2, 3],
        "n_predict": 64,
        "n_keep": 0,
        "n_indent": 4,
        "t_max_predict_ms": 1000,
    },
    "grammars": {
        "grammar": 'root ::= "yes" | "no"',
        "json_schema": _SCHEMA,
        "guided_json": _SCHEMA,
        "guided_regex": "[a-z]+",
        "guided_choice": ["yes", "no"],
        "guided_grammar": 'root ::= "a"',
        "guided_decoding_backend": "xgrammar",
        "guided_whitespace_pattern": " ?",
        "structured_outputs": {"choice": ["yes", "no"]},
        "structural_tag": {"structures": [], "triggers": []},
    },
    "prompts": {
        "chat_template": "{{ messages }}",
        "chat_template_kwargs": {"enable_thinking": False},
        "add_generation_prompt": True,
        "continue_final_message": False,
        "add_special_tokens": False,
        "echo": False,
        "documents": [{"title": "A", "text": "B"}],
        "mm_processor_kwargs": {"num_crops": 4},
        "media_io_kwargs": {"video": {"num_frames": 8}},
        "truncate_prompt_tokens": 1000,
        "truncation_side": "left",
        "vl_high_resolution_images": True,
        "prompt_mode": "reasoning",
        "safe_prompt": True,
        "guardrails": [{"block_on_error": True}],
        "transforms": ["middle-out"],
        "image_config": {"aspect_ratio": "1:1"},
    },
    "reasoning": {
        "thinking": {"type": "enabled"},
        "reasoning": {"effort": "high", "exclude": False},
        "think": "low",
        "include_reasoning": True,
        "reasoning_format": "parsed",
        "reasoning_budget": -1,
        "thinking_forced_open": False,
        "thinking_token_budget": 256,
        "thinking_budget": 512,
        "enable_thinking": True,
        "clear_thinking": False,
        "disable_reasoning": False,
    },
    "searches": {
        "search_parameters": {"mode": "auto"},
        "search_settings": {"country": "FR"},
        "compound_custom": {"tools": {"enabled_tools": ["web_search"]}},
        "citation_options": "enabled",
        "include_domains": ["a.example"],
        "exclude_domains": ["b.example"],
        "enable_search": True,
        "search_options": {"forced_search": True},
        "plugins": [{"id": "web"}],
        "data_sources": [{"type": "azure_search", "parameters": {"index_name": "a"}}],
        "disable_tool_validation": True,
        "parse_tool_calls": True,
        "tool_stream": True,
    },
    "routes": {
        "provider": {"order": ["a"], "allow_fallbacks": False},
        "models": ["a/b", "c/d"],
        "route": "fallback",
        "preset": "mine",
        "usage": {"include": True},
        "session_id": "s1",
        "trace": {"trace_id": "t1"},
        "user_id": "u1",
        "user_security_context": {"application_name": "a"},
        "request_id": "r1",
        "priority": 1,
        "lora": [{"id": 0, "scale": 0.5}],
        "deferred": False,
        "extra_body": {"google": {"thinking_config": {"include_thoughts": True}}},
        "google": {"cached_content": "c1"},
    },
    "caches": {
        "cache_salt": "salt",
        "cache_prompt": True,
        "n_cache_reuse": 256,
        "cache_control": {"type": "ephemeral"},
        "id_slot": 1,
        "kv_transfer_params": {"do_remote_decode": True},
        "ec_transfer_params": {"do_remote_encode": True},
    },
    "answers-shown": {
        "prompt_logprobs": 1,
        "logprob_token_ids": [1],
        "return_prompt_text": True,
        "return_token_offsets": True,
        "return_mm_kwargs": True,
        "routed_experts_prompt_start": 0,
        "debug": {"echo_upstream_body": True},
        "response_fields": ["content"],
        "n_probs": 2,
        "post_sampling_probs": True,
        "skip_special_tokens": False,
        "spaces_between_special_tokens": False,
        "return_tokens_as_token_ids": True,
        "return_token_ids": True,
        "return_tokens": True,
        "return_progress": True,
        "timings_per_token": True,
        "incremental_output": True,
        "sse_ping_interval": 15,
    },
    "stream-options": {
        "stream": True,
        "stream_options": {
            "include_usage": True,
            "include_obfuscation": False,
            "stream_tool_calls": True,
            "continuous_usage_stats": True,
        },
    },
    "formats-grammar": {"response_format": {"type": "grammar", "grammar": 'root ::= "a"'}},
    "formats-object": {"response_format": {"type": "json_object", "schema": _SCHEMA}},
}

# The server that takes what is listed, and no more.
_LISTED = {
    "base": "chat",
    "capabilities": {"extensions": []},
    "dialect": {"request_fields": ["min_p", "top_a", "vllm_xargs"]},
}


def asked(**fields: Any) -> dict[str, Any]:
    """The body that says hello, with these fields."""
    return {"model": "caller-model", "messages": [{"role": "user", "content": "Hello"}], **fields}


def ask(**fields: Any) -> TurnRequest:
    """The turn of that body."""
    return ingest_request(bytes_of({"json": asked(**fields)})).request


def _families() -> Iterator[Declared]:
    for family, fields in {**_VENDOR, **_OTHERS}.items():
        named = f"Fields without a neutral meaning ({family.replace('-', ' ')})"
        body = asked(**fields)
        yield ingest("chat", f"fields-{family}", f"{named} are carried.", body)
        turn = ask(**fields)
        about = f"{named} go out again on their wire, to a binding that takes them."
        yield project("chat", f"fields-{family}", about, turn)
        for wire in ("messages", "responses"):
            # one of the two is enough for a reader: the other wire meets the smaller families
            if (wire == "messages") == (len(fields) > 2):
                about = f"{named} are left out of another wire, each by its name."
                slug = f"from-chat-fields-{family}"
                yield project(wire, slug, about, turn, accept=NEEDED)


def _refusals() -> Iterator[Declared]:
    turn = ask(**_OTHERS["sampling-everywhere"])
    yield project(
        "chat",
        "fields-unlisted",
        "What neither the binding nor its dialect lists is refused, all of it at once.",
        turn,
        binding=_LISTED,
    )
    yield project(
        "chat",
        "fields-listed",
        "What the dialect lists goes out, and the rest is left out with leave.",
        turn,
        binding=_LISTED,
        accept=NEEDED,
    )
    yield project(
        "messages",
        "from-chat-fields-refused",
        "What another wire cannot say is refused by the names that would leave it out.",
        ask(**_VENDOR["vendor-sampling"]),
    )


CASES: list[Declared] = [*_families(), *_refusals()]
