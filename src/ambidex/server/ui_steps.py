"""The steps of a message and the text that is open in one: what has to be closed before something else may begin."""

from __future__ import annotations

from collections.abc import Iterator

from ambidex.server.wire import Chunk, safe_text


class Steps:
    """One step at a time, one text at a time; ids of texts are unique in the message."""

    def __init__(self) -> None:
        self.results = False
        """The step that is open, or was open last, holds a tool's outcome."""
        self.asked: set[str] = set()
        """Its parts that the user was asked about: what comes next is the user's to say."""
        self._open = False
        self._text = ""
        self._texts = 0

    @property
    def takes_text(self) -> bool:
        """What a model says after a result belongs to its next step, whoever forgot to tell."""
        return self._open and not self.results and not self.asked

    @property
    def takes_calls(self) -> bool:
        return self._open

    def begin(self) -> Iterator[Chunk]:
        yield from self.end()
        self._open, self.results, self.asked = True, False, set()
        yield {"type": "start-step"}

    def end(self) -> Iterator[Chunk]:
        yield from self.end_text()
        if self._open:
            self._open = False
            yield {"type": "finish-step"}

    def say(self, text: str) -> Iterator[Chunk]:
        if not self._text:
            self._texts += 1
            self._text = f"t{self._texts}"
            yield {"type": "text-start", "id": self._text}
        yield {"type": "text-delta", "id": self._text, "delta": safe_text(text)}

    def end_text(self) -> Iterator[Chunk]:
        if self._text:
            yield {"type": "text-end", "id": self._text}
            self._text = ""
