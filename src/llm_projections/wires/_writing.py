"""Writing a request body: what every wire's projection shares.

Rules:
1. What the target does not carry is refused by turn path, or left out and reported when its loss was accepted.
2. All refusals of one turn are collected before any is raised.
3. An extension goes out on its own wire only, and only where the binding declares it or its dialect lists it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Set
from typing import Any

from llm_projections import _json
from llm_projections._json import Json
from llm_projections.errors import RefusalCode, RequestRefused
from llm_projections.model.binding import ApiKey, Binding, Capabilities
from llm_projections.model.capability import lacks
from llm_projections.model.dialect import ALL, Dialect
from llm_projections.model.items import (
    SEALED_EXTENSIONS,
    CacheMark,
    Extension,
    Opaque,
    Protocol,
    Provenance,
    UnattributedOpaque,
)
from llm_projections.model.limits import Limits
from llm_projections.model.losses import Loss, accepted
from llm_projections.model.soundness import is_sound
from llm_projections.model.turn import TurnRequest
from llm_projections.model.validation import raise_all, turn_faults
from llm_projections.wires._fragments import NOTHING_BEGUN, Beginning, FragmentCache
from llm_projections.wires._reading import Path, path_text

__all__ = ["SPLICE", "Writer", "header_extensions", "header_fault", "nest"]

# orjson's stub leaves the members of this type open.
SPLICE: Any = _json.Fragment  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
"""A JSON text that goes into a body as it is."""

# Names that a wire gives its own items, and how it spelled them: they mean nothing elsewhere, and
# nothing is lost without them (docs/decisions.md).
_IDENTITIES = frozenset(
    {
        "input.id",
        "messages.apart",
        "messages.content.unsigned",
        "messages.reasoning",
        "messages.reasoning_content",
    }
)


class Writer:
    """Writes one turn for one binding and collects its refusals and accepted losses."""

    refines: frozenset[str] = frozenset()
    """What a turn carries to say more exactly what stands at that place without it."""

    def __init__(self, binding: Binding, accept: Collection[str], limits: Limits) -> None:
        self.binding = binding
        self.able: Capabilities = binding.capabilities
        self.dialect: Dialect = binding.dialect
        self.protocol: Protocol = binding.protocol
        self.accept: frozenset[str] = accepted(accept)
        self.limits = limits
        self.losses: list[Loss] = []
        self.refusals: list[RequestRefused] = []
        self.carried: bool = False
        """Whether something was written that came whole from a caller (it may hold any number)."""
        self._provenance = binding.provenance
        self._foreign: Provenance | None = None
        self.begun: Beginning = NOTHING_BEGUN
        """What stands at the beginning of the conversation as it was encoded before."""
        self.fragments: FragmentCache | None = None
        self._pieces: list[tuple[int, bytes]] = []
        self._joined_to = 0
        self.around: tuple[int, int] = (0, 0)
        """How many losses were noted before the conversation was written, and after."""

    @property
    def finite(self) -> bool:
        """Whether nothing that is written so far of the conversation can be a number that JSON does not have.

        What is written must have been found to be JSON but for that: a value in itself would be looked through forever.
        """
        return not self.carried

    def shallow(self, written: list[Any]) -> bytes | None:
        """`_json.shallow` of what was written of the conversation.

        To look for the null that stands for such a number takes as long as to make the bytes: only what a caller made
        can hold one.
        """
        data = _json.written(written, _json.splice)
        return data if data is None or self.finite else _json.shallow(written)

    # what was encoded before

    def remember(self, fragments: FragmentCache | None, turn: TurnRequest) -> None:
        """Use what `fragments` holds, before anything is read or written of `turn`."""
        if fragments is not None:
            self.begin(fragments, turn)
            self.fragments = fragments

    def begin(self, fragments: FragmentCache, turn: TurnRequest) -> Beginning:
        """Use what `fragments` holds of the beginning alone: the rest of `turn` is written as if nothing were held."""
        fragments.enter((type(self), self.binding.revision, self.accept, self.limits))
        self.begun = fragments.beginning(turn.items)
        self._joined_to = self.begun.count
        return self.begun

    @property
    def events(self) -> int:
        """A number that stays the same while nothing is noted that has a place of its own in every request."""
        return len(self.losses) + len(self.refusals)

    @property
    def repeatable(self) -> bool:
        """Whether what is written now depends on nothing that stood before it in this turn."""
        return True

    def kept(self, owners: tuple[object, ...], start: int, write: Callable[[], Any]) -> Any:
        """What `write` makes of `owners`, as bytes where these can be kept.

        `start` is where among the items they stand, -1 elsewhere. What is reported is written anew each time, and so
        is what is no JSON: the whole body tells its place.
        """
        fragments = self.fragments
        if fragments is None:
            return write()
        data = fragments.get(owners)
        if data is None:
            before = self.events
            written = write()
            if written is None or before != self.events or not self.repeatable:
                return written
            data = _json.shallow(written)
            if data is None:
                return written
            fragments.put(owners, data)
        if start == self._joined_to:
            self._joined_to += len(owners)
            self._pieces.append((self._joined_to, data))
        return SPLICE(data)

    def keep_beginning(self, turn: TurnRequest) -> None:
        """Hold more of what stands at the beginning of the conversation, now that nothing of it was refused."""
        if self.fragments is not None:
            self.fragments.extend(self.begun, turn.items, self._pieces)

    # refusing

    def refuse(
        self,
        path: Path,
        message: str,
        code: RefusalCode = RefusalCode.INVALID_REQUEST,
        loss: str | None = None,
    ) -> None:
        """Note one refusal; writing goes on, so that the caller sees all of them at once."""
        self.refusals.append(RequestRefused(code, message, path_text(path), loss=loss))

    def lose(self, loss: str, path: Path, message: str = "this wire has no place for it") -> None:
        """Leave something out: reported if its name was accepted, refused otherwise."""
        if loss in self.accept:
            self.losses.append(Loss(loss, path_text(path)))
        else:
            self.refuse(path, message, RefusalCode.UNSUPPORTED, loss)

    def finish(self) -> tuple[Loss, ...]:
        """The accepted losses; raises everything that was refused, as one `RequestRefused`."""
        raise_all(self.refusals)
        return tuple(self.losses)

    # the turn as a whole

    def fit(
        self, turn: TurnRequest, *, in_order: int = 0, calls: Set[str] = frozenset()
    ) -> TurnRequest:
        """`turn` as far as the binding declares it.

        Checks the turn against itself, its model against the binding's, and takes out every setting that the binding
        does not declare (refused or reported). `in_order` is the caller's word that so many of its items need no check,
        and that the ids of their calls are `calls` (which only items after them ask for).
        """
        since, seen = (in_order, calls) if in_order else (self.begun.count, self.begun.calls)
        self.refusals.extend(turn_faults(turn, self.limits, since, seen))
        if turn.model != self.binding.model:
            self.refuse(("model",), "another model than the binding's")
        for lack in tuple(lacks(turn, self.binding)):
            if lack.loss in self.accept:
                self.losses.append(Loss(lack.loss, lack.path))
            else:
                self.refusals.append(
                    RequestRefused(RefusalCode.UNSUPPORTED, lack.message, lack.path, loss=lack.loss)
                )
            turn = lack.without(turn)
        return turn

    # carried things

    def takes(self, protocol: Protocol, path: str) -> bool:
        """Whether a thing of `protocol`, carried under `path`, goes out here."""
        if protocol is not self.protocol:
            return False
        fields = self.dialect.request_fields
        return (
            self.able.takes(f"{protocol.short}.{path}")
            or fields is ALL
            or path in fields
            or path.partition(".")[0] in fields
        )

    def carry(
        self,
        extensions: tuple[Extension, ...],
        prefix: str,
        into: dict[str, Any],
        path: Path,
    ) -> None:
        """Write the extensions of one owner into its object, or leave each out by the name of its loss.

        `prefix` is what the owner's extension paths begin with (`messages.`, `tools.`, "" for the request).
        """
        for extension in extensions:
            carried = extension.path
            if carried in _IDENTITIES and extension.protocol is not self.protocol:
                continue
            if carried.startswith("answer."):
                self.lose("turn.answer_fields", path, "said by an answer; no request has a place")
            elif not self.takes(extension.protocol, carried):
                tail = carried.split(".")
                self.lose(
                    f"{extension.protocol.short}.{carried}",
                    (*path, tail[-1]) if path else tuple(tail),
                    "carried for its own wire, and this binding does not take it",
                )
            elif carried in SEALED_EXTENSIONS and extension.provenance != self._provenance:
                self.lose("turn.opaque", path, "opaque state of another binding")
            elif carried.startswith("header."):
                fault = header_fault(extension, self.binding)
                if fault is not None:
                    self.refuse(tuple(carried.split(".", 1)), fault)
            else:
                self.carried = True
                refines = carried in self.refines
                if not nest(into, carried.removeprefix(prefix), extension.value, over=refines):
                    self.refuse((*path, *carried.split(".")), "stands where something else is said")

    def mark(self, cache: CacheMark | None, path: Path) -> CacheMark | None:
        """The mark, if the binding takes marks."""
        if cache is None or self.able.cache_marks:
            return cache
        self.lose("turn.cache", (*path, "cache"), "the binding does not declare cache marks")
        return None

    def opaque(self, item: Opaque | UnattributedOpaque, path: Path) -> dict[str, Json] | None:
        """The payload of sealed state, if it may go to this binding."""
        if isinstance(item, UnattributedOpaque):
            self.lose("turn.opaque.unattributed", path, "opaque state that nobody has attributed")
            return None
        if item.provenance != self._provenance:
            self.lose("turn.opaque", path, "opaque state of another binding")
            return None
        self.carried = True
        return item.payload

    def left_out(self, item: Opaque | UnattributedOpaque, position: int) -> Loss | None:
        """The accepted loss of sealed state that `opaque` would leave out too; None where it is not plainly that.

        `position` is its place among the items. For a lane, which knows no refusals: whatever is not of the right
        types, carries something or is not accepted is left to the general way.
        """
        if isinstance(item, UnattributedOpaque):
            name = "turn.opaque.unattributed"
            if type(item.protocol) is not Protocol:
                return None
        else:
            name = "turn.opaque"
            bound = item.provenance
            if bound is not self._foreign:
                if bound == self._provenance or not is_sound(bound, Provenance):
                    return None
                self._foreign = bound
        if name not in self.accept or item.extensions != () or type(item.payload) is not dict:
            return None
        if item.text is not None and type(item.text) is not str:
            return None
        return Loss(name, f"items[{position}]")

    def declared(self, able: bool, loss: str, path: Path) -> bool:
        """Whether a capability is declared; what needs it is left out otherwise."""
        if not able:
            self.lose(loss, path, "the binding does not declare it")
        return able


def nest(into: dict[str, Any], dotted: str, value: Json, *, over: bool = False) -> bool:
    """Put `value` at a dotted place, making the objects on the way.

    False where something stands there, or a value on the way: nothing is overwritten, but the former where it may be.
    """
    *parents, last = dotted.split(".")
    for parent in parents:
        into = into.setdefault(parent, {})
        if type(into) is not dict:
            return False
    if last in into and not over:
        return False
    into[last] = value
    return True


# what the binding, the wire or the caller's HTTP stack decide
_NOT_CARRIED = frozenset(
    {
        "accept",
        "accept-encoding",
        "anthropic-version",
        "api-key",
        "authorization",
        "connection",
        "content-encoding",
        "content-length",
        "content-type",
        "cookie",
        "host",
        "proxy-authorization",
        "transfer-encoding",
        "x-api-key",
        "x-goog-api-key",
    }
)


def header_fault(extension: Extension, binding: Binding) -> str | None:
    """What is wrong with a carried header, if anything."""
    name = extension.path.removeprefix("header.").lower()
    auth = binding.auth
    if name in _NOT_CARRIED or (isinstance(auth, ApiKey) and name == auth.header.lower()):
        return "a header that the binding decides"
    if not isinstance(extension.value, str):
        return "a header is text"
    return None


def header_extensions(extensions: tuple[Extension, ...], binding: Binding) -> Mapping[str, str]:
    """The carried headers of a turn for `binding`, by name.

    Raises `RequestRefused` (INVALID_REQUEST) for one that authenticates or that the wire itself decides: only the
    binding says how a request authenticates; and for a value that is no text.
    """
    found: dict[str, str] = {}
    for extension in extensions:
        path = extension.path
        if extension.protocol is not binding.protocol or not path.startswith("header."):
            continue
        fault = header_fault(extension, binding)
        if fault is not None:
            raise RequestRefused(
                RefusalCode.INVALID_REQUEST, fault, path_text(tuple(path.split(".", 1)))
            )
        found[path.removeprefix("header.")] = str(extension.value)
    return found
