"""Other spellings: read as the turn, and never written so."""

from __future__ import annotations

from llm_projections.model.items import (
    DataSource,
    Image,
    Instruction,
    RefusalText,
    Text,
    ToolCall,
    UserMessage,
)
from llm_projections.model.tools import (
    REQUIRED,
    JsonSchema,
)
from tests.cases.chat_words import (
    ANSWERED,
    ASK,
    ASKED,
    CALL,
    CALLED,
    CALLING,
    PATCH,
    PATCHED,
    PNG,
    PUBLISHED,
    RESULT,
    TOOL,
    said,
    saying,
    setting,
    talk,
    user,
)

MEANS = [
    setting("older limit", {"max_tokens": 9}, max_output_tokens=9),
    setting("both limits", {"max_tokens": 9, "max_completion_tokens": 9}, max_output_tokens=9),
    setting("older end user", {"user": "u"}, end_user_id="u"),
    setting("one stop word", {"stop": "END"}, stop=("END",)),
    setting(
        "defaults",
        {
            "n": 1,
            "tool_choice": "auto",
            "store": False,
            "logprobs": False,
            "modalities": ["text"],
            "tools": [],
            "stop": [],
            "response_format": {"type": "text"},
        },
    ),
    setting("nulls", {"temperature": None, "tools": None, "n": None, "min_p": None, "store": None}),
    setting(
        "any tool",
        {"tools": [PUBLISHED], "tool_choice": "any"},
        tools=(TOOL,),
        tool_choice=REQUIRED,
    ),
    setting("tool without type", {"tools": [{"function": PUBLISHED["function"]}]}, tools=(TOOL,)),
    setting(
        "free text tool",
        {
            "tools": [
                {"type": "custom", "custom": {**PATCHED["custom"], "format": {"type": "text"}}}
            ]
        },
        tools=(PATCH,),
    ),
    setting(
        "no schema",
        {"response_format": {"type": "json_schema", "json_schema": {"name": "out"}}},
        output_format=JsonSchema("out", {}),
    ),
    user(
        "image as a bare URL",
        Image(DataSource("iVBORw0KGgo=", "image/png")),
        {"type": "image_url", "image_url": PNG["image_url"]["url"]},
    ),
    talk(
        "one text as a part",
        (ASK,),
        [{"role": "user", "content": [{"type": "text", "text": "Hello"}]}],
    ),
    talk("no part", (UserMessage(()),), [{"role": "user", "content": []}]),
    talk(
        "developer alone",
        (ASK,),
        [{"role": "developer", "content": "be"}, ASKED],
        instructions=(Instruction((Text("be"),)),),
    ),
    talk(
        "empty words beside a call",
        (ASK, CALL, RESULT),
        [ASKED, {**CALLING, "content": ""}, ANSWERED],
    ),
    talk(
        "no part beside a call", (ASK, CALL, RESULT), [ASKED, {**CALLING, "content": []}, ANSWERED]
    ),
    talk(
        "no words beside a call",
        (ASK, CALL, RESULT),
        [ASKED, {"role": "assistant", "tool_calls": [CALLED]}, ANSWERED],
    ),
    talk(
        "an indexed call without type",
        (ASK, CALL, RESULT),
        [
            ASKED,
            {**CALLING, "tool_calls": [{"index": 0, "id": "c1", "function": CALLED["function"]}]},
            ANSWERED,
        ],
    ),
    talk(
        "the official client's reading of its own answer",
        (ASK, CALL, RESULT),
        [
            ASKED,
            {
                **CALLING,
                "parsed": None,
                "tool_calls": [
                    {
                        **CALLED,
                        "function": {**CALLED["function"], "parsed_arguments": {"word": "a"}},
                    }
                ],
            },
            ANSWERED,
        ],
    ),
    talk(
        "no arguments",
        (ASK, ToolCall("c1", "look", "{}"), RESULT),
        [
            ASKED,
            {**CALLING, "tool_calls": [{**CALLED, "function": {"name": "look", "arguments": ""}}]},
            ANSWERED,
        ],
    ),
    talk(
        "nothing to say of itself",
        said(Text("hi")),
        saying(
            content="hi",
            refusal=None,
            annotations=[],
            reasoning_details=[],
            reasoning=None,
            prefix=False,
            name=None,
            tool_calls=None,
        ),
    ),
    talk(
        "a refusal part",
        said(RefusalText("no")),
        saying(content=[{"type": "refusal", "refusal": "no"}]),
    ),
]
