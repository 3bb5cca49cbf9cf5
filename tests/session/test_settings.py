"""Keys of the configuration -> limits of the pipeline."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.apps import Workshop, error_of, one, running, talking

from ambidex.audit.export import AuditExporter
from ambidex.audit.verify import verify
from ambidex.config.config import Config
from ambidex.contracts.call import Mode
from ambidex.errors import ConfigError
from ambidex.policy.limits import DEFAULTS, ConfirmationLimits, Retention
from ambidex.session.settings import settings_of
from ambidex.stores.open import open_store


def test_defaults_of_the_keys_are_the_defaults_of_the_pipeline() -> None:
    settings = settings_of(Config.load(environ={}))
    assert settings.limits == DEFAULTS
    assert settings.confirmation == ConfirmationLimits()
    assert settings.retention == Retention()


def test_limits_are_set_for_each_mode_apart(tmp_path: Path) -> None:
    path = tmp_path / "ambidex.toml"
    path.write_text("[limits.voice]\nretrieval = 1\nturn_ms = 0\n[limits.text]\nturn_ms = 900\n")
    settings = settings_of(path)
    assert settings.limits[Mode.VOICE].retrieval == 1
    assert settings.limits[Mode.VOICE].turn_ms is None
    assert settings.limits[Mode.VOICE].total == DEFAULTS[Mode.VOICE].total
    assert settings.limits[Mode.TEXT].turn_ms == 900
    assert settings.limits[Mode.TEXT].retrieval == DEFAULTS[Mode.TEXT].retrieval


def test_a_mapping_may_be_nested_or_dotted() -> None:
    nested = settings_of({"limits": {"text": {"total": 2}}, "confirmation": {"ttl_seconds": 60}})
    dotted = settings_of({"limits.text.total": 2, "confirmation.ttl_seconds": 60})
    assert nested.limits == dotted.limits
    assert nested.limits[Mode.TEXT].total == 2
    assert nested.confirmation.ttl_ms == dotted.confirmation.ttl_ms == 60_000


def test_variables_override_the_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "ambidex.toml"
    path.write_text("grace_seconds = 3\n[retention]\nhours = 48\n")
    monkeypatch.setenv("AMBIDEX_RETENTION_HOURS", "72")
    settings = settings_of(path)
    assert settings.grace_seconds == 3
    assert settings.retention.rows_ms == 72 * 3_600_000


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("[retention]\nhours = 1\n", "ambidex.toml:2: retention.hours must be a whole number of at least 24"),
        ("[limits.voice]\ntotl = 1\n", "ambidex.toml:2: there is no key 'limits.voice.totl'.*limits.voice.total"),
        ("[limits]\nvoice = 1\n", r"ambidex.toml:2: limits.voice must be a table: write \[limits.voice\]"),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path: Path, written: str, said: str) -> None:
    path = tmp_path / "ambidex.toml"
    path.write_text(written)
    with pytest.raises(ConfigError, match=said):
        settings_of(path)


@pytest.mark.threat("B04")
async def test_a_session_is_held_to_the_configured_limit(tmp_path: Path) -> None:
    registry = Workshop(tmp_path).reading().build()
    async with talking(registry, config={"limits.text.retrieval": 1}) as (_, session, _):
        assert error_of(await one(session, "look", {"name": "a"})) == "ok"
        assert error_of(await one(session, "look", {"name": "b"})) == "BUDGET_EXCEEDED"


async def test_the_audit_is_exported_to_the_directory_that_was_given(tmp_path: Path) -> None:
    registry = Workshop(tmp_path).reading().build()
    store = f"sqlite:{tmp_path / 'a.db'}"
    async with talking(registry, store=store, audit=tmp_path / "audit") as (_, session, _):
        await one(session, "look")
    verdict = verify(tmp_path / "audit", anchor_file=tmp_path / "audit" / "anchors.jsonl")
    assert verdict.ok
    assert verdict.lines == 4, "session, turn, call started, call finished"


async def test_an_exporter_of_ones_own_is_started_and_closed(tmp_path: Path) -> None:
    registry = Workshop(tmp_path).reading().build()
    store = open_store("memory:")
    exporter = AuditExporter(store, tmp_path / "elsewhere", anchor_file=tmp_path / "anchors.jsonl")
    async with running(registry, store=store, audit=exporter) as app:
        assert app.healthy
        await app.blocks.add(_Somebody(), 60, incident="i")
    assert exporter.healthy
    assert (tmp_path / "anchors.jsonl").read_bytes().count(b"\n") == 1
    assert b"block_added" in (tmp_path / "elsewhere" / "audit-000001.jsonl").read_bytes()


class _Somebody:
    id = "ann"
    tenant = "default"
