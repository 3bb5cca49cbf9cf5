"""Lints about what providers can carry."""

from __future__ import annotations

from ambidex.compiler.rules.rule import ERROR, WARNING, Rule

RULES = (
    Rule(
        "AX601",
        "provider-refuses",
        ERROR,
        "Every target provider can carry the schema.",
        "The tool could not be declared to that provider at all.",
        "Rewrite the part named, or leave the provider out of targets in ambidex.toml.",
    ),
    Rule(
        "AX602",
        "provider-loses",
        WARNING,
        "Every target provider carries every constraint.",
        "The model does not see what is lost, so it will send calls that are refused and has to correct itself. It is always enforced at run time.",
        "Use a simpler constraint, say it in the description, or acknowledge this code.",
    ),
    Rule(
        "AX603",
        "not-strict",
        WARNING,
        "OpenAI can run the tool in strict mode.",
        "Without it the model may send arguments that break the schema. They are refused at run time, but that costs a round.",
        "Rewrite the part named, or acknowledge this code.",
    ),
)
