"""The best embedder that is installed, or the one that was named."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest
from tests.support.models import minilm

from ambidex.capabilities.kb.embedders import choose_embedder
from ambidex.capabilities.kb.embedders.light import Light
from ambidex.capabilities.kb.embedders.minilm import MiniLM
from ambidex.errors import ConfigError, MissingExtra


def without(monkeypatch: pytest.MonkeyPatch, *packages: str) -> None:
    """As on a machine where these were never installed."""
    found = importlib.util.find_spec
    for module in ("choose", "light"):
        monkeypatch.setattr(
            f"ambidex.capabilities.kb.embedders.{module}.find_spec",
            lambda name: None if name in packages else found(name),
        )
    for package in packages:
        monkeypatch.setitem(sys.modules, package, None)


def test_the_model_is_taken_where_it_is_installed() -> None:
    assert isinstance(choose_embedder(models=minilm().folder.parent), MiniLM)


def test_without_the_model_the_table_is_taken(tmp_path: Path) -> None:
    assert isinstance(choose_embedder(models=tmp_path), Light)


def test_with_neither_the_base_searches_by_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "wordllama")
    assert choose_embedder(models=tmp_path) is None


@pytest.mark.parametrize("package", ["numpy", "onnxruntime", "tokenizers"])
def test_a_model_that_nothing_can_run_is_not_taken(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    without(monkeypatch, package, "wordllama")
    assert choose_embedder(models=minilm().folder.parent) is None


def test_a_named_embedder_is_that_one_installed_or_not(tmp_path: Path) -> None:
    assert isinstance(choose_embedder("minilm", models=tmp_path), MiniLM)
    assert isinstance(choose_embedder("light"), Light)
    assert choose_embedder("none") is None


def test_a_missing_package_is_named_by_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "onnxruntime", "wordllama")
    for name, extra in (("minilm", "kb"), ("light", "kb-light")):
        embedder = choose_embedder(name)
        assert embedder is not None
        with pytest.raises(MissingExtra, match=rf'pip install "ambidex\[{extra}\]"'):
            embedder.embed_query("text")


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(ConfigError, match="there is no embedder 'bert'; choose auto, minilm, light or none"):
        choose_embedder("bert")
