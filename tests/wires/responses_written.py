"""Neutral answers, and what is asked of everything that a Responses client is written."""

from __future__ import annotations

from typing import Any

import pytest

from llm_projections.errors import Dispatch, ResponseRefused
from llm_projections.model.events import (
    Event,
)
from llm_projections.model.items import (
    AssistantMessage,
    Item,
    Protocol,
    Provenance,
    Text,
)
from llm_projections.model.losses import Loss
from llm_projections.model.outcome import (
    EndTurn,
    Observation,
    TurnOutcome,
    Usage,
)
from llm_projections.wires.responses.answer import (
    IngressStream,
    encode_ingress_stream,
)
from tests.wires.responses_answers import (
    IDENTITY,
    SHAPE,
    frames,
)

USAGE = Usage(11, 7, 4, 0, 2)
HI = AssistantMessage((Text("Hi"),))
FOREIGN = Provenance(Protocol.MESSAGES, "p", "a", "e", "m", "r")


def turn(*items: Item, stop: Any = None, usage: Usage | None = USAGE, **more: Any) -> TurnOutcome:
    """An outcome."""
    return TurnOutcome(stop or EndTurn(), items, Observation(None, "m-1", "u", usage), (), **more)


def written(*given: Event, accept: Any = (), losses: list[Loss] | None = None) -> list[Any]:
    """The payloads of what a client gets."""
    data = b"".join(encode_ingress_stream(given, IDENTITY, SHAPE, accept=accept, losses=losses))
    found = frames(data)
    assert list(range(len(found))) == [each["sequence_number"] for each in found]
    return found


def kinds(payloads: list[Any]) -> list[str]:
    """Their types, without what all share."""
    return [each["type"].removeprefix("response.") for each in payloads]


def refusal(*given: Event, accept: Any = ()) -> ResponseRefused:
    """What the encoder refuses of these events."""
    stream = IngressStream(IDENTITY, SHAPE, accept=accept)
    for each in given[:-1]:
        stream.encode(each)
    with pytest.raises(ResponseRefused) as caught:
        stream.encode(given[-1])
    assert (Dispatch.ACCEPTED, False) == (caught.value.dispatch, caught.value.retriable)
    assert not stream.done
    assert b"response.failed" in stream.fail(caught.value)
    return caught.value
