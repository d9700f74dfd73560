"""Write docs/wires.md (the wires side by side) and docs/losses.md from spec/.

    python -m tools.wires_docs

`THINGS` names what is compared by the neutral names that the rows of spec/ map to; where a wire says it is read from
the rows. A name that no row maps to is an error, so the table cannot keep what the rows gave up.
"""

import sys
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
WIRES = ("chat", "messages", "responses")
TITLES = {"chat": "Chat Completions", "messages": "Messages", "responses": "Responses"}
Row = Mapping[str, Any]

# A thing: what it is called here, and the neutral names under which rows map to it.
THINGS: Mapping[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "What a turn asks": (
        ("`model`", ("model", "TurnRequest.model")),
        ("`items`", ("items", "instructions and items", "TurnRequest.items")),
        ("`instructions`", ("instructions", "instructions and items", "Instruction")),
        ("`max_output_tokens`", ("max_output_tokens",)),
        ("`sampling.temperature`", ("sampling.temperature", "Sampling.temperature")),
        ("`sampling.top_p`", ("sampling.top_p", "Sampling.top_p")),
        ("`sampling.top_k`", ("sampling.top_k", "Sampling.top_k")),
        ("`sampling.seed`", ("sampling.seed", "Sampling.seed")),
        ("`sampling.presence_penalty`", ("sampling.presence_penalty", "Sampling.presence_penalty")),
        (
            "`sampling.frequency_penalty`",
            ("sampling.frequency_penalty", "Sampling.frequency_penalty"),
        ),
        ("`stop`", ("stop", "TurnRequest.stop")),
        ("`thinking.effort`", ("thinking.effort", "Thinking.effort")),
        ("`thinking.mode`", ("thinking.mode",)),
        ("`thinking.budget_tokens`", ("thinking.budget_tokens",)),
        ("`thinking.display`", ("thinking.display", "Thinking.display")),
        ("`output_format`: `JsonObject`", ("JsonObject",)),
        ("`output_format`: `JsonSchema`", ("JsonSchema", "JsonSchema.schema")),
        ("`verbosity`", ("verbosity", "TurnRequest.verbosity")),
        ("`end_user_id`", ("end_user_id",)),
        ("`prompt_cache_key`", ("prompt_cache_key",)),
        ("`metadata`", ("metadata", "TurnRequest.metadata")),
        ("`service_tier`", ("service_tier", "TurnRequest.service_tier")),
        ("cache marks", ("CacheMark", "Text.cache", "cache")),
    ),
    "Tools": (
        ("`FunctionTool`", ("FunctionTool",)),
        ("`FunctionTool.input_schema`", ("FunctionTool.input_schema",)),
        ("`FunctionTool.strict`", ("FunctionTool.strict",)),
        ("`CustomTool`", ("CustomTool",)),
        ("`tool_choice`", ("tool_choice", "TurnRequest.tool_choice")),
        ("`Named`", ("Named",)),
        ("`Allowed`", ("Allowed",)),
        ("`parallel_tool_calls`", ("parallel_tool_calls", "parallel_tool_calls, negated")),
    ),
    "What a conversation holds": (
        ("`UserMessage`", ("UserMessage",)),
        ("`AssistantMessage`", ("AssistantMessage",)),
        ("`Instruction` in its place", ("Instruction",)),
        ("`Text`", ("Text",)),
        ("`Image`", ("Image",)),
        ("`Image.detail`", ("Image.detail",)),
        ("`Document`", ("Document",)),
        ("`Document.title`", ("Document.title",)),
        ("`Audio`", ("Audio",)),
        ("`Text.annotations`", ("Text.annotations",)),
        ("`RefusalText`", ("RefusalText",)),
        ("`Reasoning`", ("Reasoning", "Reasoning.text")),
        (
            "`Opaque`, `UnattributedOpaque`",
            (
                "UnattributedOpaque, Reasoning",
                "Opaque, or Reasoning unsealed",
                "Opaque and UnattributedOpaque",
            ),
        ),
        ("`ToolCall`", ("ToolCall",)),
        ("`CustomToolCall`", ("CustomToolCall",)),
        ("`ToolResult`", ("ToolResult",)),
        ("`ToolResult.failed`", ("ToolResult.failed",)),
    ),
    "What an answer says": (
        ("`EndTurn`", ("EndTurn", "EndTurn or ToolCalls")),
        ("`ToolCalls`", ("ToolCalls", "EndTurn or ToolCalls")),
        ("`MaxOutputTokens`", ("MaxOutputTokens",)),
        ("`StopSequence`", ("StopSequence", "StopSequence.text")),
        ("`Incomplete`", ("Incomplete", "Incomplete.reason")),
        ("`Observation.response_id`", ("Observation.response_id",)),
        ("`Observation.upstream_model`", ("Observation.upstream_model",)),
        (
            "`Usage.input_tokens`",
            ("Usage.input_tokens", "Usage.input_tokens, with cache reads and writes"),
        ),
        ("`Usage.output_tokens`", ("Usage.output_tokens",)),
        ("`Usage.cached_input_tokens`", ("Usage.cached_input_tokens",)),
        ("`Usage.cache_creation_input_tokens`", ("Usage.cache_creation_input_tokens",)),
        ("`Usage.reasoning_output_tokens`", ("Usage.reasoning_output_tokens",)),
    ),
}

# How a thing crosses to a wire that has no field for it, by the code that does it.
NOTES = {
    "`ToolResult.failed`": "on the OpenAI wires inside the text of the result, as an envelope",
    "`Text`": "a message of one text is a string",
    "`instructions`": "leading system and developer messages on the OpenAI wires",
    "`Usage.input_tokens`": "on Messages the sum of three counters",
    "`CustomTool`": "elsewhere by `ToolWrapping`",
    "`CustomToolCall`": "elsewhere by `ToolWrapping`",
}

SETS = (
    ("HINTS", "cannot change what the model reads or may answer"),
    ("CROSS_VENDOR", "only its origin can read it"),
    ("AGENT_CLIENTS", "agent programs always send it and most targets lack it"),
    ("none", "always a decision of its own"),
)


def read(name: str) -> dict[str, Any]:
    return tomllib.loads((ROOT / "spec" / f"{name}.toml").read_text("utf-8"))


def place(rows: Iterable[Row], names: tuple[str, ...]) -> tuple[str, set[str], bool]:
    """Where a wire says a thing, the losses of its rows, and whether any row maps to it."""
    found = [row for row in rows if row["treat"] == "map" and row.get("neutral") in names]
    if not found:
        return "", set(), False
    losses = {row["loss"] for row in found if "loss" in row}
    vendor = [row for row in found if "by" not in row]
    # a request shows it best, then the closest name; of equal rows the first in the file stands
    chosen = min(
        vendor or found,
        key=lambda row: (not row["at"].startswith("request."), names.index(row["neutral"])),
    )
    at = chosen["at"].removeprefix("request.").removesuffix(".**")
    servers = "" if vendor else f" ({', '.join(chosen['by'])})"
    return f"`{at}`{servers}", losses, True


def cell(text: str) -> str:
    return text.replace("|", "\\|")


def side_by_side() -> str:
    """The page of the wires beside each other. Raises SystemExit for a name that no row maps to."""
    tables = {wire: read(wire)["row"] for wire in WIRES}
    known = {row.get("neutral") for rows in tables.values() for row in rows}
    lines = [
        "# The wires side by side",
        "",
        "Written by `python -m tools.wires_docs` from the rows of `spec/`. A cell is the place where a wire says it,",
        "as a [spec path](architecture.md#paths): `[]` stands for an index, `<x>` for the `type` or `role` of what",
        "precedes it. Where a cell is empty, the wire has no place for it: towards that wire it is the loss of the",
        "last column, refused until it is accepted. A name in brackets is a server that publishes the place beside",
        "the vendor.",
        "",
        "Every field of a wire, with its treatment, loss and source: [Chat Completions](chat.md),",
        "[Messages](messages.md), [Responses](responses.md). Every loss: [losses.md](losses.md).",
    ]
    for title, things in THINGS.items():
        head = ("neutral", *(TITLES[wire] for wire in WIRES), "loss elsewhere")
        lines += ["", f"## {title}", "", "| " + " | ".join(head) + " |", "|---|---|---|---|---|"]
        for thing, names in things:
            if stale := [name for name in names if name not in known]:
                raise SystemExit(f"no row maps to {', '.join(stale)}")
            found = [place(tables[wire], names) for wire in WIRES]
            losses = sorted(set().union(*(lost for _, lost, _ in found)))
            note = f" {NOTES[thing]}" if thing in NOTES else ""
            last = (
                ", ".join(f"`{loss}`" for loss in losses) + (";" if losses and note else "") + note
            )
            cells = (thing, *(at for at, _, _ in found), last.strip())
            lines.append("| " + " | ".join(map(cell, cells)) + " |")
    lines += ["", "## What is only carried", ""]
    lines += [
        "A published field without a neutral meaning travels whole and goes out again on its own wire, if the binding",
        "takes it. Elsewhere it is the loss of its row.",
        "",
        "| | Chat Completions | Messages | Responses |",
        "|---|---|---|---|",
    ]
    for treat, words in (
        ("map", "rows with a neutral meaning"),
        ("carry", "rows that are carried"),
        ("spell", "rows that spell something else"),
        ("default", "rows accepted at a default"),
        ("refuse", "rows refused by name"),
    ):
        counted = [str(sum(row["treat"] == treat for row in tables[wire])) for wire in WIRES]
        lines.append("| " + " | ".join((words, *counted)) + " |")
    return "\n".join(lines) + "\n"


def losses_page() -> str:
    """The page of every loss, by the smallest set that holds it."""
    losses = read("losses")["loss"]
    lines = [
        "# Losses",
        "",
        f"Written by `python -m tools.wires_docs` from `spec/losses.toml`: all {len(losses)} names, each under the",
        "smallest published set that holds it. `HINTS` is part of `CROSS_VENDOR`, and that of `AGENT_CLIENTS`. Pass",
        "names or sets in `accept=`; what is not accepted is refused. [Write a refusal",
        "policy](howto/refusal-policy.md) says how to choose.",
    ]
    for name, words in SETS:
        held = sorted(
            (each for each in losses if each["set"] == name), key=lambda each: each["name"]
        )
        title = f"`{name}`" if name != "none" else "In no set"
        lines += ["", f"## {title}: {words}", "", "| loss | why |", "|---|---|"]
        lines += [f"| `{each['name']}` | {cell(each['reason'])} |" for each in held]
    return "\n".join(lines) + "\n"


PAGES = {"wires.md": side_by_side, "losses.md": losses_page}


def main() -> None:
    """Write both pages."""
    for name, text in PAGES.items():
        (ROOT / "docs" / name).write_text(text(), encoding="utf-8")
        sys.stdout.write(f"docs/{name}\n")


if __name__ == "__main__":
    main()
