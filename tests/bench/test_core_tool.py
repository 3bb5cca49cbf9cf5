"""The measured tool: its good arguments are good, and each bad one breaks the contract in one way."""

from __future__ import annotations

import json

import pytest

from ambidex.arguments.check import ArgumentCheck
from ambidex.bench.core_tool import BAD, PARAMETERS, RESULT, good, text_of

CHECK = ArgumentCheck(PARAMETERS)
RULES = {
    "missing": "required",
    "string for integer": "type",
    "out of range": "maximum",
    "not in enum": "enum",
    "too long": "maxLength",
    "bad format": "format",
    "same item twice": "uniqueItems",
    "unknown key": "additionalProperties",
    "unknown nested key": "additionalProperties",
}


def test_good_arguments_pass_and_differ_from_call_to_call() -> None:
    assert CHECK.check(good(1)) is None
    assert text_of(good(1)) != text_of(good(2))


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_one_breaks_exactly_the_rule_it_is_named_after(kind: str) -> None:
    fault = CHECK.check(BAD[kind])
    assert fault is not None
    assert fault.details is not None
    assert [error["rule"] for error in fault.details["errors"]] == [RULES[kind]]


def test_there_are_nine_kinds_and_the_result_has_a_kilobyte_and_a_half() -> None:
    assert len(BAD) == 9
    assert 1_400 < len(json.dumps(RESULT)) < 1_700
