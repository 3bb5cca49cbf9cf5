"""The tool's parameters for peers that read types: as strict as pydantic's declarations go, without code of our own.

That favours the peers: by default pydantic lets keys through that nobody declared, and reads "3" as 3. One rule has
no declaration: that no item of a list stands in it twice.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

Query = Annotated[str, Field(min_length=3, max_length=200, description="What to look for.")]
Namespace = Literal["studio", "public"]
TopK = Annotated[int, Field(ge=1, le=10, strict=True, description="How many records, at most.")]


class Filters(BaseModel):
    """Which records count."""

    model_config = ConfigDict(extra="forbid")

    type: Annotated[str, Field(max_length=40)]
    tags: Annotated[list[Annotated[str, Field(max_length=40)]], Field(max_length=5)] = []
    since: AwareDatetime | None = None
    exact: bool = False
