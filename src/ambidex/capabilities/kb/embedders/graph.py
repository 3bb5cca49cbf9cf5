"""Writes an ONNX graph node by node: a value is a name, an operation makes a new one.

It knows the two ways to keep a table of numbers, exact or as int8, and no model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np
    import onnx

    Array = np.ndarray[Any, np.dtype[np.float32]]

OPSET = 20
"""The first one with Gelu."""
IR_VERSION = 9
"""The form of the file that came with this opset; runtimes refuse newer forms than they know."""
INT8_STEPS = 64
"""Weights use half of int8's range: on processors without VNNI two full products overflow the 16 bits they are summed
in, and a vector would depend on the machine that made it."""

_LEAST_HEIGHT = 1e-9
"""A row of zeros is divided by this."""


class Graph:
    """The nodes and constants so far."""

    def __init__(self) -> None:
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []

    def constant(self, value: np.ndarray[Any, Any]) -> str:
        from onnx import numpy_helper

        name = f"c{len(self._constants)}"
        self._constants.append(numpy_helper.from_array(value, name))
        return name

    def whole(self, *numbers: int) -> str:
        """A constant list of whole numbers: axes, shapes, indices."""
        import numpy as np

        return self.constant(np.array(numbers, np.int64))

    def scalar(self, number: int) -> str:
        import numpy as np

        return self.constant(np.array(number, np.int64))

    def number(self, value: float) -> str:
        import numpy as np

        return self.constant(np.array(value, np.float32))

    def result(self, operation: str, *inputs: str, name: str) -> None:
        """The operation whose value is the model's answer."""
        from onnx import helper

        self._nodes.append(helper.make_node(operation, list(inputs), [name]))

    def do(self, operation: str, *inputs: str, **attributes: Any) -> str:
        return self.split(operation, *inputs, outputs=1, **attributes)[0]

    def split(self, operation: str, *inputs: str, outputs: int, **attributes: Any) -> list[str]:
        """An operation with several results."""
        from onnx import helper

        names = [f"n{len(self._nodes)}_{number}" for number in range(outputs)]
        self._nodes.append(helper.make_node(operation, list(inputs), names, **attributes))
        return names

    def model(self, source: str, result: str, *, width: int) -> onnx.ModelProto:
        """A checked model from one row of token ids to one vector."""
        import onnx
        from onnx import TensorProto, helper

        tokens = helper.make_tensor_value_info(source, TensorProto.INT64, [1, "tokens"])
        vector = helper.make_tensor_value_info(result, TensorProto.FLOAT, [1, width])
        graph = helper.make_graph(self._nodes, "sentence", [tokens], [vector], self._constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
        onnx.checker.check_model(model)
        return model


class Tables(Protocol):
    """How weights are kept."""

    def linear(self, graph: Graph, values: str, weight: Array, bias: Array) -> str:
        """values · weight + bias; the weight has a row for each input."""

    def rows(self, graph: Graph, ids: str, table: Array) -> str:
        """The rows of the table that the ids name."""


class Exact:
    """float32, to compare with."""

    def linear(self, graph: Graph, values: str, weight: Array, bias: Array) -> str:
        return graph.do("Add", graph.do("MatMul", values, graph.constant(weight)), graph.constant(bias))

    def rows(self, graph: Graph, ids: str, table: Array) -> str:
        return graph.do("Gather", graph.constant(table), ids)


class Int8:
    """A quarter of the size. Each column of a weight and each row of a table has a scale of its own."""

    def linear(self, graph: Graph, values: str, weight: Array, bias: Array) -> str:
        import numpy as np

        small, scale = _quantised(weight, steps=INT8_STEPS, axis=0)
        # One loud token would leave the others few steps: each is first brought to the same height.
        heights = graph.do("ReduceMax", graph.do("Abs", values), graph.whole(-1), keepdims=1)
        heights = graph.do("Max", heights, graph.number(_LEAST_HEIGHT))
        numbers, step, zero = graph.split("DynamicQuantizeLinear", graph.do("Div", values, heights), outputs=3)
        product = graph.do("MatMulInteger", numbers, graph.constant(small), zero, graph.constant(np.array(0, np.int8)))
        scales = graph.do("Mul", step, graph.constant(scale[0]))
        floats = graph.do("Mul", graph.do("Cast", product, to=_float()), scales)
        return graph.do("Add", graph.do("Mul", floats, heights), graph.constant(bias))

    def rows(self, graph: Graph, ids: str, table: Array) -> str:
        small, scale = _quantised(table, steps=127, axis=1)
        floats = graph.do("Cast", graph.do("Gather", graph.constant(small), ids), to=_float())
        return graph.do("Mul", floats, graph.do("Gather", graph.constant(scale), ids))


def _quantised(values: Array, *, steps: int, axis: int) -> tuple[np.ndarray[Any, Any], Array]:
    """Whole numbers of at most so many steps, and the size of a step along the axis."""
    import numpy as np

    largest = np.abs(values).max(axis=axis, keepdims=True)
    step = np.where(largest > 0, largest / steps, 1).astype(np.float32)
    return np.rint(values / step).astype(np.int8), step


def _float() -> int:
    from onnx import TensorProto

    return int(TensorProto.FLOAT)
