"""Bindings that declare everything, and the habits that a body shows."""

from __future__ import annotations

import importlib
from typing import Any

from llm_projections import ALL, Anonymous, Binding, Capabilities, Dialect, Protocol

PROTOCOLS = {
    "chat": Protocol.CHAT,
    "messages": Protocol.MESSAGES,
    "responses": Protocol.RESPONSES,
}
MODEL = "accepted-model"


def package(wire: str) -> Any:
    """The public package of a wire."""
    return importlib.import_module(f"llm_projections.{wire}")


def permissive(wire: str, dialect: Dialect | None = None, *, maximum: int | None = None) -> Binding:
    """A binding of a wire that takes whatever the wire can say."""
    return Binding(
        protocol=PROTOCOLS[wire],
        provider="acceptance",
        account="acceptance",
        endpoint="acceptance",
        model=MODEL,
        upstream_name=MODEL,
        base_url="http://acceptance.invalid/v1/",
        auth=Anonymous(),
        capabilities=Capabilities.all(None, maximum),
        dialect=Dialect(request_fields=ALL) if dialect is None else dialect,
    )


def shown_dialect(wire: str, body: Any, headers: tuple[tuple[str, str], ...]) -> Dialect:
    """The dialect of the server that a body was evidently written for."""
    if wire == "messages":
        versions = [value for name, value in headers if name.lower() == "anthropic-version"]
        newer = "2026-10-21" in versions
        return Dialect(request_fields=ALL, version="2026-10-21" if newer else "2023-06-01")
    if wire == "responses":
        return Dialect(request_fields=ALL)
    messages = [m for m in body.get("messages") or () if isinstance(m, dict)]
    plain = any(isinstance(m.get("reasoning"), str) for m in messages)
    return Dialect(
        request_fields=ALL,
        output_limit_field="max_tokens" if "max_tokens" in body else "max_completion_tokens",
        instruction_role="developer" if _first_role(messages) == "developer" else "system",
        end_user_field="user" if "user" in body else "safety_identifier",
        reasoning_field="reasoning" if plain else "reasoning_content",
        reasoning_details=True,
        extra_content=True,
        tool_result_parts=True,
        prefill=True,
    )


def _first_role(messages: list[Any]) -> Any:
    return messages[0].get("role") if messages else None
