"""One thing of the package as lines of Markdown: its signature, its docstring, its fields and methods.

What tools/api_docs.py puts on its pages. Things are as griffe reads them from the sources.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

__all__ = ["resolved", "thing_lines", "told"]

SELF = {"self", "cls"}
# Names that a module gives to types for itself, spelled out for the reader.
SHORT = {
    "Out": "AnswerHead | AnswerBody",
    "Headers": "Iterable[tuple[str, str]] | Iterable[tuple[bytes, bytes]]",
}
# Methods by which the package itself uses a public class.
INTERNAL = {
    "FragmentCache": {
        "beginning",
        "due",
        "enter",
        "extend",
        "frame",
        "get",
        "hold_frame",
        "is_stuck",
        "join",
        "put",
        "seen",
        "stick",
    },
}
WIDTH = 92


def resolved(thing: Any) -> Any:
    """What an imported name stands for."""
    return thing.final_target if thing.is_alias else thing


def clean(docstring: str) -> str:
    """A docstring as Markdown: a list stands apart from the line before it."""
    text = re.sub(
        r"(?ms)^(\w+ [^\n]*\n├.*?)(?=\n\n|\Z)", r"```\n\1\n```", inspect.cleandoc(docstring)
    )
    return re.sub(r"(?m)^(?!\d+\. |\s|$)(.*)\n(?=\d+\. |\* |\| )", r"\1\n\n", text)


def told(thing: Any) -> str:
    return clean(thing.docstring.value) if thing.docstring else ""


# signatures


def _parameters(function: Any) -> Iterator[str]:
    starred = False
    for each in function.parameters:
        if each.name in SELF:
            continue
        kind = each.kind.value if each.kind else ""
        name = each.name
        if kind == "variadic positional":
            starred, name = True, f"*{name}"
        elif kind == "variadic keyword":
            name = f"**{name}"
        elif kind == "keyword-only" and not starred:
            starred = True
            yield "*"
        text = name if each.annotation is None else f"{name}: {spelled(each.annotation)}"
        if each.default is not None and not kind.startswith("variadic"):
            text += f" = {each.default}" if each.annotation is not None else f"={each.default}"
        yield text


def _laid_out(head: str, parts: list[str], tail: str) -> str:
    line = f"{head}({', '.join(parts)}){tail}"
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"{head}(", *(f"    {part}," for part in parts), f"){tail}"])


def spelled(annotation: Any) -> str:
    return re.sub(r"\b(\w+)\b", lambda match: SHORT.get(match[1], match[1]), str(annotation))


def signature(name: str, function: Any) -> str:
    """A function as it is called, one line if it fits."""
    returns = f" -> {spelled(function.returns)}" if function.returns is not None else ""
    prefix = "async " if "async" in function.labels else ""
    marks = "".join(
        f"@{mark}\n" for mark in ("classmethod", "staticmethod") if mark in function.labels
    )
    return marks + _laid_out(f"{prefix}def {name}", list(_parameters(function)), returns)


def is_value(cls: Any) -> bool:
    """Whether a class is one of attrs, built from its fields."""
    return any(str(each.value).split("(")[0] in ("frozen", "define") for each in cls.decorators)


def is_enum(cls: Any) -> bool:
    return any(str(base) in ("Enum", "StrEnum") for base in cls.bases)


def fields(cls: Any) -> Iterator[tuple[str, str, str | None, str]]:
    """Name, type, default and docstring of each field of a class of attrs."""
    for name, member in cls.members.items():
        if not member.is_attribute or member.annotation is None or "property" in member.labels:
            continue
        default = None if member.value is None else str(member.value)
        if default and default.startswith("field("):
            said = re.search(r"(?:default|factory)=((?:[^(),\[]|\[[^]]*\]|\([^)]*\))+)", default)
            if said is None:
                default = None
            else:
                default = f"{said[1]}()" if "factory=" in default else said[1]
        if name.startswith("_"):
            continue
        yield name, str(member.annotation), default, told(member)


# one thing


def _table(rows: list[tuple[str, ...]], head: tuple[str, ...]) -> list[str]:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for row in rows:
        cells = (cell.replace("|", "\\|").replace("\n", " ") for cell in row)
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def _code(text: str) -> list[str]:
    return ["```python", text, "```"]


def function_lines(name: str, function: Any, level: int) -> list[str]:
    title = f"{'#' * level} {name}()"
    return [title, "", *_code(signature(name.rpartition(".")[2], function)), "", told(function), ""]


def _methods(owner: str, cls: Any, level: int) -> list[str]:
    lines: list[str] = []
    held: list[tuple[str, ...]] = []
    for name, found in cls.all_members.items():
        member = resolved(found)
        if name.startswith("_") or name in INTERNAL.get(cls.name, ()):
            continue
        if member.is_function and told(member):
            lines += function_lines(f"{owner}.{name}", member, level + 1)
        elif (
            member.is_attribute
            and told(member)
            and (not is_value(cls) or "property" in member.labels)
        ):
            held.append((f"`{name}`", f"`{member.annotation}`", told(member)))
    table = [*_table(held, ("attribute", "type", "what it is")), ""] if held else []
    return table + lines


def class_lines(name: str, cls: Any, level: int) -> list[str]:
    lines = [f"{'#' * level} class {name}", ""]
    rows: list[tuple[str, ...]] = []
    if is_enum(cls):
        rows = [
            (f"`{name}.{member}`", f"`{found.value}`", told(found))
            for member, found in cls.members.items()
            if found.is_attribute and found.value is not None and "property" not in found.labels
        ]
        lines += [told(cls), "", *_table(rows, ("member", "value", "meaning")), ""]
    elif is_value(cls):
        parts = [
            f"{field}: {kind}" + ("" if default is None else f" = {default}")
            for field, kind, default, _ in fields(cls)
        ]
        lines += [*_code(_laid_out(name, parts, "")), "", told(cls), ""]
        rows = [(f"`{field}`", said) for field, _, _, said in fields(cls) if said]
        lines += [*_table(rows, ("field", "what it is")), ""] if rows else []
    else:
        made = cls.all_members.get("__init__")
        if made is not None:
            lines += [*_code(_laid_out(name, list(_parameters(resolved(made))), "")), ""]
        lines += [told(cls), ""]
    return lines + _methods(name, cls, level)


def attribute_lines(name: str, attribute: Any, level: int) -> list[str]:
    value = "" if attribute.value is None else str(attribute.value)
    text = name if attribute.annotation is None else f"{name}: {attribute.annotation}"
    if value and len(value) <= 400:
        text += f" = {value}"
    return [f"{'#' * level} {name}", "", *_code(text), "", told(attribute), ""]


def thing_lines(name: str, thing: Any, level: int = 3) -> list[str]:
    if thing.is_function:
        return function_lines(name, thing, level)
    if thing.is_class:
        return class_lines(name, thing, level)
    return attribute_lines(name, thing, level)
