"""The table of keys holds together."""

from __future__ import annotations

from ambidex.config.keys import KEYS


def test_no_two_keys_share_a_name_or_a_variable() -> None:
    assert len({key.name for key in KEYS}) == len(KEYS)
    assert len({key.variable for key in KEYS}) == len(KEYS)


def test_every_default_is_a_value_of_its_kind() -> None:
    for key in KEYS:
        key.kind.check(key.default)


def test_a_variable_is_the_key_in_capitals_with_underscores() -> None:
    variables = {key.name: key.variable for key in KEYS}
    assert variables["prompts.full_docs_up_to"] == "AMBIDEX_PROMPTS_FULL_DOCS_UP_TO"
    assert variables["tools"] == "AMBIDEX_TOOLS"
