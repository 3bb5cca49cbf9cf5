"""One message of a model on its way through the pipeline. Whoever asked may go away before it is answered."""

from __future__ import annotations

from ambidex.execution.engine import Execution


class Message:
    """What was not decided yet is dropped then; what runs is stopped, as far as its tool lets itself be stopped."""

    __slots__ = ("_executions", "gone")

    def __init__(self) -> None:
        self.gone = False
        self._executions: list[Execution] = []

    def runs(self, execution: Execution) -> None:
        self._executions.append(execution)
        if self.gone:
            execution.stop.set()

    def leave(self) -> None:
        self.gone = True
        for execution in self._executions:
            execution.stop.set()
