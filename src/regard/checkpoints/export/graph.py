"""A graph of ONNX operators, put together one call at a time."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from torch import Tensor, nn

OPSET, VERSION = 20, 10  # of the operators (GELU came with 20), and of the file


class OnnxGraph:
    """`graph("MatMul", a, b)` adds an operator and gives the name of what it puts out; numbers become constants."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: dict[str, Any] = {}
        self.names_of_tensors: dict[int, tuple[str, Any]] = {}  # by identity: what is used twice is stored once

    def __call__(self, operator: str, *inputs: Any, outputs: int = 1, **attributes: Any) -> Any:
        """The name of the output, or a list of names where there are several."""
        from onnx import helper

        input_names = [
            value_or_name if isinstance(value_or_name, str) else self.constant(value_or_name)
            for value_or_name in inputs
        ]
        output_names = [
            f"{operator.lower()}.{len(self.nodes)}" + (f".{number}" if number else "") for number in range(outputs)
        ]
        self.nodes.append(helper.make_node(operator, input_names, output_names, **attributes))
        return output_names[0] if outputs == 1 else output_names

    def constant(self, value: Any) -> str:
        """A tensor, a number or numbers, under a name."""
        from onnx import numpy_helper

        if id(value) in self.names_of_tensors:
            return self.names_of_tensors[id(value)][0]
        array = value.detach().numpy() if isinstance(value, Tensor) else np.asarray(value)
        array = array.astype(np.float32) if array.dtype.kind == "f" else array.astype(np.int64)
        name = f"constant.{len(self.constants)}"
        self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(array), name)
        if isinstance(value, Tensor):
            self.names_of_tensors[id(value)] = name, value  # held, so that no other tensor gets its identity
        return name

    def linear(self, x: str, layer: nn.Linear) -> str:
        return self("Add", self("MatMul", x, layer.weight.detach().T), layer.bias)

    def norm(self, x: str, norm: Any) -> str:
        return self("LayerNormalization", x, norm.weight, norm.bias, axis=-1, epsilon=norm.eps)

    def named(self, value: str, name: str) -> None:
        """Call an output by a name that its user knows."""
        from onnx import helper

        self.nodes.append(helper.make_node("Identity", [value], [name]))

    def save(self, path: Path, inputs: Mapping[str, Sequence[Any]], outputs: Mapping[str, Sequence[Any]]) -> None:
        """Write the file. Inputs and outputs have a type and a shape: ["int64", "batch", 1]."""
        from onnx import TensorProto, checker, helper, save

        def value_infos(values: Mapping[str, Sequence[Any]]) -> list[Any]:
            kinds = {"float32": TensorProto.FLOAT, "int64": TensorProto.INT64, "bool": TensorProto.BOOL}
            return [helper.make_tensor_value_info(name, kinds[kind], shape) for name, (kind, *shape) in values.items()]

        graph = helper.make_graph(
            self.nodes, path.stem, value_infos(inputs), value_infos(outputs), list(self.constants.values())
        )
        model = helper.make_model(
            graph, producer_name="regard", opset_imports=[helper.make_opsetid("", OPSET)], ir_version=VERSION
        )
        checker.check_model(model, full_check=True)
        save(model, str(path))
