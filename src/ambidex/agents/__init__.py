"""What surrounds the tools when a model meets them: the prompt, and how large it is."""
