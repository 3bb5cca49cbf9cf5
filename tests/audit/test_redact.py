"""Redaction: what an author marked never survives, and nothing else changes."""

from __future__ import annotations

import copy
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ambidex.audit.redact import REDACTED, Redactor, redact

NAMES = st.sampled_from(["a", "b", "items", "0", "1"])
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=12,
)
PATHS = st.lists(
    st.lists(NAMES | st.just("*"), min_size=1, max_size=4).map(lambda names: ".".join(["args", *names])), max_size=4
)


@pytest.mark.parametrize(
    ("path", "value", "after"),
    [
        ("args.password", {"password": "p", "user": "u"}, {"password": REDACTED, "user": "u"}),
        ("args.a.b", {"a": {"b": {"deep": 1}, "c": 2}}, {"a": {"b": REDACTED, "c": 2}}),
        ("args.items.*.token", {"items": [{"token": 1}, {"x": 2}]}, {"items": [{"token": REDACTED}, {"x": 2}]}),
        ("args.*", {"a": 1, "b": [2]}, {"a": REDACTED, "b": REDACTED}),
        ("args.list.1", {"list": ["a", "b"]}, {"list": ["a", REDACTED]}),
        ("args.list.*", {"list": ("a", "b")}, {"list": [REDACTED, REDACTED]}),
        ("args.absent.deep", {"absent": 5}, {"absent": 5}),
        ("args.a", "no object", "no object"),
        ("args.a", None, None),
        ("data.a", {"a": 1}, {"a": 1}),
    ],
)
def test_paths_point_where_they_say(path: str, value: Any, after: Any) -> None:
    assert redact(value, [path]) == after


def test_a_path_and_a_longer_one_below_it_are_both_kept() -> None:
    for paths in (["args.a", "args.a.b"], ["args.a.b", "args.a"]):
        assert redact({"a": {"b": 1}}, paths) == {"a": REDACTED}
    assert redact({"a": {"b": 1, "c": 2}}, ["args.a.b", "args.*.c"]) == {"a": {"b": REDACTED, "c": REDACTED}}


def test_read_only_mappings_are_redacted_too() -> None:
    assert redact(MappingProxyType({"a": MappingProxyType({"b": 1})}), ["args.a.b"]) == {"a": {"b": REDACTED}}


def test_without_a_path_of_its_root_a_redactor_does_nothing() -> None:
    value = {"a": 1}
    idle = Redactor(["data.a"], "args")
    assert not idle
    assert idle.apply(value) is value
    assert Redactor(["data.a"], "data")


def planted(value: Any, names: list[str]) -> Any:
    """The value with a marker at every place that the path names."""
    if not names:
        return "MARKER"
    head, *rest = names
    match value:
        case dict():
            return {name: planted(item, rest) if head in (name, "*") else item for name, item in value.items()}
        case list():
            return [planted(item, rest) if head in (str(n), "*") else item for n, item in enumerate(value)]
    return value


@pytest.mark.threat("L01")
@given(VALUES, PATHS)
def test_a_marker_at_a_redacted_path_never_survives(value: Any, paths: list[str]) -> None:
    for path in paths:
        value = planted(value, path.split(".")[1:])
    assert "MARKER" not in repr(redact(value, paths))


@given(VALUES, PATHS)
def test_the_value_given_is_never_changed(value: Any, paths: list[str]) -> None:
    before = copy.deepcopy(value)
    redact(value, paths)
    assert value == before


def differences(before: Any, after: Any, names: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    match before, after:
        case (dict(), dict()) if before.keys() == after.keys():
            return [place for name in before for place in differences(before[name], after[name], (*names, name))]
        case (list(), list()) if len(before) == len(after):
            return [place for n in range(len(before)) for place in differences(before[n], after[n], (*names, str(n)))]
    return [] if before == after else [names]


@given(VALUES, PATHS)
def test_only_what_a_path_names_is_different(value: Any, paths: list[str]) -> None:
    patterns = [path.split(".")[1:] for path in paths]
    for place in differences(value, redact(value, paths)):
        assert any(
            len(names) == len(place) and all(name in ("*", step) for name, step in zip(names, place, strict=True))
            for names in patterns
        ), place
