"""A tool folder, read: files, JSON with places, the guide's sections and examples. Judging is the compiler's work."""
