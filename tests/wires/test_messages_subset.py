"""The declared subset of Messages requests, beside what reads and writes it."""

from __future__ import annotations

from typing import Any

import pytest

from llm_projections import _json
from llm_projections.errors import RequestRefused
from llm_projections.messages import ingest_request
from llm_projections.model.losses import AGENT_CLIENTS, CROSS_VENDOR, HINTS, NAMES
from llm_projections.wires._carried import carried_path
from llm_projections.wires._rows import Treat
from llm_projections.wires.messages.subset import HEADERS, ROWS, TABLE
from tests import spec_tools
from tests.cases.messages import CASES, MEANS, WIRE

REQUESTS = sorted(
    {
        path
        for part in spec_tools.published("messages").values()
        for path in part.paths
        if path.startswith("request.")
    }
)
FIELDS = [
    path.removeprefix("request.")
    for path in REQUESTS
    if path.count(".") == 1 and "[" not in path and "<" not in path
]
# Values that the published types allow, for fields that are carried whole.
VALUES: dict[str, Any] = {
    "model": "m",
    "max_tokens": 9,
    "messages": [],
    "stream": True,
    "system": "s",
    "temperature": 0.5,
    "top_p": 0.5,
    "top_k": 5,
    "stop_sequences": ["x"],
    "service_tier": "auto",
    "metadata": {"user_id": "u"},
    "thinking": {"type": "adaptive"},
    "output_config": {"effort": "low"},
    "output_format": {"type": "json_schema", "schema": {}},
    "tool_choice": {"type": "auto"},
    "tools": [{"name": "f", "input_schema": {}}],
}


def variants(at: str) -> list[str]:
    """The published variants of a place."""
    head = f"request.{at}<"
    return sorted(
        path.removeprefix(head).removesuffix(">")
        for path in REQUESTS
        if path.startswith(head) and path.endswith(">") and path.count(">") == head.count(">") + 1
    )


def read(**fields: Any) -> Any:
    """A small body with these fields."""
    small = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "x"}]}
    return ingest_request(_json.dumps({**small, **fields})).request


@pytest.mark.parametrize("field", FIELDS)
def test_every_published_field_of_a_request_is_read(field: str) -> None:
    """Mapped or carried; none is unknown."""
    assert read(**{field: VALUES.get(field, {"any": 1})})


@pytest.mark.parametrize("kind", variants("tools[]"))
def test_every_published_tool_is_read(kind: str) -> None:
    """Functions are mapped, every other type is carried under its family's loss."""
    (tool,) = read(tools=[{"type": kind, "name": "f", "input_schema": {}}]).tools
    if kind != "custom":
        row = TABLE.variant("request.tools[]", kind)
        assert row is not None
        assert f"messages.{carried_path(WIRE, 'tool', tool.payload)}" == row.loss


BLOCKS: dict[str, Any] = {
    "text": {"text": "a"},
    "image": {"source": {"type": "url", "url": "u"}},
    "document": {"source": {"type": "url", "url": "u"}},
    "thinking": {"thinking": "a", "signature": "b"},
    "redacted_thinking": {"data": "a"},
    "tool_use": {"id": "t", "name": "f", "input": {}},
    "tool_result": {"tool_use_id": "t"},
}
CALL = {"type": "tool_use", "id": "t", "name": "f", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "t"}


@pytest.mark.parametrize(
    ("role", "kind"),
    [
        (role, kind)
        for role in ("user", "assistant", "system")
        for kind in variants(f"messages[]<{role}>.content[]")
    ],
)
def test_every_published_block_is_read_or_refused_by_its_row(role: str, kind: str) -> None:
    """No type is unknown; what its role cannot say is refused by a row."""
    block = {"type": kind, **BLOCKS.get(kind, {"any": 1})}
    messages: list[Any] = [{"role": "user", "content": "x"}, {"role": role, "content": [block]}]
    if kind == "tool_use" and role == "assistant":
        messages.append({"role": "user", "content": [RESULT]})
    if kind == "tool_result" and role == "user":
        messages.insert(1, {"role": "assistant", "content": [CALL]})
    row = TABLE.variant(f"request.messages[]<{role}>.content[]", kind)
    assert row is not None
    if role == "user" and kind == "compaction":
        row = None  # one row for both roles; a user has none
    if row is not None and row.treat is not Treat.REFUSE:
        assert read(messages=messages).items
        return
    with pytest.raises(RequestRefused) as caught:
        read(messages=messages)
    assert caught.value.path.startswith("messages[1].content[0]")
    assert "not a published block" != caught.value.message


@pytest.mark.parametrize("role", ["user", "assistant"])
def test_every_carried_block_has_a_loss_of_its_own(role: str) -> None:
    """An operator accepts each by its name."""
    place = f"request.messages[]<{role}>.content[]"
    for kind in variants(f"messages[]<{role}>.content[]"):
        row = TABLE.variant(place, kind)
        assert row is not None
        if row.treat is Treat.CARRY:
            assert f"messages.{carried_path(WIRE, 'item', {'type': kind})}" == row.loss


def test_every_carried_row_of_a_request_has_a_loss_that_can_be_accepted() -> None:
    """And only requests' rows need one."""
    for row in ROWS:
        if row.id.startswith("messages-req-") and row.treat is Treat.CARRY:
            assert row.loss in NAMES, row.id


def test_a_tool_of_a_later_date_is_of_its_family() -> None:
    """A new date of a published family is carried; a new family is refused."""
    (tool,) = read(tools=[{"type": "web_search_20990101", "name": "w"}]).tools
    assert "tools.web_search" == carried_path(WIRE, "tool", tool.payload)
    with pytest.raises(RequestRefused):
        read(tools=[{"type": "teleport_20990101", "name": "t"}])


def test_fields_of_other_servers_have_rows_that_name_them() -> None:
    """Ingest takes the union; each is sent on only where it is listed."""
    rows = {row.at.split(".")[1]: row for row in ROWS if row.by and row.at.startswith("request.")}
    for name, row in rows.items():
        if name not in ("system[]<text>", "messages[]<user|assistant>", "tools[]<custom>"):
            request = read(**{name.removesuffix(".**"): {"any": 1}}) if ">" not in name else None
            assert request is None or 1 == len(request.extensions), row.id


def test_what_agent_programs_always_send_is_in_their_set() -> None:
    """And what would change what the model reads or may do is in none."""
    for name in (
        "messages.context_management",
        "messages.messages.output_config",
        "messages.tools.defer_loading",
        "messages.content.tool_reference",
        "messages.content.server_tool_use",
    ):
        assert name in AGENT_CLIENTS - CROSS_VENDOR
    for name in ("messages.header.anthropic-beta", "messages.tools.eager_input_streaming"):
        assert name in HINTS
    for name in (
        "messages.safeguards",
        "messages.tools.web_search",
        "messages.thread",
        "messages.fallbacks",
    ):
        assert name in NAMES.keys() - AGENT_CLIENTS


def test_carried_headers_are_declared() -> None:
    """Each has its row."""
    assert all(TABLE.match(f"header.{name}") is not None for name in HEADERS)


def test_removing_any_field_shows() -> None:
    """A field of a case that is gone changes the turn, or its absence means the same by a declared row."""
    silent: set[str] = set()
    for case in (*CASES, *MEANS):
        whole = _turn({"model": "m", "max_tokens": 9, **case.body})
        for place in _places(case.body):
            less = _json.loads(_json.dumps({"model": "m", "max_tokens": 9, **case.body}))
            _remove(less, place)
            try:
                unchanged = _turn(less) == whole
            except RequestRefused:
                continue
            if unchanged:
                silent.add(".".join(step for step in place if isinstance(step, str)))
    assert DECLARED_SILENT == silent


# Each is a spelling or default of a row: nothing is what its absence means.
DECLARED_SILENT = {
    "messages",
    "messages.content.citations",
    "messages.content.content",
    "messages.content.signature",
    "metadata",
    "stop_sequences",
    "stream",
    "system",
    "thinking",
    "tool_choice",
    "tools",
    "tools.type",
    "container",
}


def _turn(body: Any) -> Any:
    ingested = ingest_request(_json.dumps(body))
    return ingested.request, ingested.answer


def _places(value: Any, at: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    members = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    found: list[tuple[str | int, ...]] = []
    for key, inner in members:
        found.append((*at, key))
        if key not in ("input", "input_schema", "schema"):
            found += _places(inner, (*at, key))
    return found


def _remove(value: Any, place: tuple[str | int, ...]) -> None:
    for step in place[:-1]:
        value = value[step]
    del value[place[-1]]
