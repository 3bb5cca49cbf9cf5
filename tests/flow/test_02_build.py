"""Build: every folder is checked, and all of them become one artifact."""

from __future__ import annotations

from tests.support.apps import Workshop

import ambidex


def test_all_folders_become_one_file(workshop: Workshop) -> None:
    report = ambidex.build(workshop.root / "tools", workshop.artifact)
    assert report.tools == ("look", "send")
    assert workshop.artifact.is_file()
