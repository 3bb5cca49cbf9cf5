"""Formats that a schema may name. All are asserted at run time; an unknown one stops the build."""

from __future__ import annotations

STRING_FORMATS: dict[str, str] = {
    "email": "name@example.com",
    "idn-email": "name@example.com",
    "date-time": "2026-01-31T09:30:00Z",
    "date": "2026-01-31",
    "time": "09:30:00Z",
    "duration": "PT30M",
    "uri": "https://example.com/page",
    "uri-reference": "/page",
    "iri": "https://example.com/page",
    "iri-reference": "/page",
    "uri-template": "https://example.com/{id}",
    "uuid": "123e4567-e89b-42d3-a456-426614174000",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "hostname": "example.com",
    "idn-hostname": "example.com",
    "json-pointer": "/a/b",
    "relative-json-pointer": "1/a",
    "regex": "^a+$",
}
"""Name -> a value that satisfies it, for messages from which a model can correct itself."""

NUMBER_FORMATS: dict[str, tuple[int, int] | None] = {
    "int32": (-(2**31), 2**31 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "float": None,
    "double": None,
}
"""OpenAPI's number formats -> the bounds they mean. Engines skip formats on numbers, so the bounds are asserted."""

KNOWN_FORMATS = frozenset(STRING_FORMATS) | frozenset(NUMBER_FORMATS)
