"""What runs is what was built: handlers and their siblings come from hashed bytes, or not at all."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support.artifacts import HANDLER, entry, project, write_artifact, write_sources

from ambidex.errors import HandlerError
from ambidex.registry.load import load

IMPORTS_HELPER = "from .helper import word\nasync def execute(args, context):\n    return word\n"


def handler(path: Path) -> Any:
    return load(path)._tool("kb_search").execute


def refusal(path: Path) -> str:
    with pytest.raises(HandlerError) as caught:
        handler(path)
    assert "kb_search" in str(caught.value)
    return str(caught.value)


async def test_a_handler_runs(tmp_path: Path) -> None:
    assert await handler(project(tmp_path))({"a": 1}, None) == {"ok": True, "data": {"a": 1}}


async def test_siblings_are_imported_relatively(tmp_path: Path) -> None:
    files = {
        "handler.py": (
            "from . import helper\nfrom .helper import word\nfrom .deep.inner import number\nfrom .open import thing\n"
            "async def execute(args, context):\n    return [word, helper.word, number, thing.name]\n"
        ),
        "helper.py": "word = 'hello'\n",
        "deep/__init__.py": "base = 40\n",
        "deep/inner.py": "from . import base\nfrom ..helper import word\nnumber = base + 2\n",
        "open/thing.py": "name = __name__.split('.')[1:]\n",
    }
    assert await handler(project(tmp_path, files))({}, None) == ["hello", "hello", 42, ["open", "thing"]]


async def test_data_files_are_read_through_their_hashes(tmp_path: Path) -> None:
    files = {
        "handler.py": (
            "import pkgutil\nfrom importlib.resources import files\n"
            "async def execute(args, context):\n"
            "    tree = files(__package__)\n"
            "    return [pkgutil.get_data(__package__, 'data/words.txt'), (tree / 'data' / 'words.txt').read_text(),\n"
            "            tree.joinpath('data', 'words.txt').open('rb').read(), tree.joinpath('data').is_dir(),\n"
            "            sorted(x.name for x in tree.iterdir()), (tree / 'none').is_file()]\n"
        ),
        "data/words.txt": "one\ntwo\n",
    }
    execute = handler(project(tmp_path, files))
    words = "one\ntwo\n"
    assert await execute({}, None) == [words.encode(), words, words.encode(), True, ["data", "handler.py"], False]
    (tmp_path / "tools" / "kb-search" / "data" / "words.txt").write_text("three")
    with pytest.raises(HandlerError, match=r"data/words\.txt is not the file that was built"):
        await execute({}, None)


@pytest.mark.threat("A03")
def test_a_handler_edited_after_the_build_is_refused(tmp_path: Path) -> None:
    path = project(tmp_path)
    (tmp_path / "tools" / "kb-search" / "handler.py").write_text(HANDLER + "\n")
    assert "kb-search/handler.py is not the file that was built" in refusal(path)


@pytest.mark.threat("A03")
def test_a_sibling_edited_after_the_build_is_refused_even_if_the_import_may_fail(tmp_path: Path) -> None:
    body = "try:\n    from .helper import word\nexcept ImportError:\n    word = 'none'\n" + HANDLER
    path = project(tmp_path, {"handler.py": body, "helper.py": "word = 1\n"})
    (tmp_path / "tools" / "kb-search" / "helper.py").write_text("word = 2\n")
    assert "kb-search/helper.py is not the file that was built" in refusal(path)


@pytest.mark.threat("A03")
def test_a_sibling_added_after_the_build_does_not_exist(tmp_path: Path) -> None:
    path = project(tmp_path, {"handler.py": IMPORTS_HELPER})
    (tmp_path / "tools" / "kb-search" / "helper.py").write_text("word = 1\n")
    assert "kb-search/handler.py does not load: ModuleNotFoundError" in refusal(path)


def test_a_tool_cannot_import_another_tools_modules(tmp_path: Path) -> None:
    files = {"handler.py": "from ..kb_get import handler\n" + HANDLER}
    path = project(tmp_path, files)
    assert "beyond top-level package" in refusal(path)


def test_a_missing_handler_is_named(tmp_path: Path) -> None:
    path = project(tmp_path)
    registry = load(path)
    (tmp_path / "tools" / "kb-search" / "handler.py").unlink()
    with pytest.raises(HandlerError, match=r"kb_search: kb-search/handler\.py cannot be read"):
        registry._tool("kb_search").execute  # noqa: B018


@pytest.mark.parametrize(
    "source",
    [
        "def execute(args, context): ...",
        "execute = 5",
        "x = 1",
        "async def execute(args): ...",
        "async def execute(args, context, more): ...",
        "async def execute(args, context, *, key): ...",
        "async def execute(args, context):\n    yield 1",
        "class execute:\n    async def __call__(self, args, context): ...",
    ],
)
def test_a_handler_without_the_right_execute_is_refused(tmp_path: Path, source: str) -> None:
    assert "has no `async def execute(args, context)`" in refusal(project(tmp_path, {"handler.py": source}))


@pytest.mark.parametrize(
    "source", ["async def execute(args, context, more=1): ...", "async def execute(a, c, *, k=1): ..."]
)
def test_further_parameters_with_defaults_are_fine(tmp_path: Path, source: str) -> None:
    assert handler(project(tmp_path, {"handler.py": source}))


@pytest.mark.parametrize("source", ["1 +", "raise ValueError('x')", "import sys; sys.exit(3)", "import no_such_module"])
def test_a_handler_that_does_not_load_is_named_and_leaves_nothing_behind(tmp_path: Path, source: str) -> None:
    before = {name for name in sys.modules if name.startswith("_ambidex_tool")}
    assert "kb-search/handler.py does not load" in refusal(project(tmp_path, {"handler.py": source}))
    assert {name for name in sys.modules if name.startswith("_ambidex_tool")} == before


async def test_two_versions_of_a_tool_live_side_by_side(tmp_path: Path) -> None:
    executes = []
    for version in ("old", "new"):
        folder = tmp_path / version
        folder.mkdir()
        path = project(folder, {"handler.py": IMPORTS_HELPER, "helper.py": f"word = '{version}'\n"})
        executes.append(handler(path))
    assert [await execute({}, None) for execute in executes] == ["old", "new"]


def test_a_handler_is_loaded_once(tmp_path: Path) -> None:
    registry = load(project(tmp_path))
    assert registry._tool("kb_search").execute is registry._tool("kb_search").execute


def test_nothing_is_written_and_no_bytecode_is_read(tmp_path: Path) -> None:
    path = project(tmp_path, {"handler.py": IMPORTS_HELPER, "helper.py": "word = 1\n"})
    before = sorted(tmp_path.rglob("*"))
    handler(path)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.threat("A02")
def test_a_link_that_leaves_the_tools_folder_is_refused(tmp_path: Path) -> None:
    path = project(tmp_path)
    inside = tmp_path / "tools" / "kb-search" / "handler.py"
    outside = tmp_path / "handler.py"
    inside.rename(outside)
    inside.symlink_to(outside)
    assert "leads out of the tools folder" in refusal(path)


def test_a_link_inside_the_tools_folder_is_followed(tmp_path: Path) -> None:
    path = project(tmp_path)
    inside = tmp_path / "tools" / "kb-search" / "handler.py"
    inside.rename(inside.with_name("real.py"))
    inside.symlink_to("real.py")
    assert handler(path)


@pytest.mark.threat("A04")
def test_a_fifo_does_not_hang_and_a_large_file_is_refused(tmp_path: Path) -> None:
    path = project(tmp_path)
    inside = tmp_path / "tools" / "kb-search" / "handler.py"
    registry = load(path)
    inside.unlink()
    os.mkfifo(inside)
    with pytest.raises(HandlerError, match="is not a regular file"):
        registry._tool("kb_search").execute  # noqa: B018
    inside.unlink()
    inside.write_bytes(b"#" * (2**20 + 1))
    assert "has more than 1048576 bytes" in refusal(path)


@pytest.mark.threat("A02")
@pytest.mark.parametrize("listed", ["../x.py", "/x.py", "kb-search/..", "kb-search\\x.py"])
def test_a_listed_file_that_leads_elsewhere_is_refused(tmp_path: Path, listed: str) -> None:
    tools = write_sources(tmp_path)
    spoilt = entry()
    spoilt["files"][listed] = "0" * 64
    with pytest.raises(HandlerError, match="kb_search"):
        load(write_artifact(tmp_path, spoilt), tools=tools)._tool("kb_search").execute  # noqa: B018


def test_a_handler_that_is_not_among_the_hashed_files_is_refused(tmp_path: Path) -> None:
    write_sources(tmp_path)
    path = write_artifact(tmp_path, entry(files={"other.py": ""}))
    assert "is not among the files of the tool" in refusal(path)
