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
_MEMBERS = {
    "data": ("data", True),
    "dataIncludes": ("data", False),
    "error": ("error", False),
    "intents": ("intents", True),
    "notices": ("notices", True),
    "sent": ("sent", True),
    "audit": ("audit", True),
}
"""Member of `expect` -> what it is compared with, and whether exactly."""


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
    seen, ignored = outcome.seen(), set[str]()
    found = list(_compared("/ok", expect["ok"], seen["ok"], exactly=True))
    if found and "error" in seen:
        # Why it failed says more than all the data that is not there.
        found.append(Difference("/error", ABSENT, seen["error"]))
        ignored = {"data", "dataIncludes"}
    for name, (member, exactly) in _MEMBERS.items():
        if name in expect and name not in ignored:
            found += _compared(f"/{member}", expect[name], seen.get(member, ABSENT), exactly=exactly)
    return found


def _compared(pointer: str, expected: Any, got: Any, *, exactly: bool) -> Iterator[Difference]:
    """Unless exactly, members of objects that are not named do not count; lists are compared to their end anyway."""
    if isinstance(expected, dict) and isinstance(got, dict):
        others = [name for name in got if name not in expected] if exactly else []
        names = (*expected, *others)
        pairs: list[tuple[str | int, Any, Any]] = [(name, _of(expected, name), _of(got, name)) for name in names]
    elif isinstance(expected, list) and isinstance(got, list):
        pairs = [(at, _at(expected, at), _at(got, at)) for at in range(max(len(expected), len(got)))]
    else:
        if not _same(expected, got):
            yield Difference(pointer, expected, got)
        return
    for token, mine, its in pairs:
        yield from _compared(child(pointer, token), mine, its, exactly=exactly)


def _of(members: Mapping[str, Any], name: str) -> Any:
    return members.get(name, ABSENT)


def _at(items: list[Any], index: int) -> Any:
    return items[index] if index < len(items) else ABSENT


def _same(expected: Any, got: Any) -> bool:
    """As JSON has it: 1 and 1.0 are one number, 1 and true are two values."""
    return isinstance(expected, bool) == isinstance(got, bool) and bool(expected == got)
