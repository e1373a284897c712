# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Cars of Simulators in one call of a kernel, as long as none of them meets anything.

A tick of a car takes a microsecond in compiled code, and twenty times that is spent around it
where Python asks each car for itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
import functools

import numpy as np
from numpy.typing import NDArray

from racecar.base.columns import Array
from racecar.base.compiled import compiled, has_compiler, types_of
from racecar.base.errors import DivergenceError
from racecar.base.rows import load, Part, store, zeros_of
from racecar.dynamics.vehicles.interface import Equations
from racecar.scene.overlaps import Rectangle
from racecar.scene.scene import EMPTY_SCENE, Rows
from racecar.scene.surroundings import is_taken, Surroundings, surroundings_of
from racecar.scene.touching import rectangles_touch
from racecar.simulation.car_body import car_body, CarBody, outline_of, Seen
from racecar.simulation.simulator import Simulator
from racecar.simulation.tick import CarKind, one_car_parts, tick_function
from racecar.simulation.world_moving import wider

_BODY, _PLACE = Part(zeros_of(CarBody)), Part(zeros_of(Rectangle))
_GIVE = _BODY.after

Around = tuple[Rows, Rows, Rows, Rows, NDArray[np.float32], Rows]
"""The fields of Surroundings as a plain tuple."""

Moving = Callable[[Array, Array, Array, Around, int], bool]
"""moving(numbers, shapes, places, around, steps): move cars on; whether none meets anything.

numbers: rows of OneCarParts of a car each; shapes: its CarBody, how far it may press into things
[m], and whether the kernel moves it; places: where the Rectangle of each is written; around: the
Surroundings. If one meets another one or anything that stands around, or leaves the range in which
its model holds, all is left half done.
"""


@functools.cache
def moving_together(kind: CarKind, equations: Equations) -> Moving:
    """Kernel that moves cars of a kind by one of its equations."""
    tick, observe, parts = tick_function(kind, equations), equations.observe, one_car_parts(kind)
    state_part, parameters_part = parts.state, parts.parameters
    inputs_part = Part(equations.inputs, parts.inputs.first)
    body_part, place_part, give = _BODY, _PLACE, _GIVE

    def move_together(
        numbers: Array, shapes: Array, places: Array, around: Around, steps: int,
    ) -> bool:
        scenes = Surroundings(*around)
        for i in range(len(numbers)):
            rows, shape = numbers[i], shapes[i]
            moves = shape[give + 1] > 0.0
            if moves and not tick(rows, steps):
                return False
            x, y, qz, qw, vx, vy, yaw_rate = observe(
                load(rows, state_part, 0), load(rows, inputs_part, 0),
                load(rows, parameters_part, 0))
            place = outline_of(Seen(x, y, qz, qw, vx, vy, yaw_rate), load(shape, body_part, 0))
            if moves and is_taken(scenes, 0, wider(place, -shape[give])):
                return False
            for j in range(i):
                if rectangles_touch(load(places[j], place_part, 0), place).depth > 0.0:
                    return False
            store(places[i], place_part, 0, place)
        return True

    return compiled(move_together, types_of(
        np.zeros((1, 1)), np.zeros((1, 1)), np.zeros((1, 1)),
        surroundings_of((EMPTY_SCENE,))[:], 0), nogil=False)


class CarsTogether:
    """Simulators whose numbers lie side by side."""

    def __init__(self, simulators: Sequence[Simulator]) -> None:
        """Take over simulators of one kind, with one scene; see of()."""
        self._simulators = simulators
        self._numbers = np.zeros((
            len(simulators), max(len(simulator.car.rows) for simulator in simulators)))
        for simulator, row in zip(simulators, self._numbers, strict=True):
            simulator.car.lie_in(row[:len(simulator.car.rows)])
        self._places = np.zeros((len(simulators), _PLACE.after))
        self._shapes = np.array([
            (*car_body(simulator.model.vehicle, 0.0), simulator.contacts.shape.give, 1.0)
            for simulator in simulators])
        self._scene = simulators[0].scene
        self._around = surroundings_of((self._scene,))[:]

    @classmethod
    def of(cls, simulators: Sequence[Simulator]) -> CarsTogether | None:
        """The cars, or None for one, for those of several kinds or moved by something else.

        Also where nothing is compiled.
        """
        kinds = {simulator.car.kind for simulator in simulators}
        if not has_compiler() or len(simulators) < 2 or len(kinds) > 1 or not all(
                simulator.is_moved_by_kernels for simulator in simulators):
            return None
        return cls(simulators)

    def warm_up(self) -> None:
        """Compile, or load from the cache, what moves the cars; nothing changes."""
        first = self._simulators[0].car
        moving_together(first.kind, first.kernels.equations)(
            self._numbers[:0], self._shapes, self._places, self._around, 0)

    def advance(self, steps: int) -> bool:
        """Move on by steps, unless a car meets anything or diverges: then nothing changes.

        True if they have moved: to the bit as each by itself.
        """
        simulators, first = self._simulators, self._simulators[0].car
        if any(simulator.car.kernels is not first.kernels for simulator in simulators):
            return False
        self._look_around()
        numbers = self._numbers.copy()
        free = [simulator.moves_freely for simulator in simulators]
        self._shapes[:, -1] = free
        others = [simulator for simulator, is_free in zip(simulators, free, strict=True)
                  if not is_free]
        kept = [simulator.kept() for simulator in others]
        try:
            for simulator in others:
                simulator.advance(steps)
            has_moved = moving_together(first.kind, first.kernels.equations)(
                self._numbers, self._shapes, self._places, self._around, steps)
        except DivergenceError:
            has_moved = False
        if not has_moved:
            self._numbers[:] = numbers
            for simulator, state in zip(others, kept, strict=True):
                simulator.go_back(state)
            return False
        for simulator, is_free in zip(simulators, free, strict=True):
            if is_free:
                simulator.count(steps)
        return True

    def _look_around(self) -> None:
        scene = self._simulators[0].scene
        if scene is not self._scene:
            self._scene, self._around = scene, surroundings_of((scene,))[:]
