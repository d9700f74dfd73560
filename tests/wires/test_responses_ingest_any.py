"""Reading of any Responses request: bytes, shapes and strangers give a turn or a refusal."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_projections.errors import RequestRefused
from llm_projections.wires.responses import ingest_request
from tests.cases.responses import CASES
from tests.cases.responses_words import Case


def read(body: Any) -> Any:
    """The turn of a body."""
    return ingest_request(json.dumps(body).encode()).request


@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_any_bytes_are_read_or_refused(body: bytes) -> None:
    """Nothing but a refusal leaves the reader, whatever comes in."""
    with suppress(RequestRefused):
        ingest_request(body)


_NODES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                (
                    "type",
                    "role",
                    "content",
                    "text",
                    "id",
                    "call_id",
                    "output",
                    "summary",
                    "tools",
                    "name",
                    "format",
                )
            ),
            inner
            | st.sampled_from(("message", "user", "input_text", "function_call", "reasoning")),
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(
    st.dictionaries(
        st.sampled_from(
            tuple(sorted({"model", "input", "tools", "tool_choice", "reasoning", "text"}))
        ),
        _NODES,
    )
)
def test_any_shape_is_read_or_refused(body: dict[str, Any]) -> None:
    """A known key with any value is read or refused."""
    with suppress(RequestRefused):
        read(body)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_stranger_is_refused_by_its_name_or_carried(case: Case) -> None:
    """An unknown field in any object is refused by its path, or stands in the turn (inside what is carried whole)."""
    for path in _objects(case.body):
        grown = json.loads(json.dumps(case.body))
        node = grown
        for step in path:
            node = node[step]
        node["zz_stranger"] = 1
        assert "zz_stranger" in _said_of(grown), path


def _said_of(body: dict[str, Any]) -> str:
    """The turn of a body in words, or the paths that are refused of it."""
    try:
        return repr(read(body))
    except RequestRefused as error:
        return " ".join(refused.path for refused in (error, *error.others))


def _objects(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where objects stand; what is sealed shows nothing in a representation, and is left out."""
    if isinstance(value, dict):
        if value.get("encrypted_content"):
            return []
        inner = [p for key, held in value.items() for p in _objects(held, (*path, key))]
        return [path, *inner]
    if isinstance(value, list):
        return [p for index, held in enumerate(value) for p in _objects(held, (*path, index))]
    return []


# What its absence says too: each is a note of its row in spec/responses.toml.
DECLARED: list[tuple[str, Any]] = [
    ("type", "message"),
    ("strict", False),
    ("parameters", None),
    ("detail", "auto"),
    ("summary", []),
]


def _without(body: Any, path: tuple[Any, ...]) -> Any:
    """A copy without one member."""
    copied = json.loads(json.dumps(body))
    node = copied
    for step in path[:-1]:
        node = node[step]
    del node[path[-1]]
    return copied


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_no_field_is_lost_in_silence(case: Case) -> None:
    """Without any one field a body is refused, or read as something else, or the field was a declared spelling."""
    whole = ingest_request(json.dumps(case.body).encode())
    silent: list[tuple[Any, ...]] = []
    for at in _objects(case.body):
        node = case.body
        for step in at:
            node = node[step]
        for key, value in node.items():
            with suppress(RequestRefused):
                body = json.dumps(_without(case.body, (*at, key))).encode()
                if ingest_request(body) == whole and (key, value) not in DECLARED:
                    silent.append((*at, key))
    assert [] == silent


@pytest.mark.parametrize(
    "held",
    [
        {"prompt": {"id": "p"}},
        {"previous_response_id": "resp_1"},
        {"conversation": "conv_1"},
        {"conversation": {"id": "conv_1"}},
    ],
)
def test_what_the_provider_holds_may_name_the_model(held: dict[str, Any]) -> None:
    """Then the turn names none; without it, the model is required."""
    body = {"input": "go", "store": False}
    assert "" == read({**body, **held}).model
    with pytest.raises(RequestRefused) as refused:
        read(body)
    assert "model" == refused.value.path
