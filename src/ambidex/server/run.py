"""Serving a port: one process, or several on one socket and one store. Stops as it was asked to: see `app.py`."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context
from multiprocessing.synchronize import Semaphore
from threading import Thread
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.auto import AutoHTTPProtocol
from uvicorn.supervisors import Multiprocess

from ambidex.config import Config, keys
from ambidex.server.app import create_app

_FIRST_BYTES_SECONDS = 10.0
_IDLE_SECONDS = 30
_HEADER_BYTES = 64 << 10
_BACKLOG = 2048


class ImpatientProtocol(AutoHTTPProtocol):  # type: ignore[misc,valid-type]
    """A connection that never finishes its request line and headers is closed: it must not be held for nothing."""

    _patience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._wait_for_request()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._wait_for_request()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait_for_request(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop_waiting()
        elif self._patience is None:
            self._patience = self.loop.call_later(_FIRST_BYTES_SECONDS, self._give_up)

    def _stop_waiting(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None

    def _give_up(self) -> None:
        self._patience = None
        if self.cycle is None or self.cycle.response_complete:
            self.transport.close()


class _Server(uvicorn.Server):
    """Told to stop, it stops, and that is no failure: the signal is not raised once more when all has ended."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        with super().capture_signals():
            yield
            self._captured_signals.clear()


def bound_socket(host: str, port: int) -> socket.socket:
    """Bound already, so that all workers share it and the port is known before the first of them starts."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host.strip("[]"), port))
    except OSError:
        listening.close()
        raise
    listening.setblocking(False)
    listening.set_inheritable(True)
    return listening


def server_for(app: ASGIApp | Callable[[], ASGIApp], config: Config, *, factory: bool = False) -> uvicorn.Server:
    return _Server(
        uvicorn.Config(
            app,
            factory=factory,
            http=ImpatientProtocol,
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,  # it would write down queries; the guard logs without them
            server_header=False,
            proxy_headers=False,
            backlog=_BACKLOG,
            h11_max_incomplete_event_size=_HEADER_BYTES,
            timeout_keep_alive=_IDLE_SECONDS,
            timeout_graceful_shutdown=max(1, config[keys.GRACE_SECONDS]),
            workers=config[keys.SERVER_WORKERS],
        )
    )


def serve(
    config: Config,
    listening: socket.socket,
    *,
    path: str | None,
    overrides: Mapping[str, Any],
    provider: str | None,
    verbose: bool,
    on_ready: Callable[[], object] = lambda: None,
) -> bool:
    """Until it is told to stop; whether it ran at all. Each worker reads `path` and `overrides` for itself.

    `on_ready` is called, in a thread, when every worker has loaded what it needs.
    """
    ready = get_context("spawn").Semaphore(0)  # as uvicorn starts its workers
    made = partial(worker_app, path, dict(overrides), provider, verbose, ready)
    server = server_for(made, config, factory=True)

    def tell() -> None:
        # A worker says that it is ready a moment before it listens: whoever hears of it may come at once, and waits.
        listening.listen(_BACKLOG)
        on_ready()

    Thread(target=_tell, args=(ready, config[keys.SERVER_WORKERS], tell), daemon=True).start()
    if config[keys.SERVER_WORKERS] == 1:
        server.run(sockets=[listening])
        return server.started
    Multiprocess(server.config, sockets=[listening]).run()
    return True


def _tell(ready: Semaphore, workers: int, on_ready: Callable[[], object]) -> None:
    for _ in range(workers):
        ready.acquire()
    on_ready()


def worker_app(
    path: str | None, overrides: Mapping[str, Any], provider: str | None, verbose: bool, ready: Semaphore
) -> ASGIApp:
    """What each worker makes; the configuration is read where it is used."""
    logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s: %(message)s", level=logging.WARNING)
    if verbose:
        logging.getLogger("ambidex").setLevel(logging.INFO)
    return create_app(Config.load(path, overrides=overrides), provider_name=provider, on_ready=ready.release)
