"""The command line: one file for each command.

Results go to stdout, diagnostics to stderr; `--json` gives one JSON document on stdout. Exit codes: 0 all is well,
1 problems, 2 wrong usage, 3 something to install or start. What all commands share is in `output.py` (how things are
said), `options.py` (what can be asked) and `failure.py` (how errors end).
"""
