"""What the Messages wire lacks of a turn: refused, or left out by name."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve

from llm_projections.messages import project_request
from llm_projections.model.binding import Capabilities
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
    Instruction,
    Opaque,
    Protocol,
    Provenance,
    Reasoning,
    RefusalText,
    Text,
    TextSource,
    ToolResult,
    UnattributedOpaque,
    UrlSource,
    UserMessage,
    WireItem,
    WirePart,
)
from llm_projections.model.losses import AGENT_CLIENTS
from llm_projections.model.tools import (
    NONE,
    Allowed,
    CustomTool,
    HostedTool,
    JsonObject,
    JsonSchema,
    Named,
    WireChoice,
)
from llm_projections.model.turn import Sampling, Thinking
from llm_projections.wires.messages.vocab import UNSIGNED_MEMORY
from tests.cases.messages import (
    ASK,
    BINDING,
    HOME,
    SCHEMA,
    SIGNED,
    TOOL,
    WIRE,
    own,
    turn,
)
from tests.everything import binding_of
from tests.wires.messages_projecting import refused, written

CHAT = Protocol.CHAT
RESPONSES = Protocol.RESPONSES
MARK: dict[str, Any] = {"type": "ephemeral"}
ELSEWHERE = evolve(HOME, account="another")


@pytest.mark.parametrize(
    ("settings", "lost"),
    [
        ({"sampling": Sampling(1.5)}, {"sampling.temperature": "turn.temperature"}),
        ({"sampling": Sampling(seed=1)}, {"sampling.seed": "turn.seed"}),
        (
            {"sampling": Sampling(presence_penalty=1, frequency_penalty=0)},
            {
                "sampling.presence_penalty": "turn.presence_penalty",
                "sampling.frequency_penalty": "turn.frequency_penalty",
            },
        ),
        ({"thinking": Thinking("minimal")}, {"thinking.effort": "turn.thinking.effort"}),
        (
            {"thinking": Thinking("none", mode="adaptive")},
            {"thinking.effort": "turn.thinking.effort"},
        ),
        (
            {"thinking": Thinking(None, 1024, "adaptive")},
            {"thinking.budget_tokens": "turn.thinking.budget_tokens"},
        ),
        ({"thinking": Thinking(display="omitted")}, {"thinking.display": "turn.thinking.display"}),
        (
            {"thinking": Thinking(mode="adaptive", display="detailed")},
            {"thinking.display": "turn.thinking.display"},
        ),
        ({"verbosity": "low"}, {"verbosity": "turn.verbosity"}),
        ({"prompt_cache_key": "k"}, {"prompt_cache_key": "turn.prompt_cache_key"}),
        ({"metadata": {"a": "b"}}, {"metadata": "turn.metadata"}),
        ({"service_tier": "flex"}, {"service_tier": "turn.service_tier"}),
        ({"output_format": JsonObject()}, {"output_format": "turn.output_format"}),
        (
            {"output_format": JsonSchema("n", SCHEMA, False, "d")},
            {
                "output_format.name": "turn.output_format.name",
                "output_format.description": "turn.output_format.description",
                "output_format.strict": "turn.output_format.strict",
            },
        ),
        (
            {"tools": (TOOL,), "tool_choice": Allowed("auto", ("look",))},
            {"tool_choice": "turn.tool_choice.allowed"},
        ),
        (
            {"tool_choice": WireChoice(RESPONSES, {"type": "mcp"})},
            {"tool_choice": "responses.tool_choice.mcp"},
        ),
        (
            {"parallel_tool_calls": False},
            {"parallel_tool_calls": "turn.parallel_tool_calls.unused"},
        ),
        (
            {"tools": (TOOL,), "tool_choice": NONE, "parallel_tool_calls": False},
            {"parallel_tool_calls": "turn.parallel_tool_calls.unused"},
        ),
        ({"tools": (CustomTool("c"),)}, {"tools[0]": "turn.tools.custom"}),
        (
            {"tools": (CustomTool("c"),), "tool_choice": Named("c")},
            {"tools[0]": "turn.tools.custom", "tool_choice": "turn.tool_choice"},
        ),
        (
            {"tools": (HostedTool(RESPONSES, {"type": "web_search"}),)},
            {"tools[0]": "responses.tools.web_search"},
        ),
        (
            {"extensions": (Extension(CHAT, "logit_bias", {}),)},
            {"logit_bias": "chat.logit_bias"},
        ),
        (
            {"instructions": (Instruction((Text("s"),), "developer"),)},
            {"instructions[0].role": "turn.instruction.role"},
        ),
        (
            {"instructions": (Instruction((WirePart(WIRE, {"type": "tool_addition"}),)),)},
            {"instructions[0].content[0]": "messages.content.tool_addition"},
        ),
        (
            {"instructions": (Instruction((Text("s"),), None, (own("messages.clear_at", "x"),)),)},
            {"instructions[0]": "messages.messages.clear_at"},
        ),
        (
            {"extensions": (own("thinking.block_binding", {}),)},
            {"thinking.block_binding": "messages.thinking.block_binding"},
        ),
    ],
    ids=str,
)
def test_settings_that_the_wire_lacks_are_lost_by_name(
    settings: dict[str, Any], lost: dict[str, str]
) -> None:
    """Refused, or left out and reported where the name was accepted: never silently gone."""
    request = turn(**settings)
    assert lost == refused(request)
    projection = project_request(request, BINDING, accept=set(lost.values()))
    assert lost == {loss.path: loss.name for loss in projection.losses}


@pytest.mark.parametrize(
    ("value", "lost"),
    [
        (Audio("d2F2", "wav"), "turn.audio"),
        (Image(DataSource("Qk0=", "image/bmp")), "turn.images"),
        (Image(DataSource("Qk0=")), "turn.images"),
        (Image(UrlSource("data:image/svg+xml,x")), "turn.images"),
        (Image(FileSource(RESPONSES, "f")), "turn.image.file"),
        (Document(DataSource("UEs=", "application/zip")), "turn.documents"),
        (Document(TextSource("a,b", "text/csv")), "turn.documents"),
        (Document(FileSource(CHAT, "f")), "turn.document.file"),
        (WirePart(CHAT, {"type": "image_url"}), "chat.messages.content.unknown"),
    ],
    ids=str,
)
def test_parts_that_the_wire_lacks_are_refused(value: Any, lost: str) -> None:
    """A picture or a file is never passed over."""
    assert lost in refused(turn(UserMessage((value, Text("?"))))).values()


def test_the_detail_of_an_image_is_a_hint() -> None:
    """The image goes out without it."""
    image = Image(UrlSource("https://x.example/a"), "low")
    assert {"items[0].content[0].detail": "turn.image.detail"} == refused(
        turn(UserMessage((image,)))
    )
    block = {"type": "image", "source": {"type": "url", "url": "https://x.example/a"}}
    accepted = written(turn(UserMessage((image,))), accept=AGENT_CLIENTS)
    assert [{"role": "user", "content": [block]}] == accepted["messages"]


def test_hosted_tools_go_only_where_the_binding_lists_them() -> None:
    """Servers that speak the wire without the vendor's tools turn them down."""
    tool = HostedTool(WIRE, {"type": "web_search_20250305", "name": "web_search"})
    able = evolve(BINDING.capabilities, extensions=frozenset())
    bare = binding_of(WIRE, capabilities=able, request_fields=frozenset())
    lost = {"tools[0]": "messages.tools.web_search"}
    assert lost == refused(turn(tools=(tool,)), bare)
    assert [tool.payload] == written(turn(tools=(tool,)))["tools"]


def test_undeclared_images_documents_and_marks_are_refused() -> None:
    """A binding that declares texts only gets texts only."""
    texts = binding_of(WIRE, capabilities=Capabilities.text(None, 100), request_fields=frozenset())
    request = turn(
        UserMessage(
            (
                Image(UrlSource("https://x.example/a")),
                Document(TextSource("t")),
                Text("a", (), CacheMark()),
            )
        )
    )
    assert {
        "items[0].content[0]": "turn.images",
        "items[0].content[1]": "turn.documents",
        "items[0].content[2].cache": "turn.cache",
    } == refused(request, texts)


@pytest.mark.parametrize(
    ("item", "lost"),
    [
        (UnattributedOpaque(WIRE, SIGNED), {"items[1]": "turn.opaque.unattributed"}),
        (Opaque(ELSEWHERE, SIGNED), {"items[1]": "turn.opaque"}),
        (Reasoning("why", summary=True), {"items[1]": "turn.reasoning"}),
        (
            WireItem(
                WIRE, {"type": "new"}, extensions=(Extension(WIRE, "answer.kept_event", True),)
            ),
            {"items[1]": "turn.kept_event"},
        ),
        (
            AssistantMessage((RefusalText("No."),)),
            {"items[1].content[0]": "turn.refusal"},
        ),
        (
            AssistantMessage((Text("a", (Extension(CHAT, "messages.annotations", {}),)),)),
            {"items[1].content[0].annotations": "turn.annotations"},
        ),
        (
            AssistantMessage((Text("a"),), (Extension(CHAT, "messages.name", "n"),)),
            {"items[1].name": "chat.messages.name"},
        ),
        (
            AssistantMessage((Text("a", extensions=(Extension(CHAT, "answer.logprobs", {}),)),)),
            {"items[1].content[0]": "turn.answer_fields"},
        ),
    ],
    ids=str,
)
def test_items_that_the_wire_lacks_are_lost_by_name(item: Any, lost: dict[str, str]) -> None:
    """What another wire or another binding said does not go out under this one's name."""
    request = turn(ASK, item)
    assert lost == refused(request)
    projection = project_request(request, BINDING, accept=set(lost.values()))
    assert lost == {loss.path: loss.name for loss in projection.losses}


def test_items_of_another_wire_are_refused() -> None:
    """A call that another provider ran has no place here."""
    assert ["items[1]"] == list(
        refused(turn(ASK, WireItem(RESPONSES, {"type": "web_search_call"})))
    )


def test_custom_calls_are_left_out_with_their_results() -> None:
    """One accepted name takes both, so that no result stands without its call."""
    request = turn(
        ASK,
        CustomToolCall("c", "patch", "x"),
        ToolResult("c", (Text("ok"),), custom=True),
        UserMessage((Text("On"),)),
    )
    both = {"items[1]": "turn.tools.custom", "items[2]": "turn.tools.custom"}
    assert both == refused(request)
    kept = written(request, accept=["turn.tools.custom"])
    assert ["Hello", "On"] == [message["content"] for message in kept["messages"]]


def test_reasoning_goes_out_unsigned_only_where_the_binding_says_so() -> None:
    """A vendor that signs refuses unsigned thinking; a server that does not wants it back."""
    signing = binding_of(
        WIRE,
        capabilities=evolve(Capabilities.all(None, 10), extensions=frozenset()),
        request_fields=frozenset(),
    )
    request = turn(ASK, Reasoning("why"), AssistantMessage((Text("a"),)))
    assert {"items[1]": "turn.reasoning"} == refused(request, signing)
    takes = evolve(signing.capabilities, extensions=frozenset({"messages.content.thinking"}))
    body = project_request(request, evolve(signing, capabilities=takes)).body
    thinking = {"type": "thinking", "thinking": "why", "signature": ""}
    assert [thinking, {"type": "text", "text": "a"}] == body["messages"][1]["content"]


def test_reasoning_of_another_origin_needs_more_than_a_binding_that_takes_everything() -> None:
    """Its server may sign: the dialect says that it does not, or the client sent it so itself."""
    everything = binding_of(WIRE)
    thinking = {"type": "thinking", "thinking": "why", "signature": ""}
    foreign = turn(ASK, Reasoning("why"), AssistantMessage((Text("a"),)))
    assert {"items[1]": "turn.reasoning"} == refused(foreign, everything)
    server = evolve(everything, dialect=evolve(everything.dialect, unsigned_thinking=True))
    assert thinking == project_request(foreign, server).body["messages"][1]["content"][0]
    own = turn(ASK, Reasoning("why", False, (UNSIGNED_MEMORY,)), AssistantMessage((Text("a"),)))
    assert thinking == project_request(own, everything).body["messages"][1]["content"][0]


def test_sealed_state_of_six_coordinates_goes_back_as_it_came() -> None:
    """Every coordinate counts."""
    assert [SIGNED] == written(turn(ASK, Opaque(HOME, SIGNED)))["messages"][1]["content"]
    for name in ("provider", "account", "endpoint", "model", "binding_revision"):
        changed: dict[str, Any] = {name: "other"}
        foreign = Opaque(evolve(HOME, **changed), SIGNED)
        assert {"items[1]": "turn.opaque"} == refused(turn(ASK, foreign))
    other = Provenance(RESPONSES, "p", "a", "e", "m", "r")
    assert {"items[1]": "turn.opaque"} == refused(turn(ASK, Opaque(other, {"type": "reasoning"})))


def test_a_message_of_which_everything_was_left_out_is_left_out() -> None:
    """The vendor takes an empty one from nobody; one that was empty, or says more, is as it was."""
    gone = WirePart(CHAT, {"type": "wombat"})
    call = Extension(CHAT, "messages.function_call", {"name": "look", "arguments": "{}"})
    accepted = {"turn.audio", "chat.messages.content.unknown", "chat.messages.function_call"}
    said = turn(
        ASK,
        AssistantMessage((gone,)),
        UserMessage((Audio("UklGRg==", "wav"),)),
        Instruction((gone,)),
        Instruction((gone,), None, (own("messages.output_config", {"effort": "low"}),)),
        AssistantMessage((), (call,)),
        UserMessage(()),
        AssistantMessage(()),
    )
    body = project_request(said, BINDING, accept=accepted)
    assert [
        {"role": "user", "content": "Hello"},
        {"role": "system", "content": "", "output_config": {"effort": "low"}},
        {"role": "user", "content": ""},
        {"role": "assistant", "content": ""},
    ] == body.body["messages"]
    parts = [f"items[{at}].content[0]" for at in (1, 2, 3, 4)]
    assert [*parts, "items[5].function_call"] == [loss.path for loss in body.losses]
