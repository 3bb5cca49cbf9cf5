"""The knowledge base: records, the search over them, and what a handler gets of it.

`record` and `filters` say what is stored and asked, `found` what comes back, `engine` what an engine does. `sqlite/` is
the engine that comes with Ambidex, `search/` the parts of searching that any engine shares.
"""
