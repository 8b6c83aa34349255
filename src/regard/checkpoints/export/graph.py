"""A graph of ONNX operators, put together one call at a time."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from torch import Tensor, nn

if TYPE_CHECKING:
    from onnx import NodeProto, TensorProto, ValueInfoProto

OPSET, VERSION = 20, 10  # of the operators (GELU came with 20), and of the file

Constant = Tensor | float | np.generic | Sequence[int]
TypeAndShape = Sequence[str | int]
"""Of an input or an output: ["int64", "batch", 1]."""


class OnnxGraph:
    """`graph("MatMul", a, b)` adds an operator and gives the name of what it puts out; numbers become constants."""

    def __init__(self) -> None:
        self.nodes: list[NodeProto] = []
        self.constants: dict[str, TensorProto] = {}
        self.names_of_tensors: dict[int, tuple[str, Tensor]] = {}  # by identity: what is used twice is stored once

    def __call__(self, operator: str, *inputs: str | Constant, **attributes: Any) -> str:
        """The name of the output. Attributes are as ONNX has them."""
        return self.several(operator, 1, *inputs, **attributes)[0]

    def several(self, operator: str, outputs: int, *inputs: str | Constant, **attributes: Any) -> list[str]:
        """The names of so many outputs."""
        from onnx import helper

        input_names = [
            value_or_name if isinstance(value_or_name, str) else self.constant(value_or_name)
            for value_or_name in inputs
        ]
        output_names = [
            f"{operator.lower()}.{len(self.nodes)}" + (f".{number}" if number else "") for number in range(outputs)
        ]
        self.nodes.append(helper.make_node(operator, input_names, output_names, **attributes))
        return output_names

    def constant(self, value: Constant) -> str:
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

    def norm(self, x: str, norm: nn.Module | None) -> str:
        assert isinstance(norm, nn.LayerNorm)
        return self("LayerNormalization", x, norm.weight, norm.bias, axis=-1, epsilon=norm.eps)

    def named(self, value: str, name: str) -> None:
        """Call an output by a name that its user knows."""
        from onnx import helper

        self.nodes.append(helper.make_node("Identity", [value], [name]))

    def save(self, path: Path, inputs: Mapping[str, TypeAndShape], outputs: Mapping[str, TypeAndShape]) -> None:
        """Write the file."""
        from onnx import TensorProto, checker, helper, save

        def value_infos(values: Mapping[str, TypeAndShape]) -> "list[ValueInfoProto]":
            kinds = {"float32": TensorProto.FLOAT, "int64": TensorProto.INT64, "bool": TensorProto.BOOL}
            return [
                helper.make_tensor_value_info(name, kinds[str(kind)], shape) for name, (kind, *shape) in values.items()
            ]

        graph = helper.make_graph(
            self.nodes, path.stem, value_infos(inputs), value_infos(outputs), list(self.constants.values())
        )
        model = helper.make_model(
            graph, producer_name="regard", opset_imports=[helper.make_opsetid("", OPSET)], ir_version=VERSION
        )
        checker.check_model(model, full_check=True)
        save(model, str(path))
