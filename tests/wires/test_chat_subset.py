"""What is declared of the Chat wire agrees with what reads, what writes, and what the presets send."""

from __future__ import annotations

import re

import pytest

from llm_projections.model.dialects import DIALECTS
from llm_projections.model.items import Protocol
from llm_projections.model.losses import NAMES
from llm_projections.wires._carried import carried_path
from llm_projections.wires._reading import extension_path
from llm_projections.wires._rows import Row, Treat
from llm_projections.wires.chat import vocab
from llm_projections.wires.chat._row import carry, default, mapped, refuse, spell
from llm_projections.wires.chat.ingest import settings
from llm_projections.wires.chat.subset import HARMLESS, ROWS, TABLE

REQUEST = [row for row in ROWS if row.at.startswith("request.")]
CARRIED = [row for row in REQUEST if row.treat is Treat.CARRY]
# What a program writes into its requests, which no server publishes.
PROGRAMS = {"openai-agents-js", "openai-sdk"}
# Mapped places that are written only for servers that publish them.
GATED = {"top_k", "messages.reasoning_content", "messages.reasoning", "messages.annotations"}
# The same field under the same path as the vendor's own: nothing of a server's.
BESIDE = {"messages.content.file.file_url", "reasoning_effort"}
_VARIANT = re.compile(r"<[^>]*>|\[\]")


def path_of(row: Row) -> str:
    """What a row's place is called without indexes and variants."""
    if row.treat is Treat.CARRY:
        return extension_path(row)
    return _VARIANT.sub("", row.at.removeprefix("request."))


def published_by(name: str) -> set[str]:
    """Every carried or gated path that the rows give to a dialect."""
    return {
        path_of(row)
        for row in REQUEST
        if name in row.by and (row.treat is Treat.CARRY or path_of(row) in GATED)
    }


@pytest.mark.parametrize("name", sorted(DIALECTS))
def test_a_preset_lists_what_the_rows_say_of_its_server(name: str) -> None:
    """Beside it, only what the vendor publishes too."""
    fields = DIALECTS[name].request_fields
    assert isinstance(fields, frozenset)
    own = published_by(name)
    vendor = {path_of(row) for row in CARRIED if not row.by} | {vocab.USER} | BESIDE
    assert own <= fields
    assert set() == fields - own - vendor


def test_every_dialect_of_a_request_row_has_a_preset() -> None:
    """Nothing is ascribed to a server that cannot be named."""
    named = {name for row in REQUEST for name in row.by}
    assert PROGRAMS == named - set(DIALECTS)


def test_what_is_carried_has_a_loss_of_its_path() -> None:
    """The name of a loss is the wire's and the path of the extension."""
    for row in CARRIED:
        assert f"chat.{extension_path(row)}" == row.loss
        assert row.loss in NAMES


def test_what_is_harmless_is_carried() -> None:
    """Defaults are those of carried fields; the mapped ones say theirs in code."""
    assert set(HARMLESS) <= {extension_path(row) for row in CARRIED}


def test_every_mapped_field_of_the_body_is_read() -> None:
    """A row that promises a meaning has a reader, at the top of the body."""
    mapped_here = {
        row.at.removeprefix("request.")
        for row in REQUEST
        if row.treat is Treat.MAP and row.at.count(".") == 1 and not re.search(r"[\[<]", row.at)
    }
    assert mapped_here == settings._MAPPED


@pytest.mark.parametrize(
    ("place", "payload", "path"),
    [
        ("tool", {"type": "openrouter:web_search"}, "tools.openrouter"),
        ("tool", {"type": "builtin_function"}, "tools.builtin_function"),
        ("tool", {"type": "wombat"}, "tools.unknown"),
        ("part", {"type": "document_url"}, "messages.content.document_url"),
        ("part", {}, "messages.content.unknown"),
        ("item", {"role": "function"}, "messages.function"),
        ("item", {"odd": 1}, "messages.unknown"),
    ],
)
def test_things_carried_whole_are_named_by_their_kind(
    place: str, payload: dict[str, str], path: str
) -> None:
    """By type or role; one that no row knows is unknown in its place."""
    assert path == carried_path(Protocol.CHAT, place, payload)  # type: ignore[arg-type]  # one of three words


def test_rows_are_named_after_their_places() -> None:
    """An id is never given to another place, whatever comes or goes around it."""
    ids = [
        mapped("a[]<b|c>.d_e", "x").id,
        spell("a.b").id,
        default("n", 1).id,
        refuse("x[]").id,
        carry("tools[]<openrouter:*>", path="tools.openrouter").id,
    ]
    assert [
        "chat-req-a-b-c-d_e",
        "chat-req-a-b",
        "chat-req-n",
        "chat-req-x",
        "chat-req-tools-openrouter",
    ] == ids
    assert "chat.tools.openrouter" == carry("tools[]<a:*>", path="tools.openrouter").loss
    assert "request.a.b.**" == carry("a.b").at
    assert "chat.a.b" == carry("a[]<c>.b").loss


def test_tables_are_whole() -> None:
    """What a message of each role takes is found by its place."""
    assert {"content", "role", "name"} <= TABLE.fields("request.messages[]<user>").keys()
    assert {"tool_call_id", "content", "role"} <= TABLE.fields("request.messages[]<tool>").keys()
    assert "refusal" not in TABLE.fields("request.messages[]<user>")
    row = TABLE.variant("request.tools[]", "openrouter:web_search")
    assert row is not None
    assert Treat.CARRY is row.treat
