"""Embedders: text -> vectors. `base` is the type, `choose` picks one, `install` prepares the model of `minilm`."""

from __future__ import annotations

from ambidex.capabilities.kb.embedders.base import Embedder
from ambidex.capabilities.kb.embedders.choose import choose_embedder

__all__ = ["Embedder", "choose_embedder"]
