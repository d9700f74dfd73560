"""Seeded raw material: text as models write it, tool arguments, ids and sealed state."""

import base64
from itertools import pairwise
from random import Random
from typing import Any

import orjson

TOOLS = ("read_file", "run_command", "edit_file", "search", "fetch_page")

_COMMON = tuple(
    word
    for line in (
        "the a of to in and is it that for on with as this be are from by an at not you we can",
        "will if when which one there has was so but its then now here only also each into after",
        "file line test value name path error result change check build run server client request",
        "answer stream buffer parser token index field object array string number module function",
    )
    for word in line.split()
)
# Text is not all ASCII, and two-, three- and four-byte characters cost differently.
_RARE = ("é", "ü", "—", "→", "“so”", "数据", "문자", "🙂")
_ENDS = (".\n\n", ",", ".\n", ":\n- ", ' "x"', " `y`", "\\n")


def pieces(random: Random, count: int) -> list[str]:
    """Text in pieces of one to four words, as deltas bring it."""
    made: list[str] = []
    for _ in range(count):
        words = random.choices((1, 2, 3, 4), (6, 2, 1, 1))[0]
        piece = "".join(f" {_word(random)}" for _ in range(words))
        made.append(piece + random.choice(_ENDS) if random.random() < 0.06 else piece)
    return made


def _word(random: Random) -> str:
    return random.choice(_RARE) if random.random() < 0.02 else random.choice(_COMMON)


def prose(random: Random, count: int) -> str:
    """The same text in one."""
    return "".join(pieces(random, count)).strip()


def arguments(random: Random, fragments: int) -> list[str]:
    """One tool call's JSON text in exactly so many fragments of about eleven characters."""
    fields: dict[str, Any] = {}
    size = 0
    while size < fragments * 11:
        text = prose(random, 8)
        nested = {"path": f"src/part_{len(fields)}.py", "line": size, "text": text, "exact": True}
        fields[f"field_{len(fields)}"] = text if len(fields) % 4 else nested
        size += len(text) + 24
    text = orjson.dumps(fields).decode()
    edges = [0, *sorted(random.sample(range(1, len(text)), fragments - 1)), len(text)]
    return [text[start:end] for start, end in pairwise(edges)]


def sealed(random: Random, size: int) -> str:
    """Base64 of so many bytes: a signature or a ciphertext."""
    return base64.b64encode(random.randbytes(size)).decode()


def tag(random: Random, prefix: str, size: int = 24) -> str:
    """An id of plain letters and digits."""
    return prefix + "".join(random.choices("0123456789abcdefghijkmnpqrstuvwxyz", k=size))
