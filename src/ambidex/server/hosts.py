"""Under which names, and from which pages, the server is spoken to.

A page of a stranger can make a browser call any address, also under a name that the stranger points at this machine.
So the Host must be one of ours, always; and an Origin, where a browser sends one, must be our own page or a listed one.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from ambidex.config import Config, keys
from ambidex.errors import ConfigError

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_EVERY = frozenset({"0.0.0.0", "::", ""})  # noqa: S104 - compared with, not listened on


@dataclass(frozen=True, slots=True)
class Doors:
    hosts: frozenset[str]
    """Names without a port: a proxy or a tunnel may change it."""
    origins: frozenset[str]

    def refuse(self, host: str | None, origin: str | None) -> str | None:
        """Why a request with these headers is not let in, if so."""
        if host is None or _name(host) not in self.hosts:
            return "this server is not known under that name; `server.hosts` lists the names it answers to"
        if origin is None or self.is_ours(host, origin) or origin.lower() in self.origins:
            return None
        return "pages of that origin may not use this server; `server.origins` lists those that may"

    def is_ours(self, host: str, origin: str) -> bool:
        """Whether it is the page that this very server gave out."""
        scheme, _, place = origin.lower().partition("://")
        return scheme in ("http", "https") and place == host.lower()


def is_loopback(address: str) -> bool:
    return address.strip("[]").lower() in LOOPBACK


def doors_of(config: Config) -> Doors:
    """From `server.host`, `server.hosts` and `server.origins`; raises `ConfigError` where no name is known."""
    address = config[keys.SERVER_HOST].strip("[]").lower()
    named = {name.lower() for name in config[keys.SERVER_HOSTS]}
    if address in _EVERY and not named:
        raise ConfigError(f"{address or 'every address'} has many names: list those of this server in server.hosts")
    own = LOOPBACK if address in LOOPBACK else {address} - _EVERY
    return Doors(
        frozenset(named | own), frozenset(origin.lower().rstrip("/") for origin in config[keys.SERVER_ORIGINS])
    )


def _name(host: str) -> str | None:
    """The name of a Host header; None where it is none."""
    try:
        parts = urlsplit(f"//{host}")
        clean = parts.username is None and not (parts.path or parts.query or parts.fragment) and parts.port != 0
    except ValueError:
        return None
    return parts.hostname if clean else None
