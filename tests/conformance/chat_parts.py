"""Messages, parts and tools of a Chat body that only some servers publish, and what no table of the tests says."""

from typing import Any

from llm_projections.chat import ingest_request
from llm_projections.model.turn import TurnRequest
from tests.conformance.chat_fields import asked
from tests.conformance.declared import NEEDED, Declared, ingest, project
from tests.conformance.forms import bytes_of

__all__ = ["CASES", "SERVER", "body", "turn"]

SERVER: dict[str, Any] = {
    "base": "chat",
    "dialect": {
        "reasoning_field": "reasoning_content",
        "reasoning_details": True,
        "extra_content": True,
        "tool_result_parts": True,
        "prefill": True,
    },
}
"""A server that has every place which only some servers have."""

_ASK: dict[str, Any] = {"role": "user", "content": "Hello"}
_CALL: dict[str, Any] = {
    "id": "c1",
    "type": "function",
    "function": {"name": "look", "arguments": "{}"},
}
_CALLING: dict[str, Any] = {"role": "assistant", "content": None, "tool_calls": [_CALL]}
_MARK: dict[str, Any] = {"type": "ephemeral"}
_PNG: dict[str, Any] = {"url": "data:image/png;base64,iVBORw0KGgo="}
_PDF: dict[str, Any] = {"file_data": "JVBERi0=", "filename": "a.pdf"}


def body(*messages: Any, **fields: Any) -> dict[str, Any]:
    """A body of these messages."""
    return {**asked(**fields), "messages": list(messages)}


def turn(said: dict[str, Any]) -> TurnRequest:
    """The turn that a body asks for."""
    return ingest_request(bytes_of({"json": said})).request


def _result(content: Any, **more: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": "c1", "content": content, **more}


# slug: what it shows, the body, and the other wire that leaves it behind
_SAID: dict[str, tuple[str, dict[str, Any], str]] = {
    "parts-of-servers": (
        "Parts of a user without a neutral meaning are carried whole, each at its place.",
        body(
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "These:"},
                    {"type": "document_url", "document_url": "https://a.example/a.pdf"},
                    {"type": "video_url", "video_url": {"url": "https://a.example/a.mp4"}},
                    {"type": "audio_url", "audio_url": {"url": "https://a.example/a.wav"}},
                ],
            }
        ),
        "messages",
    ),
    "parts-of-results": (
        "Parts of a result without a neutral meaning are carried whole, each at its place.",
        body(
            _ASK,
            _CALLING,
            _result(
                [
                    {"type": "text", "text": "one"},
                    {"type": "document_url", "document_url": "https://a.example/a.pdf"},
                    {"type": "video_url", "video_url": {"url": "https://a.example/a.mp4"}},
                    {"type": "audio_url", "audio_url": {"url": "https://a.example/a.wav"}},
                ]
            ),
        ),
        "responses",
    ),
    "parts-of-answers": (
        "Thinking and references in the content of an answer are carried whole.",
        body(
            _ASK,
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
                    {"type": "text", "text": "Hi"},
                    {"type": "reference", "reference_ids": [1]},
                ],
            },
            _ASK,
        ),
        "messages",
    ),
    "media-in-results": (
        "Images and files in a result are images and documents of it.",
        body(
            _ASK,
            _CALLING,
            _result(
                [
                    {"type": "image_url", "image_url": {**_PNG, "detail": "low"}},
                    {"type": "file", "file": _PDF},
                    {"type": "file", "file": {"file_id": "file_1"}},
                ]
            ),
        ),
        "messages",
    ),
    "marks-of-messages": (
        "Another vendor's cache marks on messages of every role are carried.",
        body(
            {"role": "system", "content": "Be brief.", "cache_control": _MARK},
            {**_ASK, "cache_control": _MARK},
            {**_CALLING, "cache_control": _MARK},
            _result("one", cache_control=_MARK, name="look"),
            {"role": "assistant", "content": "Hi", "cache_control": _MARK},
            _ASK,
        ),
        "messages",
    ),
    "marks-of-parts": (
        "The same marks on parts, on calls and on tools, and the id of an image.",
        body(
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "Look", "cache_control": _MARK},
                    {
                        "type": "image_url",
                        "image_url": {**_PNG, "id": "i1"},
                        "cache_control": _MARK,
                    },
                    {"type": "file", "file": _PDF, "cache_control": _MARK},
                ],
            },
            {**_CALLING, "tool_calls": [{**_CALL, "cache_control": _MARK}]},
            _result("one"),
            tools=[
                {
                    "type": "function",
                    "function": {"name": "look", "defer_loading": True},
                    "cache_control": _MARK,
                    "defer_loading": True,
                }
            ],
        ),
        "responses",
    ),
    "prefix": (
        "A beginning of the answer that the model is to continue, marked as such.",
        body(_ASK, {"role": "assistant", "content": "Once", "prefix": True}),
        "messages",
    ),
    "partial": (
        "The same beginning as another server marks it.",
        body(_ASK, {"role": "assistant", "content": "Once", "partial": True}),
        "messages",
    ),
    "echoed-in-texts": (
        "A program that spreads an answer's message into its text part is read; the echo is carried.",
        body(
            _ASK,
            {
                "role": "assistant",
                "content": [
                    {
                        "type": "text",
                        "text": "Hi",
                        "role": "assistant",
                        "refusal": "no",
                        "annotations": [],
                        "reasoning_content": "hm",
                        "tool_calls": [_CALL],
                    }
                ],
                "tool_calls": [_CALL],
            },
            _result("one"),
        ),
        "messages",
    ),
    "extra-content": (
        "Sealed state on a call stays on it and belongs to nobody until the caller binds it.",
        body(
            _ASK,
            {
                **_CALLING,
                "tool_calls": [
                    {**_CALL, "extra_content": {"google": {"thought_signature": "c2ln"}}}
                ],
            },
            _result("one"),
        ),
        "messages",
    ),
    "legacy-functions": (
        "The call of the older interface, its answer, names and an answer that was spoken.",
        body(
            {"role": "system", "content": "Be brief.", "name": "ops"},
            {**_ASK, "name": "ann"},
            {
                "role": "assistant",
                "content": None,
                "function_call": {"name": "look", "arguments": "{}"},
            },
            {"role": "function", "name": "look", "content": "one"},
            {"role": "assistant", "content": None, "audio": {"id": "audio_1"}, "name": "bot"},
            _ASK,
        ),
        "messages",
    ),
    "tools-of-servers": (
        "Tools that a server runs are carried whole.",
        body(
            _ASK,
            tools=[
                {"type": "openrouter:web_search", "parameters": {"engine": "auto"}},
                {"type": "browser_search"},
                {"type": "code_interpreter", "container": {"type": "auto"}},
                {"type": "builtin_function", "function": {"name": "$web_search"}},
                {"type": "live_search", "sources": []},
                {"type": "web_search", "web_search": {"enable": True}},
                {"type": "retrieval", "retrieval": {"knowledge_id": "k1"}},
            ],
        ),
        "messages",
    ),
    "names-and-limits-twice": (
        "Two names of one thing may stand side by side where they say the same.",
        body(
            _ASK,
            max_tokens=10,
            max_completion_tokens=10,
            user="u1",
            safety_identifier="u1",
        ),
        "",
    ),
}


def _cases() -> list[Declared]:
    found: list[Declared] = []
    for slug, (about, said, other) in _SAID.items():
        found.append(ingest("chat", slug, about, said))
        written = f"{about} Written again on its wire."
        found.append(project("chat", slug, written, turn(said), binding=SERVER, accept=NEEDED))
        if other:
            lost = f"{about} Left out of another wire, each by its name."
            found.append(project(other, f"from-chat-{slug}", lost, turn(said), accept=NEEDED))
    return found


CASES: list[Declared] = _cases()
