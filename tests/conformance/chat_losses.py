"""What a Chat body leaves behind, by name, and the refusals without leave."""

from typing import Any

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
    Item,
    Opaque,
    Protocol,
    Provenance,
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
from llm_projections.model.tools import (
    Allowed,
    CustomTool,
    FunctionTool,
    HostedTool,
    JsonObject,
    JsonSchema,
    Named,
    WireChoice,
)
from llm_projections.model.turn import Sampling, Thinking, TurnRequest
from tests.conformance.chat_parts import SERVER
from tests.conformance.declared import (
    NEEDED,
    OURS,
    Declared,
    project,
)

__all__ = ["CASES"]

CHAT, MESSAGES, RESPONSES = Protocol.CHAT, Protocol.MESSAGES, Protocol.RESPONSES
_ASK = UserMessage((Text("Hello"),))
_CALL = ToolCall("call_1", "look", '{"n":1}')
_RESULT = ToolResult("call_1", (Text("one"),))
_PNG = Image(DataSource("iVBORw0KGgo=", "image/png"))
_ELSEWHERE = Provenance(CHAT, "provider", "other-account", "endpoint", "caller-model", "0" * 64)
_PLAIN: dict[str, Any] = {
    "base": "chat",
    "capabilities": {
        "tools": False,
        "custom_tools": False,
        "tool_choice": False,
        "allowed_tools": False,
        "strict_tools": False,
        "parallel_tool_calls": False,
        "temperature": False,
        "top_p": False,
        "top_k": False,
        "seed": False,
        "presence_penalty": False,
        "frequency_penalty": False,
        "stop": False,
        "verbosity": False,
        "reasoning_efforts": [],
        "thinking_modes": [],
        "thinking_budget": False,
        "thinking_display": False,
        "images": False,
        "documents": False,
        "audio": False,
        "output_formats": [],
        "instructions_in_place": False,
        "cache_marks": False,
        "end_user_id": False,
        "prompt_cache_key": False,
        "metadata": False,
        "service_tier": False,
        "extensions": [],
    },
    "dialect": {"request_fields": []},
}


def _own(path: str, value: Any) -> Extension:
    return Extension(CHAT, path, value)


def _turn(*items: Item, **settings: Any) -> TurnRequest:
    return TurnRequest("caller-model", items or (_ASK,), cache_marks="given", **settings)


def _both(slug: str, about: str, turn: TurnRequest, binding: Any = None) -> list[Declared]:
    """Refused without leave, left out with it."""
    refused = f"{about} Without leave it is refused."
    return [
        project("chat", f"loses-{slug}", about, turn, binding=binding, accept=NEEDED),
        project("chat", f"refuses-{slug}", refused, turn, binding=binding),
    ]


_TOOLS = (FunctionTool("look", "Looks.", {"type": "object"}, True), CustomTool("patch"))

_SETTINGS = [
    *_both(
        "sampling",
        "Sampling that the binding does not declare is left out, each setting by its name.",
        _turn(sampling=Sampling(0.5, 0.9, 40, 7, 0.1, 0.2), stop=("END",)),
        _PLAIN,
    ),
    *_both(
        "settings",
        "Other settings that the binding does not declare.",
        _turn(
            verbosity="low",
            end_user_id="user",
            prompt_cache_key="key",
            metadata={"a": "1"},
            service_tier="flex",
            parallel_tool_calls=False,
            thinking=Thinking("high", 1000, "enabled", "summarized"),
        ),
        _PLAIN,
    ),
    *_both(
        "serial-calls",
        "One call at a time, of a binding that does not declare it.",
        _turn(tools=_TOOLS[:1], parallel_tool_calls=False),
        _PLAIN,
    ),
    *_both(
        "thinking",
        "This wire has efforts only: a mode, a budget and a display are left out.",
        _turn(thinking=Thinking("high", 1000, "adaptive", "omitted")),
    ),
    *_both(
        "format-schema",
        "An output format that the binding does not declare.",
        _turn(output_format=JsonSchema("answer", {"type": "object"}, True, "An answer.")),
        _PLAIN,
    ),
    *_both("format-object", "Nor this one.", _turn(output_format=JsonObject()), _PLAIN),
    *_both("tools", "Tools that the binding does not take.", _turn(tools=_TOOLS[:1]), _PLAIN),
    *_both(
        "tools-custom-and-strict",
        "A binding that takes functions, and nothing that is strict or free text.",
        _turn(tools=_TOOLS, tool_choice=Allowed("auto", ("look",))),
        {
            "base": "chat",
            "capabilities": {"custom_tools": False, "strict_tools": False, "allowed_tools": False},
        },
    ),
    *_both(
        "tool-choice",
        "A choice that only another wire can say.",
        _turn(tools=_TOOLS[:1], tool_choice=WireChoice(RESPONSES, {"type": "shell"})),
    ),
    project(
        "chat",
        "loses-tool-choice-undeclared",
        "A forced choice that the binding does not declare.",
        _turn(tools=_TOOLS[:1], tool_choice=Named("look")),
        binding={"base": "chat", "capabilities": {"tool_choice": False}},
        accept=NEEDED,
    ),
    *_both(
        "output-limit-lowered",
        "A limit above the binding's is lowered to it.",
        _turn(max_output_tokens=100_000),
    ),
    *_both(
        "tools-hosted",
        "Tools that another wire's server runs.",
        _turn(
            tools=(
                HostedTool(MESSAGES, {"type": "web_search_20250305", "name": "web_search"}),
                HostedTool(RESPONSES, {"type": "file_search", "vector_store_ids": []}),
            )
        ),
    ),
]

_TALKS = [
    *_both(
        "instruction-in-place",
        "An instruction among the turns, where the binding takes it only first.",
        _turn(_ASK, AssistantMessage((Text("Hi"),)), Instruction((Text("Be brief."),)), _ASK),
        {"base": "chat", "capabilities": {"instructions_in_place": False}},
    ),
    *_both(
        "media",
        "Images, documents and audio that the binding does not take.",
        _turn(
            UserMessage(
                (Text("These:"), _PNG, Document(DataSource("JVBERi0=")), Audio("QUJD", "wav"))
            )
        ),
        _PLAIN,
    ),
    *_both(
        "sources",
        "Files of another provider and documents as text have no place here; a URL stands where a router takes it.",
        _turn(
            UserMessage(
                (
                    Text("These:"),
                    Image(FileSource(MESSAGES, "file_1")),
                    Document(FileSource(MESSAGES, "file_2")),
                    Document(TextSource("plain")),
                    Document(UrlSource("https://a.example/a.pdf")),
                )
            )
        ),
    ),
    *_both(
        "cache",
        "Marks with another vendor's time, and marks where this wire has no place for them.",
        _turn(
            UserMessage((Text("a", cache=CacheMark("5m")),)),
            ToolCall("call_1", "look", "{}", CacheMark()),
            ToolResult("call_1", (Text("one"),), cache=CacheMark()),
            tools=(FunctionTool("look", cache=CacheMark()),),
        ),
    ),
    *_both(
        "annotations",
        "Another vendor's citations of an answer, and this vendor's on a user's text.",
        _turn(
            UserMessage((Text("a", (_own("messages.annotations", {"type": "url_citation"}),)),)),
            AssistantMessage(
                (Text("b", (Extension(MESSAGES, "messages.content.citations", {"type": "x"}),)),)
            ),
            _ASK,
        ),
    ),
    *_both(
        "answer-fields",
        "What an answer said of its text is no part of a conversation.",
        _turn(
            _ASK,
            AssistantMessage((Text("a", extensions=(_own("answer.logprobs", {"content": []}),)),)),
            _ASK,
        ),
    ),
    *_both(
        "kept-event",
        "Nor is an event that was kept because nobody knew it.",
        _turn(
            _ASK,
            WireItem(CHAT, {"odd": 1}, extensions=(_own("answer.kept_event", True),)),
            AssistantMessage((Text("Hi"),)),
            _ASK,
        ),
    ),
    *_both(
        "reasoning",
        "Readable reasoning, where the dialect has no field for it.",
        _turn(_ASK, Reasoning("3 + 4"), AssistantMessage((Text("7"),)), _ASK),
    ),
    *_both(
        "reasoning-merged",
        "Two reasonings share the one field that the dialect has.",
        _turn(_ASK, Reasoning("3"), Reasoning("+ 4"), AssistantMessage((Text("7"),)), _ASK),
        SERVER,
    ),
    *_both(
        "opaque",
        "Sealed state of another account.",
        _turn(
            _ASK,
            Opaque(
                _ELSEWHERE, {"reasoning_details": [{"type": "reasoning.encrypted", "data": "e"}]}
            ),
            AssistantMessage((Text("7"),)),
            _ASK,
        ),
        SERVER,
    ),
    *_both(
        "opaque-unattributed",
        "Sealed state that nobody vouched for.",
        _turn(
            _ASK,
            UnattributedOpaque(
                CHAT, {"reasoning_details": [{"type": "reasoning.encrypted", "data": "e"}]}
            ),
            AssistantMessage((Text("7"),)),
            _ASK,
        ),
        SERVER,
    ),
    project(
        "chat",
        "opaque-of-a-call",
        "Sealed state of a call goes back to the binding that it came from.",
        _turn(
            _ASK,
            ToolCall(
                "call_1",
                "look",
                "{}",
                extensions=(
                    Extension(
                        CHAT,
                        "messages.tool_calls.extra_content",
                        {"google": {"thought_signature": "c2ln"}},
                        OURS["chat"],
                    ),
                ),
            ),
            _RESULT,
        ),
        binding=SERVER,
    ),
    *_both(
        "prefill",
        "An answer that was begun for the model, where the server does not continue it.",
        _turn(_ASK, AssistantMessage((Text("Once"),))),
    ),
    *_both(
        "result-ambiguous",
        "A result whose own text would read as our envelope of a failure.",
        _turn(_ASK, _CALL, ToolResult("call_1", (Text('{"error":"no","ok":false}'),), False)),
    ),
    *_both(
        "result-media",
        "An image in a result moves into a message of the user's.",
        _turn(_ASK, _CALL, ToolResult("call_1", (Text("one"), _PNG))),
    ),
    project(
        "chat",
        "result-failed",
        "A failure is an envelope in the text of the result.",
        _turn(_ASK, _CALL, ToolResult("call_1", (Text("no such file"),), True)),
    ),
    *_both(
        "assistant-merged",
        "Two messages of the model in a row are one, their texts on two lines.",
        _turn(_ASK, AssistantMessage((Text("One."),)), AssistantMessage((Text("Two."),)), _ASK),
    ),
    *_both(
        "assistant-reordered",
        "Text after a call stands before it.",
        _turn(
            _ASK,
            AssistantMessage((Text("One."),)),
            _CALL,
            AssistantMessage((Text("Two."),)),
            _RESULT,
        ),
    ),
    *_both(
        "text-before-result",
        "A user's text between a call and its result is moved after it.",
        _turn(_ASK, _CALL, UserMessage((Text("Wait."),)), _RESULT),
    ),
    *_both(
        "wire-things",
        "Items and parts of other wires.",
        _turn(
            UserMessage((Text("a"), WirePart(MESSAGES, {"type": "search_result", "source": "s"}))),
            WireItem(RESPONSES, {"type": "web_search_call", "id": "ws_1"}),
            AssistantMessage((Text("b"),)),
            _ASK,
        ),
    ),
    project(
        "messages",
        "from-chat-unknown-things",
        "Items, parts and tools of this wire that nobody published are left out elsewhere by one name each.",
        _turn(
            UserMessage((Text("a"), WirePart(CHAT, {"type": "wombat"}))),
            WireItem(CHAT, {"role": "koala"}),
            _ASK,
            tools=(HostedTool(CHAT, {"type": "wombat"}),),
        ),
        accept=NEEDED,
    ),
    project(
        "messages",
        "from-chat-second-names",
        "Second spellings of a setting are left out elsewhere; the setting itself is said.",
        _turn(end_user_id="u1", extensions=(_own("user", "u1"),)),
        accept=NEEDED,
    ),
    project(
        "chat",
        "refuses-custom-call",
        "A call with free text is never left out: its result would answer nothing.",
        _turn(
            _ASK,
            CustomToolCall("call_1", "patch", "-x\n"),
            ToolResult("call_1", (Text("done"),), custom=True),
        ),
        binding=_PLAIN,
    ),
    project(
        "chat",
        "refuses-other-model",
        "A turn for another model than the binding's.",
        {
            "model": "other-model",
            "items": [{"kind": "UserMessage", "content": [{"kind": "Text", "text": "Hello"}]}],
        },
    ),
    project(
        "chat",
        "refuses-conversation",
        "An identity of the conversation has no place on this wire.",
        _turn(),
        conversation={"id": "conv_1"},
    ),
    project(
        "chat",
        "whole",
        "A request for an answer in one body says nothing of streams.",
        _turn(),
        streamed=False,
    ),
]

CASES: list[Declared] = [*_SETTINGS, *_TALKS]
