"""The conversion vectors: small schemas, and what each adapter must make of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

_FILE = Path(__file__).parent.parent / "vectors" / "provider_schemas.json"
VECTORS: list[dict[str, Any]] = json.loads(_FILE.read_text())["vectors"]

CASES = [
    pytest.param(provider, vector["parameters"], expected, id=f"{vector['id']}-{provider}")
    for vector in VECTORS
    for provider, expected in vector["expect"].items()
]
SCHEMAS = [pytest.param(vector["parameters"], id=vector["id"]) for vector in VECTORS]
