"""Bindings: six coordinates, a revision that any process computes alike, and no secret."""

import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve, fields_dict

import llm_projections
from llm_projections.model.binding import (
    Anonymous,
    ApiKey,
    Bearer,
    Binding,
    Capabilities,
    Conversation,
    Identity,
)
from llm_projections.model.dialect import ALL, Dialect
from llm_projections.model.items import Protocol, Provenance
from tests.everything import binding_of

CHANGES = [
    {"protocol": Protocol.RESPONSES},
    {"provider": "x"},
    {"account": "x"},
    {"endpoint": "x"},
    {"model": "x"},
    {"upstream_name": "x"},
    {"base_url": "https://other.example/"},
    {"auth": Bearer()},
    {"auth": ApiKey()},
    {"auth": ApiKey("api-key")},
    {"capabilities": Capabilities.text()},
    {"capabilities": Capabilities.all()},
    {"capabilities": evolve(Capabilities.all(200_000, 64_000), extensions=frozenset({"a"}))},
    {"dialect": Dialect()},
    {"dialect": Dialect(request_fields=frozenset({"top_k"}))},
    {"dialect": Dialect(request_fields=ALL, query="v=1")},
]


def test_the_revision_is_a_sha256_of_the_declaration():
    """In hexadecimal; equal declarations have equal ones."""
    binding = binding_of(Protocol.CHAT)
    assert 64 == len(bytes.fromhex(binding.revision)) * 2
    assert binding.revision == binding_of(Protocol.CHAT).revision


def test_any_change_of_the_declaration_is_another_revision():
    """Opaque state of a binding that was declared otherwise is foreign."""
    base = binding_of(Protocol.CHAT)
    changed = [evolve(base, **change).revision for change in CHANGES]
    assert len(CHANGES) + 1 == len({base.revision, *changed})


@pytest.mark.parametrize("seed", ["0", "1"])
def test_the_revision_is_the_same_in_every_process(seed):
    """Sets have no order there to lean on."""
    code = (
        "from tests.everything import binding_of\n"
        "from llm_projections.model.items import Protocol\n"
        "print(*(binding_of(p).revision for p in Protocol))"
    )
    here = Path(__file__).parents[2]
    source = Path(next(iter(llm_projections.__path__))).parent
    run = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": f"{source}{os.pathsep}{here}"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert [binding_of(protocol).revision for protocol in Protocol] == run.stdout.split()


def test_a_binding_has_no_place_for_a_credential():
    """What authenticates is named, never held."""
    assert [] == [
        name
        for kind in (Binding, Bearer, ApiKey, Anonymous)
        for name in fields_dict(kind)
        if "key" in name or "credential" in name or "token" in name
    ]


def test_provenance_is_the_six_coordinates():
    """Two bindings share state only if all agree."""
    binding = binding_of(Protocol.MESSAGES)
    assert (
        Provenance(
            Protocol.MESSAGES, "provider", "account", "endpoint", binding.model, binding.revision
        )
        == binding.provenance
    )


def test_a_binding_pickles_and_is_hashable():
    """A revision that was computed before does not get in the way."""
    binding = binding_of(Protocol.CHAT)
    assert binding.revision
    again = pickle.loads(pickle.dumps(binding))
    assert binding == again
    assert binding.provenance == again.provenance
    assert 1 == len({binding, again})


def test_text_declares_what_every_model_server_takes():
    """And nothing else."""
    able = Capabilities.text(100, 10)
    declared = {name for name in fields_dict(Capabilities) if getattr(able, name) is True}
    assert {"temperature", "top_p", "stop"} == declared
    assert (100, 10) == (able.context_window, able.max_output_tokens)


def test_all_declares_everything():
    """No switch is left off."""
    able = Capabilities.all(100, 10)
    assert [] == [name for name in fields_dict(Capabilities) if not getattr(able, name)]
    assert (100, 10) == (able.context_window, able.max_output_tokens)


@pytest.mark.parametrize(
    ("extensions", "takes"),
    [
        (frozenset(), False),
        (frozenset({"chat.logit_bias"}), True),
        (frozenset({"chat.logit", "chat.logit_bias.x"}), False),
        (ALL, True),
    ],
)
def test_a_carried_thing_is_taken_by_the_name_of_its_loss(extensions, takes):
    """Listed, or everything."""
    assert takes == Capabilities(extensions=extensions).takes("chat.logit_bias")


def test_items_are_named_from_the_answer_unless_the_caller_names_them():
    """Equal inputs give equal bytes: nothing is minted."""
    assert "msg_resp_1_3" == Identity("resp_1", 0).name_item("msg", 3)
    own = Identity("resp_1", 0, item_id=lambda kind, index: f"{index}{kind}")
    assert "3msg" == own.name_item("msg", 3)


ANY: Any = binding_of
TALK: Any = Conversation
WHO: Any = Identity
ABLE: Any = Capabilities


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (lambda: ANY(Protocol.CHAT, auth="sk-secret"), "Binding: auth is not what belongs"),
        (lambda: ANY(Protocol.CHAT, auth=Bearer), "Binding: auth is not what belongs here"),
        (lambda: ANY("chat-completions"), "Binding: protocol is not one of its values"),
        (lambda: evolve(binding_of(Protocol.CHAT), model=5), "Binding: model must be text"),
        (
            lambda: binding_of(Protocol.CHAT, capabilities=ABLE(tools="yes")),
            "Binding: capabilities.tools must be true or false",
        ),
        (
            lambda: binding_of(Protocol.CHAT, version="2020-01-01"),
            "Binding: dialect.version is not what belongs here",
        ),
        (lambda: TALK(5), "Conversation: id must be text"),
        (lambda: WHO("r", "now"), "Identity: created must be an integer"),
    ],
)
def test_what_is_something_else_is_a_type_error(made, told):
    """When it is made: it names the field, and what stands there is in no error."""
    with pytest.raises(TypeError, match=told) as caught:
        made()
    assert "secret" not in f"{caught.value!r}"


def test_the_number_of_an_item_is_a_number():
    """A name made of something else would go out."""
    assert "msg_r_0" == Identity("r", 1).name_item("msg", 0)
    with pytest.raises(TypeError):
        WHO("r", 1).name_item("msg", "x")
