"""Words that a shell hands over."""

from __future__ import annotations

import click
import pytest

from ambidex.cli.words import name, words


def test_text_passes_as_it_is() -> None:
    assert words(None, None, "") == ""
    assert words(None, None, None) is None
    assert name(None, None, "Zoë") == "Zoë"


@pytest.mark.threat("V05")
def test_bytes_that_are_no_text_are_wrong_usage() -> None:
    for check in (words, name):
        with pytest.raises(click.BadParameter, match="UTF-8"):
            check(None, None, "\udcff")


def test_a_name_is_not_empty() -> None:
    with pytest.raises(click.BadParameter, match="at least one character"):
        name(None, None, "")
