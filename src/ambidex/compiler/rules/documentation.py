"""Lints about guides."""

from __future__ import annotations

from ambidex.compiler.rules.rule import ERROR, Rule

RULES = (
    Rule(
        "AX301",
        "section-missing",
        ERROR,
        "The guide has all its sections as headings.",
        "Summary, Preconditions, Postconditions, Invariants, Failure Modes, Examples, Common Mistakes: a model, and a person, look for them by name.",
        "Add the heading. A heading counts when it begins with the name; one inside a code fence does not.",
    ),
    Rule(
        "AX302",
        "summary-missing",
        ERROR,
        "There is a summary.",
        "In voice the summary is all that the model reads of a tool.",
        "Write one paragraph under Summary (or in doc_summary.md).",
    ),
    Rule(
        "AX303",
        "summary-long",
        ERROR,
        "The summary has at most 250 characters.",
        "Every tool's summary is in every prompt.",
        "Say what the tool is for and when to use it; move the rest below.",
    ),
    Rule(
        "AX304",
        "example-json",
        ERROR,
        "Every json block under Examples is JSON.",
        "Examples are run by the build, so that documentation cannot drift.",
        "Mend the block, or mark it as another language if it is no argument object.",
    ),
    Rule(
        "AX305",
        "example-arguments",
        ERROR,
        "Every example's arguments satisfy the parameters.",
        "A model copies examples. One that no longer fits the schema teaches it calls that are refused.",
        "Change the example, or the schema if the example is right.",
    ),
    Rule(
        "AX306",
        "example-envelope",
        ERROR,
        "Every example with ok is an envelope, and its data satisfies response.",
        "As for arguments: what the documentation shows must be what happens.",
        "Correct the envelope.",
    ),
    Rule(
        "AX307",
        "hidden-documentation",
        ERROR,
        "Documentation has no characters that a person cannot see.",
        "They show a reviewer one text and a model another.",
        "Remove the character at the place named.",
    ),
    Rule(
        "AX308",
        "html-comment",
        ERROR,
        "Documentation has no HTML comments.",
        "A person does not see them on a rendered page; a model reads them.",
        "Remove the comment, or say it openly.",
    ),
    Rule(
        "AX309",
        "documentation-long",
        ERROR,
        "Documentation has at most 32 KiB.",
        "It is sent to a model as a whole.",
        "Shorten it; move background to your own documents.",
    ),
)
