"""Names of things that are carried whole."""

from __future__ import annotations

import pytest

from llm_projections._json import Json
from llm_projections.model.items import Protocol
from llm_projections.model.losses import NAMES
from llm_projections.model.tools import WireChoice
from llm_projections.wires._carried import Place, carried_path, choice_loss, family


@pytest.mark.parametrize(
    ("kind", "without_date"),
    [
        ("web_search_20250305", "web_search"),
        ("web_search_preview_2025_03_11", "web_search_preview"),
        ("web_search", "web_search"),
        ("text_editor_20241022", "text_editor"),
        ("tool_20", "tool_20"),
        ("a_20251119_b", "a_20251119_b"),
    ],
)
def test_a_family_is_a_type_without_its_date(kind: str, without_date: str) -> None:
    """A new date of a tool is no new tool."""
    assert without_date == family(kind)


@pytest.mark.parametrize(
    ("place", "payload", "path"),
    [
        ("tool", {"type": "web_search_20250305"}, "tools.web_search"),
        ("item", {"type": "server_tool_use"}, "content.server_tool_use"),
        ("part", {"type": "search_result"}, "content.search_result"),
        ("item", {"type": "brand_new"}, "content.unknown"),
        ("item", {"type": 1}, "content.unknown"),
        ("item", {}, "content.unknown"),
    ],
)
def test_what_no_row_knows_is_unknown_in_its_place(
    place: Place, payload: dict[str, Json], path: str
) -> None:
    """So that every loss can be accepted by a name that is fixed."""
    assert path == carried_path(Protocol.MESSAGES, place, payload)


@pytest.mark.parametrize(
    ("choice", "loss"),
    [
        (WireChoice(Protocol.RESPONSES, {"type": "mcp"}), "responses.tool_choice.mcp"),
        (
            WireChoice(Protocol.RESPONSES, {"type": "web_search_preview_2025_03_11"}),
            "responses.tool_choice.web_search_preview",
        ),
        (WireChoice(Protocol.RESPONSES, {"type": "brand_new"}), "turn.tool_choice"),
        (WireChoice(Protocol.CHAT, {"type": "allowed_tools"}), "turn.tool_choice"),
        (WireChoice(Protocol.CHAT, {}), "turn.tool_choice"),
    ],
)
def test_a_choice_is_lost_by_a_name_that_can_be_accepted(choice: WireChoice, loss: str) -> None:
    """By that of its row, or by the one of all choices."""
    assert loss == choice_loss(choice)
    assert loss in NAMES
