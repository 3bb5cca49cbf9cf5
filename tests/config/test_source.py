"""Where in a file a key is set."""

from __future__ import annotations

import pytest

from ambidex.config.source import line_of

TEXT = """\
# a comment
region = "US"
"locale" = "en"

[prompts]
directory = "p"
  full_docs_up_to   = 3

[ values ]
region = "not this one"
"""


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("region", 2),
        ("locale", 3),
        ("prompts.directory", 6),
        ("prompts.full_docs_up_to", 7),
        ("values.region", 10),
        ("values", 9),
        ("prompts.absent", 5),
        ("absent", None),
    ],
)
def test_the_line_of_a_key_or_of_the_table_that_should_hold_it(name: str, line: int | None) -> None:
    assert line_of(TEXT, name) == line
