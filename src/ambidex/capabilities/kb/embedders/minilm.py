"""MiniLM-L6 as int8 on onnxruntime: the embedder of choice, 23 MB once `ambidex models install` has prepared it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from ambidex.capabilities.kb.embedders.convert import INPUT, WIDTH
from ambidex.capabilities.kb.embedders.files import ModelError, check_contents, models_directory, read_manifest
from ambidex.errors import MissingExtra

if TYPE_CHECKING:
    from ambidex.capabilities.kb.embedders.base import Row, Rows

IDENTITY = "minilm-l6-int8@1"
FOLDER = "minilm-l6-int8-1"
MODEL_FILE = "model.onnx"
TOKENIZER_FILE = "tokenizer.json"
MOST_TOKENS = 256
"""As much as its makers let it read; later words are not seen."""
MOST_CHARACTERS = 8192
"""What is cut into tokens at all: far more than 256 tokens of any prose, and a bound on hostile text."""
MOST_THREADS = 4


class MiniLM:
    """One model; made at once, loaded with the first text."""

    identity = IDENTITY
    dim = WIDTH
    relevance = 0.30
    """Three collections were asked their own questions and each other's: the best window, leaning towards its heading,
    reaches this for 100, 96 and 86 % of the own ones, and stays below it for 67 to 99 % of the foreign ones.
    It tells another subject, not a gap: with the right record taken away, only 12 and 35 % of them stay below."""

    def __init__(self, models: Path | None = None, *, threads: int | None = None) -> None:
        self.folder = (models or models_directory()) / FOLDER
        self._threads = threads or min(MOST_THREADS, os.cpu_count() or 1)
        self._loading = Lock()
        self._model: _Model | None = None

    def installed(self) -> bool:
        """Whether the files are there and whole, by their sizes."""
        try:
            read_manifest(self.folder, IDENTITY)
        except ModelError:
            return False
        return True

    def embed(self, texts: Sequence[str]) -> Rows:
        import numpy as np

        rows = np.empty((len(texts), WIDTH), np.float32)
        if not texts:
            return rows
        model = self._loaded()
        with ThreadPoolExecutor(min(self._threads, len(texts)), "ambidex-embed") as pool:
            for number, row in enumerate(pool.map(model.vector, texts)):
                rows[number] = row
        return rows

    def embed_query(self, text: str) -> Row:
        return self._loaded().vector(text)

    def _loaded(self) -> _Model:
        with self._loading:
            if self._model is None:
                self._model = _Model(self.folder)
            return self._model


class _Model:
    """The files in memory. Its session and tokenizer are never changed again, so threads share them."""

    def __init__(self, folder: Path) -> None:
        try:
            import onnxruntime
            from tokenizers import Tokenizer
        except ImportError:
            raise MissingExtra("the embedder minilm", "kb") from None
        check_contents(folder, read_manifest(folder, IDENTITY))
        options = onnxruntime.SessionOptions()
        # Texts run side by side, each on one thread: together they use no more than `embed` allows.
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        providers = ["CPUExecutionProvider"]
        self._session: Any = onnxruntime.InferenceSession(folder / MODEL_FILE, options, providers=providers)
        self._tokenizer = Tokenizer.from_file(str(folder / TOKENIZER_FILE))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MOST_TOKENS)

    def vector(self, text: str) -> Row:
        import numpy as np

        # A lone surrogate is no text that can be encoded; it must not make a search fail.
        clean = text[:MOST_CHARACTERS].encode("utf-8", "replace").decode()
        tokens = np.array([self._tokenizer.encode(clean).ids], np.int64)
        vector: Row = self._session.run(None, {INPUT: tokens})[0][0]
        return vector
