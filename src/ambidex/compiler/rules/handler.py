"""Lints about handlers, which the build reads and never runs."""

from __future__ import annotations

from ambidex.compiler.rules.rule import ERROR, Rule

RULES = (
    Rule(
        "AX401",
        "handler-syntax",
        ERROR,
        "handler.py parses.",
        "It could not be loaded.",
        "Mend the syntax at the place named.",
    ),
    Rule(
        "AX402",
        "execute-missing",
        ERROR,
        "handler.py defines async def execute(args, context).",
        "It is what runs. It must stand in handler.py itself, at the top level, so that the build can read it.",
        "Define it with two positional parameters.",
    ),
    Rule(
        "AX403",
        "not-awaited",
        ERROR,
        "Capabilities are awaited.",
        "Without await nothing happens: the message is not sent, and no error tells.",
        "Write await before the call.",
        "context.messaging.send(m)   ->   await context.messaging.send(m)",
    ),
    Rule(
        "AX404",
        "plain-awaited",
        ERROR,
        "audit.log, progress, voice.is_active and has are plain calls.",
        "They return a value, not something to await; awaiting it fails at run time.",
        "Remove the await.",
    ),
    Rule(
        "AX405",
        "sibling-missing",
        ERROR,
        "Relative imports name modules of the same folder.",
        "Only files of the folder are hashed, and only those are loaded.",
        "Add the module, or import from an installed package.",
    ),
    Rule(
        "AX406",
        "sibling-syntax",
        ERROR,
        "Every Python file of the folder parses.",
        "It could not be loaded.",
        "Mend the syntax at the place named.",
    ),
    Rule(
        "AX407",
        "undeclared-intent",
        ERROR,
        "The handler names only intents that schema.json declares.",
        "Emitting any other makes the call fail as INTERNAL.",
        "Add it to intents, or remove it from the handler.",
    ),
)
