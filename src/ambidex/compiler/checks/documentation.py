"""Does the documentation say what a model must know, and is what it shows still true?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ambidex.arguments.check import ArgumentCheck
from ambidex.authoring.finding import Finding
from ambidex.authoring.guide import SECTIONS, Example, Guide
from ambidex.authoring.positions import Positions, line_column
from ambidex.authoring.reading import decode_json
from ambidex.authoring.source import GUIDE, OLD_DOC, OLD_SUMMARY, Source
from ambidex.contracts.envelope import envelope_problems
from ambidex.dialect.text import hidden_characters
from ambidex.dialect.validator import SchemaError

MAX_SUMMARY = 250
MAX_DOCUMENTATION = 32 * 1024


def sections_are_there(source: Source) -> Iterator[Finding]:
    guide = source.guide
    if guide is None:
        return
    for name in SECTIONS:
        # The earlier format keeps its summary in a file of its own.
        if name not in guide.sections and not (name == "Summary" and guide.file == OLD_DOC):
            last = guide.text.count("\n") + 1
            yield Finding("AX301", guide.file, f"has no section {name}", f"add a heading `## {name}`", last, 1)


def summary_is_short(source: Source) -> Iterator[Finding]:
    if source.guide is None:
        return
    file = source.summary_file
    line = source.guide.summary_line or source.guide.sections.get("Summary", 1) if file == GUIDE else 1
    if not source.summary:
        if file == OLD_SUMMARY and OLD_SUMMARY not in source.files:
            return
        yield Finding("AX302", file, "has no summary", "write one paragraph that says what it is for", line, 1)
    elif len(source.summary) > MAX_SUMMARY:
        message = f"the summary has {len(source.summary)} characters, {MAX_SUMMARY} are allowed"
        yield Finding("AX303", file, message, "shorten its first paragraph", line, 1)


def text_is_honest(source: Source) -> Iterator[Finding]:
    for file in (GUIDE, OLD_DOC, OLD_SUMMARY):
        data = source.files.get(file)
        if data is None:
            continue
        text = data.decode("utf-8", "replace")
        for offset, name in hidden_characters(text.replace("\n", " ").replace("\t", " ").replace("\r", " "))[:5]:
            place = line_column(text, offset)
            yield Finding("AX307", file, f"holds the hidden character {name}", "remove it", *place)
        if "<!--" in text:
            place = line_column(text, text.index("<!--"))
            yield Finding("AX308", file, "has an HTML comment", "remove it, or say it openly", *place)
        if len(data) > MAX_DOCUMENTATION:
            message = f"has {len(data)} bytes, {MAX_DOCUMENTATION} are allowed"
            yield Finding("AX309", file, message, "shorten it")


def examples_are_true(source: Source) -> Iterator[Finding]:
    guide = source.guide
    if guide is None or not guide.examples:
        return
    check, data_check = _compiled(source, "parameters"), _compiled(source, "response")
    for example in guide.examples:
        value, problems = decode_json(example.text, guide.file)
        if problems:
            yield from _not_json(guide, example, problems)
        elif isinstance(value, dict) and "ok" in value:
            yield from _envelope(guide, example, value, data_check)
        elif not isinstance(value, dict):
            yield Finding("AX304", guide.file, "the example is not an object", _OTHER_FENCE, example.line, 1)
        elif check is not None:
            yield from _arguments(guide, example, value, check)


_OTHER_FENCE = "write an argument object, or mark the block as another language"


def _not_json(guide: Guide, example: Example, problems: list[Finding]) -> Iterator[Finding]:
    for problem in problems:
        line = example.line + problem.line - 1
        yield Finding("AX304", guide.file, f"the example {problem.message}", _OTHER_FENCE, line, problem.column)


def _arguments(guide: Guide, example: Example, value: dict[str, Any], check: ArgumentCheck) -> Iterator[Finding]:
    fault = check.check(value)
    if fault is None:
        return
    errors = (fault.details or {}).get("errors") or [{"pointer": ""}]
    line, column = Positions(example.text).line_column(errors[0]["pointer"])
    message = f"the example breaks the parameters: {fault.message}"
    yield Finding("AX305", guide.file, message, "change the example or the schema", example.line + line - 1, column)


def _envelope(
    guide: Guide, example: Example, value: dict[str, Any], data_check: ArgumentCheck | None
) -> Iterator[Finding]:
    for pointer, what in envelope_problems(value, with_meta="meta" in value)[:3]:
        line, column = Positions(example.text).line_column(pointer)
        message = f"the example is no envelope: {pointer or 'it'}: {what[:150]}"
        yield Finding("AX306", guide.file, message, "correct the envelope", example.line + line - 1, column)
    if value.get("ok") is True and data_check is not None:
        data: Any = value.get("data")
        fault = data_check.check(data)
        if fault is not None:
            line, column = Positions(example.text).line_column("/data")
            message = f"the example's data breaks response: {fault.message}"
            yield Finding(
                "AX306", guide.file, message, "change the example or response", example.line + line - 1, column
            )


def _compiled(source: Source, name: str) -> ArgumentCheck | None:
    schema = (source.schema or {}).get(name)
    if not isinstance(schema, dict):
        return None
    try:
        return ArgumentCheck(schema)
    except SchemaError:
        return None


CHECKS: tuple[Callable[[Source], Iterator[Finding]], ...] = (
    sections_are_there,
    summary_is_short,
    text_is_honest,
    examples_are_true,
)
