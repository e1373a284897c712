# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Modes of vehicles: eigenvalues of their equations at many states of many cars at once."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from racecar.base.columns import Array
from racecar.base.compiled import CompiledLater
from racecar.base.rows import count_numbers, field_names, load, Part, store
from racecar.base.vectors import as_vector, Flat, vector
from racecar.dynamics.vehicles.interface import Equations

# Of the differences [SI].
_WIDTH = 1e-7

# So often the matrices are squared whose powers are to vanish.
_SQUARINGS = 6

_POSE = 'x', 'y', 'yaw'


def motion_states(equations: Equations) -> tuple[int, ...]:
    """Indices of the states other than the pose, on which nothing depends."""
    return tuple(
        index for index, name in enumerate(field_names(equations.state)) if name not in _POSE)


@functools.cache
def _kernel(equations: Equations) -> CompiledLater[None]:
    """Function of flat (parameters, states, inputs, found, room).

    See jacobians() for their shapes; room: of three states.
    """
    state_part, parameters_part, inputs_part = (
        Part(equations.state), Part(equations.parameters), Part(equations.inputs))
    size, numbers, commands = (
        count_numbers(part.example) for part in (state_part, parameters_part, inputs_part))
    hold, rates, moving = equations.hold, equations.rates, motion_states(equations)
    many, width = len(moving), _WIDTH
    ahead_part, behind_part = (Part(equations.state, k * size) for k in (1, 2))

    def find_jacobians(
        parameters: Flat, states: Flat, inputs: Flat, found: Flat, room: Flat,
    ) -> None:
        cars = len(parameters) // numbers
        points = len(inputs) // (commands * max(cars, 1))
        for car in range(cars):
            p = load(parameters, parameters_part, car * numbers)
            for point in range(car * points, (car + 1) * points):
                held = hold(load(inputs, inputs_part, point * commands), p)
                for column in range(many):
                    for k in range(size):
                        room[k] = states[point * size + k]
                    changed = moving[column]
                    here = room[changed]
                    room[changed] = here + width
                    store(room, ahead_part, 0, rates(load(room, state_part, 0), held))
                    room[changed] = here - width
                    store(room, behind_part, 0, rates(load(room, state_part, 0), held))
                    for row in range(many):
                        high, low = room[size + moving[row]], room[2 * size + moving[row]]
                        found[(point * many + row) * many + column] = (high - low) / (2.0 * width)

    # The longer a state, the more its rates take.
    return CompiledLater(
        find_jacobians, f"({', '.join(['float64[::1]'] * 5)})",
        lambda parameters, states, *_: 2e-6 * len(states) * 2 * many)


def jacobians(equations: Equations, parameters: Array, states: Array, inputs: Array) -> Array:
    """Derivatives of the rates of motion_states() by these, (cars, points, n, n), in SI units.

    parameters: (numbers, cars), see racecar.base.columns.rows_of(); states: (cars, points,
    states) with the pose 0; inputs: (cars, points, inputs). By central differences.
    """
    cars, points, size = states.shape
    many = len(motion_states(equations))
    found = np.zeros((cars, points, many, many))
    kernel = _kernel(equations)
    given = (
        as_vector(np.ascontiguousarray(parameters.T).ravel()),
        as_vector(np.ascontiguousarray(states).ravel()),
        as_vector(np.ascontiguousarray(inputs).ravel()), as_vector(found.ravel()),
        vector(3 * size))
    try:
        kernel(*given)
    except (ArithmeticError, ValueError):
        # Plain Python raises where compiled code yields what is not finite.
        kernel.compile()
        kernel(*given)
    return found


def straight_speeds(
    low: float | Array, high: float | Array, count: int, *more: float | Array,
) -> Array:
    """So many speeds from the lowest to the highest, and more of them: (cars, speeds) [m/s].

    Each is a number or a column.
    """
    return np.column_stack(np.broadcast_arrays(*np.linspace(low, high, count), *more))


def straight_modes(
    equations: Equations, parameters: Array, speeds: Array,
    radii: tuple[float | Array, float | Array] = (1.0, 1.0),
) -> Array:
    """Matrices of the modes of cars that run straight ahead, (cars, speeds, n, n).

    parameters: (numbers, cars); speeds: (cars, speeds) [m/s]; radii: of the front and rear wheels,
    which roll, a number or column each [m]. Those of one car are kept, and read-only.
    """
    if len(speeds) != 1:
        return _straight_modes(equations, parameters, speeds, radii)
    return _modes_of_one(equations, parameters.tobytes(), speeds.tobytes(),
                         tuple(float(np.reshape(radius, ())) for radius in radii))


# Who makes a car asks three times, and most runs are of few cars.
@functools.lru_cache(maxsize=64)
def _modes_of_one(
    equations: Equations, parameters: bytes, speeds: bytes, radii: tuple[float, ...],
) -> Array:
    found = _straight_modes(equations, np.frombuffer(parameters).reshape(-1, 1).copy(),
                            np.frombuffer(speeds).reshape(1, -1).copy(), radii)
    found.flags.writeable = False
    return found


def _straight_modes(
    equations: Equations, parameters: Array, speeds: Array, radii: tuple[float | Array, ...],
) -> Array:
    states = np.zeros((*speeds.shape, len(equations.state)))
    inputs = np.zeros((*speeds.shape, len(equations.inputs)))
    inputs[..., field_names(equations.inputs).index('speed')] = speeds
    for index, name in enumerate(field_names(equations.state)):
        if name == 'vx':
            states[..., index] = speeds
        elif name.startswith('wheel_speed_'):
            radius = radii[not name.startswith('wheel_speed_front')]
            states[..., index] = speeds / np.reshape(radius, (-1, 1))
    return jacobians(equations, parameters, states, inputs)


def spectral_radii(matrices: Array) -> Array:
    """Largest modulus of an eigenvalue of each matrix, (..., n, n) to (...); inf without one."""
    if matrices.shape[-1] == 2:
        (a, b), (c, d) = np.moveaxis(matrices, (-2, -1), (0, 1))
        with np.errstate(all='ignore'):
            middle, half = 0.5 * (a + d), 0.5 * (a - d)
            square = half * half + b * c
            found: Array = np.where(
                square >= 0.0, np.abs(middle) + np.sqrt(np.maximum(square, 0.0)),
                np.sqrt(middle * middle + np.maximum(-square, 0.0)))
        return np.where(np.isfinite(found), found, np.inf)
    found = np.full(matrices.shape[:-2], np.inf)
    finite = np.isfinite(matrices).all(axis=(-2, -1))
    found[finite] = np.abs(np.linalg.eigvals(matrices[finite])).max(axis=-1)
    return found


def are_slower(matrices: Array, limit: float) -> NDArray[np.bool_]:
    """Whether all eigenvalues of matrices are less than a limit [1/s], (cars, points, n, n)."""
    if not matrices.size:
        # Nothing decays.
        return np.ones(len(matrices), dtype=bool)
    surely = np.zeros(matrices.shape[:-2], dtype=bool)
    if matrices.shape[-1] > 2:
        # Powers of a matrix over the limit vanish if, and only if, its eigenvalues are less.
        with np.errstate(all='ignore'):
            powers = matrices / limit
            for _ in range(_SQUARINGS):
                powers = powers @ powers
            surely = np.square(powers).sum(axis=(-2, -1)) < 1.0
    surely[~surely] = spectral_radii(matrices[~surely]) < limit
    return np.asarray(surely.all(axis=-1))
