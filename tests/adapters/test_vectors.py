"""Every vector, exactly: outcome, paths, and the reference output but for the wording of descriptions."""

from __future__ import annotations

from typing import Any

import pytest
from tests.adapters.vectors import CASES

from ambidex.adapters import convert


@pytest.mark.parametrize(("provider", "parameters", "expected"), CASES)
def test_outcome_and_paths_are_those_of_the_vector(
    provider: str, parameters: dict[str, Any], expected: dict[str, Any]
) -> None:
    conversion = convert(provider, parameters)
    assert conversion.outcome == expected["outcome"]
    assert conversion.error_path == expected.get("error_path")
    assert list(conversion.warn_paths) == expected.get("warn_paths", [])


@pytest.mark.parametrize(
    ("provider", "parameters", "expected"),
    [case for case in CASES if "output" in case.values[2]],  # type: ignore[operator]
)
def test_output_is_the_reference_output(provider: str, parameters: dict[str, Any], expected: dict[str, Any]) -> None:
    assert _reworded(convert(provider, parameters).schema) == _reworded(expected["output"])


@pytest.mark.parametrize("provider", ["openai", "openaiRealtime", "anthropic", "mcp"])
def test_what_is_passed_through_is_as_written_but_for_its_dialect(provider: str) -> None:
    authored = {"type": "object", "properties": {"a": {"type": "array"}}, "additionalProperties": False}
    dialect = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    assert convert(provider, {**dialect, **authored}).schema == authored


def _reworded(value: Any) -> Any:
    """Every description replaced by one word: that there is one counts, how it reads does not."""
    if isinstance(value, dict):
        said = isinstance(value.get("description"), str)
        return {key: "told" if said and key == "description" else _reworded(each) for key, each in value.items()}
    return [_reworded(each) for each in value] if isinstance(value, list) else value
