"""Artifacts for tests, made without the compiler: a valid one, and ways to spoil it."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from ambidex.contracts.response import RESPONSE_VERSION
from ambidex.contracts.spec import ARTIFACT_VERSION, PROVIDERS
from ambidex.dialect.canonical import canonical

HANDLER = "async def execute(args, context):\n    return {'ok': True, 'data': dict(args)}\n"

PARAMETERS: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["query"],
    "properties": {
        "query": {"type": "string", "minLength": 1, "maxLength": 200},
        "top_k": {"type": "integer", "minimum": 1, "maximum": 10, "default": 5},
    },
}


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def entry(tool_id: str = "kb_search", files: dict[str, str] | None = None, **changes: Any) -> dict[str, Any]:
    """One tool of an artifact. `files` are sources by name inside the tool's folder."""
    folder = tool_id.replace("_", "-")
    sources = {"handler.py": HANDLER} if files is None else files
    schemas = {name: {"name": tool_id, "for": name, "parameters": PARAMETERS} for name in PROVIDERS}
    return {
        "toolId": tool_id,
        "version": "1.2.3",
        "description": f"What {tool_id} does.",
        "category": "retrieval",
        "sideEffects": "read_only",
        "idempotent": True,
        "requiresConfirmation": False,
        "allowedModes": ["text", "voice"],
        "latencyBudgetMs": 800,
        "timeoutMs": 8000,
        "interruptible": True,
        "suspends": False,
        "jsonSchema": PARAMETERS,
        "providerSchemas": schemas,
        "summary": f"Summary of {tool_id}.",
        "documentation": f"# {tool_id}\n\nWords.",
        "phrases": [f"please {tool_id}"],
        "handlerPath": f"{folder}/handler.py",
        "files": {f"{folder}/{name}": sha256(text.encode()) for name, text in sources.items()},
        **changes,
    }


def artifact(*tools: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A whole artifact but for `integrity`."""
    ordered = sorted(tools, key=lambda tool: str(tool["toolId"]))
    content = sha256(canonical(ordered))
    return {
        "artifactVersion": ARTIFACT_VERSION,
        "toolResponseVersion": RESPONSE_VERSION,
        "version": f"1.0.{content[:8]}",
        "contentHash": content,
        "gitCommit": "abc1234",
        "buildTimestamp": "2026-01-31T09:30:00Z",
        "tools": ordered,
        **changes,
    }


def sealed(content: dict[str, Any]) -> bytes:
    """The bytes of an artifact, its digest added."""
    return canonical({**content, "integrity": sha256(canonical(content))})


def write_artifact(folder: Path, *tools: dict[str, Any], **changes: Any) -> Path:
    path = folder / "tool_registry.json"
    path.write_bytes(sealed(artifact(*(tools or (entry(),)), **changes)))
    return path


def write_sources(folder: Path, tool_id: str = "kb_search", files: dict[str, str] | None = None) -> Path:
    """The files of one tool under `folder`/tools."""
    for name, text in ({"handler.py": HANDLER} if files is None else files).items():
        path = folder / "tools" / tool_id.replace("_", "-") / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder / "tools"


def project(folder: Path, files: dict[str, str] | None = None, **changes: Any) -> Path:
    """An artifact of one tool, kb_search, with its sources beside it."""
    write_sources(folder, files=files)
    return write_artifact(folder, entry(files=files, **changes))
