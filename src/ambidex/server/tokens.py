"""JSON Web Tokens: signed by a shared secret, or by a key of a published set (JWKS).

Which algorithms count is ours to say, never the token's; a token without an end or without a subject is refused.
"""

from __future__ import annotations

import asyncio
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ambidex.config import Config, keys
from ambidex.contracts.user import User
from ambidex.errors import ConfigError, MissingExtra

_SHARED = ("HS256", "HS384", "HS512")
_PUBLIC = ("RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "EdDSA")
_LEEWAY_SECONDS = 30
_FRESH_SECONDS = 3600.0
_PAUSE_SECONDS = 30.0
"""Between two looks at the key set: made-up key ids must not make us fetch it again and again."""
_LARGEST_SET = 1 << 20
_LONGEST_NAME = 256


class Tokens:
    def __init__(self, secret: bytes | None, keys: KeySet | None, issuer: str, audience: str) -> None:
        self._secret = secret
        self._keys = keys
        self._issuer = issuer
        self._audience = audience

    async def user_of(self, token: str) -> User | None:
        """None for anything that is not a valid token of ours."""
        import jwt

        try:
            algorithm = str(jwt.get_unverified_header(token).get("alg"))
            if self._secret is not None and algorithm in _SHARED:
                return self._checked(token, self._secret, _SHARED)
            if self._keys is not None and algorithm in _PUBLIC:
                key = await self._keys.find(jwt.get_unverified_header(token).get("kid"))
                return None if key is None else self._checked(token, key, (algorithm,))
        except (jwt.PyJWTError, ValueError, TypeError):
            return None
        return None

    def _checked(self, token: str, key: Any, algorithms: Sequence[str]) -> User:
        import jwt

        claims = jwt.decode(
            token,
            key,
            algorithms=list(algorithms),
            leeway=_LEEWAY_SECONDS,
            issuer=self._issuer or None,
            audience=self._audience or None,
            options={"require": ["exp", "sub"], "verify_aud": bool(self._audience)},
        )
        return user_from(claims)


def user_from(claims: dict[str, Any]) -> User:
    """`sub`, `tenant`, `scope` (or `scopes`), `namespaces`. Raises `ValueError` where they make no user."""
    subject, tenant = claims["sub"], claims.get("tenant", "default")
    if not all(isinstance(name, str) and 0 < len(name) <= _LONGEST_NAME for name in (subject, tenant)):
        raise ValueError("sub and tenant must be names")
    return User(
        subject,
        scopes=frozenset(_words(claims.get("scope", claims.get("scopes", ())))),
        tenant=tenant,
        namespaces=_words(claims.get("namespaces", ())),
    )


def _words(claim: Any) -> tuple[str, ...]:
    """A list, or words with spaces between them, as OAuth has it."""
    words = claim.split() if isinstance(claim, str) else claim
    if not isinstance(words, (list, tuple)) or not all(isinstance(word, str) for word in words):
        raise ValueError("scopes and namespaces are words")
    return tuple(words)


class KeySet:
    """The public keys at an address or in a file; read when first needed, and again when they may have changed."""

    def __init__(self, place: str) -> None:
        self._place = place
        self._keys: dict[str | None, Any] = {}
        self._read_at = float("-inf")
        self._lock = asyncio.Lock()

    async def find(self, kid: Any) -> Any | None:
        async with self._lock:
            age = time.monotonic() - self._read_at
            if age > _FRESH_SECONDS or (kid not in self._keys and age > _PAUSE_SECONDS):
                self._keys = await asyncio.to_thread(self._read)
                self._read_at = time.monotonic()
        return self._keys.get(kid)

    def _read(self) -> dict[str | None, Any]:
        import jwt

        try:
            if self._place.startswith("https://"):
                with urllib.request.urlopen(self._place, timeout=5) as answer:  # noqa: S310 - https, from configuration
                    document = answer.read(_LARGEST_SET).decode()
            else:
                document = Path(self._place).read_text(encoding="utf-8")
        except OSError:
            return self._keys  # those of before are better than none; unknown ones are refused
        return {key.key_id: key.key for key in jwt.PyJWKSet.from_json(document).keys}


def tokens_of(config: Config) -> Tokens | None:
    """What `auth.jwt_secret_file` and `auth.jwks` say; None where neither is set."""
    secret_file, place = config[keys.AUTH_JWT_SECRET_FILE], config[keys.AUTH_JWKS]
    if not secret_file and not place:
        return None
    try:
        import jwt  # noqa: F401
    except ImportError:
        raise MissingExtra("authentication by tokens", "server") from None
    secret = _secret(Path(secret_file)) if secret_file else None
    if place and "://" in place and not place.startswith("https://"):
        raise ConfigError("auth.jwks must be an https address or a file: whoever changes the keys on the way is anyone")
    keyset = KeySet(place) if place else None
    return Tokens(secret, keyset, config[keys.AUTH_ISSUER], config[keys.AUTH_AUDIENCE])


def _secret(path: Path) -> bytes:
    try:
        secret = path.read_bytes().strip()
    except OSError as error:
        raise ConfigError(f"auth.jwt_secret_file: {path} cannot be read ({error.strerror})") from None
    if len(secret) < 32:
        raise ConfigError(f"auth.jwt_secret_file: {path} must hold at least 32 bytes, or tokens can be forged")
    return secret
