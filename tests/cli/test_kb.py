"""`ambidex kb` from import to answer, as somebody at a terminal and as a program reads it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from ambidex.capabilities.kb.sqlite.engine import open_kb

Run = Callable[..., Result]


@pytest.fixture(autouse=True)
def by_words_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """An embedder would only make these tests slower; `test_vectors_are_made` has one."""
    monkeypatch.setenv("AMBIDEX_KB_EMBEDDER", "none")


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "roses.md").write_text(
        "---\ntitle: Roses\ntags: [garden, spring]\nurl: https://garden.example/roses\nlast_updated: 2026-03-31\n---\n"
        "Old roses are pruned in March. Water them twice a week.\n"
    )
    (folder / "rates.md").write_text("---\nlast_updated: 2026-01-05\n---\n# Rates\n\nA day of work costs 900 euros.\n")
    return folder


@pytest.fixture
def filled(notes: Path, run: Run) -> Path:
    run("kb", "import", "notes")
    return notes


def found(run: Run, *args: str) -> list[str]:
    return [hit["id"] for hit in json.loads(run("kb", "search", *args, "--json").stdout)["hits"]]


@pytest.mark.usefixtures("notes")
def test_an_import_says_what_it_did(run: Run) -> None:
    assert run("kb", "import", "notes").stdout == "2 added, 0 changed, 0 unchanged, 0 removed, 0 refused\n"
    assert run("kb", "import", "notes").stdout == "0 added, 0 changed, 2 unchanged, 0 removed, 0 refused\n"


def test_what_is_refused_is_named_and_the_exit_code_is_1(notes: Path, run: Run) -> None:
    (notes / "bad.md").write_text("---\ntitle: A: B\n---\n")
    (notes / "photo.png").write_bytes(b"\x89PNG")
    result = run("kb", "import", "notes", code=1)
    assert result.stdout == "2 added, 0 changed, 0 unchanged, 0 removed, 1 refused\n"
    assert "notes/bad.md:2 front matter is not YAML" in result.stderr
    assert "left alone, not Markdown, JSONL or CSV: notes/photo.png" in result.stderr


def test_an_import_as_json(notes: Path, run: Run) -> None:
    (notes / "bad\x1b[2J.md").write_bytes(b"\xff")
    told = json.loads(run("kb", "import", "notes", "nowhere", "--json", code=1).stdout)
    assert (told["ok"], told["added"], told["embedded"]) == (False, 2, 0)
    assert {refusal["path"]: refusal["line"] for refusal in told["refused"]} == {
        "nowhere": None,
        "notes/bad\x1b[2J.md": 1,
    }
    assert "\x1b" not in run("kb", "import", "notes", code=1).stderr


def test_what_vanished_is_told_and_pruned(filled: Path, run: Run) -> None:
    (filled / "rates.md").unlink()
    assert "1 record of files or rows that are gone; --prune removes them" in run("kb", "import", "notes").stderr
    assert "1 removed" in run("kb", "import", "notes", "--prune").stdout
    assert "there is no record doc:rates" in run("kb", "get", "doc:rates", code=1).stderr


@pytest.mark.usefixtures("filled")
def test_a_hit_has_title_score_id_address_and_the_match_marked() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from ambidex.cli.main import main; main()", "kb", "search", "pruned roses"],
        capture_output=True,
        text=True,
        check=True,
    )
    title, place, snippet = done.stdout.splitlines()
    assert title == "1.00  Roses"
    assert place.split() == ["doc:roses", "https://garden.example/roses"]
    assert "Old **roses** are **pruned** in March." in snippet
    assert done.stderr.startswith("1 record in ")


@pytest.mark.usefixtures("filled")
def test_a_terminal_gets_the_match_in_colour() -> None:
    from tests.cli.test_progress import on_a_terminal

    seen = on_a_terminal(Path.cwd(), "kb", "search", "pruned")
    assert "\x1b[1;33mpruned\x1b[0m" in seen
    assert "**" not in seen


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize(
    ("filters", "ids"),
    [
        ([], {"doc:roses", "doc:rates"}),
        (["--tag", "garden"], {"doc:roses"}),
        (["--tag", "garden", "--tag", "autumn"], set()),
        (["--since", "2026-02-01"], {"doc:roses"}),
        (["--since", "2026-03-31", "--until", "2026-03-31"], {"doc:roses"}),
        (["--until", "2026-01-05T00:00:00Z"], {"doc:rates"}),
        (["--type", "person"], set()),
        (["--namespace", "personal"], set()),
        (["--namespace", "personal", "--namespace", "studio"], {"doc:roses", "doc:rates"}),
    ],
)
def test_filters(run: Run, filters: list[str], ids: set[str]) -> None:
    assert set(found(run, "roses rates", *filters)) == ids


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize("args", [["--since", "soon"], ["--top-k", "0"], ["--type", "thing"]])
def test_a_filter_that_makes_no_sense_is_wrong_usage(run: Run, args: list[str]) -> None:
    assert args[0] in run("kb", "search", "x", *args, code=2).stderr


@pytest.mark.usefixtures("notes")
def test_a_namespace_that_is_no_name_is_wrong_usage(run: Run) -> None:
    assert "namespace" in run("kb", "import", "notes", "--namespace", "My Notes", code=2).stderr


@pytest.mark.usefixtures("filled")
def test_finding_nothing_is_no_failure(run: Run) -> None:
    result = run("kb", "search", "zeppelin")
    assert (result.stdout, result.stderr) == ("", "nothing found; use other words or fewer filters\n")


@pytest.mark.usefixtures("filled")
def test_a_record_is_shown_whole_and_a_missing_one_with_its_neighbours(run: Run) -> None:
    result = run("kb", "get", "doc:roses", "doc:ratess", code=1)
    assert result.stdout.startswith("Roses\nid: doc:roses\n")
    assert "tags: garden, spring\n" in result.stdout
    assert "\n\nOld roses are pruned in March." in result.stdout
    assert result.stderr == "there is no record doc:ratess; near it: doc:rates\n"
    told = json.loads(run("kb", "get", "doc:roses", "doc:ratess", "--json", code=1).stdout)
    assert [record["title"] for record in told["records"]] == ["Roses"]
    assert told["missing"] == {"doc:ratess": ["doc:rates"]}


def test_text_of_others_cannot_steer_the_terminal(notes: Path, run: Run) -> None:
    (notes / "evil.md").write_text('---\ntitle: "A \\e[2Jtitle"\nid: doc:evil\n---\nevil \x1b[31mred\x1b]0;x\x07\n')
    run("kb", "import", "notes")
    assert "\x1b" not in run("kb", "search", "evil").stdout
    assert "\x1b" not in run("kb", "get", "doc:evil").stdout


@pytest.mark.usefixtures("filled")
def test_stats_say_what_there_is(run: Run) -> None:
    rows = dict(line.split(maxsplit=1) for line in run("kb", "stats").stdout.splitlines())
    assert rows["records"] == "2: doc 2"
    assert rows["namespaces"] == "studio 2"
    assert rows["embedder"] == "none, search goes by words alone"
    told = json.loads(run("kb", "stats", "--json").stdout)
    assert (told["records"], told["lexical"], told["embedded"]) == (2, "fts5", 0)


@pytest.mark.usefixtures("filled")
def test_a_base_that_was_indexed_anew_finds_the_same(run: Run) -> None:
    before = found(run, "roses rates")
    assert run("kb", "reindex").stdout == "2 records indexed anew\n"
    assert json.loads(run("kb", "reindex", "--json").stdout) == {"ok": True, "records": 2}
    assert found(run, "roses rates") == before


@pytest.mark.parametrize("args", [["search", "x"], ["get", "doc:x"], ["stats"], ["reindex"]])
def test_looking_makes_no_base(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: list[str]) -> None:
    monkeypatch.chdir(tmp_path)
    told = run("kb", *args, code=1).stderr
    assert "there is no knowledge base .ambidex/kb.sqlite3 yet" in told
    assert "next: `ambidex kb import PATH` makes it" in told
    assert json.loads(run("kb", *args, "--json", code=1).stdout)["error"]["type"] == "NoKnowledgeBase"
    assert not list(tmp_path.iterdir())


@pytest.fixture
def busy(filled: Path) -> Iterator[Any]:
    """Another writer on the base."""
    engine = open_kb(filled.parent / ".ambidex" / "kb.sqlite3")
    with engine.writer() as writer:
        yield writer
    engine.close()


@pytest.mark.usefixtures("busy")
def test_a_second_importer_names_the_first_waits_and_gives_way(filled: Path, run: Run) -> None:
    (filled / "new.md").write_text("# New")
    result = run("kb", "import", "notes", "--wait", "0.1", code=3)
    assert f"process {os.getpid()} is writing to the knowledge base; waiting up to 0.1 s" in result.stderr
    assert "nothing was done" in result.stderr
    assert result.stdout == ""
    told = json.loads(run("kb", "import", "notes", "--wait", "0", "--json", code=3).stdout)
    assert told["error"]["type"] == "WriterBusy"
    assert found(run, "new") == [], "reading does not wait"


def test_two_importers_at_once_both_get_their_records_in(notes: Path, run: Run) -> None:
    other = notes.parent / "other"
    other.mkdir()
    for folder in (notes, other):
        rows = (f'{{"id": "doc:{folder.name}-{number}", "title": "T"}}\n' for number in range(300))
        (folder / "rows.jsonl").write_text("".join(rows))
    command = [sys.executable, "-c", "from ambidex.cli.main import main; main()", "kb", "import", "--wait", "30"]
    both = [subprocess.Popen([*command, folder.name], stderr=subprocess.PIPE, text=True) for folder in (notes, other)]
    assert [importer.communicate() and importer.returncode for importer in both] == [0, 0]
    assert json.loads(run("kb", "stats", "--json").stdout)["records"] == 602


@pytest.mark.usefixtures("notes")
def test_vectors_are_made_after_an_import_unless_told_not_to(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AMBIDEX_KB_EMBEDDER", "light")
    run("kb", "import", "notes", "--no-embed")
    assert "the next `ambidex kb import` makes vectors" in run("kb", "stats").stdout
    assert "2 passages embedded by" in run("kb", "import", "notes").stderr
    told = json.loads(run("kb", "stats", "--json").stdout)
    assert (told["embedded"], told["pending"]) == (2, 0)
    assert told["embedder"].startswith("wordllama")


@pytest.mark.usefixtures("notes")
def test_a_configured_embedder_that_is_not_installed_is_told_and_words_still_work(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AMBIDEX_KB_EMBEDDER", "minilm")
    monkeypatch.setenv("AMBIDEX_MODELS_DIRECTORY", str(tmp_path / "no-models"))
    result = run("kb", "import", "notes", code=3)
    assert "2 added" in result.stdout
    assert "run `ambidex models install`" in result.stderr
    assert json.loads(run("kb", "import", "notes", "--json", code=3).stdout)["unembedded"]
    assert found(run, "pruned roses") == ["doc:roses"]
