"""The official clients as their users drive them, each told in the same words.

A client asks the gateway at `base_url` for a model by name. What it saw comes back as `Told`: text,
reasoning, calls, stop, counters, or what it raised. Nothing here knows what wire the server speaks.
"""

from __future__ import annotations

import asyncio
import json
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from typing import Any

from pydantic import BaseModel

openai: Any = import_module("openai")
anthropic: Any = import_module("anthropic")

QUESTION = "What is in the files?"
MORE = {"role": "user", "content": "And now?"}
SCHEMA = {
    "type": "object",
    "properties": {"path": {"type": "string"}},
    "required": ["path"],
    "additionalProperties": False,
}
DESCRIPTION = "The text of a file."


class Point(BaseModel):
    """What a structured answer holds."""

    x: int
    y: int


@dataclass
class Told:
    """What a client made of one or more answers."""

    words: str = ""
    reasoning: str = ""
    declined: bool = False
    calls: list[tuple[str, str, Any]] = field(default_factory=list[tuple[str, str, Any]])
    stop: str = ""
    usage: tuple[int | None, int | None, int | None] | None = None
    model: str = ""
    parsed: Any = None
    error: str = ""
    status: int | None = None
    code: str | None = None
    message: str = ""
    retry_after: str | None = None


def read(path: str) -> str:
    """The tool of every loop here."""
    return f"contents of {path}"


class Chat:
    """`openai` on Chat Completions."""

    name = "chat"

    def __init__(self, base_url: str) -> None:
        options = {"api_key": "client-key", "base_url": f"{base_url}/v1", "max_retries": 0}
        self.client = openai.OpenAI(**options)
        self.awaited = partial(openai.AsyncOpenAI, **options)
        self.tools = [
            {
                "type": "function",
                "function": {"name": "read", "description": DESCRIPTION, "parameters": SCHEMA},
            }
        ]

    def arguments(self, model: str) -> dict[str, Any]:
        return {
            "model": model,
            "messages": [{"role": "user", "content": QUESTION}],
            "stream_options": {"include_usage": True},
        }

    def stream(self, model: str, **more: Any) -> Told:
        """The stream helper."""
        told = Told()
        with (
            caught(told),
            self.client.chat.completions.stream(**self.arguments(model) | more) as stream,
        ):
            for event in stream:
                if event.type == "content.delta":
                    told.words += event.delta
            self.tell(told, final_completion(stream))
        return told

    async def stream_awaited(self, model: str) -> Told:
        """The asynchronous stream helper."""
        told = Told()
        with caught(told):
            async with (
                self.awaited() as client,
                client.chat.completions.stream(**self.arguments(model)) as stream,
            ):
                self.tell(told, await stream.get_final_completion())
        return told

    def whole(self, model: str, *, retries: int = 0) -> Told:
        """A call without streaming."""
        told = Told()
        arguments = self.arguments(model)
        del arguments["stream_options"]
        with caught(told):
            client = self.client.with_options(max_retries=retries)
            self.tell(told, client.chat.completions.create(**arguments))
        return told

    def parse(self, model: str, *, streamed: bool) -> Told:
        """Structured output."""
        told = Told()
        if streamed:
            return self.stream(model, response_format=Point)
        arguments = self.arguments(model)
        del arguments["stream_options"]
        with caught(told):
            completion = self.client.chat.completions.parse(**arguments, response_format=Point)
            self.tell(told, completion)
        return told

    def loop(self, model: str) -> Told:
        """Turn after turn, each answer replayed as the object that the client gave."""
        told = Told()
        arguments = self.arguments(model) | {"tools": self.tools}
        with caught(told):
            while True:
                with self.client.chat.completions.stream(**arguments) as stream:
                    completion = stream.get_final_completion()
                message = completion.choices[0].message
                self.tell(told, completion)
                if not message.tool_calls:
                    return told
                results = [
                    {"role": "tool", "tool_call_id": c.id, "content": result(c.function.arguments)}
                    for c in message.tool_calls
                ]
                arguments["messages"] = [*arguments["messages"], message, *results]
        return told

    def go_on(self, model: str) -> Told:
        """A structured answer, replayed as the object that the client gave, and one more turn."""
        told = Told()
        arguments = self.arguments(model)
        del arguments["stream_options"]
        with caught(told):
            parse = self.client.chat.completions.parse
            message = parse(**arguments, response_format=Point).choices[0].message
            arguments["messages"] = [*arguments["messages"], message, MORE]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the client's own doubts about its own object
                self.tell(told, self.client.chat.completions.create(**arguments))
        return told

    def tell(self, told: Told, completion: Any) -> None:
        (choice,) = completion.choices
        message = choice.message
        refusal = message.refusal or ""
        told.words = (message.content or "") + refusal
        told.reasoning += getattr(message, "reasoning_content", None) or ""
        told.declined = bool(refusal) or choice.finish_reason == "content_filter"
        told.calls += [
            (c.id, c.function.name, json.loads(c.function.arguments))
            for c in message.tool_calls or ()
        ]
        stops = {"stop": "end", "tool_calls": "tools", "length": "limit"}
        told.stop = stops.get(choice.finish_reason, choice.finish_reason)
        counted = completion.usage
        cached = counted and counted.prompt_tokens_details
        told.usage = counted and (
            counted.prompt_tokens,
            cached and cached.cached_tokens,
            counted.completion_tokens,
        )
        told.model = completion.model
        told.parsed = getattr(message, "parsed", None)


class Messages:
    """`anthropic` on Messages."""

    name = "messages"

    def __init__(self, base_url: str) -> None:
        options = {"api_key": "client-key", "base_url": base_url, "max_retries": 0}
        self.client = anthropic.Anthropic(**options)
        self.awaited = partial(anthropic.AsyncAnthropic, **options)
        self.tools = [{"name": "read", "description": DESCRIPTION, "input_schema": SCHEMA}]

    def arguments(self, model: str) -> dict[str, Any]:
        messages = [{"role": "user", "content": QUESTION}]
        return {"model": model, "max_tokens": 1_000, "messages": messages}

    def stream(self, model: str, **more: Any) -> Told:
        """The stream helper."""
        told = Told()
        with caught(told), self.client.messages.stream(**self.arguments(model) | more) as stream:
            for event in stream:
                if event.type == "text":
                    told.words += event.text
            self.tell(told, stream.get_final_message())
        return told

    async def stream_awaited(self, model: str) -> Told:
        """The asynchronous stream helper."""
        told = Told()
        with caught(told):
            async with (
                self.awaited() as client,
                client.messages.stream(**self.arguments(model)) as stream,
            ):
                self.tell(told, await stream.get_final_message())
        return told

    def whole(self, model: str, *, retries: int = 0) -> Told:
        """A call without streaming."""
        told = Told()
        with caught(told):
            client = self.client.with_options(max_retries=retries)
            self.tell(told, client.messages.create(**self.arguments(model)))
        return told

    def parse(self, model: str, *, streamed: bool) -> Told:
        """Structured output."""
        if streamed:
            return self.stream(model, output_format=Point)
        told = Told()
        with caught(told):
            message = self.client.messages.parse(**self.arguments(model), output_format=Point)
            self.tell(told, message)
        return told

    def loop(self, model: str) -> Told:
        """Turn after turn, each answer replayed as the object that the client gave."""
        told = Told()
        arguments = self.arguments(model) | {"tools": self.tools}
        with caught(told):
            while True:
                with self.client.messages.stream(**arguments) as stream:
                    message = stream.get_final_message()
                self.tell(told, message)
                calls = [block for block in message.content if block.type == "tool_use"]
                if not calls:
                    return told
                results = [
                    {"type": "tool_result", "tool_use_id": c.id, "content": read(c.input["path"])}
                    for c in calls
                ]
                arguments["messages"] = [
                    *arguments["messages"],
                    {"role": "assistant", "content": message.content},
                    {"role": "user", "content": results},
                ]
        return told

    def go_on(self, model: str) -> Told:
        """A structured answer, replayed as the object that the client gave, and one more turn."""
        told = Told()
        arguments = self.arguments(model)
        with caught(told):
            content = self.client.messages.parse(**arguments, output_format=Point).content
            said = {"role": "assistant", "content": content}
            arguments["messages"] = [*arguments["messages"], said, MORE]
            self.tell(told, self.client.messages.create(**arguments))
        return told

    def run_tools(self, model: str) -> Told:
        """The client's own tool runner."""
        told = Told()
        tool = anthropic.beta_tool(read, description=DESCRIPTION)
        arguments = self.arguments(model) | {"tools": [tool]}
        with caught(told):
            for message in self.client.beta.messages.tool_runner(**arguments):
                self.tell(told, message)
        return told

    def tell(self, told: Told, message: Any) -> None:
        told.words = "".join(b.text for b in message.content if b.type == "text")
        told.reasoning += "".join(b.thinking for b in message.content if b.type == "thinking")
        told.declined = message.stop_reason == "refusal"
        told.calls += [(b.id, b.name, b.input) for b in message.content if b.type == "tool_use"]
        stops = {"end_turn": "end", "tool_use": "tools", "max_tokens": "limit"}
        told.stop = stops.get(message.stop_reason, message.stop_reason)
        counted = message.usage
        parts = (counted.cache_creation_input_tokens, counted.cache_read_input_tokens)
        given = counted.input_tokens + sum(part or 0 for part in parts)
        told.usage = (given, counted.cache_read_input_tokens, counted.output_tokens)
        told.model = message.model
        told.parsed = getattr(message, "parsed_output", None)


class Responses:
    """`openai` on Responses."""

    name = "responses"

    def __init__(self, base_url: str) -> None:
        options = {"api_key": "client-key", "base_url": f"{base_url}/v1", "max_retries": 0}
        self.client = openai.OpenAI(**options)
        self.awaited = partial(openai.AsyncOpenAI, **options)
        tool = {"type": "function", "name": "read", "description": DESCRIPTION}
        self.tools = [tool | {"parameters": SCHEMA, "strict": True}]

    def arguments(self, model: str) -> dict[str, Any]:
        asked = {"model": model, "input": [{"role": "user", "content": QUESTION}]}
        return asked | {"store": False, "include": ["reasoning.encrypted_content"]}

    def stream(self, model: str, **more: Any) -> Told:
        """The stream helper."""
        told = Told()
        with caught(told), self.client.responses.stream(**self.arguments(model) | more) as stream:
            for event in stream:
                if event.type == "response.output_text.delta":
                    told.words += event.delta
                if event.type in ("response.failed", "response.incomplete"):
                    # the helper has no final object but that of `response.completed`
                    self.tell(told, event.response)
                    return told
            self.tell(told, stream.get_final_response())
        return told

    async def stream_awaited(self, model: str) -> Told:
        """The asynchronous stream helper."""
        told = Told()
        with caught(told):
            async with (
                self.awaited() as client,
                client.responses.stream(**self.arguments(model)) as stream,
            ):
                self.tell(told, await stream.get_final_response())
        return told

    def whole(self, model: str, *, retries: int = 0) -> Told:
        """A call without streaming."""
        told = Told()
        with caught(told):
            client = self.client.with_options(max_retries=retries)
            self.tell(told, client.responses.create(**self.arguments(model)))
        return told

    def parse(self, model: str, *, streamed: bool) -> Told:
        """Structured output."""
        if streamed:
            return self.stream(model, text_format=Point)
        told = Told()
        with caught(told):
            response = self.client.responses.parse(**self.arguments(model), text_format=Point)
            self.tell(told, response)
        return told

    def loop(self, model: str) -> Told:
        """Turn after turn, each answer replayed as the object that the client gave."""
        told = Told()
        arguments = self.arguments(model) | {"tools": self.tools}
        with caught(told):
            while True:
                with self.client.responses.stream(**arguments) as stream:
                    response = stream.get_final_response()
                self.tell(told, response)
                calls = [item for item in response.output if item.type == "function_call"]
                if not calls:
                    return told
                results = [
                    {
                        "type": "function_call_output",
                        "call_id": c.call_id,
                        "output": result(c.arguments),
                    }
                    for c in calls
                ]
                arguments["input"] = [*arguments["input"], *response.output, *results]
        return told

    def go_on(self, model: str) -> Told:
        """A structured answer, replayed as the object that the client gave, and one more turn."""
        told = Told()
        arguments = self.arguments(model)
        with caught(told):
            output = self.client.responses.parse(**arguments, text_format=Point).output
            arguments["input"] = [*arguments["input"], *output, MORE]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the client's own doubts about its own object
                self.tell(told, self.client.responses.create(**arguments))
        return told

    def tell(self, told: Told, response: Any) -> None:
        if response.error is not None:
            told.error, told.code = "response.failed", response.error.code
            told.message = response.error.message
            return
        parts = [p for item in response.output if item.type == "message" for p in item.content]
        refused = "".join(p.refusal for p in parts if p.type == "refusal")
        told.words = "".join(p.text for p in parts if p.type == "output_text") + refused
        thoughts = [item for item in response.output if item.type == "reasoning"]
        told.reasoning += "".join(
            p.text for item in thoughts for p in (*item.summary, *(item.content or ()))
        )
        calls = [item for item in response.output if item.type == "function_call"]
        told.calls += [(c.call_id, c.name, json.loads(c.arguments)) for c in calls]
        reason = response.incomplete_details and response.incomplete_details.reason
        told.declined = bool(refused) or reason == "content_filter"
        ended = "tools" if calls else "end"
        told.stop = {None: ended, "max_output_tokens": "limit"}.get(reason, reason)
        counted = response.usage
        told.usage = counted and (
            counted.input_tokens,
            counted.input_tokens_details.cached_tokens,
            counted.output_tokens,
        )
        told.model = response.model
        told.parsed = getattr(response, "output_parsed", None)


Client = Chat | Messages | Responses
CLIENTS: dict[str, Callable[[str], Any]] = {
    "chat": Chat,
    "messages": Messages,
    "responses": Responses,
}


def result(arguments: str) -> str:
    """What the tool gives for these arguments."""
    return read(json.loads(arguments)["path"])


def final_completion(stream: Any) -> Any:
    """The helper raises for these two finish reasons however well the stream ended."""
    try:
        return stream.get_final_completion()
    except (openai.LengthFinishReasonError, openai.ContentFilterFinishReasonError):
        return stream.current_completion_snapshot


class caught:  # noqa: N801  (reads like the function that it is)
    """Tell what a client raises; its own errors and its accidents alike are what its user sees."""

    def __init__(self, told: Told) -> None:
        self.told = told

    def __enter__(self) -> None:
        """Nothing to prepare."""

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> bool:
        if error is None or not isinstance(error, Exception):
            return False
        told = self.told
        told.error = type(error).__name__
        told.status = getattr(error, "status_code", None)
        told.code = getattr(error, "code", None) or getattr(error, "type", None)
        told.message = str(error)
        answer = getattr(error, "response", None)
        told.retry_after = answer.headers.get("retry-after") if answer is not None else None
        return True


def awaited(client: Client, model: str) -> Told:
    """What the asynchronous client saw."""
    return asyncio.run(client.stream_awaited(model))
