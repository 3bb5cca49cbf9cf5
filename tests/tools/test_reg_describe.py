"""reg_describe: in voice, at most 2,000 characters of what a caller needs."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.tools.calling import FOLDERS, TOOLS, module_of, run, schema_of

spoken_length = module_of("reg-describe", "brief").spoken_length
LONGEST = 2000


def described(documentation: str, properties: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"summary": "Does it.", "documentation": documentation, "parameters": {"properties": properties or {}}}


@given(documentation=st.text(max_size=4000), description=st.text(max_size=3000))
def test_the_spoken_documentation_never_exceeds_its_length(documentation: str, description: str) -> None:
    guide = f"## Failure Modes\n{documentation}"
    assert len(spoken_length(described(guide, {"a": {"description": description}}))) <= LONGEST


def test_a_heading_inside_a_code_block_ends_no_section() -> None:
    guide = "## Failure Modes\n\n```\n# a comment\n```\n\n- **AUTH**: sign in.\n\n## Examples\n\nnot this\n"
    text = spoken_length(described(guide))
    assert "- **AUTH**: sign in." in text
    assert "not this" not in text


def test_a_section_is_found_by_the_beginning_of_its_heading() -> None:
    assert "sign in" in spoken_length(described("# tool\n\n### Failure Modes (what to do)\n\nsign in\n"))


def test_text_that_is_too_long_is_cut_at_the_end_of_a_line() -> None:
    guide = "## Failure Modes\n\n" + "\n".join(f"- **E{n}**: do something about it." for n in range(100))
    text = spoken_length(described(guide))
    assert text.endswith("do something about it.…")


def test_every_shipped_tool_can_be_described_in_voice_without_a_cut() -> None:
    for folder in FOLDERS:
        guide = (TOOLS / folder / "guide.md").read_text("utf-8")
        text = spoken_length(described(guide, schema_of(folder)["parameters"]["properties"]))
        assert len(text) <= LONGEST
        assert not text.endswith("…"), folder


async def test_a_tool_describes_itself_with_the_parameters_it_was_built_with() -> None:
    outcome = await run("reg-describe", {"toolId": "reg_describe"}, {"mode": "voice"})
    assert outcome.envelope["data"]["parameters"] == schema_of("reg-describe")["parameters"]
