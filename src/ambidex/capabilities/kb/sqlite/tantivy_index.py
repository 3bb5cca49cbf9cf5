"""Searching by words in a large base: a tantivy index in the folder beside the file, brought up to date by the writer.

A note in the folder says up to which change it has come. It is searched only while that is the database's last change,
so it can be slower than the database, or lost, and no answer is wrong: FTS5 takes its place.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ambidex.capabilities.kb.search.relevance import rarity
from ambidex.capabilities.kb.sqlite.conditions import Conditions
from ambidex.capabilities.kb.sqlite.lexical import Match

VERSION = 1
_ANALYZER = "ambidex_words"
_NOTE = "applied.json"
_HEAP_BYTES = 128 << 20
_PASSAGES_FOR_A_RECORD = 4
"""How many more passages than records are asked for: records with several good passages take several places."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One passage as the index holds it."""

    record: int
    passage: int
    text: str
    namespace: str
    type: str
    updated: int
    tags: tuple[str, ...]


def installed() -> bool:
    return find_spec("tantivy") is not None


class TantivyIndex:
    """Raises `OSError` or `ValueError` when the folder holds no index that can be read."""

    name = "tantivy"

    def __init__(self, folder: Path) -> None:
        import tantivy

        self.applied: int = json.loads((folder / _NOTE).read_text())["change"]
        self._tantivy: Any = tantivy
        self._index: Any = tantivy.Index.open(str(folder))
        self._analyzer = _register(self._index)
        self._index.reload()
        self._searcher: Any = self._index.searcher()

    def best(self, words: Sequence[str], within: Conditions, most: int) -> list[Match]:
        query = self._query(words, within)
        limit, matches = most * _PASSAGES_FOR_A_RECORD, dict[int, Match]()
        while True:
            hits = self._searcher.search(query, limit, count=False).hits
            matches = self._by_record(hits)
            if len(matches) >= most or len(hits) < limit:
                return list(matches.values())[:most]
            limit *= 4

    def weights(self, words: Sequence[str]) -> dict[str, float]:
        texts = self._searcher.num_docs
        return {word: rarity(texts, min(texts, self._holding(word))) for word in words}

    def _holding(self, word: str) -> int:
        """Passages that hold a word; those that are gone count until their segment is merged."""
        tokens = self._analyzer.analyze(word)
        return min((self._searcher.doc_freq("words", token) for token in tokens), default=0)

    def _by_record(self, hits: list[tuple[float, Any]]) -> dict[int, Match]:
        places = [place for _, place in hits]
        records: list[Any] = self._searcher.fast_field_values("record", places)
        passages: list[Any] = self._searcher.fast_field_values("passage", places)
        found: dict[int, Match] = {}
        for (score, _), record, passage in zip(hits, records, passages, strict=True):
            found.setdefault(record, Match(record, passage, score))
        return found

    def _query(self, words: Sequence[str], within: Conditions) -> Any:
        tv, schema = self._tantivy, self._index.schema
        any_of = [self._term("words", token) for word in words for token in self._analyzer.analyze(word)]
        wanted = [tv.Query.boolean_query([(tv.Occur.Should, query) for query in any_of])]
        spaces = [(tv.Occur.Should, self._term("namespace", name)) for name in within.namespaces]
        wanted.append(_silent(tv, tv.Query.boolean_query(spaces)))
        if within.type is not None:
            wanted.append(_silent(tv, self._term("type", within.type)))
        wanted += [_silent(tv, self._term("tag", tag)) for tag in within.tags]
        if within.start is not None or within.end is not None:
            integer = tv.FieldType.Integer
            wanted.append(_silent(tv, tv.Query.range_query(schema, "updated", integer, within.start, within.end)))
        return tv.Query.boolean_query([(tv.Occur.Must, query) for query in wanted])

    def _term(self, field: str, value: str) -> Any:
        return self._tantivy.Query.term_query(self._index.schema, field, value)


@contextmanager
def updating(folder: Path, *, change: int) -> Iterator[Updates]:
    """Take documents away and add others; noted as `change` once all of it is on disk."""
    import tantivy

    folder.mkdir(parents=True, exist_ok=True)
    index = tantivy.Index(_schema(tantivy), path=str(folder), reuse=True)
    _register(index)
    writer = index.writer(_HEAP_BYTES, 1)
    yield Updates(writer, index.schema)
    writer.commit()
    writer.garbage_collect_files()
    writer.wait_merging_threads()
    note = folder / f"{_NOTE}.new"
    note.write_text(json.dumps({"change": change}))
    os.replace(note, folder / _NOTE)


class Updates:
    def __init__(self, writer: Any, schema: Any) -> None:
        self._writer, self._schema = writer, schema

    def drop(self, records: Iterable[int]) -> None:
        import tantivy

        for record in records:
            # By query: a term given as a Python number is taken for a signed one, and matches nothing.
            self._writer.delete_documents_by_query(tantivy.Query.term_query(self._schema, "record", record))

    def add(self, entries: Iterable[Entry]) -> None:
        import tantivy

        for entry in entries:
            document = tantivy.Document()
            document.add_unsigned("record", entry.record)
            document.add_unsigned("passage", entry.passage)
            document.add_text("words", entry.text)
            document.add_text("namespace", entry.namespace)
            document.add_text("type", entry.type)
            document.add_integer("updated", entry.updated)
            for tag in entry.tags:
                document.add_text("tag", tag)
            self._writer.add_document(document)


def applied(folder: Path) -> int | None:
    """How far the index in a folder has come; None when there is none."""
    try:
        return int(json.loads((folder / _NOTE).read_text())["change"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)


def _schema(tv: Any) -> Any:
    builder = tv.SchemaBuilder()
    builder.add_unsigned_field("record", indexed=True, fast=True)
    builder.add_unsigned_field("passage", fast=True)
    builder.add_text_field("words", tokenizer_name=_ANALYZER, index_option="freq")
    for name in ("namespace", "type", "tag"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    builder.add_integer_field("updated", indexed=True, fast=True)
    return builder.build()


def _register(index: Any) -> Any:
    """As near to FTS5's `porter unicode61` as tantivy comes."""
    import tantivy

    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    for step in (tantivy.Filter.lowercase(), tantivy.Filter.ascii_fold(), tantivy.Filter.stemmer("english")):
        builder = builder.filter(step)
    analyzer = builder.build()
    index.register_tokenizer(_ANALYZER, analyzer)
    return analyzer


def _silent(tv: Any, query: Any) -> Any:
    """A filter decides, it does not rank."""
    return tv.Query.const_score_query(query, 0.0)
