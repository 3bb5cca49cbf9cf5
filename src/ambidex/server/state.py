"""What every request finds: the orchestrator, the agent, limits, and who is asking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from ambidex.config import Config, keys
from ambidex.contracts.user import User

if TYPE_CHECKING:
    from starlette.requests import Request

    from ambidex.agents.text import TextAgent
    from ambidex.orchestrator import Orchestrator
    from ambidex.server.auth import Authentication
    from ambidex.server.keeping import Keeper
    from ambidex.server.turns import Turns


@dataclass(frozen=True, slots=True)
class Limits:
    body_bytes: int
    message_characters: int
    read_seconds: float
    write_seconds: float
    turn_gap_ms: int
    turns_per_minute: int
    requests_per_minute: int
    linger_seconds: float
    wait_seconds: float


def limits_of(config: Config) -> Limits:
    return Limits(
        body_bytes=config[keys.SERVER_BODY_BYTES],
        message_characters=config[keys.SERVER_MESSAGE_CHARACTERS],
        read_seconds=config[keys.SERVER_READ_SECONDS],
        write_seconds=config[keys.SERVER_WRITE_SECONDS],
        turn_gap_ms=config[keys.SERVER_TURN_GAP_MS],
        turns_per_minute=config[keys.SERVER_TURNS_PER_MINUTE],
        requests_per_minute=config[keys.SERVER_REQUESTS_PER_MINUTE],
        linger_seconds=config[keys.SERVER_LINGER_SECONDS],
        wait_seconds=config[keys.SERVER_WAIT_SECONDS],
    )


@dataclass(slots=True)
class State:
    """One for each process; made when it starts, given to every request."""

    app: Orchestrator
    stored: Keeper
    agent: TextAgent
    turns: Turns
    authentication: Authentication
    limits: Limits
    config: Config
    ready: bool = True
    """Whether new work is welcome; no longer once the process is to stop."""

    def redacted_paths(self, tool: str) -> tuple[str, ...]:
        registry = self.app.registry
        return tuple(registry.metadata(tool).get("redact", ())) if tool in registry else ()


def state_of(request: Request) -> State:
    return cast(State, request.app.state.ambidex)


def user_of(request: Request) -> User:
    """As authenticated by the guard; nothing that the request itself says."""
    found: Any = request.scope["user"]
    assert isinstance(found, User)
    return found
