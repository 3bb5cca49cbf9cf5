"""Envelopes on a terminal."""

from __future__ import annotations

import io

from rich.console import Console

from ambidex.cli.answer import drawn
from ambidex.contracts.faults import ErrorType
from ambidex.contracts.response import RESPONSE_VERSION, Fault, Meta, ToolResponse

META = Meta(
    tool_id="kb_search",
    tool_version="1.2.0",
    registry_version="1.0.aaaaaaaa",
    response_schema_version=RESPONSE_VERSION,
    duration=12.4,
    timestamp="2026-03-02T09:00:00.000Z",
    call_id=None,
    turn=3,
    attempt=2,
    deduplicated=True,
    clamped={"top_k": {"asked": 9, "used": 3}},
    defaulted=("lang",),
)


def shown(answer: ToolResponse) -> str:
    console = Console(file=io.StringIO(), width=160, force_terminal=False)
    console.print(drawn(answer))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert isinstance(text, str)
    return text


def test_a_success_shows_data_notices_and_facts() -> None:
    text = shown(ToolResponse(ok=True, data={"hits": [1]}, notices=("top_k was lowered to 3",), meta=META))
    for part in (
        "kb_search ok",
        '"hits"',
        "notice: top_k was lowered to 3",
        "kb_search 1.2.0, registry 1.0.aaaaaaaa, turn 3, 12 ms, attempt 2, recorded answer",
        "default: lang, clamped: top_k",
    ):
        assert part in text


def test_a_failure_shows_its_type_and_nothing_can_move_the_cursor() -> None:
    fault = Fault(type=ErrorType.CONFLICT, message="taken\x1b[2J", retryable=False, partial_side_effects=False)
    text = shown(ToolResponse(ok=False, error=fault, meta=META))
    assert "kb_search failed" in text
    assert "CONFLICT: taken\\x1b[2J" in text
