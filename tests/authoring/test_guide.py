from __future__ import annotations

from tests.support.folders import GUIDE

from ambidex.authoring.guide import SECTIONS, read_guide


def test_all_sections_of_a_plain_guide_are_found_with_their_lines() -> None:
    guide = read_guide(GUIDE, "guide.md")
    assert tuple(guide.sections) == SECTIONS
    assert guide.sections["Summary"] == 3


def test_a_heading_counts_when_it_begins_with_the_name() -> None:
    guide = read_guide("## Common Mistakes (Do Not)\n\n### EXAMPLES: two of them\n", "guide.md")
    assert set(guide.sections) == {"Common Mistakes", "Examples"}


def test_a_longer_word_is_another_heading() -> None:
    assert read_guide("## Summaryish\n\n## Invariantsless\n", "guide.md").sections == {}


def test_headings_inside_code_fences_are_code() -> None:
    assert read_guide("```\n## Summary\n```\n\n    ## Invariants\n", "guide.md").sections == {}


def test_underlined_headings_are_headings() -> None:
    assert read_guide("Summary\n=======\n\nShort.\n", "guide.md").summary == "Short."


def test_the_summary_is_the_first_paragraph_on_one_line() -> None:
    guide = read_guide("# T\n\n## Summary\n\nFirst line\nsecond line.\n\nNot this.\n", "guide.md")
    assert guide.summary == "First line second line."
    assert guide.summary_line == 5


def test_a_list_under_summary_is_no_summary() -> None:
    assert read_guide("## Summary\n- a point\n\nThe paragraph.\n", "guide.md").summary == "The paragraph."


def test_examples_are_json_fences_under_examples_with_their_lines() -> None:
    text = (
        '## Summary\n```json\n{"not": "an example"}\n```\n\n'
        '## Examples\n\n```json\n{"a": 1}\n```\n~~~json title\n{}\n~~~\n'
    )
    examples = read_guide(text, "guide.md").examples
    assert [(example.line, example.text) for example in examples] == [(9, '{"a": 1}\n'), (12, "{}\n")]


def test_a_subheading_stays_inside_its_section() -> None:
    guide = read_guide("## Examples\n### In voice\n```json\n{}\n```\n## Other\n```json\n[]\n```\n", "guide.md")
    assert len(guide.examples) == 1


def test_phrases_are_the_user_lines_however_they_are_set() -> None:
    text = (
        '## Examples\nUser: find the pricing page\n\n- User: "who founded it?"\n> **User:** “call me back”\n\n'
        "```text\nUser: from a transcript\nAgent: no\n```\n\n## Other\nUser: not here\n"
    )
    assert read_guide(text, "guide.md").phrases == (
        "find the pricing page",
        "who founded it?",
        "call me back",
        "from a transcript",
    )
