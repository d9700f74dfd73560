"""What the relay demo plays: one request of each kind of client, one answer of each wire.

The requests have the shape of what the programs send, with short texts. The answers say the same on
every wire: some reasoning, a sentence, and two parallel calls.
"""

import json

from llm_projections import Protocol

SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
READ = ("Read", "Reads a file.", SCHEMA)
RUN = ("Bash", "Runs a command.", {"type": "object", "properties": {"command": {"type": "string"}}})


def chat_request():
    """A coding agent on Chat Completions: history with a call and its result."""
    tools = [
        {"type": "function", "function": {"name": n, "description": d, "parameters": s}}
        for n, d, s in (READ, RUN)
    ]
    call = {
        "id": "call_1",
        "type": "function",
        "function": {"name": "Read", "arguments": '{"path":"a.txt"}'},
    }
    return {
        "model": "big-model",
        "messages": [
            {"role": "system", "content": "You are a careful engineer."},
            {"role": "user", "content": [{"type": "text", "text": "What is in a.txt?"}]},
            {"role": "assistant", "content": "I look.", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "call_1", "content": "b.txt and c.txt"},
        ],
        "tools": tools,
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_completion_tokens": 8_000,
    }


def messages_request():
    """Claude Code's shape: system blocks with marks, adaptive thinking, a failed result."""
    mark = {"type": "ephemeral"}
    tools = [{"name": n, "description": d, "input_schema": s} for n, d, s in (READ, RUN)]
    return {
        "model": "big-model",
        "max_tokens": 128_000,
        "stream": True,
        "system": [
            {
                "type": "text",
                "text": "x-anthropic-billing-header: cc_version=0; cc_entrypoint=cli;",
            },
            {"type": "text", "text": "You are a careful engineer.", "cache_control": mark},
        ],
        "thinking": {"type": "adaptive", "display": "updates"},
        "output_config": {"effort": "medium"},
        "context_management": {"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]},
        "metadata": {"user_id": '{"device_id":"d","session_id":"s"}'},
        "tools": tools,
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "What is in a.txt?"}]},
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "I look."},
                    {
                        "type": "tool_use",
                        "id": "toolu_1",
                        "name": "Read",
                        "input": {"path": "a.txt"},
                    },
                ],
            },
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "toolu_1",
                        "content": "no such file",
                        "is_error": True,
                        "cache_control": mark,
                    }
                ],
            },
        ],
    }


def responses_request():
    """Codex's shape: developer messages, items with ids, function and custom tools."""
    function = [
        {"type": "function", "name": n, "description": d, "parameters": s, "strict": False}
        for n, d, s in (READ, RUN)
    ]
    patch = {
        "type": "custom",
        "name": "apply_patch",
        "description": "Applies a patch.",
        "format": {"type": "grammar", "syntax": "lark", "definition": 'start: "patch"'},
    }

    def message(role, text, number):
        part = {"type": "input_text", "text": text}
        return {"type": "message", "role": role, "content": [part], "id": f"msg_{number}"}

    return {
        "model": "big-model",
        "input": [
            message("developer", "You are a careful engineer.", 1),
            message("user", "What is in a.txt?", 2),
            {
                "type": "custom_tool_call",
                "call_id": "call_1",
                "name": "apply_patch",
                "input": "patch",
                "id": "ctc_1",
            },
            {
                "type": "custom_tool_call_output",
                "call_id": "call_1",
                "output": "done",
                "id": "ctco_1",
            },
        ],
        "tools": [*function, patch],
        "tool_choice": "auto",
        "parallel_tool_calls": True,
        "reasoning": {"effort": "medium"},
        "text": {"verbosity": "low"},
        "store": False,
        "stream": True,
        "include": ["reasoning.encrypted_content"],
        "prompt_cache_key": "thread-1",
    }


ANTHROPIC_HEADERS = (
    ("content-type", "application/json"),
    ("anthropic-version", "2023-06-01"),
    ("x-api-key", "client-key"),
)
OPENAI_HEADERS = (("content-type", "application/json"), ("authorization", "Bearer client-key"))

CLIENTS = {
    "chat-agent": ("/v1/chat/completions", OPENAI_HEADERS, chat_request()),
    "claude-code": ("/v1/messages?beta=true", ANTHROPIC_HEADERS, messages_request()),
    "codex": ("/v1/responses", OPENAI_HEADERS, responses_request()),
}


def frames(events, named):
    """Events as a server writes them."""
    lines = []
    for event in events:
        name = f"event: {event['type']}\n" if named else ""
        lines.append(f"{name}data: {json.dumps(event, separators=(',', ':'))}\n\n")
    return "".join(lines).encode()


CALLS = (("call_a", "Read", '{"path":', '"b.txt"}'), ("call_b", "Read", '{"path":', '"c.txt"}'))


def chat_answer():
    """Reasoning as vLLM writes it, text, two calls, usage, the sentinel."""

    def chunk(delta, finish=None, **more):
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1}
        return {**head, "model": "demo-model", "choices": [choice], **more}

    events = [chunk({"role": "assistant", "content": ""})]
    events += [chunk({"reasoning_content": text}) for text in ("Two files ", "to read.")]
    events += [chunk({"content": text}) for text in ("I read ", "both.")]
    for index, (call_id, name, first, second) in enumerate(CALLS):
        head = {"index": index, "id": call_id, "type": "function"}
        events.append(
            chunk({"tool_calls": [{**head, "function": {"name": name, "arguments": ""}}]})
        )
        for piece in (first, second):
            events.append(
                chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
            )
    events.append(chunk({}, "tool_calls"))
    usage = {"prompt_tokens": 900, "completion_tokens": 60, "total_tokens": 960}
    usage["prompt_tokens_details"] = {"cached_tokens": 640}
    usage["completion_tokens_details"] = {"reasoning_tokens": 20}
    events.append({**chunk({}), "choices": [], "usage": usage})
    return frames(events, named=False) + b"data: [DONE]\n\n"


def messages_answer():
    """Signed thinking, text, two calls, cumulative usage."""
    start = {"input_tokens": 260, "cache_read_input_tokens": 640, "cache_creation_input_tokens": 0}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "demo-model"}
    message |= {"content": [], "stop_reason": None, "stop_sequence": None}
    message["usage"] = {**start, "output_tokens": 1}
    events = [{"type": "message_start", "message": message}]

    def block(index, opened, *deltas):
        events.append({"type": "content_block_start", "index": index, "content_block": opened})
        for delta in deltas:
            events.append({"type": "content_block_delta", "index": index, "delta": delta})
        events.append({"type": "content_block_stop", "index": index})

    block(
        0,
        {"type": "thinking", "thinking": "", "signature": ""},
        {"type": "thinking_delta", "thinking": "Two files to read."},
        {"type": "signature_delta", "signature": "c2lnbmVk"},
    )
    block(1, {"type": "text", "text": ""}, {"type": "text_delta", "text": "I read both."})
    for index, (call_id, name, *pieces) in enumerate(CALLS, 2):
        opened = {"type": "tool_use", "id": f"tool{call_id}", "name": name, "input": {}}
        block(index, opened, *({"type": "input_json_delta", "partial_json": p} for p in pieces))
    stop = {"stop_reason": "tool_use", "stop_sequence": None}
    events.append({"type": "message_delta", "delta": stop, "usage": {"output_tokens": 60}})
    events.append({"type": "message_stop"})
    return frames(events, named=True)


def responses_answer():
    """A reasoning summary, a message, two calls, the terminal object."""
    response = {"id": "resp_1", "object": "response", "created_at": 1, "status": "in_progress"}
    response |= {"model": "demo-model", "output": [], "parallel_tool_calls": True}
    response |= {"tool_choice": "auto", "tools": [], "usage": None}
    events = [{"type": "response.created", "response": response}]
    said = "I read both."
    summary = [{"type": "summary_text", "text": "Two files to read."}]
    reasoning = {"type": "reasoning", "id": "rs_1", "summary": summary}
    text = {"type": "output_text", "text": said, "annotations": []}
    message = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed"}
    output = [reasoning, {**message, "content": [text]}]
    for number, (call_id, name, *pieces) in enumerate(CALLS, 1):
        call = {"type": "function_call", "id": f"fc_{number}", "call_id": call_id, "name": name}
        output.append({**call, "arguments": "".join(pieces), "status": "completed"})
    for index, item in enumerate(output):
        place = {"output_index": index, "item_id": item["id"]}
        empty = {"reasoning": {"summary": []}, "message": {"content": []}}
        opened = {**item, **empty.get(item["type"], {"arguments": ""})}
        events.append({"type": "response.output_item.added", "output_index": index, "item": opened})
        if item["type"] == "reasoning":
            delta = {"summary_index": 0, "delta": summary[0]["text"]}
            events.append({"type": "response.reasoning_summary_text.delta", **place, **delta})
        elif item["type"] == "message":
            part = {**place, "content_index": 0}
            opened = {**text, "text": ""}
            events.append({"type": "response.content_part.added", **part, "part": opened})
            events.append({"type": "response.output_text.delta", **part, "delta": said})
            events.append({"type": "response.output_text.done", **part, "text": said})
        else:
            kind = "response.function_call_arguments"
            for piece in ('{"path":', item["arguments"].removeprefix('{"path":')):
                events.append({"type": f"{kind}.delta", **place, "delta": piece})
            events.append({"type": f"{kind}.done", **place, "arguments": item["arguments"]})
        events.append({"type": "response.output_item.done", "output_index": index, "item": item})
    usage = {"input_tokens": 900, "output_tokens": 60, "total_tokens": 960}
    usage["input_tokens_details"] = {"cached_tokens": 640, "cache_write_tokens": 0}
    usage["output_tokens_details"] = {"reasoning_tokens": 20}
    done = {**response, "status": "completed", "output": output, "usage": usage}
    events.append({"type": "response.completed", "response": done})
    for number, event in enumerate(events):
        event["sequence_number"] = number
    return frames(events, named=True)


ANSWERS = {
    Protocol.CHAT: chat_answer(),
    Protocol.MESSAGES: messages_answer(),
    Protocol.RESPONSES: responses_answer(),
}
