"""The page `docs/configuration.md`, made from the table of keys."""

from __future__ import annotations

import json
from typing import Any

from ambidex.config.keys import KEYS, Key
from ambidex.contracts.spec import PROVIDERS

_HEAD = """\
# Configuration

`ambidex.toml` stands in the folder from which the commands run, or is named with `--config`. Every key is optional.
The last of these that sets a key counts: the default, the file, the environment variable, the option on the command
line. `ambidex doctor` shows the effective values and where each came from.

A variable's name is `AMBIDEX_` and the key in capitals, its dots as underscores. Lists are written with commas,
`[values]` as a JSON object; an empty variable counts as unset. `AMBIDEX_DEBUG=1` is no key: it shows the traceback of
an error. Relative paths in the file are relative to the file's folder; in a variable or an option, to the current one.

A key that does not exist, or a value of the wrong kind, is an error that names the file and the line.

| key | kind | default | variable | meaning |
|---|---|---|---|---|
"""

_TAIL = """
## An example

```toml
environment = "production"
targets = ["openaiResponses", "gemini"]
timezone = "Europe/Paris"

[prompts]
full_docs_up_to = 4

[build]
strict = true

[values]
support_hours = "9 to 5"
```
"""


def config_table_markdown() -> str:
    """The whole page: what a file may hold, and the table."""
    return _HEAD + "".join(map(_row, KEYS)) + _TAIL


def _row(key: Key[Any]) -> str:
    default = "all seven" if key.default == list(PROVIDERS) else f"`{json.dumps(key.default)}`"
    return f"| `{key.name}` | {key.kind.words} | {default} | `{key.variable}` | {key.meaning} |\n"
