"""The Chat Completions wire: `{base}chat/completions`."""

from llm_projections.wires.chat.http import PATH, answer_kind, request_headers, request_url

__all__ = ["PATH", "answer_kind", "request_headers", "request_url"]
