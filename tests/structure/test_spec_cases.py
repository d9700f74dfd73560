"""The conformance suite has the form that its schema and its README say."""

import json

import pytest
from jsonschema import Draft202012Validator

from tests import spec_tools
from tests.conformance import suite
from tests.conformance.documents import CASES, binding_of
from tests.conformance.forms import bytes_of, form_of, pretty
from tests.conformance.running import BYTES, JOBS, case_at, files
from tests.conformance.showing import rows_shown

every_wire = pytest.mark.parametrize("wire", spec_tools.WIRES)

SCHEMA = json.loads((CASES / "schema.json").read_text(encoding="utf-8"))


def test_the_schema_is_one():
    """And its jobs are those that are run."""
    Draft202012Validator.check_schema(SCHEMA)
    assert list(JOBS) == SCHEMA["properties"]["job"]["enum"]


@every_wire
def test_every_case_has_its_form(wire: str):
    """Each member is known, and each value is of its kind."""
    validator = Draft202012Validator(SCHEMA)
    wrong = [
        f"{path.stem}: {error.json_path} {error.message[:200]}"
        for path in files(wire)
        for error in validator.iter_errors(case_at(path))
    ]
    assert [] == wrong


@every_wire
def test_every_file_is_called_by_what_it_is(wire: str):
    """By its wire and its job, and nothing lies between the cases."""
    assert files(wire) == sorted((CASES / wire).glob("*"))
    wrong = [
        path.stem
        for path in files(wire)
        if case_at(path)["wire"] != wire
        or not path.stem.startswith(case_at(path)["job"].replace("_", "-") + "-")
    ]
    assert [] == wrong


@every_wire
def test_every_file_is_written_in_one_way(wire: str):
    """The same facts give the same text, and bytes the form that reads best."""
    for path in files(wire):
        case = case_at(path)
        assert pretty(case) == path.read_text(encoding="utf-8"), path.stem
        for side in ("given", "expect"):
            for name in BYTES:
                if name in case[side]:
                    told = case[side][name]
                    assert told == form_of(bytes_of(told)), path.stem


@every_wire
def test_every_case_says_which_rows_it_shows(wire: str):
    """Those whose places stand in its bytes, all of them and no other."""
    wrong = [
        path.stem for path in files(wire) if rows_shown(case_at(path)) != case_at(path)["rows"]
    ]
    assert [] == wrong, "tools/spec_cases.py says them anew"


@every_wire
def test_every_case_is_declared(wire: str):
    """A file without an input could not be written anew, and an input without a file is never run."""
    declared = {suite.path_of(case) for name in spec_tools.WIRES for case in suite.declared(name)}
    assert set(files(wire)) == {path for path in declared if path.parent.name == wire}


@every_wire
def test_the_bindings_are_documents(wire: str):
    """A named binding is of the wire whose name it bears."""
    assert wire == binding_of(wire).protocol.short


@pytest.mark.parametrize(
    ("data", "form"),
    [
        (b'{"a":1}', "json"),
        (b'{"a": 1}', "text"),
        (b'{"a":1.10}', "text"),
        (b'{"a":1,"a":1}', "text"),
        (b'data: {"a":1}\n\ndata: [DONE]\n\n', "sse"),
        (b'event: x\ndata: {"type":"x"}\n\n', "sse"),
        (b'event: y\ndata: {"type":"x"}\n\n', "text"),
        (b'data: {"a":1}\n', "text"),
        (b"data: {}\r\n\r\n", "text"),
        (b"", "text"),
        (b"\xff", "base64"),
    ],
)
def test_bytes_have_a_form(data: bytes, form: str):
    """The first that says exactly them."""
    told = form_of(data)
    assert form in told
    assert data == bytes_of(json.loads(pretty(told)))


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("wire",), "carrier-pigeon"),
        (("job",), "guess"),
        (("wombat",), 1),
        (("rows",), ["chat-req-model", "chat-req-model"]),
        (("given", "wombat"), 1),
        (("given", "stream"), "data: x"),
        (("given", "stream"), {"json": 1, "text": "1"}),
        (("given", "binding"), "nobody"),
        (("expect", "refusal", "dispatch"), "NOT_SENT"),
        (("expect", "refusal", "message"), "our words"),
        (("expect", "events", 0, "kind"), "Applause"),
        (("expect", "outcome"), {"stop": {"kind": "EndTurn"}, "items": []}),
    ],
)
def test_what_is_no_case_is_refused_by_the_schema(place: tuple[str | int, ...], value: object):
    """One change to a good one is enough."""
    case = json.loads(json.dumps(case_at(CASES / "chat" / "decode-error-in-a-choice.json")))
    validator = Draft202012Validator(SCHEMA)
    assert validator.is_valid(case)
    owner = case
    for step in place[:-1]:
        owner = owner[step]
    owner[place[-1]] = value
    assert not validator.is_valid(case)
