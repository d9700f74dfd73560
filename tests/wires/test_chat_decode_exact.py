"""What a Chat answer carries is exact, bounded and nobody else's."""

from __future__ import annotations

import orjson
import pytest
from attrs import evolve

from llm_projections.errors import Dispatch, RefusalCode, ResponseRefused
from llm_projections.model.items import AssistantMessage, Opaque, Text, ToolCall
from llm_projections.model.limits import Limits
from llm_projections.wires.chat.decode import decode_response
from tests.wires.chat_answers import (
    BINDING,
    DONE,
    HEAD,
    USAGE,
    body,
    carried,
    chunk,
    fragment,
    outcome,
    payload,
    refused,
)

BIG = 2**64 + 1
TAIL = chunk(None, "stop") + DONE


def big(delta: str, top: str = "") -> bytes:
    """A chunk whose delta and top are given as JSON text, in which N is an integer beyond 64 bit."""
    head = orjson.dumps(HEAD)[:-1].decode()
    text = f'{head},"choices":[{{"index":0,"delta":{delta},"finish_reason":null}}]{top}}}'
    return f"data: {text.replace('N', str(BIG))}\n\n".encode()


@pytest.mark.parametrize("first", [b"", chunk({"role": "assistant"})])
def test_integers_of_any_size_are_exact_in_sealed_reasoning(first: bytes) -> None:
    """It goes back as it came, or the server turns it down; in the first chunk as in any other."""
    entry = '{"reasoning_details":[{"type":"reasoning.encrypted","data":"x","index":0,"n":N}]}'
    (item,) = outcome(first + big(entry) + TAIL).items
    assert isinstance(item, Opaque)
    assert BIG == item.payload["reasoning_details"][0]["n"]  # type: ignore[index, call-overload]  # plain JSON


def test_integers_of_any_size_are_exact_in_what_is_carried() -> None:
    """Beside a call, a text and the whole answer, and in the server's own counters."""
    call = '{"index":0,"id":"a","function":{"name":"f","arguments":"{}"},"extra_content":{"n":N}}'
    usage = ',"usage":{"prompt_tokens":1,"completion_tokens":1,"n":N},"timings":{"n":N}'
    said = outcome(
        chunk({"content": "x"})
        + big('{"annotations":[{"n":N}]}', usage)
        + big(f'{{"tool_calls":[{call}]}}')
        + TAIL
    )
    text, made = said.items
    assert isinstance(text, AssistantMessage)
    assert isinstance(made, ToolCall)
    assert (Text("x", (carried("messages.annotations", {"n": BIG}),)),) == text.content
    assert {"n": BIG} == made.extensions[0].value
    assert carried("answer.timings", {"n": BIG}) in said.extensions
    assert said.observation.usage is not None
    assert BIG == (said.observation.usage.reported or {})["n"]


def test_arguments_that_came_as_an_object_are_exact() -> None:
    """Some servers write no text there."""
    call = '{"index":0,"id":"a","function":{"name":"f","arguments":{"n":N}}}'
    (made,) = outcome(big(f'{{"tool_calls":[{call}]}}') + TAIL).items
    assert isinstance(made, ToolCall)
    assert f'{{"n":{BIG}}}' == made.arguments


@pytest.mark.parametrize("depth", [600, 2000])
def test_a_chunk_that_is_nested_too_deep_is_too_large(depth: int) -> None:
    """At the first level past the limit, wherever JSON itself would stop."""
    deep = "[" * depth + "]" * depth
    error = refused(chunk({"content": "x"}) + big(f'{{"annotations":[{deep}]}}') + TAIL)
    assert RefusalCode.TOO_LARGE is error.code
    assert Dispatch.ACCEPTED is error.dispatch
    assert error.partial is not None
    assert "x" == error.partial.open_items[0].text


def test_the_limit_of_depth_is_an_argument() -> None:
    """Of streams and of whole answers."""
    data = payload({**HEAD, "choices": [], "timings": {"a": {"b": []}}})
    tight = Limits(json_depth=3)
    assert RefusalCode.TOO_LARGE is refused(data, limits=tight).code
    with pytest.raises(ResponseRefused) as error:
        decode_response(body({"content": "x"}), BINDING, limits=evolve(tight, json_depth=2))
    assert RefusalCode.TOO_LARGE is error.value.code


def test_a_whole_answer_may_begin_with_a_mark_of_its_order() -> None:
    """A byte order mark says nothing, as in a stream."""
    assert decode_response(body({"content": "x"}), BINDING) == decode_response(
        b"\xef\xbb\xbf" + body({"content": "x"}), BINDING
    )


def test_a_second_choice_without_an_index_is_refused() -> None:
    """It would be read as the first one goes on; several pieces of one choice say so."""
    one, other = {"delta": {"content": "a"}}, {"delta": {"content": "b"}}
    error = refused(payload({**HEAD, "choices": [one, other]}) + TAIL)
    assert "choices[1]" == error.path
    pieces = [{"index": 0, **one}, {"index": 0, **other}]
    (item,) = outcome(payload({**HEAD, "choices": pieces}) + TAIL).items
    assert AssistantMessage((Text("ab"),)) == item


def test_no_tail_that_is_missing_looks_like_an_end() -> None:
    """Up to the finish reason a cut stream is refused; after it only what follows the answer may be missing."""
    pieces = [
        chunk({"role": "assistant", "content": ""}),
        chunk({"reasoning_content": "hm"}),
        chunk({"content": "Hel"}),
        chunk({"content": "lo"}),
        chunk(fragment(0, "a", "f", '{"x"')),
        chunk(fragment(0, None, None, ":1}")),
        chunk(None, "tool_calls"),
        payload({**HEAD, "choices": [], "usage": USAGE}),
        DONE,
    ]
    whole = outcome(b"".join(pieces))
    for end in range(len(pieces) - 2):
        error = refused(b"".join(pieces[:end]))
        assert (RefusalCode.PROTOCOL, end < 2) == (error.code, error.retriable)
    for end in range(len(pieces) - 2, len(pieces) + 1):
        cut = outcome(b"".join(pieces[:end]))
        assert whole.items == cut.items
        assert whole.stop == cut.stop
        assert (end > 7) is (cut.observation.usage is not None)
        missing = [warning.code for warning in cut.warnings]
        assert missing == ([] if end == len(pieces) else ["missing-done-sentinel"])
