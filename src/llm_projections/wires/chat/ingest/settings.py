"""The settings of a Chat body: everything beside its messages and tools."""

from __future__ import annotations

from collections.abc import Mapping

from llm_projections._json import Json
from llm_projections.errors import RefusalCode
from llm_projections.model.items import Extension, Protocol
from llm_projections.model.results import AnswerShape
from llm_projections.model.turn import Sampling, Thinking
from llm_projections.wires._reading import Reader
from llm_projections.wires.chat import vocab
from llm_projections.wires.chat.subset import HARMLESS, TABLE

__all__ = ["Settings"]

_STREAM = frozenset({"include_usage"})
_MAPPED = frozenset(
    {
        "model",
        "messages",
        "tools",
        "tool_choice",
        "parallel_tool_calls",
        "response_format",
        "max_completion_tokens",
        "max_tokens",
        "temperature",
        "top_p",
        "top_k",
        "presence_penalty",
        "frequency_penalty",
        "seed",
        "stop",
        "reasoning_effort",
        "verbosity",
        "service_tier",
        "safety_identifier",
        "user",
        "prompt_cache_key",
        "metadata",
        "stream",
        "stream_options",
    }
)
# Groq's word for leaving the model's own effort as it is (console.groq.com/docs/reasoning, read 2026-11).
_DEFAULT_EFFORT = "default"


class Settings:
    """One body's settings, read."""

    def __init__(self, reader: Reader, node: Mapping[str, Json]) -> None:
        self._reader = reader
        self._node = node
        model = reader.string(node, "model", ())
        self.model: str = reader.required(model, ("model",), "")
        self.max_output_tokens: int | None = self._limit()
        self.sampling: Sampling = self._sampling()
        self.stop: tuple[str, ...] = self._stop()
        self.metadata: dict[str, str] | None = self._metadata()
        self.carried: list[Extension] = []
        carried = self.carried
        self.thinking: Thinking = self._thinking(carried)
        self.end_user_id: str | None = self._end_user(carried)
        self.answer: AnswerShape = self._answer(carried)
        if not node.keys() <= _MAPPED:
            extras = reader.extras(node, (), TABLE.fields("request"), _MAPPED)
            carried += [found for found in extras if not _says_nothing(found)]

    def _limit(self) -> int | None:
        newer = self._reader.integer(self._node, "max_completion_tokens", ())
        older = self._reader.integer(self._node, "max_tokens", ())
        if newer is None:
            return older
        if older is not None and older != newer:
            self._reader.refuse(("max_tokens",), "contradicts max_completion_tokens")
        return newer

    def _sampling(self) -> Sampling:
        reader, node = self._reader, self._node
        return Sampling(
            reader.number(node, "temperature", ()),
            reader.number(node, "top_p", ()),
            reader.integer(node, "top_k", ()),
            reader.integer(node, "seed", ()),
            reader.number(node, "presence_penalty", ()),
            reader.number(node, "frequency_penalty", ()),
        )

    def _stop(self) -> tuple[str, ...]:
        stop = self._node.get("stop")
        if stop is None:
            return ()
        if isinstance(stop, str):
            return (stop,)
        if not isinstance(stop, list):
            self._reader.refuse(("stop",), "must be a string or a list of strings")
            return ()
        words = tuple(word for word in stop if isinstance(word, str))
        if len(words) != len(stop):
            wrong = next(i for i, word in enumerate(stop) if not isinstance(word, str))
            self._reader.refuse(("stop", wrong), "must be a string")
        return words

    def _metadata(self) -> dict[str, str] | None:
        found = self._reader.object(self._node, "metadata", ())
        if found is None:
            return None
        words = {key: value for key, value in found.items() if isinstance(value, str)}
        for key in found.keys() - words.keys():
            self._reader.refuse(("metadata", key), "must be a string")
        return words

    def _thinking(self, carried: list[Extension]) -> Thinking:
        effort = self._reader.string(self._node, "reasoning_effort", ())
        if effort is None or effort in vocab.EFFORTS:
            return Thinking(effort) if effort is not None else Thinking()
        if effort == _DEFAULT_EFFORT:
            carried.append(Extension(Protocol.CHAT, "reasoning_effort", effort))
        else:
            self._reader.refuse(
                ("reasoning_effort",), "not one of the published values", RefusalCode.UNSUPPORTED
            )
        return Thinking()

    def _end_user(self, carried: list[Extension]) -> str | None:
        newer = self._reader.string(self._node, "safety_identifier", ())
        older = self._reader.string(self._node, "user", ())
        if newer is None:
            return older
        if older is not None:
            carried.append(Extension(Protocol.CHAT, vocab.USER, older))
        return newer

    def _answer(self, carried: list[Extension]) -> AnswerShape:
        reader = self._reader
        stream = reader.boolean(self._node, "stream", ()) or False
        options = reader.object(self._node, "stream_options", ())
        if options is None:
            return AnswerShape(stream)
        path = ("stream_options",)
        usage = reader.boolean(options, "include_usage", path) or False
        if not options.keys() <= _STREAM:
            carried += reader.extras(options, path, TABLE.fields("request.stream_options"), _STREAM)
        return AnswerShape(stream, usage)


def _says_nothing(found: Extension) -> bool:
    return found.path in HARMLESS and found.value == HARMLESS[found.path]
