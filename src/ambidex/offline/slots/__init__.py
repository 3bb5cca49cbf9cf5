"""Arguments out of what a user said, by rules: times, zones, numbers, addresses, and the words that are left."""
