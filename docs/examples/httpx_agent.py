"""An agent over httpx: it streams a turn, runs the tools that the model calls, and goes on.

The codec writes each request and reads each answer; httpx moves the bytes. Nothing depends on
which of the three wires the server speaks.

    python httpx_agent.py messages=https://api.example/v1/=MODEL=KEY_VARIABLE "What is in a.txt?"
"""

import argparse
import json
from pathlib import Path

import httpx
from attrs import evolve
from declared import target

from llm_projections import (
    CROSS_VENDOR,
    FunctionTool,
    ReasoningDelta,
    Refusal,
    Text,
    TextDelta,
    ToolCall,
    ToolResult,
    TurnCompleted,
    TurnFailed,
    TurnRequest,
    wire,
)

SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
READ = FunctionTool("read_file", "The text of a file of the current folder.", SCHEMA)


def stream(client, turn, binding, credential=None):
    """The events of one turn. A refusal on the way is raised; it says whether a retry is safe."""
    server = wire(binding.protocol)
    # reasoning of earlier turns is left out where the server has no place for it
    body = server.encode_request(turn, binding, accept=CROSS_VENDOR)
    headers = server.request_headers(binding, request=turn, credential=credential)
    with client.stream(
        "POST", server.request_url(binding), headers=list(headers), content=body
    ) as answer:
        said = answer.headers.multi_items()
        if server.answer_kind(answer.status_code, said, binding) == "error":
            raise server.decode_error(answer.status_code, said, answer.read(), binding)
        for event in server.decode_stream(answer.iter_bytes(), binding, request=turn):
            if isinstance(event, TurnFailed):
                raise event.error
            yield event


def run(call, folder):
    """What a call of a tool gives the model: a result, or the words of what went wrong."""
    try:
        path = (folder / json.loads(call.arguments)["path"]).resolve()
        if not path.is_relative_to(folder.resolve()):
            raise PermissionError("outside the folder")
        return ToolResult(call.call_id, (Text(path.read_text()),), failed=False)
    except (OSError, ValueError, KeyError, TypeError) as error:
        return ToolResult(call.call_id, (Text(str(error)),), failed=True)


def agent(client, turn, binding, folder, credential=None, show=print):
    """Turn after turn, until the model calls nothing; returns the last turn and its outcome."""
    while True:
        outcome = None
        for event in stream(client, turn, binding, credential):
            if isinstance(event, TextDelta | ReasoningDelta):
                show(event.text)
            elif isinstance(event, TurnCompleted):
                outcome = event.outcome
        calls = [item for item in outcome.items if isinstance(item, ToolCall)]
        turn = evolve(turn, items=turn.items + outcome.items)
        if not calls:
            return turn, outcome
        results = tuple(run(call, folder) for call in calls)
        turn = evolve(turn, items=turn.items + results)


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("target", type=target, help="see declared.py")
    options.add_argument("question")
    asked = options.parse_args()
    where, key = asked.target
    first = TurnRequest.text(where.model, asked.question, tools=(READ,))
    try:
        with httpx.Client(timeout=120) as http:
            agent(http, first, where, Path.cwd(), key, lambda text: print(text, end="", flush=True))
    except Refusal as refusal:
        raise SystemExit(f"{refusal} (a retry is safe: {refusal.may_retry})") from None
