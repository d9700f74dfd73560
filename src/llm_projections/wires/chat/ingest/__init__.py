"""A client's Chat body to a neutral turn. Inverse of `project`.

Rules:
1. Every key is known by a row of the subset, or refused by its path; all refusals come at once.
2. What has no neutral meaning is carried as an extension of its owner.
3. Leading system and developer messages are the turn's instructions; later ones stay at their place.
4. Headers are left to the caller: who asks and who pays is the binding's to say.
"""

from __future__ import annotations

from collections.abc import Collection

from llm_projections.model.items import Protocol
from llm_projections.model.limits import Limits
from llm_projections.model.results import Ingested
from llm_projections.model.turn import TurnRequest
from llm_projections.model.validation import turn_faults
from llm_projections.wires._reading import Reader, read_body
from llm_projections.wires._waiting import Headers
from llm_projections.wires.chat import vocab
from llm_projections.wires.chat.ingest.messages import Messages
from llm_projections.wires.chat.ingest.places import in_body
from llm_projections.wires.chat.ingest.settings import Settings
from llm_projections.wires.chat.ingest.tools import read_choice, read_format, read_tools

__all__ = ["ingest_request"]


def ingest_request(
    body: bytes,
    *,
    headers: Headers = (),  # noqa: ARG001  every wire takes them; this one reads none
    accept: Collection[str] = (),
    envelopes: bool = True,
    limits: Limits = Limits(),
) -> Ingested:
    """What a client asks for, and how it wants the answer.

    `envelopes` reads our own failure envelope in tool results back as `failed`. The body's `model` is the turn's.
    Raises `RequestRefused` with every fault of the body (`.others`), and `ValueError` for a name in `accept` that is
    no loss.
    """
    envelope = read_body(body, limits)
    reader = Reader(Protocol.CHAT, accept, limits, envelope)
    node = envelope.value
    assert isinstance(node, dict)  # read_body gives nothing else
    settings = Settings(reader, node)
    messages = Messages(reader, envelopes=envelopes)
    given = reader.array(node, "messages", ())
    messages.read(given)
    turn = TurnRequest(
        settings.model,
        tuple(messages.items),
        tuple(messages.instructions),
        read_tools(reader, node),
        read_choice(reader, node),
        reader.boolean(node, "parallel_tool_calls", ()),
        settings.max_output_tokens,
        settings.sampling,
        settings.thinking,
        read_format(reader, node, settings.carried),
        settings.stop,
        reader.choice(node, "verbosity", (), vocab.VERBOSITIES),
        settings.end_user_id,
        reader.string(node, "prompt_cache_key", ()),
        settings.metadata,
        reader.string(node, "service_tier", ()),
        "given",
        tuple(settings.carried),
    )
    if not reader.refusals:
        # no text is longer than the body that it is in
        short = len(body) <= min(limits.arguments_bytes, limits.result_bytes)
        known = len(turn.items) if short and messages.in_order else 0
        faults = list(turn_faults(turn, limits, known))
        if faults:
            again = Messages(Reader(Protocol.CHAT, accept, limits, envelope), envelopes=envelopes)
            sources = again.sources(given or ())
            reader.refusals += [
                in_body(fault, node, messages.items, sources.__getitem__) for fault in faults
            ]
    reader.finish()
    return Ingested(turn, settings.answer, tuple(reader.losses))
