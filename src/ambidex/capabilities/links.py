"""Links that came out of data or a model: which of them a person may be shown, and whether anyone vouches for the host.

A link is judged as the text it is. Nothing is fetched here, and what is refused is to be shown as plain text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import SplitResult, quote, urlsplit

from ambidex.dialect.text import hidden_characters

PORTS = {"https": 443, "http": 80}
_MOST = 2048
_LABEL = re.compile(r"(?!-)[a-z0-9-]{1,63}(?<!-)")
_REST = re.compile(r"(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/?#]|%[0-9A-Fa-f]{2})*")
_ASCII = "".join(map(chr, range(0x20, 0x7F)))


@dataclass(frozen=True, slots=True)
class Link:
    url: str
    verified: bool
    """Its host is on the list of those that the project vouches for."""


def safe_link(url: object, allowed_hosts: Iterable[str] = (), *, http: bool = False) -> Link | None:
    """The link if it may be shown as one, else None.

    `allowed_hosts` are host names; `*.example.org` stands for every host below example.org. `http` is the exception
    for a host that is reached without encryption on purpose. What is not ASCII behind the host comes back escaped.
    """
    if not isinstance(url, str) or not 0 < len(url) <= _MOST or not url.isprintable() or hidden_characters(url):
        return None
    scheme, _, rest = quote(url, safe=_ASCII).partition("://")
    scheme = scheme.lower()
    if scheme not in ({"https", "http"} if http else {"https"}) or not _REST.fullmatch(rest):
        return None
    parts = urlsplit(f"{scheme}://{rest}")
    host, port = _host(parts), _port(parts)
    if host is None or port is None:
        return None
    vouched = port == PORTS[scheme] and any(_covers(pattern, host) for pattern in allowed_hosts)
    return Link(parts.geturl(), verified=vouched)


def _host(parts: SplitResult) -> str | None:
    """A name that reads as what it is: no user before it, no punycode that looks like another, no bare number."""
    if parts.username is not None or parts.password is not None or "@" in parts.netloc or "%" in parts.netloc:
        return None
    host = (parts.hostname or "").removesuffix(".")
    labels = host.split(".")
    if len(labels) < 2 or len(host) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        return None
    if any(label.startswith("xn--") for label in labels) or _is_number(labels[-1]):
        return None
    return host


def _port(parts: SplitResult) -> int | None:
    try:
        return parts.port or (None if parts.port == 0 else PORTS[parts.scheme])
    except ValueError:
        return None


def _is_number(label: str) -> bool:
    """An address in disguise ends in a number: 127.0.0.1, 0x7f.1, 017700000001."""
    return label.isdigit() or re.fullmatch(r"0x[0-9a-f]*", label) is not None


def _covers(pattern: str, host: str) -> bool:
    pattern = pattern.lower()
    return host.endswith(pattern[1:]) if pattern.startswith("*.") else host == pattern
