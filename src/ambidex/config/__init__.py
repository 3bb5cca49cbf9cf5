"""`ambidex.toml` and the `AMBIDEX_…` variables: one table of keys, and where each value came from."""

from __future__ import annotations

from ambidex.config.config import Config, Setting
from ambidex.config.page import config_table_markdown

__all__ = ["Config", "Setting", "config_table_markdown"]
