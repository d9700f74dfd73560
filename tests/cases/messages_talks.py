"""What was said in a turn beside the Messages bodies that say it."""

from __future__ import annotations

from llm_projections._json import RawJson
from llm_projections.model.items import (
    AssistantMessage,
    CacheMark,
    DataSource,
    Document,
    FileSource,
    Image,
    Instruction,
    Opaque,
    Reasoning,
    Text,
    TextSource,
    ToolCall,
    ToolResult,
    UrlSource,
    UserMessage,
    WireItem,
    WirePart,
)
from llm_projections.wires.messages.vocab import UNSIGNED_MEMORY
from tests.cases.messages_words import (
    ASK,
    ASKED,
    CITATION,
    COMPACTED,
    HOME,
    PDF,
    PNG,
    REDACTED,
    SIGNED,
    WIRE,
    Case,
    answered,
    body,
    own,
    part,
    run_by_provider,
    said,
    turn,
)

__all__ = ["CALLS", "PARTS", "SAID"]

PARTS: list[Case] = [
    Case("empty user message", turn(UserMessage(())), body({"role": "user", "content": ""})),
    Case(
        "empty text",
        turn(UserMessage((Text(""),))),
        body({"role": "user", "content": [{"type": "text", "text": ""}]}),
    ),
    Case(
        "two user messages",
        turn(ASK, UserMessage((Text("again"),))),
        body(ASKED, {"role": "user", "content": "again"}),
    ),
    part(
        "marked text",
        Text("a", (), CacheMark("5m")),
        {"type": "text", "text": "a", "cache_control": {"type": "ephemeral", "ttl": "5m"}},
    ),
    part(
        "cited text",
        Text("a", (own("messages.content.citations", CITATION),)),
        {"type": "text", "text": "a", "citations": [CITATION]},
    ),
    part("image", Image(DataSource("iVBORw0KGgo=", "image/png")), {"type": "image", "source": PNG}),
    part(
        "image by URL",
        Image(UrlSource("https://x.example/a.png"), None, CacheMark()),
        {
            "type": "image",
            "source": {"type": "url", "url": "https://x.example/a.png"},
            "cache_control": {"type": "ephemeral"},
        },
    ),
    part(
        "image by file",
        Image(
            FileSource(WIRE, "file_1"),
            None,
            None,
            (own("messages.content.transformations", {"oversized_image": "error"}),),
        ),
        {
            "type": "image",
            "source": {"type": "file", "file_id": "file_1"},
            "transformations": {"oversized_image": "error"},
        },
    ),
    part(
        "document",
        Document(
            DataSource("JVBERi0=", "application/pdf"),
            "a.pdf",
            CacheMark(),
            (
                own("messages.content.context", "why"),
                own("messages.content.citations", {"enabled": True}),
            ),
        ),
        {
            "type": "document",
            "source": PDF,
            "title": "a.pdf",
            "cache_control": {"type": "ephemeral"},
            "context": "why",
            "citations": {"enabled": True},
        },
    ),
    part(
        "document of text",
        Document(TextSource("words")),
        {
            "type": "document",
            "source": {"type": "text", "media_type": "text/plain", "data": "words"},
        },
    ),
    part(
        "document by URL",
        Document(UrlSource("https://x.example/a.pdf")),
        {"type": "document", "source": {"type": "url", "url": "https://x.example/a.pdf"}},
    ),
    part(
        "document by file",
        Document(FileSource(WIRE, "file_2")),
        {"type": "document", "source": {"type": "file", "file_id": "file_2"}},
    ),
    *(
        part(f"carried {payload['type']}", WirePart(WIRE, dict(payload)), dict(payload))
        for payload in (
            {"type": "document", "source": {"type": "content", "content": "words"}},
            {"type": "search_result", "source": "s", "title": "t", "content": []},
            {"type": "container_upload", "file_id": "file_3"},
            {"type": "mid_conv_system", "content": [{"type": "text", "text": "x"}]},
        )
    ),
]

SAID: list[Case] = [
    Case(
        "plain answer",
        turn(ASK, AssistantMessage((Text("Hi"),))),
        body(ASKED, {"role": "assistant", "content": "Hi"}),
    ),
    Case(
        "empty answer",
        turn(ASK, AssistantMessage(())),
        body(ASKED, {"role": "assistant", "content": ""}),
    ),
    said(
        "two texts",
        AssistantMessage((Text("a"), Text("b"))),
        {"type": "text", "text": "a"},
        {"type": "text", "text": "b"},
    ),
    said("signed thinking", Opaque(HOME, SIGNED, "plan"), SIGNED),
    said(
        "thinking with its keys in another order",
        Opaque(HOME, {"signature": "c2ln", "thinking": "", "type": "thinking"}),
        {"signature": "c2ln", "thinking": "", "type": "thinking"},
    ),
    said("redacted thinking", Opaque(HOME, REDACTED), REDACTED),
    said("compaction", Opaque(HOME, COMPACTED, "so far"), COMPACTED),
    run_by_provider({"type": "compaction", "content": None}),
    said(
        "unsigned thinking",
        Reasoning("plan", False, (UNSIGNED_MEMORY,)),
        {"type": "thinking", "thinking": "plan", "signature": ""},
    ),
    said(
        "order among thinking, hosted tools and texts",
        (
            Opaque(HOME, SIGNED, "plan"),
            WireItem(
                WIRE,
                {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"q": 1}},
            ),
            WireItem(WIRE, {"type": "web_search_tool_result", "tool_use_id": "s", "content": []}),
            Opaque(HOME, {**SIGNED, "thinking": "more"}, "more"),
            AssistantMessage((Text("mid"),)),
            WireItem(WIRE, {"type": "fallback", "from": {"model": "a"}, "to": {"model": "b"}}),
            AssistantMessage((Text("end"),)),
        ),
        SIGNED,
        {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"q": 1}},
        {"type": "web_search_tool_result", "tool_use_id": "s", "content": []},
        {**SIGNED, "thinking": "more"},
        {"type": "text", "text": "mid"},
        {"type": "fallback", "from": {"model": "a"}, "to": {"model": "b"}},
        {"type": "text", "text": "end"},
    ),
    *(
        run_by_provider({"type": kind, "tool_use_id": "s", "content": []})
        for kind in (
            "web_fetch_tool_result",
            "code_execution_tool_result",
            "bash_code_execution_tool_result",
            "text_editor_code_execution_tool_result",
            "tool_search_tool_result",
            "advisor_tool_result",
            "mcp_tool_result",
        )
    ),
    run_by_provider(
        {"type": "mcp_tool_use", "id": "m", "name": "n", "server_name": "s", "input": {}}
    ),
    run_by_provider({"type": "image", "source": PNG}),
]

CALLS: list[Case] = [
    answered("result", ToolResult("t1", (Text("1"),)), {"content": "1"}),
    answered("empty result", ToolResult("t1", ()), {"content": ""}),
    answered(
        "result of one empty text",
        ToolResult("t1", (Text(""),)),
        {"content": [{"type": "text", "text": ""}]},
    ),
    answered(
        "failed result", ToolResult("t1", (Text("no"),), True), {"content": "no", "is_error": True}
    ),
    answered(
        "result said to be good",
        ToolResult("t1", (Text("1"),), False),
        {"content": "1", "is_error": False},
    ),
    answered(
        "result with everything",
        ToolResult(
            "t1",
            (
                Text("a"),
                Image(DataSource("iVBORw0KGgo=", "image/png")),
                Document(DataSource("JVBERi0=", "application/pdf")),
                WirePart(
                    WIRE, {"type": "search_result", "source": "s", "title": "t", "content": []}
                ),
                WirePart(WIRE, {"type": "tool_reference", "tool_name": "x"}),
                WirePart(WIRE, {"type": "browser_state", "tabs": []}),
            ),
            None,
            False,
            CacheMark(),
            (own("messages.content.toolset_name", "b"),),
        ),
        {
            "content": [
                {"type": "text", "text": "a"},
                {"type": "image", "source": PNG},
                {"type": "document", "source": PDF},
                {"type": "search_result", "source": "s", "title": "t", "content": []},
                {"type": "tool_reference", "tool_name": "x"},
                {"type": "browser_state", "tabs": []},
            ],
            "cache_control": {"type": "ephemeral"},
            "toolset_name": "b",
        },
    ),
    Case(
        "call with everything, and what the user adds to the results",
        turn(
            ASK,
            AssistantMessage((Text("I look."),)),
            ToolCall("t1", "look", '{"n":1.10,"n":12345678901234567890123}'),
            ToolCall(
                "t2",
                "look",
                "{}",
                CacheMark(),
                (
                    own("messages.content.caller", {"type": "direct"}),
                    own("messages.content.toolset_name", "b"),
                ),
            ),
            ToolResult("t1", (Text("1"),)),
            ToolResult("t2", (Text("2"),)),
            UserMessage((Text("and now?"),)),
        ),
        body(
            ASKED,
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "I look."},
                    {
                        "type": "tool_use",
                        "id": "t1",
                        "name": "look",
                        "input": RawJson('{"n":1.10,"n":12345678901234567890123}'),
                    },
                    {
                        "type": "tool_use",
                        "id": "t2",
                        "name": "look",
                        "input": {},
                        "cache_control": {"type": "ephemeral"},
                        "caller": {"type": "direct"},
                        "toolset_name": "b",
                    },
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "t1", "content": "1"},
                    {"type": "tool_result", "tool_use_id": "t2", "content": "2"},
                    {"type": "text", "text": "and now?"},
                ],
            },
        ),
    ),
    Case(
        "a reminder between the results and the next words",
        turn(
            ASK,
            ToolCall("t1", "look", "{}"),
            ToolResult("t1", ()),
            Instruction((Text("Note."),)),
            UserMessage((Text("On"),)),
        ),
        body(
            ASKED,
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "t1", "name": "look", "input": {}}],
            },
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "t1", "content": ""}],
            },
            {"role": "system", "content": "Note."},
            {"role": "user", "content": "On"},
        ),
    ),
]
