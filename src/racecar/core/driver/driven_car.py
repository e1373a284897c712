# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A double-track car driven by pedals, gear and steering wheel instead of by commands.

The powertrain is computed anew at every integration step, in one compiled loop with the dynamics.
"""

from __future__ import annotations

from collections.abc import Callable, MutableSequence
from typing import Any

from racecar.core.compiled import specialise
from racecar.core.powertrain.car_parameters import CarParameters
from racecar.core.powertrain.powertrain import (
    BRAKE_DAMPING,
    BRAKE_TORQUE,
    CAR_NUMBERS,
    DAMPING,
    DRIVEN,
    next_cruise,
    PedalControls,
    Powertrain,
    wheel_drive,
)
from racecar.core.simulation.held_steps import step_kernel
from racecar.core.simulation.integrators import DEFAULT_INTEGRATOR, find_integrator
from racecar.core.simulation.simulator import (
    DEFAULT_PERIOD,
    DEFAULT_STEP,
    ORIGIN,
    Simulator,
    WheelRotations,
)
from racecar.core.tuple_kernels import reader, writer
from racecar.core.types import Odometry, Pose2, VehicleDiagnostics, Wheels, WheelState
from racecar.core.vehicles import double_track_equations as double_track
from racecar.core.vehicles.double_track import DEFAULT_TYRE_MODEL, DoubleTrack
from racecar.core.vehicles.double_track_equations import Held, WHEEL
from racecar.core.vehicles.double_track_wheels import TorqueDrive
from racecar.core.vehicles.interface import SPEED, STEERING_ANGLE, Vector, vector
from racecar.core.vehicles.parameters import VehicleParameters

INPUT_MODE, INPUT_LEFT, INPUT_RIGHT = (
    double_track.MODE, double_track.LEFT_ANGLE, double_track.RIGHT_ANGLE)
INPUT_DRIVE, INPUT_BRAKE, INPUT_DAMPING, INPUT_BRAKE_DAMPING, INPUT_FORCED = (
    double_track.DRIVE, double_track.BRAKE, double_track.DAMPING, double_track.BRAKE_DAMPING,
    double_track.FORCED)


def _unbound(*_: Any) -> Any:
    """Stand for a kernel that DrivenCar binds."""
    raise NotImplementedError('DrivenCar binds this name')


read_state = write_state = read_controls = read_car = hold = step_driven = _unbound


def _drive(
    state: MutableSequence[float], good: MutableSequence[float], inputs: MutableSequence[float],
    parameters: Vector, limits: Vector, dt: float, steps: int, packed_controls: Vector,
    packed_car: Vector, memory: MutableSequence[float],
) -> bool:
    """Advance by steps of dt; return whether the state is valid, else leave all as it was.

    good: room for a state; memory: ramped cruising speed, then rotation of each wheel.
    """
    start = read_state(state, 0, 0)
    write_state(good, 0, 0, start)
    controls, car = read_controls(packed_controls, 0, 0), read_car(packed_car, 0, 0)
    inputs[SPEED] = memory[0]
    inputs[STEERING_ANGLE] = 0.5 * (controls.left_angle + controls.right_angle)
    inputs[INPUT_MODE] = 1.0
    inputs[INPUT_LEFT] = controls.left_angle
    inputs[INPUT_RIGHT] = controls.right_angle
    for i in range(4):
        inputs[INPUT_BRAKE + i] = car[BRAKE_TORQUE] * controls.brake
        inputs[INPUT_BRAKE_DAMPING + i] = car[BRAKE_DAMPING] * controls.brake
        inputs[INPUT_DAMPING + i] = car[DAMPING]
    held = hold(inputs, parameters)
    w = held.wheels
    driven = (car[DRIVEN], car[DRIVEN + 1], car[DRIVEN + 2], car[DRIVEN + 3])
    s, cruise, drive, forced = start, memory[0], w.drive, w.forced
    turned = (memory[1], memory[2], memory[3], memory[4])
    half = 0.5 * dt
    for _ in range(steps):
        speeds = s[WHEEL:]
        cruise = next_cruise(controls, car, speeds, cruise, dt)
        drive, is_forced = wheel_drive(controls, car, speeds, cruise)
        forced = driven if is_forced else (0.0, 0.0, 0.0, 0.0)
        s = step_driven(s, Held(held.body, TorqueDrive(
            drive, w.brake, w.damping, w.brake_damping, forced, w.overspeed, w.stick)), dt)
        after = s[WHEEL:]
        turned = (turned[0] + half * (speeds[0] + after[0]),
                  turned[1] + half * (speeds[1] + after[1]),
                  turned[2] + half * (speeds[2] + after[2]),
                  turned[3] + half * (speeds[3] + after[3]))
    write_state(state, 0, 0, s)
    for i in range(4):
        inputs[INPUT_DRIVE + i] = drive[i]
        inputs[INPUT_FORCED + i] = forced[i]
    valid = True
    for i in range(len(state)):
        # False for NaN too.
        valid = valid and abs(state[i]) <= limits[i]
    if valid:
        memory[0] = cruise
        for i in range(4):
            memory[1 + i] = turned[i]
    else:
        write_state(state, 0, 0, start)
    return valid


class DrivenCar:
    """A simulated car with a powertrain; pedals act from the next tick on."""

    def __init__(
        self, car: CarParameters, vehicle: VehicleParameters, *,
        tyre_model: str = DEFAULT_TYRE_MODEL, step: float = DEFAULT_STEP,
        period: float = DEFAULT_PERIOD, integrator: str = DEFAULT_INTEGRATOR,
        initial_pose: Pose2 = ORIGIN,
    ) -> None:
        """Start at rest, held; step, period [s], integrator and pose as in Simulator.

        Raises ParameterError and ConfigurationError as Simulator, DoubleTrack and Powertrain do.
        """
        self.powertrain = Powertrain(car, vehicle, step)
        # The ramped cruising speed, and the rotation of the wheels since the last reset.
        self._memory: Any = vector((0.0,) * 5)
        self._controls: Any = vector(PedalControls(-1.0, *(0.0,) * 8))
        self.model = DoubleTrack(vehicle, tyre_model)
        self._drive = drive_kernel(self.model, integrator)
        self._simulator = Simulator(
            self.model, step=step, period=period, integrator=integrator,
            initial_pose=initial_pose, advance=self._advance)
        self._room: Any = vector(self._simulator.state)

    @property
    def time_ns(self) -> int:
        """Simulated time since the start [ns]."""
        return self._simulator.time_ns

    @property
    def period_ns(self) -> int:
        """Length of a tick [ns]."""
        return self._simulator.period_ns

    @property
    def steps_per_tick(self) -> int:
        """Steps of the integration in a tick."""
        return self._simulator.steps_per_tick

    @property
    def state(self) -> tuple[float, ...]:
        """State of the model, in the order of model.state_names [SI]."""
        return self._simulator.state

    @property
    def wheel_speeds(self) -> Wheels:
        """Rotation of left front, right front, left rear, right rear wheel [rad/s]."""
        return self._simulator.wheel_speeds

    @property
    def wheel_rotations(self) -> WheelRotations:
        """Angle that each wheel has turned since the last reset [rad], summed step by step."""
        return WheelRotations(*(float(angle) for angle in self._memory[1:]))

    @property
    def steering_angles(self) -> tuple[float, float]:
        """Steering angle of the left and right front wheel [rad]."""
        return self._simulator.steering_angles

    def set_pedals(self, pedals: PedalControls) -> None:
        """Drive so from the next tick on."""
        self._controls[:] = pedals

    def tick(self) -> None:
        """Advance by one period.

        Raises DivergenceError as Simulator does; the car then stays as it was before the tick.
        """
        self._simulator.tick()

    def reset(self, pose: Pose2 | None = None) -> None:
        """Put the car at rest, as Simulator does, with no cruising speed."""
        self._simulator.reset(pose)
        self._memory[:] = vector((0.0,) * 5)

    def odometry(self) -> Odometry:
        """Return pose and twist of the rear axle's middle."""
        return self._simulator.odometry()

    def diagnostics(self) -> VehicleDiagnostics:
        """Return velocities, slip and forces at the current time."""
        return self._simulator.diagnostics()

    def wheels(self) -> tuple[WheelState, ...]:
        """Return slip and forces of each wheel, in the order of WHEEL_NAMES."""
        return self._simulator.wheels()

    def warm_up(self) -> None:
        """Compile, or load from the cache, all that a tick and its outputs call."""
        self._simulator.warm_up()

    def _advance(
        self, state: MutableSequence[float], inputs: MutableSequence[float], parameters: Vector,
        limits: Vector, dt: float, steps: int,
    ) -> bool:
        """Advance by steps of dt, driven by the pedals; return whether the state is valid."""
        return self._drive(
            state, self._room, inputs, parameters, limits, dt, steps, self._controls,
            self.powertrain.packed, self._memory)


def drive_kernel(model: DoubleTrack, integrator: str) -> Callable[..., bool]:
    """Bind a model and a method: see _drive()."""
    form = model.split_derivative
    find_integrator(integrator)
    name = form.state.__name__
    state = form.state(*(0.0,) * len(form.state._fields))
    return specialise(
        _drive, f'drive_{integrator}_{form.name}',
        read_state=reader(name, state), write_state=writer(name, state),
        read_controls=reader('PedalControls', PedalControls(*(0.0,) * 9)),
        read_car=reader('car', (0.0,) * CAR_NUMBERS), hold=form.torques.hold,
        step_driven=step_kernel(form.state, form.torques, integrator))
