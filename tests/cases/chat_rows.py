"""Places of Chat bodies that the other tables pass by: rows of spec/chat.toml, one family a case."""

from __future__ import annotations

from llm_projections.model.items import (
    AssistantMessage,
    Audio,
    CacheMark,
    DataSource,
    Document,
    Image,
    Instruction,
    Text,
    ToolResult,
    UserMessage,
)
from tests.cases.chat_words import (
    ANSWERED,
    ASK,
    ASKED,
    CALL,
    CALLING,
    MARK,
    PNG,
    Case,
    own,
    setting,
    talk,
)

__all__ = ["ROWS"]

_CACHE = CacheMark("30m")
_MARKED = {"type": "text", "text": "a", "prompt_cache_breakpoint": MARK}
_FILE = {"type": "file", "file": {"file_data": "JVBERi0="}, "prompt_cache_breakpoint": MARK}
_SOUND = {
    "type": "input_audio",
    "input_audio": {"data": "UklGRg==", "format": "wav"},
    "prompt_cache_breakpoint": MARK,
}

ROWS: list[Case] = [
    setting(
        "more about the stream",
        {"stream": True, "stream_options": {"include_obfuscation": False}},
        extensions=(own("stream_options.include_obfuscation", False),),
    ),
    talk(
        "marks of instructions, who have names",
        (ASK,),
        [{"role": "system", "content": [_MARKED], "name": "ops"}, ASKED],
        instructions=(
            Instruction((Text("a", cache=_CACHE),), None, (own("messages.name", "ops"),)),
        ),
    ),
    talk(
        "marks of what a user shows",
        (
            UserMessage(
                (
                    Image(DataSource("iVBORw0KGgo=", "image/png"), cache=_CACHE),
                    Document(DataSource("JVBERi0="), cache=_CACHE),
                    Audio("UklGRg==", "wav", _CACHE),
                )
            ),
        ),
        [
            {
                "role": "user",
                "content": [{**PNG, "prompt_cache_breakpoint": MARK}, _FILE, _SOUND],
            }
        ],
    ),
    talk(
        "marks of a result and an answer, who has a name",
        (
            ASK,
            CALL,
            ToolResult("c1", (Text("a", cache=_CACHE),)),
            AssistantMessage((Text("a", cache=_CACHE),), (own("messages.name", "bot"),)),
            ASK,
        ),
        [
            ASKED,
            CALLING,
            {**ANSWERED, "content": [_MARKED]},
            {"role": "assistant", "content": [_MARKED], "name": "bot"},
            ASKED,
        ],
    ),
]
