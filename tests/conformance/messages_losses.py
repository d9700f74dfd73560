"""What a Messages body leaves behind, by name, and the refusals without leave."""

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
from llm_projections.model.tools import (
    NONE,
    REQUIRED,
    Allowed,
    CustomTool,
    FunctionTool,
    HostedTool,
    JsonObject,
    JsonSchema,
    Named,
)
from llm_projections.model.turn import Sampling, Thinking, TurnRequest
from tests.conformance.declared import NEEDED, Declared, project

__all__ = ["CASES"]

CHAT, MESSAGES, RESPONSES = Protocol.CHAT, Protocol.MESSAGES, Protocol.RESPONSES
_ASK = UserMessage((Text("Hello"),))
_HI = AssistantMessage((Text("Hi"),))
_CALL = ToolCall("toolu_1", "look", '{"n":1}')
_RESULT = ToolResult("toolu_1", (Text("one"),))
_PNG = Image(DataSource("iVBORw0KGgo=", "image/png"))
_LOOK = FunctionTool("look", "Looks.", {"type": "object"}, True)
_SIGNED: dict[str, Any] = {"type": "thinking", "thinking": "plan", "signature": "c2ln"}
_ELSEWHERE = Provenance(MESSAGES, "provider", "other-account", "endpoint", "caller-model", "0" * 64)
_PLAIN: dict[str, Any] = {
    "base": "messages",
    "capabilities": {
        "tools": False,
        "tool_choice": False,
        "strict_tools": False,
        "parallel_tool_calls": False,
        "temperature": False,
        "top_p": False,
        "top_k": False,
        "stop": False,
        "reasoning_efforts": [],
        "thinking_modes": [],
        "thinking_budget": False,
        "thinking_display": False,
        "images": False,
        "documents": False,
        "output_formats": [],
        "instructions_in_place": False,
        "cache_marks": False,
        "end_user_id": False,
        "service_tier": False,
        "extensions": [],
    },
    "dialect": {"request_fields": []},
}


def _turn(*items: Item, **settings: Any) -> TurnRequest:
    return TurnRequest("caller-model", items or (_ASK,), **{"cache_marks": "given", **settings})


def _both(slug: str, about: str, turn: TurnRequest, binding: Any = None) -> list[Declared]:
    """Refused without leave, left out with it."""
    refused = f"{about} Without leave it is refused."
    return [
        project("messages", f"loses-{slug}", about, turn, binding=binding, accept=NEEDED),
        project("messages", f"refuses-{slug}", refused, turn, binding=binding),
    ]


_SETTINGS = [
    *_both(
        "sampling",
        "Sampling that the binding does not declare is left out, each setting by its name.",
        _turn(sampling=Sampling(0.5, 0.9, 40), stop=("END",)),
        _PLAIN,
    ),
    *_both(
        "sampling-foreign",
        "A temperature above one, a seed and penalties are of other wires.",
        _turn(sampling=Sampling(1.5, seed=7, presence_penalty=0.1, frequency_penalty=0.2)),
    ),
    *_both(
        "sampling-newer-version",
        "The newer version has no sampling.",
        _turn(sampling=Sampling(0.5, 0.9, 40)),
        {"base": "messages", "dialect": {"version": "2026-10-21"}},
    ),
    *_both(
        "settings",
        "Settings that this wire or the binding lacks.",
        _turn(
            verbosity="low",
            end_user_id="user",
            prompt_cache_key="key",
            metadata={"a": "1"},
            service_tier="default",
        ),
        _PLAIN,
    ),
    *_both("tier", "A tier of another vendor.", _turn(service_tier="flex")),
    *_both(
        "thinking",
        "Thinking that the binding does not declare.",
        _turn(thinking=Thinking("high", 2000, "enabled", "summarized")),
        _PLAIN,
    ),
    *_both(
        "thinking-words",
        "An effort and a display that this wire has no word for, and a budget of adaptive thinking.",
        _turn(thinking=Thinking("minimal", 2000, "adaptive", "verbose")),
    ),
    project(
        "messages",
        "effort-none",
        "No effort at all is thinking disabled.",
        _turn(thinking=Thinking("none")),
    ),
    project(
        "messages",
        "budget-alone",
        "A budget alone is thinking enabled.",
        _turn(thinking=Thinking(None, 2000)),
    ),
    *_both(
        "format-schema",
        "The name and the words of a format, and the wish that it bind less.",
        _turn(output_format=JsonSchema("answer", {"type": "object"}, False, "An answer.")),
    ),
    *_both(
        "format-undeclared",
        "A format that the binding does not declare.",
        _turn(output_format=JsonSchema(None, {"type": "object"})),
        _PLAIN,
    ),
    *_both("format-object", "A format that only others have.", _turn(output_format=JsonObject())),
    *_both("tools", "Tools that the binding does not take.", _turn(tools=(_LOOK,)), _PLAIN),
    *_both(
        "tools-strict",
        "Strictness that the binding does not declare.",
        _turn(tools=(_LOOK,)),
        {"base": "messages", "capabilities": {"strict_tools": False}},
    ),
    *_both(
        "tools-custom",
        "Tools with free text, their call and its result.",
        _turn(
            _ASK,
            CustomToolCall("call_1", "patch", "-x\n"),
            ToolResult("call_1", (Text("done"),), custom=True),
            tools=(CustomTool("patch"),),
        ),
    ),
    *_both(
        "tools-hosted",
        "Tools that another wire's server runs.",
        _turn(
            tools=(
                HostedTool(RESPONSES, {"type": "file_search", "vector_store_ids": []}),
                HostedTool(CHAT, {"type": "wombat"}),
            )
        ),
    ),
    *_both(
        "choice-allowed",
        "One of these tools: this wire cannot say it.",
        _turn(tools=(_LOOK,), tool_choice=Allowed("auto", ("look",))),
    ),
    *_both(
        "choice-custom",
        "A tool with free text that must be called.",
        _turn(tools=(_LOOK, CustomTool("patch")), tool_choice=Named("patch")),
    ),
    *_both(
        "choice-undeclared",
        "A forced choice that the binding does not declare, and one call at a time.",
        _turn(tools=(_LOOK,), tool_choice=REQUIRED, parallel_tool_calls=False),
        {
            "base": "messages",
            "capabilities": {"tool_choice": False, "parallel_tool_calls": False},
        },
    ),
    *_both(
        "serial-without-calls",
        "One call at a time, where there can be none.",
        _turn(tools=(_LOOK,), tool_choice=NONE, parallel_tool_calls=False),
    ),
    *_both(
        "output-limit-lowered",
        "A limit above the binding's is lowered to it, and refused in the words that clients read.",
        _turn(max_output_tokens=100_000),
    ),
    project(
        "messages",
        "refuses-no-limit",
        "This wire requires a limit: neither the turn nor the binding has one.",
        _turn(),
        binding={"base": "messages", "capabilities": {"max_output_tokens": None}},
    ),
]

_TALKS = [
    *_both(
        "instruction-in-place",
        "Instructions among the turns, where the binding takes them only first, and their roles.",
        _turn(
            _ASK,
            _HI,
            Instruction((Text("Be brief."),), "developer"),
            _ASK,
            instructions=(Instruction((Text("Be kind."),), "system"),),
        ),
        {"base": "messages", "capabilities": {"instructions_in_place": False}},
    ),
    *_both(
        "instruction-moved-with-its-fields",
        "An instruction that is moved loses what only its place can hold.",
        _turn(
            _ASK,
            Instruction(
                (
                    Text("Be brief."),
                    WirePart(
                        MESSAGES,
                        {
                            "type": "tool_removal",
                            "tool": {"type": "tool_reference", "name": "see"},
                        },
                    ),
                ),
                None,
                (Extension(MESSAGES, "messages.clear_at", "next_user"),),
            ),
            _ASK,
        ),
        {"base": "messages", "capabilities": {"instructions_in_place": False}},
    ),
    *_both(
        "media",
        "Images and documents that the binding does not take, audio that nobody does.",
        _turn(
            UserMessage(
                (Text("These:"), _PNG, Document(DataSource("JVBERi0=")), Audio("QUJD", "wav"))
            )
        ),
        _PLAIN,
    ),
    *_both(
        "media-kinds",
        "Files of another provider, other types of images and documents, and how closely to look.",
        _turn(
            UserMessage(
                (
                    Text("These:"),
                    Image(FileSource(RESPONSES, "file-1")),
                    Document(FileSource(CHAT, "file-2")),
                    Image(DataSource("Qk0=", "image/bmp")),
                    Document(DataSource("UEs=", "application/zip")),
                    Document(TextSource("# Hi", "text/markdown")),
                    Image(UrlSource("data:image/png,abc")),
                    Image(UrlSource("https://a.example/a.png"), "high"),
                )
            )
        ),
    ),
    *_both(
        "everything-of-messages",
        "Messages of which everything is left out are left out themselves.",
        _turn(
            UserMessage((Audio("QUJD", "wav"),)),
            AssistantMessage(
                (),
                (Extension(CHAT, "messages.function_call", {"name": "look", "arguments": "{}"}),),
            ),
            Instruction((WirePart(CHAT, {"type": "wombat"}),)),
            _ASK,
        ),
    ),
    *_both(
        "cache",
        "Marks that the binding does not take.",
        _turn(
            UserMessage((Text("a", cache=CacheMark("5m")),)),
            ToolCall("toolu_1", "look", "{}", CacheMark()),
            ToolResult("toolu_1", (Text("one"),), cache=CacheMark()),
        ),
        _PLAIN,
    ),
    *_both(
        "cache-times",
        "A mark with a time of another wire.",
        _turn(UserMessage((Text("a", cache=CacheMark("30m")),))),
    ),
    project(
        "messages",
        "refuses-fifth-mark",
        "A fifth mark.",
        _turn(UserMessage(tuple(Text(text, cache=CacheMark()) for text in "abcde"))),
    ),
    *_both(
        "annotations",
        "Another vendor's citations.",
        _turn(
            _ASK,
            AssistantMessage(
                (Text("a", (Extension(CHAT, "messages.annotations", {"type": "url_citation"}),)),)
            ),
            _ASK,
        ),
    ),
    *_both(
        "answer-fields",
        "What an answer said of its text, and an event that was kept, are no part of a conversation.",
        _turn(
            _ASK,
            AssistantMessage((Text("a", extensions=(Extension(MESSAGES, "answer.emu", 1),)),)),
            WireItem(
                MESSAGES,
                {"type": "wombat"},
                extensions=(Extension(MESSAGES, "answer.kept_event", True),),
            ),
            _ASK,
        ),
    ),
    *_both(
        "refusal",
        "Words of refusal are a text: that they were one is lost.",
        _turn(_ASK, AssistantMessage((RefusalText("I will not."),)), _ASK),
    ),
    *_both(
        "reasoning",
        "Reasoning without a signature is taken by no server of this wire.",
        _turn(_ASK, Reasoning("3 + 4"), _HI, _ASK),
    ),
    project(
        "messages",
        "reasoning-unsigned",
        "Unless its dialect says so.",
        _turn(_ASK, Reasoning("3 + 4"), _HI, _ASK),
        binding={"base": "messages", "dialect": {"unsigned_thinking": True}},
    ),
    *_both(
        "opaque",
        "Sealed state of another account, of another wire, and that nobody vouched for.",
        _turn(
            _ASK,
            Opaque(_ELSEWHERE, _SIGNED, "plan"),
            UnattributedOpaque(RESPONSES, {"type": "reasoning", "encrypted_content": "ZW5j"}),
            UnattributedOpaque(MESSAGES, _SIGNED, "plan"),
            _HI,
            _ASK,
        ),
    ),
    *_both(
        "call-ids",
        "Ids outside of this wire's alphabet are replaced, each by one of its own.",
        _turn(
            _ASK,
            ToolCall("call:1", "look", "{}"),
            ToolCall("call.1", "look", "{}"),
            ToolCall("call_1", "look", "{}"),
            ToolResult("call:1", (Text("one"),)),
            ToolResult("call.1", (Text("two"),)),
            ToolResult("call_1", (Text("three"),)),
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
            UserMessage((Text("a"), WirePart(CHAT, {"type": "video_url", "video_url": {}}))),
            WireItem(RESPONSES, {"type": "web_search_call", "id": "ws_1"}),
            _HI,
            _ASK,
        ),
    ),
    *_both(
        "own-things-unlisted",
        "Items, parts and tools of this wire that the binding does not list.",
        _turn(
            UserMessage((Text("a"), WirePart(MESSAGES, {"type": "search_result"}))),
            WireItem(MESSAGES, {"type": "server_tool_use", "id": "srvtoolu_1"}),
            _HI,
            _ASK,
            tools=(HostedTool(MESSAGES, {"type": "web_search_20250305", "name": "web_search"}),),
        ),
        {
            "base": "messages",
            "capabilities": {"extensions": []},
            "dialect": {"request_fields": []},
        },
    ),
    project(
        "messages",
        "result-failed",
        "A failure is said by the wire itself.",
        _turn(_ASK, _CALL, ToolResult("toolu_1", (Text("no such file"),), True)),
    ),
    project(
        "messages",
        "refuses-arguments",
        "Arguments that are no object.",
        _turn(_ASK, ToolCall("toolu_1", "look", "[1]"), _RESULT),
    ),
    project(
        "messages",
        "refuses-unanswered-call",
        "A call without its result: none is made up.",
        _turn(_ASK, _CALL, _ASK),
    ),
    project(
        "messages",
        "refuses-other-model",
        "A turn for another model than the binding's.",
        {
            "model": "other-model",
            "items": [{"kind": "UserMessage", "content": [{"kind": "Text", "text": "Hello"}]}],
        },
    ),
    project(
        "messages", "refuses-whole", "A request for an answer in one body.", _turn(), streamed=False
    ),
    project(
        "messages",
        "refuses-conversation",
        "An identity of the conversation has no place on this wire.",
        _turn(),
        conversation={"id": "conv_1"},
    ),
    project(
        "messages",
        "marks-auto",
        "Marks that the writer places end the instructions and the conversation.",
        _turn(
            _ASK,
            _HI,
            _ASK,
            instructions=(Instruction((Text("Be brief."),)),),
            cache_marks="auto",
        ),
    ),
    project(
        "messages",
        "marks-auto-off",
        "A dialect may switch them off.",
        _turn(cache_marks="auto"),
        binding={"base": "messages", "dialect": {"automatic_cache_marks": False}},
    ),
    project(
        "messages",
        "results-first",
        "All results of one turn go first in the next user message.",
        _turn(
            _ASK,
            _CALL,
            ToolCall("toolu_2", "look", "{}"),
            _RESULT,
            ToolResult("toolu_2", ()),
            UserMessage((Text("And now?"),)),
        ),
    ),
]

CASES: list[Declared] = [*_SETTINGS, *_TALKS]
