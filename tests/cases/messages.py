"""Turns and the Messages bodies that say the same.

`CASES` go both ways. `MEANS` are other spellings of a body: they are read as the turn, and it is never written so.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from llm_projections._json import RawJson
from llm_projections.model.items import (
    AssistantMessage,
    CacheMark,
    DataSource,
    Document,
    Extension,
    FileSource,
    Image,
    Instruction,
    Item,
    Opaque,
    Protocol,
    Reasoning,
    Text,
    TextSource,
    ToolCall,
    ToolResult,
    UrlSource,
    UserMessage,
    WireItem,
    WirePart,
)
from llm_projections.model.tools import (
    NONE,
    REQUIRED,
    FunctionTool,
    HostedTool,
    JsonSchema,
    Named,
)
from llm_projections.model.turn import Sampling, Thinking, TurnRequest
from tests.everything import MODEL, binding_of

__all__ = ["BINDING", "CASES", "MEANS", "Case"]


class Case(NamedTuple):
    """A turn and its body, without what is always written."""

    name: str
    turn: TurnRequest
    body: dict[str, Any]


WIRE = Protocol.MESSAGES
BINDING = binding_of(WIRE)
HOME = BINDING.provenance
ASK = UserMessage((Text("Hello"),))
ASKED: dict[str, Any] = {"role": "user", "content": "Hello"}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"n": {"type": "integer"}},
    "required": ["n"],
}
TOOL = FunctionTool("look", "Looks.", SCHEMA)
PUBLISHED: dict[str, Any] = {"name": "look", "description": "Looks.", "input_schema": SCHEMA}
PNG: dict[str, Any] = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}
PDF: dict[str, Any] = {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="}


def own(path: str, value: Any) -> Extension:
    """A carried field of this wire."""
    return Extension(WIRE, path, value)


def turn(*items: Item, **settings: Any) -> TurnRequest:
    """A turn with its marks as given."""
    return TurnRequest(MODEL, items or (ASK,), cache_marks="given", **settings)


def body(*messages: Any, **fields: Any) -> dict[str, Any]:
    """A body without what is always written."""
    return {"messages": list(messages) or [ASKED], **fields}


def setting(name: str, fields: dict[str, Any], **settings: Any) -> Case:
    """A setting of the turn beside fields of the body."""
    return Case(name, turn(**settings), body(**fields))


def said(name: str, item: Item | tuple[Item, ...], *blocks: Any) -> Case:
    """Items of the model between two user messages; its blocks beside them."""
    items = item if isinstance(item, tuple) else (item,)
    return Case(
        name,
        turn(ASK, *items, UserMessage((Text("On"),))),
        body(
            ASKED, {"role": "assistant", "content": list(blocks)}, {"role": "user", "content": "On"}
        ),
    )


def part(name: str, value: Any, block: dict[str, Any]) -> Case:
    """A part of a user message beside its block."""
    return Case(
        name,
        turn(UserMessage((value, Text("?")))),
        body({"role": "user", "content": [block, {"type": "text", "text": "?"}]}),
    )


def answered(name: str, result: ToolResult, block: dict[str, Any]) -> Case:
    """A tool result beside its block."""
    return Case(
        name,
        turn(ASK, ToolCall("t1", "look", '{"n":1}'), result),
        body(
            ASKED,
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "t1", "name": "look", "input": {"n": 1}}],
            },
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", **block}]},
        ),
    )


def carried(name: str, value: Any) -> Case:
    """A field of the request that has no neutral meaning."""
    return setting(f"carried {name}", {name: value}, extensions=(own(name, value),))


def hosted(payload: dict[str, Any]) -> Case:
    """A tool of the provider."""
    return setting(payload["type"], {"tools": [payload]}, tools=(HostedTool(WIRE, payload),))


def run_by_provider(payload: dict[str, Any]) -> Case:
    """A block of the provider's own tools, in an assistant message."""
    return said(f"run by the provider: {payload['type']}", WireItem(WIRE, payload), payload)


SIGNED: dict[str, Any] = {"type": "thinking", "thinking": "plan", "signature": "c2ln"}
REDACTED: dict[str, Any] = {"type": "redacted_thinking", "data": "RW9w"}
COMPACTED: dict[str, Any] = {"type": "compaction", "content": "so far", "encrypted_content": "ZW5j"}
CITATION: dict[str, Any] = {
    "type": "char_location",
    "cited_text": "x",
    "document_index": 0,
    "document_title": None,
    "start_char_index": 0,
    "end_char_index": 1,
}

_SETTINGS = [
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

_SYSTEM = [
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

_PARTS = [
    Case("empty user message", turn(UserMessage(())), body({"role": "user", "content": ""})),
    Case(
        "empty text",
        turn(UserMessage((Text(""),))),
        body({"role": "user", "content": [{"type": "text", "text": ""}]}),
    ),
    Case(
        "two user messages",
        turn(ASK, UserMessage((Text("again"),))),
        body(ASKED, {"role": "user", "content": "again"}),
    ),
    part(
        "marked text",
        Text("a", (), CacheMark("5m")),
        {"type": "text", "text": "a", "cache_control": {"type": "ephemeral", "ttl": "5m"}},
    ),
    part(
        "cited text",
        Text("a", (own("messages.content.citations", CITATION),)),
        {"type": "text", "text": "a", "citations": [CITATION]},
    ),
    part("image", Image(DataSource("iVBORw0KGgo=", "image/png")), {"type": "image", "source": PNG}),
    part(
        "image by URL",
        Image(UrlSource("https://x.example/a.png"), None, CacheMark()),
        {
            "type": "image",
            "source": {"type": "url", "url": "https://x.example/a.png"},
            "cache_control": {"type": "ephemeral"},
        },
    ),
    part(
        "image by file",
        Image(
            FileSource(WIRE, "file_1"),
            None,
            None,
            (own("messages.content.transformations", {"oversized_image": "error"}),),
        ),
        {
            "type": "image",
            "source": {"type": "file", "file_id": "file_1"},
            "transformations": {"oversized_image": "error"},
        },
    ),
    part(
        "document",
        Document(
            DataSource("JVBERi0=", "application/pdf"),
            "a.pdf",
            CacheMark(),
            (
                own("messages.content.context", "why"),
                own("messages.content.citations", {"enabled": True}),
            ),
        ),
        {
            "type": "document",
            "source": PDF,
            "title": "a.pdf",
            "cache_control": {"type": "ephemeral"},
            "context": "why",
            "citations": {"enabled": True},
        },
    ),
    part(
        "document of text",
        Document(TextSource("words")),
        {
            "type": "document",
            "source": {"type": "text", "media_type": "text/plain", "data": "words"},
        },
    ),
    part(
        "document by URL",
        Document(UrlSource("https://x.example/a.pdf")),
        {"type": "document", "source": {"type": "url", "url": "https://x.example/a.pdf"}},
    ),
    part(
        "document by file",
        Document(FileSource(WIRE, "file_2")),
        {"type": "document", "source": {"type": "file", "file_id": "file_2"}},
    ),
    *(
        part(f"carried {payload['type']}", WirePart(WIRE, dict(payload)), dict(payload))
        for payload in (
            {"type": "document", "source": {"type": "content", "content": "words"}},
            {"type": "search_result", "source": "s", "title": "t", "content": []},
            {"type": "container_upload", "file_id": "file_3"},
            {"type": "mid_conv_system", "content": [{"type": "text", "text": "x"}]},
        )
    ),
]

_SAID = [
    Case(
        "plain answer",
        turn(ASK, AssistantMessage((Text("Hi"),))),
        body(ASKED, {"role": "assistant", "content": "Hi"}),
    ),
    Case(
        "empty answer",
        turn(ASK, AssistantMessage(())),
        body(ASKED, {"role": "assistant", "content": ""}),
    ),
    said(
        "two texts",
        AssistantMessage((Text("a"), Text("b"))),
        {"type": "text", "text": "a"},
        {"type": "text", "text": "b"},
    ),
    said("signed thinking", Opaque(HOME, SIGNED, "plan"), SIGNED),
    said(
        "thinking with its keys in another order",
        Opaque(HOME, {"signature": "c2ln", "thinking": "", "type": "thinking"}),
        {"signature": "c2ln", "thinking": "", "type": "thinking"},
    ),
    said("redacted thinking", Opaque(HOME, REDACTED), REDACTED),
    said("compaction", Opaque(HOME, COMPACTED, "so far"), COMPACTED),
    run_by_provider({"type": "compaction", "content": None}),
    said(
        "unsigned thinking",
        Reasoning("plan"),
        {"type": "thinking", "thinking": "plan", "signature": ""},
    ),
    said(
        "order among thinking, hosted tools and texts",
        (
            Opaque(HOME, SIGNED, "plan"),
            WireItem(
                WIRE,
                {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"q": 1}},
            ),
            WireItem(WIRE, {"type": "web_search_tool_result", "tool_use_id": "s", "content": []}),
            Opaque(HOME, {**SIGNED, "thinking": "more"}, "more"),
            AssistantMessage((Text("mid"),)),
            WireItem(WIRE, {"type": "fallback", "from": {"model": "a"}, "to": {"model": "b"}}),
            AssistantMessage((Text("end"),)),
        ),
        SIGNED,
        {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"q": 1}},
        {"type": "web_search_tool_result", "tool_use_id": "s", "content": []},
        {**SIGNED, "thinking": "more"},
        {"type": "text", "text": "mid"},
        {"type": "fallback", "from": {"model": "a"}, "to": {"model": "b"}},
        {"type": "text", "text": "end"},
    ),
    *(
        run_by_provider({"type": kind, "tool_use_id": "s", "content": []})
        for kind in (
            "web_fetch_tool_result",
            "code_execution_tool_result",
            "bash_code_execution_tool_result",
            "text_editor_code_execution_tool_result",
            "tool_search_tool_result",
            "advisor_tool_result",
            "mcp_tool_result",
        )
    ),
    run_by_provider(
        {"type": "mcp_tool_use", "id": "m", "name": "n", "server_name": "s", "input": {}}
    ),
    run_by_provider({"type": "image", "source": PNG}),
]

_CALLS = [
    answered("result", ToolResult("t1", (Text("1"),)), {"content": "1"}),
    answered("empty result", ToolResult("t1", ()), {"content": ""}),
    answered(
        "result of one empty text",
        ToolResult("t1", (Text(""),)),
        {"content": [{"type": "text", "text": ""}]},
    ),
    answered(
        "failed result", ToolResult("t1", (Text("no"),), True), {"content": "no", "is_error": True}
    ),
    answered(
        "result said to be good",
        ToolResult("t1", (Text("1"),), False),
        {"content": "1", "is_error": False},
    ),
    answered(
        "result with everything",
        ToolResult(
            "t1",
            (
                Text("a"),
                Image(DataSource("iVBORw0KGgo=", "image/png")),
                Document(DataSource("JVBERi0=", "application/pdf")),
                WirePart(
                    WIRE, {"type": "search_result", "source": "s", "title": "t", "content": []}
                ),
                WirePart(WIRE, {"type": "tool_reference", "tool_name": "x"}),
                WirePart(WIRE, {"type": "browser_state", "tabs": []}),
            ),
            None,
            False,
            CacheMark(),
            (own("messages.content.toolset_name", "b"),),
        ),
        {
            "content": [
                {"type": "text", "text": "a"},
                {"type": "image", "source": PNG},
                {"type": "document", "source": PDF},
                {"type": "search_result", "source": "s", "title": "t", "content": []},
                {"type": "tool_reference", "tool_name": "x"},
                {"type": "browser_state", "tabs": []},
            ],
            "cache_control": {"type": "ephemeral"},
            "toolset_name": "b",
        },
    ),
    Case(
        "call with everything, and what the user adds to the results",
        turn(
            ASK,
            AssistantMessage((Text("I look."),)),
            ToolCall("t1", "look", '{"n":1.10,"n":12345678901234567890123}'),
            ToolCall(
                "t2",
                "look",
                "{}",
                CacheMark(),
                (
                    own("messages.content.caller", {"type": "direct"}),
                    own("messages.content.toolset_name", "b"),
                ),
            ),
            ToolResult("t1", (Text("1"),)),
            ToolResult("t2", (Text("2"),)),
            UserMessage((Text("and now?"),)),
        ),
        body(
            ASKED,
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "I look."},
                    {
                        "type": "tool_use",
                        "id": "t1",
                        "name": "look",
                        "input": RawJson('{"n":1.10,"n":12345678901234567890123}'),
                    },
                    {
                        "type": "tool_use",
                        "id": "t2",
                        "name": "look",
                        "input": {},
                        "cache_control": {"type": "ephemeral"},
                        "caller": {"type": "direct"},
                        "toolset_name": "b",
                    },
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "t1", "content": "1"},
                    {"type": "tool_result", "tool_use_id": "t2", "content": "2"},
                    {"type": "text", "text": "and now?"},
                ],
            },
        ),
    ),
    Case(
        "a reminder between the results and the next words",
        turn(
            ASK,
            ToolCall("t1", "look", "{}"),
            ToolResult("t1", ()),
            Instruction((Text("Note."),)),
            UserMessage((Text("On"),)),
        ),
        body(
            ASKED,
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "t1", "name": "look", "input": {}}],
            },
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "t1", "content": ""}],
            },
            {"role": "system", "content": "Note."},
            {"role": "user", "content": "On"},
        ),
    ),
]

CASES: list[Case] = [*_SETTINGS, *_SYSTEM, *_PARTS, *_SAID, *_CALLS]

MEANS: list[Case] = [
    Case(
        "one text as a list",
        turn(),
        body({"role": "user", "content": [{"type": "text", "text": "Hello"}]}),
    ),
    setting("empty system", {"system": ""}),
    setting("no system blocks", {"system": []}),
    setting(
        "nulls",
        {"system": None, "tools": None, "thinking": None, "container": None, "stream": None},
    ),
    setting("empty metadata", {"metadata": {}}),
    setting("no stop sequences", {"stop_sequences": []}),
    setting(
        "the default choice", {"tools": [PUBLISHED], "tool_choice": {"type": "auto"}}, tools=(TOOL,)
    ),
    setting("no tool of none", {"tool_choice": {"type": "none"}}),
    setting("custom tool, so called", {"tools": [{"type": "custom", **PUBLISHED}]}, tools=(TOOL,)),
    setting(
        "format in its older place",
        {"output_format": {"type": "json_schema", "schema": SCHEMA}},
        output_format=JsonSchema(None, SCHEMA),
    ),
    setting(
        "leading system messages",
        {
            "system": "a",
            "messages": [
                {
                    "role": "system",
                    "content": [{"type": "text", "text": "b"}, {"type": "text", "text": "c"}],
                },
                {"role": "system", "content": ""},
                ASKED,
            ],
        },
        instructions=tuple(Instruction((Text(text),)) for text in "abc"),
    ),
    Case(
        "two assistant messages",
        turn(ASK, AssistantMessage((Text("a"), Text("b")))),
        body(
            ASKED,
            {"role": "assistant", "content": ""},
            {"role": "assistant", "content": "a"},
            {"role": "assistant", "content": [{"type": "text", "text": "b", "citations": []}]},
            {"role": "assistant", "content": []},
        ),
    ),
    Case(
        "results in two messages, then nothing, then words",
        turn(
            ASK,
            ToolCall("t1", "look", "{}"),
            ToolCall("t2", "look", "{}"),
            ToolResult("t1", ()),
            ToolResult("t2", ()),
            UserMessage((Text("On"),)),
        ),
        body(
            ASKED,
            {
                "role": "assistant",
                "content": [
                    {"type": "tool_use", "id": "t1", "name": "look", "input": {}},
                    {"type": "tool_use", "id": "t2", "name": "look", "input": {}},
                ],
            },
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1"}]},
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "t2", "content": []}],
            },
            {"role": "user", "content": ""},
            {"role": "user", "content": "On"},
        ),
    ),
    Case(
        "thinking without a signature",
        turn(ASK, Reasoning("plan")),
        body(ASKED, {"role": "assistant", "content": [{"type": "thinking", "thinking": "plan"}]}),
    ),
]
