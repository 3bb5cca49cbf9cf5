"""The first quarter of an hour of a new user, on the real command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path


def ambidex(folder: Path, *args: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("AMBIDEX_")}
    program = "from ambidex.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program, *args], cwd=folder, env=environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done


def test_init_new_build_mistake_mend_show_schema_prompt(tmp_path: Path) -> None:
    ambidex(tmp_path, "init", "shop")
    shop = tmp_path / "shop"
    ambidex(shop, "new", "findProduct", code=2)
    ambidex(shop, "new", "find-product", "--mode", "text")
    assert "2 tools" in ambidex(shop, "build", "--strict", "--verify").stdout

    schema = shop / "tools" / "find-product" / "schema.json"
    good = schema.read_text()
    schema.write_text(good.replace('"maximum": 10', '"maximun": 10'))
    line = 1 + schema.read_text().splitlines().index('        "maximun": 10,')
    told = ambidex(shop, "build", code=1).stderr
    assert told.startswith(f"tools/find-product/schema.json:{line}:9 AX204 error ")
    assert "ambidex lint --explain" in told
    assert "Why: " in ambidex(shop, "lint", "--explain", "AX204").stdout

    schema.write_text(good)
    ambidex(shop, "build", "--strict")
    assert "## Failure Modes" in ambidex(shop, "show", "find-product").stdout
    declared = json.loads(ambidex(shop, "schema", "--provider", "openaiResponses", "--mode", "text").stdout)
    assert [tool["name"] for tool in declared] == ["find_product", "opening_hours"]
    prompt = ambidex(shop, "prompt", "--mode", "voice")
    assert "**opening_hours** (retrieval): " in prompt.stdout
    assert "find_product" not in prompt.stdout
    assert "tokens" in prompt.stderr
    ambidex(shop, "doctor")
