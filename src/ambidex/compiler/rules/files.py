"""Lints about the files of a tool folder."""

from __future__ import annotations

from ambidex.compiler.rules.rule import ERROR, WARNING, Rule

RULES = (
    Rule(
        "AX001",
        "folder-name",
        ERROR,
        "A tool's folder is named in kebab-case.",
        "The folder's name and the toolId are one name in two spellings, so that a reader finds the folder of a tool "
        "by its id. Names that some systems reserve for devices do not survive a checkout there.",
        "Rename the folder: lower-case letters, digits and single hyphens, beginning with a letter, at most 64 "
        "characters.",
        "tools/KB_Search/   ->   tools/kb-search/",
    ),
    Rule(
        "AX002",
        "schema-missing",
        ERROR,
        "A tool folder holds schema.json.",
        "It is the executable contract: parameters and everything that policy needs to know.",
        "Write it, or scaffold the tool with `ambidex new`. A folder that is no tool is skipped when its name begins "
        "with an underscore or a dot.",
    ),
    Rule(
        "AX003",
        "documentation-missing",
        ERROR,
        "A tool folder holds guide.md, or doc_summary.md and doc.md.",
        "A model chooses and uses a tool by its documentation.",
        "Write guide.md with its sections; `ambidex new` scaffolds one.",
    ),
    Rule(
        "AX004",
        "two-documentations",
        ERROR,
        "A tool has one documentation, not both formats.",
        "With two, nobody can tell which of them the model reads.",
        "Keep guide.md and remove doc_summary.md and doc.md.",
    ),
    Rule(
        "AX005",
        "handler-missing",
        ERROR,
        "A tool folder holds handler.py.",
        "Without it there is nothing to run.",
        "Write handler.py with `async def execute(args, context)`.",
    ),
    Rule(
        "AX006",
        "link-leaves",
        ERROR,
        "No link in a tool folder leads out of the tools folder, and none leads to a folder.",
        "What is hashed must be what is run. A link lets somebody change one without the other.",
        "Put the files themselves into the folder.",
    ),
    Rule(
        "AX007",
        "special-file",
        ERROR,
        "A tool folder holds regular files only.",
        "A FIFO, socket or device cannot be hashed, and reading one may never end.",
        "Remove it.",
    ),
    Rule(
        "AX008",
        "file-too-large",
        ERROR,
        "A file of a tool has at most 1 MiB.",
        "Every file is hashed at build and again before it is used; data belongs behind a capability.",
        "Move the data out of the folder.",
    ),
    Rule(
        "AX009",
        "file-name",
        ERROR,
        "File names are printable, and differ by more than case.",
        "Some disks keep only one of Helper.py and helper.py, and the same tree would then be another tool.",
        "Rename the file.",
    ),
    Rule(
        "AX010",
        "hard-link",
        WARNING,
        "A file of a tool is not hard-linked from elsewhere.",
        "An edit elsewhere changes this tool too. The hash would tell at load, but by then it is late.",
        "Copy the file, or acknowledge the code if your package manager links files on purpose.",
    ),
    Rule(
        "AX011",
        "unreadable",
        ERROR,
        "Every file of a tool can be read.",
        "A build that skips what it cannot read gives another artifact on another machine.",
        "Mend the permissions, or remove the file.",
    ),
    Rule(
        "AX012",
        "not-utf8",
        ERROR,
        "schema.json and the documentation are UTF-8 without a byte-order mark.",
        "Their bytes are hashed and sent on as text.",
        "Save the file as UTF-8.",
    ),
)
