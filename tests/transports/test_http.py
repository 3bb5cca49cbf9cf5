"""The connection to a provider."""

from __future__ import annotations

import ssl

from ambidex.transports.http import Wire


def _authorities(wire: Wire, url: str) -> int:
    """How many certificates the client for this address was loaded with."""
    context = wire._connected(url)._transport._pool._ssl_context  # type: ignore[attr-defined]
    assert isinstance(context, ssl.SSLContext)
    assert context.verify_mode is ssl.CERT_REQUIRED, "it would never trust just anybody"
    return context.cert_store_stats()["x509_ca"]


async def test_certificates_are_loaded_only_where_they_are_looked_at() -> None:
    plain, encrypted = Wire("openai"), Wire("openai")
    assert _authorities(plain, "HTTP://127.0.0.1:1/v1/chat/completions") == 0
    assert _authorities(encrypted, "https://127.0.0.1:1/v1/chat/completions") > 0
    await plain.close()
    await encrypted.close()


async def test_a_provider_keeps_one_client_until_it_is_closed() -> None:
    wire = Wire("openai")
    first = wire._connected("http://127.0.0.1:1/a")
    assert wire._connected("http://127.0.0.1:1/b") is first
    await wire.close()
    assert first.is_closed
    assert wire._connected("http://127.0.0.1:1/a") is not first
    await wire.close()
