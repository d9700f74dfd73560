"""What a Chat body cannot say of a turn, by name."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve

from llm_projections.errors import RefusalCode, RequestRefused
from llm_projections.model.binding import Capabilities, Conversation
from llm_projections.model.dialect import Dialect
from llm_projections.model.dialects import DIALECTS
from llm_projections.model.items import (
    AssistantMessage,
    Audio,
    CacheMark,
    CustomToolCall,
    DataSource,
    Document,
    Extension,
    FileSource,
    Image,
    Opaque,
    Reasoning,
    Text,
    TextSource,
    ToolCall,
    ToolResult,
    UnattributedOpaque,
    UrlSource,
    UserMessage,
    WireItem,
    WirePart,
)
from llm_projections.model.limits import Limits
from llm_projections.model.losses import AGENT_CLIENTS, Loss
from llm_projections.model.tools import (
    FunctionTool,
    HostedTool,
    JsonSchema,
    WireChoice,
)
from llm_projections.model.turn import Sampling, Thinking, TurnRequest
from llm_projections.wires._fragments import FragmentCache
from llm_projections.wires.chat import encode_request, project_request
from tests.cases.chat import ASK, BINDING, HOME, own, turn
from tests.everything import MODEL, binding_of
from tests.wires.chat_projecting import (
    CALL,
    CALLED,
    CHAT,
    DIALECTED,
    MESSAGES,
    PLAIN,
    PNG,
    RESPONSES,
    RESULT,
    VENDOR,
    lost,
    messages,
    refused,
    without,
)

# what this wire or the binding lacks


@pytest.mark.parametrize(
    ("given", "loss", "path"),
    [
        (turn(thinking=Thinking(mode="adaptive")), "turn.thinking.mode", "thinking.mode"),
        (
            turn(thinking=Thinking(budget_tokens=5)),
            "turn.thinking.budget_tokens",
            "thinking.budget_tokens",
        ),
        (turn(thinking=Thinking(display="omitted")), "turn.thinking.display", "thinking.display"),
        (turn(end_user_id="u" * 65), "turn.end_user_id", "end_user_id"),
        (
            turn(tools=(FunctionTool("f", cache=CacheMark()),)),
            "turn.cache",
            "tools[0].cache",
        ),
        (
            turn(UserMessage((Text("a", cache=CacheMark("5m")),))),
            "turn.cache.ttl",
            "items[0].content[0].cache.ttl",
        ),
        (
            turn(UserMessage((Image(FileSource(MESSAGES, "f")),))),
            "turn.image.file",
            "items[0].content[0].source",
        ),
        (
            turn(UserMessage((Document(FileSource(MESSAGES, "f")),))),
            "turn.document.file",
            "items[0].content[0].source",
        ),
        (
            turn(UserMessage((Document(TextSource("a")),))),
            "turn.documents",
            "items[0].content[0].source",
        ),
        (
            turn(UserMessage((Text("a", annotations=(own("messages.annotations", {}),)),))),
            "turn.annotations",
            "items[0].content[0].annotations",
        ),
        (
            turn(UserMessage((WirePart(MESSAGES, {"type": "search_result"}),))),
            "messages.content.search_result",
            "items[0].content[0]",
        ),
        (
            turn(ASK, WireItem(RESPONSES, {"type": "web_search_call"})),
            "responses.input.web_search_call",
            "items[1]",
        ),
        (
            turn(
                ASK,
                WireItem(CHAT, {"odd": 1}, extensions=(own("answer.kept_event", True),)),
            ),
            "turn.kept_event",
            "items[1]",
        ),
        (
            turn(tools=(HostedTool(MESSAGES, {"type": "web_search_20250305"}),)),
            "messages.tools.web_search",
            "tools[0]",
        ),
        (
            turn(tool_choice=WireChoice(RESPONSES, {"type": "shell"})),
            "responses.tool_choice.shell",
            "tool_choice",
        ),
        (
            turn(ASK, Opaque(evolve(HOME, account="other"), {"reasoning_details": []}), ASK),
            "turn.opaque",
            "items[1]",
        ),
        (
            turn(ASK, UnattributedOpaque(CHAT, {"reasoning_details": []}), ASK),
            "turn.opaque.unattributed",
            "items[1]",
        ),
        (turn(ASK, Reasoning("hm"), ASK), "turn.reasoning", "items[1]"),
        (
            turn(ASK, AssistantMessage((Text("a", (Extension(MESSAGES, "x", {}),)),)), ASK),
            "turn.annotations",
            "items[1].content[0].annotations",
        ),
        (
            turn(ASK, AssistantMessage((Text("a", extensions=(own("answer.logprobs", 1),)),)), ASK),
            "turn.answer_fields",
            "items[1].content[0]",
        ),
        (
            turn(
                ASK,
                ToolCall(
                    "c1",
                    "f",
                    "{}",
                    extensions=(Extension(CHAT, "messages.tool_calls.extra_content", {}),),
                ),
                RESULT,
            ),
            "turn.opaque.unattributed",
            "items[1]",
        ),
        (turn(ASK, evolve(CALL, cache=CacheMark()), RESULT), "turn.cache", "items[1].cache"),
        (turn(ASK, CALL, evolve(RESULT, cache=CacheMark())), "turn.cache", "items[2].cache"),
    ],
)
def test_what_this_wire_lacks_is_named(given: TurnRequest, loss: str, path: str) -> None:
    """Refused by turn path and name; accepted, it is left out and reported there."""
    assert {path: loss} == refused(given, BINDING)
    projection = project_request(given, BINDING, accept=(loss,))
    assert (Loss(loss, path),) == projection.losses


@pytest.mark.parametrize(
    ("given", "loss"),
    [
        (turn(sampling=Sampling(top_k=5)), "turn.top_k"),
        (turn(thinking=Thinking("low")), "turn.thinking.effort"),
        (turn(tools=(FunctionTool("f"),)), "turn.tools"),
        (turn(UserMessage((PNG,))), "turn.images"),
        (turn(UserMessage((Document(DataSource("a")),))), "turn.documents"),
        (turn(UserMessage((Audio("a", "wav"),))), "turn.audio"),
        (turn(UserMessage((Text("a", cache=CacheMark()),))), "turn.cache"),
        (turn(extensions=(own("logprobs", True),)), "chat.logprobs"),
        (
            turn(UserMessage((Text("a"),), (own("messages.name", "ann"),))),
            "chat.messages.name",
        ),
        (
            turn(UserMessage((WirePart(CHAT, {"type": "video_url"}),))),
            "chat.messages.content.video_url",
        ),
        (turn(ASK, WireItem(CHAT, {"role": "function"}), ASK), "chat.messages.function"),
        (turn(end_user_id="u"), "turn.end_user_id"),
    ],
)
def test_what_the_binding_does_not_declare_is_named(given: TurnRequest, loss: str) -> None:
    """Used and undeclared is refused by its name."""
    assert {loss} == set(refused(given, PLAIN).values())
    assert (loss,) == tuple(
        found.name for found in project_request(given, PLAIN, accept=(loss,)).losses
    )


def test_top_k_goes_only_where_it_is_published() -> None:
    """The vendor has no such field: a dialect has."""
    given = turn(sampling=Sampling(top_k=5))
    vendor = without(VENDOR, extensions=frozenset())
    assert {"sampling.top_k": "turn.top_k"} == refused(given, vendor)
    served = evolve(vendor, dialect=DIALECTS["vllm"])
    assert 5 == project_request(given, served).body["top_k"]


def test_a_custom_call_is_never_left_out_of_its_conversation() -> None:
    """Its result would answer nothing: there is no loss to accept."""
    given = turn(ASK, CustomToolCall("c1", "p", "x"), ToolResult("c1", (), custom=True))
    binding = without(BINDING, custom_tools=False)
    assert {"items[1]": "the binding does not declare custom tools"} == refused(
        given, binding, accept=AGENT_CLIENTS
    )


def test_a_call_of_another_binding_keeps_its_seal_for_itself() -> None:
    """Sealed state beside a call is bound to all six coordinates."""
    seal = Extension(CHAT, "messages.tool_calls.extra_content", {}, evolve(HOME, model="other"))
    given = turn(ASK, evolve(CALL, extensions=(seal,)), RESULT)
    written, _ = lost(given, BINDING, "turn.opaque")
    assert [CALLED] == written[1]["tool_calls"]


def test_a_summary_never_passes_for_the_reasoning_itself() -> None:
    """What another vendor summed up is left out by name."""
    given = turn(ASK, Reasoning("sum", True), AssistantMessage((Text("hi"),)), ASK)
    assert {"items[1]": "turn.reasoning"} == refused(given, DIALECTED)


def test_ids_and_spellings_of_another_wire_are_no_loss() -> None:
    """An item's id means nothing here."""
    named = (Extension(RESPONSES, "input.id", "msg_1"),)
    given = turn(ASK, AssistantMessage((Text("hi"),), named), ASK)
    assert {"role": "assistant", "content": "hi"} == messages(given)[1]


def test_an_unnamed_schema_gets_the_pinned_name() -> None:
    """The vendor requires one; Messages has none."""
    body = project_request(turn(output_format=JsonSchema(None, {})), BINDING).body
    assert {"name": "response", "schema": {}} == body["response_format"]["json_schema"]


def test_an_image_without_media_type_cannot_be_said() -> None:
    """A data URL names it."""
    given = turn(UserMessage((Image(DataSource("aGk=")),)))
    path = "items[0].content[0].source.media_type"
    assert {path: "is required on this wire"} == refused(given)


def test_all_refusals_come_at_once() -> None:
    """In the order of the body."""
    given = turn(
        UserMessage((PNG,)),
        thinking=Thinking(mode="adaptive"),
        tools=(HostedTool(MESSAGES, {"type": "web_search_20250305"}),),
    )
    binding = without(BINDING, images=False)
    assert ["items[0].content[0]", "tools[0]", "thinking.mode"] == list(refused(given, binding))


def test_the_turn_is_checked_first() -> None:
    """A turn that contradicts itself, another model, another wire, a conversation, nothing to say."""
    unanswered = "a call is not answered before the next model turn"
    assert {"items[1]": unanswered} == refused(turn(ASK, CALL))
    assert "model" in refused(evolve(turn(), model="other"))
    assert {"protocol": "a binding of another wire"} == refused(turn(), binding_of(MESSAGES))
    assert {"conversation": "this wire knows no conversations"} == refused(
        turn(), conversation=Conversation("c")
    )
    assert {"items": "a request needs at least one message"} == refused(TurnRequest(MODEL, ()))


def test_an_output_limit_above_the_bindings_is_refused_in_words_that_clients_read() -> None:
    """Or, accepted, the maximum is sent."""
    binding = without(BINDING, max_output_tokens=10)
    given = turn(max_output_tokens=11)
    with pytest.raises(RequestRefused) as caught:
        project_request(given, binding)
    assert "max_tokens: 11 > 10" == caught.value.message
    body = project_request(given, binding, accept=("max_output_tokens.lowered",)).body
    assert 10 == body["max_completion_tokens"]


# bytes


def test_encoding_appends_its_losses() -> None:
    """Only bytes come back, so the caller hands in the list."""
    losses: list[Loss] = []
    encode_request(turn(end_user_id="u"), PLAIN, accept=AGENT_CLIENTS, losses=losses)
    assert [Loss("turn.end_user_id", "end_user_id")] == losses


@pytest.mark.parametrize(
    ("given", "path"),
    [
        (turn(UserMessage((Text("\ud83d"),))), "messages[0].content"),
        (turn(ASK, CALL, ToolResult("c1", (Text("\ud83d"),), True)), "items[2].content"),
        (
            turn(tools=(FunctionTool("f", input_schema={"a": float("nan")}),)),
            "tools[0].function.parameters.a",
        ),
        (turn(extensions=(own("logit_bias", {"1": float("inf")}),)), "logit_bias.1"),
    ],
)
def test_what_json_cannot_say_is_refused_by_its_place(given: TurnRequest, path: str) -> None:
    """Half a character, a number that is none: never written as something else."""
    for fragments in (None, FragmentCache()):
        with pytest.raises(RequestRefused) as caught:
            encode_request(given, BINDING, fragments=fragments)
        assert (path, RefusalCode.INVALID_REQUEST) == (caught.value.path, caught.value.code)


def test_big_integers_in_schemas_stay_exact() -> None:
    """A schema is the caller's own JSON."""
    schema: dict[str, Any] = {"enum": [2**64 + 1, 1.5, None]}
    data = encode_request(turn(tools=(FunctionTool("f", input_schema=schema),)), BINDING)
    assert b'"parameters":{"enum":[18446744073709551617,1.5,null]}' in data


def test_a_request_past_its_limit_is_too_large() -> None:
    """Before anything is sent."""
    with pytest.raises(RequestRefused) as caught:
        encode_request(turn(), BINDING, limits=Limits(request_bytes=10))
    assert RefusalCode.TOO_LARGE is caught.value.code


# presets


@pytest.mark.parametrize("name", list(DIALECTS))
def test_a_preset_takes_a_plain_request(name: str) -> None:
    """Each names itself, and none stands in the way of what every server takes."""
    binding = evolve(BINDING, capabilities=Capabilities.text(), dialect=DIALECTS[name])
    body = project_request(turn(max_output_tokens=5), binding).body
    limit = DIALECTS[name].output_limit_field
    assert {"model", "messages", limit, "stream", "stream_options"} == set(body)
    assert name == DIALECTS[name].name


def test_a_preset_sends_what_its_server_publishes_and_nothing_else() -> None:
    """OpenRouter's routing goes to OpenRouter only."""
    given = turn(extensions=(own("provider", {"order": ["a"]}),))
    served = evolve(PLAIN, dialect=DIALECTS["openrouter"])
    assert {"order": ["a"]} == project_request(given, served).body["provider"]
    for name in ("openai", "vllm", "groq"):
        foreign = evolve(PLAIN, dialect=DIALECTS[name])
        assert {"provider": "chat.provider"} == refused(given, foreign)


def test_a_url_for_a_file_goes_only_where_it_is_read() -> None:
    """The vendor wants data; OpenRouter fetches."""
    given = turn(UserMessage((Document(UrlSource("https://e.x/a.pdf")),)))
    able = without(VENDOR, extensions=frozenset())
    assert {"items[0].content[0].source": "turn.documents"} == refused(given, able)
    served = evolve(able, dialect=DIALECTS["openrouter"])
    part = messages(given, served)[0]["content"][0]
    assert {"type": "file", "file": {"file_data": "https://e.x/a.pdf"}} == part


def test_the_default_dialect_is_the_vendors() -> None:
    """No preset is needed to talk to it."""
    assert evolve(Dialect(), name="openai") == evolve(
        DIALECTS["openai"], request_fields=frozenset()
    )
