"""Blocks, marks and tools of a Messages body: read, and left out of other wires by name."""

from collections.abc import Iterator
from typing import Any

from llm_projections.model.items import (
    AssistantMessage,
    Protocol,
    Text,
    UserMessage,
    WireItem,
    WirePart,
)
from llm_projections.model.tools import HostedTool
from llm_projections.model.turn import TurnRequest
from tests.conformance.declared import NEEDED, OURS, Declared, ingest, project
from tests.conformance.messages_fields import LOOK, ask, asked, body

__all__ = ["CALLING", "CASES", "CITATION", "HELLO", "PDF", "PNG", "RESULT"]

_MARK: dict[str, Any] = {"cache_control": {"type": "ephemeral", "ttl": "1h", "scope": "global"}}
HELLO: dict[str, Any] = {"role": "user", "content": "Hello"}
PNG: dict[str, Any] = {
    "type": "image",
    "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="},
}
PDF: dict[str, Any] = {
    "type": "document",
    "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="},
}
CITATION: dict[str, Any] = {
    "type": "char_location",
    "cited_text": "sky",
    "document_index": 0,
    "document_title": None,
    "start_char_index": 4,
    "end_char_index": 7,
}
_CALL: dict[str, Any] = {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"n": 1}}
CALLING: dict[str, Any] = {"role": "assistant", "content": [_CALL]}
RESULT: dict[str, Any] = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "one"}


def _text(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": text, **more}


def _user(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def _said(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


_THOUGHT = {"type": "thinking", "thinking": "plan", "signature": "c2ln"}
_RUN = {"tool_use_id": "srvtoolu_1", "content": []}

# a body each, which is read, written again on its wire, and left out of another one
_BODIES: dict[str, tuple[str, dict[str, Any]]] = {
    "marks-of-what-is-shown": (
        "Marks with a time and a scope: of an instruction, a text, an image and a document",
        body(
            _user(_text("a", **_MARK), {**PNG, **_MARK}, {**PDF, **_MARK}),
            system=[_text("Be brief.", **_MARK)],
        ),
    ),
    "marks-of-a-result": (
        "Marks of a result and of the texts, images and documents in it",
        body(
            HELLO,
            CALLING,
            _user(
                {
                    **RESULT,
                    "content": [_text("one", **_MARK), {**PNG, **_MARK}, {**PDF, **_MARK}],
                    **_MARK,
                }
            ),
        ),
    ),
    "marks-of-what-is-said": (
        "Marks of an answer's text, of a call, of an instruction in its place and of a tool",
        body(
            HELLO,
            _said(_text("a", **_MARK), {**_CALL, **_MARK}),
            _user(RESULT),
            {"role": "system", "content": [_text("Be brief.", **_MARK)]},
            HELLO,
            tools=[{**LOOK, **_MARK}],
        ),
    ),
    "fields-of-a-tool": (
        "What only this wire says of a function",
        asked(
            tools=[
                {
                    **LOOK,
                    "type": "custom",
                    "description": "Looks.",
                    "strict": False,
                    "allowed_callers": ["direct", "code_execution_20250825"],
                    "defer_loading": True,
                    "eager_input_streaming": True,
                    "input_examples": [{"n": 1}],
                }
            ]
        ),
    ),
    "fields-of-a-call": (
        "Who made a call, and of which toolset it and its result are",
        body(
            HELLO,
            _said(
                {
                    **_CALL,
                    "caller": {"type": "code_execution_20250825", "tool_id": "srvtoolu_1"},
                    "toolset_name": "browser",
                }
            ),
            _user({**RESULT, "toolset_name": "browser", "is_error": False}),
        ),
    ),
    "fields-of-media": (
        "What is to be done with an image, why a document is there, and whether it may be cited",
        body(
            _user(
                {**PNG, "transformations": {"oversized_image": "error"}},
                {
                    **PDF,
                    "title": "Report",
                    "context": "of last year",
                    "citations": {"enabled": True},
                },
                {
                    "type": "document",
                    "source": {"type": "text", "media_type": "text/plain", "data": "The sky."},
                },
                {
                    "type": "document",
                    "source": {"type": "content", "content": [_text("The sky.")]},
                },
            )
        ),
    ),
    "fields-of-an-instruction": (
        "An effort of its own, until when it counts, and the tools that it adds and takes",
        body(
            HELLO,
            {
                "role": "system",
                "content": [
                    _text("Be brief.", citations=[CITATION]),
                    {"type": "tool_addition", "tool": {"type": "tool_reference", "name": "look"}},
                    {"type": "tool_removal", "tool": {"type": "tool_reference", "name": "see"}},
                ],
                "output_config": {"effort": "low"},
                "clear_at": "next_user",
            },
            HELLO,
        ),
    ),
    "citations": (
        "Citations of an instruction, a user's text, an answer and a result",
        body(
            _user(_text("a", citations=[CITATION])),
            _said(_text("b", citations=[CITATION]), _CALL),
            _user({**RESULT, "content": [_text("c", citations=[CITATION])]}),
            system=[_text("d", citations=[CITATION])],
        ),
    ),
    "blocks-of-a-user": (
        "Blocks of a user that only this wire has",
        body(
            _user(
                _text("a"),
                {"type": "search_result", "source": "s", "title": "t", "content": [_text("b")]},
                {"type": "container_upload", "file_id": "file_1"},
                {"type": "mid_conv_system", "content": [_text("c")]},
                {"type": "tool_addition", "tool": {"type": "tool_reference", "name": "look"}},
                {"type": "tool_removal", "tool": {"type": "tool_reference", "name": "see"}},
                {"type": "mcp_tool_listing", "server_name": "m", "tools": []},
            )
        ),
    ),
    "blocks-of-a-result": (
        "Blocks of a result that only this wire has",
        body(
            HELLO,
            CALLING,
            _user(
                {
                    **RESULT,
                    "content": [
                        {"type": "search_result", "source": "s", "title": "t", "content": []},
                        {"type": "tool_reference", "tool_name": "see"},
                        {"type": "browser_state", "tabs": []},
                    ],
                }
            ),
        ),
    ),
    "run-by-the-provider": (
        "What the provider's own tools were asked and what they found",
        body(
            HELLO,
            _said(
                _text("I look."),
                {
                    "type": "server_tool_use",
                    "id": "srvtoolu_1",
                    "name": "web_search",
                    "input": {"query": "sky", "n": 18446744073709551616},
                },
                {"type": "web_search_tool_result", **_RUN},
                {"type": "web_fetch_tool_result", **_RUN},
                {"type": "code_execution_tool_result", **_RUN},
                {"type": "bash_code_execution_tool_result", **_RUN},
                {"type": "text_editor_code_execution_tool_result", **_RUN},
                {"type": "tool_search_tool_result", **_RUN},
                {"type": "advisor_tool_result", **_RUN},
                {
                    "type": "mcp_tool_use",
                    "id": "mcptoolu_1",
                    "name": "find",
                    "server_name": "m",
                    "input": {},
                },
                {"type": "mcp_tool_result", "tool_use_id": "mcptoolu_1", "content": []},
                {"type": "fallback", "from": {"model": "a"}, "to": {"model": "b"}},
                PNG,
                PDF,
                _text("Done."),
            ),
            HELLO,
        ),
    ),
    "sealed": (
        "Signed and redacted thinking and a sealed compaction, in their order",
        body(
            HELLO,
            _said(
                {"type": "compaction", "content": "so far", "encrypted_content": "ZW5j"},
                _THOUGHT,
                {"type": "redacted_thinking", "data": "RW9w"},
                _text("Hi"),
            ),
            HELLO,
        ),
    ),
    "unsealed": (
        "Thinking without a signature and a compaction without a seal",
        body(
            HELLO,
            _said(
                {"type": "compaction", "content": "so far"},
                {"type": "thinking", "thinking": "plan", "signature": ""},
                _text("Hi"),
            ),
            HELLO,
        ),
    ),
    "tools-hosted": (
        "Tools that the provider or the client's own program runs, of every family",
        asked(
            tools=[
                {"type": "advisor_20260301", "name": "advisor", "model": "other-model"},
                {"type": "bash_20250124", "name": "bash"},
                {"type": "browser_toolset_20260901"},
                {"type": "code_execution_20250825", "name": "code_execution"},
                {
                    "type": "computer_20250124",
                    "name": "computer",
                    "display_width_px": 1024,
                    "display_height_px": 768,
                },
                {"type": "computer_toolset_20260901"},
                {"type": "mcp_toolset", "mcp_server_name": "m"},
                {"type": "memory_20250818", "name": "memory"},
                {"type": "text_editor_20250728", "name": "str_replace_based_edit_tool"},
                {"type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25"},
                {"type": "tool_search_tool_regex", "name": "tool_search_tool_regex"},
                {"type": "web_fetch_20250910", "name": "web_fetch", "max_uses": 2},
                {"type": "web_search_20250305", "name": "web_search", "max_uses": 3},
            ]
        ),
    ),
}


def _bodies() -> Iterator[Declared]:
    for at, (slug, (about, value)) in enumerate(_BODIES.items()):
        yield ingest("messages", slug, f"{about}.", value)
        turn = ask(value)
        yield project(
            "messages",
            slug,
            f"{about}: written again on their wire.",
            turn.bind_unattributed(OURS["messages"]),
        )
        yield project(
            ("chat", "responses")[at % 2],
            f"from-messages-{slug}",
            f"{about}: left out of another wire, each by its name.",
            turn,
            accept=NEEDED,
        )
        if slug in ("blocks-of-a-user", "tools-hosted"):
            yield project(
                "chat",
                f"from-messages-{slug}-refused",
                f"{about}: refused, each by its name.",
                turn,
            )


def _turn(*items: Any, **settings: Any) -> TurnRequest:
    return TurnRequest("caller-model", items, cache_marks="given", **settings)


_UNKNOWN = _turn(
    UserMessage((Text("a"), WirePart(Protocol.MESSAGES, {"type": "wombat"}))),
    WireItem(Protocol.MESSAGES, {"type": "koala"}),
    AssistantMessage((Text("b"),)),
    UserMessage((Text("c"),)),
    tools=(HostedTool(Protocol.MESSAGES, {"type": "wombat_20260101"}),),
)

_OTHERS = [
    project(
        "responses",
        "from-messages-unknown-things",
        "Items, parts and tools of this wire that nobody published are left out elsewhere by one name each.",
        _UNKNOWN,
        accept=NEEDED,
    ),
    project(
        "messages",
        "unknown-things",
        "On their own wire they go out to a binding that takes everything.",
        _UNKNOWN,
    ),
    project(
        "responses",
        "from-messages-failed-result",
        "A failure that a server without envelopes cannot be told of.",
        ask(body(HELLO, CALLING, _user({**RESULT, "is_error": True}), tools=[LOOK])),
        binding={"base": "responses", "dialect": {"tool_result_envelope": "never"}},
        accept=NEEDED,
    ),
    project(
        "chat",
        "from-messages-text-between-results",
        "What a user says between two results is moved after them.",
        ask(
            body(
                HELLO,
                _said(_CALL, {**_CALL, "id": "toolu_2"}),
                _user(RESULT, _text("Wait."), {**RESULT, "tool_use_id": "toolu_2"}),
            )
        ),
        accept=NEEDED,
    ),
    ingest(
        "messages",
        "text-between-results",
        "What a user says between two results stays between them.",
        body(
            HELLO,
            _said(_CALL, {**_CALL, "id": "toolu_2"}),
            _user(RESULT, _text("Wait."), {**RESULT, "tool_use_id": "toolu_2"}),
        ),
    ),
    ingest(
        "messages",
        "result-failed",
        "This wire says by itself that a result failed: no text is an envelope.",
        body(
            HELLO,
            _said(_CALL, {**_CALL, "id": "toolu_2"}),
            _user(
                {**RESULT, "is_error": True},
                {**RESULT, "tool_use_id": "toolu_2", "content": '{"error":"no","ok":false}'},
            ),
        ),
    ),
    ingest(
        "messages",
        "arguments-exact",
        "The tokens of arguments stay as they are, the spaces between them do not.",
        (
            b'{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"Hello"},{"role":"assistant",'
            b'"content":[{"type":"tool_use","id":"t1","name":"look","input":{"n": 1.10, "n": 18446744073709551616}}]},'
            b'{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1"}]}]}'
        ),
    ),
]

CASES: list[Declared] = [*_bodies(), *_OTHERS]
