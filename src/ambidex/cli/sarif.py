"""Problems as SARIF 2.1.0, which code hosts and editors show at the line in question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TextIO
from urllib.parse import quote

import orjson

from ambidex import __version__
from ambidex.contracts.problem import Problem

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def write_sarif(problems: Sequence[Problem], stream: TextIO) -> None:
    stream.write(orjson.dumps(sarif(problems), option=orjson.OPT_INDENT_2).decode() + "\n")


def sarif(problems: Sequence[Problem]) -> dict[str, Any]:
    """One run of one tool; only the rules that were broken are described."""
    codes = sorted({problem.code for problem in problems})
    driver = {"name": "ambidex", "version": __version__, "rules": [_rule(code) for code in codes]}
    results = [_result(problem, codes.index(problem.code)) for problem in problems]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(code: str) -> dict[str, Any]:
    from ambidex.compiler.rules import RULES

    rule = RULES.get(code)
    if rule is None:
        return {"id": code}
    return {
        "id": code,
        "name": rule.name,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.why},
        "help": {"text": rule.mend},
    }


def _result(problem: Problem, rule_index: int) -> dict[str, Any]:
    return {
        "ruleId": problem.code,
        "ruleIndex": rule_index,
        "level": problem.severity.value,
        "message": {"text": f"{problem.message}; {problem.fix}"},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": quote(problem.path)},
                    "region": {"startLine": max(problem.line, 1), "startColumn": max(problem.column, 1)},
                }
            }
        ],
    }
