"""Settings, tools and choices of the Responses wire, beside the bodies that say them."""

from typing import Any

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
from tests.cases.responses_words import PATCH, SCHEMA, WEATHER, Case, R, carried, setting, tool

SETTINGS = [
    setting("nothing but a text", {}),
    setting("an output limit", {"max_output_tokens": 64}, max_output_tokens=64),
    setting("a temperature of zero", {"temperature": 0}, sampling=Sampling(temperature=0)),
    setting("a top_p", {"top_p": 0.5}, sampling=Sampling(top_p=0.5)),
    setting(
        "what only some servers publish",
        {
            "top_k": 4,
            "seed": 1,
            "presence_penalty": 0.5,
            "frequency_penalty": -0.5,
            "stop": ["a", "b"],
        },
        sampling=Sampling(top_k=4, seed=1, presence_penalty=0.5, frequency_penalty=-0.5),
        stop=("a", "b"),
    ),
    setting("an effort", {"reasoning": {"effort": "xhigh"}}, thinking=Thinking(effort="xhigh")),
    setting(
        "a summary of reasoning",
        {"reasoning": {"effort": "low", "summary": "auto"}},
        thinking=Thinking(effort="low", display="summarized"),
    ),
    setting(
        "a detailed summary, and more about reasoning",
        {"reasoning": {"summary": "detailed", "context": "all_turns", "mode": "pro"}},
        thinking=Thinking(display="summarized"),
        extensions=(
            carried("reasoning.summary", "detailed"),
            carried("reasoning.context", "all_turns"),
            carried("reasoning.mode", "pro"),
        ),
    ),
    setting(
        "any object", {"text": {"format": {"type": "json_object"}}}, output_format=JsonObject()
    ),
    setting(
        "a schema, and how many words",
        {
            "text": {
                "format": {
                    "type": "json_schema",
                    "name": "place",
                    "description": "A place.",
                    "schema": SCHEMA,
                    "strict": True,
                },
                "verbosity": "low",
            }
        },
        output_format=JsonSchema("place", SCHEMA, True, "A place."),
        verbosity="low",
    ),
    setting("metadata", {"metadata": {"run": "7"}}, metadata={"run": "7"}),
    setting("an end user", {"safety_identifier": "u1"}, end_user_id="u1"),
    setting(
        "an end user under both names",
        {"safety_identifier": "u1", "user": "u2"},
        end_user_id="u1",
        extensions=(carried("user", "u2"),),
    ),
    setting("a cache key", {"prompt_cache_key": "k"}, prompt_cache_key="k"),
    setting("a service tier", {"service_tier": "flex"}, service_tier="flex"),
    setting("one call at a time", {"parallel_tool_calls": False}, parallel_tool_calls=False),
    setting(
        "what the provider holds",
        {"previous_response_id": "resp_1"},
        extensions=(carried("previous_response_id", "resp_1"),),
    ),
    setting(
        "carried settings",
        {
            "truncation": "auto",
            "background": True,
            "max_tool_calls": 3,
            "client_metadata": {"a": "b"},
            "context_management": [{"type": "compaction", "compact_threshold": 1000}],
            "stream_options": {"include_obfuscation": False},
            "chat_template_kwargs": {"enable_thinking": False},
        },
        extensions=(
            carried("truncation", "auto"),
            carried("background", True),
            carried("max_tool_calls", 3),
            carried("client_metadata", {"a": "b"}),
            carried("context_management", [{"type": "compaction", "compact_threshold": 1000}]),
            carried("stream_options", {"include_obfuscation": False}),
            carried("chat_template_kwargs", {"enable_thinking": False}),
        ),
    ),
]

TOOLS = [
    tool("a function", FunctionTool("weather", "The weather.", SCHEMA), WEATHER),
    tool(
        "a strict function without arguments",
        FunctionTool("now", strict=True),
        {"type": "function", "name": "now", "parameters": None, "strict": True},
    ),
    tool(
        "a function that is loaded late",
        FunctionTool(
            "weather", "The weather.", SCHEMA, extensions=(carried("tools.defer_loading", True),)
        ),
        {**WEATHER, "defer_loading": True},
    ),
    tool("a custom tool", CustomTool("patch", "Edits."), {**PATCH, "description": "Edits."}),
    tool(
        "a custom tool with a grammar",
        CustomTool("patch", format=Grammar("lark", "start: /x/")),
        {**PATCH, "format": {"type": "grammar", "syntax": "lark", "definition": "start: /x/"}},
    ),
    tool(
        "a hosted tool of a dated version",
        HostedTool(R, {"type": "web_search_2025_08_26", "search_context_size": "low"}),
        {"type": "web_search_2025_08_26", "search_context_size": "low"},
    ),
    tool(
        "a namespace",
        HostedTool(R, {"type": "namespace", "name": "n", "description": "", "tools": [WEATHER]}),
        {"type": "namespace", "name": "n", "description": "", "tools": [WEATHER]},
    ),
]


def choice(name: str, held: Any, node: Any) -> Case:
    """A choice between a function and a custom tool."""
    tools = (FunctionTool("weather", "The weather.", SCHEMA), CustomTool("patch"))
    return setting(
        name, {"tools": [WEATHER, PATCH], "tool_choice": node}, tools=tools, tool_choice=held
    )


CHOICES = [
    choice("no call", NONE, "none"),
    choice("any call", REQUIRED, "required"),
    choice("a named function", Named("weather"), {"type": "function", "name": "weather"}),
    choice("a named custom tool", Named("patch"), {"type": "custom", "name": "patch"}),
    choice(
        "some tools",
        Allowed("required", ("weather", "patch")),
        {
            "type": "allowed_tools",
            "mode": "required",
            "tools": [
                {"type": "function", "name": "weather"},
                {"type": "custom", "name": "patch"},
            ],
        },
    ),
    choice(
        "some tools, hosted ones too",
        WireChoice(
            R, {"type": "allowed_tools", "mode": "auto", "tools": [{"type": "image_generation"}]}
        ),
        {"type": "allowed_tools", "mode": "auto", "tools": [{"type": "image_generation"}]},
    ),
    choice(
        "a hosted tool",
        WireChoice(R, {"type": "web_search_preview"}),
        {"type": "web_search_preview"},
    ),
]
