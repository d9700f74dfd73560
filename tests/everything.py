"""One of everything: bindings that declare all their wire has, and small values that tests build on."""

from typing import Any

from llm_projections.model.binding import Anonymous, Auth, Binding, Capabilities, Identity
from llm_projections.model.dialect import ALL, Dialect
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
    Reasoning,
    RefusalText,
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
from llm_projections.model.results import AnswerShape
from llm_projections.model.tools import (
    Allowed,
    CustomTool,
    FunctionTool,
    Grammar,
    HostedTool,
    JsonSchema,
)
from llm_projections.model.turn import Sampling, Thinking, TurnRequest

MODEL = "caller-model"
IDENTITY = Identity("resp_1", 1_790_000_000, "client-model")
SHAPE = AnswerShape(stream=True, include_usage=True, encrypted_reasoning=True)


def binding_of(
    protocol: Protocol,
    *,
    auth: Auth = Anonymous(),
    capabilities: Capabilities | None = None,
    **habits: Any,
) -> Binding:
    """A binding that declares everything, of a server with these habits."""
    return Binding(
        protocol,
        "provider",
        "account",
        "endpoint",
        MODEL,
        "upstream-model",
        "https://upstream.example/v1/",
        auth,
        Capabilities.all(200_000, 64_000) if capabilities is None else capabilities,
        Dialect(**{"request_fields": ALL, **habits}),
    )


# the places that only some servers of a wire have, so that everything it can say can be tried
HABITS: dict[Protocol, dict[str, Any]] = {
    Protocol.CHAT: {
        "reasoning_field": "reasoning_content",
        "reasoning_details": True,
        "extra_content": True,
        "tool_result_parts": True,
        "prefill": True,
    },
    Protocol.MESSAGES: {},
    Protocol.RESPONSES: {},
}
BINDINGS = {protocol: binding_of(protocol, **habits) for protocol, habits in HABITS.items()}


def everything(binding: Binding) -> TurnRequest:
    """A turn with all that the neutral model can say, sealed state of this binding included."""
    seal = Extension(
        Protocol.CHAT, "messages.tool_calls.extra_content", {"google": {}}, binding.provenance
    )
    mark = CacheMark()
    return TurnRequest(
        binding.model,
        (
            UserMessage(
                (
                    Text("u", cache=mark),
                    Image(UrlSource("https://x.example/a.png"), "low"),
                    Image(DataSource("QUJD", "image/png"), cache=CacheMark("1h")),
                    Image(FileSource(binding.protocol, "file_1")),
                    Document(DataSource("QUJD", "application/pdf"), "title"),
                    Document(TextSource("plain")),
                    Document(UrlSource("https://x.example/a.pdf")),
                    Document(FileSource(binding.protocol, "file_2")),
                    Audio("QUJD", "wav"),
                    WirePart(Protocol.MESSAGES, {"type": "search_result", "source": "s"}),
                ),
                (Extension(Protocol.CHAT, "messages.name", "n"),),
            ),
            Instruction((Text("in place"),)),
            Reasoning("thought"),
            Reasoning("summary", True),
            Opaque(binding.provenance, SEALED[binding.protocol], "read"),
            UnattributedOpaque(Protocol.MESSAGES, {"type": "redacted_thinking", "data": "d"}),
            AssistantMessage(
                (
                    Text("a", (Extension(binding.protocol, "messages.content.citations", {}),)),
                    RefusalText("no"),
                )
            ),
            ToolCall("call_1", "look", '{"n": 1.0}', mark, (seal,)),
            CustomToolCall("call_2", "patch", "x"),
            WireItem(Protocol.RESPONSES, {"type": "web_search_call", "id": "ws_1"}),
            ToolResult("call_1", (Text("r"), Image(UrlSource("https://x.example/b.png"))), True),
            ToolResult("call_2", (Text("r"),), False, True),
            AssistantMessage((Text("b"),)),
            UserMessage((Text("on"),)),
        ),
        (Instruction((Text("one"),)), Instruction((Text("two"),), "developer")),
        (
            FunctionTool("look", "Looks.", {"type": "object", "properties": {}}, True, mark),
            FunctionTool("bare"),
            CustomTool("patch", "Patches.", Grammar("lark", "start: X")),
            HostedTool(Protocol.RESPONSES, {"type": "web_search"}),
        ),
        Allowed("required", ("look", "patch")),
        False,
        100,
        Sampling(0.5, 0.9, 40, 7, 0.1, 0.2),
        Thinking("high", 1000, "enabled", "summarized"),
        JsonSchema("answer", {"type": "object"}, True, "An answer."),
        ("END",),
        "low",
        "user",
        "key",
        {"b": "1", "a": "2"},
        "flex",
        "given",
        (
            Extension(Protocol.CHAT, "logit_bias", {"1": 2}),
            Extension(Protocol.MESSAGES, "context_management", {"edits": []}),
            Extension(Protocol.RESPONSES, "truncation", "auto"),
        ),
    )


SEALED: dict[Protocol, dict[str, Any]] = {
    Protocol.CHAT: {"reasoning_details": [{"type": "reasoning.encrypted", "data": "e"}]},
    Protocol.MESSAGES: {"type": "thinking", "thinking": "read", "signature": "s"},
    Protocol.RESPONSES: {"type": "reasoning", "summary": [], "encrypted_content": "e"},
}
