"""tool_registry.json -> a locked registry: read, verified, and looked up; handlers and validators on first use.

load        the file -> Registry; `header` reads its first bytes, `locate` finds its tools folder
registry    everything a session, a prompt or a server asks of the tools; `names` are matched exactly
tool        one tool: its spec, its arguments' plan, its handler
handlers    a handler, compiled from the bytes that were hashed; `paths` may be read, `resources` are its data
verify      all of it at once, before the first session
"""
