"""The bounds and their defaults."""

from attrs import asdict

from llm_projections.model.limits import Limits

MIB = 1024 * 1024


def test_the_defaults_are_the_documented_ones():
    """A change of one of these is a change of the interface."""
    assert {
        "frame_bytes": 16 * MIB,
        "stream_bytes": 512 * MIB,
        "request_bytes": 64 * MIB,
        "items": 65_536,
        "tools": 1_024,
        "arguments_bytes": 16 * MIB,
        "result_bytes": 16 * MIB,
        "instructions_bytes": 4 * MIB,
        "json_depth": 512,
        "raw_bytes": 16 * MIB,
    } == asdict(Limits())
