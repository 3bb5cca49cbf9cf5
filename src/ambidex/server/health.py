"""For those who operate it: is the process alive, does it want work, and what has it counted."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from ambidex.audit.prometheus import CONTENT_TYPE, exposition
from ambidex.server.answers import Refusal, json_answer
from ambidex.server.auth import METRICS_SCOPE
from ambidex.server.state import state_of, user_of


async def healthz(_: Request) -> Response:
    """The process answers."""
    return json_answer({"ok": True})


async def readyz(request: Request) -> Response:
    """Tools are loaded and checked, the store answers, and the process is not about to stop."""
    state = state_of(request)
    ready = state.ready and state.app.healthy
    facts = {"ready": ready, "registryVersion": state.app.registry.version, "store": state.app.healthy}
    return json_answer(facts, 200 if ready else 503)


async def metrics(request: Request) -> Response:
    """Prometheus' text format, of this worker."""
    if METRICS_SCOPE not in user_of(request).scopes:
        raise Refusal(403, "UNAVAILABLE", f"reading metrics needs the scope {METRICS_SCOPE}")
    page = exposition(state_of(request).app.registry.metrics())
    return Response(page, headers={"content-type": CONTENT_TYPE})
