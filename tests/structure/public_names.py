"""The names that users import, listed by hand: what is promised, not what the code happens to hold.

A name may be added here when it is added to the documentation. Taking one away breaks a user.
"""

ERRORS = {"Refusal", "RequestRefused", "ResponseRefused"}

EVENTS = {
    "Event",
    "ItemCompleted",
    "ReasoningDelta",
    "RefusalDelta",
    "ResponseStarted",
    "TextDelta",
    "ToolArgumentsDelta",
    "ToolCallStarted",
    "TurnCompleted",
    "TurnFailed",
    "UsageReported",
    "Warning",
}

MODEL = {
    "AUTO",
    "NONE",
    "REQUIRED",
    "Allowed",
    "AssistantMessage",
    "Audio",
    "CacheMark",
    "CustomTool",
    "CustomToolCall",
    "Document",
    "EndTurn",
    "Extension",
    "FunctionTool",
    "HostedTool",
    "Image",
    "Incomplete",
    "Instruction",
    "Item",
    "JsonObject",
    "JsonSchema",
    "Limits",
    "MaxOutputTokens",
    "Named",
    "Observation",
    "Opaque",
    "OutputFormat",
    "PartialOutcome",
    "RawJson",
    "Reasoning",
    "RefusalText",
    "Sampling",
    "StopReason",
    "StopSequence",
    "Text",
    "Thinking",
    "ToolCall",
    "ToolCalls",
    "ToolResult",
    "TurnOutcome",
    "TurnRequest",
    "UnattributedOpaque",
    "UpstreamError",
    "Usage",
    "UserMessage",
    "WireChoice",
    "WireItem",
    "WirePart",
}

BINDING = {
    "Anonymous",
    "ApiKey",
    "Bearer",
    "Binding",
    "Capabilities",
    "Conversation",
    "Dialect",
    "Identity",
    "Protocol",
}

LOSSES = {"AGENT_CLIENTS", "CROSS_VENDOR", "HINTS", "Loss"}

WIRES = {
    "AnswerShape",
    "HttpAnswer",
    "Ingested",
    "Projection",
    "Wire",
    "decode_stream",
    "encode_ingress_completion",
    "encode_ingress_message",
    "encode_ingress_response",
    "encode_request",
    "project_request",
    "wire",
    "wire_for_path",
}

WHOLE = {
    "ALL",
    "AnswerBody",
    "AnswerHead",
    "Exchange",
    "HttpRequest",
    "Relay",
    "ToolWrapping",
    "__version__",
    "from_document",
    "read_exchange",
    "to_document",
}

TOP_LEVEL = ERRORS | EVENTS | MODEL | BINDING | LOSSES | WIRES | WHOLE

# What each of chat, messages and responses exports, with the parameters that callers may name.
EVERY_WIRE: dict[str, tuple[str, ...]] = {
    "PATH": (),
    "project_request": ("request", "binding", "stream", "accept", "conversation", "limits"),
    "encode_request": (
        "request",
        "binding",
        "stream",
        "accept",
        "conversation",
        "fragments",
        "limits",
        "losses",
    ),
    "request_headers": (
        "binding",
        "request",
        "credential",
        "stream",
        "conversation",
        "request_number",
    ),
    "request_url": ("binding",),
    "answer_kind": ("status", "headers", "binding", "stream"),
    "StreamDecoder": ("binding", "request", "limits", "keep_raw", "invalid_arguments"),
    "decode_stream": ("chunks", "binding", "request", "limits", "keep_raw", "invalid_arguments"),
    "adecode_stream": ("chunks", "binding", "request", "limits", "keep_raw", "invalid_arguments"),
    "decode_response": ("body", "binding", "request", "limits"),
    "decode_error": ("status", "headers", "body", "binding"),
    "ingest_request": ("body", "headers", "accept", "envelopes", "limits"),
    "IngressStream": ("identity", "answer", "accept"),
    "encode_ingress_stream": ("events", "identity", "answer", "accept", "losses"),
    "aencode_ingress_stream": ("events", "identity", "answer", "accept", "losses"),
    "encode_ingress_answer": ("outcome", "identity", "answer", "accept", "losses"),
    "encode_ingress_error": ("error", "request_id", "expose_upstream"),
}

OF_ONE_WIRE: dict[str, dict[str, tuple[str, ...]]] = {
    "chat": {"encode_ingress_completion": ("outcome", "identity", "answer", "accept")},
    "messages": {
        "encode_ingress_message": ("outcome", "identity", "answer", "accept"),
        "ingest_count_tokens": ("body",),
        "encode_ingress_count": ("input_tokens",),
    },
    "responses": {"encode_ingress_response": ("outcome", "identity", "answer", "accept")},
}

MEMBERS: dict[str, tuple[str, ...]] = {
    "StreamDecoder": ("feed", "feed_payload", "close", "done", "snapshot"),
    "IngressStream": ("encode", "fail", "keepalive", "done", "losses"),
}
