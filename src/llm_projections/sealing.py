"""Opaque state of one wire, carried through a client of another wire inside that wire's own seal.

The caller supplies `seal` and `unseal` (authenticated encryption of bytes to text and back). What is
sealed holds the provenance, so that state goes back only where it came from.

Rules:
1. A seal is told from a vendor's by its prefix; without `unseal` it is unattributed state like any.
2. One that does not open, or opens to something else, is refused, never guessed.
3. Sizes are bounded on both ways.
"""

from __future__ import annotations

from collections.abc import Callable

from attrs import asdict, evolve

from llm_projections import _json
from llm_projections._json import Json
from llm_projections.errors import Dispatch, RefusalCode, RequestRefused, ResponseRefused
from llm_projections.model.items import Item, Opaque, Protocol, Provenance, UnattributedOpaque

__all__ = ["MAX_SEALED_BYTES", "Seal", "Unseal", "seal_item", "unseal_item"]

Seal = Callable[[bytes], str]
Unseal = Callable[[str], "bytes | None"]

MAX_SEALED_BYTES = 1 << 20
"""The largest state that is sealed, and the longest seal that is opened."""

_PREFIX = "llmp1."


def seal_item(item: Opaque, client: Protocol, seal: Seal, name: str) -> Item:
    """`item` as sealed state of the client's wire; `name` is the id of the output item there.

    Returns it unchanged where the client's wire is its own, or has no seal (Chat). Raises `ResponseRefused`
    (TOO_LARGE, ACCEPTED) past `MAX_SEALED_BYTES`.
    """
    if item.protocol is client or client is Protocol.CHAT:
        return item
    inner = {"provenance": asdict(item.provenance), "payload": item.payload, "text": item.text}
    plain = _json.dumps(inner)
    if len(plain) > MAX_SEALED_BYTES:
        raise ResponseRefused(
            RefusalCode.TOO_LARGE, "opaque state too large to seal", dispatch=Dispatch.ACCEPTED
        )
    closed = _PREFIX + seal(plain)
    text = item.text or ""
    payload: dict[str, Json]
    if client is Protocol.MESSAGES:
        payload = {"type": "thinking", "thinking": text, "signature": closed}
    else:
        summary: list[Json] = [{"type": "summary_text", "text": text}] if text else []
        payload = {"type": "reasoning", "id": name, "summary": summary, "encrypted_content": closed}
    return Opaque(evolve(item.provenance, protocol=client), payload, item.text)


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
