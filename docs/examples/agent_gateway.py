"""Claude Code, Codex and other agent programs in front of any model server, with the standard library alone.

    python agent_gateway.py 8080 chat-completions=http://127.0.0.1:8000/v1/=MODEL [DIALECT]

DIALECT names what stands behind a Chat URL (`vllm`, `llama.cpp`, `ollama`, ...). Whatever model the agent names,
MODEL answers. One line for each exchange says how it ended and what was left out.
"""

import sys
from wsgiref.simple_server import make_server

from attrs import evolve
from declared import target
from wsgi_gateway import Gateway, Server

from llm_projections import AGENT_CLIENTS, ALL, DIALECTS, Capabilities, ToolWrapping

# What a server of open weights takes. What is not declared is refused, or left out by an accepted name.
CAPABILITIES = Capabilities(
    context_window=128_000,
    max_output_tokens=32_000,
    tools=True,
    strict_tools=True,
    tool_choice=True,
    parallel_tool_calls=True,
    temperature=True,
    top_p=True,
    stop=True,
    output_formats=frozenset({"json_object", "json_schema"}),
    instructions_in_place=True,
)
# Beside what every agent sends in vain: a limit above the server's is lowered, and the two tools
# that only the vendor of Codex can run are not offered to the model.
ACCEPTED = AGENT_CLIENTS | {
    "max_output_tokens.lowered",
    "responses.tools.tool_search",
    "responses.tools.web_search",
}
# Codex edits files with a tool that takes free text, and puts tools in namespaces.
WRAPPING = ToolWrapping(ALL, flatten_namespaces=True, hoist_additional_tools=True)


def line(relay):
    """How an exchange ended, and what was left out of it."""
    lost = ", ".join(sorted({loss.name for loss in relay.losses})) or "nothing"
    how = relay.error or type(relay.outcome.stop).__name__
    return f"{how}; left out: {lost}"


def gateway(binding, credential=None, show=print, **options):
    """The WSGI app."""
    given = {"accept": ACCEPTED, "wrapping": WRAPPING, **options}
    return Gateway(binding, credential, finished=lambda relay: show(line(relay)), **given)


if __name__ == "__main__":
    where, key = target(sys.argv[2])
    dialect = DIALECTS[sys.argv[3]] if sys.argv[3:] else where.dialect
    app = gateway(evolve(where, capabilities=CAPABILITIES, dialect=dialect), key)
    make_server("127.0.0.1", int(sys.argv[1]), app, server_class=Server).serve_forever()
