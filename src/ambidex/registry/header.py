"""What the first bytes of an artifact say, read without decoding it: its versions, and the digest of all other bytes.

Canonical JSON sorts members, so these stand before `tools`, however many tools there are.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from ambidex.contracts.response import RESPONSE_VERSION
from ambidex.contracts.spec import ARTIFACT_VERSION

_HEAD_BYTES = 4096
_ARTIFACT_VERSION = re.compile(rb'\{"artifactVersion":"([^"]{1,40})"')
_INTEGRITY = re.compile(rb'"integrity":"([0-9a-f]{64})",')
_RESPONSE_VERSION = re.compile(rb'"toolResponseVersion":"([^"]{1,40})"')


@dataclass(frozen=True, slots=True)
class Header:
    artifact_version: str
    response_version: str
    integrity: str
    cut: tuple[int, int]
    """Where the member `integrity` stands, comma included: the bytes that its digest leaves out."""


def read_header(data: bytes) -> Header | None:
    """None when these are not the first bytes of an artifact."""
    head = data[:_HEAD_BYTES]
    artifact, integrity, response = (
        _ARTIFACT_VERSION.match(head),
        _INTEGRITY.search(head),
        _RESPONSE_VERSION.search(head),
    )
    if not (artifact and integrity and response):
        return None
    return Header(_text(artifact), _text(response), _text(integrity), integrity.span())


def unknown_version(header: Header) -> str | None:
    """Why this program must not read the artifact; None when it may. A newer minor only adds members."""
    for name, theirs, ours in (
        ("artifactVersion", header.artifact_version, ARTIFACT_VERSION),
        ("toolResponseVersion", header.response_version, RESPONSE_VERSION),
    ):
        if theirs.split(".")[0] != ours.split(".")[0]:
            return f"{name} is {theirs}, and this version of Ambidex reads {ours}"
    return None


def digest(data: bytes, header: Header) -> str:
    """sha256 of everything but the member `integrity`."""
    start, end = header.cut
    view = memoryview(data)
    sha = hashlib.sha256(view[:start])
    sha.update(view[end:])
    return sha.hexdigest()


def _text(match: re.Match[bytes]) -> str:
    return match.group(1).decode("ascii", "replace")
