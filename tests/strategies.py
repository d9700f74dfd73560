"""Hypothesis strategies: turns of each wire.

`turns(wire, home)` gives what that wire carries without a loss and reads back equal. Whatever it leaves out is said in
`tests/knobs.py`, each with the reason.
"""

from collections.abc import Callable, Mapping
from typing import Any

from attrs import evolve
from hypothesis import strategies as st

from llm_projections.model.items import (
    AssistantMessage,
    Audio,
    CacheMark,
    CustomToolCall,
    Document,
    Extension,
    Image,
    Instruction,
    Item,
    Opaque,
    Protocol,
    Provenance,
    Reasoning,
    RefusalText,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
    WirePart,
)
from llm_projections.model.tools import (
    AUTO,
    NONE,
    REQUIRED,
    Allowed,
    CustomTool,
    FunctionTool,
    Grammar,
    HostedTool,
    Named,
    Tool,
    ToolChoice,
)
from llm_projections.model.turn import Sampling, Thinking, TurnRequest
from tests.everything import MODEL
from tests.knobs import CHAT, KNOBS, MESSAGES, RESPONSES
from tests.values import BASE64, SCHEMAS, arguments, maybe, names, texts

__all__ = ["turns"]


class _Drawn:
    """One turn while it is drawn: the ids used so far, and how many marks may still be placed."""

    def __init__(self, draw: Callable[..., Any], wire: Protocol, home: Provenance) -> None:
        self.draw, self.wire, self.home = draw, wire, home
        self.knobs = KNOBS[wire]
        self.marks_left = self.knobs.most_marks
        self.calls = 0

    def some(self, *options: Any) -> Any:
        return self.draw(st.sampled_from(options))

    def chance(self) -> bool:
        return bool(self.draw(st.integers(0, 3)) == 0)

    def mark(self, able: bool = True) -> CacheMark | None:
        if not able or self.marks_left == 0 or not self.chance():
            return None
        self.marks_left -= 1
        return CacheMark(self.some(*self.knobs.ttls))

    def text(self, min_size: int = 0, *, markable: bool = True) -> Text:
        return Text(self.draw(texts(min_size)), cache=self.mark(markable))

    # parts

    def user_part(self) -> Text | Image | Document | Audio | WirePart:
        knobs = self.knobs
        kinds = ["text", "text", "image", "document"]
        kinds += ["audio"] * knobs.audio + ["wire"] * bool(knobs.parts)
        kind = self.some(*kinds)
        if kind == "image":
            return evolve(self.draw(knobs.images), cache=self.mark())
        if kind == "document":
            return evolve(self.draw(knobs.documents), cache=self.mark())
        if kind == "audio":
            # an audio part holds no mark on Responses
            mark = self.mark(self.wire is CHAT)
            return Audio(self.draw(BASE64), self.some("wav", "mp3"), mark)
        return self.some(*knobs.parts) if kind == "wire" else self.text()

    def user(self, min_size: int = 0) -> UserMessage:
        count = self.draw(st.integers(min_size, 2))
        extensions = self.knobs.on_user if self.chance() else ()
        return UserMessage(tuple(self.user_part() for _ in range(count)), extensions)

    def instruction(self, least: int, most: int) -> Instruction:
        count = self.draw(st.integers(least, most))
        return Instruction(tuple(self.text() for _ in range(count)))

    def said(self) -> AssistantMessage:
        parts: list[Any] = [self.spoken() for _ in range(self.draw(st.integers(1, 2)))]
        # a refusal is a text on Messages
        if self.wire is not MESSAGES and self.chance():
            parts.append(RefusalText(self.draw(texts())))
        return AssistantMessage(tuple(parts))

    def spoken(self) -> Text:
        # marks stand in inputs only on Responses
        text = self.text(markable=self.wire is not RESPONSES)
        if self.wire is CHAT or not self.chance():
            # on Chat annotations belong to the last text of the whole message
            return text
        path = (
            "messages.content.citations" if self.wire is MESSAGES else "input.content.annotations"
        )
        return evolve(text, annotations=(Extension(self.wire, path, {"type": "t", "n": 2**64}),))

    # what the model did

    def reasoning(self) -> Reasoning:
        # where it came from is remembered on Chat and Messages; without a name it goes nowhere on Responses
        memory = {
            CHAT: (Extension(CHAT, "messages.reasoning_content", True),),
            MESSAGES: (Extension(MESSAGES, "messages.content.unsigned", True),),
            RESPONSES: (Extension(RESPONSES, "input.id", "rs_1"),),
        }[self.wire]
        text = self.draw(texts(1 if self.wire is RESPONSES else 0))
        return Reasoning(text, self.wire is RESPONSES and self.chance(), memory)

    def opaque(self) -> Opaque:
        text = self.draw(texts(1))
        odd = {"z": 1, "a": [2**64, 1.5, None]}
        if self.wire is CHAT:
            entry = {"type": "reasoning.text", "text": text, "signature": "s", **odd}
            return Opaque(self.home, {"reasoning_details": [entry]}, text)
        if self.wire is RESPONSES:
            summary = [{"type": "summary_text", "text": text}]
            payload = {"type": "reasoning", "summary": summary, "encrypted_content": "e", **odd}
            return Opaque(self.home, payload, text)
        if self.chance():
            return Opaque(self.home, {"type": "redacted_thinking", "data": "d"})
        return Opaque(self.home, {"type": "thinking", "thinking": text, "signature": "s"}, text)

    def call(self) -> ToolCall | CustomToolCall:
        self.calls += 1
        call_id, name = f"call_{self.calls}", self.draw(names())
        mark = self.mark(self.knobs.marked_calls)
        if self.knobs.custom and self.chance():
            return CustomToolCall(call_id, name, self.draw(texts()), mark)
        return ToolCall(call_id, name, self.draw(arguments()), mark)

    def run(self) -> list[Item]:
        """One turn of the model, in an order that its wire can keep."""
        calls: list[Item] = [self.call() for _ in range(self.draw(st.integers(0, 2)))]
        thought: list[Item] = []
        if self.chance():
            thought.append(self.reasoning())
        if self.chance():
            thought.append(self.opaque())
        said: list[Item] = [self.said()] if not calls or self.chance() else []
        if self.wire is CHAT:
            return thought + said + calls
        ran = list(self.knobs.items) if self.chance() else []
        found = self.draw(st.permutations(thought + said + calls))
        return [*ran, *found]

    def result(self, call: ToolCall | CustomToolCall) -> ToolResult:
        kinds = self.draw(st.lists(st.sampled_from(["text", "text", "image"]), max_size=2))
        parts: list[Any] = [
            self.text()
            if kind == "text"
            else evolve(self.draw(self.knobs.images), cache=self.mark())
            for kind in kinds
        ]
        custom = isinstance(call, CustomToolCall)
        failed = self.some(*self.knobs.failed)
        mark = self.mark(self.knobs.marked_calls)
        return ToolResult(call.call_id, tuple(parts), failed, custom, mark)

    def conversation(self) -> tuple[Item, ...]:
        items: list[Item] = [self.user()]
        for _ in range(self.draw(st.integers(0, 2))):
            if self.chance():
                items.append(self.instruction(0, 2))
            run = self.run()
            items += run
            calls = [item for item in run if isinstance(item, ToolCall | CustomToolCall)]
            items += [self.result(call) for call in self.draw(st.permutations(calls))]
            # an empty message after results adds nothing to theirs on Messages
            if not calls or self.chance():
                items.append(self.user(1))
        return tuple(items)

    # settings

    def tools(self) -> tuple[Tool, ...]:
        published = self.draw(st.lists(names(), max_size=2, unique=True))
        tools: list[Tool] = [self.tool(name) for name in published]
        if self.knobs.hosted and self.chance():
            tools.append(self.some(*self.knobs.hosted))
        return tuple(tools)

    def tool(self, name: str) -> Tool:
        description = self.draw(maybe(texts()))
        mark = self.mark(self.knobs.marked_calls)
        if self.knobs.custom and self.chance():
            form = self.draw(maybe(st.builds(Grammar, st.just("lark"), texts())))
            return CustomTool(name, description, form, mark)
        # a function without a schema is written with an empty one on Messages
        schema = self.draw(SCHEMAS if self.wire is MESSAGES else maybe(SCHEMAS))
        return FunctionTool(name, description, schema, self.some(*self.knobs.strict), mark)

    def choice(self, tools: tuple[Tool, ...]) -> ToolChoice:
        mine = [tool.name for tool in tools if not isinstance(tool, HostedTool)]
        options: list[ToolChoice] = [AUTO]
        if mine:
            options += [NONE, REQUIRED, Named(self.some(*mine))]
            if self.knobs.choices:
                options.append(Allowed(self.some("auto", "required"), tuple(mine)))
        return self.draw(st.sampled_from(options))

    def given(self, strategies: Mapping[str, st.SearchStrategy[Any]]) -> dict[str, Any]:
        """Some of several settings; an unset one stays absent."""
        return {name: self.draw(each) for name, each in strategies.items() if self.chance()}

    def turn(self) -> TurnRequest:
        tools = self.tools()
        choice = self.choice(tools)
        settings = self.given(self.knobs.settings)
        # on Messages it is said by the choice among tools
        if self.wire is MESSAGES and tools and choice is not NONE and self.chance():
            settings["parallel_tool_calls"] = self.some(True, False)
        least = 1 if self.wire is MESSAGES else 0
        leading = self.draw(st.integers(0, 2))
        return TurnRequest(
            MODEL,
            self.conversation(),
            tuple(self.instruction(least, self.knobs.instruction_parts) for _ in range(leading)),
            tools,
            choice,
            sampling=Sampling(**self.given(self.knobs.sampling)),
            thinking=self.draw(self.knobs.thinking) if self.chance() else Thinking(),
            output_format=self.draw(self.knobs.formats) if self.chance() else None,
            cache_marks="given",
            extensions=(self.some(*self.knobs.carried),) if self.chance() else (),
            **settings,
        )


@st.composite
def turns(draw: Callable[..., Any], wire: Protocol, home: Provenance) -> TurnRequest:
    """Turns with given marks that `wire` carries without a loss; `home` owns their sealed state."""
    return _Drawn(draw, wire, home).turn()
