"""`ambidex prompt`: the text on stdout, its size on stderr."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from click.testing import Result

from ambidex.agents.tokens import count_tokens

Run = Callable[..., Result]


def test_the_prompt_can_be_piped_and_its_size_is_told(run: Run, built: Path) -> None:
    result = run("prompt", "--mode", "voice")
    assert "**opening_hours** (retrieval): Tells when the shop opens" in result.stdout
    assert "count_words" not in result.stdout, "it is for text only"
    assert result.stderr == f"voice prompt: {count_tokens(result.stdout)}\n"


def test_json_has_the_prompt_and_its_size(run: Run, built: Path) -> None:
    document = json.loads(run("prompt", "--mode", "text", "--json").stdout)
    assert (document["ok"], document["mode"]) == (True, "text")
    assert f"# Available Tools (v{document['registryVersion']})" in document["prompt"]
    assert set(document["tokens"]) == {"n", "exact", "method"}


def test_the_configured_limit_decides_about_full_documentation(run: Run, built: Path) -> None:
    assert "## Common Mistakes" in run("prompt", "--mode", "text").stdout
    (built / "ambidex.toml").write_text("[prompts]\nfull_docs_up_to = 2\n")
    assert "## Common Mistakes" not in run("prompt", "--mode", "text").stdout


def test_a_missing_prompt_file_is_named(run: Run, built: Path) -> None:
    (built / "prompts" / "core.md").unlink()
    result = run("prompt", "--mode", "text", code=1)
    assert f"the prompt file {built / 'prompts' / 'core.md'} is missing" in result.stderr


def test_a_mode_is_needed(run: Run, built: Path) -> None:
    assert "--mode" in run("prompt", code=2).stderr
