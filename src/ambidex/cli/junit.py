"""Scenario results as JUnit XML, which every CI reads: a suite for each tool, a case for each scenario."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, ElementTree, SubElement, indent

from ambidex.cli.printable import printable

if TYPE_CHECKING:
    from ambidex.testing.scenarios.run import ToolReport, Verdict


def write_junit(reports: Sequence[ToolReport], path: Path) -> None:
    suites = Element("testsuites", name="ambidex test")
    for report in reports:
        suites.append(_suite(report))
    indent(suites)
    path.parent.mkdir(parents=True, exist_ok=True)
    ElementTree(suites).write(path, encoding="utf-8", xml_declaration=True)


def _suite(report: ToolReport) -> Element:
    broken = bool(report.problems)
    counts = {
        "tests": len(report.verdicts) + broken,
        "failures": sum(not verdict.passed for verdict in report.verdicts),
        "errors": int(broken),
    }
    seconds = sum(verdict.seconds for verdict in report.verdicts)
    suite = Element("testsuite", {name: str(n) for name, n in counts.items()}, name=report.tool, time=f"{seconds:.3f}")
    if broken:
        case = SubElement(suite, "testcase", classname=report.tool, name="build", time="0.000")
        SubElement(case, "error", message="the tool does not build").text = _lines(report.problems)
    for verdict in report.verdicts:
        suite.append(_case(report.tool, verdict))
    return suite


def _case(tool: str, verdict: Verdict) -> Element:
    from ambidex.testing.scenarios.telling import told

    case = Element("testcase", classname=tool, name=verdict.name, time=f"{verdict.seconds:.3f}")
    if not verdict.passed:
        message = printable(verdict.problem or verdict.about)
        SubElement(case, "failure", message=message).text = _lines(told(verdict))
    return case


def _lines(lines: Sequence[str]) -> str:
    """Nothing in it that XML cannot hold."""
    return "\n".join(map(printable, lines))
