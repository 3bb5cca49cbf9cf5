"""Writes the pages of docs/ that are made from tables in the code: `make docs`. A test keeps them equal."""

from __future__ import annotations

import sys
from pathlib import Path

from ambidex.compiler.rules import RULES
from ambidex.compiler.rules.rule import Rule
from ambidex.config.page import config_table_markdown
from ambidex.contracts.faults import ERROR_TABLE

HERE = Path(__file__).parent


def pages() -> dict[Path, str]:
    """Every generated page and what stands on it."""
    made = {HERE / "lints" / f"{code}.md": lint_page(rule) for code, rule in RULES.items()}
    made[HERE / "lints" / "README.md"] = lint_index()
    made[HERE / "errors.md"] = error_page()
    made[HERE / "configuration.md"] = config_table_markdown()
    return made


def lint_page(rule: Rule) -> str:
    example = f"\n## For example\n\n```text\n{rule.example}\n```\n" if rule.example else ""
    return (
        f"# {rule.code} {rule.name}\n\n{rule.title}\n\nSeverity: **{rule.severity}**"
        + (" (an error under `--strict` unless acknowledged)" if rule.severity == "warning" else "")
        + f".\n\n## Why\n\n{rule.why}\n\n## How to mend it\n\n{rule.mend}\n{example}"
    )


def lint_index() -> str:
    rows = [
        f"| [{rule.code}]({rule.code}.md) | {rule.name} | {rule.severity} | {rule.title} |" for rule in RULES.values()
    ]
    head = (
        "# Lints\n\nEvery problem that `ambidex build` and `ambidex lint` can tell. "
        "`ambidex lint --explain CODE` prints one page of these.\n"
    )
    return "\n".join([head, "| code | name | severity | what must hold |", "|---|---|---|---|", *rows]) + "\n"


def error_page() -> str:
    rows = [
        f"| {kind} | {rule.http} | {', '.join(sorted(rule.layers))} | {rule.retryable} "
        f"| {rule.side_effects} | {rule.when} |"
        for kind, rule in ERROR_TABLE.items()
    ]
    head = (
        "# Error types\n\nEvery way a call can end that is not `ok`. "
        "A handler may answer only with types it is named for.\n"
    )
    table = ["| type | HTTP | who | retryable | side effects | when |", "|---|---|---|---|---|---|"]
    return "\n".join([head, *table, *rows]) + "\n"


def main() -> None:
    for path, text in pages().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    stale = set((HERE / "lints").glob("*.md")) - set(pages())
    for path in stale:
        path.unlink()
    sys.stdout.write(f"{len(pages())} pages written\n")


if __name__ == "__main__":
    main()
