"""What the tables of Responses turns and bodies are made of."""

from typing import Any, NamedTuple

from llm_projections.model.items import (
    CustomToolCall,
    Extension,
    Item,
    Protocol,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
)
from llm_projections.model.tools import (
    Tool,
)
from llm_projections.model.turn import TurnRequest

R = Protocol.RESPONSES
Body = dict[str, Any]

USER: Body = {"type": "message", "role": "user", "content": "Hi"}
SCHEMA: Body = {"type": "object", "properties": {"city": {"type": "string"}}}
WEATHER: Body = {
    "type": "function",
    "name": "weather",
    "description": "The weather.",
    "parameters": SCHEMA,
    "strict": False,
}
PATCH: Body = {"type": "custom", "name": "patch"}


class Case(NamedTuple):
    """A turn whose marks are given, and the whole body that says it."""

    name: str
    turn: TurnRequest
    body: Body


def said(**keys: Any) -> Body:
    """A whole body: what is always written around `keys`."""
    pinned = {"store": False, "stream": True, "include": ["reasoning.encrypted_content"]}
    return {"model": "m", "input": [USER], **keys} | pinned


def turn(*items: Item, **settings: Any) -> TurnRequest:
    """A turn of `items`, or of one greeting."""
    return TurnRequest("m", items or (UserMessage((Text("Hi"),)),), cache_marks="given", **settings)


def carried(path: str, value: Any) -> Extension:
    """A carried thing of this wire."""
    return Extension(R, path, value)


def setting(name: str, body: Body, **fields: Any) -> Case:
    """A greeting with one setting."""
    return Case(name, turn(**fields), said(**body))


def items(name: str, *pairs: tuple[Item, Body]) -> Case:
    """A conversation after a greeting, item by item."""
    first = UserMessage((Text("Hi"),))
    return Case(
        name,
        turn(first, *(item for item, _ in pairs)),
        said(input=[USER, *(node for _, node in pairs)]),
    )


def part(name: str, held: Any, node: Body) -> Case:
    """One part beside a text in a user's message."""
    words: Body = {"type": "input_text", "text": "See"}
    return Case(
        name,
        turn(UserMessage((Text("See"), held))),
        said(input=[{"type": "message", "role": "user", "content": [words, node]}]),
    )


def tool(name: str, held: Tool, node: Body) -> Case:
    """One published tool."""
    return setting(name, {"tools": [node]}, tools=(held,))


CALL = ToolCall("c1", "weather", '{"city": "Oslo",  "n": 12345678901234567890}')
CALL_BODY: Body = {
    "type": "function_call",
    "call_id": "c1",
    "name": "weather",
    "arguments": '{"city": "Oslo",  "n": 12345678901234567890}',
}
CUSTOM = CustomToolCall("c1", "patch", "*** Begin\n")
CUSTOM_BODY: Body = {
    "type": "custom_tool_call",
    "call_id": "c1",
    "name": "patch",
    "input": "*** Begin\n",
}


def answered(name: str, result: ToolResult, output: Any, **more: Any) -> Case:
    """A call and what came back."""
    node: Body = {"type": "function_call_output", "call_id": "c1", "output": output, **more}
    return items(name, (CALL, CALL_BODY), (result, node))
