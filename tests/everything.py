"""One of everything: bindings that declare all their wire has, and small values that tests build on."""

from typing import Any

from llm_projections.model.binding import Anonymous, Auth, Binding, Capabilities, Identity
from llm_projections.model.dialect import ALL, Dialect
from llm_projections.model.items import Protocol
from llm_projections.model.results import AnswerShape

MODEL = "caller-model"
IDENTITY = Identity("resp_1", 1_790_000_000, "client-model")
SHAPE = AnswerShape(stream=True, include_usage=True, encrypted_reasoning=True)


def binding_of(
    protocol: Protocol,
    *,
    auth: Auth = Anonymous(),
    capabilities: Capabilities | None = None,
    **habits: Any,
) -> Binding:
    """A binding that declares everything, of a server with these habits."""
    return Binding(
        protocol,
        "provider",
        "account",
        "endpoint",
        MODEL,
        "upstream-model",
        "https://upstream.example/v1/",
        auth,
        Capabilities.all(200_000, 64_000) if capabilities is None else capabilities,
        Dialect(**{"request_fields": ALL, **habits}),
    )
