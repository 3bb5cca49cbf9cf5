"""An import: what is new or changed goes in, what is unchanged is not touched, what is wrong is told, the rest goes on.

Many small transactions: an import that is killed leaves a base that works, and the next one goes on from there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path

from ambidex.capabilities.kb.engine import Writer
from ambidex.capabilities.kb.importing import csv_rows, jsonl, markdown
from ambidex.capabilities.kb.importing.entries import Entry
from ambidex.capabilities.kb.importing.finding import Catch, SourceFile, find_files
from ambidex.capabilities.kb.importing.incoming import Incoming, Item
from ambidex.capabilities.kb.importing.origins import Origins
from ambidex.capabilities.kb.importing.reading import opened
from ambidex.capabilities.kb.importing.told import Refusal, Summary, Unfit
from ambidex.capabilities.kb.record import RecordError, parse_record

Progress = Callable[[int, int, str], None]
"""Files done, of how many, and where it is."""

_FORMAT = "1"
"""Of what is made of a file; another one imports everything again."""
_ROWS = {".jsonl": jsonl.entries, ".ndjson": jsonl.entries, ".csv": csv_rows.entries}
"""Files that hold many records; any other holds one."""
_TELL_EVERY = 100


class Importer:
    """One import by one writer. `base` is the folder of the knowledge base."""

    def __init__(
        self, writer: Writer, base: Path, *, namespace: str = "studio", progress: Progress | None = None
    ) -> None:
        self.summary = Summary()
        self._writer = writer
        self._namespace = namespace
        self._progress = progress or (lambda done, total, where: None)
        self._origins = Origins(base, writer.origins())
        self._incoming = Incoming(writer)
        self._seen: dict[str, int] = {}
        """Origin -> line, of every record that stands in a file."""
        self._names: dict[Path, str] = {}
        """Files as the person who gave them writes them."""
        self._unsure: set[Path] = set()
        """Files of which something was refused: what was known of them stays."""

    def run(self, given: Iterable[str], *, prune: bool = False) -> Summary:
        catch = find_files(given)
        self.summary.refused += catch.refused
        self.summary.skipped += catch.skipped
        for done, file in enumerate(catch.files):
            self._file(file, partial(self._progress, done, len(catch.files)))
        self._progress(len(catch.files), len(catch.files), "")
        self._settle(catch)
        self._remove(catch, prune=prune)
        return self.summary

    def _file(self, file: SourceFile, tell: Callable[[str], None]) -> None:
        tell(file.shown)
        self._names[file.path] = file.shown
        known = self._origins.by_digest(file.path)
        reader = _ROWS.get(file.path.suffix.lower(), markdown.entries)
        try:
            with opened(file.path) as source:
                for number, entry in enumerate(reader(source, file.inside), 1):
                    if number % _TELL_EVERY == 0:
                        tell(f"{file.shown}:{entry.line}")
                    self._entry(file, entry, source.modified, known)
        except Unfit as unfit:
            self._refuse(file, unfit.line, unfit.why)
        except OSError as error:
            self._refuse(file, None, f"cannot be read to the end: {error.strerror}; check the disk and import again")

    def _entry(self, file: SourceFile, entry: Entry, modified: str, known: Mapping[str, str]) -> None:
        digest = self._digest(entry.data)
        origin = known.get(digest)
        if origin is not None and origin not in self._seen:
            self._seen[origin] = entry.line
            self.summary.unchanged += 1
            return
        try:
            item = self._item(file, entry, digest, modified)
        except Unfit as unfit:
            self._refuse(file, unfit.line or entry.line, unfit.why)
            return
        if (line := self._seen.get(item.origin)) is not None:
            why = f"has the id {item.record.id} of line {line}; give one of them another id"
            self._refuse(file, entry.line, why)
            return
        self._seen[item.origin] = entry.line
        self._incoming.add(item)

    def _item(self, file: SourceFile, entry: Entry, digest: str, modified: str) -> Item:
        fields = entry.fields()
        try:
            record = parse_record(fields.values, default_namespace=self._namespace, default_updated=modified)
        except RecordError as error:
            raise Unfit(str(error), fields.lines.get(error.field)) from None
        rows = file.path.suffix.lower() in _ROWS
        origin = self._origins.of_row(file.path, record.id) if rows else self._origins.of_file(file.path)
        return Item(record, origin, digest, file, entry.line)

    def _settle(self, catch: Catch) -> None:
        """What waits with an id that is taken: it moved here, or the id is there twice."""
        self._incoming.flush()
        left = {*self._gone(catch), *(item.origin for item in self._incoming.taken)}
        for item in self._incoming.taken:
            if (owner := self._move_in(item, left)) is not None:
                place = self._shown(owner)
                why = f"has the id {item.record.id}, which {place} has already; give one of them another id"
                self._refuse(item.file, item.line, why)
        for origin in self._incoming.done:
            if origin in self._origins:
                self.summary.changed += 1
            else:
                self.summary.added += 1

    def _move_in(self, item: Item, left: set[str]) -> str | None:
        """The origin that keeps the id; None when its record went in. `left`: places that say something else by now."""
        with self._writer.together():
            owner = self._incoming.put(item)
            if owner is None or owner in self._incoming.done:
                return owner
            if owner in left or self._origins.lost(owner):
                self._writer.forget([owner])
                return self._incoming.put(item)
            return owner

    def _remove(self, catch: Catch, *, prune: bool) -> None:
        gone = self._gone(catch)
        if prune:
            self.summary.removed = self._incoming.forget(gone)
        else:
            self.summary.vanished = len(gone)

    def _gone(self, catch: Catch) -> list[str]:
        return self._origins.gone(self._seen, catch.scopes, {*catch.unseen, *self._unsure})

    def _refuse(self, file: SourceFile, line: int | None, why: str) -> None:
        self.summary.refused.append(Refusal(file.shown, line, why))
        self._unsure.add(file.path)

    def _shown(self, origin: str) -> str:
        path = self._origins.path(origin)
        name = self._names.get(path, str(path))
        line = self._seen.get(origin)
        return f"{name}:{line}" if line and "#" in origin else name

    def _digest(self, data: bytes) -> str:
        return hashlib.sha256(f"{_FORMAT} {self._namespace} ".encode() + data).hexdigest()
