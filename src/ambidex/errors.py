"""Exceptions, for code rather than for models.

* AmbidexError
  x BuildError       the tool folders do not compile; carries every problem found
  x ArtifactError    tool_registry.json is missing, damaged or of another version
  x HandlerError     a handler's files are missing, altered since the build, or do not load
  x RegistryLocked   something tried to change the registry after start
  x ConfigError      ambidex.toml or an AMBIDEX_ variable is wrong
  x MissingExtra     an optional dependency is needed and not installed
  x Refused          no session or no turn: the user is blocked, the session ended, or there is none
  x ToolError        raised by a handler that knows why it failed
    + CapabilityError  raised by what a handler uses; it may say what a handler may not
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ambidex.contracts.faults import ErrorType
from ambidex.contracts.problem import Problem, Severity
from ambidex.contracts.response import Fault, ToolResponse
from ambidex.contracts.result import fail


class AmbidexError(Exception):
    """The root of the tree above."""


class BuildError(AmbidexError):
    """Nothing was written."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems: list[Problem] = list(problems)
        errors = sum(problem.severity is Severity.ERROR for problem in self.problems)
        super().__init__("\n".join([f"{errors} errors; nothing was written", *map(str, self.problems)]))


class ArtifactError(AmbidexError):
    """The message says which file, what is wrong with it and what to do."""


class HandlerError(AmbidexError):
    """The message names the tool and the file."""


class RegistryLocked(AmbidexError):
    """A registry is locked at start so that every session sees the same tools."""


class ConfigError(AmbidexError):
    """The message names the key and where it was set."""


class MissingExtra(AmbidexError):
    """An optional dependency is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        self.extra = extra
        super().__init__(f'{what} needs an extra: pip install "ambidex[{extra}]"')


class ToolError(AmbidexError):
    """An unexpected failure that a handler can name; its envelope is the one `fail` makes."""

    def __init__(self, type: ErrorType, message: str, **fields: Any) -> None:
        self.response: ToolResponse = fail(type, message, **fields)
        super().__init__(message)


class CapabilityError(ToolError):
    """A capability is absent, or policy keeps this call from using it: the pipeline's answer, by way of a handler."""


class Refused(AmbidexError):
    """`open`, `attach` and `begin_turn` did not do it. `error` says why, as it would stand in an envelope."""

    def __init__(self, error: Fault) -> None:
        self.error = error
        super().__init__(f"{error.type}: {error.message}")
