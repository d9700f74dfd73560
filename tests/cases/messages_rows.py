"""Places of Messages bodies that the other tables pass by: rows of spec/messages.toml, one family a case."""

from __future__ import annotations

from typing import Any, NamedTuple

from llm_projections.model.items import (
    CacheMark,
    DataSource,
    Document,
    FileSource,
    Image,
    Instruction,
    Text,
    TextSource,
    ToolCall,
    ToolResult,
    UrlSource,
    WirePart,
)
from llm_projections.model.tools import JsonSchema
from llm_projections.model.turn import Thinking
from tests.cases.messages_words import (
    ASK,
    ASKED,
    CITATION,
    PDF,
    PNG,
    PUBLISHED,
    SCHEMA,
    TOOL,
    WIRE,
    Case,
    answered,
    body,
    carried,
    hosted,
    own,
    part,
    run_by_provider,
    setting,
    turn,
)

__all__ = ["COUNTS", "REFUSED", "ROWS", "Refused"]


class Refused(NamedTuple):
    """A body that is refused, and the places that are."""

    name: str
    body: dict[str, Any]
    places: tuple[tuple[str | int, ...], ...]


_CACHE = CacheMark("1h")
_MARK: dict[str, Any] = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
_CITED: dict[str, Any] = {"type": "text", "text": "a", "citations": [CITATION]}
_CITATION = own("messages.content.citations", CITATION)
_REFERENCE: dict[str, Any] = {"type": "tool_reference", "name": "a"}
_LISTED: dict[str, Any] = {"type": "mcp_tool_listing", "server_name": "m", "tools": []}
_REMOVED: dict[str, Any] = {"type": "tool_removal", "tool": _REFERENCE}
_ADDED: dict[str, Any] = {"type": "tool_addition", "tool": _REFERENCE}


def _source(kind: str, **fields: str) -> dict[str, Any]:
    return {"source": {"type": kind, **fields}}


ROWS: list[Case] = [
    carried("billing_policy", {"type": "default"}),
    carried("compaction", {"type": "auto"}),
    carried("diagnostics", {"previous_message_id": None}),
    carried("fallback_credit_token", "t"),
    carried("fallbacks", [{"model": "b"}]),
    carried("inference_geo", "eu"),
    setting(
        "system that cites",
        {"system": [_CITED]},
        instructions=(Instruction((Text("a", (_CITATION,)),)),),
    ),
    Case(
        "system message that cites, marks and adds a tool",
        turn(ASK, Instruction((Text("a", (_CITATION,), _CACHE), WirePart(WIRE, _ADDED)))),
        body(ASKED, {"role": "system", "content": [{**_CITED, **_MARK}, _ADDED]}),
    ),
    part(
        "marked document",
        Document(DataSource("JVBERi0=", "application/pdf"), None, _CACHE),
        {"type": "document", "source": PDF, **_MARK},
    ),
    *(
        part(f"carried {payload['type']}", WirePart(WIRE, dict(payload)), dict(payload))
        for payload in (
            _LISTED,
            _ADDED,
            _REMOVED,
        )
    ),
    run_by_provider({"type": "document", "source": PDF}),
    answered(
        "result whose parts are marked",
        ToolResult(
            "t1",
            (
                Text("a", (_CITATION,), _CACHE),
                Image(DataSource("iVBORw0KGgo=", "image/png"), None, _CACHE),
                Document(DataSource("JVBERi0=", "application/pdf"), None, _CACHE),
            ),
            cache=_CACHE,
        ),
        {
            "content": [
                {**_CITED, **_MARK},
                {"type": "image", "source": PNG, **_MARK},
                {"type": "document", "source": PDF, **_MARK},
            ],
            **_MARK,
        },
    ),
    answered(
        "result of images from elsewhere",
        ToolResult(
            "t1",
            (
                Image(UrlSource("https://x.example/a.png")),
                Image(
                    FileSource(WIRE, "file_1"),
                    None,
                    None,
                    (own("messages.content.transformations", {"oversized_image": "error"}),),
                ),
            ),
        ),
        {
            "content": [
                {"type": "image", **_source("url", url="https://x.example/a.png")},
                {
                    "type": "image",
                    **_source("file", file_id="file_1"),
                    "transformations": {"oversized_image": "error"},
                },
            ]
        },
    ),
    answered(
        "result of documents from elsewhere",
        ToolResult(
            "t1",
            (
                Document(UrlSource("https://x.example/a.pdf")),
                Document(FileSource(WIRE, "file_2")),
                Document(
                    TextSource("words"),
                    "a.txt",
                    None,
                    (
                        own("messages.content.context", "why"),
                        own("messages.content.citations", {"enabled": True}),
                    ),
                ),
                WirePart(WIRE, {"type": "document", **_source("content", content="words")}),
            ),
        ),
        {
            "content": [
                {"type": "document", **_source("url", url="https://x.example/a.pdf")},
                {"type": "document", **_source("file", file_id="file_2")},
                {
                    "type": "document",
                    **_source("text", media_type="text/plain", data="words"),
                    "title": "a.txt",
                    "context": "why",
                    "citations": {"enabled": True},
                },
                {"type": "document", **_source("content", content="words")},
            ]
        },
    ),
    Case(
        "marked call",
        turn(ASK, ToolCall("t1", "look", "{}", _CACHE), ToolResult("t1", ())),
        body(
            ASKED,
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "t1", "name": "look", "input": {}, **_MARK}],
            },
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "t1", "content": ""}],
            },
        ),
    ),
    *(
        hosted({"type": kind, "name": "t"})
        for kind in (
            "advisor_20260301",
            "browser_toolset_20260901",
            "code_execution_20250825",
            "computer_20250124",
            "computer_toolset_20260901",
            "memory_20250818",
            "text_editor_20250728",
            "tool_search_tool_bm25_20251119",
            "web_fetch_20250910",
        )
    ),
]

COUNTS: list[Case] = [
    Case(
        "counting with all that may stand there",
        turn(
            tools=(TOOL,),
            parallel_tool_calls=False,
            instructions=(Instruction((Text("Be brief."),)),),
            thinking=Thinking("low", mode="adaptive"),
            output_format=JsonSchema(None, SCHEMA),
            extensions=tuple(
                own(name, value)
                for name, value in (
                    ("billing_policy", {"type": "default"}),
                    ("cache_control", {"type": "ephemeral"}),
                    ("compaction", {"type": "auto"}),
                    ("context_management", {"edits": []}),
                    ("mcp_servers", []),
                    ("speed", "fast"),
                )
            ),
        ),
        body(
            system="Be brief.",
            tools=[PUBLISHED],
            tool_choice={"type": "auto", "disable_parallel_tool_use": True},
            thinking={"type": "adaptive"},
            output_config={"effort": "low", "format": {"type": "json_schema", "schema": SCHEMA}},
            billing_policy={"type": "default"},
            cache_control={"type": "ephemeral"},
            compaction={"type": "auto"},
            context_management={"edits": []},
            mcp_servers=[],
            speed="fast",
        ),
    ),
    Case(
        "counting with the older format",
        turn(output_format=JsonSchema(None, SCHEMA)),
        body(output_format={"type": "json_schema", "schema": SCHEMA}),
    ),
]

_THOUGHT: dict[str, Any] = {"type": "thinking", "thinking": "plan", "signature": "c2ln"}

REFUSED: list[Refused] = [
    Refused(
        "blocks that another role says",
        body(
            {"role": "user", "content": [_THOUGHT]},
            {
                "role": "assistant",
                "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "1"}],
            },
            {"role": "system", "content": [{"type": "image", "source": PNG}]},
        ),
        tuple(("messages", at, "content", 0, "type") for at in range(3)),
    ),
]
