"""Run a claimed call: attempts under one deadline, retries, cancellation; every failure becomes an envelope."""
