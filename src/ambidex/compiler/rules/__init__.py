"""Every lint, in one table: a code never changes its meaning, and a page of `docs/lints/` is made from its row."""

from __future__ import annotations

from ambidex.compiler.rules import (
    conditions,
    documentation,
    files,
    handler,
    metadata,
    parameters,
    project,
    providers,
)
from ambidex.compiler.rules.rule import Rule

_GROUPS = (files, metadata, parameters, documentation, handler, conditions, providers, project)

RULES: dict[str, Rule] = {rule.code: rule for group in _GROUPS for rule in group.RULES}
