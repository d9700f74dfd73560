"""What makes a turn consistent, in itself and for one binding. Nothing here knows a wire's bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from functools import cached_property
from typing import TYPE_CHECKING

from llm_projections._json import Json, ObjectText
from llm_projections.errors import RefusalCode, RequestRefused
from llm_projections.model.capability import lacks
from llm_projections.model.guard import guarded
from llm_projections.model.items import (
    SEALED_EXTENSIONS,
    AssistantMessage,
    CustomToolCall,
    DataSource,
    Document,
    Image,
    Instruction,
    Opaque,
    Provenance,
    Text,
    TextSource,
    ToolCall,
    ToolResult,
    UnattributedOpaque,
    UserMessage,
    WireItem,
)
from llm_projections.model.limits import Limits
from llm_projections.model.looks import has_sound_settings
from llm_projections.model.soundness import is_sound_item, kind_faults
from llm_projections.model.tools import Allowed, HostedTool, Named, Tool
from llm_projections.model.turn import TurnRequest

if TYPE_CHECKING:
    from llm_projections.model.binding import Binding

__all__ = [
    "check_turn",
    "check_turn_for",
    "item_faults",
    "published_names",
    "raise_all",
    "turn_faults",
]

CONTINUATIONS = frozenset({"previous_response_id", "conversation", "thread"})
"""Extension paths that say that earlier items are held by the provider."""

_INVALID = RefusalCode.INVALID_REQUEST
_TOO_LARGE = RefusalCode.TOO_LARGE
_TEXT = (str, type(None))


@guarded
def check_turn(turn: TurnRequest, limits: Limits) -> None:
    """Raise every fault of `turn` as one `RequestRefused`."""
    raise_all(list(turn_faults(turn, limits)))


def raise_all(faults: list[RequestRefused]) -> None:
    """Raise the first of `faults`, the rest in its `others`; nothing when there is none."""
    if faults:
        first, *others = faults
        first.others = tuple(others)
        raise first


def turn_faults(
    turn: TurnRequest, limits: Limits, since: int = 0, seen: Set[str] = frozenset()
) -> Iterator[RequestRefused]:
    """Every way in which `turn` contradicts itself or `limits`.

    The items before `since` are known to be in order within the same limits, with no instruction among them and no
    call unanswered; `seen` are the ids of their calls.
    """
    if not has_sound_settings(turn):
        told = list(kind_faults(turn))
        if told:
            # nothing more can be asked of it
            yield from told
            return
    yield from _setting_faults(turn)
    yield from _tool_faults(turn, limits)
    yield from item_faults(turn, limits, since, seen)


def item_faults(
    turn: TurnRequest, limits: Limits, since: int, seen: Set[str]
) -> Iterator[RequestRefused]:
    """`turn_faults` of the conversation alone."""
    if len(turn.items) > limits.items:
        yield RequestRefused(_TOO_LARGE, f"more than {limits.items} items", "items")
        return
    yield from _call_faults(turn, limits, since, seen)


def _setting_faults(turn: TurnRequest) -> Iterator[RequestRefused]:
    sampling = turn.sampling
    temperature, top_p = sampling.temperature, sampling.top_p
    if temperature is not None and not 0 <= temperature <= 2:
        yield RequestRefused(_INVALID, "must be a number from 0 to 2", "sampling.temperature")
    if top_p is not None and not 0 < top_p <= 1:
        yield RequestRefused(_INVALID, "must be a number above 0 and up to 1", "sampling.top_p")
    for name in ("presence_penalty", "frequency_penalty"):
        value = getattr(sampling, name)
        # by this and not by `isfinite`, since an integer may be too large for a float
        if value is not None and value - value != 0:
            yield RequestRefused(_INVALID, "must be a finite number", f"sampling.{name}")
    if turn.max_output_tokens is not None and turn.max_output_tokens <= 0:
        yield RequestRefused(_INVALID, "must be above zero", "max_output_tokens")


def _instruction_faults(
    instructions: Iterable[Instruction], limits: Limits
) -> Iterator[RequestRefused]:
    said = [
        part.text
        for instruction in instructions
        for part in instruction.content
        if type(part) is Text
    ]
    if _exceeds("".join(said), limits.instructions_bytes):
        yield RequestRefused(
            _TOO_LARGE,
            f"instructions of more than {limits.instructions_bytes} bytes",
            "instructions",
        )


def published_names(turn: TurnRequest) -> frozenset[str]:
    """The names of every tool that `turn` publishes: namespaces and tools that came as items included."""
    names: set[str] = set()
    for tool in turn.tools:
        names.update(_tool_names(tool))
    for item in turn.items:
        if isinstance(item, WireItem):
            names.update(_nested_names(item.payload.get("tools")))
    return frozenset(names)


def _tool_names(tool: Tool) -> Iterator[str]:
    if not isinstance(tool, HostedTool):
        yield tool.name
        return
    name = tool.payload.get("name")
    if isinstance(name, str):
        yield name
    yield from _nested_names(tool.payload.get("tools"))


def _nested_names(tools: Json) -> Iterator[str]:
    if not isinstance(tools, list):
        return
    for tool in tools:
        if isinstance(tool, dict):
            name = tool.get("name")
            if isinstance(name, str):
                yield name
            yield from _nested_names(tool.get("tools"))


def _tool_faults(turn: TurnRequest, limits: Limits) -> Iterator[RequestRefused]:
    if len(turn.tools) > limits.tools:
        yield RequestRefused(_TOO_LARGE, f"more than {limits.tools} tools", "tools")
        return
    seen: set[str] = set()
    for position, tool in enumerate(turn.tools):
        if isinstance(tool, HostedTool):
            continue
        if not tool.name:
            yield RequestRefused(_INVALID, "a tool has no name", f"tools[{position}].name")
        if tool.name in seen:
            yield RequestRefused(_INVALID, "two tools have one name", f"tools[{position}].name")
        seen.add(tool.name)
    choice = turn.tool_choice
    if isinstance(choice, Named | Allowed):
        published = published_names(turn)
        wanted = (choice.name,) if isinstance(choice, Named) else choice.names
        if any(name not in published for name in wanted):
            yield RequestRefused(_INVALID, "chooses a tool that is not published", "tool_choice")


def _call_faults(
    turn: TurnRequest, limits: Limits, since: int, seen_before: Set[str]
) -> Iterator[RequestRefused]:
    """Every call is answered before the next model turn, every result answers one earlier, unanswered call."""
    calls = _Calls(turn, seen_before)
    seen, waiting = calls.seen, calls.waiting
    later = list(turn.instructions)
    longest, largest = limits.arguments_bytes, limits.result_bytes
    # A character is at most four bytes: a text that is shorter than this is within its limit unmeasured.
    short = min(longest, largest) // 4
    # Read by every ingest and every projection: what is in order, which is nearly everything, costs no
    # call and no generator of its own (0.45 ms for 800 items before, 0.2 ms so).
    for position, item in enumerate(turn.items[since:] if since else turn.items, since):
        # what is plain is told by the classes in it; whatever else stands beside a text fails where it is written
        if type(item) is ToolResult:
            content, failed = item.content, item.failed
            part = content[0] if len(content) == 1 else None
            if (
                type(part) is not Text
                or type(part.text) is not str
                or type(content) is not tuple
                or not (failed is None or failed is False or failed is True)
            ):
                if not is_sound_item(item):
                    break
                if _result_exceeds(item, largest):
                    yield _too_long("a result", largest, position)
            elif len(part.text) > short and _exceeds(part.text, largest):
                yield _too_long("a result", largest, position)
            call = waiting.get(item.call_id)
            if call is not None and item.custom is (type(call) is CustomToolCall):
                del waiting[item.call_id]
                calls.users_turn = True
            elif not is_sound_item(item):
                break
            else:
                yield from calls.answered(item, position)
        elif type(item) is ToolCall or type(item) is CustomToolCall:
            given = item.arguments if isinstance(item, ToolCall) else item.input
            if (
                (type(given) is not str and type(given) is not ObjectText)
                or type(item.name) is not str
                or type(item.call_id) is not str
            ) and not is_sound_item(item):
                break
            call_id = item.call_id
            if call_id in seen or call_id in seen_before or (waiting and calls.users_turn):
                yield from calls.called(item, position)
            else:
                calls.users_turn = False
                seen.add(call_id)
                waiting[call_id] = item
            if len(given) > short and _exceeds(given, longest):
                yield _too_long("arguments", longest, position)
        elif type(item) is UserMessage or type(item) is AssistantMessage:
            spoken = item.content
            said = spoken[0] if len(spoken) == 1 else None
            if (
                type(said) is not Text or type(said.text) is not str or type(spoken) is not tuple
            ) and not is_sound_item(item):
                break
            if type(item) is UserMessage:
                calls.users_turn = True
            else:
                if waiting and calls.users_turn:
                    yield from calls.models_turn(position)
                calls.users_turn = False
        elif type(item) is Opaque and type(item.payload) is dict and type(item.text) in _TEXT:
            if waiting and calls.users_turn:
                yield from calls.models_turn(position)
            calls.users_turn = False
        elif not is_sound_item(item):
            break
        elif type(item) is WireItem:
            calls.carried(item)
        elif type(item) is Instruction:
            later.append(item)
        else:
            if waiting and calls.users_turn:
                yield from calls.models_turn(position)
            calls.users_turn = False
    else:
        yield from calls.models_turn(len(turn.items), ends=True)
        yield from _instruction_faults(later, limits)
        return
    # nothing more can be asked of a turn that is made of something else
    yield from kind_faults(turn)


def _is_continued(turn: TurnRequest) -> bool:
    """Whether the provider holds earlier items that a result may answer."""
    return any(extension.path in CONTINUATIONS for extension in turn.extensions) or any(
        isinstance(item, WireItem) and item.payload.get("type") == "item_reference"
        for item in turn.items
    )


class _Calls:
    """The calls of a conversation while it is read."""

    def __init__(self, turn: TurnRequest, seen_before: Set[str]) -> None:
        self.turn = turn
        self.users_turn = False
        self.seen: set[str] = set()
        # hundreds of a conversation that goes on, for a handful of new calls: they are not copied
        self._seen_before = seen_before
        self.waiting: dict[str, ToolCall | CustomToolCall] = {}
        self.wire_calls: set[str] = set()

    @cached_property
    def held_elsewhere(self) -> bool:
        return _is_continued(self.turn)

    def models_turn(self, position: int, *, ends: bool = False) -> Iterator[RequestRefused]:
        if self.waiting and (self.users_turn or ends):
            yield RequestRefused(
                _INVALID,
                "a call is not answered before the next model turn",
                f"items[{position - 1}]" if ends else f"items[{position}]",
            )
            self.waiting.clear()
        self.users_turn = False

    def called(self, item: ToolCall | CustomToolCall, position: int) -> Iterator[RequestRefused]:
        yield from self.models_turn(position)
        if item.call_id in self.seen or item.call_id in self._seen_before:
            yield RequestRefused(_INVALID, "two calls have one id", f"items[{position}].call_id")
        self.seen.add(item.call_id)
        self.waiting[item.call_id] = item

    def carried(self, item: WireItem) -> None:
        if item.role == "call" and item.call_id is not None:
            self.wire_calls.add(item.call_id)

    def answered(self, item: ToolResult, position: int) -> Iterator[RequestRefused]:
        self.users_turn = True
        call = self.waiting.pop(item.call_id, None)
        if call is None:
            if item.call_id in self.wire_calls:
                self.wire_calls.discard(item.call_id)
            elif not self.held_elsewhere:
                yield RequestRefused(
                    _INVALID,
                    "answers no earlier, unanswered call",
                    f"items[{position}].call_id",
                )
        elif item.custom != isinstance(call, CustomToolCall):
            yield RequestRefused(
                _INVALID, "answers a call of the other kind", f"items[{position}].custom"
            )


def _too_long(what: str, most: int, position: int) -> RequestRefused:
    return RequestRefused(_TOO_LARGE, f"{what} of more than {most} bytes", f"items[{position}]")


def _exceeds(text: str, limit: int) -> bool:
    return len(text) * 4 > limit and len(text.encode("utf-8", "surrogatepass")) > limit


def _result_exceeds(item: ToolResult, limit: int) -> bool:
    content = item.content
    if len(content) == 1 and type(content[0]) is Text:
        return _exceeds(content[0].text, limit)
    size = 0
    for part in content:
        if isinstance(part, Text):
            size += len(part.text.encode("utf-8", "surrogatepass"))
        elif isinstance(part, Image | Document):
            source = part.source
            if isinstance(source, DataSource):
                size += len(source.data)
            elif isinstance(source, TextSource):
                size += len(source.text)
    return size > limit


@guarded
def check_turn_for(turn: TurnRequest, binding: Binding, limits: Limits) -> None:
    """Raise every fault of `turn`, for `binding`, as one `RequestRefused`."""
    faults = list(turn_faults(turn, limits))
    if turn.model != binding.model:
        faults.append(RequestRefused(_INVALID, "another model than the binding's", "model"))
    faults.extend(_foreign_state(turn, binding.provenance))
    faults.extend(
        RequestRefused(RefusalCode.UNSUPPORTED, lack.message, lack.path, loss=lack.loss)
        for lack in lacks(turn, binding)
    )
    raise_all(faults)


def _foreign_state(turn: TurnRequest, provenance: Provenance) -> Iterator[RequestRefused]:
    for position, item in enumerate(turn.items):
        if isinstance(item, UnattributedOpaque):
            yield RequestRefused(
                _INVALID,
                "opaque state that nobody has attributed",
                f"items[{position}]",
                loss="turn.opaque.unattributed",
            )
        elif isinstance(item, Opaque) and item.provenance != provenance:
            yield RequestRefused(
                _INVALID,
                "opaque state of another binding",
                f"items[{position}]",
                loss="turn.opaque",
            )
        elif any(
            extension.path in SEALED_EXTENSIONS and extension.provenance != provenance
            for extension in item.extensions
        ):
            yield RequestRefused(
                _INVALID,
                "opaque state of another binding",
                f"items[{position}].extensions",
                loss="turn.opaque",
            )
