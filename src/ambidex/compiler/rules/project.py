"""Lints about the tools folder as a whole."""

from __future__ import annotations

from ambidex.compiler.rules.rule import ERROR, WARNING, Rule

RULES = (
    Rule(
        "AX701",
        "no-tools-folder",
        ERROR,
        "The tools folder exists and can be read.",
        "There is nothing to build.",
        "Give the right path, or make a project with `ambidex init`.",
    ),
    Rule(
        "AX702",
        "no-tools",
        WARNING,
        "The tools folder holds at least one tool.",
        "An empty registry is rarely meant.",
        "Scaffold a tool with `ambidex new`.",
    ),
)
