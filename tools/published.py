"""Write spec/published: what the vendors' types publish, as spec paths.

    python tools/published.py --read DATE INVENTORY.json [--prev INVENTORY.json] ...

An inventory is a JSON file that holds one SDK's types of one wire: `defs` has every object type
once, `request`, `response`, `chunk`, `usage`, `stream` and `errors` refer to them, and `beta`
repeats that for the SDK's beta types.

Rules:
1. An object that is one of several, or an element of a list, is a variant: its `type`, or its
   `role` where the type is absent or says only "message". A type with several tags is several
   variants.
2. A variant has a line of its own, and so has every object, list and field.
3. What an answer repeats is told once: counters under `usage.`, the whole answer under `response.`,
   the items in events only as a field. What the SDK sends as a header stands under `header.`.
4. A type inside itself is a line and is not opened again.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parent.parent / "spec" / "published"
NEWEST = "2026-11"

# What any HTTP client sends for itself says nothing about the wire.
_TRANSPORT_HEADERS = frozenset(
    {"host", "accept-encoding", "connection", "user-agent", "content-length", "cookie"}
)
_SHORT = {
    "request": "request",
    "count_tokens_request": "count_tokens",
    "response": "response",
    "chunk": "chunk",
    "usage": "usage",
    "delta_usage": "usage",
}


class Walk:
    """Paths of types, from one inventory's definitions."""

    def __init__(self, defs: dict[str, Any], closed: Iterable[str] = ()) -> None:
        self._defs = defs
        self._closed = frozenset(closed)

    def fields(self, ref: str, at: str, inside: tuple[str, ...] = ()) -> Iterator[str]:
        """The lines of an object's fields and of everything below them."""
        if ref in inside or ref in self._closed:
            return
        for known in self._defs[ref]["fields"]:
            name = f"{at}.{known['name']}"
            yield name
            yield from self.value(known["type"], name, (*inside, ref))

    def value(
        self, kind: dict[str, Any], at: str, inside: tuple[str, ...], *, element: bool = False
    ) -> Iterator[str]:
        """The lines below a value; its own line is the caller's."""
        choices = list(_choices(kind))
        objects = [choice["ref"] for choice in choices if choice["t"] == "ref"]
        for ref in objects:
            tags = self.tags(ref) if element or len(objects) > 1 else ()
            for tag in tags:
                yield f"{at}<{tag}>"
                yield from self.fields(ref, f"{at}<{tag}>", inside)
            if not tags:
                yield from self.fields(ref, at, inside)
        for choice in choices:
            if choice["t"] in {"array", "map"} and _compound(choice["of"]):
                inner = at + ("[]" if choice["t"] == "array" else "{}")
                yield inner
                yield from self.value(choice["of"], inner, inside, element=choice["t"] == "array")

    def tags(self, ref: str) -> tuple[str, ...]:
        """The words by which an object tells what it is."""
        named = {known["name"]: known for known in self._defs[ref]["fields"]}
        words = {name: _words(named[name]["type"]) for name in ("type", "role") if name in named}
        kind = words.get("type", ())
        if words.get("role") and kind in {(), ("message",)}:
            return words["role"]
        return kind


def _choices(kind: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if kind["t"] == "union":
        for choice in kind["of"]:
            yield from _choices(choice)
    else:
        yield kind


def _compound(kind: dict[str, Any]) -> bool:
    return any(choice["t"] in {"ref", "array", "map"} for choice in _choices(kind))


def _words(kind: dict[str, Any]) -> tuple[str, ...]:
    """The constants of a type that has nothing but constants."""
    choices = [choice for choice in _choices(kind) if choice["t"] != "null"]
    if not choices or any(choice["t"] != "enum" for choice in choices):
        return ()
    return tuple(str(word) for choice in choices for word in choice["values"])


def published(inventory: dict[str, Any], part: dict[str, Any], *, beta: bool) -> set[str]:
    """Every line of one generation of one wire; `part` is the inventory or its beta half."""
    defs = inventory["defs"]
    usages = {part[name]["ref"] for name in ("usage", "delta_usage") if name in part}
    whole = {part["response"]["ref"]}
    lines: set[str] = set()
    for name in ("request", "response", "chunk"):
        if name in part:
            lines.update(Walk(defs, usages).fields(part[name]["ref"], name))
    if "count_tokens_request" in part:
        # Below its own fields it is made of the request's types.
        fields = defs[part["count_tokens_request"]["ref"]]["fields"]
        lines.update(f"count_tokens.{known['name']}" for known in fields)
        for known in defs[part["count_tokens_response"]["ref"]]["fields"]:
            lines.add(f"count_tokens_response.{known['name']}")
    for ref in usages:
        lines.update(Walk(defs).fields(ref, "usage"))
    lines.update(_events(inventory, part, usages | whole))
    lines.update(_stops(part))
    lines.update(_errors(inventory))
    lines.update(_headers(inventory, beta=beta))
    return {line for line in lines if not _sent_as_header(line, inventory)}


def _sent_as_header(line: str, inventory: dict[str, Any]) -> bool:
    """Whether a line is an argument of the SDK's method that never stands in a body."""
    owner, _, name = line.partition(".")
    arguments = inventory.get("header_parameters") or {}
    return owner in {"request", "count_tokens"} and (name in arguments or "-" in name.split(".")[0])


def _events(inventory: dict[str, Any], part: dict[str, Any], closed: set[str]) -> Iterator[str]:
    if inventory["wire"] == "chat":
        return
    defs = inventory["defs"]
    kept_whole = {"content_block", "citation", "item", "part", "response", "message"}
    for event in part["stream"]["events"]:
        at = f"event.{event['type']}"
        yield at
        for known in defs[event["ref"]]["fields"]:
            name = f"{at}.{known['name']}"
            yield name
            if known["name"] not in kept_whole:
                yield from (
                    line
                    for line in Walk(defs, closed).value(known["type"], name, (event["ref"],))
                    if not line.partition(">.citation")[2]
                )
    if inventory["wire"] == "messages":
        # The stream's own two, which the SDK handles before it looks at the union of events.
        yield from ("event.ping", "event.ping.type", "event.error", "event.error.type")
        yield from ("event.error.error", "event.error.request_id")


def _stops(part: dict[str, Any]) -> Iterator[str]:
    for section, name in (
        ("stop_reasons", "stop"),
        ("statuses", "status"),
        ("incomplete_reasons", "incomplete"),
        ("error_codes", "error_code"),
    ):
        yield from (f"{name}.{word}" for word in part.get(section, ()))
    for words in part.get("finish_reasons", {}).values():
        yield from (f"stop.{word}" for word in words)


def _errors(inventory: dict[str, Any]) -> Iterator[str]:
    errors = inventory["errors"]
    if "error_type" in errors:
        yield from (f"error.{word}" for word in errors["error_type"])
        yield "error.request_id"
    else:
        yield from Walk(inventory["defs"]).fields(errors["body"]["ref"], "error")


def _headers(inventory: dict[str, Any], *, beta: bool) -> Iterator[str]:
    for name, request in inventory["captured"].items():
        # What could not be captured is a text that says so.
        if isinstance(request, dict) and (beta or not name.startswith("beta_")):
            yield from (
                f"header.{header}"
                for header in request["headers"]
                if header not in _TRANSPORT_HEADERS and not header.startswith("x-stainless-")
            )
    for argument, headers in (inventory.get("header_parameters") or {}).items():
        if beta or argument != "betas":
            yield from (f"header.{header}" for header in headers)


def write(source: Path, *, previous: bool, read: str) -> None:
    """Write the files of one inventory."""
    inventory = json.loads(source.read_bytes())
    name = "prev" if previous else NEWEST
    package = f"{inventory['sdk']['package']} {inventory['sdk']['version']}"
    for part, generation in ((inventory, name), (inventory.get("beta"), f"{name}-beta")):
        if part is None:
            continue
        lines = published(inventory, part, beta=part is not inventory)
        header = [f"# {package}, {'beta types' if part is not inventory else 'types'}, read {read}"]
        header += [
            f"# {_SHORT[section]}: {part[section]['ref'].removesuffix('+merged')}"
            for section in _SHORT
            if section in part
        ]
        target = TARGET / f"{inventory['wire']}.{generation}.txt"
        target.write_text("\n".join([*header, *sorted(lines)]) + "\n", encoding="utf-8")
        sys.stdout.write(f"{target.name}: {len(lines)} paths\n")


def main() -> None:
    """Run with the arguments that the module's docstring shows."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--read", required=True, help="the day the inventories were made")
    parser.add_argument("--prev", action="append", default=[], type=Path)
    parser.add_argument("newest", nargs="+", type=Path)
    arguments = parser.parse_args()
    for source in arguments.newest:
        write(source, previous=False, read=arguments.read)
    for source in arguments.prev:
        write(source, previous=True, read=arguments.read)


if __name__ == "__main__":
    main()
