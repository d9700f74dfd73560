"""Settings, tools and instructions of a turn beside the Messages bodies that say them."""

from __future__ import annotations

from llm_projections.model.items import (
    CacheMark,
    Instruction,
    Text,
    UserMessage,
    WirePart,
)
from llm_projections.model.tools import (
    NONE,
    REQUIRED,
    FunctionTool,
    JsonSchema,
    Named,
)
from llm_projections.model.turn import Sampling, Thinking
from tests.cases.messages_words import (
    ASK,
    ASKED,
    PUBLISHED,
    SCHEMA,
    TOOL,
    WIRE,
    Case,
    body,
    carried,
    hosted,
    own,
    setting,
    turn,
)

__all__ = ["SETTINGS", "SYSTEM"]

SETTINGS: list[Case] = [
    Case("hello", turn(), body()),
    setting(
        "sampling", {"temperature": 0.5, "top_p": 0.9, "top_k": 5}, sampling=Sampling(0.5, 0.9, 5)
    ),
    setting("integer temperature", {"temperature": 1}, sampling=Sampling(1)),
    setting("stop sequences", {"stop_sequences": ["a", ""]}, stop=("a", "")),
    setting("limit", {"max_tokens": 5}, max_output_tokens=5),
    setting(
        "user id", {"metadata": {"user_id": '{"device_id":"d"}'}}, end_user_id='{"device_id":"d"}'
    ),
    setting("tier auto", {"service_tier": "auto"}, service_tier="auto"),
    setting("tier standard", {"service_tier": "standard_only"}, service_tier="default"),
    setting("adaptive", {"thinking": {"type": "adaptive"}}, thinking=Thinking(mode="adaptive")),
    setting(
        "adaptive shown",
        {"thinking": {"type": "adaptive", "display": "omitted"}},
        thinking=Thinking(mode="adaptive", display="omitted"),
    ),
    setting(
        "budget",
        {"thinking": {"type": "enabled", "budget_tokens": 2048, "display": "summarized"}},
        thinking=Thinking(None, 2048, "enabled", "summarized"),
    ),
    setting("disabled", {"thinking": {"type": "disabled"}}, thinking=Thinking(mode="disabled")),
    setting(
        "between tools",
        {"thinking": {"type": "between_tools"}},
        thinking=Thinking(mode="between_tools"),
    ),
    setting(
        "block binding",
        {"thinking": {"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "error"}}},
        thinking=Thinking(mode="adaptive"),
        extensions=(own("thinking.block_binding", {"prefix_mismatch_behavior": "error"}),),
    ),
    setting("effort", {"output_config": {"effort": "xhigh"}}, thinking=Thinking("xhigh")),
    setting(
        "schema",
        {"output_config": {"effort": "low", "format": {"type": "json_schema", "schema": SCHEMA}}},
        thinking=Thinking("low"),
        output_format=JsonSchema(None, SCHEMA),
    ),
    setting(
        "task budget",
        {"output_config": {"task_budget": {"type": "tokens", "total": 9}}},
        extensions=(own("output_config.task_budget", {"type": "tokens", "total": 9}),),
    ),
    setting("tool", {"tools": [PUBLISHED]}, tools=(TOOL,)),
    setting(
        "tool with everything",
        {
            "tools": [
                {
                    **PUBLISHED,
                    "strict": True,
                    "cache_control": {"type": "ephemeral", "ttl": "1h", "scope": "global"},
                    "defer_loading": False,
                    "eager_input_streaming": True,
                    "allowed_callers": ["direct"],
                    "input_examples": [{"n": 1}],
                }
            ]
        },
        tools=(
            FunctionTool(
                "look",
                "Looks.",
                SCHEMA,
                True,
                CacheMark("1h"),
                (
                    own("tools.defer_loading", False),
                    own("tools.eager_input_streaming", True),
                    own("tools.allowed_callers", ["direct"]),
                    own("tools.input_examples", [{"n": 1}]),
                    own("tools.cache_control.scope", "global"),
                ),
            ),
        ),
    ),
    setting(
        "any tool",
        {"tools": [PUBLISHED], "tool_choice": {"type": "any"}},
        tools=(TOOL,),
        tool_choice=REQUIRED,
    ),
    setting(
        "no tool",
        {"tools": [PUBLISHED], "tool_choice": {"type": "none"}},
        tools=(TOOL,),
        tool_choice=NONE,
    ),
    setting(
        "one tool, one call",
        {
            "tools": [PUBLISHED],
            "tool_choice": {"type": "tool", "name": "look", "disable_parallel_tool_use": True},
        },
        tools=(TOOL,),
        tool_choice=Named("look"),
        parallel_tool_calls=False,
    ),
    setting(
        "serial calls",
        {"tools": [PUBLISHED], "tool_choice": {"type": "auto", "disable_parallel_tool_use": True}},
        tools=(TOOL,),
        parallel_tool_calls=False,
    ),
    setting(
        "parallel calls, said",
        {"tools": [PUBLISHED], "tool_choice": {"type": "auto", "disable_parallel_tool_use": False}},
        tools=(TOOL,),
        parallel_tool_calls=True,
    ),
    hosted({"type": "web_search_20250305", "name": "web_search", "max_uses": 3}),
    hosted({"type": "bash_20250124", "name": "bash", "cache_control": {"type": "ephemeral"}}),
    hosted({"type": "mcp_toolset", "mcp_server_name": "m"}),
    hosted({"type": "tool_search_tool_regex_20251119", "name": "tool_search"}),
    carried("context_management", {"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]}),
    carried("container", "cont_1"),
    carried("thread", {"type": "create"}),
    carried("safeguards", [{"type": "dangerous_tool_use", "context": {"v": 1, "n": None}}]),
    carried("cache_control", {"type": "ephemeral"}),
    carried("mcp_servers", [{"type": "url", "name": "m", "url": "https://m.example/sse"}]),
    carried("speed", "fast"),
]

SYSTEM: list[Case] = [
    setting("system", {"system": "Be brief."}, instructions=(Instruction((Text("Be brief."),)),)),
    setting(
        "system blocks stay apart",
        {
            "system": [
                {"type": "text", "text": "x-billing: 1"},
                {"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}},
            ]
        },
        instructions=(
            Instruction((Text("x-billing: 1"),)),
            Instruction((Text("Be brief.", (), CacheMark()),)),
        ),
    ),
    setting(
        "empty system block",
        {"system": [{"type": "text", "text": ""}]},
        instructions=(Instruction((Text(""),)),),
    ),
    Case(
        "system message in place",
        turn(ASK, Instruction((Text("Agents: x"),)), UserMessage((Text("On"),))),
        body(ASKED, {"role": "system", "content": "Agents: x"}, {"role": "user", "content": "On"}),
    ),
    Case(
        "system message with its own effort",
        turn(
            ASK,
            Instruction(
                (Text("a", (), CacheMark()), Text("b")),
                None,
                (
                    own("messages.output_config", {"effort": "low"}),
                    own("messages.clear_at", "next_user"),
                ),
            ),
        ),
        body(
            ASKED,
            {
                "role": "system",
                "content": [
                    {"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}},
                    {"type": "text", "text": "b"},
                ],
                "output_config": {"effort": "low"},
                "clear_at": "next_user",
            },
        ),
    ),
    Case(
        "tool changes in a system message",
        turn(
            ASK,
            Instruction(
                (
                    WirePart(
                        WIRE,
                        {"type": "tool_removal", "tool": {"type": "tool_reference", "name": "a"}},
                    ),
                )
            ),
        ),
        body(
            ASKED,
            {
                "role": "system",
                "content": [
                    {"type": "tool_removal", "tool": {"type": "tool_reference", "name": "a"}}
                ],
            },
        ),
    ),
]
