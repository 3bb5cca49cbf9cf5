"""A tool folder as the compiler sees it: decoded files, and a way to say where in them something stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ambidex.authoring.finding import Finding
from ambidex.authoring.guide import Guide, read_guide
from ambidex.authoring.positions import Positions
from ambidex.authoring.python import Tree, parse_python
from ambidex.authoring.reading import decode_json, decode_text

SCHEMA, HANDLER, GUIDE, OLD_SUMMARY, OLD_DOC = "schema.json", "handler.py", "guide.md", "doc_summary.md", "doc.md"


@dataclass(slots=True)
class Source:
    """Read once by `read_source`, then only looked at."""

    folder: str
    files: dict[str, bytes]
    schema: dict[str, Any] | None = None
    """schema.json, when it is a JSON object."""
    schema_text: str = ""
    guide: Guide | None = None
    """guide.md, or doc.md of the earlier format."""
    summary: str = ""
    """For the model: the first paragraph under Summary, or doc_summary.md."""
    summary_file: str = GUIDE
    python: dict[str, Tree] = field(default_factory=dict)
    """Every Python file that parses."""
    findings: list[Finding] = field(default_factory=list)
    """What was wrong while reading."""
    _positions: Positions | None = None

    def at(self, pointer: str, *, value: bool = False) -> tuple[int, int]:
        """Line and column in schema.json of what `pointer` names: its key, or with `value` the value."""
        if self._positions is None:
            self._positions = Positions(self.schema_text)
        return self._positions.value_line_column(pointer) if value else self._positions.line_column(pointer)

    def finding(self, code: str, pointer: str, message: str, fix: str, *, value: bool = False) -> Finding:
        """A finding at a place of schema.json."""
        return Finding(code, SCHEMA, message, fix, *self.at(pointer, value=value))

    def object(self, name: str) -> dict[str, Any]:
        """A member of schema.json that should be an object; empty when it is anything else."""
        found = (self.schema or {}).get(name)
        return found if isinstance(found, dict) else {}

    def words(self, name: str) -> list[str]:
        """A member that should be a list of strings, without what is not."""
        found = (self.schema or {}).get(name)
        return [word for word in found if isinstance(word, str)] if isinstance(found, list) else []

    @property
    def handler(self) -> Tree | None:
        return self.python.get(HANDLER)

    @property
    def writes(self) -> bool:
        return (self.schema or {}).get("sideEffects") == "writes"


def read_source(folder: str, files: dict[str, bytes]) -> Source:
    """Decode what is there; a missing file is told too."""
    source = Source(folder, files)
    _read_schema(source)
    _read_documentation(source)
    _read_python(source)
    return source


def _read_schema(source: Source) -> None:
    if SCHEMA not in source.files:
        fix = "write one; `ambidex new` scaffolds a tool that builds at once"
        source.findings.append(Finding("AX002", SCHEMA, "is missing", fix))
        return
    text, problems = decode_text(source.files[SCHEMA], SCHEMA)
    source.findings += problems
    if problems:
        return
    source.schema_text = text
    value, problems = decode_json(text, SCHEMA)
    source.findings += problems
    if isinstance(value, dict):
        source.schema = value
    elif not problems:
        source.findings.append(Finding("AX101", SCHEMA, "is not a JSON object", "wrap the fields in { }"))


def _read_documentation(source: Source) -> None:
    current, earlier = GUIDE in source.files, OLD_DOC in source.files or OLD_SUMMARY in source.files
    if current and earlier:
        fix = "keep guide.md and remove doc.md and doc_summary.md"
        source.findings.append(Finding("AX004", GUIDE, "stands beside the earlier format", fix))
    if current:
        source.guide = _guide(source, GUIDE)
        source.summary = source.guide.summary if source.guide else ""
    elif earlier:
        _read_earlier_format(source)
    else:
        fix = "write guide.md with its sections; `ambidex new` scaffolds one"
        source.findings.append(Finding("AX003", GUIDE, "is missing", fix))


def _read_earlier_format(source: Source) -> None:
    source.summary_file = OLD_SUMMARY
    for file in (OLD_DOC, OLD_SUMMARY):
        if file not in source.files:
            fix = f"add {file}, or write guide.md in place of both"
            source.findings.append(Finding("AX003", file, "is missing", fix))
    source.guide = _guide(source, OLD_DOC)
    if OLD_SUMMARY in source.files:
        text, problems = decode_text(source.files[OLD_SUMMARY], OLD_SUMMARY)
        source.findings += problems
        source.summary = " ".join(text.split())


def _guide(source: Source, file: str) -> Guide | None:
    if file not in source.files:
        return None
    text, problems = decode_text(source.files[file], file)
    source.findings += problems
    return None if problems else read_guide(text, file)


def _read_python(source: Source) -> None:
    if HANDLER not in source.files:
        fix = "write `async def execute(args, context)` in it"
        source.findings.append(Finding("AX005", HANDLER, "is missing", fix))
    for file, data in source.files.items():
        if file.endswith(".py"):
            tree, problems = parse_python(data, file, "AX401" if file == HANDLER else "AX406")
            source.findings += problems
            if tree is not None:
                source.python[file] = tree
