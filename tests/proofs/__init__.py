"""Proofs that take too long for the everyday tests: `python -m tests.proofs`, run by the gate."""
