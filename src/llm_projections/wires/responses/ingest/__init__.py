"""A client's request bytes to a neutral turn.

Rules:
1. Every key is read, carried or refused by its path; all refusals of one body are raised together.
2. Ids of items are extensions; `status: completed`, empty `annotations` and `logprobs`, and `null` are nothing.
3. The leading run of system and developer messages is the turn's instructions, after the top-level `instructions`.
   A wire item inside that run keeps its place by an extension (`input.place`).
4. `stream`, `store` and the request for encrypted reasoning say how the client wants its answer, not what it asks.
"""

from __future__ import annotations

from collections.abc import Collection

from llm_projections._json import Json
from llm_projections.model.limits import Limits
from llm_projections.model.results import Ingested
from llm_projections.model.turn import TurnRequest
from llm_projections.model.validation import turn_faults
from llm_projections.wires._http import header
from llm_projections.wires._reading import Reader, read_body
from llm_projections.wires._waiting import Headers, pairs
from llm_projections.wires.responses.ingest.items import read_input
from llm_projections.wires.responses.ingest.places import faults_by_place
from llm_projections.wires.responses.ingest.settings import read_settings
from llm_projections.wires.responses.ingest.tools import read_choice, read_tools
from llm_projections.wires.responses.vocab import PROTOCOL

__all__ = ["ingest_request"]


def ingest_request(
    body: bytes,
    *,
    headers: Headers = (),
    accept: Collection[str] = (),
    envelopes: bool = True,
    limits: Limits = Limits(),
) -> Ingested:
    """The turn that a client asks for, and how it wants the answer.

    Also reads a WebSocket frame `{"type": "response.create", ...}`. Of `headers` only `openai-beta` is part of the
    request. With `envelopes` our own envelope in a tool's output is read back as `ToolResult.failed`.

    Raises `RequestRefused` with every refusal (`.others`): INVALID_REQUEST for a body that contradicts itself or the
    wire, UNSUPPORTED for what is not published or not carried, TOO_LARGE past `limits`; `ValueError` for an unknown
    name in `accept`.

    Source: openai 3.57.0, `ResponseCreateParams`, read 2026-11-30.
    """
    envelope = read_body(body, limits)
    node = envelope.value
    assert isinstance(node, dict)  # read_body refuses anything else
    reader = Reader(PROTOCOL, accept, limits, envelope)
    settings = read_settings(reader, node, header(pairs(headers), "openai-beta"))
    instructions, items, in_order = read_input(reader, node, envelopes)
    tools = read_tools(reader, node)
    choice = read_choice(reader, node, tools, items)
    request = TurnRequest(
        model=_model(reader, node),
        items=items,
        instructions=instructions,
        tools=tools,
        tool_choice=choice,
        cache_marks="given",
        **settings.fields,
    )
    if not reader.refusals:
        # no text is longer than the body that it is in
        in_order = in_order and len(body) <= min(limits.arguments_bytes, limits.result_bytes)
        known = len(items) if in_order else 0
        faults = list(turn_faults(request, limits, known))
        if faults:
            reader.refusals.extend(map(faults_by_place(node, request), faults))
    reader.finish()
    return Ingested(request, settings.answer, tuple(reader.losses))


_HOLDERS = ("prompt", "previous_response_id", "conversation")


def _model(reader: Reader, node: dict[str, Json]) -> str:
    """The model's name. What the provider holds may name it in its stead: then it is empty."""
    name = reader.string(node, "model", ())
    if name is None and any(node.get(key) is not None for key in _HOLDERS):
        return ""
    return reader.required(name, ("model",), "")
