from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest
from tests.support.folders import write_tool

from ambidex.authoring.folder import MAX_FILE_BYTES, read_file, tool_folders


def codes(root: Path) -> list[str]:
    return [finding.code for folder in tool_folders(root) for finding in folder.findings]


def test_folders_are_tools_unless_their_name_begins_with_an_underscore_or_a_dot(tmp_path: Path) -> None:
    for name in ("one", "_draft", ".git", "two"):
        write_tool(tmp_path, name)
    (tmp_path / "README.md").write_text("not a tool")
    assert [folder.name for folder in tool_folders(tmp_path)] == ["one", "two"]


def test_caches_hidden_files_and_scenarios_are_not_read(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        ".env": "secret",
        "__pycache__/handler.pyc": b"x",
        "left.pyc": b"x",
        "scenarios/one.json": "{}",
        "data/scenarios/kept.json": "{}",
        "helper.py": "",
    }
    write_tool(tmp_path, files=files)
    [folder] = tool_folders(tmp_path)
    assert list(folder.stamps) == ["data/scenarios/kept.json", "guide.md", "handler.py", "helper.py", "schema.json"]


@pytest.mark.threat("A04")
def test_a_link_that_leaves_the_tools_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    folder = write_tool(tmp_path / "tools")
    (folder / "data.txt").symlink_to(tmp_path / "secret.txt")
    assert codes(tmp_path / "tools") == ["AX006"]


@pytest.mark.threat("A04")
def test_a_tool_folder_that_is_a_link_out_is_refused(tmp_path: Path) -> None:
    write_tool(tmp_path / "elsewhere", "greet")
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "greet").symlink_to(tmp_path / "elsewhere" / "greet")
    assert codes(tmp_path / "tools") == ["AX006"]


@pytest.mark.threat("A04")
def test_a_link_to_a_folder_is_refused_so_that_no_walk_runs_in_circles(tmp_path: Path) -> None:
    folder = write_tool(tmp_path)
    (folder / "again").symlink_to(folder)
    assert codes(tmp_path) == ["AX006"]


@pytest.mark.threat("A04")
def test_a_link_that_stays_inside_is_read_as_the_file_it_names(tmp_path: Path) -> None:
    folder = write_tool(tmp_path, files={"real.txt": "text"})
    (folder / "link.txt").symlink_to("real.txt")
    [found] = tool_folders(tmp_path)
    assert found.findings == []
    assert read_file(found, "link.txt") == b"text"


@pytest.mark.threat("A04")
def test_a_dangling_link_is_named(tmp_path: Path) -> None:
    folder = write_tool(tmp_path)
    (folder / "gone.txt").symlink_to("nowhere.txt")
    assert codes(tmp_path) == ["AX011"]


@pytest.mark.threat("A04")
def test_a_hard_link_is_warned_of(tmp_path: Path) -> None:
    folder = write_tool(tmp_path / "tools")
    os.link(folder / "guide.md", tmp_path / "other.md")
    assert codes(tmp_path / "tools") == ["AX010"]


@pytest.mark.threat("A04")
def test_a_fifo_and_a_socket_are_refused_and_hang_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_tool(tmp_path)
    os.mkfifo(folder / "pipe")
    monkeypatch.chdir(folder)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("sock")
        assert codes(tmp_path) == ["AX007", "AX007"]


@pytest.mark.threat("A04")
def test_a_fifo_that_takes_the_place_of_a_file_after_the_scan_hangs_nothing(tmp_path: Path) -> None:
    write_tool(tmp_path)
    [folder] = tool_folders(tmp_path)
    (folder.path / "guide.md").unlink()
    os.mkfifo(folder.path / "guide.md")
    assert read_file(folder, "guide.md") == b""


@pytest.mark.threat("A04")
@pytest.mark.parametrize(("extra", "expected"), [(0, []), (1, ["AX008"])])
def test_a_file_has_at_most_one_mebibyte(tmp_path: Path, extra: int, expected: list[str]) -> None:
    write_tool(tmp_path, files={"big.bin": b"x" * (MAX_FILE_BYTES + extra)})
    assert codes(tmp_path) == expected


@pytest.mark.threat("A07")
def test_names_that_differ_only_by_case_are_refused(tmp_path: Path) -> None:
    write_tool(tmp_path, files={"Helper.py": "", "helper.py": ""})
    assert codes(tmp_path) == ["AX009"]


def test_a_name_with_a_newline_is_refused_and_shown_escaped(tmp_path: Path) -> None:
    folder = write_tool(tmp_path)
    (folder / "a\nb").write_text("")
    [found] = tool_folders(tmp_path)
    assert "a\\nb" in found.findings[0].message
