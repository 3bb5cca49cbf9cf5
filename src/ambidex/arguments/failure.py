"""One error of the validator with what is needed to explain it, and what is told of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ambidex.arguments.places import Names, value_at
from ambidex.arguments.wording import deref
from ambidex.dialect.keywords import LIST_OF_SCHEMAS, MAP_OF_SCHEMAS
from ambidex.dialect.pointer import from_path, resolve

Path = list[str | int]


@dataclass(frozen=True, slots=True)
class Mistake:
    """`detail` has pointer, rule, limit and what else a repair needs; `sentence` says the same to a model."""

    path: Path
    sentence: str
    detail: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Failure:
    """One error of the validator with everything needed to explain it."""

    schema: Any
    names: Names
    path: Path
    """Into the arguments."""
    schema_path: Path
    """Into the schema, down to the keyword; references are resolved."""
    kind: str
    facts: dict[str, Any]
    """What the validator says of this kind of error."""
    value: Any

    @property
    def rule(self) -> str:
        """The keyword that failed; `false` where the schema of the value itself is `false`."""
        if self.kind == "falseSchema" and not _ends_in_keyword(self.schema_path):
            return "false"
        return self.kind if self.kind == "propertyNames" else str(self.schema_path[-1])

    @property
    def node(self) -> dict[str, Any]:
        """The schema object that holds the keyword."""
        return deref(self.schema, _resolve(self.schema, self.schema_path[:-1]))

    @property
    def limit(self) -> Any:
        """What the keyword says, as authored; else as the validator has it, for a bound that a number format means."""
        return self.node.get(self.rule, next(iter(self.facts.values()), None))

    def mistake(self, words: str, *, below: str | int | None = None, rule: str | None = None, **facts: Any) -> Mistake:
        path = self.path if below is None else [*self.path, below]
        detail = {"pointer": self.names.pointer(path), "rule": rule or self.rule, **facts}
        return Mistake(path, f"{self.names.words(path)} {words}", detail)


def failure(schema: Any, names: Names, args: Any, error: Any) -> Failure:
    """From an error of jsonschema_rs."""
    path, kind = error.instance_path, error.kind
    # Of a schema that is `false` the error holds a value inside the object in question.
    value = value_at(args, path) if kind.name == "falseSchema" else error.instance
    return Failure(schema, names, path, error.schema_path, kind.name, kind.as_dict(), value)


def declared(failed: Failure) -> dict[str, Any]:
    """The properties known at the place of an error, also those that a surrounding `allOf` or `then` stands beside."""
    known: dict[str, Any] = {}
    steps = failed.schema_path[:-1]
    while True:
        known = {**deref(failed.schema, _resolve(failed.schema, steps)).get("properties", {}), **known}
        if steps and steps[-1] in ("then", "else", "if"):
            steps = steps[:-1]
        elif len(steps) > 1 and (steps[-2] in LIST_OF_SCHEMAS - {"prefixItems"} or steps[-2] == "dependentSchemas"):
            steps = steps[:-2]
        else:
            return known


def _ends_in_keyword(path: Path) -> bool:
    """Whether the last step is a keyword, and not the property or the number that follows one."""
    step = 0
    while step < len(path) - 1:
        step += 2 if path[step] in MAP_OF_SCHEMAS or path[step] in LIST_OF_SCHEMAS else 1
    return step == len(path) - 1


def _resolve(schema: Any, path: Path) -> Any:
    try:
        return resolve(schema, from_path(path))
    except LookupError:
        return {}
