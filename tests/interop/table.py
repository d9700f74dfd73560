"""What comes out of each scenario for each pair of wires: what the tests expect and docs/interop.md shows.

A cell is the names of what was left out on the way, each accepted in advance; an empty cell is a
pass without any. `REFUSED` opens the name of what was refused before anything was sent.
"""

from __future__ import annotations

CLIENTS = ("chat", "messages", "responses")
SERVERS = CLIENTS
REFUSED = "refused"
Pair = tuple[str, str]
Cell = tuple[str, ...]
PAIRS: tuple[Pair, ...] = tuple((client, server) for client in CLIENTS for server in SERVERS)

SAYS: dict[str, str] = {
    "text": "The stream helper gives the words, the stop and the counters.",
    "text, asynchronous": "So does the asynchronous client.",
    "text, whole": "A call without streaming gets one body, whatever the server streams.",
    "text, cut off by the limit": "The client knows that the limit ended the answer.",
    "reasoning": "The client has the reasoning beside the words.",
    "refusal": "The client has the words of refusal and knows that they are one.",
    "tool loop": "Two parallel calls, one more call, and the end; every answer is replayed as the object"
    " that the client gave, and the server gets all results under their ids.",
    "tool loop with reasoning": "The same with reasoning before a call.",
    "tool loop, reasoning sealed": "The same in a gateway that seals: the server gets its own sealed"
    " state back, through a client of any wire that has a place for it.",
    "tool runner": "The client's own runner calls the tools.",
    "tools, server without": "A server that takes no tools: the client is told which field is refused.",
    "structured, streamed": "The stream helper gives an object of the class that was asked for, and"
    " the server was asked for its schema.",
    "structured, whole": "So does the call without streaming.",
    "structured, replayed": "That answer, replayed as the object that the client gave, and one more turn.",
    "error in mid-stream": "The client raises its own error after the words that came, with the"
    " server's message.",
    "error under HTTP 200": "An error before any output is a status, which the client retries by itself.",
    "stream ends early": "The client raises its own error after the words that came.",
    "stream ends before any output": "The client raises its own error for status 502.",
    "connection breaks": "The client raises its own error after the words that came.",
    "connection breaks before any output": "The client raises its own error for status 502.",
    "rate limit": "The client raises its own rate limit error, with the wait.",
    "rate limit, waited out": "The client waits as long as the server asked, and gets its answer.",
    "context overflow": "The client raises its own error with the code and the words that programs act on.",
    "JSON body, undeclared": "A server that answers a stream with one body: status 502, which the client"
    " is told not to retry.",
    "JSON body, declared": "The same where the binding's dialect says that it may: the answer.",
}

_ZERO = "answer.usage.unknown_as_zero"
_OPAQUE = "answer.opaque"
_NAME = "turn.output_format.name"
_REASONING = "turn.reasoning"
_BETA = "messages.header.anthropic-beta"

# Some counter that the client's type demands is not in what these servers count.
_COUNTED: dict[Pair, Cell] = {
    ("messages", "chat"): (_ZERO,),
    ("responses", "chat"): (_ZERO,),
    ("responses", "messages"): (_ZERO,),
}
# Sealed reasoning of another wire: readable for the client, its seal of no use to it.
_SEALED: dict[Pair, Cell] = {
    ("chat", "messages"): (_OPAQUE,),
    ("chat", "responses"): (_OPAQUE,),
    ("messages", "chat"): (_ZERO,),
    ("messages", "responses"): (_OPAQUE,),
    ("responses", "chat"): (_ZERO,),
    ("responses", "messages"): (_OPAQUE, _ZERO),
}
# A format has no name on Messages.
_NAMED: dict[Pair, Cell] = {
    ("chat", "messages"): (_NAME,),
    ("messages", "chat"): (_ZERO,),
    ("responses", "chat"): (_ZERO,),
    ("responses", "messages"): (_ZERO, _NAME),
}
# Where the vendor's Chat wire is spoken, earlier reasoning has no place.
_DROPPED: dict[Pair, Cell] = {
    ("messages", "chat"): (_ZERO, _REASONING),
    ("responses", "chat"): (_ZERO, _REASONING),
}
# Where the vendor's Messages wire is spoken, thinking without its signature has none.
_UNSIGNED: dict[Pair, Cell] = {
    ("chat", "messages"): (_OPAQUE, _REASONING),
    ("responses", "messages"): (_OPAQUE, _ZERO, _REASONING),
}

_CELLS: dict[str, dict[Pair, Cell]] = {
    "text": _COUNTED,
    "text, asynchronous": _COUNTED,
    "text, whole": _COUNTED,
    "text, cut off by the limit": _COUNTED,
    "reasoning": _SEALED,
    "refusal": _COUNTED,
    "tool loop": _COUNTED,
    "tool loop with reasoning": _SEALED | _DROPPED | _UNSIGNED,
    "tool loop, reasoning sealed": _DROPPED | {("responses", "messages"): (_ZERO,)},
    "tool runner": {
        ("messages", "chat"): (REFUSED, "thread"),
        ("messages", "responses"): (REFUSED, "thread"),
    },
    "tools, server without": dict.fromkeys(PAIRS, (REFUSED, "tools")),
    "structured, streamed": _NAMED,
    "structured, whole": _NAMED,
    "structured, replayed": _NAMED,
    "error under HTTP 200": _COUNTED,
    "rate limit, waited out": _COUNTED,
    "JSON body, declared": _COUNTED,
}
# Chat has no place for a seal, and only one client has a runner of its own.
_ONLY: dict[str, Cell] = {
    "tool loop, reasoning sealed": ("messages", "responses"),
    "tool runner": ("messages",),
}
# Where the generation before the newest differs.
_PREVIOUS: dict[str, dict[Pair, Cell]] = {
    # its runner replays the conversation instead of continuing one that the server keeps
    "tool runner": {("messages", "chat"): (_ZERO, _BETA), ("messages", "responses"): (_BETA,)},
}


def cell(scenario: str, pair: Pair, *, newest: bool = True) -> Cell:
    """What is expected of one scenario for one pair, as (client, server)."""
    cells = _CELLS.get(scenario, {})
    if not newest:
        cells = _PREVIOUS.get(scenario, cells)
    return cells.get(pair, ())


def run_by(scenario: str) -> Cell:
    """The wires whose clients do it."""
    return _ONLY.get(scenario, CLIENTS)


def differs(scenario: str) -> bool:
    """Whether the two generations of the clients fare differently."""
    return scenario in _PREVIOUS
