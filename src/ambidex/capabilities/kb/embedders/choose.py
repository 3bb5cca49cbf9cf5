"""Which embedder a knowledge base uses: the best one that is installed, or the one that was named."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from ambidex.capabilities.kb.embedders.base import Embedder
from ambidex.capabilities.kb.embedders.light import Light
from ambidex.capabilities.kb.embedders.minilm import MiniLM
from ambidex.errors import ConfigError

NAMES = ("auto", "minilm", "light", "none")


def choose_embedder(wanted: str = "auto", *, models: Path | None = None, threads: int | None = None) -> Embedder | None:
    """The embedder of a name; `auto` takes what is there, in the order of quality. None: search by words alone.

    `models` is the folder they are installed in, `threads` how many a batch may use. An embedder that was named and is
    not installed says so with its first text, not here: the base still opens.
    """
    match wanted:
        case "auto":
            return _best(models, threads)
        case "minilm":
            return MiniLM(models, threads=threads)
        case "light":
            return Light()
        case "none":
            return None
    raise ConfigError(f"there is no embedder {wanted!r}; choose {', '.join(NAMES[:-1])} or {NAMES[-1]}")


def _best(models: Path | None, threads: int | None) -> Embedder | None:
    minilm = MiniLM(models, threads=threads)
    if _importable("numpy", "onnxruntime", "tokenizers") and minilm.installed():
        return minilm
    if _importable("numpy") and Light.installed():
        return Light()
    return None


def _importable(*packages: str) -> bool:
    return all(find_spec(package) is not None for package in packages)
