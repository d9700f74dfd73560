"""Turns and the Messages bodies that say the same.

`CASES` go both ways. `MEANS` are other spellings of a body: they are read as the turn, and it is never written so.
"""

from __future__ import annotations

from llm_projections.model.items import (
    AssistantMessage,
    Instruction,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
)
from llm_projections.model.tools import (
    JsonSchema,
)
from llm_projections.wires.messages.vocab import UNSIGNED_MEMORY
from tests.cases.messages_rows import COUNTS, REFUSED, ROWS, Refused
from tests.cases.messages_settings import SETTINGS, SYSTEM
from tests.cases.messages_talks import CALLS, PARTS, SAID
from tests.cases.messages_words import (
    ASK,
    ASKED,
    BINDING,
    HOME,
    PUBLISHED,
    REDACTED,
    SCHEMA,
    SIGNED,
    TOOL,
    WIRE,
    Case,
    body,
    own,
    setting,
    turn,
)

__all__ = [
    "ASK",
    "ASKED",
    "BINDING",
    "CASES",
    "COUNTS",
    "HOME",
    "MEANS",
    "PUBLISHED",
    "REDACTED",
    "REFUSED",
    "SCHEMA",
    "SIGNED",
    "TOOL",
    "WIRE",
    "Case",
    "Refused",
    "body",
    "own",
    "turn",
]

CASES: list[Case] = [*SETTINGS, *SYSTEM, *PARTS, *SAID, *CALLS, *ROWS]

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
        turn(ASK, Reasoning("plan", False, (UNSIGNED_MEMORY,))),
        body(ASKED, {"role": "assistant", "content": [{"type": "thinking", "thinking": "plan"}]}),
    ),
]
