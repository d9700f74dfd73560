"""Custom tools, namespaces and late tools, made reachable on wires that have only functions.

Rules:
1. A custom tool becomes a function with the one string property `input`; its grammar goes into the
   description, where the model can read it.
2. A namespaced tool becomes `<namespace>__<name>`, what the namespace says of itself put before its
   own description; tools inside an `additional_tools` item become published tools. History is
   wrapped like the tools.
3. A name that collides or is longer than 64 characters is refused.
4. A call that does not unwrap exactly is refused, never repaired.

It is the caller's explicit choice. `ToolWrapping` holds nothing of a conversation; `resolve` ties it
to one request, whose tools then say which calls are whose.
"""

from llm_projections.wrapping.streams import Unwrapping
from llm_projections.wrapping.tools import ToolWrapping

__all__ = ["ToolWrapping", "Unwrapping"]
