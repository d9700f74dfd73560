"""What a Responses client cannot be told: losses, contradictions, and how an answer ends or fails."""

from __future__ import annotations

import json

import pytest

from llm_projections.errors import RefusalCode, ResponseRefused
from llm_projections.model.events import (
    Event,
    ItemCompleted,
    ReasoningDelta,
    TextDelta,
    ToolArgumentsDelta,
    ToolCallStarted,
    TurnCompleted,
    TurnFailed,
)
from llm_projections.model.items import (
    AssistantMessage,
    Extension,
    Item,
    Opaque,
    Protocol,
    Text,
    ToolCall,
    UserMessage,
    WireItem,
    WirePart,
)
from llm_projections.model.losses import AGENT_CLIENTS, Loss
from llm_projections.model.outcome import (
    EndTurn,
    ToolCalls,
    UpstreamError,
)
from llm_projections.wires.responses.answer import (
    IngressStream,
    encode_ingress_answer,
)
from tests.wires.responses_answers import (
    IDENTITY,
    SHAPE,
    own,
)
from tests.wires.responses_written import FOREIGN, HI, kinds, refusal, turn, written

# what this wire cannot hold


@pytest.mark.parametrize(
    ("item", "loss"),
    [
        (Opaque(FOREIGN, {"type": "thinking"}, "hm"), "answer.opaque"),
        (WireItem(Protocol.MESSAGES, {"type": "server_tool_use"}), "answer.wire_item"),
        (
            WireItem(
                Protocol.MESSAGES,
                {"type": "x"},
                extensions=(Extension(Protocol.MESSAGES, "answer.kept_event", True),),
            ),
            "answer.kept_event",
        ),
        (AssistantMessage((WirePart(Protocol.MESSAGES, {"type": "x"}),)), "answer.wire_part"),
        (
            AssistantMessage(
                (Text("Hi", (Extension(Protocol.CHAT, "messages.annotations", {}),)),)
            ),
            "answer.annotations",
        ),
        (
            ToolCall("c", "f", "{}", None, (Extension(Protocol.MESSAGES, "content.caller", 1),)),
            "answer.extensions",
        ),
        (
            ToolCall(
                "c",
                "f",
                "{}",
                None,
                (Extension(Protocol.CHAT, "messages.tool_calls.extra_content", 1),),
            ),
            "answer.opaque",
        ),
    ],
)
def test_what_another_wire_alone_can_read_is_refused_or_reported(item: Item, loss: str):
    """By its name, in a stream and in a body."""
    stop = ToolCalls() if isinstance(item, ToolCall) else EndTurn()
    whole = turn(item, stop=stop)
    assert loss in refusal(TurnCompleted(whole)).message
    with pytest.raises(ResponseRefused, match=loss):
        encode_ingress_answer(whole, IDENTITY)
    losses: list[Loss] = []
    written(TurnCompleted(whole), accept=AGENT_CLIENTS, losses=losses)
    encode_ingress_answer(whole, IDENTITY, accept=AGENT_CLIENTS, losses=losses)
    assert {loss} == {each.name for each in losses}


def test_foreign_thinking_is_shown_as_what_can_be_read_of_it():
    """Its seal is lost, its text is not."""
    item = Opaque(FOREIGN, {"type": "thinking", "signature": "s"}, "hm")
    found = written(
        ReasoningDelta("hm", 0),
        ItemCompleted(item, 0),
        TurnCompleted(turn(item)),
        accept=AGENT_CLIENTS,
    )
    (whole,) = found[-1]["response"]["output"]
    assert [{"type": "reasoning_text", "text": "hm"}] == whole["content"]


def test_an_extension_of_the_answer_goes_back_to_its_place_on_its_own_wire_only():
    """Another wire's is the loss `answer.extensions`."""
    mine = turn(HI, extensions=(own("answer.service_tier", "flex"),))
    assert "flex" == json.loads(encode_ingress_answer(mine, IDENTITY))["service_tier"]
    other = turn(HI, extensions=(Extension(Protocol.CHAT, "answer.system_fingerprint", "x"),))
    assert "answer.extensions" in refusal(TurnCompleted(other)).message


def test_an_item_that_only_a_caller_may_write_is_refused():
    """A user's message is no answer."""
    assert RefusalCode.UNSUPPORTED is refusal(TurnCompleted(turn(UserMessage((Text("x"),))))).code


@pytest.mark.parametrize(
    "given",
    [
        pytest.param([TextDelta("Hallo", 0), ItemCompleted(HI, 0)], id="another text"),
        pytest.param([TextDelta("Hi", 0), ItemCompleted(ToolCall("c", "f", ""), 0)], id="a kind"),
        pytest.param([ItemCompleted(HI, 0), ItemCompleted(HI, 0)], id="done twice"),
        pytest.param([ItemCompleted(HI, 0), TextDelta("Hi", 0)], id="said after its end"),
        pytest.param(
            [ToolCallStarted("c", "f", 0), ToolCallStarted("c", "f", 0)], id="announced twice"
        ),
        pytest.param([ToolArgumentsDelta("c", "{", 0)], id="arguments of nothing"),
        pytest.param(
            [ToolCallStarted("c", "f", 0), ItemCompleted(ToolCall("c", "g", "{}"), 0)],
            id="another name",
        ),
        pytest.param(
            [
                ToolCallStarted("c", "f", 0),
                ToolArgumentsDelta("c", '{"a"', 0),
                ItemCompleted(ToolCall("c", "f", '{"b":1}'), 0),
            ],
            id="other arguments",
        ),
        pytest.param([ItemCompleted(HI, 0), TurnCompleted(turn())], id="an item that is gone"),
        pytest.param([TextDelta("Hi", 0), TurnCompleted(turn())], id="a text that is gone"),
        pytest.param([TextDelta("\ud800", 0)], id="a lone surrogate"),
        pytest.param([ReasoningDelta("\ud800", 0)], id="a lone surrogate in reasoning"),
        pytest.param(
            [ToolCallStarted("c", "f", 0), ToolArgumentsDelta("c", "\ud800", 0)],
            id="a lone surrogate in arguments",
        ),
        pytest.param(
            [TurnCompleted(turn(AssistantMessage((Text("\ud800"),))))],
            id="a lone surrogate in the end",
        ),
    ],
)
def test_a_contradiction_is_refused_and_closes_the_answer(given: list[Event]):
    """The client never reads two answers in one."""
    assert RefusalCode.UNSUPPORTED is refusal(*given).code
    assert "response.failed" == written(*given)[-1]["type"]


def test_an_item_finished_before_one_that_stands_first_changes_the_order():
    """Which is a loss of its own."""
    one, two = (WireItem(Protocol.RESPONSES, {"type": "mcp_list_tools", "id": n}) for n in "ab")
    given = [ItemCompleted(two, 1), ItemCompleted(one, 0), TurnCompleted(turn(one, two))]
    assert "answer.order" in refusal(*given).message
    losses: list[Loss] = []
    written(*given, accept=AGENT_CLIENTS, losses=losses)
    assert ["answer.order"] == [loss.name for loss in losses]


# the end


def test_nothing_is_written_after_the_end():
    """Misuse is told; a second failure is silent."""
    stream = IngressStream(IDENTITY, SHAPE)
    stream.encode(TurnCompleted(turn(HI)))
    assert stream.done
    assert b"" == stream.fail(ResponseRefused(RefusalCode.TRANSPORT, "x"))
    with pytest.raises(RuntimeError):
        stream.encode(TextDelta("H", 0))


@pytest.mark.parametrize(
    ("code", "upstream", "told"),
    [
        (RefusalCode.UNAVAILABLE, None, "server_error"),
        (RefusalCode.UNAVAILABLE, "server_is_overloaded", "server_is_overloaded"),
        (RefusalCode.UNAVAILABLE, "overloaded_error", "server_error"),
        (RefusalCode.RATE_LIMITED, "rate_limit_exceeded", "rate_limit_exceeded"),
        (RefusalCode.RATE_LIMITED, "server_error", "rate_limit_exceeded"),
        (RefusalCode.CONTEXT_LENGTH, None, "context_length_exceeded"),
        (RefusalCode.BILLING, None, "insufficient_quota"),
        (RefusalCode.REFUSED, None, "invalid_prompt"),
        (RefusalCode.REFUSED, "invalid_image", "invalid_image"),
        (RefusalCode.PROTOCOL, None, "server_error"),
        (RefusalCode.NOT_FOUND, None, "invalid_prompt"),
    ],
)
def test_a_failure_in_mid_stream_has_a_code_that_clients_act_on(
    code: RefusalCode, upstream: str | None, told: str
):
    """The finished items stay in it, what was open is not closed: a client never runs half a call."""
    error = ResponseRefused(code, "ours", upstream=UpstreamError(code=upstream, message="theirs"))
    found = written(ItemCompleted(HI, 0), ToolCallStarted("c", "f", 1), TurnFailed(error))
    assert "response.failed" == found[-1]["type"]
    assert {"code": told, "message": "theirs"} == found[-1]["response"]["error"]
    assert ["message"] == [each["type"] for each in found[-1]["response"]["output"]]


def test_a_failure_before_output_still_opens_the_response():
    """The official client demands that `response.created` comes first."""
    found = written(TurnFailed(ResponseRefused(RefusalCode.TRANSPORT, "gone")))
    assert ["created", "in_progress", "failed"] == kinds(found)
    assert "gone" == found[-1]["response"]["error"]["message"]


def test_what_a_provider_wrote_never_breaks_the_bytes():
    """A lone surrogate in its message is left out with the message."""
    error = ResponseRefused(RefusalCode.REFUSED, "ours", upstream=UpstreamError(message="\ud800"))
    assert "ours" == written(TurnFailed(error))[-1]["response"]["error"]["message"]


def test_a_sign_of_life_is_a_comment():
    """It changes nothing, before the head and after."""
    assert b": keepalive\n\n" == IngressStream(IDENTITY, SHAPE).keepalive()
