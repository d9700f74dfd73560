"""Declared habits: the vendor's own by default."""

from attrs import evolve, fields

from llm_projections.model.dialect import ALL, Dialect


def test_the_default_is_the_vendor():
    """Nothing is sent that the vendor does not publish, and nothing forgiven that it never does."""
    vendor = Dialect()
    assert frozenset() == vendor.request_fields
    assert ("", "") == (vendor.name, vendor.query)
    habits = {f.name for f in fields(Dialect) if getattr(vendor, f.name) is True}
    assert {"stream_usage", "automatic_cache_marks"} == habits


def test_a_dialect_is_a_value():
    """Equal habits are equal, and any other habit shows."""
    assert Dialect(query="a=1") == Dialect(query="a=1")
    assert Dialect() != evolve(Dialect(), request_fields=ALL)
    assert hash(Dialect()) == hash(Dialect())
