"""How one input of the fuzzer is read: some bytes of choices, then what an entry is given.

The fuzzer makes every choice of a run, the cuts of a stream included, so that an input alone repeats it.
"""

from __future__ import annotations

from llm_projections import (
    ALL,
    DIALECTS,
    Anonymous,
    Binding,
    Capabilities,
    Dialect,
    Identity,
    Limits,
    Protocol,
)
from llm_projections.model.losses import AGENT_CLIENTS, NAMES

__all__ = ["HEAD", "IDENTITY", "PROTOCOLS", "SPLIT", "Input", "binding_of"]

HEAD = 10
"""So many bytes of choices come first: four of flags, six of cuts."""
SPLIT = b"\n\x00\n"
"""Stands between the two byte strings of an entry that takes two."""

PROTOCOLS = list(Protocol)
IDENTITY = Identity("resp_1", 1_790_000_000, "client-model")

_EVERYTHING = {
    Protocol.CHAT: Dialect(
        request_fields=ALL,
        reasoning_field="reasoning_content",
        reasoning_details=True,
        extra_content=True,
        tool_result_parts=True,
        prefill=True,
    ),
    Protocol.MESSAGES: Dialect(request_fields=ALL),
    Protocol.RESPONSES: Dialect(request_fields=ALL),
}
# near enough that short inputs pass them
_TIGHT = Limits(
    frame_bytes=600,
    stream_bytes=4000,
    request_bytes=4000,
    items=4,
    tools=3,
    arguments_bytes=60,
    result_bytes=40,
    instructions_bytes=40,
    json_depth=8,
    raw_bytes=300,
)
_ACCEPTED = (frozenset[str](), AGENT_CLIENTS, frozenset(NAMES))


def binding_of(protocol: Protocol, dialect: Dialect | None = None) -> Binding:
    """A binding of a server that takes whatever its wire can say."""
    return Binding(
        protocol,
        "provider",
        "account",
        "endpoint",
        "caller-model",
        "upstream-model",
        "https://upstream.example/v1/",
        Anonymous(),
        Capabilities.all(200_000, 64_000),
        _EVERYTHING[protocol] if dialect is None else dialect,
    )


def _bindings(protocol: Protocol) -> list[Binding]:
    """The habits of servers change what a wire says: all of them are tried."""
    dialects = [None, Dialect(), *DIALECTS.values()]
    return [binding_of(protocol, dialect) for dialect in dialects]


_BINDINGS = {protocol: _bindings(protocol) for protocol in PROTOCOLS}


class Input:
    """One input, taken apart."""

    def __init__(self, data: bytes) -> None:
        head = data[:HEAD].ljust(HEAD, b"\x00")
        self.data = data[HEAD:]
        self._flags = int.from_bytes(head[:4], "little")
        self._cuts = head[4:]

    def pick(self, count: int) -> int:
        """The next choice, of so many."""
        self._flags, chosen = divmod(self._flags, count)
        return chosen

    def chance(self) -> bool:
        """The next choice, of two."""
        return bool(self.pick(2))

    def protocol(self) -> Protocol:
        """A wire."""
        return PROTOCOLS[self.pick(3)]

    def binding(self, protocol: Protocol) -> Binding:
        """A server of this wire: one that takes everything twice as often as any other."""
        every = _BINDINGS[protocol]
        return every[max(0, self.pick(len(every) + 1) - 1)]

    def limits(self) -> Limits:
        """The usual limits, or in one run of four tight ones."""
        return _TIGHT if self.pick(4) == 3 else Limits()

    def accept(self) -> frozenset[str]:
        """Accepted losses: none, those of agents, or all."""
        return _ACCEPTED[self.pick(3)]

    def parts(self) -> tuple[bytes, bytes]:
        """The two byte strings of an entry that takes two."""
        first, _, second = self.data.partition(SPLIT)
        return first, second

    def chunks(self, data: bytes) -> list[bytes]:
        """`data` cut into pieces of the chosen sizes, over and over: from none to 255 bytes, then larger ones."""
        sizes = list(self._cuts)
        if not any(sizes):
            return [data[at : at + 1] for at in range(len(data))]
        found: list[bytes] = []
        start = turn = 0
        while start < len(data):
            size = sizes[turn % len(sizes)] << min(turn // 60, 8)
            found.append(data[start : start + size])
            start += size
            turn += 1
        return found
