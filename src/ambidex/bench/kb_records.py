"""Made-up records and questions: words as rare and as common as in prose, the same ones every time."""

from __future__ import annotations

import random
import zlib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING

from ambidex.capabilities.kb.embedders.light import Light
from ambidex.capabilities.kb.filters import Filters
from ambidex.capabilities.kb.record import TYPES, Record

if TYPE_CHECKING:
    from ambidex.capabilities.kb.embedders.base import Embedder, Row, Rows

NAMESPACES = ("studio", "personal", "public")
_START = datetime(2020, 1, 1, tzinfo=UTC)
_DAYS = 2_400
_TAGS = tuple(f"tag{number}" for number in range(200))
_SYLLABLES = "ka lo mi ren tas vel dor pin sha gu ber fin oth wal es cra".split()
_WORDS = 20_000
_SMALL_WORDS = 50
_TABLE_UP_TO = 200_000
"""Records up to which vectors come from the light table."""


@cache
def word(rank: int) -> str:
    """The word of a rank; the first are the common ones."""
    text = ""
    for _ in range(4):
        text, rank = text + _SYLLABLES[rank % 16], rank // 16
    return text


def _some_word(dice: random.Random, *, least: int = 1) -> str:
    """Few words often, many words seldom; none of a rank before `least`."""
    return word(int(least * (_WORDS / least) ** dice.random()))


def made_up(number: int) -> Record:
    dice = random.Random(number)  # noqa: S311 - no secret
    kind = TYPES[dice.randrange(len(TYPES))]
    return Record(
        id=f"{kind}:r{number}",
        type=kind,
        namespace=NAMESPACES[dice.randrange(3)],
        title=" ".join(_some_word(dice) for _ in range(4)),
        text=" ".join(_some_word(dice) for _ in range(50)) + ".",
        tags=tuple({_TAGS[int(200 ** dice.random()) - 1] for _ in range(3)}),
        last_updated=f"{_START + timedelta(days=dice.randrange(_DAYS)):%Y-%m-%dT00:00:00Z}",
    )


def question(dice: random.Random) -> str:
    """Five words without the commonest: those are to this language what "the" and "of" are to English."""
    return " ".join(_some_word(dice, least=_SMALL_WORDS) for _ in range(5))


def some_filters(dice: random.Random) -> Filters:
    """One namespace always; each of type, tag and dates in half of the searches."""
    start = _START + timedelta(days=dice.randrange(_DAYS // 2))
    end = start + timedelta(days=_DAYS // 2)
    dated = dice.random() < 0.5
    return Filters(
        (NAMESPACES[dice.randrange(3)],),
        type=TYPES[dice.randrange(len(TYPES))] if dice.random() < 0.5 else None,
        tags=(_TAGS[int(200 ** dice.random()) - 1],) if dice.random() < 0.5 else (),
        start=f"{start:%Y-%m-%dT00:00:00Z}" if dated else None,
        end=f"{end:%Y-%m-%dT00:00:00Z}" if dated else None,
    )


class SyntheticVectors:
    """Random directions that depend on the text: as costly to search as real ones, and meaningless."""

    identity = "synthetic-384@1"
    dim = 384
    relevance = 0.3

    def embed(self, texts: Sequence[str]) -> Rows:
        import numpy as np

        seed = zlib.crc32("\n".join(texts).encode())
        rows: Rows = np.random.default_rng(seed).standard_normal((len(texts), self.dim), np.float32)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return rows

    def embed_query(self, text: str) -> Row:
        row: Row = self.embed([text])[0]
        return row


def embedder_for(size: int) -> Embedder:
    """The light table, as long as making vectors with it does not take longer than all the rest."""
    return Light() if size <= _TABLE_UP_TO and Light.installed() else SyntheticVectors()
