"""What a Responses body cannot say, or a binding does not declare: each thing is a loss with a name."""

from typing import Any

import pytest
from attrs import evolve

from llm_projections.errors import RequestRefused
from llm_projections.model.binding import Anonymous, Binding, Capabilities
from llm_projections.model.dialect import Dialect
from llm_projections.model.items import (
    AssistantMessage,
    Audio,
    CacheMark,
    Document,
    Extension,
    FileSource,
    Image,
    Instruction,
    Item,
    Protocol,
    Text,
    ToolResult,
    UrlSource,
    UserMessage,
    WireItem,
    WirePart,
)
from llm_projections.model.losses import Loss
from llm_projections.model.results import Projection
from llm_projections.model.tools import (
    FunctionTool,
    HostedTool,
    WireChoice,
)
from llm_projections.model.turn import Thinking, TurnRequest
from llm_projections.wires.responses import project_request
from tests.cases.responses_words import (
    CALL,
    CUSTOM,
    R,
    carried,
    turn,
)

GREETING = UserMessage((Text("Hi"),))


def bound(able: Capabilities | None = None, **dialect: Any) -> Binding:
    """A binding that declares everything, or `able`."""
    return Binding(
        protocol=R,
        provider="p",
        account="a",
        endpoint="e",
        model="m",
        upstream_name="m",
        base_url="https://e.x/v1/",
        auth=Anonymous(),
        capabilities=Capabilities.all() if able is None else able,
        dialect=Dialect(**dialect),
    )


EVERYTHING = bound()
TEXT = bound(Capabilities.text())


def written(request: TurnRequest, binding: Binding = EVERYTHING, **options: Any) -> Projection:
    """The projection of a turn, after binding what nobody has attributed."""
    return project_request(request.bind_unattributed(binding.provenance), binding, **options)


def node(item: Item, binding: Binding = EVERYTHING, **options: Any) -> Any:
    """How one item after a greeting is written."""
    return written(turn(GREETING, item), binding, **options).body["input"][-1]


def refusals(
    request: TurnRequest, binding: Binding = EVERYTHING, **options: Any
) -> list[tuple[str, str | None]]:
    """What is refused of a turn: path and loss."""
    with pytest.raises(RequestRefused) as caught:
        project_request(request, binding, **options)
    return [(r.path, r.loss) for r in (caught.value, *caught.value.others)]


# what crosses from other wires


M, C = Protocol.MESSAGES, Protocol.CHAT
LOSSES: dict[str, tuple[TurnRequest, str, str]] = {
    "a foreign item": (
        turn(GREETING, WireItem(M, {"type": "server_tool_use"})),
        "items[1]",
        "messages.content.server_tool_use",
    ),
    "a foreign part": (
        turn(UserMessage((WirePart(M, {"type": "search_result"}),))),
        "items[0].content[0]",
        "messages.content.search_result",
    ),
    "a foreign tool": (
        turn(tools=(HostedTool(M, {"type": "web_search_20250305"}),)),
        "tools[0]",
        "messages.tools.web_search",
    ),
    "a foreign setting": (
        turn(extensions=(Extension(M, "context_management", {}),)),
        "context_management",
        "messages.context_management",
    ),
    "a foreign file": (
        turn(UserMessage((Image(FileSource(M, "f")),))),
        "items[0].content[0]",
        "turn.image.file",
    ),
    "a foreign document": (
        turn(UserMessage((Document(FileSource(M, "f")),))),
        "items[0].content[0]",
        "turn.document.file",
    ),
    "a foreign citation": (
        turn(
            GREETING,
            AssistantMessage((Text("a", (Extension(M, "messages.content.citations", {}),)),)),
        ),
        "items[1].content[0]",
        "turn.annotations",
    ),
    "a citation of an instruction": (
        turn(GREETING, Instruction((Text("a", (carried("input.content.annotations", {}),)),))),
        "items[1].content[0]",
        "turn.annotations",
    ),
    "a mark on an answer": (
        turn(GREETING, AssistantMessage((Text("a", cache=CacheMark()),))),
        "items[1].content[0].cache",
        "turn.cache",
    ),
    "a mark on a call": (
        turn(GREETING, evolve(CALL, cache=CacheMark()), ToolResult("c1", ())),
        "items[1].cache",
        "turn.cache",
    ),
    "a mark on a custom call": (
        turn(GREETING, evolve(CUSTOM, cache=CacheMark()), ToolResult("c1", (), custom=True)),
        "items[1].cache",
        "turn.cache",
    ),
    "a mark on a result": (
        turn(GREETING, CALL, ToolResult("c1", (), cache=CacheMark())),
        "items[2].cache",
        "turn.cache",
    ),
    "a mark on a tool": (
        turn(tools=(FunctionTool("f", cache=CacheMark()),)),
        "tools[0].cache",
        "turn.cache",
    ),
    "a foreign lifetime": (
        turn(UserMessage((Text("a", cache=CacheMark("1h")),))),
        "items[0].content[0].cache.ttl",
        "turn.cache.ttl",
    ),
    "a budget": (
        turn(thinking=Thinking(budget_tokens=1024)),
        "thinking.budget_tokens",
        "turn.thinking.budget_tokens",
    ),
    "a mode": (turn(thinking=Thinking(mode="adaptive")), "thinking.mode", "turn.thinking.mode"),
    "another display": (
        turn(thinking=Thinking(display="omitted")),
        "thinking.display",
        "turn.thinking.display",
    ),
    "a foreign choice": (
        turn(tool_choice=WireChoice(C, {"type": "wombat"})),
        "tool_choice",
        "turn.tool_choice",
    ),
    "what an answer said": (
        turn(GREETING, AssistantMessage((Text("a"),), (carried("answer.logprobs", []),))),
        "items[1]",
        "turn.answer_fields",
    ),
    "a kept event": (
        turn(
            GREETING,
            WireItem(R, {"type": "codex.x"}, extensions=(carried("answer.kept_event", True),)),
        ),
        "items[1]",
        "turn.kept_event",
    ),
}


@pytest.mark.parametrize("name", LOSSES)
def test_what_this_wire_cannot_say_is_a_named_loss(name: str) -> None:
    """It is refused by its place and name, and left out and reported where the name was accepted."""
    request, path, loss = LOSSES[name]
    assert [(path, loss)] == refusals(request)
    if loss != "chat.tool_choice.wombat":  # a choice that nobody publishes cannot be accepted
        assert (Loss(loss, path),) == written(request, accept={loss}).losses


LACKS: dict[str, tuple[TurnRequest, str, str]] = {
    "images": (
        turn(UserMessage((Image(UrlSource("u")),))),
        "items[0].content[0]",
        "turn.images",
    ),
    "documents": (
        turn(UserMessage((Document(UrlSource("u")),))),
        "items[0].content[0]",
        "turn.documents",
    ),
    "audio": (turn(UserMessage((Audio("QQ==", "wav"),))), "items[0].content[0]", "turn.audio"),
    "marks": (
        turn(UserMessage((Text("a", cache=CacheMark()),))),
        "items[0].content[0].cache",
        "turn.cache",
    ),
    "instructions in their place": (
        turn(GREETING, Instruction((Text("a"),))),
        "items[1]",
        "turn.instruction.position",
    ),
    "a carried setting": (
        turn(extensions=(carried("previous_response_id", "r"),)),
        "previous_response_id",
        "responses.previous_response_id",
    ),
    "a carried item": (
        turn(GREETING, WireItem(R, {"type": "item_reference", "id": "x"})),
        "items[1]",
        "responses.input.item_reference",
    ),
    "a carried part": (
        turn(GREETING, AssistantMessage((WirePart(R, {"type": "input_file"}),))),
        "items[1].content[0]",
        "responses.input.content.input_file",
    ),
    "a hosted tool": (
        evolve(turn(), tools=(HostedTool(R, {"type": "mcp"}),)),
        "tools",
        "turn.tools",
    ),
    "a header": (
        turn(extensions=(carried("header.openai-beta", "x"),)),
        "header.openai-beta",
        "responses.header.openai-beta",
    ),
}


@pytest.mark.parametrize("name", LACKS)
def test_what_a_binding_does_not_declare_is_a_named_loss(name: str) -> None:
    """A binding for plain text refuses it by name, and leaves it out where that was accepted."""
    request, path, loss = LACKS[name]
    assert [(path, loss)] == refusals(request, TEXT)
    assert (Loss(loss, path),) == written(request, TEXT, accept={loss}).losses
