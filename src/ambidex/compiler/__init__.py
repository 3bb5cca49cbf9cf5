"""Tool folders -> tool_registry.json: scan, lint, validate, adapt, hash, write."""
