"""What came of a call beside what was expected: every difference, at its JSON pointer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from ambidex.dialect.pointer import child
from ambidex.testing.scenarios.play import Outcome


class _Absent:
    def __repr__(self) -> str:
        return "(nothing)"


ABSENT: Final = _Absent()
_EXACT = ("data", "intents", "notices", "sent", "audit")
_IN_PART = {"dataIncludes": "data", "error": "error"}


@dataclass(frozen=True, slots=True)
class Difference:
    pointer: str
    """From the envelope, with `sent` and `audit` beside its members."""
    expected: Any
    """`ABSENT` where nothing should be."""
    got: Any
    """`ABSENT` where nothing is."""


def differences(outcome: Outcome, expect: Mapping[str, Any]) -> list[Difference]:
    """How the outcome departs from a scenario's `expect`; empty when it does not."""
    seen = outcome.seen()
    found = list(_exact("/ok", expect["ok"], seen["ok"])) if "ok" in expect else []
    if found and "error" in seen:
        # Why it failed says more than all the data that is not there.
        found.append(Difference("/error", ABSENT, seen["error"]))
    for name in _EXACT:
        if name in expect and not (found and name == "data"):
            found += _exact(f"/{name}", expect[name], seen.get(name, ABSENT))
    for name, whole in _IN_PART.items():
        if name in expect and not (found and whole == "data" and whole not in seen):
            found += _in_part(f"/{whole}", expect[name], seen.get(whole, ABSENT))
    return found


def _exact(pointer: str, expected: Any, got: Any) -> Iterator[Difference]:
    if isinstance(expected, dict) and isinstance(got, dict):
        for name in [*expected, *(name for name in got if name not in expected)]:
            yield from _exact(child(pointer, name), expected.get(name, ABSENT), got.get(name, ABSENT))
    elif isinstance(expected, list) and isinstance(got, list):
        for index in range(max(len(expected), len(got))):
            yield from _exact(child(pointer, index), _at(expected, index), _at(got, index))
    elif not _same(expected, got):
        yield Difference(pointer, expected, got)


def _in_part(pointer: str, expected: Any, got: Any) -> Iterator[Difference]:
    """Members of objects that are not named do not count; lists are compared item by item, to their end."""
    if isinstance(expected, dict) and isinstance(got, dict):
        for name, value in expected.items():
            yield from _in_part(child(pointer, name), value, got.get(name, ABSENT))
    elif isinstance(expected, list) and isinstance(got, list):
        for index in range(max(len(expected), len(got))):
            yield from _in_part(child(pointer, index), _at(expected, index), _at(got, index))
    elif not _same(expected, got):
        yield Difference(pointer, expected, got)


def _at(items: list[Any], index: int) -> Any:
    return items[index] if index < len(items) else ABSENT


def _same(expected: Any, got: Any) -> bool:
    """As JSON has it: 1 and 1.0 are one number, 1 and true are two values."""
    return isinstance(expected, bool) == isinstance(got, bool) and bool(expected == got)
