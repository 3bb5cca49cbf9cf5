"""Envelopes: the short way of writing a success gives the very bytes of the struct."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.apps import Workshop

from ambidex.arguments.prepare import Prepared
from ambidex.contracts.spec import ToolSpec
from ambidex.execution.results import Result
from ambidex.session.envelope import Success, answered, encode, meta_of
from ambidex.stores.clock import Moment

REGISTRY = "1.0.c6f883a3"
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda below: st.lists(below, max_size=3) | st.dictionaries(TEXT, below, max_size=3),
    max_leaves=8,
)
POINTERS = st.lists(TEXT.map(lambda name: f"/{name}"), max_size=130).map(tuple)
RESULTS = st.builds(
    lambda data, notices, degraded: Result(True, data, notices=notices, degraded=degraded),
    st.none() | JSON.map(lambda data: msgspec.Raw(msgspec.json.encode(data))),
    st.lists(TEXT, max_size=3).map(tuple),
    st.booleans(),
)
PREPARED = st.builds(
    lambda defaulted, clamped, notices: Prepared({}, b"{}", defaulted, clamped, notices),
    POINTERS,
    st.dictionaries(TEXT, st.fixed_dictionaries({"from": JSON, "to": JSON}), max_size=2),
    st.lists(TEXT, max_size=2).map(tuple),
)
MOMENTS = st.integers(0, 4_102_444_800_000).map(lambda wall: Moment(wall, 0, ""))


@pytest.fixture(scope="module")
def spec(tmp_path_factory: pytest.TempPathFactory) -> ToolSpec:
    return Workshop(tmp_path_factory.mktemp("tools")).reading("look").build()._specs["look"]


@settings(max_examples=100, deadline=None)
@given(
    result=RESULTS,
    prepared=PREPARED,
    call_id=TEXT | st.sampled_from(["", '"', "\\", "\x00\x1f\x7f", "</script>", "a/b"]),
    turn=st.integers(0, 10**6),
    duration=st.floats(0, 10**7).map(lambda ms: round(ms, 3)),
    now=MOMENTS,
)
def test_a_success_is_written_as_the_struct_is(
    spec: ToolSpec, result: Result, prepared: Prepared, call_id: str, turn: int, duration: float, now: Moment
) -> None:
    facts: dict[str, Any] = {"clamped": prepared.clamped, "defaulted": prepared.defaulted, "result": result}
    meta = meta_of(
        tool=spec,
        name=spec.tool_id,
        registry=REGISTRY,
        call_id=call_id,
        turn=turn,
        now=now,
        duration_ms=duration,
        attempt=1,
        **facts,
    )
    written = Success(spec, REGISTRY).encode(result, prepared, call_id, turn, duration, now)
    assert written == encode(answered(result, meta, prepared.notices))


def test_what_was_filled_in_is_remembered_for_a_few_forms_and_right_for_all(spec: ToolSpec) -> None:
    success, now = Success(spec, REGISTRY), Moment(0, 0, "")
    for number in [*range(200), 3]:
        prepared = Prepared({}, b"{}", (f"/items/{number}",), {}, ())
        written = success.encode(Result(True), prepared, "", 1, 0.0, now)
        assert msgspec.json.decode(written)["meta"]["defaulted"] == [f"/items/{number}"]
    assert len(success._defaulted) == 64
