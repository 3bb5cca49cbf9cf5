"""A scenario file, read and checked against the published schema."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ambidex.authoring.folder import UNREAD
from ambidex.contracts import schemas
from ambidex.contracts.faults import ErrorType
from ambidex.dialect.pointer import from_path
from ambidex.errors import AmbidexError


class ScenarioError(AmbidexError):
    """A file that cannot be run; the message names the file and, by JSON pointer, the place in it."""

    def __init__(self, path: Path, pointer: str, message: str) -> None:
        self.path = path
        self.pointer = pointer
        self.message = message
        super().__init__(f"{path}{'#' + pointer if pointer else ''}: {message}")


@dataclass(frozen=True, slots=True)
class Scenario:
    path: Path
    about: str
    given: Mapping[str, Any]
    call: Mapping[str, Any]
    expect: Mapping[str, Any]

    @property
    def name(self) -> str:
        return self.path.stem


def find_scenarios(folder: Path) -> list[Path]:
    """The scenario files of one tool folder, by name."""
    return sorted((folder / UNREAD).glob("*.json"))


def read_scenario(path: Path, *, unwritten: bool = False) -> Scenario:
    """Raises `ScenarioError`. With `unwritten`, `expect` may be left out and is then empty: it is yet to be written."""
    document = _decoded(path)
    filled = {"expect": {"ok": True}, **document} if unwritten and isinstance(document, dict) else document
    problem = next(_checker().iter_errors(filled), None)
    if problem is not None:
        raise ScenarioError(path, from_path(problem.instance_path), _shortened(problem.message))
    _check_failures(path, document["given"].get("capabilities", {}))
    return Scenario(path, document["about"], document["given"], document["call"], document.get("expect", {}))


def _decoded(path: Path) -> Any:
    try:
        return json.loads(path.read_text("utf-8"), object_pairs_hook=_members, parse_constant=_refuse)
    except OSError as error:
        raise ScenarioError(path, "", f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ScenarioError(path, "", "is not UTF-8") from None
    except RecursionError:
        raise ScenarioError(path, "", "is nested too deeply") from None
    except json.JSONDecodeError as error:
        words = f"line {error.lineno}, column {error.colno}: is not JSON: {error.msg}"
        raise ScenarioError(path, "", words) from None
    except ValueError as error:
        raise ScenarioError(path, "", str(error)) from None


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A member that is there twice would hide one of two expectations."""
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"an object has the member {next(n for n in names if names.count(n) > 1)!r} twice")
    return members


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


@cache
def _checker() -> Any:
    from ambidex.dialect.validator import compile_schema

    return compile_schema(schemas.schema(schemas.SCENARIO))


def _shortened(message: str, most: int = 300) -> str:
    """The engine quotes the whole value that is wrong, which may be long."""
    return message if len(message) <= most else f"…{message[1 - most :]}"


def _check_failures(path: Path, capabilities: Mapping[str, Any]) -> None:
    """A failure is of a type that exists: a misspelled one would show nothing."""
    for name, answers in capabilities.items():
        for member, answer in (answers or {}).items():
            failure = answer if member == "fails" else answer.get("fails") if isinstance(answer, dict) else None
            if failure is not None and failure["type"] not in ErrorType.__members__.values():
                place = (name, member, "type") if member == "fails" else (name, member, "fails", "type")
                words = f"there is no error type {failure['type']}"
                raise ScenarioError(path, from_path(("given", "capabilities", *place)), words)
