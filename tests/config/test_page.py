"""The generated page of keys."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from ambidex.config import Config, config_table_markdown
from ambidex.config.keys import KEYS

PAGE = Path(__file__).parents[2] / "docs" / "configuration.md"


def test_the_page_in_docs_is_the_generated_one() -> None:
    assert PAGE.read_text(encoding="utf-8") == config_table_markdown(), "write it anew: python -m ambidex.config"


def test_the_module_prints_the_page() -> None:
    run = subprocess.run([sys.executable, "-m", "ambidex.config"], capture_output=True, check=True, encoding="utf-8")
    assert run.stdout == config_table_markdown()


def test_the_table_has_a_row_for_every_key() -> None:
    rows = re.findall(r"(?m)^\| `([\w.]+)` \|", config_table_markdown())
    assert rows == [key.name for key in KEYS]


def test_the_example_on_the_page_loads(tmp_path: Path) -> None:
    [example] = re.findall(r"```toml\n(.*?)```", config_table_markdown(), re.DOTALL)
    path = tmp_path / "ambidex.toml"
    path.write_text(example)
    assert Config.load(path, environ={}).public()["values"]["support_hours"] == "9 to 5"
