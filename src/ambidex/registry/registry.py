"""What a session, a prompt and a server ask of the tools. Everything handed out is the caller's own copy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, NoReturn

import msgspec

from ambidex.contracts.call import Category, Mode
from ambidex.contracts.spec import Artifact, ToolSpec
from ambidex.errors import AmbidexError, ArtifactError, RegistryLocked
from ambidex.registry.counts import Counts
from ambidex.registry.names import UnknownName, category_of, mode_of, provider_of
from ambidex.registry.tool import Tool

_NOT_METADATA = frozenset({"json_schema", "provider_schemas", "documentation", "files"})
"""Large, and each has its own method, or, like `files`, concerns nobody outside."""


class Summary(NamedTuple):
    """One line of a prompt's list of tools."""

    tool_id: str
    category: Category
    summary: str


class Registry:
    """A loaded artifact. Once locked it stays as it is: every session sees the same tools."""

    __slots__ = ("_artifact", "_counts", "_locked", "_path", "_reload", "_root", "_schemas", "_specs", "_tools")

    _artifact: Artifact
    _counts: Counts
    """What the pipeline counts; the tools stay as they are."""
    _locked: bool
    _path: str
    _reload: Callable[[], Registry]
    _root: str | None
    _schemas: dict[tuple[str, Mode | None], bytes]
    _specs: dict[str, ToolSpec]
    _tools: dict[str, Tool]

    def __init__(self, artifact: Artifact, path: str, root: str | None, reload: Callable[[], Registry]) -> None:
        own = object.__setattr__
        own(self, "_artifact", artifact)
        own(self, "_path", path)
        own(self, "_root", root)
        own(self, "_reload", reload)
        own(self, "_specs", {spec.tool_id: spec for spec in artifact.tools})
        own(self, "_counts", Counts(self._specs))
        own(self, "_tools", {})
        own(self, "_schemas", {})
        own(self, "_locked", False)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise RegistryLocked(f"a registry cannot be changed: {name} comes from {self._path}")

    def __delattr__(self, name: str) -> NoReturn:
        raise RegistryLocked(f"a registry cannot be changed: {name} comes from {self._path}")

    def __repr__(self) -> str:
        return f"<Registry {self.version}: {len(self)} tools, {'locked' if self._locked else 'not locked'}>"

    # Which artifact this is

    @property
    def version(self) -> str:
        return self._artifact.version

    @property
    def content_hash(self) -> str:
        return self._artifact.content_hash

    @property
    def git_commit(self) -> str | None:
        return self._artifact.git_commit

    @property
    def path(self) -> str:
        return self._path

    # Lock, snapshot, reload

    @property
    def locked(self) -> bool:
        return self._locked

    def lock(self) -> None:
        """From now on `reload` is refused. There is no way back."""
        object.__setattr__(self, "_locked", True)

    def snapshot(self) -> Registry:
        """What a session pins. A locked registry cannot change, so it is its own snapshot."""
        if not self._locked:
            raise AmbidexError("a session needs tools that stay as they are: lock() the registry before snapshot()")
        return self

    def reload(self) -> Registry:
        """A new, unlocked registry from the same file; raises `RegistryLocked` when this one is locked."""
        if self._locked:
            raise RegistryLocked(f"the registry {self.version} is locked: load {self._path} anew in another process")
        return self._reload()

    # Tools by name

    def __len__(self) -> int:
        return len(self._specs)

    def __contains__(self, tool_id: object) -> bool:
        return isinstance(tool_id, str) and tool_id in self._specs

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self._specs))

    def tool_ids(self, mode: Mode | str | None = None) -> tuple[str, ...]:
        """The ids of all tools, or of those allowed in a mode, sorted."""
        wanted = mode_of(mode)
        return tuple(name for name, spec in self._specs.items() if wanted is None or wanted in spec.allowed_modes)

    def tools_by_category(self, category: Category | str) -> tuple[str, ...]:
        wanted = category_of(category)
        return tuple(name for name, spec in self._specs.items() if spec.category is wanted)

    def summaries(self, mode: Mode | str | None = None) -> list[Summary]:
        """Id, category and summary of each tool allowed in a mode, by id."""
        specs = (self._specs[name] for name in self.tool_ids(mode))
        return [Summary(spec.tool_id, spec.category, spec.summary) for spec in specs]

    def metrics(self) -> dict[str, Any]:
        """What was counted in this process: `{"registryVersion", "tools": {id: …}, "sessions": {mode: …}}`.

        Every tool has a row, also when nobody called it; names that are no tool are counted in the row `unknown`.
        """
        return {"registryVersion": self.version, **self._counts.plain()}

    # One tool; `UnknownName`, a KeyError, when there is none

    def metadata(self, tool_id: str) -> dict[str, Any]:
        """Everything about a tool but its schemas, documentation and files, in camelCase; nothing that is absent."""
        spec = self._spec(tool_id)
        fields = zip(spec.__struct_fields__, spec.__struct_encode_fields__, strict=True)
        named = {wire: getattr(spec, name) for name, wire in fields if name not in _NOT_METADATA}
        return {wire: _plain(value) for wire, value in named.items() if not _is_absent(value)}

    def documentation(self, tool_id: str) -> str:
        return msgspec.json.decode(self._spec(tool_id).documentation, type=str)

    def phrases(self, tool_id: str) -> list[str]:
        """What users say when they want this tool."""
        return msgspec.json.decode(self._spec(tool_id).phrases, type=list[str])

    def json_schema(self, tool_id: str) -> dict[str, Any]:
        """The parameters, as authored."""
        schema: dict[str, Any] = msgspec.json.decode(self._spec(tool_id).json_schema)
        return schema

    def _spec(self, tool_id: str) -> ToolSpec:
        try:
            return self._specs[tool_id]
        except (KeyError, TypeError):
            raise UnknownName("tool", tool_id, self._specs) from None

    def _tool(self, tool_id: str) -> Tool:
        """For the pipeline, which alone runs tools."""
        tool = self._tools.get(tool_id) if type(tool_id) is str else None
        return tool or self._tools.setdefault(tool_id, Tool(self._spec(tool_id), self._root))

    # What a provider is sent

    def provider_schemas(self, provider: str = "openai", mode: Mode | str | None = None) -> list[dict[str, Any]]:
        """The declarations of all tools allowed in a mode; raises `ArtifactError` when a tool lacks this provider."""
        schemas: list[dict[str, Any]] = msgspec.json.decode(self.provider_schemas_json(provider, mode))
        return schemas

    def provider_schemas_json(self, provider: str = "openai", mode: Mode | str | None = None) -> bytes:
        """The same as JSON text, joined from the bytes of the artifact."""
        wanted = mode_of(mode)
        key = (provider_of(provider, wanted), wanted)
        if key not in self._schemas:
            parts = (self._declaration(name, key[0]) for name in self.tool_ids(wanted))
            self._schemas[key] = b"[" + b",".join(parts) + b"]"
        return self._schemas[key]

    def _declaration(self, tool_id: str, provider: str) -> bytes:
        schemas = msgspec.json.decode(self._specs[tool_id].provider_schemas, type=dict[str, msgspec.Raw])
        if provider not in schemas:
            words = f"add it to `targets` and build {self._path} again"
            raise ArtifactError(f"{tool_id} has no schema for the provider {provider}: {words}")
        return bytes(schemas[provider])


def _is_absent(value: Any) -> bool:
    """`response` is empty text where the author gave none."""
    return value is None or (isinstance(value, msgspec.Raw) and not bytes(value))


def _plain(value: Any) -> Any:
    """A copy made of JSON's own types; `response` and `phrases` stand undecoded in the spec."""
    return msgspec.json.decode(value if isinstance(value, msgspec.Raw) else msgspec.json.encode(value))
