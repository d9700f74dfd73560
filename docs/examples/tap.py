"""A tap in an intercepting proxy: it reads each exchange of a model API and writes one line.

The class has the shape of a mitmproxy addon (`mitmdump -s tap.py`), and the hooks ask nothing of a
flow but what every such proxy has. The answer streams through untouched; it is read when it ended.
Bodies must be read without their content coding, so the tap asks the server to send none.
"""

import json
import time

from llm_projections import AGENT_CLIENTS, Refusal, ToolCall, read_exchange, wire_for_path


class Tap:
    """`write` gets one JSON line for each exchange."""

    def __init__(self, write=print, clock=time.monotonic):
        self.write = write
        self.clock = clock

    def request(self, flow):
        """The request is whole and goes out next."""
        if not known(flow.request.path):
            return
        # what comes is kept as it comes, so it must come plain
        flow.request.headers["accept-encoding"] = "identity"
        flow.metadata["tap"] = {"began": self.clock(), "first": None, "chunks": []}

    def responseheaders(self, flow):
        """The answer begins: let it through piece by piece, and keep a copy."""
        seen = flow.metadata.get("tap")
        if seen is None:
            return

        def tee(chunk):
            if chunk and seen["first"] is None:
                seen["first"] = self.clock()
            seen["chunks"].append(chunk)
            return chunk

        flow.response.stream = tee

    def response(self, flow):
        """The answer ended well, as far as HTTP can tell."""
        self.record(flow, flow.response.status_code, flow.response.headers.items())

    def error(self, flow):
        """The connection broke; what came of the answer still counts."""
        said = getattr(flow, "response", None)
        self.record(flow, said.status_code if said else 0, said.headers.items() if said else ())

    def record(self, flow, status, headers):
        """Read the exchange and write its line."""
        seen = flow.metadata.pop("tap", None)
        if seen is None:
            return
        exchange = read_exchange(
            flow.request.path,
            flow.request.content,
            status,
            tuple(headers),
            seen["chunks"],
            request_headers=tuple(flow.request.headers.items()),
            accept=AGENT_CLIENTS,
        )
        line = {
            "wire": wire_for_path(flow.request.path).protocol.value,
            "model": exchange.request and exchange.request.model,
            **answer_of(exchange),
            "left_out": sorted({loss.name for loss in exchange.losses}),
            "first_byte_s": seen["first"] and round(seen["first"] - seen["began"], 3),
            "whole_s": round(self.clock() - seen["began"], 3),
        }
        self.write(json.dumps(line))


def known(path):
    """Whether a path is that of one of the three wires."""
    try:
        wire_for_path(path)
    except Refusal:
        return False
    return True


def answer_of(exchange):
    """What the answer was, on one scale for all wires."""
    usage = exchange.usage
    said = exchange.outcome or exchange.partial
    return {
        "request_error": exchange.request_error and str(exchange.request_error),
        "stop": type(exchange.outcome.stop).__name__ if exchange.outcome else None,
        "error": str(exchange.error) if exchange.error else None,
        "calls": [item.name for item in said.items if isinstance(item, ToolCall)] if said else [],
        "input_tokens": usage and usage.input_tokens,
        "cached_input_tokens": usage and usage.cached_input_tokens,
        "output_tokens": usage and usage.output_tokens,
        "raw_bytes": sum(map(len, exchange.raw)),
    }


addons = [Tap()]
