"""The application: routes, and what is opened when a process starts and closed when it stops."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.routing import Route
from starlette.types import ASGIApp

from ambidex.agents.capabilities import agent_capabilities
from ambidex.agents.providers import open_provider
from ambidex.agents.text import TextAgent
from ambidex.audit.export import AuditExporter
from ambidex.config import Config, keys
from ambidex.orchestrator import Orchestrator
from ambidex.registry.load import load
from ambidex.server import api, chat, confirming, health, history, page
from ambidex.server.answers import HANDLERS
from ambidex.server.auth import authentication_of
from ambidex.server.capable import warm_base
from ambidex.server.guard import Guard
from ambidex.server.hosts import doors_of
from ambidex.server.keeping import Keeper
from ambidex.server.openapi import openapi
from ambidex.server.state import State, limits_of
from ambidex.server.turns import Turns
from ambidex.server.warming import warm
from ambidex.stores.open import open_store

if TYPE_CHECKING:
    from ambidex.registry.registry import Registry
    from ambidex.stores.base import Store
    from ambidex.transports.base import TextProvider

ROUTES = [
    Route("/api/chat", chat.post_chat, methods=["POST"]),
    Route("/api/chat/{id}", history.read_chat, methods=["GET"]),
    Route("/api/chat/{id}/stream", chat.resume_chat, methods=["GET"]),
    Route("/api/chat/{id}/stop", chat.stop_chat, methods=["POST"]),
    Route("/api/confirmations", confirming.list_confirmations, methods=["GET"]),
    Route("/api/confirmations/{id}/approve", confirming.approve, methods=["POST"]),
    Route("/api/confirmations/{id}/reject", confirming.reject, methods=["POST"]),
    Route("/api/tools", api.list_tools, methods=["GET"]),
    Route("/api/sessions", api.list_sessions, methods=["GET"]),
    Route("/api/audit", api.read_audit, methods=["GET"]),
    Route("/metrics", health.metrics, methods=["GET"]),
    Route("/healthz", health.healthz, methods=["GET"]),
    Route("/readyz", health.readyz, methods=["GET"]),
    Route("/openapi.json", openapi, methods=["GET"]),
    Route("/", page.index, methods=["GET"]),
    Route("/page/{name}", page.asset, methods=["GET"]),
]

_LAST_WORDS_SECONDS = 1.0
"""For answers that nobody reads any more when the process stops; those with a reader had the whole grace time."""


def create_app(
    config: Config,
    *,
    registry: Registry | None = None,
    provider: TextProvider | None = None,
    provider_name: str | None = None,
    store: Store | None = None,
    capabilities: Mapping[str, Any] | None = None,
    on_ready: Callable[[], object] = lambda: None,
) -> ASGIApp:
    """The ASGI application of one worker. What is not given is opened from the configuration when it starts; `on_ready`
    is called once all of it is loaded, right before requests are let in.

    Raises `ConfigError` for an address that others can reach without authentication.
    """
    loaded = registry or load(config[keys.ARTIFACT], eager=True)
    authentication = authentication_of(config, loaded)
    doors = doors_of(config)

    @asynccontextmanager
    async def opened() -> AsyncIterator[State]:
        kept = store or open_store(config[keys.STORE])
        audit = _exporter(kept, config) if store is None else None
        model = provider or open_provider(config, loaded, provider_name)
        usable = {**agent_capabilities(kept), **(capabilities or {})}
        async with Orchestrator(loaded, store=kept, config=config, capabilities=usable, audit=audit) as app:
            if "kb" not in usable:
                await warm_base(app.knowledge_base)
            stored, agent = Keeper(app), TextAgent(app, model, config)
            turns = Turns(stored)
            state = State(app, stored, agent, turns, authentication, limits_of(config), config)
            await warm(agent)
            try:
                yield state
            finally:
                state.ready = False
                await turns.close(_LAST_WORDS_SECONDS)
                if provider is None:
                    await model.close()

    inner = Starlette(routes=ROUTES, exception_handlers=HANDLERS, lifespan=_lifespan(opened, on_ready))
    return Guard(inner, doors, config[keys.SERVER_REQUESTS_PER_MINUTE], lambda: inner.state.ambidex)


def _lifespan(
    opened: Callable[[], AbstractAsyncContextManager[State]], on_ready: Callable[[], object]
) -> Callable[[Starlette], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with opened() as state:
            app.state.ambidex = state
            on_ready()
            yield

    return lifespan


def _exporter(store: Store, config: Config) -> AuditExporter | None:
    """The audit's files, where there is a store that lasts."""
    if not store.durable:
        return None
    return AuditExporter(
        store,
        config[keys.AUDIT_DIRECTORY],
        anchor_file=config[keys.AUDIT_ANCHORS],
        rotate_bytes=config[keys.AUDIT_ROTATE_BYTES],
    )
