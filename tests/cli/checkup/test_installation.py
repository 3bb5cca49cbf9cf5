"""What the doctor says about Python, packages and extras."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from ambidex.cli.checkup import installation
from ambidex.cli.checkup.finding import Finding, State


def found(monkeypatch: pytest.MonkeyPatch, *requirements: str) -> dict[str, Finding]:
    """The findings of an installation that requires these packages."""
    monkeypatch.setattr(installation, "requires", lambda _: list(requirements))
    return {finding.name: finding for finding in installation.installation()}


def test_requirements_are_read_as_the_package_declares_them() -> None:
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    read = list(installation.requirements())
    assert {f"{name}>={least}" for name, least, extra in read if extra is None} == set(project["dependencies"])
    assert set(installation.EXTRAS) == set(extras) - {"dev"}
    for extra in installation.EXTRAS:
        # An extra of ours inside another one is written out by the build.
        own = {re.sub(r"\[.*]", "", wanted) for wanted in extras[extra] if not wanted.startswith("ambidex[")}
        assert own <= {f"{name}>={least}" for name, least, of in read if of == extra}


def test_a_package_that_is_missing_or_too_old_has_to_be_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    findings = found(monkeypatch, "no-such-package>=2", "msgspec>=9999.1", "click>=8.1", "rich")
    assert findings["no-such-package"].state is State.MISSING
    assert findings["no-such-package"].next == 'pip install "no-such-package>=2"'
    assert findings["msgspec"].state is State.MISSING
    assert findings["msgspec"].next == 'pip install --upgrade "msgspec>=9999.1"'
    assert findings["click"].state is findings["rich"].state is State.OK


def test_a_missing_extra_is_noted_with_what_it_is_for(monkeypatch: pytest.MonkeyPatch) -> None:
    findings = found(monkeypatch, "no-such-package>=2; extra == 'tokens'", 'click>=8 ; extra == "tools"')
    assert findings["extra tokens"].state is State.NOTE
    assert findings["extra tokens"].next == 'pip install "ambidex[tokens]"'
    assert "exact prompt sizes" in findings["extra tokens"].detail
    assert findings["extra tools"].state is State.OK


def test_an_old_python_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installation, "PYTHON", (99, 0))
    assert found(monkeypatch)["python"].state is State.BROKEN
