"""A gateway on Starlette and uvicorn: every client's wire in front, every server's wire behind.

The model's name picks the route, keep-alives bridge an idle upstream, a client that leaves ends all.

    python starlette_gateway.py 8080 messages=https://api.example/v1/=MODEL=KEY_VARIABLE ...
"""

import json
import sys
import time
import uuid

import anyio
import httpx
import uvicorn
from declared import target
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

from llm_projections import (
    AGENT_CLIENTS,
    AnswerHead,
    HttpAnswer,
    Identity,
    Protocol,
    RefusalCode,
    Relay,
    RequestRefused,
    wire,
    wire_for_path,
)

UNSENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


def gateway(routes, client, *, idle=15.0, finished=lambda _: None, **options):
    """The app. `routes`: a model's name to (binding, credential); `finished` gets each relay."""

    async def answer(request):
        body = await request.body()
        client_wire = wire_for_path(request.url.path)
        try:
            binding, credential = routes[json.loads(body)["model"]]
        except (ValueError, KeyError, TypeError):
            refused = RequestRefused(RefusalCode.NOT_FOUND, "there is no such model", "model")
            return whole(client_wire.encode_ingress_error(refused))
        identity = Identity(response_id=uuid.uuid4().hex, created=int(time.time()))
        relay = Relay(client_wire, binding, identity, credential=credential, **options)
        asked = relay.request(request.headers.items(), body)
        if isinstance(asked, HttpAnswer):
            finished(relay)
            return whole(asked)
        return live(relay, asked, client, idle, finished)

    paths = [f"/v1/{wire(protocol).path}" for protocol in Protocol]
    return Starlette(routes=[Route(path, answer, methods=["POST"]) for path in paths])


def whole(answer):
    return Response(answer.body, answer.status, dict(answer.headers))


def live(relay, asked, client, idle, finished):
    async def write(_scope, receive, send):
        turns = anyio.Lock()

        async def show(step, *given):
            async with turns:
                for piece in step(*given):
                    if isinstance(piece, AnswerHead):
                        raw = [(n.encode(), v.encode("latin-1")) for n, v in piece.headers]
                        head = {"status": piece.status, "headers": raw}
                        await send({"type": "http.response.start"} | head)
                    else:
                        data = {"body": piece.data, "more_body": True}
                        await send({"type": "http.response.body"} | data)

        async def keep_alive():
            while True:
                await anyio.sleep(idle)
                await show(relay.keepalive)

        async def until_gone(scope):
            while (await receive())["type"] != "http.disconnect":
                pass
            scope.cancel()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(keep_alive)
            tasks.start_soon(until_gone, tasks.cancel_scope)
            await forward(relay, asked, client, show)
            await send({"type": "http.response.body", "body": b"", "more_body": False})
            tasks.cancel_scope.cancel()
        finished(relay)

    return write


async def forward(relay, asked, client, show):
    """Send the request and show what becomes of it."""
    try:
        async with client.stream(
            asked.method, asked.url, headers=list(asked.headers), content=asked.body
        ) as upstream:
            await show(relay.response, upstream.status_code, upstream.headers.multi_items())
            async for chunk in upstream.aiter_bytes():
                await show(relay.feed, chunk)
                if relay.done:
                    return
            await show(relay.close)
    except httpx.TransportError as error:
        await show(relay.transport_failed, False if isinstance(error, UNSENT) else None)


if __name__ == "__main__":
    _, port, *lines = sys.argv
    named = {binding.model: (binding, key) for binding, key in map(target, lines)}
    http = httpx.AsyncClient(timeout=httpx.Timeout(600, connect=10))
    uvicorn.run(gateway(named, http, accept=AGENT_CLIENTS), port=int(port))
