"""A coverage-guided fuzzer over every public entry that takes bytes. README.md says how to run it."""
