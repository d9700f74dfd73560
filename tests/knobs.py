"""What each wire carries of a turn without a loss and reads back equal: what strategies leave out, and why.

Each exclusion says its reason, which is a row of that wire's table in spec/.
"""

from collections.abc import Mapping
from typing import Any

from attrs import frozen
from hypothesis import strategies as st

from llm_projections.model.items import (
    DataSource,
    Document,
    Extension,
    FileSource,
    Image,
    Protocol,
    TextSource,
    UrlSource,
    WireItem,
    WirePart,
)
from llm_projections.model.tools import HostedTool, JsonObject, JsonSchema
from llm_projections.model.turn import Thinking
from tests.values import BASE64, SCHEMAS, URLS, maybe, names, texts

__all__ = ["CHAT", "KNOBS", "MESSAGES", "RESPONSES", "Knobs"]

CHAT, MESSAGES, RESPONSES = Protocol.CHAT, Protocol.MESSAGES, Protocol.RESPONSES


@frozen
class Knobs:
    """What a wire carries of a turn and reads back equal."""

    sampling: Mapping[str, st.SearchStrategy[Any]]
    thinking: st.SearchStrategy[Thinking]
    settings: Mapping[str, st.SearchStrategy[Any]]
    formats: st.SearchStrategy[Any]
    choices: bool
    """Whether a choice among custom and several tools can be said."""
    custom: bool
    strict: tuple[bool | None, ...]
    instruction_parts: int
    """How many texts a leading instruction may have."""
    images: st.SearchStrategy[Image]
    documents: st.SearchStrategy[Document]
    audio: bool
    failed: tuple[bool | None, ...]
    ttls: tuple[str | None, ...]
    most_marks: int
    marked_calls: bool
    """Whether tools, calls and whole results can be marked; where not, only parts of inputs can."""
    carried: tuple[Extension, ...]
    on_user: tuple[Extension, ...]
    hosted: tuple[HostedTool, ...]
    parts: tuple[WirePart, ...]
    items: tuple[WireItem, ...]
    """What the provider ran, in pairs of call and result or alone."""


_UNIT = st.floats(0, 1) | st.just(1)
_COUNT = st.integers(1, 64_000)
_PENALTY = st.floats(-2, 2)


def _web(protocol: Protocol, kind: str, **more: Any) -> HostedTool:
    return HostedTool(protocol, {"type": kind, **more})


KNOBS: dict[Protocol, Knobs] = {
    CHAT: Knobs(
        sampling={
            "temperature": st.floats(0, 2),
            "top_p": st.floats(0.01, 1),
            "top_k": _COUNT,
            "seed": st.integers(-(2**63), 2**64),
            "presence_penalty": _PENALTY,
            "frequency_penalty": _PENALTY,
        },
        # chat-req: no budget, mode or display (turn.thinking.*)
        thinking=st.builds(Thinking, maybe(st.sampled_from(["none", "low", "high", "xhigh"]))),
        settings={
            "verbosity": st.sampled_from(["low", "high"]),
            "end_user_id": texts(1).map(lambda text: text[:64]),
            "prompt_cache_key": texts(),
            "metadata": st.dictionaries(texts(), texts(), max_size=2),
            "service_tier": st.sampled_from(["auto", "flex", "priority"]),
            "parallel_tool_calls": st.booleans(),
            "stop": st.lists(texts(1), min_size=1, max_size=3).map(tuple),
            "max_output_tokens": _COUNT,
        },
        # the name of a schema is required on the OpenAI wires: a missing one is a pinned addition
        formats=st.just(JsonObject())
        | st.builds(JsonSchema, names(), SCHEMAS, maybe(st.booleans()), maybe(texts())),
        choices=True,
        custom=True,
        strict=(None, True, False),
        instruction_parts=3,
        # no files as images; base64 data has a media type (image_url.url is one data URL)
        images=st.builds(
            Image,
            st.builds(UrlSource, URLS) | st.builds(DataSource, BASE64, st.just("image/png")),
            maybe(st.sampled_from(["low", "auto"])),
        ),
        # no URL and no plain text as a file of the vendor
        documents=st.builds(
            Document,
            st.builds(DataSource, BASE64, st.just("application/pdf"))
            | st.builds(FileSource, st.just(CHAT), texts(1)),
            maybe(texts()),
        ),
        audio=True,
        # a success and no word are one thing on this wire
        failed=(None, True),
        ttls=(None, "30m", "12h"),
        most_marks=9,
        marked_calls=False,
        carried=(
            Extension(CHAT, "logit_bias", {"50256": -100}),
            Extension(CHAT, "logprobs", True),
            Extension(CHAT, "prediction", {"type": "content", "content": "x"}),
        ),
        on_user=(Extension(CHAT, "messages.name", "n"),),
        hosted=(),
        parts=(),
        items=(),
    ),
    MESSAGES: Knobs(
        # no seed and no penalties; temperature up to 1
        sampling={"temperature": _UNIT, "top_p": st.floats(0.01, 1), "top_k": _COUNT},
        # a budget and a display need a mode that has them; no effort at all is a mode here
        thinking=st.one_of(
            st.builds(Thinking, maybe(st.sampled_from(["low", "max"]))),
            st.builds(
                Thinking,
                maybe(st.just("high")),
                _COUNT,
                st.just("enabled"),
                maybe(st.sampled_from(["summarized", "omitted"])),
            ),
            st.builds(
                Thinking,
                maybe(st.just("low")),
                st.none(),
                st.just("adaptive"),
                maybe(st.just("updates")),
            ),
            st.builds(
                Thinking, st.none(), st.none(), st.sampled_from(["disabled", "between_tools"])
            ),
        ),
        # no verbosity, cache key or metadata beyond the end user; two words for tiers
        settings={
            "end_user_id": texts(),
            "service_tier": st.sampled_from(["auto", "default"]),
            "stop": st.lists(texts(1), min_size=1, max_size=3).map(tuple),
            "max_output_tokens": _COUNT,
        },
        # a schema alone: no name, description or strictness, and no bare JSON
        formats=st.builds(JsonSchema, st.none(), SCHEMAS),
        choices=False,
        custom=False,
        strict=(None, True, False),
        # one block of `system` is one instruction
        instruction_parts=1,
        # no detail; the vendor's media types
        images=st.builds(
            Image,
            st.builds(UrlSource, URLS)
            | st.builds(DataSource, BASE64, st.just("image/webp"))
            | st.builds(FileSource, st.just(MESSAGES), texts(1)),
        ),
        documents=st.builds(
            Document,
            st.builds(UrlSource, URLS)
            | st.builds(DataSource, BASE64, st.just("application/pdf"))
            | st.builds(TextSource, texts())
            | st.builds(FileSource, st.just(MESSAGES), texts(1)),
            maybe(texts()),
        ),
        audio=False,
        failed=(None, True, False),
        ttls=(None, "5m", "1h"),
        most_marks=4,
        marked_calls=True,
        carried=(
            Extension(MESSAGES, "context_management", {"edits": []}),
            Extension(MESSAGES, "container", "c"),
            Extension(MESSAGES, "inference_geo", "us"),
        ),
        on_user=(),
        hosted=(
            _web(MESSAGES, "web_search_20250305", name="web_search", max_uses=2),
            _web(MESSAGES, "bash_20250124", name="bash"),
        ),
        parts=(
            WirePart(
                MESSAGES,
                {"type": "search_result", "source": "s", "title": "t", "content": []},
            ),
        ),
        items=(
            WireItem(
                MESSAGES,
                {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}},
            ),
            WireItem(
                MESSAGES,
                {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
            ),
        ),
    ),
    RESPONSES: Knobs(
        sampling={
            "temperature": st.floats(0, 2),
            "top_p": st.floats(0.01, 1),
            "top_k": _COUNT,
            "seed": st.integers(-(2**63), 2**64),
            "presence_penalty": _PENALTY,
            "frequency_penalty": _PENALTY,
        },
        # no mode or budget; one word of display
        thinking=st.builds(
            Thinking,
            maybe(st.sampled_from(["none", "minimal", "max"])),
            display=maybe(st.just("summarized")),
        ),
        settings={
            "verbosity": st.sampled_from(["low", "high"]),
            "end_user_id": texts(),
            "prompt_cache_key": texts(),
            # an empty object says nothing here
            "metadata": st.dictionaries(texts(), texts(), min_size=1, max_size=2),
            "service_tier": st.sampled_from(["auto", "flex", "priority"]),
            "parallel_tool_calls": st.booleans(),
            "stop": st.lists(texts(1), min_size=1, max_size=3).map(tuple),
            "max_output_tokens": _COUNT,
        },
        formats=st.just(JsonObject())
        | st.builds(JsonSchema, names(), SCHEMAS, maybe(st.booleans()), maybe(texts())),
        choices=True,
        custom=True,
        # absent is written as false, and false read as absent
        strict=(None, True),
        instruction_parts=3,
        # the detail "auto" is always written, and read as none
        images=st.builds(
            Image,
            st.builds(UrlSource, URLS)
            | st.builds(DataSource, BASE64, st.just("image/png"))
            | st.builds(FileSource, st.just(RESPONSES), texts(1)),
            maybe(st.sampled_from(["low", "high"])),
        ),
        # plain text goes out as base64 data
        documents=st.builds(
            Document,
            st.builds(UrlSource, URLS)
            | st.builds(DataSource, BASE64, st.just("application/pdf"))
            | st.builds(FileSource, st.just(RESPONSES), texts(1)),
            maybe(texts()),
        ),
        audio=True,
        failed=(None, True, False),
        ttls=(None, "30m", "12h"),
        most_marks=9,
        marked_calls=False,
        carried=(
            Extension(RESPONSES, "truncation", "auto"),
            Extension(RESPONSES, "max_tool_calls", 3),
            Extension(RESPONSES, "context_management", [{"type": "compaction"}]),
            Extension(RESPONSES, "include", ["message.output_text.logprobs"]),
        ),
        on_user=(Extension(RESPONSES, "input.id", "msg_9"),),
        hosted=(
            _web(RESPONSES, "web_search", filters={"allowed_domains": ["x.example"]}),
            _web(RESPONSES, "mcp", server_label="l", server_url="https://x.example/"),
        ),
        parts=(),
        items=(
            WireItem(
                RESPONSES,
                {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {}},
            ),
            WireItem(RESPONSES, {"type": "item_reference", "id": "msg_1"}),
        ),
    ),
}
