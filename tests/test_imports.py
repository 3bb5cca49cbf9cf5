"""The list in the package's docstring is the direction imports may point."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import ambidex

ROOT = Path(ambidex.__file__).parent
STOPS = re.findall(r"^    (\w+) {2,}\S", ambidex.__doc__ or "", re.MULTILINE)


def stop_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imports_of(path: Path) -> set[str]:
    """Parts of this package that a file imports, wherever in it the import stands."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        found |= {name.split(".")[1] for name in names if name.startswith("ambidex.")}
    return found & set(STOPS)


def test_the_list_names_every_part_of_the_package() -> None:
    parts = {path.name.removesuffix(".py") for path in ROOT.iterdir() if path.suffix == ".py" or path.is_dir()}
    parts = {part for part in parts if not part.startswith("_") and part != "py.typed"}
    assert parts - set(STOPS) == set()


def test_imports_only_point_up_the_list() -> None:
    wrong = []
    for path in ROOT.rglob("*.py"):
        here = stop_of(path)
        if here in ("__init__", "__main__") or "templates" in path.parts:
            continue
        below = set(STOPS[STOPS.index(here) + 1 :])
        wrong += [f"{path.relative_to(ROOT)} imports {name}" for name in imports_of(path) & below]
    assert wrong == []


def test_no_file_imports_relatively() -> None:
    for path in ROOT.rglob("*.py"):
        nodes = ast.walk(ast.parse(path.read_text()))
        if "templates" not in path.parts:
            assert not [node for node in nodes if isinstance(node, ast.ImportFrom) and node.level], path


@pytest.mark.parametrize("name", ambidex.__all__)
def test_every_public_name_can_be_imported(name: str) -> None:
    assert getattr(ambidex, name) is not None
    assert name in dir(ambidex)


def test_a_name_that_is_not_public_is_refused() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        ambidex.nonsense  # noqa: B018


def test_public_names_and_their_homes_are_the_same_list() -> None:
    assert sorted(ambidex._HOMES) == ambidex.__all__
    for name, home in ambidex._HOMES.items():
        assert hasattr(importlib.import_module(home), name)


def test_loading_a_registry_imports_neither_the_compiler_nor_a_provider() -> None:
    program = "import ambidex, sys; ambidex.load; print(*sorted(sys.modules))"
    loaded = set(
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    )
    heavy = {"ambidex.compiler", "ambidex.adapters", "jsonschema_rs", "cel_expr_python", "markdown_it", "rich", "click"}
    assert not loaded & (heavy | {"openai", "google.genai", "anthropic", "mcp", "pydantic", "asyncio"})
