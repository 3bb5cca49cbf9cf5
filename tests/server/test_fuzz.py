"""Every endpoint, with bytes, queries and names that nobody planned for: an answer, and never one that says "500"."""

from __future__ import annotations

import asyncio
from urllib.parse import quote

import httpx2 as httpx
import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.routing import Route
from tests.server.events import JSON
from tests.server.scripted import Scripted
from tests.server.site import configured
from tests.support.apps import Workshop
from tests.support.soak import soak

from ambidex import Registry
from ambidex.config import Config
from ambidex.server.app import ROUTES, create_app
from ambidex.server.guard import Guard
from ambidex.stores.memory import MemoryStore

PLACES = [(route.path, method) for route in ROUTES if isinstance(route, Route) for method in ("GET", "POST")]
_WORDS = st.sampled_from(["user", "assistant", "approval-responded", "submit-message", "text", "x", ""])
_KEYS = st.sampled_from(["id", "messages", "message", "role", "parts", "type", "text", "state", "approval", "approved",
                         "toolCallId", "trigger", "messageId", "approvals", "token"])  # fmt: skip
LIKE_OURS = st.recursive(
    _WORDS | st.booleans() | st.none() | st.integers(-(2**63), 2**63),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=6),
    max_leaves=20,
)
BODIES = (
    st.binary(max_size=200)
    | st.builds(orjson.dumps, LIKE_OURS)
    | JSON.map(repr).map(lambda text: text.encode(errors="replace"))
)
NAMES = st.text(min_size=1, max_size=20).map(lambda text: quote(text.encode(errors="replace"), safe=""))
QUERIES = st.dictionaries(
    st.sampled_from(["mode", "limit", "after", "conversation", "token"]), st.text(max_size=20), max_size=3
)
HEADERS = st.dictionaries(
    st.sampled_from(["content-type", "content-length", "authorization", "x-other"]),
    st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=20),
    max_size=2,
)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> tuple[Registry, Config]:
    folder = tmp_path_factory.mktemp("fuzz")
    return Workshop(folder).reading("look").build(), configured(folder, **{"server.requests_per_minute": 10**6})


Request = tuple[tuple[str, str], str, bytes, dict[str, str], dict[str, str]]
REQUESTS = st.tuples(st.sampled_from(PLACES), NAMES, BODIES, QUERIES, HEADERS)


@settings(max_examples=soak(15, 2000), deadline=None, suppress_health_check=list(HealthCheck))
@given(wanted=st.lists(REQUESTS, min_size=8, max_size=16))
def test_whatever_is_sent_no_endpoint_breaks(shop: tuple[Registry, Config], wanted: list[Request]) -> None:
    asyncio.run(_send(*shop, wanted))


async def _send(registry: Registry, config: Config, wanted: list[Request]) -> None:
    app = create_app(config, registry=registry, provider=Scripted(), store=MemoryStore())
    assert isinstance(app, Guard)
    async with (
        app._app.router.lifespan_context(app._app),  # type: ignore[attr-defined]
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client,
    ):
        for (path, method), name, body, query, headers in wanted:
            place = path.replace("{id}", name).replace("{name}", name)
            answer = await client.request(method, place, content=body, params=query, headers=headers)
            assert answer.status_code != 500, (method, place, body, query, headers)
