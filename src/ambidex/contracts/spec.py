"""The artifact, `tool_registry.json`, as it stands on disk: one `ToolSpec` for each tool.

What a call does not need at start (schemas, documentation) stays `msgspec.Raw`: undecoded bytes of the file.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from ambidex.contracts.call import Category, Downstream, Mode, SideEffects

ARTIFACT_VERSION = "1.0"

PROVIDERS: tuple[str, ...] = (
    "openai",
    "openaiResponses",
    "openaiRealtime",
    "geminiNative",
    "geminiJsonSchema",
    "anthropic",
    "mcp",
)
"""Keys of `providerSchemas`, one adapter each."""


class RateLimit(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    calls: int
    window_ms: int
    per: Literal["user", "session"] = "user"


class ToolSpec(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, gc=False):
    """One compiled tool. Members that an author left out hold the default that the build resolved."""

    tool_id: str
    version: str
    description: str
    category: Category
    side_effects: SideEffects
    idempotent: bool
    requires_confirmation: bool
    allowed_modes: tuple[Mode, ...]
    latency_budget_ms: float
    timeout_ms: float
    interruptible: bool
    suspends: bool
    """Whether the handler can suspend; one that cannot is run inline."""
    json_schema: msgspec.Raw
    """`parameters`, as authored."""
    provider_schemas: msgspec.Raw
    """Provider -> the whole declaration, ready to send."""
    summary: str
    documentation: msgspec.Raw
    phrases: msgspec.Raw
    """What users say when they want this tool, from the guide's examples."""
    handler_path: str
    """Relative to the tools folder, with forward slashes."""
    files: msgspec.Raw
    """Path -> sha256, for every file of the tool's folder."""

    intents: tuple[str, ...] = ()
    intents_on_failure: tuple[str, ...] = ()
    downstream: Downstream | None = None
    """Only for tools that write."""
    repeatable: bool = False
    untrusted: bool = False
    safe_after_untrusted: bool = False
    voice_consent: bool = False
    permissions: tuple[str, ...] = ()
    redact: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()
    acknowledge: tuple[str, ...] = ()
    response: msgspec.Raw = msgspec.Raw(b"")
    """JSON Schema of `data`; no bytes where the author wrote none."""
    mode_limits: dict[Mode, dict[str, dict[str, Any]]] | None = None
    rate_limit: RateLimit | None = None
    max_concurrency: int | None = None
    availability: str | None = None
    confirm_when: str | None = None
    preview: str | None = None
    tool_response_version: str | None = None


class Artifact(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The whole file. Canonical RFC 8785 bytes; generated, never edited."""

    artifact_version: str
    tool_response_version: str
    version: str
    content_hash: str
    git_commit: str | None
    build_timestamp: str
    tools: tuple[ToolSpec, ...]
    integrity: str
