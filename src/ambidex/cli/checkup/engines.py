"""Self-tests of the engines whose exact behaviour policy relies on: patterns and conditions."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ambidex.cli.checkup.finding import Finding, State

AREA = "engines"

_REINSTALL = "pip install --force-reinstall ambidex"

PATTERNS: tuple[tuple[str, str, bool, str], ...] = (
    ("^a$", "a", True, "an anchored pattern matches"),
    ("^a$", "a\n", False, "$ matches at the very end, not before a line break"),
    (r"^\d$", "7", True, r"\d matches a digit"),
    (r"^\d$", "\u0663", False, r"\d matches ASCII digits only"),
    (r"^\w$", "é", False, r"\w matches ASCII letters only"),
)
"""Pattern, text, whether it must match, and what that shows. Providers and other languages read patterns this way."""


def engines() -> Iterator[Finding]:
    yield _tested("patterns", _wrong_patterns)
    yield _tested("conditions", _wrong_conditions)


def _tested(name: str, test: Callable[[], list[str]]) -> Finding:
    try:
        wrong = test()
    except ImportError as error:
        return Finding(AREA, name, State.MISSING, str(error), _REINSTALL)
    if wrong:
        return Finding(AREA, name, State.BROKEN, f"does not hold: {'; '.join(wrong)}", _REINSTALL)
    return Finding(AREA, name, State.OK, "behave as pinned")


def _wrong_patterns() -> list[str]:
    from ambidex.dialect.validator import compile_schema

    def matches(pattern: str, text: str) -> bool:
        return bool(compile_schema({"type": "string", "pattern": pattern}).is_valid(text))

    return [shows for pattern, text, expected, shows in PATTERNS if matches(pattern, text) is not expected]


def _wrong_conditions() -> list[str]:
    from ambidex.dialect.conditions import AVAILABILITY, ConditionError, compile_condition

    wrong = []
    if compile_condition("mode == 'voice'", AVAILABILITY).evaluate({"mode": "voice"}) is not True:
        wrong.append("a true condition is true")
    try:
        compile_condition("mode == 1", AVAILABILITY)
        wrong.append("types are checked")
    except ConditionError:
        pass
    return wrong
