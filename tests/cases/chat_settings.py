"""Settings and tools of Chat bodies."""

from __future__ import annotations

from llm_projections.model.tools import (
    NONE,
    REQUIRED,
    Allowed,
    CustomTool,
    FunctionTool,
    Grammar,
    HostedTool,
    JsonObject,
    JsonSchema,
    Named,
    WireChoice,
)
from llm_projections.model.turn import Sampling, Thinking
from tests.cases.chat_words import (
    PATCH,
    PATCHED,
    PUBLISHED,
    SCHEMA,
    TOOL,
    WIRE,
    carried,
    own,
    setting,
)

SETTINGS = [
    setting("max_completion_tokens", {"max_completion_tokens": 9}, max_output_tokens=9),
    setting(
        "sampling",
        {
            "temperature": 0,
            "top_p": 0.5,
            "top_k": 7,
            "presence_penalty": 0.25,
            "frequency_penalty": -1,
            "seed": 3,
        },
        sampling=Sampling(0, 0.5, 7, 3, 0.25, -1),
    ),
    setting("stop", {"stop": ["END", "STOP"]}, stop=("END", "STOP")),
    setting("effort", {"reasoning_effort": "xhigh"}, thinking=Thinking("xhigh")),
    setting("verbosity", {"verbosity": "low"}, verbosity="low"),
    setting("service_tier", {"service_tier": "flex"}, service_tier="flex"),
    setting("end user", {"safety_identifier": "u"}, end_user_id="u"),
    setting("cache key", {"prompt_cache_key": "k"}, prompt_cache_key="k"),
    setting("metadata", {"metadata": {"a": "b"}}, metadata={"a": "b"}),
    setting("no metadata in it", {"metadata": {}}, metadata={}),
    setting("one call at a time", {"parallel_tool_calls": False}, parallel_tool_calls=False),
    setting(
        "json_object", {"response_format": {"type": "json_object"}}, output_format=JsonObject()
    ),
    setting(
        "json_schema",
        {
            "response_format": {
                "type": "json_schema",
                "json_schema": {
                    "name": "out",
                    "description": "d",
                    "schema": SCHEMA,
                    "strict": True,
                },
            }
        },
        output_format=JsonSchema("out", SCHEMA, True, "d"),
    ),
    setting(
        "both ids of the end user",
        {"safety_identifier": "new", "user": "old"},
        end_user_id="new",
        extensions=(own("user", "old"),),
    ),
    setting(
        "the server's own effort",
        {"reasoning_effort": "default"},
        extensions=(own("reasoning_effort", "default"),),
    ),
    setting(
        "a format of another server",
        {"response_format": {"type": "grammar", "grammar": "root ::= .*"}},
        extensions=(own("response_format", {"type": "grammar", "grammar": "root ::= .*"}),),
    ),
    setting(
        "json_object with a schema",
        {"response_format": {"type": "json_object", "schema": SCHEMA}},
        output_format=JsonObject(),
        extensions=(own("response_format.schema", SCHEMA),),
    ),
    *(
        carried(path, value)
        for path, value in {
            "store": True,
            "logprobs": True,
            "top_logprobs": 2,
            "logit_bias": {"1": -100},
            "modalities": ["text", "audio"],
            "audio": {"format": "wav", "voice": "alloy"},
            "prediction": {"type": "content", "content": "x"},
            "moderation": {"model": "m"},
            "prompt_cache_options": {"ttl": "30m"},
            "prompt_cache_retention": "24h",
            "web_search_options": {"search_context_size": "low"},
            "functions": [{"name": "f", "parameters": {}}],
            "function_call": {"name": "f"},
            "chat_template_kwargs": {"enable_thinking": True},
            "provider": {"order": ["a"], "allow_fallbacks": False},
            "reasoning": {"effort": "high"},
            "search_parameters": {"mode": "off"},
            "thinking": {"type": "enabled", "keep": "all"},
        }.items()
    ),
]

TOOLS = [
    setting("function tool", {"tools": [PUBLISHED]}, tools=(TOOL,)),
    setting(
        "bare function tool",
        {"tools": [{"type": "function", "function": {"name": "f"}}]},
        tools=(FunctionTool("f"),),
    ),
    setting(
        "strict and late",
        {
            "tools": [
                {
                    "type": "function",
                    "function": {"name": "f", "strict": False, "defer_loading": True},
                    "cache_control": {"type": "ephemeral"},
                }
            ]
        },
        tools=(
            FunctionTool(
                "f",
                strict=False,
                extensions=(
                    own("tools.cache_control", {"type": "ephemeral"}),
                    own("tools.function.defer_loading", True),
                ),
            ),
        ),
    ),
    setting("custom tool", {"tools": [PATCHED]}, tools=(PATCH,)),
    setting(
        "grammar tool",
        {
            "tools": [
                {
                    "type": "custom",
                    "custom": {
                        "name": "g",
                        "format": {
                            "type": "grammar",
                            "grammar": {"syntax": "lark", "definition": "start: /x/"},
                        },
                    },
                }
            ]
        },
        tools=(CustomTool("g", format=Grammar("lark", "start: /x/")),),
    ),
    setting(
        "hosted tool",
        {"tools": [{"type": "openrouter:web_search", "parameters": {"max_uses": 1}}]},
        tools=(HostedTool(WIRE, {"type": "openrouter:web_search", "parameters": {"max_uses": 1}}),),
    ),
    setting(
        "no tool", {"tools": [PUBLISHED], "tool_choice": "none"}, tools=(TOOL,), tool_choice=NONE
    ),
    setting(
        "some tool",
        {"tools": [PUBLISHED], "tool_choice": "required"},
        tools=(TOOL,),
        tool_choice=REQUIRED,
    ),
    setting(
        "this tool",
        {
            "tools": [PUBLISHED],
            "tool_choice": {"type": "function", "function": {"name": "look"}},
        },
        tools=(TOOL,),
        tool_choice=Named("look"),
    ),
    setting(
        "this custom tool",
        {"tools": [PATCHED], "tool_choice": {"type": "custom", "custom": {"name": "patch"}}},
        tools=(PATCH,),
        tool_choice=Named("patch"),
    ),
    setting(
        "one of these tools",
        {
            "tools": [PUBLISHED, PATCHED],
            "tool_choice": {
                "type": "allowed_tools",
                "allowed_tools": {
                    "mode": "required",
                    "tools": [
                        {"type": "function", "function": {"name": "look"}},
                        {"type": "custom", "custom": {"name": "patch"}},
                    ],
                },
            },
        },
        tools=(TOOL, PATCH),
        tool_choice=Allowed("required", ("look", "patch")),
    ),
    setting(
        "a choice that only this wire can say",
        {
            "tools": [PUBLISHED],
            "tool_choice": {
                "type": "allowed_tools",
                "allowed_tools": {"mode": "auto", "tools": [{"type": "openrouter:web_search"}]},
            },
        },
        tools=(TOOL,),
        tool_choice=WireChoice(
            WIRE,
            {
                "type": "allowed_tools",
                "allowed_tools": {"mode": "auto", "tools": [{"type": "openrouter:web_search"}]},
            },
        ),
    ),
]
