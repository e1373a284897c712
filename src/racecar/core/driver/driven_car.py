# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A double-track car driven by pedals, gear and steering wheel instead of by commands.

The powertrain is computed anew at every integration step, in one compiled loop with the dynamics.
"""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import Any

from racecar.core.compiled import specialise
from racecar.core.powertrain.car_parameters import CarParameters
from racecar.core.powertrain.powertrain import (
    BRAKE,
    BRAKE_DAMPING,
    BRAKE_TORQUE,
    DAMPING,
    DRIVEN,
    LEFT,
    next_cruise,
    PedalControls,
    Powertrain,
    RIGHT,
    wheel_drive,
)
from racecar.core.simulation.integrators import model_advance
from racecar.core.simulation.simulator import ORIGIN, Simulator
from racecar.core.types import Pose2
from racecar.core.vehicles import double_track
from racecar.core.vehicles.double_track import DoubleTrack, WHEEL
from racecar.core.vehicles.interface import SPEED, STEERING_ANGLE, Vector, vector
from racecar.core.vehicles.parameters import VehicleParameters

INPUT_MODE, INPUT_LEFT, INPUT_RIGHT = (
    double_track.MODE, double_track.LEFT_ANGLE, double_track.RIGHT_ANGLE)
INPUT_DRIVE, INPUT_BRAKE, INPUT_DAMPING, INPUT_BRAKE_DAMPING, INPUT_FORCED = (
    double_track.DRIVE, double_track.BRAKE, double_track.DAMPING, double_track.BRAKE_DAMPING,
    double_track.FORCED)


def advance(
    state: MutableSequence[float], inputs: Vector, parameters: Vector, limits: Vector, dt: float,
    steps: int,
) -> bool:
    """Stand for model and method that DrivenCar binds."""
    raise NotImplementedError('DrivenCar binds this name')


def _drive(
    state: MutableSequence[float], inputs: MutableSequence[float], parameters: Vector,
    limits: Vector, dt: float, steps: int, controls: Vector, car: Vector,
    memory: MutableSequence[float],
) -> bool:
    """Advance by steps of dt; memory: ramped cruising speed, then rotation of each wheel."""
    inputs[INPUT_MODE] = 1.0
    inputs[INPUT_LEFT] = controls[LEFT]
    inputs[INPUT_RIGHT] = controls[RIGHT]
    for i in range(4):
        inputs[INPUT_BRAKE + i] = car[BRAKE_TORQUE] * controls[BRAKE]
        inputs[INPUT_BRAKE_DAMPING + i] = car[BRAKE_DAMPING] * controls[BRAKE]
        inputs[INPUT_DAMPING + i] = car[DAMPING]
    for _ in range(steps):
        speeds = (state[WHEEL], state[WHEEL + 1], state[WHEEL + 2], state[WHEEL + 3])
        memory[0] = next_cruise(controls, car, speeds, memory[0], dt)
        drive, forced = wheel_drive(controls, car, speeds, memory[0])
        for i in range(4):
            inputs[INPUT_DRIVE + i] = drive[i]
            inputs[INPUT_FORCED + i] = car[DRIVEN + i] if forced else 0.0
        if not advance(state, inputs, parameters, limits, dt, 1):
            return False
        for i in range(4):
            memory[1 + i] += 0.5 * dt * (speeds[i] + state[WHEEL + i])
    return True


class DrivenCar(Simulator):
    """The simulator of a car with a powertrain; pedals act from the next tick on.

    set_pedals() takes the place of set_command() and set_inputs().
    """

    def __init__(
        self, car: CarParameters, vehicle: VehicleParameters, *, tyre_model: str = 'fiala',
        step: float = 0.001, period: float = 0.01, integrator: str = 'rk4',
        initial_pose: Pose2 = ORIGIN,
    ) -> None:
        """Start at rest, held; step, period [s], integrator and pose as in Simulator.

        Raises ParameterError and ConfigurationError as Simulator, DoubleTrack and Powertrain do.
        """
        self.powertrain = Powertrain(car, vehicle, step)
        # The ramped cruising speed, and the rotation of the wheels since the last reset.
        self._memory: Any = vector((0.0,) * 5)
        self._good_memory: Any = vector((0.0,) * 5)
        self._controls: Any = vector(PedalControls(-1.0, *(0.0,) * 8))
        model = DoubleTrack(vehicle, tyre_model)
        self._drive = specialise(
            _drive, f'drive_{integrator}_{model.tyres.model.name}',
            advance=model_advance(model, integrator))
        super().__init__(
            model, step=step, period=period, integrator=integrator, initial_pose=initial_pose)

    def set_pedals(self, pedals: PedalControls) -> None:
        """Drive so from the next tick on."""
        self._controls[:] = vector(pedals)

    def reset(self, pose: Pose2 | None = None) -> None:
        """Put the car at rest, as Simulator does, with no cruising speed."""
        super().reset(pose)
        self._memory[:] = vector((0.0,) * 5)

    def _integrate(self, steps: int) -> bool:
        self._good_memory[:] = self._memory
        self._inputs[SPEED] = self._memory[0]
        self._inputs[STEERING_ANGLE] = 0.5 * (self._controls[LEFT] + self._controls[RIGHT])
        valid = False
        try:
            valid = self._drive(
                self._state, self._inputs, self._parameters, self._limits, self._step,
                steps, self._controls, self.powertrain.packed, self._memory)
        finally:
            if not valid:
                self._memory[:] = self._good_memory
        return valid

    def _turn_wheels(self, duration: float) -> None:
        # Summed step by step in the loop.
        self._rotations = [float(angle) for angle in self._memory[1:]]
