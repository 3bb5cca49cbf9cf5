"""Everything that is otherwise made on first use, made now; all failures in one error."""

from __future__ import annotations

import hashlib

import msgspec

from ambidex.dialect.validator import SchemaError, compile_schema
from ambidex.errors import AmbidexError, ArtifactError, HandlerError
from ambidex.registry.registry import Registry
from ambidex.registry.tool import Tool


def verify(registry: Registry, data: bytes) -> None:
    """Raises `HandlerError` when only handlers fail, else `ArtifactError`; `data` are the bytes of the artifact."""
    failures: list[AmbidexError] = []
    if _hash_of_tools(data) != registry.content_hash:
        failures.append(ArtifactError(f"{registry.path}: contentHash is not the hash of its tools"))
    for tool_id in registry:
        failures.extend(_failures(registry._tool(tool_id)))
    if not failures:
        return
    kind = HandlerError if all(isinstance(failure, HandlerError) for failure in failures) else ArtifactError
    raise kind("\n".join([f"{registry.path}: {len(failures)} problems; run `ambidex build`", *map(str, failures)]))


def _failures(tool: Tool) -> list[AmbidexError]:
    found: list[AmbidexError] = []
    for make in (lambda: tool.plan, lambda: tool.execute, lambda: _check_response(tool)):
        try:
            make()
        except AmbidexError as error:
            found.append(error)
    return found


def _check_response(tool: Tool) -> None:
    schema = bytes(tool.spec.response)
    if not schema:
        return
    try:
        compile_schema(msgspec.json.decode(schema))
    except SchemaError as error:
        raise ArtifactError(f"{tool.spec.tool_id}: response{error.pointer} {error}") from None


class _Tools(msgspec.Struct):
    tools: msgspec.Raw


def _hash_of_tools(data: bytes) -> str:
    """Of the bytes as they stand: the file is canonical, so the array in it is, too."""
    return hashlib.sha256(msgspec.json.decode(data, type=_Tools).tools).hexdigest()
