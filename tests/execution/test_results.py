"""What a handler returned: the short check of plain data gives what the long one gives, or leaves it to that."""

from __future__ import annotations

import datetime
import enum
import uuid
from collections import OrderedDict, namedtuple
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.apps import Workshop

from ambidex import ok
from ambidex.contracts.spec import ToolSpec
from ambidex.execution.results import MAX_ANSWER, BadResult, Result, ResultCheck, _quick


class Word(str):
    __slots__ = ()


class Number(int):
    pass


class Table(dict[str, Any]):
    pass


class Colour(enum.StrEnum):
    RED = "red"


class Level(enum.IntEnum):
    LOW = 1


class Ratio(enum.Enum):
    HALF = 0.5


class Shape(enum.Enum):
    POINT = (0, 0)


class Silent(enum.Enum):
    NOTHING = None


@dataclass
class Person:
    name: str


class Record(msgspec.Struct):
    id: str


Pair = namedtuple("Pair", "a b")

ODD: list[Any] = [
    float("nan"),
    float("inf"),
    datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC),
    datetime.date(2026, 1, 1),
    datetime.time(1, 2),
    datetime.timedelta(seconds=1),
    uuid.UUID(int=7),
    Decimal("1.50"),
    Word("word"),
    Number(7),
    Table(a=1),
    OrderedDict(a=1),
    MappingProxyType({"a": 1}),
    Colour.RED,
    Level.LOW,
    Ratio.HALF,
    Shape.POINT,
    Silent.NOTHING,
    Person("Ada"),
    Record("r1"),
    Pair(1, 2),
    msgspec.Raw(b"[1]"),
    msgspec.Raw(b"not json"),
    2**64 - 1,
    2**64,
    -(2**63) - 1,
    2**200,
    b"bytes",
    bytearray(b"bytes"),
    {1, 2},
    (1, (2,)),
    "\ud800",
    "\x00\x1f\x7f\u2028</script>",
    "null",
    '"__',
    object(),
    1e16,
    1e22,
    1.5e300,
    5e-324,
    -0.0,
    {1: "a"},
    {Word("a"): 1},
    {Colour.RED: 1},
    {"__class__": 1},
    {None: 1},
    {uuid.UUID(int=7): 1},
]
PLAIN = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.text(max_size=6)
    | st.sampled_from(["person:1", "REDACTED", "null", "__x"])
)
KEYS = st.text(max_size=4) | st.sampled_from(["results", "records", "id", "degraded", "__x"])
DATA = st.dictionaries(
    KEYS,
    st.recursive(
        PLAIN | st.sampled_from(ODD),
        lambda below: st.lists(below, max_size=3) | st.dictionaries(KEYS, below, max_size=3) | st.tuples(below),
        max_leaves=8,
    ),
    max_size=4,
)


@pytest.fixture(scope="module")
def check(tmp_path_factory: pytest.TempPathFactory) -> ResultCheck:
    spec: ToolSpec = Workshop(tmp_path_factory.mktemp("tools")).reading("look").build()._specs["look"]
    return ResultCheck(spec)


def the_long_way(check: ResultCheck, data: Any) -> Result | None:
    try:
        return check._success(ok(data))
    except BadResult:
        return None


def assert_quick_is_right(check: ResultCheck, data: Any) -> None:
    quick = _quick(ok(data))
    if quick is not None:
        assert quick == the_long_way(check, data)


@settings(max_examples=100, deadline=None)
@given(data=DATA)
def test_the_short_check_gives_what_the_long_one_gives_or_nothing(check: ResultCheck, data: Any) -> None:
    assert_quick_is_right(check, data)


@pytest.mark.parametrize("value", ODD, ids=lambda value: type(value).__name__)
def test_whatever_only_python_has_is_judged_alike(check: ResultCheck, value: Any) -> None:
    assert_quick_is_right(check, {"value": value})
    assert_quick_is_right(check, {"results": [{"id": value}], "degraded": value})
    if isinstance(value, dict):
        assert_quick_is_right(check, value)


def test_ordinary_data_takes_the_short_check(check: ResultCheck) -> None:
    data = {"results": [{"id": "a", "score": 0.25, "tags": ["é", "\n"]}, {"id": "b"}], "total": 2, "degraded": True}
    quick = _quick(ok(data))
    assert quick is not None
    assert (quick.records, quick.degraded, quick.is_plain) == (("a", "b"), True, True)
    assert check.check(ok(data)) == quick == the_long_way(check, data)


def deep(levels: int) -> Any:
    data: Any = 1
    for _ in range(levels):
        data = [data]
    return data


@pytest.mark.parametrize(
    "data",
    [None, [], "text", {"x": "y" * MAX_ANSWER}, {"x": deep(40)}, {"x": None}],
    ids=["nothing", "a list", "text", "too long", "too deep", "null"],
)
def test_what_may_need_a_closer_look_is_left_to_the_long_check(data: Any) -> None:
    assert _quick(ok(data)) is None


def test_an_answer_with_intents_or_notices_is_left_to_the_long_check() -> None:
    silence = {"type": "SUPPRESS_AUDIO", "value": True}
    assert _quick(ok({"a": 1}, intents=[silence])) is None
    assert _quick(msgspec.structs.replace(ok({"a": 1}), notices=("take care",))) is None
