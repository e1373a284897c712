# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A car that steers further to one side than to the other: every part keeps to both limits.

Seed 000, 1.2: minSteeringAngle and maxSteeringAngle, right positive there.
"""

from dataclasses import replace
import math
from typing import Any
import warnings

import numpy as np
import pytest

from racecar.analysis.robot_profile import car_profile
from racecar.base.errors import ParameterError
from racecar.base.parameter_file import load_parameter_file
from racecar.base.share import find_vehicle
from racecar.base.types import (
    AckermannCommand,
    HINGE_JOINTS,
    Odometry,
    PlanarVelocity,
    WheelCommand,
    yaw_to_quaternion,
)
from racecar.control.dynamic_linearizer import DYNAMIC_LINEARIZER_PARAMETERS, DynamicLinearizer
from racecar.control.kinematic_linearizer import (
    KINEMATIC_LINEARIZER_PARAMETERS,
    KinematicLinearizer,
)
from racecar.control.servo_commands import EQUAL, ServoCommands
from racecar.description.vehicle_description import describe_vehicle
from racecar.driver import Car, Controls, DriverWarning
from racecar.dynamics.powertrain import CarParameters
from racecar.dynamics.vehicles import DoubleTrack, VEHICLE_PARAMETERS, VehicleParameters
from racecar.dynamics.vehicles.vehicle_sheet import vehicle_sheet
from racecar.simulation.batch import BatchSimulation
from racecar.simulation.car_parameters import SIMULATOR_PARAMETERS
from racecar.simulation.closed_loop import run_loop
from racecar.simulation.make_simulator import make_simulator
from racecar.simulation.rollout_batch import RolloutBatch
from racecar.simulation.simulator import Simulator
from racecar.stacks import describe_stack, find_stack, StackOptions
from racecar.stacks.loops import make_loop
from racecar.world.make_world import make_world_plant
from racecar.world.world_parameters import WORLD_PARAMETERS

LEFT, RIGHT = 0.4, 0.25
NAMED = {'vehicle.steering_limit': LEFT, 'vehicle.steering_limit_right': RIGHT}


def values_of(name):
    return {**load_parameter_file(find_vehicle(name), 'any'), **NAMED}


RACECAR, CAR_2014 = (
    VehicleParameters.from_values(values_of(name)) for name in ('racecar', 'car_2014'))
SIDES = pytest.mark.parametrize(('asked', 'given'), [
    (9.0, LEFT), (-9.0, -RIGHT), (-0.3, -RIGHT), (0.3, 0.3), (-0.2, -0.2)])


def test_one_limit_is_that_of_both_sides():
    vehicle = replace(RACECAR, steering_limit_right=0.0)
    assert vehicle.steering_range == (-LEFT, LEFT)
    assert RACECAR.steering_range == (-RIGHT, LEFT)


@pytest.mark.parametrize('angle', [-0.1, 1.6, math.nan])
def test_a_limit_that_cannot_be_is_refused_in_one_line(angle):
    with pytest.raises(ParameterError, match='steering_limit_right.*expected a') as caught:
        VehicleParameters.from_values({
            **values_of('racecar'), 'vehicle.steering_limit_right': angle})
    assert '\n' not in str(caught.value)


@SIDES
@pytest.mark.parametrize('model', ['kinematic_bicycle', 'single_track', 'double_track'])
def test_simulators_clamp_commands(model, asked, given):
    table = VEHICLE_PARAMETERS + SIMULATOR_PARAMETERS
    simulator = make_simulator(table.resolve({**values_of('racecar'), 'vehicle_model': model}))
    simulator.set_command(AckermannCommand(1.0, asked))
    assert simulator.command == AckermannCommand(1.0, given)


@SIDES
def test_batches_of_cars_clamp_commands(asked, given):
    model = DoubleTrack(RACECAR)
    batch, alone = RolloutBatch([model] * 2), Simulator(model)
    batch.command(1.0, asked)
    alone.set_command(AckermannCommand(1.0, given))
    batch.advance(20)
    alone.advance(20)
    assert tuple(batch.states[1].tolist()) == alone.state


def test_wheel_commands_are_clamped_to_what_each_wheel_does_at_the_limits():
    model, none = DoubleTrack(RACECAR), (0.0,) * 4
    half, wheelbase = 0.5 * RACECAR.track_width, RACECAR.wheelbase

    def turned(middle, side):
        return math.atan(1.0 / (1.0 / math.tan(middle) - side * half / wheelbase))

    for asked, middle in ((1.5, LEFT), (-1.5, -RIGHT)):
        inputs = model.wheel_inputs(WheelCommand(asked, asked, none, none, none, none))
        assert model.steering_angles(inputs) == pytest.approx(
            (turned(middle, 1.0), turned(middle, -1.0)))


def loop(**overrides):
    descriptions = describe_stack('kinematic_ode', StackOptions(
        trajectory='figure_eight', overrides=overrides))
    return make_loop(
        find_stack('kinematic_ode'), {d.executable: d.resolve() for d in descriptions})


def test_the_loop_keeps_to_both_limits_and_has_the_same_bits_compiled_and_in_a_batch():
    law = {'vehicle.steering_limit': 0.2, 'vehicle.steering_limit_right': 0.15}
    plant = {'vehicle.steering_limit': 0.18, 'vehicle.steering_limit_right': 0.1}
    options = {'kinematic_linearizer': law, 'single_track_simulator': plant,
               'trajectory_tracker': {'velocity_limit': 3.0}}
    ticks: list[Any] = []
    loop(**options).run_tick_by_tick(900, ticks.append)
    rows = np.array(ticks)
    # What the law commands; the plant has limits of its own.
    assert (rows[:, 10].min(), rows[:, 10].max()) == pytest.approx((-0.15, 0.2))
    np.testing.assert_array_equal(run_loop(loop(**options), 9.0).rows, rows)
    batch = BatchSimulation([loop(**options) for _ in range(2)]).run(9.0, record_every=1)
    np.testing.assert_array_equal(batch.table(1).rows, rows)


@pytest.mark.parametrize('side', [1.0, -1.0])
@pytest.mark.parametrize(('law', 'table'), [
    (KinematicLinearizer, KINEMATIC_LINEARIZER_PARAMETERS),
    (DynamicLinearizer, DYNAMIC_LINEARIZER_PARAMETERS)])
def test_laws_steer_to_the_limit_of_each_side(law, table, side):
    motion = Odometry(0, 0.0, 0.0, *yaw_to_quaternion(0.0), 0.3, 0.0, 0.0)
    command = law(table.resolve({}), RACECAR).command(motion, PlanarVelocity(0.2, 2.0 * side))
    assert command.steering_angle == pytest.approx(LEFT if side > 0.0 else -RIGHT)


def test_the_hinges_of_both_kinds_of_description_stop_at_the_inner_wheel_of_each_side():
    for vehicle in (RACECAR, CAR_2014):
        ratio = 0.5 * vehicle.track_width / vehicle.wheelbase
        left, right = (math.atan(1.0 / (1.0 / math.tan(limit) - ratio))
                       for limit in (LEFT, RIGHT))
        for name in HINGE_JOINTS:
            limit = describe_vehicle(vehicle).tree.joint(name).limit
            assert (limit.lower, limit.upper) == pytest.approx((-right, left))


@SIDES
def test_servos_clamp_commands(asked, given):
    for angles in ('ackermann', EQUAL):
        servo = ServoCommands(RACECAR, 20.0, hinge_angles=angles)
        assert servo.setpoints(AckermannCommand(1.0, asked)) == servo.setpoints(
            AckermannCommand(1.0, given))


@pytest.mark.parametrize(('asked', 'given'), [(9.0, LEFT), (-9.0, -RIGHT)])
def test_the_car_in_the_world_turns_at_the_limit_of_each_side(asked, given):
    plant = make_world_plant((VEHICLE_PARAMETERS + WORLD_PARAMETERS).resolve({
        **values_of('racecar'), 'contact_model': 'coulomb'}))
    entity, = plant.entities
    next(port for port in entity.inputs if port.name == 'drive').apply(
        AckermannCommand(0.5, asked))
    plant.advance(2000)
    twist = entity.output('odometry').read().twist
    assert RACECAR.wheelbase * twist.wz / twist.vx == pytest.approx(math.tan(given), rel=0.03)


def test_the_driver_library_clamps_right_positive_angles_with_a_warning(tmp_path):
    path = tmp_path / 'one_sided.yaml'
    path.write_text(find_vehicle('car_2014').read_text().replace(
        'steering_limit: 0.8636', f'steering_limit: {LEFT}\n      steering_limit_right: {RIGHT}'))
    car = Car(str(path))
    for asked, given in ((2.0, RIGHT), (-2.0, -LEFT)):
        with pytest.warns(DriverWarning, match=f'expected -{LEFT:g} to {RIGHT:g} rad'):
            car.setSteeringAngle(asked)
        assert car.getSteeringAngle() == pytest.approx(given)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        car.setSteeringAngle(-0.3)
    with pytest.warns(DriverWarning, match='right steering angle'):
        car.setRightSteeringAngle(0.3)


def test_the_driver_bridge_refuses_what_is_beyond_the_limit_of_a_side():
    controls = Controls(CarParameters.from_file(find_vehicle('car_2014')), CAR_2014)
    with pytest.raises(ParameterError, match=r'expected a number from -0\.25 to 0\.4 rad'):
        controls.set_steering_angle(-0.3)
    controls.set_steering_angle(0.3)
    assert controls.steering_angle == pytest.approx(0.3)


def test_pictures_of_a_run_do_not_turn_the_wheels_further():
    t = np.linspace(0.0, 1.0, 101)
    for turn, given in ((20.0, LEFT), (-20.0, -RIGHT)):
        joints = car_profile(RACECAR).rolling(t, 0.0 * t, turn * t, np.ones(101), t)
        assert joints[50, -2:] == pytest.approx([given, given])


def test_figures_tell_both_sides():
    text = {row.name: row.text for row in vehicle_sheet(RACECAR)['Steering']}
    assert text['steering limit to the left'].startswith('0.4 rad')
    assert text['steering limit to the right'].startswith('0.25 rad')


def test_figures_are_those_of_hinges_that_stop():
    vehicle = VehicleParameters.from_file(find_vehicle('racecar'))
    rows = {row.name: row.text for row in vehicle_sheet(vehicle)['Steering']}
    # The hinges, 0.2 m apart, stop at 1 rad: cot d = cot 1 + 0.1/0.325.
    cot = 1.0 / math.tan(1.0) + 0.1 / 0.325
    assert rows['reached'].startswith(f'{math.atan(1.0 / cot):.4g} rad')
    assert rows['inner, outer wheel there'].startswith('1, ')
    kerbs = 2.0 * math.hypot(0.325 * cot + 0.1225, 0.325) + 0.045
    assert f'{kerbs:.4g} m between kerbs' in rows['turning circle']
    assert '0.973 m between kerbs' in rows['of the planar models']
