from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import rfc8785
from tests.support.folders import GUIDE, HANDLER, schema_for, write_tool

import ambidex
from ambidex.compiler.compile import check, lint
from ambidex.contracts import schemas
from ambidex.contracts.problem import Severity
from ambidex.dialect.validator import compile_schema


def built(tools: Path, out: Path, **options: Any) -> dict[str, Any]:
    ambidex.build(tools, out, **options)
    artifact: dict[str, Any] = json.loads(out.read_bytes())
    return artifact


def test_a_folder_with_only_the_required_fields_builds(tmp_path: Path) -> None:
    write_tool(tmp_path / "tools")
    report = ambidex.build(tmp_path / "tools", tmp_path / "out.json")
    assert report.tools == ("greet",)
    assert report.warnings == []
    assert report.path == tmp_path / "out.json"


def test_defaults_are_resolved_in_the_artifact(tmp_path: Path) -> None:
    write_tool(tmp_path / "tools", "post", sideEffects="writes", category="action", idempotent=False)
    [tool] = built(tmp_path / "tools", tmp_path / "out.json")["tools"]
    assert (tool["timeoutMs"], tool["interruptible"], tool["downstream"]) == (5000, False, "none")
    assert (tool["intents"], tool["suspends"]) == ([], False)


def test_the_artifact_satisfies_its_published_schema_and_is_canonical(tmp_path: Path) -> None:
    for name in ("zeta", "alpha"):
        write_tool(tmp_path / "tools", name)
    artifact = built(tmp_path / "tools", tmp_path / "out.json")
    assert list(compile_schema(schemas.schema(schemas.ARTIFACT)).iter_errors(artifact)) == []
    assert [tool["toolId"] for tool in artifact["tools"]] == ["alpha", "zeta"]
    assert (tmp_path / "out.json").read_bytes() == rfc8785.dumps(artifact)


TWELVE_FAULTS: dict[str, tuple[str, dict[str, Any]]] = {
    "Bad_Name": ("AX001", {}),
    "no-guide": ("AX003", {"guide": None}),
    "broken-json": ("AX101", {"schema": '{\n  "toolId": "broken_json",\n}'}),
    "no-category": ("AX104", {"category": None}),
    "unknown-field": ("AX105", {"requireConfirmation": True}),
    "writing-retrieval": ("AX110", {"category": "retrieval", "sideEffects": "writes"}),
    "open-root": (
        "AX202",
        {"parameters": {"type": "object", "properties": {}}, "guide": GUIDE.replace('{"name": "Ada"}', "{}")},
    ),
    "bad-format": (
        "AX205",
        {
            "parameters": {
                "type": "object",
                "properties": {"name": {"type": "string", "format": "phone"}},
                "additionalProperties": False,
            }
        },
    ),
    "drifted-example": ("AX305", {"guide": GUIDE.replace('"Ada"', "42")}),
    "no-section": ("AX301", {"guide": GUIDE.replace("## Invariants", "## Nothing")}),
    "not-async": ("AX402", {"handler": HANDLER.replace("async def", "def")}),
    "bad-condition": ("AX501", {"availability": "mod == 'voice'"}),
}


def test_twelve_different_faults_are_all_told_in_one_run_and_nothing_is_written(tmp_path: Path) -> None:
    for name, (_, spoiled) in TWELVE_FAULTS.items():
        write_tool(tmp_path / "tools", name, **{"toolId": name.replace("-", "_"), **spoiled})
    with pytest.raises(ambidex.BuildError) as failure:
        ambidex.build(tmp_path / "tools", tmp_path / "out.json")
    errors = [problem for problem in failure.value.problems if problem.severity is Severity.ERROR]
    found = {
        (
            Path(problem.path).parts[-2] if problem.path.endswith((".json", ".md", ".py")) else Path(problem.path).name,
            problem.code,
        )
        for problem in errors
    }
    assert found >= {(name, code) for name, (code, _) in TWELVE_FAULTS.items()}
    assert all(problem.line >= 1 and problem.column >= 1 and problem.fix for problem in errors)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["tools"]


def test_each_fault_stands_alone(tmp_path: Path) -> None:
    """No fault of the twelve drags others behind it: a mended one leaves nothing to mend."""
    for name, (code, spoiled) in TWELVE_FAULTS.items():
        root = tmp_path / name / "tools"
        write_tool(root, name, **{"toolId": name.replace("-", "_"), **spoiled})
        codes = {problem.code for problem in lint(root) if problem.severity is Severity.ERROR}
        extra = {"Bad_Name": {"AX106", "AX107"}, "bad-format": {"AX601"}, "writing-retrieval": set()}.get(name, set())
        assert codes - extra == {code}, name


def test_an_example_that_no_longer_fits_is_an_error_at_its_line(tmp_path: Path) -> None:
    write_tool(tmp_path / "tools", guide=GUIDE.replace('{"name": "Ada"}', '{\n  "nmae": "Ada"\n}'))
    [problem] = [p for p in lint(tmp_path / "tools") if p.code == "AX305"]
    assert problem.path.endswith("tools/greet/guide.md")
    line = (tmp_path / "tools/greet/guide.md").read_text().splitlines()[problem.line - 1]
    assert "nmae" in line or "name" in problem.message


def test_warnings_do_not_stop_a_build_are_errors_under_strict_and_can_be_acknowledged(tmp_path: Path) -> None:
    changes: dict[str, Any] = {"category": "action", "sideEffects": "writes"}
    write_tool(tmp_path / "tools", **changes)
    assert [w.code for w in ambidex.build(tmp_path / "tools", tmp_path / "out.json").warnings] == ["AX118"]
    with pytest.raises(ambidex.BuildError):
        ambidex.build(tmp_path / "tools", tmp_path / "out.json", strict=True)
    write_tool(tmp_path / "tools", **changes, acknowledge=["AX118"])
    assert ambidex.build(tmp_path / "tools", tmp_path / "out.json", strict=True).warnings == []


def test_a_failed_build_leaves_the_last_artifact_as_it_was(tmp_path: Path) -> None:
    write_tool(tmp_path / "tools")
    ambidex.build(tmp_path / "tools", tmp_path / "out.json")
    before = (tmp_path / "out.json").read_bytes()
    write_tool(tmp_path / "tools", version="one")
    with pytest.raises(ambidex.BuildError):
        ambidex.build(tmp_path / "tools", tmp_path / "out.json")
    assert (tmp_path / "out.json").read_bytes() == before


def test_a_missing_tools_folder_is_a_problem_like_any_other(tmp_path: Path) -> None:
    with pytest.raises(ambidex.BuildError) as failure:
        ambidex.build(tmp_path / "nowhere", tmp_path / "out.json")
    assert [problem.code for problem in failure.value.problems] == ["AX701"]


def test_targets_decide_which_providers_can_stop_a_build(tmp_path: Path) -> None:
    """An array without items cannot be declared to Gemini natively; a project that never uses it does not mind."""
    parameters = {"type": "object", "properties": {"name": {"type": "array"}}, "additionalProperties": False}
    write_tool(tmp_path / "tools", parameters=parameters, guide=GUIDE.replace('"Ada"', "[]"))
    assert "AX601" in {problem.code for problem in lint(tmp_path / "tools")}
    [tool] = built(tmp_path / "tools", tmp_path / "out.json", targets=["anthropic", "mcp"])["tools"]
    assert "anthropic" in tool["providerSchemas"]
    assert "geminiNative" not in tool["providerSchemas"]


def test_an_unknown_target_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="claude"):
        ambidex.build(tmp_path, tmp_path / "out.json", targets=["claude"])


class TestVersions:
    """Two machines building the same tree get the same version, and any change of any input another one."""

    @staticmethod
    def tree(root: Path) -> Path:
        write_tool(
            root / "tools", "greet", files={"helper.py": "X = 1\n", "scenarios/one.json": "{}", "data/a.txt": "a"}
        )
        write_tool(root / "tools", "wave")
        return root / "tools"

    @staticmethod
    def version(tools: Path) -> str:
        return ambidex.build(tools, tools.parent / "out.json").version

    @pytest.mark.threat("A06")
    def test_two_clones_in_different_directories_give_the_same_version_and_bytes(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
        origin = self.tree(tmp_path / "origin").parent
        git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.com"]
        for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "tools"]):
            subprocess.run([*git, *command], cwd=origin, check=True)
        outputs = []
        for name in ("one", "deeper/two"):
            subprocess.run(["git", "clone", "-q", str(origin), str(tmp_path / name)], check=True)
            out = tmp_path / f"{name.replace('/', '-')}.json"
            ambidex.build(tmp_path / name / "tools", out)
            outputs.append(out.read_bytes())
        assert outputs[0] == outputs[1]
        assert json.loads(outputs[0])["gitCommit"].isalnum()

    @pytest.mark.threat("A06")
    def test_the_commit_says_when_the_tree_differs_from_it(self, tmp_path: Path) -> None:
        tools = self.tree(tmp_path)
        assert built(tools, tmp_path / "out.json")["gitCommit"] is None
        git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.com"]
        for command in (["init", "-q"], ["add", "tools"], ["commit", "-qm", "tools"]):
            subprocess.run([*git, *command], cwd=tmp_path, check=True)
        clean = built(tools, tmp_path / "out.json")["gitCommit"]
        assert clean is not None
        assert "+dirty" not in clean
        write_tool(tools, "new")
        assert built(tools, tmp_path / "out.json")["gitCommit"] == f"{clean}+dirty"

    @pytest.mark.threat("A06")
    @pytest.mark.parametrize(
        ("file", "old", "new"),
        [
            ("greet/schema.json", '"type": "string"', '"type": "string", "maxLength": 9'),
            ("greet/schema.json", '"latencyBudgetMs": 100', '"latencyBudgetMs": 101'),
            ("greet/schema.json", '"utility"', '"action"'),
            ("greet/guide.md", "Nothing is changed.", "Nothing is ever changed."),
            ("greet/handler.py", "Hello", "Hullo"),
            ("greet/helper.py", "X = 1", "X = 2"),
            ("greet/data/a.txt", "a", "b"),
        ],
    )
    def test_a_change_of_any_input_changes_the_version_and_check_knows(
        self, tmp_path: Path, file: str, old: str, new: str
    ) -> None:
        tools = self.tree(tmp_path)
        before = self.version(tools)
        assert check(tools, tmp_path / "out.json").fresh
        text = (tools / file).read_text()
        assert old in text
        (tools / file).write_text(text.replace(old, new))
        assert not check(tools, tmp_path / "out.json").fresh
        assert self.version(tools) != before
        assert check(tools, tmp_path / "out.json").fresh

    @pytest.mark.threat("A06")
    def test_a_change_under_scenarios_changes_nothing(self, tmp_path: Path) -> None:
        tools = self.tree(tmp_path)
        before = self.version(tools)
        (tools / "greet/scenarios/one.json").write_text('{"about": "other"}')
        (tools / "greet/scenarios/two.json").write_text("not even JSON")
        assert check(tools, tmp_path / "out.json").fresh
        assert self.version(tools) == before

    @pytest.mark.threat("A06")
    def test_an_added_and_a_removed_file_change_the_version(self, tmp_path: Path) -> None:
        tools = self.tree(tmp_path)
        before = self.version(tools)
        (tools / "greet/extra.txt").write_text("more")
        assert self.version(tools) != before
        (tools / "greet/extra.txt").unlink()
        assert self.version(tools) == before

    @pytest.mark.threat("A06")
    def test_another_day_and_another_order_of_creation_give_the_same_version(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        one = self.version(self.tree(tmp_path / "one"))
        write_tool(tmp_path / "two/tools", "wave")
        shutil.copytree(tmp_path / "one/tools/greet", tmp_path / "two/tools/greet")
        monkeypatch.setenv("SOURCE_DATE_EPOCH", "1")
        assert self.version(tmp_path / "two/tools") == one

    def test_source_date_epoch_that_is_no_number_is_refused(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
        with pytest.raises(ambidex.ConfigError, match="SOURCE_DATE_EPOCH"):
            self.version(self.tree(tmp_path))


class TestIncremental:
    """What did not change is not read again, and what did is."""

    def test_a_second_build_leaves_the_artifact_alone(self, tmp_path: Path) -> None:
        write_tool(tmp_path / "tools")
        assert ambidex.build(tmp_path / "tools", tmp_path / "out.json").changed
        before = (tmp_path / "out.json").stat()
        assert not ambidex.build(tmp_path / "tools", tmp_path / "out.json").changed
        assert (tmp_path / "out.json").stat().st_ino == before.st_ino

    def test_settled_files_are_not_read_again_and_a_changed_one_is(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("ambidex.compiler.cache._SETTLED_NS", -(10**12))
        for name in ("one", "two", "three"):
            write_tool(tmp_path / "tools", name)
        first = ambidex.build(tmp_path / "tools", tmp_path / "out.json")
        opened: list[str] = []
        real = os.open

        def noted(path: str, *rest: Any) -> int:
            opened.append(str(path))
            return real(path, *rest)

        monkeypatch.setattr(os, "open", noted)
        assert ambidex.build(tmp_path / "tools", tmp_path / "out.json").reused == 3
        assert not [path for path in opened if path.endswith(".md")]
        (tmp_path / "tools/two/guide.md").write_text(GUIDE + "\nMore.\n")
        second = ambidex.build(tmp_path / "tools", tmp_path / "out.json")
        assert second.reused == 2
        assert second.version != first.version

    def test_a_file_changed_in_the_same_tick_is_not_missed(self, tmp_path: Path) -> None:
        """Same size, same stamp: only reading it tells, so a file this young is read again."""
        write_tool(tmp_path / "tools", files={"data.txt": "aaaa"})
        before = ambidex.build(tmp_path / "tools", tmp_path / "out.json").version
        (tmp_path / "tools/greet/data.txt").write_text("bbbb")
        assert ambidex.build(tmp_path / "tools", tmp_path / "out.json").version != before

    @pytest.mark.parametrize("damage", [b"", b"\x00garbage", None])
    def test_a_damaged_or_missing_cache_only_costs_time(self, tmp_path: Path, damage: bytes | None) -> None:
        write_tool(tmp_path / "tools")
        before = ambidex.build(tmp_path / "tools", tmp_path / "out.json").version
        cache = tmp_path / ".ambidex/out.json.cache"
        cache.unlink() if damage is None else cache.write_bytes(damage)
        assert ambidex.build(tmp_path / "tools", tmp_path / "out.json").version == before

    def test_warnings_of_tools_that_were_not_read_again_are_told_again(self, tmp_path: Path) -> None:
        write_tool(tmp_path / "tools", category="action", sideEffects="writes")
        first = ambidex.build(tmp_path / "tools", tmp_path / "out.json").warnings
        assert ambidex.build(tmp_path / "tools", tmp_path / "out.json").warnings == first != []

    def test_other_targets_do_not_reuse_what_was_judged_for_these(self, tmp_path: Path) -> None:
        parameters = {"type": "object", "properties": {"name": {"type": "array"}}, "additionalProperties": False}
        write_tool(tmp_path / "tools", parameters=parameters, guide=GUIDE.replace('"Ada"', "[]"))
        ambidex.build(tmp_path / "tools", tmp_path / "out.json", targets=["mcp"])
        with pytest.raises(ambidex.BuildError):
            ambidex.build(tmp_path / "tools", tmp_path / "out.json")


class TestCheck:
    def test_without_an_artifact_it_says_so(self, tmp_path: Path) -> None:
        write_tool(tmp_path / "tools")
        assert check(tmp_path / "tools", tmp_path / "out.json").reason == "does not exist"

    @pytest.mark.threat("A01")
    def test_an_altered_artifact_is_not_fresh(self, tmp_path: Path) -> None:
        write_tool(tmp_path / "tools")
        ambidex.build(tmp_path / "tools", tmp_path / "out.json")
        data = (tmp_path / "out.json").read_bytes()
        (tmp_path / "out.json").write_bytes(data.replace(b"Greets somebody", b"Insults somebod"))
        freshness = check(tmp_path / "tools", tmp_path / "out.json")
        assert not freshness.fresh
        assert "altered" in freshness.reason
        assert ambidex.build(tmp_path / "tools", tmp_path / "out.json").changed

    def test_it_reads_everything_although_the_cache_says_otherwise(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("ambidex.compiler.cache._SETTLED_NS", -(10**12))
        write_tool(tmp_path / "tools")
        ambidex.build(tmp_path / "tools", tmp_path / "out.json")
        guide = tmp_path / "tools/greet/guide.md"
        info = guide.stat()
        guide.write_text(GUIDE.replace("Nothing", "nothing"))
        os.utime(guide, ns=(info.st_atime_ns, info.st_mtime_ns))
        assert not check(tmp_path / "tools", tmp_path / "out.json").fresh


def test_schema_text_helpers_make_what_they_say() -> None:
    assert "category" not in schema_for("greet", category=None)


def test_a_build_notes_the_tools_folder_again_when_somebody_removed_the_note(tmp_path: Path) -> None:
    tools, out = tmp_path / "elsewhere" / "tools", tmp_path / "tool_registry.json"
    write_tool(tools, "look")
    ambidex.build(tools, out)
    shutil.rmtree(tmp_path / ".ambidex")
    ambidex.build(tools, out)
    assert list(ambidex.load(out, eager=True).tool_ids()) == ["look"]
