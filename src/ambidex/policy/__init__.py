"""May this call run, and with which arguments? Gates in ladder order, and the one transaction that decides."""
