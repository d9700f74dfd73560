"""Brings request bodies that mean the same to one form, so that only differences in meaning show.

Written from the vendors' pages, apart from the library's own tables: a spelling that the library
folds and this page does not know shows up in the run, for a person to judge.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

# Schemas, metadata and arguments belong to the caller: nothing in them is a spelling.
FREE = frozenset(
    {"parameters", "input_schema", "schema", "metadata", "output_schema", "variables", "logit_bias"}
)
PINNED: dict[str, frozenset[str]] = {
    "chat": frozenset({"model", "stream", "stream_options", "max_tokens", "max_completion_tokens"}),
    "messages": frozenset({"model", "stream", "max_tokens"}),
    "responses": frozenset({"model", "stream", "store", "include"}),
}
# Settings whose absence means the same, from the vendors' reference pages.
DEFAULTS: dict[str, dict[str, Any]] = {
    "chat": {
        "n": 1,
        "tool_choice": "auto",
        "store": False,
        "stream": False,
        "logprobs": False,
        "modalities": ["text"],
    },
    "messages": {"tool_choice": {"type": "auto"}, "stream": False},
    "responses": {
        "tool_choice": "auto",
        "background": False,
        "stream": False,
        "include": [],
        "truncation": "disabled",
        "text": {"format": {"type": "text"}},
    },
}


def normal(wire: str, body: Any, *, pinned: bool) -> Any:
    """A body in the one form that this run compares; `pinned` leaves out what writers add."""
    kept = {k: v for k, v in body.items() if not (pinned and k in PINNED[wire])}
    plain = _without_nothing(kept)
    if pinned:
        for tool in _objects(plain.get("tools")):
            tool.pop("strict", None)
            if isinstance(tool.get("function"), dict):
                tool["function"].pop("strict", None)
    for key, value in DEFAULTS[wire].items():
        if plain.get(key) == value:
            del plain[key]
    for key in ("tools", "stop", "stop_sequences", "metadata", "extra_body", "provider"):
        if plain.get(key) in ([], {}):
            del plain[key]
    _NORMAL[wire](plain)
    return plain


def differences(before: Any, after: Any, at: str = "") -> list[str]:
    """The places where two bodies differ, indexes left out of the paths."""
    if isinstance(before, dict) and isinstance(after, dict):
        found: list[str] = []
        for key in before.keys() | after.keys():
            inner = f"{at}.{key}" if at else key
            if key not in after:
                found.append(f"gone   {inner}")
            elif key not in before:
                found.append(f"new    {inner}")
            else:
                found += differences(before[key], after[key], inner)
        return found
    if isinstance(before, list) and isinstance(after, list):
        if len(before) != len(after):
            return [f"length {at}[]"]
        return [d for b, a in zip(before, after, strict=True) for d in differences(b, a, f"{at}[]")]
    same = type(before) is type(after) and before == after
    return [] if same or _equal_numbers(before, after) else [f"value  {at}"]


def _equal_numbers(before: Any, after: Any) -> bool:
    numbers = isinstance(before, int | float) and isinstance(after, int | float)
    return (
        numbers and not isinstance(before, bool) and not isinstance(after, bool) and before == after
    )


def _without_nothing(value: Any, free: bool = False) -> Any:
    if isinstance(value, dict):
        return {
            key: _without_nothing(inner, free or key in FREE)
            for key, inner in value.items()
            if free or inner is not None
        }
    return [_without_nothing(inner, free) for inner in value] if isinstance(value, list) else value


def _parts(content: Any, kind: str) -> Any:
    if isinstance(content, str):
        return [{"type": kind, "text": content}] if content else []
    if isinstance(content, list):
        return [{"type": kind, "text": p} if isinstance(p, str) else p for p in content]
    return [] if content is None else content


def _chat(body: dict[str, Any]) -> None:
    if isinstance(body.get("stop"), str):
        body["stop"] = [body["stop"]]
    for message in _objects(body.get("messages")):
        message["content"] = _parts(message.get("content"), "text")
        if message["content"] and message.get("tool_calls"):
            message["content"] = [
                p for p in message["content"] if p != {"type": "text", "text": ""}
            ]
        for empty in ("tool_calls", "annotations", "reasoning_details"):
            if message.get(empty) == []:
                del message[empty]
        if message.get("prefix") is False:
            del message["prefix"]
        for part in _objects(message["content"]):
            if isinstance(part.get("image_url"), str):
                part["image_url"] = {"url": part["image_url"]}
        if message.get("reasoning_content", message.get("reasoning")) == "":
            message.pop("reasoning_content", None)
            message.pop("reasoning", None)
        for call in _objects(message.get("tool_calls")):
            call.pop("index", None)
            call.setdefault("type", "function")
            _empty_arguments(call.get("function"))
    for tool in _objects(body.get("tools")):
        tool.setdefault("type", "function")
        _default_format(tool.get("custom"))
    form = body.get("response_format")
    if form == {"type": "text"}:
        del body["response_format"]


def _messages(body: dict[str, Any]) -> None:
    if "system" in body:
        body["system"] = _parts(body["system"], "text")
        if not body["system"]:
            del body["system"]
    if "output_format" in body:
        body.setdefault("output_config", {})["format"] = body.pop("output_format")
    joined: list[Any] = []
    for message in _objects(body.get("messages")):
        message["content"] = _parts(message.get("content"), "text")
        for block in _objects(message["content"]):
            _message_block(block)
        previous = joined[-1] if joined else {"role": None}
        same_role = previous["role"] == message.get("role")
        # The vendor combines neighbours of one role; user texts apart from results stay apart here.
        if same_role and (previous["role"] == "assistant" or _results(previous)):
            previous["content"] = previous["content"] + message["content"]
        else:
            joined.append(message)
    if joined:
        body["messages"] = joined
    for tool in _objects(body.get("tools")):
        if tool.get("type") == "custom" and "input_schema" in tool:
            del tool["type"]


def _message_block(block: dict[str, Any]) -> None:
    if block.get("type") == "tool_result":
        block["content"] = _parts(block.get("content"), "text")
        if block.get("is_error") is False:
            del block["is_error"]
    if block.get("citations") == []:
        del block["citations"]
    if block.get("cache_control") == {"type": "ephemeral", "ttl": "5m"}:
        block["cache_control"] = {"type": "ephemeral"}


def _results(message: Any) -> bool:
    return any(block.get("type") == "tool_result" for block in _objects(message["content"]))


def _responses(body: dict[str, Any]) -> None:
    items = body.get("input", [])
    if isinstance(items, str):
        items = [{"type": "message", "role": "user", "content": items}]
    if not isinstance(items, list):
        return
    body["input"] = [_response_item(item) if isinstance(item, dict) else item for item in items]
    if "user" in body and "safety_identifier" not in body:
        body["safety_identifier"] = body.pop("user")  # renamed by the vendor
    instructions = body.pop("instructions", None)
    if isinstance(instructions, str) and instructions:
        first = {"type": "message", "role": "developer"}
        body["input"].insert(0, first | {"content": _parts(instructions, "input_text")})
    for item in body["input"]:
        if not isinstance(item, dict) or item.get("role") not in ("system", "developer"):
            break
        # The vendor reads both as one, and the leading ones go out under one name.
        item["role"] = "developer"
    for tool in _objects(body.get("tools")):
        _default_format(tool)
    for empty in ("text", "reasoning"):
        if body.get(empty) == {}:
            del body[empty]


def _response_item(item: dict[str, Any]) -> dict[str, Any]:
    kind = item.setdefault("type", "message" if "role" in item else "item_reference")
    if item.get("status") == "completed":
        del item["status"]
    if kind == "message":
        spoken = "output_text" if item.get("role") == "assistant" else "input_text"
        item["content"] = _parts(item.get("content"), spoken)
        _image_details(item["content"])
        for part in _objects(item["content"]):
            if part.get("type") == "output_text" or item.get("role") == "assistant":
                part.update({"type": spoken} if part.get("type") == "input_text" else {})
                for empty in ("annotations", "logprobs"):
                    if part.get(empty) == []:
                        del part[empty]
    if kind in ("function_call_output", "custom_tool_call_output"):
        item["output"] = _parts(item.get("output"), "input_text")
        _image_details(item["output"])
    if kind == "function_call":
        _empty_arguments(item)
    if kind == "reasoning":
        item.setdefault("summary", [])
        if item.get("content") == []:
            del item["content"]
    return item


def _image_details(parts: Any) -> None:
    # The type requires `detail`, whose stated default is "auto"; few clients send it.
    for part in _objects(parts):
        if part.get("type") == "input_image":
            part.setdefault("detail", "auto")


def _empty_arguments(call: Any) -> None:
    if isinstance(call, dict) and call.get("arguments") == "":
        call["arguments"] = "{}"


def _default_format(tool: Any) -> None:
    if isinstance(tool, dict) and tool.get("format") == {"type": "text"}:
        del tool["format"]


def _objects(values: Any) -> list[dict[str, Any]]:
    return [v for v in values if isinstance(v, dict)] if isinstance(values, list) else []


_NORMAL: dict[str, Callable[[dict[str, Any]], None]] = {
    "chat": _chat,
    "messages": _messages,
    "responses": _responses,
}


def same(wire: str, one: bytes, other: bytes, *, pinned: bool = True) -> list[str]:
    """Where two request bodies differ in meaning."""
    before, after = (normal(wire, json.loads(body), pinned=pinned) for body in (one, other))
    return differences(before, after)
