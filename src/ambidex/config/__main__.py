"""`python -m ambidex.config` prints the page of keys, `docs/configuration.md`."""

from __future__ import annotations

from ambidex.config.page import config_table_markdown

if __name__ == "__main__":
    print(config_table_markdown(), end="")
