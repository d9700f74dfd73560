"""A client's Messages request, read into a neutral turn.

Rules:
1. Everything published is mapped or carried; everything else is refused by its path, all at once.
2. Order is kept exactly: among the blocks of a message and among the messages.
3. Sealed blocks stay whole and unattributed; nothing is taken out of them.
4. Of the headers only the version and the ones that a turn carries are part of a request.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from attrs import evolve

from llm_projections._json import Json
from llm_projections.errors import RefusalCode
from llm_projections.model.items import Extension, Protocol
from llm_projections.model.limits import Limits
from llm_projections.model.results import AnswerShape, Ingested
from llm_projections.model.turn import Sampling, TurnRequest
from llm_projections.model.validation import turn_faults
from llm_projections.wires._http import header
from llm_projections.wires._reading import read_body
from llm_projections.wires._waiting import Headers, pairs
from llm_projections.wires.messages.ingest.conversation import read_messages, read_system
from llm_projections.wires.messages.ingest.places import Places
from llm_projections.wires.messages.ingest.reader import MessagesReader, is_free
from llm_projections.wires.messages.ingest.settings import (
    read_choice,
    read_metadata,
    read_output,
    read_thinking,
    read_tier,
)
from llm_projections.wires.messages.ingest.tools import read_tools
from llm_projections.wires.messages.subset import HEADERS, TABLE
from llm_projections.wires.messages.vocab import VERSIONS

__all__ = ["ingest_count_tokens", "ingest_request"]


_MAPPED = frozenset(
    {
        "model",
        "max_tokens",
        "stream",
        "system",
        "messages",
        "tools",
        "tool_choice",
        "thinking",
        "output_config",
        "output_format",
        "temperature",
        "top_p",
        "top_k",
        "stop_sequences",
        "service_tier",
        "metadata",
    }
)
_SAMPLING = ("temperature", "top_p", "top_k")


def ingest_request(
    body: bytes,
    *,
    headers: Headers = (),
    accept: Collection[str] = (),
    envelopes: bool = True,
    limits: Limits = Limits(),
) -> Ingested:
    """The turn that a Messages request asks for, and how its client wants the answer.

    `envelopes` has no effect: this wire says by itself that a result failed. Raises `RequestRefused` with every
    refusal (`.others`): TOO_LARGE past `limits`, INVALID_REQUEST for what contradicts the wire's rules, UNSUPPORTED
    for what is published by nobody. Raises `ValueError` for an unknown name in `accept`.
    """
    del envelopes
    return _ingest(body, pairs(headers), accept, limits, counting=False)


def ingest_count_tokens(
    body: bytes,
    *,
    headers: Headers = (),
    accept: Collection[str] = (),
    envelopes: bool = True,
    limits: Limits = Limits(),
) -> Ingested:
    """The turn whose tokens a client wants counted: a request without limits, sampling and stream.

    Raises as `ingest_request`.
    """
    del envelopes
    return _ingest(body, pairs(headers), accept, limits, counting=True)


def _ingest(
    body: bytes,
    headers: tuple[tuple[str, str], ...],
    accept: Collection[str],
    limits: Limits,
    *,
    counting: bool,
) -> Ingested:
    envelope = read_body(body, limits, is_free)
    reader = MessagesReader(Protocol.MESSAGES, accept, limits, envelope)
    node = envelope.value
    assert isinstance(node, dict)  # read_body refuses anything else
    known = TABLE.fields("count_tokens" if counting else "request")
    mapped = _MAPPED & known.keys()
    version = _read_version(reader, headers)
    carried = reader.extras(node, (), known, mapped)
    if node.get("cache_control") is not None:
        reader.count_mark(("cache_control",))
    if counting:
        node = {key: value for key, value in node.items() if key in mapped}
    elif version == "2026-10-21":
        _refuse_sampling(reader, node)
    request, stream = _read_turn(reader, node, carried, headers, counting=counting)
    if not reader.refusals:
        faults = list(turn_faults(request, limits, reader.in_order, reader.ids))
        if faults:
            messages = node.get("messages")
            places = Places(messages if isinstance(messages, list) else (), request.items)
            reader.refusals.extend(map(places.in_body, faults))
    reader.finish()
    shape = AnswerShape(stream, reasoning_display=request.thinking.display)
    return Ingested(request, shape, tuple(reader.losses))


def _read_turn(
    reader: MessagesReader,
    node: dict[str, Json],
    carried: tuple[Extension, ...],
    headers: tuple[tuple[str, str], ...],
    *,
    counting: bool,
) -> tuple[TurnRequest, bool]:
    tools = read_tools(reader, node)
    instructions = read_system(reader, node)
    items = read_messages(reader, node, instructions)
    thinking, bindings = read_thinking(reader, node)
    effort, output_format, budgets = read_output(reader, node)
    if effort is not None:
        thinking = evolve(thinking, effort=effort)
    choice, parallel = read_choice(reader, node)
    limit = reader.integer(node, "max_tokens", ())
    if limit is None and not counting:
        reader.required(limit, ("max_tokens",), 1)
    request = TurnRequest(
        _read_model(reader, node),
        tuple(items),
        tuple(instructions),
        tools,
        choice,
        parallel,
        limit,
        Sampling(
            reader.number(node, "temperature", ()),
            reader.number(node, "top_p", ()),
            reader.integer(node, "top_k", ()),
        ),
        thinking,
        output_format,
        _read_stop(reader, node),
        end_user_id=read_metadata(reader, node),
        service_tier=read_tier(reader, node),
        cache_marks="given",
        extensions=(*carried, *bindings, *budgets, *_read_headers(headers)),
    )
    return request, bool(reader.boolean(node, "stream", ()))


def _read_model(reader: MessagesReader, node: dict[str, Json]) -> str:
    model = reader.string(node, "model", ())
    # Bedrock and Vertex name the model in the URL, and their version in the body instead.
    if model is None and node.get("anthropic_version") is not None:
        return ""
    return reader.required(model, ("model",), "")


def _read_stop(reader: MessagesReader, node: dict[str, Json]) -> tuple[str, ...]:
    stops: list[str] = []
    for position, stop in enumerate(reader.array(node, "stop_sequences", ()) or ()):
        if isinstance(stop, str):
            stops.append(stop)
        else:
            reader.refuse(("stop_sequences", position), "must be a string")
    return tuple(stops)


def _read_version(reader: MessagesReader, headers: tuple[tuple[str, str], ...]) -> str | None:
    version = header(headers, "anthropic-version")
    if version is not None and version not in VERSIONS:
        reader.refuse(
            ("header", "anthropic-version"), "not a published version", RefusalCode.UNSUPPORTED
        )
    return version


def _refuse_sampling(reader: MessagesReader, node: dict[str, Json]) -> None:
    for key in _SAMPLING:
        if node.get(key) is not None:
            reader.refuse((key,), "not a field of version 2026-10-21", RefusalCode.UNSUPPORTED)


def _read_headers(headers: tuple[tuple[str, str], ...]) -> Iterable[Extension]:
    for name in HEADERS:
        values = [value for key, value in headers if key.lower() == name]
        if values:
            yield Extension(Protocol.MESSAGES, f"header.{name}", ",".join(values))
