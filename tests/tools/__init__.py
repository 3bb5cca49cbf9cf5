"""The shipped tools: their contracts, guides, scenarios and handlers."""
