"""The words everyone speaks: calls, envelopes, faults, intents, the artifact. No I/O; imports nothing of ours."""
