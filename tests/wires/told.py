"""Everything that a caller is told of a turn, for tests that compare two ways to write it."""

from __future__ import annotations

from llm_projections.errors import RequestRefused
from llm_projections.model.binding import Binding
from llm_projections.model.limits import Limits
from llm_projections.model.losses import Loss
from llm_projections.model.turn import TurnRequest
from llm_projections.wires import WIRES

__all__ = ["told"]


def told(turn: TurnRequest, binding: Binding, accept: frozenset[str], limits: Limits) -> object:
    """Bytes, body and losses, or every refusal in its order."""
    wire = WIRES[binding.protocol]
    try:
        made = wire.project_request(turn, binding, accept=accept, limits=limits)
        losses: list[Loss] = []
        data = wire.encode_request(turn, binding, accept=accept, limits=limits, losses=losses)
    except RequestRefused as error:
        return [(each.code, each.path, each.message, each.loss) for each in (error, *error.others)]
    return data, repr(made.body), made.losses, losses
