"""Collects this folder only where both official clients are installed (the extra `interop`)."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("openai") and find_spec("anthropic") else ["test_*.py"]
