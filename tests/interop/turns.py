"""Neutral turns whose bytes the SDKs' own parameter types must accept."""

from __future__ import annotations

from typing import Any

from llm_projections import (
    NONE,
    REQUIRED,
    Anonymous,
    AssistantMessage,
    Binding,
    Capabilities,
    DataSource,
    Dialect,
    FunctionTool,
    Image,
    Instruction,
    JsonSchema,
    Named,
    Protocol,
    Sampling,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    TurnRequest,
    UrlSource,
    UserMessage,
)

SCHEMA = {
    "type": "object",
    "properties": {"path": {"type": "string"}},
    "required": ["path"],
    "additionalProperties": False,
}
READ = FunctionTool("read", "Reads a file.", SCHEMA)
NOW = FunctionTool("now", None, {"type": "object", "properties": {}})
PROTOCOLS = {p.short: p for p in Protocol}


def binding(wire: str) -> Binding:
    """The vendor's own endpoint, taking all that the wire has."""
    return Binding(
        PROTOCOLS[wire],
        provider="vendor",
        account="a",
        endpoint="e",
        model="m",
        upstream_name="upstream",
        base_url="http://sdk.invalid/v1/",
        auth=Anonymous(),
        capabilities=Capabilities.all(200_000, 8_000),
        dialect=Dialect(),
    )


def ask(*items: Any, **settings: Any) -> TurnRequest:
    """A turn over these items."""
    return TurnRequest("m", items, **settings)


def user(said: str) -> UserMessage:
    """What the user said."""
    return UserMessage((Text(said),))


CALLED = (
    user("Read a and b."),
    AssistantMessage((Text("Reading."),)),
    ToolCall("call_1", "read", '{"path":"a"}'),
    ToolCall("call_2", "read", '{"path":"b"}'),
    ToolResult("call_1", (Text("A"),)),
    ToolResult("call_2", (Text("no such file"),), failed=True),
)

TURNS: dict[str, TurnRequest] = {
    "text": TurnRequest.text("m", "hi", instructions="Be brief."),
    "two instructions": TurnRequest.text(
        "m", "hi", instructions=(Instruction((Text("One."),)), Instruction((Text("Two."),)))
    ),
    "separators": TurnRequest.text("m", "a\u2028b\u2029c\u0085d 🙂"),
    "conversation": ask(user("hi"), AssistantMessage((Text("hello"),)), user("bye")),
    "tools": ask(user("go"), tools=(READ, NOW)),
    "strict tool": ask(user("go"), tools=(FunctionTool("read", "Reads.", SCHEMA, strict=True),)),
    "a forced call": ask(user("go"), tools=(READ, NOW), tool_choice=REQUIRED),
    "a named call": ask(user("go"), tools=(READ, NOW), tool_choice=Named("now")),
    "no call": ask(user("go"), tools=(READ,), tool_choice=NONE),
    "one call at a time": ask(user("go"), tools=(READ,), parallel_tool_calls=False),
    "calls and results": ask(*CALLED, tools=(READ,)),
    "image": ask(UserMessage((Text("What?"), Image(DataSource("aGk=", "image/png"))))),
    "image url": ask(UserMessage((Image(UrlSource("https://example.com/a.png")),))),
    "schema": ask(user("go"), output_format=JsonSchema("answer", SCHEMA)),
    "sampling": ask(user("go"), sampling=Sampling(temperature=0.5, top_p=0.9)),
    "limit": ask(user("go"), max_output_tokens=100),
    "effort": ask(user("go"), thinking=Thinking(effort="low")),
}
