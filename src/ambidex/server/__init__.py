"""HTTP around the orchestrator: the chat stream, confirmations, tools, audit, metrics and the page."""
