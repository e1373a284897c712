# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Small networks of affine layers and activations, evaluated in a fixed order of operations.

The sum of a neuron is taken input by input, in double precision, and the exponential function is
plain arithmetic: an observation gives the same bits alone or among thousands, on any machine.
"""

from __future__ import annotations

from collections.abc import Sequence
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from racecar.base.compiled import kernel, pure, routine
from racecar.base.errors import ConfigurationError

Array = NDArray[np.float64]
Steps = NDArray[np.int64]

AFFINE, SCALE, TANH, RELU, SIGMOID, CLIP, ELU, LEAKY_RELU = range(8)
ACTIVATIONS = {'tanh': TANH, 'relu': RELU, 'sigmoid': SIGMOID}
"""Activations without a number of their own, by name."""

MOST_NUMBERS = 50_000_000
"""Weights that a network may have."""

_LN_2, _INVERSE_LN_2 = 0.6931471805599453, 1.4426950408889634
# Cody and Waite: ln 2 in two parts, the first of 32 bits.
_LN_2_HIGH, _LN_2_LOW = 0.6931471803691238, 1.9082149292705877e-10
_MOST_EXPONENT = 700.0


class Step(NamedTuple):
    """One operation on a vector, with its numbers.

    AFFINE: weights (inputs, outputs), then biases; SCALE: factors, then what is added; CLIP: least
    and largest value; ELU, LEAKY_RELU: alpha; others: none.
    """

    kind: int
    inputs: int
    outputs: int
    numbers: Array


class Network(NamedTuple):
    """Operations in order: rows kind, inputs, outputs and place of their numbers in `numbers`."""

    steps: Steps
    numbers: Array

    @property
    def inputs(self) -> int:
        """Numbers of an observation."""
        return int(self.steps[0, 1])

    @property
    def outputs(self) -> int:
        """Numbers of an answer."""
        return int(self.steps[-1, 2])

    @property
    def width(self) -> int:
        """Most numbers between two operations."""
        return int(self.steps[:, 1:3].max())

    def operations(self) -> list[Step]:
        """The operations with their numbers."""
        ends = [*self.steps[1:, 3].tolist(), len(self.numbers)]
        return [Step(kind, inputs, outputs, self.numbers[first:end])
                for (kind, inputs, outputs, first), end in zip(
                    self.steps.tolist(), ends, strict=True)]

    def answer(self, observations: ArrayLike) -> Array:
        """Answers to observations, (n, inputs) or (inputs,): (n, outputs) or (outputs,).

        Raises ConfigurationError for another number of inputs.
        """
        given = np.ascontiguousarray(observations, dtype=np.float64)
        if given.shape[-1] != self.inputs or given.ndim > 2:
            raise ConfigurationError(
                f'the observations have the shape {given.shape}, expected {self.inputs} numbers'
                ' each, as the policy was made for')
        rows = given.reshape(-1, self.inputs)
        found = np.empty((len(rows), self.outputs))
        evaluate(self.steps, self.numbers, rows, found)
        return found.reshape(*given.shape[:-1], self.outputs)


def network_of(steps: Sequence[Step]) -> Network:
    """Network of operations. Raises ConfigurationError if one does not fit the one before."""
    if not steps:
        raise ConfigurationError('the network has no operation, expected at least one')
    rows, first = [], 0
    for before, step in zip([None, *steps], steps, strict=False):
        if before is not None and before.outputs != step.inputs:
            raise ConfigurationError(
                f'an operation of the network takes {step.inputs} numbers, but the one before'
                f' gives {before.outputs}')
        if not np.isfinite(step.numbers).all():
            raise ConfigurationError('the network has weights that are not finite numbers')
        rows.append((step.kind, step.inputs, step.outputs, first))
        first += len(step.numbers)
    return Network(np.array(rows, dtype=np.int64),
                   np.concatenate([step.numbers for step in steps]).astype(np.float64))


def affine(weights: ArrayLike, biases: ArrayLike) -> Step:
    """Layer of weights (inputs, outputs) and biases (outputs,).

    Raises ConfigurationError for other shapes.
    """
    w, b = np.asarray(weights, dtype=np.float64), np.asarray(biases, dtype=np.float64)
    if w.ndim != 2 or b.shape != w.shape[1:] or 0 in w.shape:
        raise ConfigurationError(
            f'a layer has weights of the shape {w.shape} and biases of the shape {b.shape},'
            ' expected (inputs, outputs) and (outputs,)')
    return Step(AFFINE, w.shape[0], w.shape[1], np.concatenate([w.ravel(), b]))


def multilayer(
    layers: Sequence[tuple[ArrayLike, ArrayLike]], activation: str = 'tanh', last: str = '',
) -> Network:
    """Perceptron of layers (weights (inputs, outputs), biases (outputs,)).

    activation: tanh, relu or sigmoid, between layers; last: after the last one, '' for none.
    Raises ConfigurationError for an unknown activation, and for layers that do not fit.
    """
    for name in (activation, *filter(None, [last])):
        if name not in ACTIVATIONS:
            raise ConfigurationError(
                f'activation is {name!r}, expected one of {", ".join(ACTIVATIONS)}')
    steps: list[Step] = []
    for k, (weights, biases) in enumerate(layers):
        steps.append(layer := affine(weights, biases))
        name = activation if k + 1 < len(layers) else last
        if name:
            steps.append(Step(ACTIVATIONS[name], layer.outputs, layer.outputs, np.empty(0)))
    return network_of(steps)


@pure
def exponential(x: float) -> float:
    """Exponential function within 2e-16 of the value, up to exp(700); NaN for NaN."""
    x = min(max(x, -_MOST_EXPONENT), _MOST_EXPONENT)
    halvings = math.floor(x * _INVERSE_LN_2 + 0.5)
    r = (x - halvings * _LN_2_HIGH) - halvings * _LN_2_LOW
    return math.ldexp(1.0 + _exponential_less_one(r), int(halvings))


@pure
def _exponential_less_one(r: float) -> float:
    """Taylor's series for |r| <= ln(2)/2; its rest is below 1e-17."""
    return r * (1.0 + r * (1.0 / 2.0 + r * (1.0 / 6.0 + r * (1.0 / 24.0 + r * (
        1.0 / 120.0 + r * (1.0 / 720.0 + r * (1.0 / 5040.0 + r * (1.0 / 40320.0 + r * (
            1.0 / 362880.0 + r * (1.0 / 3628800.0 + r * (
                1.0 / 39916800.0 + r * (1.0 / 479001600.0 + r / 6227020800.0))))))))))))


@pure
def hyperbolic_tangent(x: float) -> float:
    """Hyperbolic tangent within 4e-16; odd to the bit."""
    size = abs(x)
    if size > 20.0:
        return math.copysign(1.0, x)
    twice = 2.0 * size
    if twice < 0.5 * _LN_2:
        less = _exponential_less_one(twice)
        return math.copysign(less / (less + 2.0), x)
    return math.copysign(1.0 - 2.0 / (exponential(twice) + 1.0), x)


@pure
def _activated(kind: int, x: float, alpha: float, most: float) -> float:
    if kind == TANH:
        return hyperbolic_tangent(x)
    if kind == RELU:
        return max(x, 0.0)
    if kind == SIGMOID:
        return 1.0 / (1.0 + exponential(-x))
    if kind == CLIP:
        return min(max(x, alpha), most)
    if kind == ELU:
        return x if x > 0.0 else alpha * (exponential(x) - 1.0)
    return x if x > 0.0 else alpha * x


@routine
def forward(steps: Steps, numbers: Array, work: Array) -> int:
    """Do all operations on the numbers at the start of `work`; where the answer begins in it.

    work: twice the width of the network.
    """
    here, width = 0, len(work) // 2
    for k in range(len(steps)):
        kind, inputs, outputs, first = steps[k]
        if kind == AFFINE:
            there = width - here
            biases = first + inputs * outputs
            for j in range(outputs):
                work[there + j] = numbers[biases + j]
            for i in range(inputs):
                x, row = work[here + i], first + i * outputs
                for j in range(outputs):
                    work[there + j] += x * numbers[row + j]
            here = there
        elif kind == SCALE:
            for j in range(outputs):
                work[here + j] = work[here + j] * numbers[first + j] + numbers[
                    first + outputs + j]
        else:
            alpha = numbers[first] if kind >= CLIP else 0.0
            most = numbers[first + 1] if kind == CLIP else 0.0
            for j in range(outputs):
                work[here + j] = _activated(kind, work[here + j], alpha, most)
    return here


@kernel
def evaluate(steps: Steps, numbers: Array, observations: Array, answers: Array) -> None:
    """Fill the answers, (n, outputs), to observations, (n, inputs)."""
    width = 0
    for k in range(len(steps)):
        width = max(width, steps[k, 1], steps[k, 2])
    work = np.empty(2 * width)
    for row in range(len(observations)):
        for i in range(observations.shape[1]):
            work[i] = observations[row, i]
        here = forward(steps, numbers, work)
        for j in range(answers.shape[1]):
            answers[row, j] = work[here + j]
