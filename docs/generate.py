"""Writes the pages of docs/ that are made from tables in the code: `make docs`. A test keeps them equal."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.requirements import AREAS, LATER, OWED, PARTLY, shown_by

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
    made[HERE / "threats.md"] = threat_page()
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


def threat_page() -> str:
    tests = shown_by()
    parts = [_THREATS_HEAD]
    for letter, title in AREAS.items():
        rows = [_threat_row(row, tests.get(row, [])) for row in OWED if row[0] == letter]
        parts.append(
            "\n".join([f"## {title}\n", "| id | what must happen | shown by |", "|---|---|---|", *rows]) + "\n"
        )
    return "\n".join(parts)


_THREATS_HEAD = """\
# Threats and faults

What Ambidex has to withstand, and the tests that show it. Four things are never trusted: what a model emits, what a
tool returns, what a client claims about itself, and any file that the loaded artifact's digest does not cover. Trusted
are the authenticated user on the user's channel, the verified artifact, and the shared store inside one transaction.

`pytest` fails when a row that is due has no test. Rows, or parts of rows, that are not due yet say why.
"""


def _threat_row(row: str, tests: list[str]) -> str:
    shown = "<br>".join(f"`{test}`" for test in tests)
    if row in LATER:
        shown = f"{shown}<br>not due yet: {LATER[row]}".removeprefix("<br>")
    if row in PARTLY:
        shown = f"{shown}<br>not due yet: {PARTLY[row]}"
    return f"| {row} | {OWED[row]} | {shown} |"


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
