"""What holds for every schema, plausible or absurd."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.adapters.invariants import gemini_json_breaches, native_breaches, optional_without_null, strict_breaches
from tests.adapters.strategies import JSON, tame_documents, wild_documents

from ambidex.adapters import Conversion, convert, convert_all
from ambidex.contracts.spec import PROVIDERS
from ambidex.dialect.pointer import resolve

_OUTCOMES = {
    "openai": {"strict", "nonstrict", "error"},
    "openaiResponses": {"strict", "nonstrict", "error"},
    "openaiRealtime": {"passthrough", "error"},
    "geminiNative": {"convert", "error"},
    "geminiJsonSchema": {"convert", "error"},
    "anthropic": {"passthrough", "error"},
    "mcp": {"passthrough", "error"},
}
_KEYWORDS = st.sampled_from("type properties items anyOf allOf enum required $ref $defs minimum format not if".split())
_ABSURD = st.recursive(
    JSON, lambda inner: st.dictionaries(_KEYWORDS, inner, max_size=4) | st.lists(inner, max_size=3), max_leaves=12
)
_more = settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))


@_more
@given(wild_documents() | tame_documents())
def test_a_plausible_schema_keeps_every_promise(schema: dict[str, Any]) -> None:
    _check_promises(schema)


@_more
@given(_ABSURD | st.builds(lambda inner: {"type": "object", "properties": {"a": inner}}, _ABSURD))
def test_any_json_at_all_keeps_every_promise(value: Any) -> None:
    _check_promises(value)


def _check_promises(schema: Any) -> None:
    before = copy.deepcopy(schema)
    conversions = convert_all(schema)
    assert tuple(conversions) == PROVIDERS
    for provider, conversion in conversions.items():
        assert conversion.outcome in _OUTCOMES[provider]
        assert conversion == convert(provider, schema)
        _check_paths(conversion, schema)
    _check_invariants(conversions, schema)
    assert schema == before


def _check_paths(conversion: Conversion, schema: Any) -> None:
    failed = conversion.outcome == "error"
    assert failed == (conversion.error_path is not None)
    assert not (failed and (conversion.losses or conversion.schema))
    assert bool(conversion.why) == (conversion.outcome in ("error", "nonstrict"))
    for path in (*conversion.warn_paths, conversion.error_path or ""):
        resolve(schema, path)
    assert len(set(conversion.warn_paths)) == len(conversion.warn_paths)


def _check_invariants(conversions: dict[str, Conversion], schema: Any) -> None:
    strict, native = conversions["openai"], conversions["geminiNative"]
    if strict.outcome == "strict":
        assert strict.schema is not None
        assert strict_breaches(strict.schema) == []
        assert optional_without_null(schema, strict.schema) == []
    if strict.outcome == "nonstrict":
        assert strict.warn_paths
        assert strict.schema == {key: value for key, value in schema.items() if key != "$schema"}
    if native.schema is not None:
        assert native_breaches(native.schema) == []
    if (written := conversions["geminiJsonSchema"].schema) is not None:
        assert gemini_json_breaches(written) == []
