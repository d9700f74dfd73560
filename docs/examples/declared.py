"""Where the models of these examples are: a binding and a credential from one line of text.

    WIRE=BASE_URL=MODEL             a server that asks for no credential
    WIRE=BASE_URL=MODEL=VARIABLE    one that takes the token in this environment variable

WIRE is `chat-completions`, `messages` or `responses`; BASE_URL ends in a slash.
"""

import os

from llm_projections import Anonymous, Bearer, Binding, Capabilities, Protocol


def declare(protocol, base_url, model, *, anonymous=True):
    """How to reach a model, and what it can do."""
    return Binding(
        protocol=protocol,
        provider="example",
        account="example",
        endpoint=base_url,
        model=model,
        upstream_name=model,
        base_url=base_url,
        auth=Anonymous() if anonymous else Bearer(),
        capabilities=Capabilities.all(context_window=200_000, max_output_tokens=32_000),
    )


def target(line):
    """The binding and the credential that `line` names."""
    wire, base_url, model, *variable = line.split("=")
    binding = declare(Protocol(wire), base_url, model, anonymous=not variable)
    return binding, os.environ[variable[0]] if variable else None
