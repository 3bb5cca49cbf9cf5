"""The OpenAPI document is true: requests made from it, right and wrong ones, get the answers that it names."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from starlette.routing import Route
from tests.server.scripted import Scripted
from tests.server.site import served
from tests.support.apps import Workshop
from tests.support.soak import soak

from ambidex.server.app import ROUTES
from ambidex.server.openapi import document

schema = schemathesis.openapi.from_dict(document())


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server in a thread of its own: the client of these tests is no asynchronous one."""
    folder: Path = tmp_path_factory.mktemp("openapi")
    ready: Future[str] = Future()
    stop: Future[asyncio.Event] = Future()
    limits = {"server.requests_per_minute": 10**6, "server.turns_per_minute": 10**6, "server.wait_seconds": 5}

    async def serve() -> None:
        over = asyncio.Event()
        async with served(Workshop(folder).reading("look").gated("send"), Scripted(), **limits) as site:
            stop.set_result(over)
            ready.set_result(site.url)
            await over.wait()

    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    yield ready.result(20)
    loop.call_soon_threadsafe(stop.result().set)
    thread.join()
    loop.close()


@schema.parametrize()
@settings(max_examples=soak(8, 300), deadline=None, suppress_health_check=list(HealthCheck))
def test_answers_are_those_of_the_document(case: schemathesis.Case[Any], url: str) -> None:
    case.call_and_validate(base_url=url)


def test_the_document_names_every_endpoint_but_the_page() -> None:
    served_paths = {route.path for route in ROUTES if isinstance(route, Route)}
    assert served_paths - set(document()["paths"]) == {"/", "/page/{name}", "/openapi.json"}
