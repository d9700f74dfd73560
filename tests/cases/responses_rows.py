"""Places of Responses bodies that the other tables pass by: rows of spec/responses.toml, one family a case."""

from typing import Any

from llm_projections.model.items import (
    CacheMark,
    DataSource,
    Document,
    Extension,
    FileSource,
    Image,
    Instruction,
    Text,
    ToolCall,
    ToolResult,
    UrlSource,
    WireItem,
    WirePart,
)
from llm_projections.model.tools import CustomTool, FunctionTool, HostedTool, WireChoice
from tests.cases.responses_words import (
    PATCH,
    SCHEMA,
    WEATHER,
    Body,
    Case,
    R,
    answered,
    carried,
    items,
    setting,
    tool,
)

__all__ = ["ROWS"]

_SETTINGS: dict[str, Any] = {
    "background_options": {"a": 1},
    "conversation": "conv_1",
    "prompt": {"id": "pmpt_1"},
    "access_programs": ["a"],
    "image": {"a": 1},
    "moderation": {"model": "m"},
    "multi_agent": {"a": 1},
    "prompt_cache_options": {"ttl": "30m"},
    "prompt_cache_retention": "24h",
    "top_logprobs": 2,
}
_AGENT = {"agent_name": "a"}
_MARK = {"mode": "explicit", "ttl": "30m"}
_CACHE = CacheMark("30m")


def _alone(kind: str) -> Case:
    """An item that the provider runs by itself."""
    node: Body = {"type": kind, "id": "x1"}
    return items(f"carried {kind}", (WireItem(R, node), node))


def _pair(kind: str, **more: Any) -> Case:
    """An item that the client answers, and the answer."""
    call: Body = {"type": f"{kind}_call", "call_id": "x1", **more}
    # the search's answer is the only one that has another name than its call
    name = f"{kind}_output" if kind == "tool_search" else f"{kind}_call_output"
    answer: Body = {"type": name, "call_id": "x1", **more}
    return items(
        f"carried {kind}_call and its output",
        (WireItem(R, call, "x1", "call"), call),
        (WireItem(R, answer, "x1", "result"), answer),
    )


def _extensions(**fields: Any) -> tuple[Extension, ...]:
    return tuple(carried(f"input.{name}", value) for name, value in fields.items())


_FILES: Body = {"type": "input_file", "file_id": "file_1"}
_APPROVAL: Body = {"type": "mcp_approval_request", "id": "x1", "name": "n", "arguments": "{}"}
_APPROVED: Body = {"type": "mcp_approval_response", "approval_request_id": "x1", "approve": True}

ROWS: list[Case] = [
    setting(
        "settings of the provider's own",
        _SETTINGS,
        extensions=tuple(carried(name, value) for name, value in _SETTINGS.items()),
    ),
    setting(
        "a summary of reasoning by its older name",
        {"reasoning": {"generate_summary": "auto"}},
        extensions=(carried("reasoning.generate_summary", "auto"),),
    ),
    items(
        "calls of an agent that do not wait, and what they gave",
        (
            ToolCall(
                "c1", "weather", "{}", extensions=_extensions(**{"async": True}, agent=_AGENT)
            ),
            {
                "type": "function_call",
                "call_id": "c1",
                "name": "weather",
                "arguments": "{}",
                "async": True,
                "agent": _AGENT,
            },
        ),
        (
            ToolResult(
                "c1",
                (Text("12 C"),),
                extensions=_extensions(
                    name="weather", namespace="n", caller={"type": "direct"}, agent=_AGENT
                ),
            ),
            {
                "type": "function_call_output",
                "call_id": "c1",
                "output": "12 C",
                "name": "weather",
                "namespace": "n",
                "caller": {"type": "direct"},
                "agent": _AGENT,
            },
        ),
    ),
    *(
        _alone(kind)
        for kind in (
            "agent_message",
            "code_interpreter_call",
            "compaction_trigger",
            "configuration_update",
            "file_search_call",
            "image_generation_call",
            "mcp_call",
            "mcp_list_tools",
            "multi_agent_call",
            "multi_agent_call_output",
            "program",
            "program_output",
        )
    ),
    _pair("apply_patch"),
    _pair("computer"),
    _pair("shell", environment={"type": "local"}),
    _pair("tool_search", execution="client"),
    items(
        "an approval that was asked for and given",
        (WireItem(R, _APPROVAL, "x1", "call"), _APPROVAL),
        (WireItem(R, _APPROVED, "x1", "result"), _APPROVED),
    ),
    answered(
        "a result of files and an image that the provider holds, and a mark",
        ToolResult(
            "c1",
            (
                Text("a", cache=_CACHE),
                Image(FileSource(R, "file_1"), "high"),
                Document(DataSource("JVBERi0="), "a.pdf"),
                Document(FileSource(R, "file_2")),
                Document(
                    UrlSource("https://e.x/a.pdf"),
                    extensions=(carried("input.content.detail", "low"),),
                ),
            ),
        ),
        [
            {"type": "input_text", "text": "a", "prompt_cache_breakpoint": _MARK},
            {"type": "input_image", "file_id": "file_1", "detail": "high"},
            {"type": "input_file", "filename": "a.pdf", "file_data": "JVBERi0="},
            {"type": "input_file", "file_id": "file_2"},
            {"type": "input_file", "file_url": "https://e.x/a.pdf", "detail": "low"},
        ],
    ),
    items(
        "an instruction with a file, carried",
        (
            Instruction((WirePart(R, _FILES),)),
            {"type": "message", "role": "developer", "content": [_FILES]},
        ),
    ),
    setting(
        "tools that others call, that do not wait, and what they give",
        {
            "tools": [
                {
                    **WEATHER,
                    "allowed_callers": ["direct"],
                    "async": True,
                    "output_schema": SCHEMA,
                },
                PATCH,
            ]
        },
        tools=(
            FunctionTool(
                "weather",
                "The weather.",
                SCHEMA,
                extensions=(
                    carried("tools.allowed_callers", ["direct"]),
                    carried("tools.async", True),
                    carried("tools.output_schema", SCHEMA),
                ),
            ),
            CustomTool("patch"),
        ),
    ),
    *(
        tool(f"the hosted tool {kind}", HostedTool(R, {"type": kind}), {"type": kind})
        for kind in (
            "apply_patch",
            "code_interpreter",
            "computer",
            "computer_use_preview",
            "file_search",
            "image_generation",
            "local_shell",
            "mcp",
            "programmatic_tool_calling",
            "shell",
            "tool_search",
        )
    ),
    *(
        setting(
            f"the choice of {kind}",
            {"tools": [WEATHER], "tool_choice": {"type": kind}},
            tools=(FunctionTool("weather", "The weather.", SCHEMA),),
            tool_choice=WireChoice(R, {"type": kind}),
        )
        for kind in (
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
        )
    ),
]
