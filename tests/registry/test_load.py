"""An artifact loads whole and unaltered, or not at all, with an error that says what to do."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.support.artifacts import HANDLER, artifact, entry, project, sealed, write_artifact, write_sources

from ambidex.errors import ArtifactError, HandlerError
from ambidex.registry.load import load


def refusal(path: Path, **options: Any) -> str:
    with pytest.raises(ArtifactError) as caught:
        load(path, **options)
    return str(caught.value)


def test_a_whole_artifact_loads_locked(tmp_path: Path) -> None:
    registry = load(write_artifact(tmp_path, entry("kb_get"), entry("kb_search")))
    assert registry.locked
    assert list(registry) == ["kb_get", "kb_search"]
    assert registry.version == f"1.0.{registry.content_hash[:8]}"
    assert registry.git_commit == "abc1234"


def test_an_artifact_without_tools_loads(tmp_path: Path) -> None:
    path = tmp_path / "tool_registry.json"
    path.write_bytes(sealed(artifact()))
    assert len(load(str(path), eager=True)) == 0


def test_a_missing_file_is_named_with_what_to_do(tmp_path: Path) -> None:
    assert re.search(r"nothing\.json: there is no such file; run `ambidex build`", refusal(tmp_path / "nothing.json"))
    assert "cannot be read" in refusal(tmp_path)


@pytest.mark.parametrize(
    "content", [b"", b"  \n", b"{}", b"[]", b"not json", b"\x00\xff", b'{"artifactVersion":"1.0"}']
)
def test_another_file_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "tool_registry.json"
    path.write_bytes(content)
    assert "ambidex build" in refusal(path)


@pytest.mark.threat("A10")
def test_an_artifact_cut_short_anywhere_is_refused(tmp_path: Path) -> None:
    path = write_artifact(tmp_path, entry(providerSchemas={}))
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert "ambidex build" in refusal(path), length


SECTIONS = [
    "artifactVersion",
    "buildTimestamp",
    "contentHash",
    "gitCommit",
    "integrity",
    "toolResponseVersion",
    "tools",
    "allowedModes",
    "description",
    "documentation",
    "files",
    "handlerPath",
    "jsonSchema",
    "latencyBudgetMs",
    "phrases",
    "providerSchemas",
    "requiresConfirmation",
    "sideEffects",
    "summary",
    "toolId",
]


@pytest.mark.threat("A01")
@pytest.mark.parametrize("section", SECTIONS)
def test_one_byte_changed_in_any_section_is_refused(tmp_path: Path, section: str) -> None:
    path = write_artifact(tmp_path)
    whole = path.read_bytes()
    name = f'"{section}":'.encode()
    assert name in whole
    for place in (whole.index(name) + 2, whole.index(name) + len(name) + 1):
        changed = bytearray(whole)
        changed[place] ^= 1
        path.write_bytes(changed)
        assert str(path) in refusal(path)


@pytest.mark.threat("A01")
def test_the_same_content_written_otherwise_is_refused(tmp_path: Path) -> None:
    path = write_artifact(tmp_path)
    content = json.loads(path.read_bytes())
    path.write_text(json.dumps(content, indent=2, sort_keys=True))
    assert "was edited" in refusal(path)
    path.write_bytes(path.read_bytes() + b"\n")
    assert refusal(path)


@pytest.mark.threat("A01")
def test_a_change_after_the_build_is_called_so(tmp_path: Path) -> None:
    path = write_artifact(tmp_path)
    path.write_bytes(path.read_bytes().replace(b'"requiresConfirmation":false', b'"requiresConfirmation":true'))
    assert "was altered after the build" in refusal(path)


@pytest.mark.parametrize(("name", "ours"), [("artifactVersion", "1.0"), ("toolResponseVersion", "1.1.0")])
def test_an_unknown_major_is_refused_naming_both_versions(tmp_path: Path, name: str, ours: str) -> None:
    message = refusal(write_artifact(tmp_path, entry(), **{name: "2.0.0"}))
    assert f"{name} is 2.0.0" in message
    assert f"reads {ours}" in message


@pytest.mark.parametrize(("name", "version"), [("artifactVersion", "1.9"), ("toolResponseVersion", "1.0.0")])
def test_another_minor_keeps_working(tmp_path: Path, name: str, version: str) -> None:
    assert len(load(write_artifact(tmp_path, entry(newMember={"a": 1}), **{name: version, "zNew": 1}))) == 1


def test_a_tool_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    assert "'kb_get' twice" in refusal(write_artifact(tmp_path, entry("kb_get"), entry("kb_get")))


def test_a_version_that_is_not_that_of_the_content_is_refused(tmp_path: Path) -> None:
    assert "does not belong" in refusal(write_artifact(tmp_path, entry(), version="1.0.00000000"))
    assert "does not belong" in refusal(write_artifact(tmp_path, entry(), contentHash="x", version="1.0.x"))


def test_a_content_hash_of_other_tools_is_found_when_everything_is_verified(tmp_path: Path) -> None:
    project(tmp_path)
    path = write_artifact(tmp_path, entry(), contentHash="0" * 64, version="1.0.00000000")
    load(path)
    assert "contentHash is not the hash of its tools" in refusal(path, eager=True)


def test_an_entry_that_is_no_tool_is_refused(tmp_path: Path) -> None:
    assert "is no artifact" in refusal(write_artifact(tmp_path, entry(category="magic")))


@pytest.mark.threat("A02")
@pytest.mark.parametrize(
    "path",
    [
        "../outside/handler.py",
        "kb-search/../../handler.py",
        "/etc/handler.py",
        "C:/handler.py",
        "c:handler.py",
        "\\\\host\\share\\handler.py",
        "kb-search\\handler.py",
        "//host/share/handler.py",
        "file:///tmp/handler.py",
        "https://example.com/handler.py",
        "kb-search/%2e%2e/handler.py",
        "kb-search/./handler.py",
        "kb-search//handler.py",
        "kb-search/hand\x00ler.py",
        "",
    ],
)
def test_a_handler_path_that_leads_elsewhere_is_refused_at_load(tmp_path: Path, path: str) -> None:
    message = refusal(write_artifact(tmp_path, entry(handlerPath=path)))
    assert "kb_search" in message
    assert "handlerPath" in message


@pytest.mark.threat("V12")
@pytest.mark.parametrize("name", ["KB", "kb_search\n", "kb-search", "\u043ab_search", "kb\u200b", "a" * 65, "", "1a"])
def test_a_name_that_is_no_tool_id_is_refused(tmp_path: Path, name: str) -> None:
    assert "is no tool id" in refusal(write_artifact(tmp_path, entry("x") | {"toolId": name}))


def test_schemas_load_without_the_tools_folder_and_handlers_say_what_is_missing(tmp_path: Path) -> None:
    registry = load(write_artifact(tmp_path))
    assert registry.provider_schemas("openai")
    with pytest.raises(HandlerError, match=r"kb_search: kb-search/handler\.py .*load\(path, tools="):
        registry._tool("kb_search").execute  # noqa: B018


def test_the_tools_folder_is_beside_the_artifact_or_given_or_noted_by_the_build(tmp_path: Path) -> None:
    beside, given, noted = tmp_path / "beside", tmp_path / "given", tmp_path / "noted"
    for folder in (beside, given, noted):
        folder.mkdir()
    assert load(project(beside), eager=True)

    sources = write_sources(tmp_path / "elsewhere")
    assert load(write_artifact(given), eager=True, tools=sources)

    path = write_artifact(noted)
    (noted / ".ambidex").mkdir()
    note = noted / ".ambidex" / "tool_registry.json.json"
    note.write_text(json.dumps({"tools": "../elsewhere/tools"}))
    assert load(path, eager=True)


@pytest.mark.parametrize("note", ["", "[]", '{"tools": 5}', '{"tools": "no/such"}', '{"tools": "\\u0000"}', "\udcff"])
def test_a_spoilt_note_of_the_build_is_passed_over(tmp_path: Path, note: str) -> None:
    path = project(tmp_path)
    (tmp_path / ".ambidex").mkdir()
    (tmp_path / ".ambidex" / "tool_registry.json.json").write_bytes(note.encode(errors="surrogateescape"))
    assert load(path, eager=True)


def test_eager_reports_every_failure_at_once(tmp_path: Path) -> None:
    write_sources(tmp_path, "kb_get", {"handler.py": "def execute(a, c): ..."})
    tools = [
        entry("kb_get", {"handler.py": "def execute(a, c): ..."}),
        entry("kb_search"),
        entry("bad_schema", jsonSchema={"type": "nonsense"}),
        entry("bad_response", response={"type": "nonsense"}),
    ]
    write_sources(tmp_path, "bad_schema")
    write_sources(tmp_path, "bad_response")
    message = refusal(write_artifact(tmp_path, *tools), eager=True)
    assert "4 problems" in message
    for words in ("kb_get: kb-get/handler.py has no", "kb_search: kb-search", "bad_schema: json", "bad_response: resp"):
        assert words in message


def test_eager_calls_it_a_handler_error_when_only_handlers_fail(tmp_path: Path) -> None:
    path = project(tmp_path)
    (tmp_path / "tools" / "kb-search" / "handler.py").write_text(HANDLER + "# edited\n")
    with pytest.raises(HandlerError, match="1 problems"):
        load(path, eager=True)
