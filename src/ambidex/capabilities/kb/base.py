"""The base that a configuration names: opened, filled with the sample if it is empty, embedded in the background."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from pathlib import Path

from ambidex.capabilities.kb.background import Embedding
from ambidex.capabilities.kb.embedders import Embedder, choose_embedder
from ambidex.capabilities.kb.engine import WriterBusy
from ambidex.capabilities.kb.importing.importer import Importer
from ambidex.capabilities.kb.sqlite.engine import SqliteEngine, open_kb
from ambidex.config import Config, keys

logger = logging.getLogger(__name__)
_LOOK_AGAIN_SECONDS = 30.0
_MODELS = ("minilm", "light")


@dataclass(slots=True)
class Base:
    """Whoever opens it, closes it; one thread at a time."""

    path: Path
    embedder: str = "auto"
    sample: Path | None = None
    relevance: float = 0.0
    models: Path | None = None
    _embedding: Embedding | None = field(default=None, init=False)

    @classmethod
    def of(cls, config: Config) -> Base:
        folder = config.path.parent if config.path else Path.cwd()
        sample = folder / config[keys.KB_SAMPLE] if config[keys.KB_SAMPLE] else None
        return cls(
            config[keys.KB_PATH],
            config[keys.KB_EMBEDDER],
            sample,
            config[keys.KB_RELEVANCE],
            config[keys.MODELS_DIRECTORY],
        )

    def open(self) -> SqliteEngine | None:
        """None while there is neither a base nor a sample to make one of."""
        if not self.path.exists() and self.sample is None:
            return None
        embedder = choose_embedder(self.embedder, models=self.models)
        engine = open_kb(self.path, embedder=embedder, others=self._other, relevance=self.relevance)
        if self.sample is not None and engine.stats().records == 0:
            self._import(engine, self.sample)
        if embedder is not None:
            self._embedding = Embedding(engine, embedder)
            self._embedding.start(look_again_seconds=_LOOK_AGAIN_SECONDS)
        return engine

    def close(self) -> None:
        """Before the engine is closed: what is not embedded by then is embedded next time."""
        if self._embedding is not None:
            self._embedding.stop()
            self._embedding = None

    def _import(self, engine: SqliteEngine, sample: Path) -> None:
        try:
            with engine.writer() as writer:
                summary = Importer(writer, self.path.parent).run([str(sample)])
        except WriterBusy:
            return  # somebody fills it already
        for refusal in summary.refused:
            logger.warning("the sample of the knowledge base: %s", refusal)

    def _other(self, identity: str) -> Embedder | None:
        """The embedder that made the vectors which serve, while another is wanted."""
        found = (choose_embedder(name, models=self.models) for name in _MODELS)
        return next((embedder for embedder in found if embedder and embedder.identity == identity), None)
