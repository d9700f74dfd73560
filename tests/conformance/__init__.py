"""The conformance suite spec/cases: its words, what it is declared from, and how this library runs it."""
