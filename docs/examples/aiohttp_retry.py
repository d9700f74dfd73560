"""A turn over aiohttp that is sent again only where that is safe.

The codec says of every failure whether a retry is safe and how long the server asked to wait; this
program owns the clock and the count. A failure after anything was shown is final.

    python aiohttp_retry.py responses=http://127.0.0.1:8000/v1/=MODEL "Why is the sky blue?"
"""

import argparse
import asyncio

import aiohttp
from declared import target

from llm_projections import (
    Dispatch,
    Refusal,
    RefusalCode,
    RequestRefused,
    ResponseRefused,
    TextDelta,
    TurnCompleted,
    TurnRequest,
    wire,
)


async def attempt(session, turn, binding, credential, show):
    """One exchange; returns the outcome or raises the refusal that ended it."""
    server = wire(binding.protocol)
    shown = False
    try:
        async with session.post(
            server.request_url(binding),
            data=server.encode_request(turn, binding),
            headers=server.request_headers(binding, request=turn, credential=credential),
        ) as answer:
            said = tuple(answer.headers.items())
            if server.answer_kind(answer.status, said, binding) == "error":
                raise server.decode_error(answer.status, said, await answer.read(), binding)
            # iter_any gives the bytes as the network had them, however they were cut
            events = server.adecode_stream(answer.content.iter_any(), binding, request=turn)
            async for event in events:
                if isinstance(event, TextDelta):
                    shown = True
                    show(event.text)
            return outcome_of(event)
    except aiohttp.ClientConnectorError:
        raise RequestRefused(RefusalCode.TRANSPORT, "no connection") from None
    except (aiohttp.ClientError, TimeoutError):
        raise ResponseRefused(
            RefusalCode.TRANSPORT,
            "the connection broke",
            dispatch=Dispatch.ACCEPTED if shown else Dispatch.UNKNOWN,
            retriable=not shown,
        ) from None


def outcome_of(last):
    """What the terminal event says."""
    if isinstance(last, TurnCompleted):
        return last.outcome
    raise last.error


async def ask(session, turn, binding, credential, show, *, attempts=4, sleep=asyncio.sleep):
    """The outcome of a turn, after as many attempts as are safe and allowed."""
    number = 1
    while True:
        try:
            return await attempt(session, turn, binding, credential, show)
        except Refusal as error:
            if not error.may_retry or number == attempts:
                raise
            asked = error.retry_after_ms if isinstance(error, ResponseRefused) else None
            await sleep(2 ** (number - 1) if asked is None else asked / 1000)
            number += 1


async def main(asked):
    binding, credential = asked.target
    turn = TurnRequest.text(binding.model, asked.question)
    async with aiohttp.ClientSession() as session:
        try:
            await ask(session, turn, binding, credential, lambda text: print(text, end=""))
        except Refusal as refusal:
            raise SystemExit(str(refusal)) from None


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("target", type=target, help="see declared.py")
    options.add_argument("question")
    asyncio.run(main(options.parse_args()))
