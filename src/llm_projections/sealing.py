"""Opaque state of one wire, carried through a client of another wire inside that wire's own seal.

The caller supplies `seal` and `unseal` (authenticated encryption of bytes to text and back). What is
sealed holds the provenance, so that state goes back only where it came from.

Rules:
1. A seal is told from a vendor's by its prefix; without `unseal` it is unattributed state like any.
2. One that does not open, or opens to something else, is refused, never guessed.
3. Sizes are bounded on both ways: state that is too large is not sealed, and so is what foreign
   state is without a seal; what is too large to be a seal does not open.
4. A seal may differ each time, so that each item is sealed once, however often it is said.
"""

from __future__ import annotations

from collections.abc import Callable

from attrs import asdict, evolve

from llm_projections import _json
from llm_projections._json import Json
from llm_projections.errors import RefusalCode, RequestRefused
from llm_projections.model.binding import Identity
from llm_projections.model.events import Event, ItemCompleted, TurnCompleted
from llm_projections.model.items import Item, Opaque, Protocol, Provenance, UnattributedOpaque
from llm_projections.model.turn import TurnRequest

__all__ = [
    "MAX_SEALED_BYTES",
    "Seal",
    "Sealing",
    "Unseal",
    "seal_item",
    "unseal_item",
    "unseal_turn",
]

Seal = Callable[[bytes], str]
"""Bytes to a text that only the same caller opens."""
Unseal = Callable[[str], "bytes | None"]
"""Such a text to its bytes; None, and no exception, for any other text: it comes from the client."""

MAX_SEALED_BYTES = 1 << 20
"""The largest state that is sealed; a seal of twice its length is not opened."""

_PREFIX = "llmp1."


class Sealing:
    """The seals of one answer."""

    def __init__(self, seal: Seal, client: Protocol, identity: Identity) -> None:
        self._seal = seal
        self._client = client
        self._identity = identity
        # by the identity of the item, which is held so that no other takes it
        self._sealed: dict[int, tuple[Opaque, Item]] = {}

    def take(self, event: Event) -> Event:
        """`event` with its sealed state as sealed state of the client's wire."""
        if isinstance(event, ItemCompleted):
            if isinstance(event.item, Opaque):
                return ItemCompleted(self._once(event.item, event.index), event.index)
        elif isinstance(event, TurnCompleted):
            items = tuple(
                self._again(item, index) if isinstance(item, Opaque) else item
                for index, item in enumerate(event.outcome.items)
            )
            return TurnCompleted(evolve(event.outcome, items=items))
        return event

    def _again(self, item: Opaque, index: int) -> Item:
        found = self._sealed.get(id(item))
        if found is None:
            # an item that was read again is equal to the one that was said, and not it
            same = [pair for pair in self._sealed.values() if pair[0] == item]
            return same[0][1] if same else self._once(item, index)
        return found[1]

    def _once(self, item: Opaque, index: int) -> Item:
        name = self._identity.name_item("rs", index)
        sealed = seal_item(item, self._client, self._seal, name)
        self._sealed[id(item)] = (item, sealed)
        return sealed


def seal_item(item: Opaque, client: Protocol, seal: Seal, name: str) -> Item:
    """`item` as sealed state of the client's wire; `name` is the id of the output item there.

    Returns it unchanged where the client's wire is its own or has no seal (Chat), and past `MAX_SEALED_BYTES`.
    """
    if item.protocol is client or client is Protocol.CHAT:
        return item
    inner = {"provenance": asdict(item.provenance), "payload": item.payload, "text": item.text}
    plain = _json.dumps(inner)
    if len(plain) > MAX_SEALED_BYTES:
        return item
    closed = _PREFIX + seal(plain)
    text = item.text or ""
    payload: dict[str, Json]
    if client is Protocol.MESSAGES:
        payload = {"type": "thinking", "thinking": text, "signature": closed}
    else:
        payload = {"type": "reasoning", "id": name, "summary": []}
        if text:
            # the place where the deltas of another wire's thinking are shown
            payload["content"] = [{"type": "reasoning_text", "text": text}]
        payload["encrypted_content"] = closed
    return Opaque(evolve(item.provenance, protocol=client), payload, item.text)


def unseal_turn(turn: TurnRequest, unseal: Unseal) -> TurnRequest:
    """`turn` with the state that `seal_item` made as what it was.

    Raises `RequestRefused` (INVALID_REQUEST), with every seal of ours that does not open.
    """
    items: list[Item] = []
    refused: list[RequestRefused] = []
    for position, item in enumerate(turn.items):
        try:
            items.append(unseal_item(item, unseal, f"items[{position}]"))
        except RequestRefused as error:
            refused.append(error)
    if refused:
        first = refused[0]
        raise RequestRefused(first.code, first.message, first.path, others=refused[1:])
    return evolve(turn, items=tuple(items))


def unseal_item(item: Item, unseal: Unseal, path: str) -> Item:
    """State that `seal_item` made, as what it was; everything else unchanged.

    Raises `RequestRefused` (INVALID_REQUEST) for a seal of ours that does not open.
    """
    if not isinstance(item, UnattributedOpaque):
        return item
    closed = item.payload.get(
        "signature" if item.protocol is Protocol.MESSAGES else "encrypted_content"
    )
    if not isinstance(closed, str) or not closed.startswith(_PREFIX):
        return item
    plain = None if len(closed) > 2 * MAX_SEALED_BYTES else unseal(closed[len(_PREFIX) :])
    opened = None if plain is None else _open(plain)
    if opened is None:
        raise RequestRefused(RefusalCode.INVALID_REQUEST, "a seal does not open", path)
    return opened


def _open(plain: bytes) -> Opaque | None:
    try:
        inner = _json.read(plain).value
    except _json.JsonError:
        return None
    if not isinstance(inner, dict) or inner.keys() != {"provenance", "payload", "text"}:
        return None
    said, payload, text = inner["provenance"], inner["payload"], inner["text"]
    if (
        not isinstance(said, dict)
        or not isinstance(payload, dict)
        or not isinstance(text, str | None)
    ):
        return None
    known = {name: value for name, value in said.items() if isinstance(value, str)}
    if known.keys() != set(Provenance.__annotations__):
        return None
    try:
        protocol = Protocol(known.pop("protocol"))
    except ValueError:
        return None
    return Opaque(Provenance(protocol=protocol, **known), payload, text)
