"""Lints about conditions and previews."""

from __future__ import annotations

from ambidex.compiler.rules.rule import ERROR, Rule

RULES = (
    Rule(
        "AX501",
        "condition",
        ERROR,
        "Conditions compile and type-check as CEL.",
        "A condition that fails while it is evaluated counts as not available, or as needs confirmation: safe, but not what you meant.",
        "Correct the expression. Known: mode, user, session, config; in confirmWhen also args and turn.input.",
    ),
    Rule(
        "AX502",
        "condition-boolean",
        ERROR,
        "A condition is true or false.",
        "Anything else decides nothing.",
        "Compare the value with something.",
    ),
    Rule(
        "AX503",
        "preview-parameter",
        ERROR,
        "Placeholders of preview name parameters.",
        "A person would read a headline with a hole in it.",
        "Correct the name.",
    ),
    Rule(
        "AX504",
        "preview-syntax",
        ERROR,
        "preview is text with {parameter} placeholders.",
        "Conversions, format specifiers and attribute look-ups are not for text that a person decides by.",
        "Use {name} only; write {{ and }} for braces.",
    ),
)
