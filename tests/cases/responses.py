"""Turns beside the Responses bodies that say them, read and written by the same table."""

from typing import Any

from llm_projections.model.items import (
    AssistantMessage,
    Audio,
    CacheMark,
    DataSource,
    Document,
    FileSource,
    Image,
    Instruction,
    Reasoning,
    RefusalText,
    Text,
    ToolCall,
    ToolResult,
    UnattributedOpaque,
    UrlSource,
    UserMessage,
    WireItem,
    WirePart,
)
from tests.cases.responses_rows import ROWS
from tests.cases.responses_settings import CHOICES, SETTINGS, TOOLS
from tests.cases.responses_words import (
    CUSTOM,
    CUSTOM_BODY,
    USER,
    WEATHER,
    Body,
    Case,
    R,
    answered,
    carried,
    items,
    part,
    said,
    turn,
)

PARTS = [
    part(
        "an image by URL",
        Image(UrlSource("https://e.x/a.png"), "low"),
        {"type": "input_image", "image_url": "https://e.x/a.png", "detail": "low"},
    ),
    part(
        "an image inline",
        Image(DataSource("iVBORw0KGgo=", "image/png")),
        {
            "type": "input_image",
            "image_url": "data:image/png;base64,iVBORw0KGgo=",
            "detail": "auto",
        },
    ),
    part(
        "an image that the provider holds",
        Image(FileSource(R, "file_1"), "high"),
        {"type": "input_image", "file_id": "file_1", "detail": "high"},
    ),
    part(
        "a file inline",
        Document(DataSource("JVBERi0=", "application/pdf"), "a.pdf"),
        {
            "type": "input_file",
            "filename": "a.pdf",
            "file_data": "data:application/pdf;base64,JVBERi0=",
        },
    ),
    part(
        "a file as bare base64",
        Document(DataSource("JVBERi0="), "a.pdf"),
        {"type": "input_file", "filename": "a.pdf", "file_data": "JVBERi0="},
    ),
    part(
        "a file by URL, with a detail",
        Document(
            UrlSource("https://e.x/a.pdf"), extensions=(carried("input.content.detail", "low"),)
        ),
        {"type": "input_file", "file_url": "https://e.x/a.pdf", "detail": "low"},
    ),
    part(
        "a file that the provider holds",
        Document(FileSource(R, "file_1")),
        {"type": "input_file", "file_id": "file_1"},
    ),
    part(
        "audio",
        Audio("UklGRg==", "wav"),
        {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}},
    ),
    part(
        "a marked text",
        Text("so far", cache=CacheMark("12h")),
        {
            "type": "input_text",
            "text": "so far",
            "prompt_cache_breakpoint": {"mode": "explicit", "ttl": "12h"},
        },
    ),
    part("an empty text", Text(""), {"type": "input_text", "text": ""}),
]

SEALED: Body = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": [{"type": "summary_text", "text": "Thinking."}],
    "content": None,
    "encrypted_content": "Z0E=",
}
SEARCH: Body = {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": None}


def spoken(*parts: Body, **more: Any) -> Body:
    """An assistant's message."""
    return {"type": "message", "role": "assistant", "content": list(parts), **more}


ITEMS = [
    items(
        "an answer with an id and a phase",
        (
            AssistantMessage(
                (Text("Yes."),),
                (carried("input.id", "msg_1"), carried("input.phase", "commentary")),
            ),
            spoken({"type": "output_text", "text": "Yes."}, id="msg_1", phase="commentary"),
        ),
    ),
    items(
        "an answer with a citation and probabilities",
        (
            AssistantMessage(
                (
                    Text(
                        "Yes.",
                        (carried("input.content.annotations", {"type": "file_path", "index": 1}),),
                        extensions=(carried("input.content.logprobs", [{"token": "Yes."}]),),
                    ),
                )
            ),
            spoken(
                {
                    "type": "output_text",
                    "text": "Yes.",
                    "annotations": [{"type": "file_path", "index": 1}],
                    "logprobs": [{"token": "Yes."}],
                }
            ),
        ),
    ),
    items(
        "an answer that refuses",
        (AssistantMessage((RefusalText("No."),)), spoken({"type": "refusal", "refusal": "No."})),
    ),
    items(
        "an answer that was cut",
        (
            AssistantMessage((Text("Y"),), (carried("input.status", "incomplete"),)),
            spoken({"type": "output_text", "text": "Y"}, status="incomplete"),
        ),
    ),
    items(
        "an answer with an image, carried",
        (
            AssistantMessage((WirePart(R, {"type": "input_image", "file_id": "f"}),)),
            spoken({"type": "input_image", "file_id": "f"}),
        ),
    ),
    items(
        "sealed reasoning",
        (UnattributedOpaque(R, SEALED, "Thinking."), SEALED),
    ),
    items(
        "a compaction",
        (
            UnattributedOpaque(R, {"type": "compaction", "encrypted_content": "Z0E="}),
            {"type": "compaction", "encrypted_content": "Z0E="},
        ),
    ),
    items(
        "a summary of reasoning by its name",
        (
            Reasoning("Thinking.", True, (carried("input.id", "rs_1"),)),
            {
                "type": "reasoning",
                "summary": [{"type": "summary_text", "text": "Thinking."}],
                "id": "rs_1",
            },
        ),
    ),
    items(
        "raw reasoning beside its summary",
        (
            Reasoning(
                "Raw.",
                False,
                (
                    carried("input.id", "rs_1"),
                    carried("input.summary", [{"type": "summary_text", "text": "Short."}]),
                ),
            ),
            {
                "type": "reasoning",
                "summary": [{"type": "summary_text", "text": "Short."}],
                "content": [{"type": "reasoning_text", "text": "Raw."}],
                "id": "rs_1",
            },
        ),
    ),
    items(
        "a summary in two parts, without a name",
        (
            Reasoning(
                "a\n\nb",
                True,
                (
                    carried(
                        "input.summary",
                        [
                            {"type": "summary_text", "text": "a"},
                            {"type": "summary_text", "text": "b"},
                        ],
                    ),
                ),
            ),
            {
                "type": "reasoning",
                "summary": [
                    {"type": "summary_text", "text": "a"},
                    {"type": "summary_text", "text": "b"},
                ],
            },
        ),
    ),
    items(
        "the name of reasoning that the provider holds",
        (
            Reasoning("", True, (carried("input.id", "rs_1"),)),
            {"type": "reasoning", "summary": [], "id": "rs_1"},
        ),
    ),
    answered("a result", ToolResult("c1", (Text("12 C"),)), "12 C"),
    answered("an empty result", ToolResult("c1", ()), ""),
    answered(
        "a failed result", ToolResult("c1", (Text("no"),), True), '{"ok":false,"output":"no"}'
    ),
    answered("a good result", ToolResult("c1", (), False), '{"ok":true,"output":""}'),
    answered(
        "a good result in two texts",
        ToolResult("c1", (Text("a"), Text("b")), False),
        '{"ok":true,"output":["a","b"]}',
    ),
    answered(
        "a result in parts, that carries more",
        ToolResult(
            "c1",
            (Text("a"), Image(UrlSource("https://e.x/a.png"))),
            extensions=(carried("input.id", "fco_1"), carried("input.status", "incomplete")),
        ),
        [
            {"type": "input_text", "text": "a"},
            {"type": "input_image", "image_url": "https://e.x/a.png", "detail": "auto"},
        ],
        id="fco_1",
        status="incomplete",
    ),
    answered(
        "a failed result with a picture",
        ToolResult("c1", (Image(UrlSource("https://e.x/a.png")),), True),
        [
            {"type": "input_text", "text": '{"ok":false}'},
            {"type": "input_image", "image_url": "https://e.x/a.png", "detail": "auto"},
        ],
    ),
    items(
        "a call in a namespace, by a program",
        (
            ToolCall(
                "c1",
                "weather",
                "{}",
                extensions=(
                    carried("input.id", "fc_1"),
                    carried("input.namespace", "n"),
                    carried("input.caller", {"type": "program", "caller_id": "p1"}),
                ),
            ),
            {
                "type": "function_call",
                "call_id": "c1",
                "name": "weather",
                "arguments": "{}",
                "id": "fc_1",
                "namespace": "n",
                "caller": {"type": "program", "caller_id": "p1"},
            },
        ),
        (
            ToolResult("c1", (Text("12 C"),)),
            {"type": "function_call_output", "call_id": "c1", "output": "12 C"},
        ),
    ),
    items(
        "a custom call",
        (CUSTOM, CUSTOM_BODY),
        (
            ToolResult("c1", (Text("a"), Text("b")), custom=True),
            {
                "type": "custom_tool_call_output",
                "call_id": "c1",
                "output": [
                    {"type": "input_text", "text": "a"},
                    {"type": "input_text", "text": "b"},
                ],
            },
        ),
    ),
    items("what a hosted tool did", (WireItem(R, SEARCH), SEARCH)),
    items(
        "a call that the client answers, and its answer",
        (
            WireItem(R, {"type": "local_shell_call", "call_id": "s1", "id": "ls_1"}, "s1", "call"),
            {"type": "local_shell_call", "call_id": "s1", "id": "ls_1"},
        ),
        (
            WireItem(
                R, {"type": "local_shell_call_output", "id": "s1", "output": "{}"}, "s1", "result"
            ),
            {"type": "local_shell_call_output", "id": "s1", "output": "{}"},
        ),
    ),
    items(
        "an instruction in its place",
        (
            Instruction((Text("Be brief."),), extensions=(carried("input.id", "msg_2"),)),
            {"type": "message", "role": "developer", "content": "Be brief.", "id": "msg_2"},
        ),
    ),
]


def instruction(text: str, **more: Any) -> Body:
    """A developer's message."""
    return {"type": "message", "role": "developer", "content": text, **more}


LATE: Body = {"type": "additional_tools", "role": "developer", "tools": [WEATHER]}

INSTRUCTIONS = [
    Case(
        "leading instructions",
        turn(instructions=(Instruction((Text("One."),)), Instruction((Text("Two."),)))),
        said(input=[instruction("One."), instruction("Two."), USER]),
    ),
    Case(
        "an instruction in two parts",
        turn(instructions=(Instruction((Text("a"), Text("b"))),)),
        said(
            input=[
                {
                    "type": "message",
                    "role": "developer",
                    "content": [
                        {"type": "input_text", "text": "a"},
                        {"type": "input_text", "text": "b"},
                    ],
                },
                USER,
            ]
        ),
    ),
    Case(
        "both roles",
        turn(
            UserMessage((Text("Hi"),)),
            Instruction((Text("Two."),), "developer"),
            instructions=(Instruction((Text("One."),), "system"),),
        ),
        said(
            input=[
                {"type": "message", "role": "system", "content": "One."},
                USER,
                instruction("Two."),
            ]
        ),
    ),
    Case(
        "late tools before, among and after the instructions",
        turn(
            WireItem(R, LATE, extensions=(carried("input.place", 0),)),
            WireItem(R, LATE, extensions=(carried("input.place", 1),)),
            WireItem(R, LATE),
            UserMessage((Text("Hi"),)),
            instructions=(Instruction((Text("One."),)), Instruction((Text("Two."),))),
        ),
        said(input=[LATE, instruction("One."), LATE, instruction("Two."), LATE, USER]),
    ),
]

CASES: list[Case] = [*SETTINGS, *TOOLS, *CHOICES, *PARTS, *ITEMS, *INSTRUCTIONS, *ROWS]
