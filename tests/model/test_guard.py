"""Turns that hold something else than their types say, through every function that takes one."""

# pyright: reportArgumentType=false
# what the types forbid is what is tested

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any

import pytest

from llm_projections import (
    FragmentCache,
    JsonObject,
    Limits,
    Protocol,
    RefusalCode,
    RequestRefused,
    TurnRequest,
    wire,
)
from llm_projections.model.guard import guarded
from llm_projections.model.items import (
    AssistantMessage,
    Instruction,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
)
from llm_projections.model.losses import NAMES, Loss
from llm_projections.model.soundness import is_sound
from llm_projections.model.tools import FunctionTool
from tests.everything import BINDINGS, MODEL, everything
from tests.wrong import OTHERS, emptied, places, put

PLAIN = TurnRequest(
    MODEL,
    (
        UserMessage((Text("q"),)),
        AssistantMessage((Text("a"),)),
        ToolCall("call_1", "f", "{}"),
        ToolResult("call_1", (Text("r"),)),
        UserMessage((Text("on"),)),
    ),
    (Instruction((Text("i"),)),),
    (FunctionTool("f"),),
)
USER = UserMessage((Text("q"),))
CALL = ToolCall("call_1", "f", "{}")


def named(place: tuple[str | int, ...]) -> str:
    return ".".join("[]" if isinstance(step, int) else step for step in place)


@pytest.mark.parametrize("plain", [True, False], ids=["plain", "everything"])
@pytest.mark.parametrize("protocol", list(Protocol), ids=lambda protocol: protocol.short)
def test_whatever_stands_in_a_turn_is_refused_or_written_as_it_belongs(
    protocol: Protocol, plain: bool
) -> None:
    """No other error comes out, and nothing goes out or away unseen: an empty thing is none, a lost one is told."""
    jobs, binding = wire(protocol), BINDINGS[protocol]
    turn = PLAIN if plain else everything(binding)
    told: Counter[str] = Counter()
    seen: set[str] = set()
    for at, place in enumerate(places(turn)):
        if not plain and named(place) in seen:
            continue
        seen.add(named(place))
        # all of them at each place of the plain turn, and a third of them at each of the other
        for other in OTHERS if plain else OTHERS[at % 3 :: 3]:
            wrong = put(turn, place, other)
            losses: list[Loss] = []
            for run in (
                partial(jobs.encode_request, accept=NAMES, losses=losses),
                partial(jobs.project_request, accept=NAMES),
            ):
                try:
                    body: Any = run(wrong, binding)
                except RequestRefused:
                    told["refused"] += 1
                    continue
                if is_sound(wrong, TurnRequest):
                    told["sound"] += 1
                    continue
                told["written"] += 1
                if not isinstance(body, bytes):
                    continue  # the same losses
                alike = None if other else emptied(turn, place)
                lost = any(
                    _path(place).startswith(loss.path) or loss.name in _SEALS for loss in losses
                )
                assert lost or (
                    alike is not None and jobs.encode_request(alike, binding, accept=NAMES) == body
                )
    assert told["refused"] > 1000
    assert told["sound"] > 100


_SEALS = {"turn.opaque", "turn.opaque.unattributed"}


def _path(place: tuple[str | int, ...]) -> str:
    text = ""
    for step in place:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


SLIPS: dict[str, tuple[TurnRequest, str]] = {
    "a text as stop": (TurnRequest.text(MODEL, "q", stop="END"), "stop"),
    "an object as format": (
        TurnRequest.text(MODEL, "q", output_format={"type": "json_object"}),
        "output_format",
    ),
    "a class as format": (TurnRequest.text(MODEL, "q", output_format=JsonObject), "output_format"),
    "a word as choice": (TurnRequest.text(MODEL, "q", tool_choice="required"), "tool_choice"),
    "text as content": (TurnRequest(MODEL, (UserMessage("hi"),)), "items[0].content"),
    "a list as content": (TurnRequest(MODEL, (UserMessage([Text("hi")]),)), "items[0].content"),
    "a list of items": (TurnRequest(MODEL, [USER]), "items"),
    "text as an item": (TurnRequest(MODEL, ("hi",)), "items[0]"),
    "a number as text": (
        TurnRequest(MODEL, (UserMessage((Text(5),)),)),
        "items[0].content[0].text",
    ),
    "an object as arguments": (
        TurnRequest(MODEL, (USER, ToolCall("c", "f", {}), ToolResult("c", (Text("r"),)))),
        "items[1].arguments",
    ),
    "text as a result": (
        TurnRequest(MODEL, (USER, CALL, ToolResult("call_1", "18"))),
        "items[2].content",
    ),
    "a word as failure": (
        TurnRequest(MODEL, (USER, CALL, ToolResult("call_1", (Text("r"),), "no"))),
        "items[2].failed",
    ),
    "a text as instructions": (TurnRequest(MODEL, (USER,), "be brief"), "instructions"),
    "an object as a tool": (TurnRequest(MODEL, (USER,), (), ({"name": "f"},)), "tools[0]"),
    "a number that is true": (TurnRequest(MODEL, (USER,), max_output_tokens=True), "max_output_tokens"),
    "a word as number": (
        TurnRequest.text(MODEL, "q", sampling={"temperature": 1}),
        "sampling",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("turn", "path"), SLIPS.values(), ids=SLIPS)
def test_the_usual_slips_are_refused_by_their_place(turn: Any, path: str) -> None:
    """By every wire, streamed or kept, and by the turn itself."""
    binding = BINDINGS[Protocol.CHAT]
    runs = [lambda: turn.validate(), lambda: turn.validate_for(binding)]
    for protocol in Protocol:
        jobs = wire(protocol)
        kept = partial(jobs.encode_request, fragments=FragmentCache())
        runs += [
            partial(run, turn, BINDINGS[protocol])
            for run in (jobs.project_request, jobs.encode_request, kept)
        ]
    for each in runs:
        with pytest.raises(RequestRefused) as caught:
            each()
        assert (RefusalCode.INVALID_REQUEST, path) == (caught.value.code, caught.value.path)


def test_every_wrong_place_is_told_at_once():
    """The rest in `others`, in the order of the turn."""
    turn = TurnRequest(MODEL, (UserMessage("hi"), UserMessage((Text(5),))), stop="END")
    with pytest.raises(RequestRefused) as caught:
        turn.validate()
    error = caught.value
    places = [each.path for each in (error, *error.others)]
    assert ["items[0].content", "items[1].content[0].text", "stop"] == places
    assert "END" not in f"{error!r}{error}"


def test_what_goes_on_in_a_kept_conversation_is_looked_at():
    """New items are, whatever is known of the old ones."""
    for protocol in Protocol:
        jobs, binding, kept = wire(protocol), BINDINGS[protocol], FragmentCache()
        first = TurnRequest(
            MODEL, (USER, AssistantMessage((Text("a"),)), USER), max_output_tokens=9
        )
        for extra in ((), (AssistantMessage((Text("b"),)), USER)):
            turn = TurnRequest(MODEL, (*first.items, *extra), max_output_tokens=9)
            jobs.encode_request(turn, binding, fragments=kept)
        wrong = TurnRequest(
            MODEL, (*turn.items, AssistantMessage((Text(5),)), USER), max_output_tokens=9
        )
        with pytest.raises(RequestRefused) as caught:
            jobs.encode_request(wrong, binding, fragments=kept)
        assert "items[5].content[0].text" == caught.value.path


@pytest.mark.parametrize("protocol", list(Protocol), ids=lambda protocol: protocol.short)
def test_a_mark_of_another_type_is_refused_whatever_it_is(protocol: Protocol) -> None:
    """One that is false in a condition is no absent one, with a cache and without."""
    binding, jobs = BINDINGS[protocol], wire(protocol)
    marks = [place for place in places(PLAIN) if place[-1] == "cache" and place[0] == "items"]
    assert 6 == len(marks)
    for place in marks:
        for mark in ("", 0, False, (), {}):
            turn = put(PLAIN, place, mark)
            for fragments in (None, FragmentCache()):
                with pytest.raises(RequestRefused):
                    jobs.encode_request(turn, binding, fragments=fragments)


def test_another_thing_than_a_turn_is_a_misuse():
    """A TypeError, as for any function."""
    for protocol in Protocol:
        for run in (wire(protocol).project_request, wire(protocol).encode_request):
            with pytest.raises(TypeError, match="a turn is a TurnRequest"):
                run({"model": "m"}, BINDINGS[protocol])


def test_what_the_turn_is_not_to_blame_for_stays_what_it_is():
    """An error of the program itself, for a turn that is sound."""

    @guarded
    def failing(request: TurnRequest, limits: Limits) -> None:
        raise KeyError(request.model, limits)

    with pytest.raises(KeyError):
        failing(PLAIN, Limits())
    with pytest.raises(KeyError):
        failing(request=PLAIN, limits=Limits())
    with pytest.raises(RequestRefused):
        failing(TurnRequest(MODEL, (5,)), Limits())


def test_what_a_subclass_says_is_said():
    """A `StrEnum` member is text, and 1 is a number where a fraction may stand."""

    class Tier(str):
        """A word of the caller's own."""

    turn = TurnRequest.text(MODEL, "q", service_tier=Tier("flex"))
    turn.validate()
    for protocol in Protocol:
        assert b"flex" in wire(protocol).encode_request(turn, BINDINGS[protocol], accept=NAMES) or (
            protocol is Protocol.MESSAGES
        )
