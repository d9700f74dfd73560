"""The tool calls of an assistant message."""

from __future__ import annotations

from llm_projections._json import Json
from llm_projections.errors import RefusalCode
from llm_projections.model.items import CustomToolCall, Extension, Item, ToolCall
from llm_projections.wires._reading import Path, Reader
from llm_projections.wires.chat.subset import TABLE

__all__ = ["read_calls"]

_FUNCTION_CALL = frozenset({"id", "type", "function", "index"})
_FUNCTION = frozenset({"name", "arguments"})
_CUSTOM_CALL = frozenset({"id", "type", "custom", "index"})
_CUSTOM = frozenset({"name", "input"})
_MISSING: dict[str, Json] = {}


def read_calls(
    reader: Reader,
    calls: Json,
    position: int,
    items: list[Item],
    custom: set[str],
    waiting: set[str],
) -> None:
    """Add the calls of message `position` to `items`, and their ids to `custom` and `waiting`."""
    path: Path = ("messages", position, "tool_calls")
    if not isinstance(calls, list):
        reader.refuse(path, "must be a list")
        return
    for place, call in enumerate(calls):
        if type(call) is not dict:
            reader.refuse((*path, place), "must be an object")
            continue
        function = call.get("function")
        if len(call) == 3 and type(function) is dict and call.get("type") == "function":
            call_id = call.get("id")
            name, arguments = function.get("name"), function.get("arguments")
            if (
                len(function) == 2
                and type(call_id) is str
                and call_id
                and type(name) is str
                and type(arguments) is str
            ):
                items.append(ToolCall(call_id, name, arguments or "{}"))
                waiting.add(call_id)
                continue
        found = _read(reader, call, (*path, place))
        items.append(found)
        waiting.add(found.call_id)
        if type(found) is CustomToolCall:
            custom.add(found.call_id)


def _read(reader: Reader, call: dict[str, Json], path: Path) -> ToolCall | CustomToolCall:
    kind = reader.string(call, "type", path)
    # servers and the programs that replay them leave the word out; only functions were ever meant by that
    if kind is None and "custom" not in call:
        kind = "function"
    call_id = reader.required(reader.string(call, "id", path), (*path, "id"), "-")
    if not call_id:
        reader.refuse((*path, "id"), "is empty")
    index = reader.integer(call, "index", path)
    if index is not None and index < 0:
        reader.refuse((*path, "index"), "must not be negative")
    if kind == "function":
        return _function(reader, call, call_id, path)
    if kind == "custom":
        return _custom(reader, call, call_id, path)
    reader.refuse((*path, "type"), "not a published call", RefusalCode.UNSUPPORTED)
    return ToolCall(call_id, "", "{}")


def _function(reader: Reader, call: dict[str, Json], call_id: str, path: Path) -> ToolCall:
    at = "request.messages[]<assistant>.tool_calls[]<function>"
    extensions = _extras(reader, call, path, at, _FUNCTION_CALL)
    inner = (*path, "function")
    function = reader.required(reader.object(call, "function", path), inner, _MISSING)
    if function is _MISSING:
        return ToolCall(call_id, "", "{}")
    extensions += _extras(reader, function, inner, f"{at}.function", _FUNCTION)
    name = reader.required(reader.string(function, "name", inner), (*inner, "name"), "")
    arguments = reader.string(function, "arguments", inner)
    said = reader.required(arguments, (*inner, "arguments"), "")
    return ToolCall(call_id, name, said or "{}", None, extensions)


def _custom(reader: Reader, call: dict[str, Json], call_id: str, path: Path) -> CustomToolCall:
    at = "request.messages[]<assistant>.tool_calls[]<custom>"
    extensions = _extras(reader, call, path, at, _CUSTOM_CALL)
    inner = (*path, "custom")
    custom = reader.required(reader.object(call, "custom", path), inner, _MISSING)
    if custom is _MISSING:
        return CustomToolCall(call_id, "", "")
    extensions += _extras(reader, custom, inner, f"{at}.custom", _CUSTOM)
    name = reader.required(reader.string(custom, "name", inner), (*inner, "name"), "")
    said = reader.required(reader.string(custom, "input", inner), (*inner, "input"), "")
    return CustomToolCall(call_id, name, said, None, extensions)


def _extras(
    reader: Reader, node: dict[str, Json], path: Path, at: str, known: frozenset[str]
) -> tuple[Extension, ...]:
    return () if node.keys() <= known else reader.extras(node, path, TABLE.fields(at), known)
