"""Who is asking. A key or a token in the `Authorization` header, never in an address; neither is ever logged.

Without authentication, which only a loopback address is allowed, everybody is the user `local`.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ambidex.config import Config, keys
from ambidex.contracts.user import SHIPPED_NAMESPACES, User
from ambidex.errors import ConfigError
from ambidex.server.answers import Refusal
from ambidex.server.hosts import is_loopback
from ambidex.server.tokens import Tokens, tokens_of

if TYPE_CHECKING:
    from ambidex.registry.registry import Registry

AUDIT_SCOPE = "audit"
"""Who holds it reads the audit of the whole tenant."""
METRICS_SCOPE = "metrics"
_LONGEST = 4096


class Authentication:
    """One for each process."""

    def __init__(self, local: User | None, api_keys: Mapping[str, User], tokens: Tokens | None) -> None:
        self._local = local
        self._keys = api_keys
        self._tokens = tokens

    async def user_of(self, header: str | None) -> User:
        """Raises `Refusal` with status 401; the words never quote what was given."""
        if self._local is not None:
            return self._local
        if header is None:
            raise _unauthorised("this needs authentication: send `Authorization: Bearer …`")
        scheme, _, secret = header.partition(" ")
        if scheme.lower() != "bearer" or not secret.strip() or len(secret) > _LONGEST:
            raise _unauthorised("the Authorization header must be `Bearer` and a key or token")
        user = self._by_key(secret.strip())
        if user is None and self._tokens is not None:
            user = await self._tokens.user_of(secret.strip())
        if user is None:
            raise _unauthorised("this key or token is not accepted")
        return user

    def _by_key(self, secret: str) -> User | None:
        given = hashlib.sha256(secret.encode(errors="replace")).hexdigest()
        found = None
        for kept, user in self._keys.items():  # all of them, so that time tells nothing
            if hmac.compare_digest(given, kept):
                found = user
        return found


def authentication_of(config: Config, registry: Registry) -> Authentication:
    """Raises `ConfigError` where an address that others can reach would be open to everybody."""
    api_keys = {str(entry["hash"]).lower(): _user(name, entry) for name, entry in _entries(config[keys.AUTH_KEYS])}
    tokens = tokens_of(config)
    if api_keys or tokens:
        return Authentication(None, api_keys, tokens)
    if not is_loopback(config[keys.SERVER_HOST]):
        raise ConfigError(
            f"{config[keys.SERVER_HOST]} can be reached by others, so it needs authentication: "
            "set auth.keys, auth.jwt_secret_file or auth.jwks, or listen on 127.0.0.1"
        )
    return Authentication(local_user(registry), {}, None)


def local_user(registry: Registry) -> User:
    """Whoever sits at this machine: every scope and every namespace."""
    scopes = {scope for tool in registry.tool_ids() for scope in registry.metadata(tool).get("permissions", ())}
    return User("local", scopes=scopes | {AUDIT_SCOPE, METRICS_SCOPE}, namespaces=SHIPPED_NAMESPACES)


def _entries(table: Mapping[str, Any]) -> Iterable[tuple[str, Mapping[str, Any]]]:
    for name, entry in table.items():
        digest = entry.get("hash") if isinstance(entry, Mapping) else None
        if not isinstance(digest, str) or len(digest) != 64 or set(digest.lower()) - set("0123456789abcdef"):
            raise ConfigError(
                f'auth.keys.{name} needs `hash`, the SHA-256 of the key: printf %s "$KEY" | sha256sum prints it'
            )
        if unknown := set(entry) - {"hash", "user", "tenant", "scopes", "namespaces"}:
            raise ConfigError(f"auth.keys.{name} has no {', '.join(sorted(unknown))}")
        yield name, entry


def _user(name: str, entry: Mapping[str, Any]) -> User:
    try:
        return User(
            str(entry.get("user", name)),
            scopes=frozenset(entry.get("scopes", ())),
            tenant=str(entry.get("tenant", "default")),
            namespaces=tuple(entry.get("namespaces", ())),
        )
    except (TypeError, ValueError) as error:
        raise ConfigError(f"auth.keys.{name}: {error}") from None


def _unauthorised(message: str) -> Refusal:
    return Refusal(401, "AUTH", message)
