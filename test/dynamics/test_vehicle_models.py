# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Vehicle models answer for their inputs and wheels, so that anything that answers is driven."""

import inspect
import math
from pathlib import Path
from typing import NamedTuple

import pytest

from racecar.base.compiled import pure
from racecar.base.errors import ParameterError
from racecar.base.parameter_file import load_parameter_file
from racecar.base.types import AckermannCommand, Pose2, WheelCommand, WheelState
from racecar.driver import DrivenCar
from racecar.dynamics.vehicles import (
    VEHICLE_MODELS,
    VEHICLE_PARAMETERS,
    VehicleParameters,
)
from racecar.dynamics.vehicles.initial_motion import Start
from racecar.dynamics.vehicles.interface import Equations, NO_COMMAND
from racecar.simulation.car_parameters import SIMULATOR_PARAMETERS
from racecar.simulation.make_simulator import make_simulator
from racecar.simulation.simulator import Simulator
from racecar.simulation.stepper import Stepper
from racecar.simulation.vehicle_plant import VehiclePlant

ROOT = Path(__file__).parents[2]
FILE = ROOT / 'config' / 'vehicles' / 'racecar.yaml'
RACECAR = VehicleParameters.from_file(FILE)
TABLE = VEHICLE_PARAMETERS + SIMULATOR_PARAMETERS
NONE = (0.0,) * 4


class TrolleyState(NamedTuple):
    vx: float
    place: float


class TrolleyInputs(NamedTuple):
    speed: float
    steering_angle: float
    mode: float


class Held(NamedTuple):
    speed: float


class Weight(NamedTuple):
    mass: float


def hold(command, weight):
    return Held(command.speed)


def hold_wheels(inputs, weight):
    return Held(inputs.speed + inputs.mode)


def rates(state, held):
    return TrolleyState(0.0, held.speed)


def observe(state, inputs, parameters):
    return state.place, 0.0, 0.0, 1.0, inputs.speed, 0.0, 0.0


def diagnose(state, inputs, parameters, held):
    return (0.0,) * 14


def trolley_equations(inputs, held_by):
    return Equations(
        held_by.__name__, TrolleyState(0.0, 0.0), inputs, Weight(0.0), Held(0.0), pure(held_by),
        pure(rates), pure(observe), pure(diagnose))


class Trolley:
    """A trolley on wheels that spin thrice as fast as they roll; a wheel command is a speed.

    Neither class nor names of states tell that: its first state is called vx and is not one.
    """

    name = description = 'trolley'
    vehicle = RACECAR
    state_names = ('vx', 'place')
    state_limits = (1.0, 1e6)
    input_count = 3
    no_travel = (0.0, 5.0)
    equations = trolley_equations(NO_COMMAND, hold)
    wheel_equations = trolley_equations(TrolleyInputs(0.0, 0.0, 0.0), hold_wheels)

    def __init__(self):
        self.parameters = (1.0,)

    def wheel_inputs(self, command):
        if command.drive[0] > 9.0:
            raise ParameterError('drive is too fast')
        return 0.0, command.left_angle, command.drive[0]

    def wheels(self, state, inputs):
        return (WheelState(0.0, 0.0, 0.0, 0.0, 0.0, 0.0),) * 4

    def wheel_speeds(self, state, inputs):
        return (3.0 * float(inputs[0] + inputs[2]),) * 4

    def steering_angles(self, inputs):
        return float(inputs[1]), -float(inputs[1])

    @staticmethod
    def travelled(travel, before, after, parameters, commanded, duration):
        return travel[0] + commanded, travel[1] + after.place - before.place

    def wheel_rotations(self, travel):
        return travel[0], travel[0], 3.0 * (travel[1] - 5.0), 0.0

    def initial_state(self, pose):
        return 0.0, pose.x

    def on_friction(self, front, rear):
        return self

    def parameters_on(self, front, rear, made_of=None):
        return None

    def fastest_mode(self):
        return 0.0

    def columns(self, vehicle, values, cars):
        raise TypeError('a trolley is made by itself')


def drive(simulator, ticks=100):
    for _ in range(ticks):
        simulator.tick()
    return simulator


def test_a_model_of_the_users_own_is_driven_by_what_it_answers():
    simulator = Simulator(Trolley(), start=Start(Pose2(2.0, 0.0, 0.0)))
    simulator.set_command(AckermannCommand(1.5, 0.2))
    drive(simulator)
    assert simulator.odometry().x == pytest.approx(3.5)
    assert simulator.wheel_speeds == (4.5,) * 4
    assert simulator.steering_angles == (0.2, -0.2)
    assert simulator.wheel_rotations == pytest.approx((1.5, 1.5, 4.5, 0.0))
    simulator.set_wheel_command(WheelCommand(0.1, 0.0, (0.5,) * 4, NONE, NONE, NONE))
    drive(simulator)
    assert simulator.odometry().x == pytest.approx(4.0)
    assert simulator.wheel_rotations == pytest.approx((1.5, 1.5, 6.0, 0.0))
    with pytest.raises(ParameterError, match='too fast'):
        simulator.set_wheel_command(WheelCommand(0.1, 0.0, (10.0,) * 4, NONE, NONE, NONE))
    assert simulator.wheel_speeds == (1.5,) * 4
    simulator.reset()
    assert simulator.wheel_rotations == NONE


def test_its_actuators_tell_how_far_it_was_commanded():
    simulator = Simulator(Trolley(), actuators={'actuators.speed_lag': 0.1})
    simulator.set_command(AckermannCommand(1.0, 0.0))
    drive(simulator)
    x = simulator.odometry().x
    assert 0.85 < x < 0.95
    assert simulator.wheel_rotations == pytest.approx((x, x, 3.0 * x, 0.0))


def test_its_plant_shows_its_joints():
    plant = VehiclePlant(Simulator(Trolley()))
    drive_input, *_ = plant.entities[0].inputs
    drive_input.apply(AckermannCommand(1.0, 0.3))
    plant.advance(1000)
    joints = plant.entities[0].output('joints').read()
    assert joints.positions == pytest.approx((1.0, 1.0, 3.0, 0.0, 0.3, -0.3))
    assert joints.velocities == (*(3.0,) * 4, 0.0, 0.0)


def test_it_has_a_stepper():
    stepper = Stepper(Trolley(), initial_pose=Pose2(2.0, 0.0, 0.0))
    for _ in range(1000):
        stepper.step(1.5, 0.2)
    assert stepper.state == pytest.approx((0.0, 3.5))


def simulator_of(name, **values):
    return make_simulator(TABLE.resolve({
        **load_parameter_file(FILE, 'any_node'), 'vehicle_model': name, **values}))


@pytest.mark.parametrize('name', VEHICLE_MODELS)
def test_following_a_command_takes_all_inputs(name):
    simulator = simulator_of(name)
    count = simulator.model.input_count
    simulator.set_inputs((0.5,) * count)
    assert simulator.inputs == (0.5,) * count
    simulator.set_command(AckermannCommand(1.5, 0.2))
    assert simulator.inputs == (1.5, 0.2, *(0.0,) * (count - 2))
    simulator.set_inputs((0.5,) * count)
    simulator.reset()
    assert simulator.inputs == (0.0,) * count


@pytest.mark.parametrize('name', VEHICLE_MODELS)
def test_a_state_is_taken_over_or_refused_by_name(name):
    simulator = simulator_of(name)
    state = tuple(0.01 * k for k in range(len(simulator.state)))
    simulator.state = state
    assert simulator.state == state
    with pytest.raises(ParameterError, match=rf'expected {len(state)} numbers: .*\byaw\b'):
        simulator.state = (1.0,)
    assert simulator.state == state


@pytest.mark.parametrize('actuators', [{}, {'actuators.speed_lag': 0.05}])
@pytest.mark.parametrize('name', VEHICLE_MODELS)
def test_rotations_are_the_integral_of_the_speeds(name, actuators):
    simulator = simulator_of(name, **actuators)
    simulator.set_command(AckermannCommand(1.0, 0.1))
    total, before = [0.0] * 4, simulator.wheel_speeds
    for _ in range(100):
        simulator.tick()
        total = [sum_ + 0.005 * (a + b) for sum_, a, b in zip(
            total, before, simulator.wheel_speeds, strict=True)]
        before = simulator.wheel_speeds
    assert simulator.wheel_rotations == pytest.approx(total, rel=0.02)


@pytest.mark.parametrize('name', VEHICLE_MODELS)
def test_steering_angles_are_about_the_commanded_one(name):
    simulator = simulator_of(name)
    simulator.set_command(AckermannCommand(1.0, 0.1))
    left, right = simulator.steering_angles
    assert left >= 0.1 >= right
    assert 2.0 / (1.0 / math.tan(left) + 1.0 / math.tan(right)) == pytest.approx(math.tan(0.1))


@pytest.mark.parametrize('taker', [Simulator, Stepper, DrivenCar])
def test_defaults_are_those_of_the_table(taker):
    parameters = inspect.signature(taker).parameters
    for name in ('step', 'integrator'):
        assert parameters[name].default == SIMULATOR_PARAMETERS.default(name)
    if 'period' in parameters:
        assert 1.0 / parameters['period'].default == SIMULATOR_PARAMETERS.default('rate')
