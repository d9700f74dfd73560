"""The binding that the measured functions run under: it can do everything and reaches nothing."""

from typing import Any

import llm_projections

PROTOCOLS = {"chat": "CHAT", "messages": "MESSAGES", "responses": "RESPONSES"}


def binding_for(wire: str) -> Any:
    """The binding of one wire. AttributeError where the package does not export what it takes."""
    package: Any = llm_projections
    return package.Binding(
        protocol=getattr(package.Protocol, PROTOCOLS[wire]),
        provider="bench",
        account="bench",
        endpoint="bench",
        model="m",
        upstream_name="m",
        base_url="https://bench.invalid/v1/",
        auth=package.Bearer(),
        capabilities=package.Capabilities.all(1_000_000, 100_000),
    )


def identity() -> Any:
    """Who answers, where an answer is written."""
    package: Any = llm_projections
    return package.Identity(response_id="bench", created=1_790_000_000, model="m")
