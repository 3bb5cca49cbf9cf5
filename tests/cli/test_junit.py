"""JUnit XML: well-formed whatever a handler wrote."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from ambidex.cli.junit import write_junit
from ambidex.testing.scenarios import Difference, ToolReport, Verdict


def test_what_xml_cannot_hold_is_escaped(tmp_path: Path) -> None:
    verdict = Verdict(Path("one.json"), "a\x00b <&>", [Difference("/data/\x1b", "\ud800", "]]>")], log=["\x07"])
    write_junit([ToolReport("greet", [verdict], problems=["\x0b"])], tmp_path / "deep" / "report.xml")
    root = ElementTree.parse(tmp_path / "deep" / "report.xml").getroot()
    [failure] = root.iter("failure")
    assert failure.get("message") == "a\\x00b <&>"
    assert "]]>" in (failure.text or "")


def test_times_are_those_of_the_scenarios(tmp_path: Path) -> None:
    verdicts = [Verdict(Path("a.json"), seconds=0.25), Verdict(Path("b.json"), seconds=0.5)]
    write_junit([ToolReport("greet", verdicts)], tmp_path / "report.xml")
    [suite] = ElementTree.parse(tmp_path / "report.xml").getroot()
    assert suite.get("time") == "0.750"
    assert [case.get("time") for case in suite] == ["0.250", "0.500"]
