"""The written pages agree with the code and with each other."""

from __future__ import annotations

import re
import tomllib

import pytest
from tests.docs.pages import ROOT, anchors, links, pages

import ambidex
from ambidex.contracts import schemas
from ambidex.contracts.call import Mode
from ambidex.policy.ladder import AFTER_IDENTITY, BEFORE_IDENTITY
from ambidex.policy.limits import DEFAULTS


def text(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", pages())
def test_links_lead_somewhere(page: str) -> None:
    dead = []
    for line, target in links(page):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        found = (ROOT / page).parent.joinpath(path).resolve() if path else ROOT / page
        known = anchors(found.relative_to(ROOT).as_posix()) if anchor and found.is_file() else {anchor}
        if not found.exists() or anchor not in known:
            dead.append(f"{page}:{line} {target}")
    assert dead == []


def test_the_index_names_every_chapter() -> None:
    named = {target.partition("#")[0] for _, target in links("docs/README.md")}
    chapters = {path.name for path in (ROOT / "docs").glob("*.md")} - {"README.md"}
    assert chapters <= named


def test_writing_a_tool_describes_every_field_of_schema_json() -> None:
    tables = text("docs/writing-a-tool.md").partition("### Required")[2].partition("### Conditions")[0]
    rows = set(re.findall(r"^\| `([\w$]+)` \|", tables, re.MULTILINE))
    assert rows == set(schemas.schema(schemas.TOOL)["properties"])


def test_every_dependency_has_its_reason() -> None:
    project = tomllib.loads(text("pyproject.toml"))["project"]
    extras = project["optional-dependencies"]
    asked = [*project["dependencies"], *(one for extra in extras.values() for one in extra)]
    names = {re.split(r"[\[<>=~! ]", one)[0] for one in asked} - {"ambidex"}
    explained = set(re.findall(r"^\| `([\w.-]+)` \|", text("docs/dependencies.md"), re.MULTILINE))
    assert explained == names
    assert all(f"`{extra}`" in text("docs/dependencies.md") for extra in extras)


def test_contributing_lists_the_layers_of_the_package() -> None:
    listed = re.findall(r"^    (\w+) {2,}\S.*$", ambidex.__doc__ or "", re.MULTILINE)
    shown = re.findall(r"^(\w+) {2,}\S.*$", text("CONTRIBUTING.md"), re.MULTILINE)
    assert shown == listed


def test_the_pipelines_page_has_the_ladder_in_its_order() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", text("docs/pipeline.md"), re.MULTILINE)
    assert rows == [gate.__name__ for gate in (*BEFORE_IDENTITY, *AFTER_IDENTITY)]


@pytest.mark.parametrize("name", ["retrieval", "total", "discovery", "refusals", "retries"])
def test_the_pipelines_page_has_the_limits_of_both_modes(name: str) -> None:
    [row] = re.findall(rf"^\|.*\| (\d+) \| (\d+) \| `limits\.MODE\.{name}` \|$", text("docs/pipeline.md"), re.MULTILINE)
    assert [int(cell) for cell in row] == [getattr(DEFAULTS[mode], name) for mode in (Mode.VOICE, Mode.TEXT)]
