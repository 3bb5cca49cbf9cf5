"""Scenario files: what is wrong in one is named with its file and its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.testing.scenarios.conftest import Write

from ambidex.contracts import schemas
from ambidex.ledger.rows import State
from ambidex.testing.scenarios import ScenarioError, find_scenarios, read_scenario


def test_a_scenario_is_read(write: Write, tmp_path: Path) -> None:
    scenario = read_scenario(write(tmp_path, "hello", call={"name": "Ada"}))
    assert (scenario.name, scenario.about, scenario.call) == ("hello", "It is so.", {"name": "Ada"})


@pytest.mark.parametrize(
    ("members", "pointer", "words"),
    [
        ({"about": None}, "", "about"),
        ({"given": {}}, "/given", "mode"),
        ({"given": {"mode": "video"}}, "/given/mode", "video"),
        ({"given": {"mode": "text", "now": "tomorrow"}}, "/given/now", "tomorrow"),
        ({"given": {"mode": "text", "moood": 1}}, "/given", "moood"),
        ({"given": {"mode": "text", "state": {"mode": "voice"}}}, "/given/state", "mode"),
        ({"given": {"mode": "text", "capabilities": {"blocks": {}}}}, "/given/capabilities/blocks", ""),
        ({"given": {"mode": "text", "capabilities": {"kb": {"get": {}}}}}, "/given/capabilities/kb/get", ""),
        ({"call": []}, "/call", "object"),
        ({"expect": {}}, "/expect", "ok"),
        ({"expect": {"ok": "yes"}}, "/expect/ok", "boolean"),
        ({"expect": {"ok": True, "audit": [{"name": "x"}]}}, "/expect/audit/0", "event"),
    ],
)
def test_what_is_written_otherwise_is_named_by_its_place(
    write: Write, tmp_path: Path, members: dict[str, Any], pointer: str, words: str
) -> None:
    path = write(tmp_path, **members)
    with pytest.raises(ScenarioError) as caught:
        read_scenario(path)
    assert caught.value.pointer == pointer
    assert words in caught.value.message
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("capabilities", "pointer"),
    [
        ({"messaging": {"fails": {"type": "TRANSIENTT", "message": "x"}}}, "/messaging/fails/type"),
        ({"kb": {"get": {"fails": {"type": "NO", "message": "x"}}}}, "/kb/get/fails/type"),
    ],
)
def test_a_failure_of_a_type_that_does_not_exist_is_refused(
    write: Write, tmp_path: Path, capabilities: dict[str, Any], pointer: str
) -> None:
    with pytest.raises(ScenarioError, match="there is no error type") as caught:
        read_scenario(write(tmp_path, given={"mode": "text", "capabilities": capabilities}))
    assert caught.value.pointer == f"/given/capabilities{pointer}"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'{\n  "about": nope}', "line 2, column 12: is not JSON"),
        (b"\xff", "is not UTF-8"),
        (b"[" * 200_000, "nested too deeply"),
        (b"[]", "object"),
        (b'{"about": "x", "about": "y"}', "has the member 'about' twice"),
        (b'{"about": NaN}', "NaN is not JSON"),
    ],
)
def test_a_file_that_is_no_json_object_is_refused(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(content)
    with pytest.raises(ScenarioError, match=words):
        read_scenario(path)


def test_a_file_that_is_gone_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="cannot be read"):
        read_scenario(tmp_path / "gone.json")


def test_expect_may_be_left_out_only_where_it_is_about_to_be_written(write: Write, tmp_path: Path) -> None:
    path = write(tmp_path, expect=None)
    with pytest.raises(ScenarioError, match="expect"):
        read_scenario(path)
    assert read_scenario(path, unwritten=True).expect == {}


def test_a_tools_scenarios_are_found_by_name_and_nothing_below_them(write: Write, tmp_path: Path) -> None:
    write(tmp_path, "b")
    write(tmp_path, "a")
    write(tmp_path / "scenarios" / "tools" / "other", "c")
    assert [path.stem for path in find_scenarios(tmp_path)] == ["a", "b"]


def test_the_states_members_are_those_of_a_session_that_something_can_be_said_about() -> None:
    published = set(schemas.schema(schemas.SCENARIO)["$defs"]["given"]["properties"]["state"]["properties"])
    members = {field.encode_name for field in msgspec.structs.fields(State)}
    assert members - published == {"mode", "endReason", "closingMessage", "textResponse"}
    assert published <= members
