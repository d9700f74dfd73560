"""Request bodies of the three wires as an agent program sends them after many turns."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

import orjson

from tests.bench.words import TOOLS, prose, sealed, tag

Body = dict[str, Any]

# Instructions and tools; a step takes some 900 bytes beside its result.
OVERHEAD = 115_000


@dataclass
class Step:
    """One model turn with its call, and what the tool gave back."""

    thought: str
    seal: str
    said: str
    call_id: str
    name: str
    arguments: Body
    result: str


@dataclass
class History:
    """A conversation: the task, the steps, the model's last words, and the person's next ones."""

    system: str
    task: str
    steps: list[Step]
    last: str
    ask: str
    tools: list[tuple[str, str, Body]]


def history(count: int, size: int) -> History:
    """About so many messages that take about so many bytes; results take what is left over."""
    random = Random(f"history {count} {size}")
    tools = [_tool(random, index) for index in range(24)]
    steps = (count - 3) // 2
    room = max(200, (size - OVERHEAD) // steps - 900)
    return History(
        system=prose(random, 3000),
        task=prose(random, 200),
        steps=[_step(random, int(room * random.uniform(0.5, 1.5))) for _ in range(steps)],
        last=prose(random, 60),
        ask=prose(random, 12),
        tools=tools,
    )


def _tool(random: Random, index: int) -> tuple[str, str, Body]:
    properties = {
        f"option_{place}": {
            "type": random.choice(("string", "integer", "boolean")),
            "description": prose(random, 25),
        }
        for place in range(random.randint(2, 7))
    }
    schema = {
        "type": "object",
        "properties": properties,
        "required": list(properties)[:2],
        "additionalProperties": False,
    }
    name = TOOLS[index] if index < len(TOOLS) else f"service__tool_{index}"
    return name, prose(random, 220), schema


def _step(random: Random, room: int) -> Step:
    lines: list[str] = []
    while room > 0:
        lines.append(prose(random, 7))
        room -= len(lines[-1]) + 2
    return Step(
        thought=prose(random, 40),
        seal=sealed(random, 300),
        said=prose(random, 15),
        call_id=tag(random, "toolu_01", 22),
        name=random.choice(TOOLS),
        arguments={
            "path": f"src/part_{random.randint(0, 99)}.py",
            "from": random.randint(0, 900),
            "text": prose(random, 30),
            "exact": random.random() < 0.5,
        },
        result="\n".join(lines),
    )


def chat(told: History) -> Body:
    """Chat Completions."""
    items: list[Body] = [
        {"role": "system", "content": told.system},
        {"role": "user", "content": told.task},
    ]
    for step in told.steps:
        function = {"name": step.name, "arguments": orjson.dumps(step.arguments).decode()}
        call = {"id": step.call_id, "type": "function", "function": function}
        items.append({"role": "assistant", "content": step.said, "tool_calls": [call]})
        items.append({"role": "tool", "tool_call_id": step.call_id, "content": step.result})
    items.append({"role": "assistant", "content": told.last})
    items.append({"role": "user", "content": told.ask})
    return {
        "model": "gpt-5.2",
        "messages": items,
        "tools": [
            {
                "type": "function",
                "function": {"name": name, "description": about, "parameters": schema},
            }
            for name, about, schema in told.tools
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_completion_tokens": 32000,
    }


def messages(told: History) -> Body:
    """Messages."""
    mark = {"cache_control": {"type": "ephemeral"}}
    items: list[Body] = [{"role": "user", "content": [{"type": "text", "text": told.task}]}]
    for step in told.steps:
        thought = {"type": "thinking", "thinking": step.thought, "signature": step.seal}
        call = {
            "type": "tool_use",
            "id": step.call_id,
            "name": step.name,
            "input": step.arguments,
        }
        said = {"type": "text", "text": step.said}
        items.append({"role": "assistant", "content": [thought, said, call]})
        text = {"type": "text", "text": step.result}
        result = {"type": "tool_result", "tool_use_id": step.call_id, "content": [text]}
        items.append({"role": "user", "content": [result]})
    items.append({"role": "assistant", "content": [{"type": "text", "text": told.last}]})
    items.append({"role": "user", "content": [{"type": "text", "text": told.ask, **mark}]})
    return {
        "model": "claude-opus-4-6",
        "max_tokens": 32000,
        "system": [{"type": "text", "text": told.system, **mark}],
        "messages": items,
        "tools": [
            {"name": name, "description": about, "input_schema": schema}
            for name, about, schema in told.tools
        ],
        "thinking": {"type": "enabled", "budget_tokens": 16000},
        "stream": True,
    }


def responses(told: History) -> Body:
    """Responses."""
    items: list[Body] = [_said("user", told.task)]
    for step in told.steps:
        summary = [{"type": "summary_text", "text": step.thought}]
        seal = {"encrypted_content": step.seal}
        items.append({"type": "reasoning", "summary": summary, **seal})
        items.append(_said("assistant", step.said))
        call = {"call_id": step.call_id, "name": step.name}
        text = orjson.dumps(step.arguments).decode()
        items.append({"type": "function_call", **call, "arguments": text})
        result = {"call_id": step.call_id, "output": step.result}
        items.append({"type": "function_call_output", **result})
    items += [_said("assistant", told.last), _said("user", told.ask)]
    return {
        "model": "gpt-5.2-codex",
        "instructions": told.system,
        "input": items,
        "tools": [
            {
                "type": "function",
                "name": name,
                "description": about,
                "parameters": schema,
                "strict": False,
            }
            for name, about, schema in told.tools
        ],
        "tool_choice": "auto",
        "reasoning": {"effort": "medium", "summary": "auto"},
        "store": False,
        "stream": True,
        "include": ["reasoning.encrypted_content"],
    }


def _said(role: str, text: str) -> Body:
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


BODIES: dict[str, Callable[[History], Body]] = {
    "chat": chat,
    "messages": messages,
    "responses": responses,
}
