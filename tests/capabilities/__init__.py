"""What handlers may use."""
