"""The lints: one small generator for each thing that must hold, grouped by what they read."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ambidex.authoring.finding import Finding
from ambidex.authoring.source import Source
from ambidex.compiler.checks import conditions, documentation, handler, metadata, parameters, values

Check = Callable[[Source], Iterator[Finding]]

CHECKS: tuple[Check, ...] = (
    *metadata.CHECKS,
    *values.CHECKS,
    *parameters.CHECKS,
    *conditions.CHECKS,
    *documentation.CHECKS,
    *handler.CHECKS,
)
"""All of them run on every tool, whatever the others found: an author mends everything in one go."""
