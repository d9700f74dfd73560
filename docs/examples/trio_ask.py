"""One question to several models at once: httpx under trio, each answer decoded as it comes.

The models may speak different wires; the first whole answer wins, and the other exchanges are
cancelled.

    python trio_ask.py "Why is the sky blue?" chat-completions=http://127.0.0.1:8000/v1/=MODEL ...
"""

import argparse

import httpx
import trio
from declared import target

from llm_projections import (
    AssistantMessage,
    Refusal,
    Text,
    TextDelta,
    TurnFailed,
    TurnRequest,
    wire,
)


async def ask(client, binding, credential, question, show):
    """The outcome of one question; each piece of text goes to `show` as it comes."""
    server = wire(binding.protocol)
    turn = TurnRequest.text(binding.model, question)
    async with client.stream(
        "POST",
        server.request_url(binding),
        headers=list(server.request_headers(binding, request=turn, credential=credential)),
        content=server.encode_request(turn, binding),
    ) as answer:
        said = answer.headers.multi_items()
        if server.answer_kind(answer.status_code, said, binding) == "error":
            raise server.decode_error(answer.status_code, said, await answer.aread(), binding)
        decoder = server.StreamDecoder(binding, request=turn)
        events, seen = [], 0
        # to the end: trio wants every asynchronous generator exhausted, those inside httpx too
        async for chunk in answer.aiter_bytes():
            events += decoder.feed(chunk)
            if text := "".join(e.text for e in events[seen:] if isinstance(e, TextDelta)):
                show(binding, text)
            seen = len(events)
    *_, last = events + decoder.close()
    if isinstance(last, TurnFailed):
        raise last.error
    return last.outcome


async def race(client, targets, question, show=lambda *_: None):
    """The first whole answer as (binding, outcome), or None; and why the others have none."""
    winner, refusals = [], {}

    async def run(binding, credential, scope):
        try:
            outcome = await ask(client, binding, credential, question, show)
        except (Refusal, httpx.TransportError) as error:
            refusals[binding] = error
        else:
            # two may end before the scope is cancelled
            if not winner:
                winner.append((binding, outcome))
            scope.cancel()

    async with trio.open_nursery() as nursery:
        for binding, credential in targets:
            nursery.start_soon(run, binding, credential, nursery.cancel_scope)
    return (winner[0] if winner else None), refusals


def text_of(outcome):
    """The words of an answer."""
    messages = [item for item in outcome.items if isinstance(item, AssistantMessage)]
    return "".join(p.text for m in messages for p in m.content if isinstance(p, Text))


async def main(question, targets):
    async with httpx.AsyncClient(timeout=60) as client:
        winner, refusals = await race(client, targets, question)
    for binding, error in refusals.items():
        print(f"{binding.model}: {error}")
    if winner is None:
        raise SystemExit("no model answered")
    print(f"{winner[0].model}: {text_of(winner[1])}")


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("question")
    options.add_argument("target", nargs="+", type=target, help="see declared.py")
    asked = options.parse_args()
    trio.run(main, asked.question, asked.target)
