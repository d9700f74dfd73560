"""Where a turn goes: one declared way to reach one model on one endpoint with one account.

The binding decides authentication, the upstream name and what the target can take; the protocol decides none of it.
No credential is ever part of a binding.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, cast

from attrs import asdict, fields_dict

from llm_projections import _json
from llm_projections._values import frozen
from llm_projections.model.dialect import ALL, All, Dialect
from llm_projections.model.items import Protocol, Provenance
from llm_projections.model.soundness import require_sound

__all__ = [
    "Anonymous",
    "ApiKey",
    "Auth",
    "Bearer",
    "Binding",
    "Capabilities",
    "Conversation",
    "Identity",
]

EFFORTS = frozenset({"none", "minimal", "low", "medium", "high", "xhigh", "max"})
MODES = frozenset({"adaptive", "enabled", "disabled", "between_tools"})


@frozen
class Anonymous:
    """No credential is sent."""


@frozen
class Bearer:
    """The credential goes out as `Authorization: Bearer ...`."""


@frozen
class ApiKey:
    """The credential goes out in the header that this names."""

    header: str = "x-api-key"


Auth = Anonymous | Bearer | ApiKey
"""How a binding authenticates; the protocol decides nothing of it."""


@frozen
class Capabilities:
    """What a target takes. A setting that is used and not declared is refused by name.

    `None` for a size means unknown: nothing is checked against it. `extensions` lists carried things by the name of
    their loss (`messages.context_management`, `responses.tools.web_search`), or is `ALL`.
    """

    context_window: int | None = None
    """Tokens of input and output together, for the caller's own use: nothing is checked against it."""
    max_output_tokens: int | None = None
    """The most tokens of one answer. A turn that asks for more is refused: `max_tokens: <asked> > <this>`."""
    tools: bool = False
    custom_tools: bool = False
    """Tools whose input is free text."""
    tool_choice: bool = False
    """Any choice but `AUTO`."""
    allowed_tools: bool = False
    """A choice among some of the published tools (`Allowed`)."""
    strict_tools: bool = False
    """`FunctionTool.strict`."""
    parallel_tool_calls: bool = False
    """That `parallel_tool_calls=False` may be sent."""
    temperature: bool = False
    top_p: bool = False
    top_k: bool = False
    seed: bool = False
    presence_penalty: bool = False
    frequency_penalty: bool = False
    stop: bool = False
    verbosity: bool = False
    reasoning_efforts: frozenset[str] = frozenset()
    """Of `none`, `minimal`, `low`, `medium`, `high`, `xhigh`, `max`."""
    thinking_modes: frozenset[str] = frozenset()
    """Of `adaptive`, `enabled`, `disabled`, `between_tools`."""
    thinking_budget: bool = False
    thinking_display: bool = False
    images: bool = False
    documents: bool = False
    audio: bool = False
    output_formats: frozenset[str] = frozenset()
    """`json_object`, `json_schema`."""
    instructions_in_place: bool = False
    """System and developer messages may stand among the items."""
    cache_marks: bool = False
    """Marks inside the conversation (`CacheMark`)."""
    end_user_id: bool = False
    prompt_cache_key: bool = False
    metadata: bool = False
    service_tier: bool = False
    extensions: frozenset[str] | All = frozenset()

    @classmethod
    def text(
        cls, context_window: int | None = None, max_output_tokens: int | None = None
    ) -> Capabilities:
        """Text in, text out, and the sampling settings that every model server takes."""
        return cls(
            context_window,
            max_output_tokens,
            temperature=True,
            top_p=True,
            stop=True,
        )

    @classmethod
    def all(
        cls, context_window: int | None = None, max_output_tokens: int | None = None
    ) -> Capabilities:
        """Everything that the wire can say."""
        return cls(
            context_window,
            max_output_tokens,
            **{name: True for name, field in fields_dict(cls).items() if field.default is False},
            reasoning_efforts=EFFORTS,
            thinking_modes=MODES,
            output_formats=frozenset({"json_object", "json_schema"}),
            extensions=ALL,
        )

    def takes(self, loss: str) -> bool:
        """Whether a carried thing, named by its loss, may be sent."""
        return self.extensions is ALL or loss in self.extensions


@frozen
class Binding:
    """One declared way to reach one model.

    `model` is the caller's name, `upstream_name` the one that goes on the wire. `base_url` ends in `/`.

    Raises TypeError where a field holds something else than its type says, such as a credential as `auth`; what stands
    there is in no error.
    """

    protocol: Protocol
    provider: str
    """Whose server it is: a name of the caller's, as are the next two."""
    account: str
    endpoint: str
    model: str
    upstream_name: str
    base_url: str
    auth: Auth
    capabilities: Capabilities
    dialect: Dialect = Dialect()

    def __attrs_post_init__(self) -> None:
        require_sound(self)

    @cached_property
    def revision(self) -> str:
        """SHA-256, in hexadecimal, over the canonical declaration; it holds no secret."""
        # here, because it loads a cryptography library: 2 ms that importing this package need not take
        from hashlib import sha256

        declared = asdict(self, recurse=True, value_serializer=_plain)
        declared["auth"] = {"kind": type(self.auth).__name__, **declared["auth"]}
        return sha256(_json.canonical(declared)).hexdigest()

    @cached_property
    def provenance(self) -> Provenance:
        """The six coordinates that opaque state of this binding belongs to."""
        return Provenance(
            self.protocol, self.provider, self.account, self.endpoint, self.model, self.revision
        )


def _plain(_owner: object, _attribute: object, value: Any) -> Any:
    if value is ALL:
        return "*"
    return sorted(cast("frozenset[str]", value)) if isinstance(value, frozenset) else value


@frozen
class Conversation:
    """Who is talking, for wires that route and cache by it (Responses). Opt-in.

    Raises TypeError for what is no text.
    """

    id: str
    """Sent as `prompt_cache_key`, as `session-id`, and with the request's number as `x-client-request-id`."""
    originator: str | None = None
    """The program's name, sent as the header `originator` (Codex 0.171.0, 2026-11-30)."""

    def __attrs_post_init__(self) -> None:
        require_sound(self)


@frozen
class Identity:
    """Who answers, all of it given by the caller: the library mints no id and reads no clock.

    `created` is Unix time in seconds. `item_id(kind, index)` names an output item; by default the name is derived
    from `response_id`, so that equal inputs give equal bytes. `kind` is the wire's prefix for it (`msg`, `rs`, `fc`,
    `ctc`, ...). Raises TypeError where a field holds something else than its type says.
    """

    response_id: str
    created: int
    model: str | None = None
    item_id: Callable[[str, int], str] | None = None

    def __attrs_post_init__(self) -> None:
        require_sound(self)

    def name_item(self, kind: str, index: int) -> str:
        """The id of output item `index`. Raises TypeError for what is no number."""
        if not isinstance(index, int):  # pyright: ignore[reportUnnecessaryIsInstance]  an event's fields are not looked at
            raise TypeError("an index is a number")
        if self.item_id is not None:
            return self.item_id(kind, index)
        return f"{kind}_{self.response_id}_{index}"
