"""The model that tests need. Without it they fail and say what to do: a skipped test would look like a passed one."""

from __future__ import annotations

import os
from functools import cache

import pytest

from ambidex.capabilities.kb.embedders.files import models_directory
from ambidex.capabilities.kb.embedders.minilm import MiniLM

_WITHOUT = os.environ.get("AMBIDEX_NO_MODELS") == "1"
_DIRECTORY = models_directory()
"""Asked at the start: some tests clear the variables."""


def minilm() -> MiniLM:
    """The installed model, loaded once for all tests of this process."""
    if _WITHOUT:
        pytest.skip("AMBIDEX_NO_MODELS=1")
    model = _minilm()
    if not model.installed():
        pytest.fail("this test needs the model minilm: run `ambidex models install`, or set AMBIDEX_NO_MODELS=1")
    return model


@cache
def _minilm() -> MiniLM:
    return MiniLM(_DIRECTORY)
