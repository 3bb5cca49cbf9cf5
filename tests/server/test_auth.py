"""Who is asking: keys and tokens, and addresses that must not be open to everybody."""

from __future__ import annotations

import hashlib
import json
import time
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from tests.server.site import configured
from tests.support.apps import Workshop

from ambidex.errors import ConfigError
from ambidex.registry.registry import Registry
from ambidex.server.answers import Refusal
from ambidex.server.auth import Authentication, authentication_of

SECRET = "a shared secret of more than thirty-two bytes"


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    return Workshop(tmp_path).reading("look", permissions=["library"]).build()


def made(tmp_path: Path, registry: Registry, **overrides: Any) -> Authentication:
    return authentication_of(configured(tmp_path, **overrides), registry)


async def refused(authentication: Authentication, header: str | None) -> bool:
    try:
        await authentication.user_of(header)
    except Refusal as refusal:
        return refusal.status == 401
    return False


async def test_on_loopback_everybody_is_the_local_user_with_every_scope(tmp_path: Path, registry: Registry) -> None:
    user = await made(tmp_path, registry).user_of(None)
    assert user.id == "local"
    assert {"library", "audit", "metrics"} <= user.scopes
    assert "studio" in user.namespaces


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "example.org"])
def test_another_address_needs_authentication(host: str, tmp_path: Path, registry: Registry) -> None:
    with pytest.raises(ConfigError, match="authentication"):
        made(tmp_path, registry, **{"server.host": host})


async def test_a_key_stands_for_its_user_and_is_kept_as_a_hash(tmp_path: Path, registry: Registry) -> None:
    entry = {"hash": hashlib.sha256(b"open sesame").hexdigest(), "user": "ann", "tenant": "acme", "scopes": ["library"]}
    authentication = made(tmp_path, registry, **{"auth.keys": {"laptop": entry}})
    user = await authentication.user_of("Bearer open sesame")
    assert (user.id, user.tenant, user.scopes) == ("ann", "acme", frozenset({"library"}))
    for header in (None, "", "Bearer", "Bearer ", "Bearer wrong", "Basic open sesame", f"Bearer {entry['hash']}"):
        assert await refused(authentication, header)


@pytest.mark.parametrize("entry", [{}, {"hash": "short"}, {"hash": "0" * 64, "secret": "x"}, "text"])
def test_a_key_that_is_written_down_wrongly_is_told_at_the_start(
    entry: Any, tmp_path: Path, registry: Registry
) -> None:
    with pytest.raises(ConfigError, match=r"auth\.keys\.laptop"):
        made(tmp_path, registry, **{"auth.keys": {"laptop": entry}})


def claims(**more: Any) -> dict[str, Any]:
    given = {
        "sub": "ann",
        "exp": time.time() + 60,
        "tenant": "acme",
        "scope": "library audit",
        "namespaces": ["studio"],
    }
    return {name: value for name, value in {**given, **more}.items() if value is not None}


async def test_a_token_by_a_shared_secret_brings_its_claims(tmp_path: Path, registry: Registry) -> None:
    (tmp_path / "secret").write_text(SECRET)
    authentication = made(tmp_path, registry, **{"auth.jwt_secret_file": str(tmp_path / "secret")})
    user = await authentication.user_of(f"Bearer {jwt.encode(claims(), SECRET, 'HS256')}")
    assert (user.id, user.tenant, user.namespaces) == ("ann", "acme", ("studio",))
    assert user.scopes == {"library", "audit"}
    wrong = [
        jwt.encode(claims(exp=time.time() - 3600), SECRET, "HS256"),
        jwt.encode(claims(exp=None), SECRET, "HS256"),
        jwt.encode(claims(sub=None), SECRET, "HS256"),
        jwt.encode(claims(sub=""), SECRET, "HS256"),
        jwt.encode(claims(namespaces=[1]), SECRET, "HS256"),
        jwt.encode(claims(), SECRET + "!", "HS256"),
        jwt.encode(claims(), "", "none"),
        "a.b.c",
    ]
    for token in wrong:
        assert await refused(authentication, f"Bearer {token}"), token


async def test_issuer_and_audience_count_where_they_are_set(tmp_path: Path, registry: Registry) -> None:
    (tmp_path / "secret").write_text(SECRET)
    named = {"auth.issuer": "https://id.example", "auth.audience": "ambidex"}
    authentication = made(tmp_path, registry, **{"auth.jwt_secret_file": str(tmp_path / "secret"), **named})
    right = jwt.encode(claims(iss="https://id.example", aud="ambidex"), SECRET, "HS256")
    assert (await authentication.user_of(f"Bearer {right}")).id == "ann"
    for other in ({"iss": "https://id.example"}, {"aud": "ambidex"}, {"iss": "x", "aud": "ambidex"}):
        assert await refused(authentication, f"Bearer {jwt.encode(claims(**other), SECRET, 'HS256')}")


async def test_a_token_by_a_published_key_is_checked_against_it(tmp_path: Path, registry: Registry) -> None:
    ours, theirs = (rsa.generate_private_key(public_exponent=65537, key_size=2048) for _ in range(2))
    published = jwt.algorithms.RSAAlgorithm.to_jwk(ours.public_key(), as_dict=True)
    (tmp_path / "jwks.json").write_text(json.dumps({"keys": [{**published, "kid": "k1", "alg": "RS256"}]}))
    authentication = made(tmp_path, registry, **{"auth.jwks": str(tmp_path / "jwks.json")})
    right = jwt.encode(claims(), ours, "RS256", headers={"kid": "k1"})
    assert (await authentication.user_of(f"Bearer {right}")).id == "ann"
    public = published["n"]  # what a forger knows
    for token in (
        jwt.encode(claims(), theirs, "RS256", headers={"kid": "k1"}),
        jwt.encode(claims(), ours, "RS256", headers={"kid": "k2"}),
        jwt.encode(claims(), public, "HS256", headers={"kid": "k1"}),
    ):
        assert await refused(authentication, f"Bearer {token}")


def test_a_short_secret_and_a_key_set_without_tls_are_refused(tmp_path: Path, registry: Registry) -> None:
    (tmp_path / "secret").write_text("short")
    with pytest.raises(ConfigError, match="32 bytes"):
        made(tmp_path, registry, **{"auth.jwt_secret_file": str(tmp_path / "secret")})
    with pytest.raises(ConfigError, match="https"):
        made(tmp_path, registry, **{"auth.jwks": "http://id.example/jwks.json"})
