"""Spaces hold only values that cannot change."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from ambidex.stores.base import Space


class Changeable(msgspec.Struct):
    text: str


@pytest.mark.parametrize("kind", [Changeable, dict, list])
def test_a_space_of_values_that_can_change_is_refused(kind: type[Any]) -> None:
    with pytest.raises(TypeError, match="'notes' must be a frozen struct"):
        Space("notes", kind)
