"""A provider's wire on one side, calls and envelopes on the other. Knows JSON shapes; knows no policy."""
