"""What happened, in an order nobody can quietly change: events, the chain, its export and its verification."""
