"""Where things last."""
