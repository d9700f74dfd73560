"""How tests look at Messages projections."""

from __future__ import annotations

from typing import Any

import pytest

from llm_projections.errors import RequestRefused
from llm_projections.messages import project_request
from llm_projections.model.turn import TurnRequest
from tests.cases.messages import (
    BINDING,
)

__all__ = ["refused", "written"]


def written(request: TurnRequest, **options: Any) -> dict[str, Any]:
    """The body on a binding that declares everything, without what is always written."""
    body = project_request(request, options.pop("binding", BINDING), **options).body
    pinned = {"model": "upstream-model", "max_tokens": 64_000, "stream": True}
    return {key: value for key, value in body.items() if pinned.get(key) != value}


def refused(request: TurnRequest, binding: Any = BINDING, **options: Any) -> dict[str, str | None]:
    """Every path that is refused, and the loss that would leave it out."""
    with pytest.raises(RequestRefused) as caught:
        project_request(request, binding, **options)
    return {error.path: error.loss for error in (caught.value, *caught.value.others)}
