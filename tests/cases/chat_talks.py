"""Parts and messages of Chat bodies."""

from __future__ import annotations

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
    Reasoning,
    RefusalText,
    Text,
    ToolCall,
    ToolResult,
    UrlSource,
    UserMessage,
    WireItem,
    WirePart,
)
from tests.cases.chat_words import (
    ANNOTATION,
    ANSWERED,
    ASK,
    ASKED,
    CALL,
    CALLED,
    CALLING,
    DETAILS,
    HOME,
    MARK,
    PNG,
    REASONED,
    RESULT,
    WIRE,
    own,
    said,
    saying,
    talk,
    user,
)

PARTS = [
    user(
        "image by URL",
        Image(UrlSource("https://example.com/a.png"), "low"),
        {"type": "image_url", "image_url": {"url": "https://example.com/a.png", "detail": "low"}},
    ),
    user("image by data", Image(DataSource("iVBORw0KGgo=", "image/png")), PNG),
    user(
        "data URL without base64",
        Image(UrlSource("data:image/svg+xml,%3Csvg/%3E")),
        {"type": "image_url", "image_url": {"url": "data:image/svg+xml,%3Csvg/%3E"}},
    ),
    user(
        "file by data",
        Document(DataSource("JVBERi0=", "application/pdf"), "a.pdf"),
        {
            "type": "file",
            "file": {"file_data": "data:application/pdf;base64,JVBERi0=", "filename": "a.pdf"},
        },
    ),
    user(
        "file by bare base64",
        Document(DataSource("JVBERi0=")),
        {"type": "file", "file": {"file_data": "JVBERi0="}},
    ),
    user(
        "file by URL",
        Document(UrlSource("https://example.com/a.pdf")),
        {"type": "file", "file": {"file_data": "https://example.com/a.pdf"}},
    ),
    user(
        "file by id",
        Document(FileSource(WIRE, "file-1")),
        {"type": "file", "file": {"file_id": "file-1"}},
    ),
    user(
        "audio by data",
        Audio("UklGRg==", "wav"),
        {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}},
    ),
    user(
        "marked text",
        Text("a", cache=CacheMark("30m")),
        {"type": "text", "text": "a", "prompt_cache_breakpoint": MARK},
    ),
    user(
        "marked image",
        Image(DataSource("iVBORw0KGgo=", "image/png"), cache=CacheMark()),
        {**PNG, "prompt_cache_breakpoint": {"mode": "explicit"}},
    ),
    user(
        "a mark of another server",
        Text("a", extensions=(own("messages.content.cache_control", {"type": "ephemeral"}),)),
        {"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}},
    ),
    user(
        "a part of another server",
        WirePart(WIRE, {"type": "document_url", "document_url": "https://example.com/a.pdf"}),
        {"type": "document_url", "document_url": "https://example.com/a.pdf"},
    ),
    user("one empty text", Text(""), {"type": "text", "text": ""}),
    talk("no text", (UserMessage(()),), [{"role": "user", "content": ""}]),
    talk(
        "two texts",
        (UserMessage((Text("a"), Text("b"))),),
        [
            {
                "role": "user",
                "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
            }
        ],
    ),
    talk(
        "a speaker",
        (UserMessage((Text("a"),), (own("messages.name", "ann"),)),),
        [{"role": "user", "content": "a", "name": "ann"}],
    ),
]

TALKS = [
    talk(
        "instructions",
        (ASK,),
        [{"role": "system", "content": "be"}, {"role": "system", "content": "brief"}, ASKED],
        instructions=(Instruction((Text("be"),)), Instruction((Text("brief"),))),
    ),
    talk(
        "both roles",
        (ASK,),
        [{"role": "system", "content": "be"}, {"role": "developer", "content": "brief"}, ASKED],
        instructions=(
            Instruction((Text("be"),), "system"),
            Instruction((Text("brief"),), "developer"),
        ),
    ),
    talk(
        "an instruction at its place",
        (ASK, Instruction((Text("now brief"),)), ASK),
        [ASKED, {"role": "system", "content": "now brief"}, ASKED],
    ),
    talk("an answer", said(Text("hi")), saying(content="hi")),
    talk("no answer", said(), saying(content="")),
    talk("a refusal", said(RefusalText("no")), saying(content=None, refusal="no")),
    talk(
        "words and a refusal",
        said(Text("well"), RefusalText("no")),
        saying(content="well", refusal="no"),
    ),
    talk(
        "a refusal before words",
        said(RefusalText("no"), Text("well")),
        saying(content=[{"type": "refusal", "refusal": "no"}, {"type": "text", "text": "well"}]),
    ),
    talk(
        "citations",
        said(Text("hi", (own("messages.annotations", ANNOTATION),))),
        saying(content="hi", annotations=[ANNOTATION]),
    ),
    talk(
        "spoken words",
        said(extensions=(own("messages.audio", {"id": "audio_1"}),)),
        saying(content=None, audio={"id": "audio_1"}),
    ),
    talk(
        "legacy call",
        (
            ASK,
            AssistantMessage(
                (), (own("messages.function_call", {"name": "f", "arguments": "{}"}),)
            ),
            WireItem(WIRE, {"role": "function", "name": "f", "content": "r"}, role="result"),
        ),
        [
            ASKED,
            {
                "role": "assistant",
                "content": None,
                "function_call": {"name": "f", "arguments": "{}"},
            },
            {"role": "function", "name": "f", "content": "r"},
        ],
    ),
    talk("a call", (ASK, CALL, RESULT), [ASKED, CALLING, ANSWERED]),
    talk(
        "words and calls",
        (
            ASK,
            AssistantMessage((Text("looking"),)),
            CALL,
            ToolCall("c2", "look", "{}"),
            RESULT,
            ToolResult("c2", ()),
        ),
        [
            ASKED,
            {
                "role": "assistant",
                "content": "looking",
                "tool_calls": [
                    CALLED,
                    {
                        "id": "c2",
                        "type": "function",
                        "function": {"name": "look", "arguments": "{}"},
                    },
                ],
            },
            ANSWERED,
            {"role": "tool", "tool_call_id": "c2", "content": ""},
        ],
    ),
    talk(
        "a custom call",
        (
            ASK,
            CustomToolCall("c1", "patch", "*** x"),
            ToolResult("c1", (Text("ok"),), custom=True),
        ),
        [
            ASKED,
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": "c1", "type": "custom", "custom": {"name": "patch", "input": "*** x"}}
                ],
            },
            {"role": "tool", "tool_call_id": "c1", "content": "ok"},
        ],
    ),
    talk(
        "a sealed call",
        (
            ASK,
            ToolCall(
                "c1",
                "look",
                "{}",
                extensions=(
                    Extension(
                        WIRE, "messages.tool_calls.extra_content", {"google": {"s": "c2ln"}}, HOME
                    ),
                ),
            ),
            RESULT,
        ),
        [
            ASKED,
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": "c1",
                        "type": "function",
                        "function": {"name": "look", "arguments": "{}"},
                        "extra_content": {"google": {"s": "c2ln"}},
                    }
                ],
            },
            ANSWERED,
        ],
    ),
    talk(
        "a failed result",
        (ASK, CALL, ToolResult("c1", (Text("no"),), True)),
        [
            ASKED,
            CALLING,
            {"role": "tool", "tool_call_id": "c1", "content": '{"error":"no","ok":false}'},
        ],
    ),
    talk(
        "a failure without words",
        (ASK, CALL, ToolResult("c1", (), True)),
        [
            ASKED,
            CALLING,
            {"role": "tool", "tool_call_id": "c1", "content": '{"error":"","ok":false}'},
        ],
    ),
    talk(
        "a failure of two texts",
        (ASK, CALL, ToolResult("c1", (Text("a"), Text("b")), True)),
        [
            ASKED,
            CALLING,
            {"role": "tool", "tool_call_id": "c1", "content": '{"error":["a","b"],"ok":false}'},
        ],
    ),
    talk(
        "a failure with an image",
        (
            ASK,
            CALL,
            ToolResult("c1", (Text("a"), Image(DataSource("iVBORw0KGgo=", "image/png"))), True),
        ),
        [
            ASKED,
            CALLING,
            {
                "role": "tool",
                "tool_call_id": "c1",
                "content": [
                    {"type": "text", "text": '{"ok":false}'},
                    {"type": "text", "text": "a"},
                    PNG,
                ],
            },
        ],
    ),
    talk(
        "an image in a result",
        (ASK, CALL, ToolResult("c1", (Image(DataSource("iVBORw0KGgo=", "image/png")),))),
        [ASKED, CALLING, {"role": "tool", "tool_call_id": "c1", "content": [PNG]}],
    ),
    talk(
        "a named result",
        (ASK, CALL, ToolResult("c1", (Text("one"),), extensions=(own("messages.name", "look"),))),
        [ASKED, CALLING, {**ANSWERED, "name": "look"}],
    ),
    talk(
        "reasoning before a call",
        (ASK, Reasoning("hm", False, (REASONED,)), CALL, RESULT),
        [
            ASKED,
            {
                "role": "assistant",
                "content": None,
                "reasoning_content": "hm",
                "tool_calls": [CALLED],
            },
            ANSWERED,
        ],
    ),
    talk(
        "empty reasoning",
        (ASK, Reasoning("", False, (REASONED,)), CALL, RESULT),
        [
            ASKED,
            {"role": "assistant", "content": None, "reasoning_content": "", "tool_calls": [CALLED]},
            ANSWERED,
        ],
    ),
    talk(
        "reasoning under two names",
        (
            ASK,
            Reasoning("hm", False, (REASONED, own("messages.reasoning", True))),
            AssistantMessage((Text("hi"),)),
        ),
        [
            ASKED,
            {"role": "assistant", "content": "hi", "reasoning_content": "hm", "reasoning": "hm"},
        ],
    ),
    talk(
        "two reasonings",
        (
            ASK,
            Reasoning("hm", False, (REASONED,)),
            Reasoning("oh", False, (own("messages.reasoning", True),)),
            AssistantMessage((Text("hi"),)),
        ),
        [
            ASKED,
            {"role": "assistant", "content": "hi", "reasoning_content": "hm", "reasoning": "oh"},
        ],
    ),
    talk(
        "sealed reasoning",
        (
            ASK,
            Reasoning("hm", False, (own("messages.reasoning", True),)),
            Opaque(HOME, {"reasoning_details": DETAILS}, "hm"),
            CALL,
            RESULT,
        ),
        [
            ASKED,
            {
                "role": "assistant",
                "content": None,
                "reasoning": "hm",
                "reasoning_details": DETAILS,
                "tool_calls": [CALLED],
            },
            ANSWERED,
        ],
    ),
    talk(
        "two messages in a row",
        (
            ASK,
            AssistantMessage((Text("a"),)),
            AssistantMessage((Text("b"),), (own("messages.apart", True),)),
        ),
        [ASKED, {"role": "assistant", "content": "a"}, {"role": "assistant", "content": "b"}],
    ),
    talk(
        "a message to be continued",
        (ASK, AssistantMessage((Text("a"),), (own("messages.prefix", True),))),
        [ASKED, {"role": "assistant", "content": "a", "prefix": True}],
    ),
]
