"""Answers of Responses servers: streamed, whole, and errors."""

from typing import Any

from llm_projections.model.items import Text, UserMessage
from llm_projections.model.tools import REQUIRED, FunctionTool
from llm_projections.model.turn import TurnRequest
from tests.conformance.declared import Declared, decode, decode_body, decode_error
from tests.conformance.forms import sse

__all__ = ["CASES"]

_USAGE = {
    "input_tokens": 12,
    "input_tokens_details": {"cached_tokens": 4},
    "output_tokens": 7,
    "output_tokens_details": {"reasoning_tokens": 2},
    "total_tokens": 19,
}
_AGENT = {"name": "helper"}
_ACTING: dict[str, Any] = {
    "agent": _AGENT,
    "caller": {"type": "program", "caller_id": "x"},
    "namespace": "n",
    "async": True,
}


def _response(status: str = "completed", *output: Any, **more: Any) -> dict[str, Any]:
    head = {"id": "resp_u", "object": "response", "created_at": 1, "model": "m", "status": status}
    return {**head, "output": list(output), "usage": _USAGE, **more}


def _started() -> dict[str, Any]:
    return {"type": "response.created", "response": _response("in_progress", usage=None)}


def _ended(*output: Any, status: str = "completed", **more: Any) -> dict[str, Any]:
    return {"type": f"response.{status}", "response": _response(status, *output, **more)}


def _message(*parts: Any, **more: Any) -> dict[str, Any]:
    head = {"type": "message", "id": "msg_1", "status": "completed", "role": "assistant"}
    return {**head, "content": list(parts), **more}


def _text(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": [], **more}


def _call(call_id: str = "call_1", **more: Any) -> dict[str, Any]:
    return {
        "type": "function_call",
        "id": f"fc_{call_id}",
        "call_id": call_id,
        "name": "look",
        "arguments": '{"n":1}',
        "status": "completed",
        **more,
    }


def _custom(**more: Any) -> dict[str, Any]:
    return {
        "type": "custom_tool_call",
        "id": "ctc_1",
        "call_id": "call_9",
        "name": "patch",
        "input": "*** Begin",
        "status": "completed",
        **more,
    }


def _sealed(**more: Any) -> dict[str, Any]:
    return {
        "type": "reasoning",
        "id": "rs_1",
        "summary": [{"type": "summary_text", "text": "plan"}],
        "encrypted_content": "c2VhbA==",
        **more,
    }


def _added(index: int, item: dict[str, Any]) -> dict[str, Any]:
    empty = {"content": [], "arguments": "", "input": "", "summary": []}
    begun = {key: empty.get(key, value) for key, value in item.items()}
    begun.pop("encrypted_content", None)
    begun["status"] = "in_progress"
    return {"type": "response.output_item.added", "output_index": index, "item": begun}


def _done(index: int, item: dict[str, Any]) -> dict[str, Any]:
    return {"type": "response.output_item.done", "output_index": index, "item": item}


def _piece(kind: str, delta: str, index: int = 0, **more: Any) -> dict[str, Any]:
    return {"type": f"response.{kind}.delta", "output_index": index, "delta": delta, **more}


def _hello(index: int = 0) -> list[dict[str, Any]]:
    item = _message(_text("Hello"))
    own = {"item_id": "msg_1", "content_index": 0}
    return [
        _added(index, item),
        _piece("output_text", "Hel", index, **own),
        _piece("output_text", "lo", index, **own),
        _done(index, item),
    ]


def _stream(slug: str, about: str, *events: Any, **more: Any) -> Declared:
    return decode("responses", slug, about, sse(*events, named=True), **more)


def _whole(slug: str, about: str, body: Any, **more: Any) -> Declared:
    return decode_body("responses", slug, about, body, **more)


_HI = _message(_text("Hello"))

_STREAMS = [
    _stream("text", "A text in two pieces.", _started(), *_hello(), _ended(_HI)),
    _stream(
        "queued",
        "A response that waits first has begun all the same.",
        {"type": "response.queued", "response": _response("queued", usage=None)},
        *_hello(),
        _ended(_HI),
    ),
    _stream(
        "text-at-once",
        "What no delta said is said by the end.",
        _started(),
        _ended(_message(_text("All of it."))),
    ),
    _stream(
        "empty-terminal-output",
        "A terminal object without output takes nothing back.",
        _started(),
        *_hello(),
        _ended(),
    ),
    _stream(
        "calls",
        "Two calls whose arguments come by turns.",
        _started(),
        _added(0, _call("call_1")),
        _added(1, _call("call_2")),
        _piece("function_call_arguments", '{"n"', 0, item_id="fc_call_1"),
        _piece("function_call_arguments", '{"n":1}', 1, item_id="fc_call_2"),
        _piece("function_call_arguments", ":1}", 0, item_id="fc_call_1"),
        _done(0, _call("call_1")),
        _done(1, _call("call_2")),
        _ended(_call("call_1"), _call("call_2")),
    ),
    _stream(
        "arguments-when-done",
        "Arguments that only the end of their item says.",
        _started(),
        _added(0, _call()),
        _done(0, _call()),
        _ended(_call()),
    ),
    _stream(
        "custom-call",
        "The free text of a custom call.",
        _started(),
        _added(0, _custom()),
        _piece("custom_tool_call_input", "*** Begin", 0, item_id="ctc_1"),
        _done(0, _custom()),
        _ended(_custom()),
    ),
    _stream(
        "reasoning-sealed",
        "A summary that is shown, and the seal that the end brings.",
        _started(),
        _added(0, _sealed()),
        _piece("reasoning_summary_text", "plan", 0, item_id="rs_1", summary_index=0),
        _done(0, _sealed()),
        *_hello(1),
        _ended(_sealed(), _HI),
    ),
    _stream(
        "reasoning-raw",
        "Raw reasoning of a server that has no seal.",
        _started(),
        _piece("reasoning_text", "think", 0, item_id="rs_1", content_index=0),
        _ended(
            _sealed(
                encrypted_content=None,
                summary=[],
                content=[{"type": "reasoning_text", "text": "think"}],
            ),
            _HI,
        ),
    ),
    _stream(
        "refusal",
        "What the model says when it refuses.",
        _started(),
        _piece("refusal", "No.", 0, item_id="msg_1", content_index=0),
        _ended(_message({"type": "refusal", "refusal": "No."})),
    ),
    _stream(
        "max-output-tokens",
        "An answer that reached its limit.",
        _started(),
        *_hello(),
        _ended(_HI, status="incomplete", incomplete_details={"reason": "max_output_tokens"}),
    ),
    _stream(
        "content-filter",
        "An answer that a filter cut.",
        _started(),
        *_hello(),
        _ended(_HI, status="incomplete", incomplete_details={"reason": "content_filter"}),
    ),
    _stream(
        "max-messages",
        "An answer that reached the limit of its messages.",
        _started(),
        *_hello(),
        _ended(_HI, status="incomplete", incomplete_details={"reason": "max_messages"}),
    ),
    _stream(
        "steered",
        "An answer that a person's word ended.",
        _started(),
        *_hello(),
        _ended(_HI, status="incomplete", incomplete_details={"reason": "steered"}),
    ),
    _stream(
        "kept-events",
        "Events of what only this wire has are kept.",
        _started(),
        {"type": "response.audio.delta", "delta": "AAAA"},
        {"type": "response.audio.done"},
        {"type": "response.audio.transcript.delta", "delta": "la"},
        {"type": "response.audio.transcript.done"},
        {
            "type": "response.image_generation_call.partial_image",
            "output_index": 0,
            "item_id": "ig_1",
            "partial_image_index": 0,
            "partial_image_b64": "iVBORw0KGgo=",
        },
        _ended(_HI),
    ),
    _stream(
        "unknown-event",
        "An event that nobody publishes is kept with a warning.",
        _started(),
        {"type": "response.brand_new", "value": 1},
        *_hello(),
        _ended(_HI),
    ),
    _stream(
        "sentinel-after-the-end",
        "A sentinel after the end changes nothing.",
        _started(),
        *_hello(),
        _ended(_HI),
        "[DONE]",
    ),
    _stream("cut", "A stream that ends without its end.", _started(), *_hello()),
    _stream(
        "failed",
        "A failure keeps what was shown and its counters.",
        _started(),
        *_hello(),
        _ended(
            status="failed", error={"code": "server_error", "message": "The server had an error."}
        ),
    ),
    _stream(
        "overloaded",
        "A server that is overloaded before anything was shown.",
        {
            "type": "error",
            "error": {"type": "server_error", "code": "server_is_overloaded", "message": "Busy."},
        },
    ),
    _stream(
        "cancelled",
        "An answer that was cancelled did not complete.",
        _started(),
        *_hello(),
        {"type": "response.cancelled", "response": _response("cancelled", _HI)},
    ),
    _stream(
        "not-chosen",
        "An answer without the call that the request requires is complete, and says so.",
        _started(),
        *_hello(),
        _ended(_HI),
        turn=TurnRequest(
            "caller-model",
            (UserMessage((Text("Hello"),)),),
            tools=(FunctionTool("look"),),
            tool_choice=REQUIRED,
        ),
    ),
    _stream(
        "larger-than-allowed",
        "More items than the limits allow.",
        _started(),
        *_hello(0),
        _ended(_HI, _call("call_1"), _call("call_2")),
        limits={"items": 2},
    ),
]

_FIELDS: dict[str, Any] = {
    "access_programs": ["p1"],
    "completed_at": 2,
    "conversation": {"id": "conv_1"},
    "image": {"quality": "high"},
    "input_transformations": [{"type": "t"}],
    "moderation": {"flagged": False},
    "prompt_cache_diagnostics": {"hit": True},
    "service_tier": "flex",
    "tool_usage": {"web_search": {"num_requests": 1}},
}

_WIRE_ITEMS: dict[str, dict[str, Any]] = {
    "additional_tools": {"tools": [], "role": "developer"},
    "agent_message": {"content": [], "author": "a", "recipient": "b"},
    "apply_patch_call": {"call_id": "x1", "operation": {"type": "delete_file", "path": "a"}},
    "apply_patch_call_output": {"call_id": "x1", "output": "done"},
    "code_interpreter_call": {"code": "1", "container_id": "c", "outputs": []},
    "computer_call": {"call_id": "x2", "action": {"type": "wait"}, "pending_safety_checks": []},
    "computer_call_output": {"call_id": "x2", "output": {"type": "computer_screenshot"}},
    "custom_tool_call_output": {"call_id": "x3", "output": "done"},
    "file_search_call": {"queries": ["a"], "results": None},
    "function_call_output": {"call_id": "x4", "output": "done"},
    "image_generation_call": {"result": "iVBORw0KGgo="},
    "local_shell_call": {"call_id": "x5", "action": {"type": "exec", "command": ["ls"]}},
    "local_shell_call_output": {"output": "a"},
    "mcp_approval_request": {"name": "t", "arguments": "{}", "server_label": "m"},
    "mcp_approval_response": {"approval_request_id": "x6", "approve": True},
    "mcp_call": {"name": "t", "arguments": "{}", "server_label": "m", "output": "1"},
    "mcp_list_tools": {"server_label": "m", "tools": []},
    "multi_agent_call": {"call_id": "x7"},
    "multi_agent_call_output": {"call_id": "x7"},
    "program": {"call_id": "x8", "code": "1", "fingerprint": "f"},
    "program_output": {"call_id": "x8", "result": "1"},
    "shell_call": {"call_id": "x9", "action": {"commands": ["ls"]}},
    "shell_call_output": {"call_id": "x9", "output": []},
    "tool_search_call": {"call_id": "x10", "arguments": {}, "execution": "server"},
    "tool_search_output": {"call_id": "x10", "tools": [], "execution": "server"},
    "web_search_call": {"action": {"type": "search", "query": "a"}},
}
# What a client must answer ends the answer with calls; these are seen one by one.
_BY_CLIENT = ("apply_patch_call", "computer_call", "local_shell_call", "shell_call")


def _item(kind: str) -> dict[str, Any]:
    return {"type": kind, "id": f"{kind}_1", "status": "completed", **_WIRE_ITEMS[kind]}


_BODIES = [
    _whole("text", "A text with its counters.", _response("completed", _HI)),
    _whole(
        "everything-said",
        "Sealed reasoning, a text with a citation, two calls.",
        _response(
            "completed",
            _sealed(),
            _message(
                _text(
                    "Hello",
                    annotations=[{"type": "url_citation", "url": "https://a.example"}],
                    logprobs=[{"token": "Hello", "logprob": -0.1}],
                )
            ),
            _call(),
            _custom(),
        ),
    ),
    _whole(
        "carried-fields",
        "Fields of an answer without a neutral meaning are carried.",
        _response("completed", _HI, **_FIELDS),
    ),
    _whole(
        "item-fields",
        "Who acted for whom, and in which namespace, is carried with its item.",
        _response(
            "completed",
            _sealed(agent=_AGENT),
            _message(_text("Hello"), phase="final_answer", agent=_AGENT),
            _call(**_ACTING),
            _custom(**_ACTING),
        ),
    ),
    _whole(
        "wire-items",
        "What only this wire has is carried whole, in its place.",
        _response(
            "completed",
            *(_item(kind) for kind in _WIRE_ITEMS if kind not in _BY_CLIENT),
            _HI,
        ),
    ),
    *(
        _whole(
            f"item-{kind.replace('_', '-')}",
            f"A `{kind}` is carried whole.",
            _response("completed", _item(kind)),
        )
        for kind in _BY_CLIENT
    ),
    _whole(
        "compaction",
        "A compaction is sealed state.",
        _response(
            "completed", {"type": "compaction", "id": "cmp_1", "encrypted_content": "c2VhbA=="}, _HI
        ),
    ),
    _whole(
        "usage-written",
        "What was written to the cache, by the time it is kept.",
        _response(
            "completed",
            _HI,
            usage={
                **_USAGE,
                "input_tokens_details": {
                    "cached_tokens": 4,
                    "cache_write_tokens": 5,
                    "cache_write_tokens_details": {"ttl_30m": 5},
                },
            },
        ),
    ),
    _whole(
        "usage-contradicts",
        "More cached tokens than there are is a contradiction.",
        _response(
            "completed",
            _HI,
            usage={**_USAGE, "input_tokens_details": {"cached_tokens": 40}},
        ),
    ),
    _whole("no-usage", "No counters.", _response("completed", _HI, usage=None)),
    _whole("cancelled", "A cancelled answer.", _response("cancelled", _HI)),
    _whole("in-progress", "An answer that has not ended.", _response("in_progress", _HI)),
    _whole("queued", "An answer that has not begun.", _response("queued")),
    _whole("unknown-status", "A status that nobody publishes.", _response("wombat", _HI)),
    _whole("no-json", "No JSON at all.", b"<html>"),
    _whole("another-object", "Another object.", {"object": "list", "data": []}),
    _whole(
        "arguments-no-json",
        "Arguments that are no JSON object.",
        _response("completed", _call(arguments="[1")),
    ),
    _whole(
        "unknown-part",
        "A part that nobody publishes is carried with a warning.",
        _response("completed", _message(_text("Hello"), {"type": "wombat", "x": 1})),
    ),
]

_CODES = (
    "bio_policy",
    "data_residency_mismatch",
    "empty_image_file",
    "failed_to_download_image",
    "image_content_policy_violation",
    "image_file_not_found",
    "image_file_too_large",
    "image_parse_error",
    "image_too_large",
    "image_too_small",
    "invalid_base64_image",
    "invalid_image",
    "invalid_image_format",
    "invalid_image_mode",
    "invalid_image_url",
    "invalid_prompt",
    "misalignment_policy_violation",
    "rate_limit_exceeded",
    "server_error",
    "unsupported_image_media_type",
    "vector_store_timeout",
)


def _error(code: str | None, kind: str = "invalid_request_error") -> dict[str, Any]:
    return {"error": {"message": "It failed.", "type": kind, "param": None, "code": code}}


_ERRORS = [
    *(
        _whole(
            f"failed-{code.replace('_', '-')}",
            f"An answer that failed with `{code}`.",
            _response("failed", error={"code": code, "message": "It failed."}),
        )
        for code in _CODES
    ),
    decode_error(
        "responses",
        "context-length",
        "A request that is too long for the model.",
        400,
        _error("context_length_exceeded"),
    ),
    decode_error(
        "responses",
        "rate-limit",
        "Too many requests, and when to come back.",
        429,
        _error("rate_limit_exceeded", "rate_limit_error"),
        headers=[["retry-after", "20"]],
    ),
    decode_error(
        "responses",
        "misalignment",
        "A model that was stopped for what it did.",
        400,
        {
            "error": {
                **_error("misalignment_policy_violation")["error"],
                "misalignment": {"category": "x"},
            }
        },
    ),
    decode_error("responses", "no-json", "An error page.", 502, b"<html>bad gateway</html>"),
    decode_error(
        "responses", "authentication", "A key that is not valid.", 401, _error("invalid_api_key")
    ),
    decode_error("responses", "missing", "No such model.", 404, _error("model_not_found")),
]

CASES: list[Declared] = [*_STREAMS, *_BODIES, *_ERRORS]
