# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""ONNX files of small networks, read and written from the fields of their protocol buffers.

Only a chain of affine layers and activations is a policy here; for it the `onnx` package (60 MB
installed) and a runtime are not needed. Field numbers: onnx.proto of ONNX 1.16,
https://github.com/onnx/onnx. test/control/test_policy_files.py compares with that package's own
checker and reference evaluator where it is installed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
import math
from pathlib import Path
import struct
from typing import NamedTuple

import numpy as np

from racecar.base.errors import ConfigurationError, excerpt
from racecar.control.policy.network import (
    AFFINE,
    Array,
    CLIP,
    ELU,
    LEAKY_RELU,
    MOST_NUMBERS,
    Network,
    network_of,
    RELU,
    SCALE,
    SIGMOID,
    Step,
    TANH,
)

_VARINT, _FIXED_64, _BYTES, _FIXED_32 = 0, 1, 2, 5
_FLOAT, _INT64, _DOUBLE = 1, 7, 11
_IR_VERSION, _OPERATORS = 8, 13
_MOST_BYTES = 8 * MOST_NUMBERS
_OPERATIONS = {'Tanh': TANH, 'Relu': RELU, 'Sigmoid': SIGMOID}
_UNCHANGED = ('Identity', 'Flatten', 'Cast', 'Reshape', 'Squeeze', 'Unsqueeze', 'Dropout')
_ELEMENTWISE = ('Add', 'Sub', 'Mul', 'Div')


class OnnxModel(NamedTuple):
    """A network and what the file says about it, texts by key."""

    network: Network
    metadata: Mapping[str, str]


class _Field(NamedTuple):
    """A field of a message: its number, and its bytes or number."""

    number: int
    value: bytes | int


class _Node(NamedTuple):
    kind: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Array]


class _Graph(NamedTuple):
    """By their names: constants and the node that makes a value; the first input, the outputs."""

    constants: Mapping[str, Array]
    makers: Mapping[str, _Node]
    input: str
    outputs: tuple[str, ...]


def read_onnx(path: Path) -> OnnxModel:
    """Network and texts of a file. Raises ConfigurationError for what is no such network."""
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise ConfigurationError(
                f'{path} has {path.stat().st_size} bytes, expected a policy of at most'
                f' {_MOST_BYTES}')
        content = path.read_bytes()
    except OSError as error:
        raise ConfigurationError(
            f'policy {excerpt(str(path))} cannot be read: {error.strerror}') from error
    try:
        return parse_onnx(content)
    except ConfigurationError as error:
        raise ConfigurationError(f'policy {excerpt(str(path))}: {error}') from None


def parse_onnx(content: bytes) -> OnnxModel:
    """Network and texts of the bytes of a file; see read_onnx()."""
    try:
        fields = list(_fields(content))
        graphs = [_bytes(field) for field in fields if field.number == 7]
        if len(graphs) != 1:
            raise ConfigurationError('it is no ONNX model, expected a file that ends in .onnx')
        texts = [_entry(_bytes(field)) for field in fields if field.number == 14]
        network = network_of(_chain(_graph(graphs[0])))
    except (IndexError, KeyError, ValueError, OverflowError, MemoryError, struct.error) as error:
        raise ConfigurationError(f'it is no ONNX model, or a damaged one: {error}') from error
    return OnnxModel(network, dict(texts))


def onnx_bytes(network: Network, metadata: Mapping[str, str]) -> bytes:
    """File of a network, whose numbers it holds in single precision.

    Its input is `observation` (batch, inputs), its output `action` (batch, outputs).
    """
    nodes, constants, value = b'', b'', 'observation'
    steps = network.operations()
    for k, step in enumerate(steps):
        after = 'action' if k + 1 == len(steps) else f'value_{k}'
        for kind, numbers, attributes in _written(step):
            names = [f'{kind.lower()}_{k}_{i}' for i in range(len(numbers))]
            constants += b''.join(
                _message(5, _tensor(name, array))
                for name, array in zip(names, numbers, strict=True))
            is_last = kind == _written(step)[-1][0]
            result = after if is_last else f'part_{k}'
            nodes += _message(1, _node(kind, (value, *names), result, attributes))
            value = result
    graph = (nodes + _text(2, 'policy') + constants
             + _message(11, _value('observation', network.inputs))
             + _message(12, _value('action', network.outputs)))
    return (_number(1, _IR_VERSION) + _text(2, 'racecar') + _message(7, graph)
            + _message(8, _text(1, '') + _number(2, _OPERATORS)) + _metadata(metadata))


def with_metadata(content: bytes, metadata: Mapping[str, str]) -> bytes:
    """File with further texts; those of a key that is there already count no more."""
    kept = b''
    for first, end, field in _placed_fields(content):
        is_old = field.number == 14 and _entry(_bytes(field))[0] in metadata
        kept += b'' if is_old else content[first:end]
    return kept + _metadata(metadata)


def _metadata(metadata: Mapping[str, str]) -> bytes:
    return b''.join(_message(14, _text(1, key) + _text(2, text))
                    for key, text in metadata.items())


# Reading.

def _fields(content: bytes) -> Iterator[_Field]:
    return (field for _, _, field in _placed_fields(content))


def _placed_fields(content: bytes) -> Iterator[tuple[int, int, _Field]]:
    """Fields of a message, each with where it begins and ends."""
    at = 0
    while at < len(content):
        first = at
        key, at = _varint(content, at)
        number, wire = key >> 3, key & 7
        if wire == _VARINT:
            value, at = _varint(content, at)
            yield first, at, _Field(number, value)
            continue
        if wire == _BYTES:
            length, at = _varint(content, at)
        else:
            length = {_FIXED_64: 8, _FIXED_32: 4}[wire]
        if at + length > len(content):
            raise ValueError('it ends within a field')
        yield first, at + length, _Field(number, content[at:at + length])
        at += length


def _varint(content: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = content[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at
        if shift > 63:
            raise ValueError('a number is longer than 64 bits')


def _bytes(field: _Field) -> bytes:
    if isinstance(field.value, int):
        raise ValueError(f'field {field.number} is a number, expected bytes')
    return field.value


def _texts(fields: list[_Field], number: int) -> list[str]:
    return [_bytes(field).decode() for field in fields if field.number == number]


def _first_text(fields: list[_Field], number: int) -> str:
    return next(iter(_texts(fields, number)), '')


def _integers(fields: list[_Field], number: int) -> list[int]:
    """Numbers of a repeated field, packed or not, with their signs."""
    found: list[int] = []
    for field in fields:
        if field.number != number:
            continue
        if isinstance(field.value, int):
            found.append(field.value)
            continue
        at = 0
        while at < len(field.value):
            value, at = _varint(field.value, at)
            found.append(value)
    return [value - (1 << 64) if value >> 63 else value for value in found]


def _floats(fields: list[_Field], number: int, kind: str) -> Array:
    joined = b''.join(_bytes(field) for field in fields if field.number == number)
    return np.frombuffer(joined, kind).astype(np.float64)


def _entry(content: bytes) -> tuple[str, str]:
    fields = list(_fields(content))
    return _first_text(fields, 1), _first_text(fields, 2)


def _tensor_of(content: bytes) -> Array:
    fields = list(_fields(content))
    shape = _integers(fields, 1)
    kind = next(iter(_integers(fields, 2)), 0)
    if any(field.number == 13 for field in fields):
        raise ConfigurationError(
            'its weights lie in another file, expected all in one: export it with'
            ' external_data=False')
    raw = b''.join(_bytes(field) for field in fields if field.number == 9)
    if kind not in (_FLOAT, _DOUBLE, _INT64):
        raise ConfigurationError(
            f'a constant has the data type {kind}, expected float, double or int64')
    layout = {_FLOAT: '<f4', _DOUBLE: '<f8', _INT64: '<i8'}[kind]
    if raw:
        numbers = np.frombuffer(raw, layout).astype(np.float64)
    elif kind == _INT64:
        numbers = np.array(_integers(fields, 7), dtype=np.float64)
    else:
        numbers = _floats(fields, 4 if kind == _FLOAT else 10, layout)
    if any(length < 0 for length in shape) or math.prod(shape) != len(numbers):
        raise ValueError(f'a constant of the shape {shape} has {len(numbers)} numbers')
    return numbers.reshape(shape)


def _attribute(content: bytes) -> tuple[str, Array]:
    fields = list(_fields(content))
    tensor = [_bytes(field) for field in fields if field.number == 5]
    if tensor:
        return _first_text(fields, 1), _tensor_of(tensor[0])
    for values in (_floats(fields, 2, '<f4'), np.array(_integers(fields, 3), dtype=np.float64)):
        if len(values):
            return _first_text(fields, 1), values
    return _first_text(fields, 1), np.empty(0)


def _node_of(content: bytes) -> _Node:
    fields = list(_fields(content))
    return _Node(
        _first_text(fields, 4), tuple(_texts(fields, 1)), tuple(_texts(fields, 2)),
        dict(_attribute(_bytes(field)) for field in fields if field.number == 5))


def _graph(content: bytes) -> _Graph:
    fields = list(_fields(content))
    constants: dict[str, Array] = {}
    makers: dict[str, _Node] = {}
    for field in fields:
        if field.number == 5:
            tensor = _bytes(field)
            constants[_first_text(list(_fields(tensor)), 8)] = _tensor_of(tensor)
        elif field.number == 1:
            node = _node_of(_bytes(field))
            if node.kind == 'Constant':
                constants[node.outputs[0]] = node.attributes['value']
            else:
                makers.update(dict.fromkeys(node.outputs, node))
    names = [_first_text(list(_fields(_bytes(field))), 1)
             for field in fields if field.number == 11]
    inputs = [name for name in names if name not in constants]
    outputs = [_first_text(list(_fields(_bytes(field))), 1)
               for field in fields if field.number == 12]
    if len(inputs) != 1 or not outputs:
        raise ConfigurationError(
            f'it has {len(inputs)} inputs and {len(outputs)} outputs, expected one observation,'
            ' and the action as the first output')
    return _Graph(constants, makers, inputs[0], tuple(outputs))


def _chain(graph: _Graph) -> list[Step]:
    """Operations from the observation to the first output."""
    nodes: list[tuple[_Node, int]] = []
    value = graph.outputs[0]
    while value != graph.input:
        node = graph.makers.get(value)
        if node is None or len(nodes) > len(graph.makers):
            raise ConfigurationError(
                f'its value {excerpt(value)} does not come from the observation')
        varying = [k for k, name in enumerate(node.inputs)
                   if name and name not in graph.constants]
        if len(varying) != 1:
            raise ConfigurationError(
                f'its operation {excerpt(node.kind)} joins {len(varying)} values, expected a chain'
                ' of layers: export the deterministic action alone')
        nodes.append((node, varying[0]))
        value = node.inputs[varying[0]]
    steps: list[Step] = []
    width: int | None = None
    for node, place in reversed(nodes):
        if node.kind in _UNCHANGED:
            continue
        constants = [graph.constants.get(name, np.empty(0))
                     for k, name in enumerate(node.inputs) if k != place]
        made = _step(node, place, constants, width)
        width = made.outputs
        steps.append(made)
    return _joined(steps)


def _joined(steps: list[Step]) -> list[Step]:
    """Operations in which a layer or a factor takes in what is added after it."""
    found: list[Step] = []
    for step in steps:
        before = found[-1] if found else None
        if (before is not None and before.kind in (AFFINE, SCALE) and step.kind == SCALE
                and np.all(step.numbers[:step.outputs] == 1.0)):
            numbers = before.numbers.copy()
            numbers[-before.outputs:] += step.numbers[step.outputs:]
            found[-1] = before._replace(numbers=numbers)
        else:
            found.append(step)
    return found


def _step(node: _Node, place: int, constants: list[Array], width: int | None) -> Step:
    """Operation of a node; width: numbers that it takes, if they are known."""
    if node.kind in ('Gemm', 'MatMul'):
        return _layer(node, place, constants)
    if node.kind in _ELEMENTWISE:
        return _scaling(node, place, constants[0].ravel(), width)
    if width is None:
        raise ConfigurationError(
            f'its first operation is {excerpt(node.kind)}, expected a layer or a scaling')
    if node.kind in _OPERATIONS:
        return Step(_OPERATIONS[node.kind], width, width, np.empty(0))
    if node.kind == 'Clip':
        low, high = _bounds(node, constants)
        return Step(CLIP, width, width, np.array([low, high]))
    for kind, number, usual in (('Elu', ELU, 1.0), ('LeakyRelu', LEAKY_RELU, 0.01)):
        if node.kind == kind:
            return Step(number, width, width, np.array([_attribute_of(node, 'alpha', usual)]))
    raise ConfigurationError(
        f'it has the operation {excerpt(node.kind)}, expected one of Gemm, MatMul, Add, Sub, Mul,'
        f' Div, Clip, Elu, LeakyRelu, {", ".join((*_OPERATIONS, *_UNCHANGED))}')


def _attribute_of(node: _Node, name: str, usual: float) -> float:
    found = node.attributes.get(name)
    return usual if found is None or not found.size else float(found.flat[0])


def _layer(node: _Node, place: int, constants: list[Array]) -> Step:
    weights = constants[0]
    if place != 0 or weights.ndim != 2 or _attribute_of(node, 'transA', 0.0):
        raise ConfigurationError(
            f'its operation {excerpt(node.kind)} has weights of the shape {weights.shape},'
            ' expected a matrix after the values')
    factor, bias_factor = 1.0, 1.0
    if node.kind == 'Gemm':
        factor, bias_factor = (_attribute_of(node, name, 1.0) for name in ('alpha', 'beta'))
        if _attribute_of(node, 'transB', 0.0):
            weights = weights.T
    inputs, outputs = weights.shape
    biases = constants[1].ravel() if len(constants) > 1 and constants[1].size else np.zeros(1)
    return Step(AFFINE, inputs, outputs, np.concatenate([
        factor * weights.ravel(), bias_factor * np.broadcast_to(biases, (outputs,))]))


def _scaling(node: _Node, place: int, given: Array, width: int | None) -> Step:
    """Elementwise operation with constants as factors and what is added."""
    count = width or given.size
    constants = np.broadcast_to(given, (count,))
    ones, zeros = np.ones(count), np.zeros(count)
    if node.kind == 'Div' and place != 0:
        raise ConfigurationError('it divides by its values, expected to divide them')
    factors, added = {
        'Add': (ones, constants), 'Mul': (constants, zeros),
        'Sub': (ones, -constants) if place == 0 else (-ones, constants),
        'Div': (ones / np.where(constants == 0.0, np.nan, constants), zeros)}[node.kind]
    return Step(SCALE, count, count, np.concatenate([factors, added]))


def _bounds(node: _Node, constants: list[Array]) -> tuple[float, float]:
    least, most = -np.finfo(np.float32).max, np.finfo(np.float32).max
    given = [*constants, np.empty(0), np.empty(0)]
    low = float(given[0].flat[0]) if given[0].size else _attribute_of(node, 'min', float(least))
    high = float(given[1].flat[0]) if given[1].size else _attribute_of(node, 'max', float(most))
    return max(low, float(least)), min(high, float(most))


# Writing.

_Written = tuple[str, list[Array], dict[str, float]]


def _written(step: Step) -> list[_Written]:
    """Nodes of an operation: kind, constants, attributes."""
    numbers, outputs = step.numbers, step.outputs
    makers: Mapping[int, Callable[[], list[_Written]]] = {
        AFFINE: lambda: [('Gemm', [
            numbers[:-outputs].reshape(step.inputs, outputs), numbers[-outputs:]], {})],
        SCALE: lambda: [('Mul', [numbers[:outputs]], {}), ('Add', [numbers[outputs:]], {})],
        CLIP: lambda: [('Clip', [numbers[0], numbers[1]], {})],
        ELU: lambda: [('Elu', [], {'alpha': float(numbers[0])})],
        LEAKY_RELU: lambda: [('LeakyRelu', [], {'alpha': float(numbers[0])})],
    }
    if step.kind in makers:
        return makers[step.kind]()
    return [(next(name for name, kind in _OPERATIONS.items() if kind == step.kind), [], {})]


def _encoded(value: int) -> bytes:
    found = b''
    while value > 127:
        found += bytes([value & 127 | 128])
        value >>= 7
    return found + bytes([value])


def _number(field: int, value: int) -> bytes:
    return _encoded(field << 3 | _VARINT) + _encoded(value)


def _message(field: int, content: bytes) -> bytes:
    return _encoded(field << 3 | _BYTES) + _encoded(len(content)) + content


def _text(field: int, text: str) -> bytes:
    return _message(field, text.encode())


def _tensor(name: str, numbers: Array) -> bytes:
    return (b''.join(_number(1, length) for length in np.shape(numbers)) + _number(2, _FLOAT)
            + _text(8, name) + _message(9, np.asarray(numbers, '<f4').tobytes()))


def _node(
    kind: str, inputs: tuple[str, ...], output: str, attributes: Mapping[str, float],
) -> bytes:
    return (b''.join(_text(1, name) for name in inputs) + _text(2, output) + _text(4, kind)
            + b''.join(_message(5, _text(1, name) + _encoded(2 << 3 | _FIXED_32)
                                + struct.pack('<f', value) + _number(20, 1))
                       for name, value in attributes.items()))


def _value(name: str, width: int) -> bytes:
    shape = _message(1, _text(2, 'batch')) + _message(1, _number(1, width))
    return _text(1, name) + _message(2, _message(1, _number(1, _FLOAT) + _message(2, shape)))
