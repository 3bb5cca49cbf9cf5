"""Failure Modes: the error types that a guide's items begin with, and who shows them."""

from __future__ import annotations

from pathlib import Path

from tests.support.folders import GUIDE
from tests.testing.scenarios.conftest import Write

from ambidex.testing.scenarios import read_scenario
from ambidex.testing.scenarios.coverage import FailureMode, failure_modes, named

_MODES = """## Failure Modes
- **VALIDATION**: the name is missing, as with TRANSIENT things.
* `AUTH`: sign in.
1. RATE_LIMIT: wait.
- **NONSENSE**: is no type.
CONFLICT is only mentioned.
- **AUTH**: again.
"""


def test_each_item_names_the_type_that_it_begins_with() -> None:
    guide = GUIDE.replace("## Failure Modes\n- **VALIDATION**: the name is missing.\n", _MODES)
    assert named(guide) == ["VALIDATION", "AUTH", "RATE_LIMIT"]


def test_other_sections_name_none() -> None:
    assert named(GUIDE.replace("## Common Mistakes\n", "## Common Mistakes\n- **TIMEOUT**: no.\n")) == ["VALIDATION"]
    assert named("# A guide without the section\n\n- **TIMEOUT**: no.\n") == []


def test_a_type_is_shown_by_the_scenarios_that_expect_it(write: Write, tmp_path: Path) -> None:
    for name, kind in (("a", "VALIDATION"), ("b", "VALIDATION"), ("c", "AUTH")):
        write(tmp_path, name, expect={"ok": False, "error": {"type": kind}})
    scenarios = [read_scenario(path) for path in sorted((tmp_path / "scenarios").iterdir())]
    assert failure_modes(GUIDE, scenarios) == [FailureMode("VALIDATION", ("a", "b"))]
    assert failure_modes(GUIDE, []) == [FailureMode("VALIDATION", ())]
