"""One connection of a conversation: turns, calls, confirmations, state."""
