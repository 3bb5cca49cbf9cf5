"""Artifact: canonical bytes that name their own contents."""

from __future__ import annotations

import json

import rfc8785
from tests.support.apps import Workshop


def test_the_file_is_canonical_and_its_version_is_its_content(workshop: Workshop) -> None:
    registry = workshop.build()
    artifact = json.loads(workshop.artifact.read_bytes())
    assert rfc8785.dumps(artifact) == workshop.artifact.read_bytes()
    assert registry.version == "1.0." + artifact["contentHash"][:8]
