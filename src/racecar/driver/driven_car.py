# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A double-track car driven by pedals, gear and steering wheel instead of by commands."""

from __future__ import annotations

from collections.abc import Sequence

from racecar.base.readings import Collisions
from racecar.base.rows import first_row, flatten
from racecar.base.types import (
    LampSwitches,
    NANOSECONDS,
    Odometry,
    ORIGIN,
    Pose2,
    VehicleDiagnostics,
    Wheels,
    WheelState,
)
from racecar.base.vectors import Flat, vector
from racecar.driver.pedal_kernels import drive_kernel, Driving, NO_CONTROLS, START
from racecar.dynamics.integrators import DEFAULT_INTEGRATOR
from racecar.dynamics.powertrain.car_parameters import CarParameters
from racecar.dynamics.powertrain.powertrain import PedalControls, Powertrain, UNDEFINED
from racecar.dynamics.vehicles.double_track import DEFAULT_TYRE_MODEL, DoubleTrack
from racecar.dynamics.vehicles.initial_motion import Start
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.scene.scene import EMPTY_SCENE, Scene
from racecar.simulation.car_rows import Propulsion, WheelRotations
from racecar.simulation.ports import DEFAULT_PERIOD, DEFAULT_STEP, whole_nanoseconds
from racecar.simulation.simulator import Simulator

TURNED = first_row(START, 'turned')
_CONTROLS = len(PedalControls._fields)


class DrivenCar:
    """A simulated car with a powertrain; pedals act from the next tick on."""

    def __init__(
        self, car: CarParameters, vehicle: VehicleParameters, *,
        tyre_model: str = DEFAULT_TYRE_MODEL, step: float = DEFAULT_STEP,
        period: float = DEFAULT_PERIOD, integrator: str = DEFAULT_INTEGRATOR,
        initial_pose: Pose2 = ORIGIN, scene: Scene = EMPTY_SCENE,
    ) -> None:
        """Start at rest, held; step, period [s], integrator, pose and scene as in Simulator.

        Raises ParameterError and ConfigurationError as Simulator, DoubleTrack and Powertrain do.
        """
        self.powertrain = Powertrain(car, vehicle, step)
        self._memory: Flat = vector(tuple(flatten(START)))
        self._driving: Flat = vector(tuple(flatten(
            Driving(NO_CONTROLS._replace(mode=UNDEFINED), self.powertrain.numbers))))
        self.model = DoubleTrack(vehicle, tyre_model)
        self.integrator = integrator
        self._fixed: Flat = vector((
            *self.model.parameters, *self.model.state_limits,
            whole_nanoseconds('step', step) / NANOSECONDS))
        self._drive = drive_kernel(self.model.wheel_equations, integrator)
        self._simulator = Simulator(
            self.model, step=step, period=period, integrator=integrator,
            start=Start(initial_pose), scene=scene,
            propulsion=Propulsion(self._advance, (self._memory,)))

    @property
    def time_ns(self) -> int:
        """Simulated time since the start [ns]."""
        return self._simulator.time_ns

    @property
    def period_ns(self) -> int:
        """Length of a tick [ns]."""
        return self._simulator.period_ns

    @property
    def step_ns(self) -> int:
        """Length of a step of the integration [ns]."""
        return self._simulator.step_ns

    @property
    def steps_per_tick(self) -> int:
        """Steps of the integration in a tick."""
        return self._simulator.steps_per_tick

    @property
    def collisions(self) -> Collisions | None:
        """Contacts since the last reset; None where there is nothing to run into."""
        return self._simulator.collisions

    @property
    def state(self) -> tuple[float, ...]:
        """State of the model, in the order of model.state_names [SI]."""
        return self._simulator.state

    @state.setter
    def state(self, values: Sequence[float]) -> None:
        """Put the car into a state, as Simulator.state does."""
        self._simulator.state = values

    @property
    def inputs(self) -> tuple[float, ...]:
        """Inputs of the model in force [SI]."""
        return self._simulator.inputs

    @property
    def wheel_speeds(self) -> Wheels:
        """Rotation of left front, right front, left rear, right rear wheel [rad/s]."""
        return self._simulator.wheel_speeds

    @property
    def wheel_rotations(self) -> WheelRotations:
        """Angle that each wheel has turned since the last reset [rad], summed step by step."""
        return WheelRotations(*(float(angle) for angle in self._memory[TURNED:TURNED + 4]))

    @property
    def steering_angles(self) -> tuple[float, float]:
        """Steering angle of the left and right front wheel [rad]."""
        return self._simulator.steering_angles

    @property
    def pedals(self) -> PedalControls:
        """The controls in force."""
        return PedalControls(*map(float, self._driving[:_CONTROLS]))

    @property
    def memory(self) -> tuple[float, ...]:
        """The numbers of racecar.driver.pedal_kernels.Memory."""
        return tuple(map(float, self._memory))

    def set_pedals(self, pedals: PedalControls) -> None:
        """Drive so from the next tick on."""
        self._driving[:_CONTROLS] = pedals

    def switch_lamps(self, switches: LampSwitches) -> None:
        """Do nothing: a car without a world has lamps that nobody sees."""

    def tick(self) -> None:
        """Advance by one period.

        Raises DivergenceError as Simulator does; the car then stays as it was before the tick.
        """
        self._simulator.tick()

    def reset(self, pose: Pose2 | None = None) -> None:
        """Put the car at rest, as Simulator does, with no cruising speed and no gear engaged."""
        self._simulator.reset(pose)
        self._memory[:] = vector(tuple(flatten(START)))

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
        self, state: Flat, inputs: Flat, parameters: Flat, limits: Flat, dt: float, steps: int,
    ) -> bool:
        """Advance by steps of dt, driven by the pedals; return whether the state is valid."""
        return self._drive(state, inputs, self._fixed, self._driving, self._memory, steps)
