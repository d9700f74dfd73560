"""Names, ids and wrapped tools through the relay: the target's outside, the client's own inside."""

import json
import re
from typing import Any

import pytest

from llm_projections import (
    AGENT_CLIENTS,
    ALL,
    CustomToolCall,
    Dispatch,
    Protocol,
    RefusalCode,
    RequestRefused,
    ResponseRefused,
    ToolCall,
    ToolCalls,
    ToolWrapping,
    TurnFailed,
)
from tests.helpers import by_event, singles, whole
from tests.relay.gateway import (
    CHAT,
    MESSAGES,
    PAIRS,
    RESPONSES,
    Payload,
    Run,
    answer,
    ask,
)

LONG = "mcp__a-very-long-server-name__" + "x" * 60
ODD = "files.read/all"
WRAPPING = ToolWrapping(ALL, flatten_namespaces=True, hoist_additional_tools=True)
pairs = pytest.mark.parametrize(("client", "server"), PAIRS)


def names_sent(run: Run) -> list[str]:
    """The tools that the server sees."""
    return [tool.get("function", tool)["name"] for tool in run.sent_body["tools"]]


def calls(run: Run) -> list[Any]:
    """The calls that the client reads."""
    kinds = (ToolCall, CustomToolCall)
    return [item for item in run.outcome().items if isinstance(item, kinds)]


# names


@pairs
@pytest.mark.parametrize("streams", [True, False])
@pytest.mark.parametrize("name", [LONG, ODD, "naïve tool"])
def test_a_name_that_the_target_refuses_is_mapped_and_restored(
    client: Protocol, server: Protocol, streams: bool, name: str
) -> None:
    """The server sees one of its alphabet, the client its own, in every event."""
    run = Run(client, server).ask(ask(client, tools=[name, "look"], stream=streams))
    mapped, plain = names_sent(run)
    assert "look" == plain
    assert re.fullmatch(r"[a-zA-Z0-9_-]{1,128}", mapped)
    if server is not MESSAGES:
        assert len(mapped) <= 64
    made = [("call_1", mapped, '{"a":1}'), ("call_2", "look", "{}")]
    run.play(*by_event(answer(server, calls=made)))
    assert [name, "look"] == [call.name for call in calls(run)]
    if mapped != name:
        assert mapped.encode() not in run.body
    assert run.relay.outcome is not None
    assert name in str(run.relay.outcome.items)


def test_messages_takes_longer_names() -> None:
    """What the target takes stays as it is."""
    assert [LONG] == names_sent(Run(CHAT, MESSAGES).ask(ask(CHAT, tools=[LONG])))
    assert [LONG] != names_sent(Run(MESSAGES, CHAT).ask(ask(MESSAGES, tools=[LONG])))


@pairs
def test_names_map_the_same_in_every_request(client: Protocol, server: Protocol) -> None:
    """Nothing is kept between requests, and history, choice and tools agree."""
    first = Run(client, server).ask(ask(client, tools=[ODD]))
    second = Run(client, server).ask(ask(client, tools=["look", ODD]))
    assert names_sent(first)[0] == names_sent(second)[1]


def test_history_and_choice_use_the_mapped_name() -> None:
    """A call in history is told as the tool is published."""
    body = ask(
        MESSAGES,
        tools=[ODD],
        tool_choice={"type": "tool", "name": ODD},
        messages=[
            {"role": "user", "content": "go"},
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "t1", "name": ODD, "input": {}}],
            },
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "x"}],
            },
        ],
    )
    sent = Run(MESSAGES, CHAT).ask(body).sent_body
    (name,) = [tool["function"]["name"] for tool in sent["tools"]]
    assert name == sent["messages"][1]["tool_calls"][0]["function"]["name"]
    assert {"type": "function", "function": {"name": name}} == sent["tool_choice"]


# ids


@pytest.mark.parametrize("call_id", ["call.1|fc_é", "functions.look:0", "x" * 300])
def test_a_call_id_outside_the_alphabet_is_mapped(call_id: str) -> None:
    """Call and result alike, so that they still belong together (Kimi writes `functions.look:0`)."""
    call = {"id": call_id, "type": "function", "function": {"name": "look", "arguments": "{}"}}
    body = ask(
        CHAT,
        messages=[
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": call_id, "content": "x"},
        ],
    )
    first, second = (Run(CHAT, MESSAGES, accept=()).ask(body) for _ in range(2))
    for run in (first, second):
        assert run.relay.error is None
        use, result = (message["content"][0] for message in run.sent_body["messages"][1:])
        assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", use["id"])
        assert use["id"] == result["tool_use_id"]
    assert first.sent == second.sent
    assert [] == first.relay.losses


@pytest.mark.parametrize("client", [CHAT, RESPONSES])
def test_a_call_id_of_another_server_is_mapped_on_its_way_back(client: Protocol) -> None:
    """The client repeats what it was given; what Messages refuses is mapped, again and again the same."""
    run = Run(client, CHAT).ask(ask(client, tools=["look"]))
    run.play(answer(CHAT, calls=[("functions.look:0", "look", "{}")]))
    assert ["functions.look:0"] == [call.call_id for call in calls(run)]


def test_ids_past_64_characters_are_mapped_on_responses() -> None:
    """The API refuses longer ones."""
    call_id = "call_" + "x" * 70
    body = ask(
        MESSAGES,
        messages=[
            {"role": "user", "content": "go"},
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": call_id, "name": "look", "input": {}}],
            },
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": call_id, "content": "x"}],
            },
        ],
    )
    sent = Run(MESSAGES, RESPONSES).ask(body).sent_body["input"]
    assert 64 == len(sent[1]["call_id"])
    assert sent[1]["call_id"] == sent[2]["call_id"]


# wrapped tools


PATCH: Payload = {
    "type": "custom",
    "name": "apply_patch",
    "description": "Patches.",
    "format": {"type": "grammar", "syntax": "lark", "definition": "start: X"},
}
SPACE: Payload = {
    "type": "namespace",
    "name": "mail",
    "description": "Mail.",
    "tools": [{"type": "function", "name": "send", "parameters": {"type": "object"}}],
}
LATE: Payload = {
    "type": "additional_tools",
    "role": "developer",
    "tools": [{"type": "function", "name": "late", "parameters": {"type": "object"}}],
}
SAID = '*** Begin\n+ "quoted" \\ back\n*** End'


def codex(**more: Any) -> bytes:
    """What Codex asks: custom tools, namespaces, tools that come later, and a history of them."""
    history: list[Payload] = [
        {"role": "user", "content": "go"},
        LATE,
        {"type": "custom_tool_call", "call_id": "c0", "name": "apply_patch", "input": "old"},
        {"type": "custom_tool_call_output", "call_id": "c0", "output": "done"},
        {
            "type": "function_call",
            "call_id": "c1",
            "name": "send",
            "namespace": "mail",
            "arguments": "{}",
        },
        {"type": "function_call_output", "call_id": "c1", "output": "sent"},
    ]
    return ask(RESPONSES, tools=[PATCH, SPACE, "look"], input=history, **more)


@pytest.mark.parametrize("server", [CHAT, MESSAGES])
def test_wrapped_tools_go_out_as_functions(server: Protocol) -> None:
    """With their grammar where the model can read it, and their history wrapped alike."""
    run = Run(RESPONSES, server, wrapping=WRAPPING, accept=AGENT_CLIENTS).ask(codex())
    assert ["apply_patch", "mail__send", "look", "late"] == names_sent(run)
    sent = json.dumps(run.sent_body)
    assert "start: X" in sent
    assert "custom" not in sent
    assert '"mail__send"' in sent


@pytest.mark.parametrize("server", [CHAT, MESSAGES])
@pytest.mark.parametrize("streams", [True, False])
@pytest.mark.parametrize("cut", [whole, by_event, singles])
def test_their_calls_come_back_as_the_client_published_them(
    server: Protocol, streams: bool, cut: Any
) -> None:
    """A custom call with its free text, a namespaced one with its namespace, others live."""
    run = Run(RESPONSES, server, wrapping=WRAPPING, accept=AGENT_CLIENTS)
    run.ask(codex(stream=streams))
    made = [
        ("n1", "apply_patch", json.dumps({"input": SAID})),
        ("n2", "mail__send", '{"to":"x"}'),
        ("n3", "look", '{"a":1}'),
    ]
    run.play(*cut(answer(server, "Now.", calls=made)))
    assert run.relay.error is None
    patch, mail, look = calls(run)
    assert CustomToolCall("n1", "apply_patch", SAID, None, patch.extensions) == patch
    assert ("send", '{"to":"x"}') == (mail.name, mail.arguments)
    assert "mail" in [each.value for each in mail.extensions]
    assert ("look", '{"a":1}') == (look.name, look.arguments)
    assert ToolCalls() == run.outcome().stop
    if streams:
        assert b"response.custom_tool_call_input.delta" in run.body
        assert b'"input\\"' not in run.body


@pytest.mark.parametrize("server", [CHAT, MESSAGES])
def test_a_call_that_does_not_unwrap_is_refused(server: Protocol) -> None:
    """Never repaired: what was shown before stays, and then comes an error."""
    run = Run(RESPONSES, server, wrapping=WRAPPING, accept=AGENT_CLIENTS).ask(codex())
    run.play(*by_event(answer(server, "Now.", calls=[("n1", "apply_patch", '{"patch":"x"}')])))
    assert b'"Now"' in run.body
    error = run.relay.error
    assert isinstance(error, ResponseRefused)
    assert (RefusalCode.PROTOCOL, False) == (error.code, error.may_retry)
    assert Dispatch.ACCEPTED is error.dispatch
    assert isinstance(run.failure(), TurnFailed)


def test_names_that_collide_once_wrapped_are_refused() -> None:
    """Before anything is sent."""
    body = ask(RESPONSES, tools=["mail__send", SPACE])
    run = Run(RESPONSES, CHAT, wrapping=WRAPPING, accept=AGENT_CLIENTS).ask(body)
    assert 400 == run.head.status
    assert isinstance(run.relay.error, RequestRefused)


def test_without_wrapping_such_tools_are_refused_by_name() -> None:
    """It is the operator's explicit choice."""
    error = Run(RESPONSES, MESSAGES, accept=AGENT_CLIENTS).ask(codex()).relay.error
    assert isinstance(error, RequestRefused)
    losses = {each.loss for each in (error, *error.others)}
    assert "turn.custom_tool" in losses or any(loss and "custom" in loss for loss in losses)


def test_wrapped_names_are_mapped_too() -> None:
    """Wrapping comes first, names after it; back in the other order."""
    space = {**SPACE, "name": "ma.il"}
    run = Run(RESPONSES, CHAT, wrapping=WRAPPING, accept=AGENT_CLIENTS)
    run.ask(ask(RESPONSES, tools=[space]))
    (name,) = names_sent(run)
    assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name)
    run.play(*by_event(answer(CHAT, calls=[("n1", name, "{}")])))
    (call,) = calls(run)
    assert "send" == call.name
    assert "ma.il" in [each.value for each in call.extensions]
