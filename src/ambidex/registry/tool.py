"""One tool of a registry: its spec, and what is made of it on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ambidex.contracts.spec import ToolSpec
from ambidex.errors import ArtifactError, HandlerError

if TYPE_CHECKING:
    from ambidex.arguments.prepare import ArgumentPlan
    from ambidex.registry.handlers import Execute


class Tool:
    """For the pipeline. A plan and a handler are made once; two threads at once would make equal ones.

    What makes them is imported with the first of them: a process that only reads schemas starts twice as fast.
    """

    __slots__ = ("_execute", "_plan", "_root", "_spec")

    def __init__(self, spec: ToolSpec, root: str | None) -> None:
        self._spec = spec
        self._root = root
        self._plan: ArgumentPlan | None = None
        self._execute: Execute | None = None

    @property
    def spec(self) -> ToolSpec:
        return self._spec

    @property
    def plan(self) -> ArgumentPlan:
        """Raises `ArtifactError` when the schema in the artifact is none."""
        if self._plan is None:
            from ambidex.arguments.prepare import ArgumentPlan
            from ambidex.dialect.validator import SchemaError

            try:
                self._plan = ArgumentPlan(msgspec.json.decode(self._spec.json_schema), self._spec.mode_limits)
            except SchemaError as error:
                raise ArtifactError(f"{self._spec.tool_id}: jsonSchema{error.pointer} {error}") from None
        return self._plan

    @property
    def execute(self) -> Execute:
        """Raises `HandlerError` when the handler is missing, altered or does not load."""
        if self._execute is None:
            from ambidex.registry.handlers import load_handler

            spec = self._spec
            if self._root is None:
                words = "the tools folder was not found; give it as `load(path, tools=…)`"
                raise HandlerError(f"{spec.tool_id}: {spec.handler_path} cannot be read: {words}")
            files = msgspec.json.decode(spec.files, type=dict[str, str])
            self._execute = load_handler(spec.tool_id, self._root, spec.handler_path, files)
        return self._execute
