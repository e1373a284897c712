# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Odometry by dead reckoning: closed formulas, spread over seeds, and one result in all loops."""

from dataclasses import replace
import itertools
import math
from typing import Any

from closed_loops import make
from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest
from swept_controllers import Compiled, step

import racecar
from racecar.base.errors import ConfigurationError
from racecar.base.poses import pose_of_child
from racecar.base.readings import WheelReading
from racecar.base.share import find_config
from racecar.base.types import (
    AckermannCommand,
    CarMotion,
    Odometry,
    Pose2,
    Pose3,
    yaw_to_quaternion,
)
from racecar.dynamics.vehicles import make_vehicle_model, VehicleParameters
from racecar.dynamics.vehicles.initial_motion import Start
from racecar.simulation.batch import BatchSimulation
from racecar.simulation.batch_result import Noise
from racecar.simulation.car_parameters import SIMULATOR_PARAMETERS
from racecar.simulation.closed_loop import run_loop
from racecar.simulation.dead_reckoning import (
    DeadReckoning,
    GYRO,
    OdometryErrors,
    reckon,
    ReckoningCovariance,
    STEERING,
    TRUTH,
)
from racecar.simulation.ports import GROUND_TRUTH, ODOMETRY
from racecar.simulation.reckoned_plant import ReckonedPlant
from racecar.simulation.simulator import Simulator
from racecar.simulation.vehicle_plant import VehiclePlant

RACECAR = VehicleParameters.from_file(find_config('vehicles/racecar'))
AT_COG = replace(RACECAR, odometry_point='cog')
EXACT = OdometryErrors(
    source=STEERING, speed_scale_deviation=0.0, distance_noise=0.0, steering_scale_deviation=0.0,
    steering_offset_deviation=0.0, turn_noise=0.0, gyro_bias_deviation=0.0, gyro_noise=0.0,
    gyro_bias_walk=0.0)
MODELS = ('kinematic_bicycle', 'single_track', 'single_track_force', 'double_track')
SIMULATOR = 'single_track_simulator'


def truth(x=0.0, y=0.0, yaw=0.0, vx=0.0, yaw_rate=0.0, time_ns=0):
    return Odometry(time_ns, x, y, *yaw_to_quaternion(yaw), vx, 0.0, yaw_rate)


def reckoned(errors, readings, dt, *, vehicle=RACECAR, yaw_rate=0.0, start=None):
    """Return the reckoning after all readings."""
    found = DeadReckoning(errors, vehicle)
    found.start(start or truth(), WheelReading(0.0, 0.0))
    for reading in readings:
        found.update(truth(yaw_rate=yaw_rate), reading, dt)
    return found


def model(name, vehicle=RACECAR, **more):
    table = SIMULATOR_PARAMETERS
    return make_vehicle_model(name, vehicle, table.resolve({'vehicle_model': name, **more}))


@pytest.mark.parametrize('source', [STEERING, GYRO])
def test_on_a_straight_line_the_scale_error_stretches_the_way(source):
    found = reckoned(EXACT._replace(source=source, speed_scale=1.03),
                     [WheelReading(2.0, 0.0)] * 500, 0.01, start=truth(1.0, 2.0, 0.5))
    _, x, y, _, _, vx, vy, yaw_rate = found.odometry(0)
    assert (x, y) == pytest.approx((1.0 + 10.3 * math.cos(0.5), 2.0 + 10.3 * math.sin(0.5)))
    assert (vx, vy, yaw_rate) == pytest.approx((2.06, 0.0, 0.0))


@pytest.mark.parametrize('vehicle', [RACECAR, AT_COG])
def test_a_steering_offset_makes_a_circle_of_another_radius(vehicle):
    errors = EXACT._replace(steering_scale=1.1, steering_offset=0.02)
    found = reckoned(errors, [WheelReading(1.5, 0.2)] * 400, 0.01, vehicle=vehicle)
    radius, way = RACECAR.wheelbase / math.tan(1.1 * 0.2 + 0.02), 1.5 * 4.0
    ahead = RACECAR.cog_to_rear_axle if vehicle is AT_COG else 0.0
    yaw = way / radius
    odometry = found.odometry(0)
    assert odometry.yaw == pytest.approx(math.remainder(yaw, math.tau))
    assert (odometry.x, odometry.y) == pytest.approx((
        radius * math.sin(yaw) + ahead * (math.cos(yaw) - 1.0),
        radius * (1.0 - math.cos(yaw)) + ahead * math.sin(yaw)), abs=1e-6)
    assert odometry.vy == pytest.approx(ahead * 1.5 / radius)


def test_a_gyro_measures_a_turn_that_the_steering_does_not_tell_of():
    found = reckoned(EXACT._replace(source=GYRO, gyro_bias=0.01),
                     [WheelReading(1.0, 0.0)] * 300, 0.01, yaw_rate=0.4)
    assert found.odometry(0).yaw == pytest.approx(0.41 * 3.0)


def test_without_errors_a_car_without_slip_is_reckoned_where_it_is():
    simulator = Simulator(model('kinematic_bicycle'), start=Start(Pose2(1.0, -2.0, 0.7)))
    plant = ReckonedPlant(VehiclePlant(simulator), EXACT, [RACECAR])
    simulator.set_command(AckermannCommand(1.0, 0.15))
    plant.advance(5000)
    _, x, y, *_, vx, vy, yaw_rate = plant.reckonings[0].odometry(0)
    exact = simulator.odometry()
    assert (x, y, vx, vy, yaw_rate) == pytest.approx(
        (exact.x, exact.y, exact.vx, exact.vy, exact.yaw_rate), abs=1e-5)


def test_wheels_that_spin_count_more_than_the_way():
    vehicle = replace(RACECAR, friction_coefficient=0.15)
    simulator = Simulator(model('double_track', vehicle, tyre_model='fiala'))
    plant = ReckonedPlant(VehiclePlant(simulator), EXACT, [vehicle])
    simulator.set_command(AckermannCommand(4.0, 0.0))
    way = 0.0
    for _ in range(150):
        plant.advance(simulator.steps_per_tick)
        way += 0.01 * 0.5 * sum(simulator.wheel_speeds[2:]) * vehicle.wheel_radii[1]
    assert plant.reckonings[0].odometry(0).x == pytest.approx(way)
    assert way > 1.1 * simulator.odometry().x


ERRORS = OdometryErrors(
    speed_scale_deviation=0.03, distance_noise=0.02, steering_scale_deviation=0.05,
    steering_offset_deviation=0.01, turn_noise=0.02, gyro_bias_deviation=0.01, gyro_noise=0.01,
    gyro_bias_walk=0.01)
SEEDS, STEPS, DT = 800, 50, 0.1
# Four times the standard deviation of a variance of so many samples.
SPREAD = 4.0 * math.sqrt(2.0 / SEEDS)


def over_seeds(errors, reading, yaw_rate):
    """Return x, y, yaw at the end of a drive for each seed, (seeds, 3)."""
    ends = []
    for seed in range(SEEDS):
        state = reckoned(
            errors._replace(seed=seed), [reading] * STEPS, DT, yaw_rate=yaw_rate).state
        ends.append((state.x, state.y, state.yaw))
    return np.array(ends)


def test_the_spread_over_seeds_is_that_of_the_formulas():
    v, time = 2.0, STEPS * DT
    way = v * time
    x, _, yaw = over_seeds(ERRORS._replace(source=STEERING, turn_noise=0.0,
                                           steering_offset_deviation=0.0),
                           WheelReading(v, 0.0), 0.0).T
    assert not yaw.any()
    assert np.var(x) == pytest.approx((0.03 * way)**2 + 0.02**2 * way, rel=SPREAD)
    assert np.mean(x) == pytest.approx(way, abs=4.0 * np.std(x) / math.sqrt(SEEDS))
    _, _, yaw = over_seeds(ERRORS._replace(source=STEERING), WheelReading(v, 0.0), 0.0).T
    assert np.var(yaw) == pytest.approx(
        0.02**2 * way + (0.01 * way / RACECAR.wheelbase)**2, rel=SPREAD)
    _, _, yaw = over_seeds(ERRORS._replace(source=GYRO), WheelReading(v, 0.0), 0.0).T
    assert np.var(yaw) == pytest.approx(
        0.01**2 * time + (0.01 * time)**2 + 0.01**2 * time**3 / 3.0, rel=SPREAD + 0.05)


@pytest.mark.parametrize(('source', 'vehicle'), [(STEERING, RACECAR), (GYRO, AT_COG)])
def test_the_covariance_grows_as_the_spread_over_seeds(source, vehicle):
    errors = ERRORS._replace(source=source, steering_offset_deviation=0.003, distance_noise=0.05)
    steering, speed = 0.1, 1.0
    yaw_rate = speed * math.tan(steering) / RACECAR.wheelbase
    reading = WheelReading(speed, steering)
    ends = []
    for seed in range(SEEDS):
        state = reckoned(errors._replace(seed=seed), [reading] * STEPS, DT, vehicle=vehicle,
                         yaw_rate=yaw_rate).state
        ends.append((state.x, state.y, state.yaw))
    sampled = np.cov(np.array(ends).T)

    without = EXACT._replace(source=source)
    followed = DeadReckoning(without, vehicle)
    followed.start(truth(), WheelReading(0.0, 0.0))
    covariance = ReckoningCovariance(errors, followed)
    traces = []
    for _ in range(STEPS):
        before = followed.state
        followed.update(truth(yaw_rate=yaw_rate), reading, DT)
        covariance.update(before, reading, DT)
        found = covariance.now()
        traces.append(found.xx + found.yy)
    assert (np.diff(traces) > 0.0).all()
    expected = np.array([[found.xx, found.xy, found.x_yaw], [found.xy, found.yy, found.y_yaw],
                         [found.x_yaw, found.y_yaw, found.yaw_yaw]])
    scale = np.sqrt(np.outer(np.diag(expected), np.diag(expected)))
    np.testing.assert_allclose(sampled / scale, expected / scale, atol=SPREAD + 0.05)
    assert np.linalg.eigvalsh(expected).min() > 0.0


poses = st.tuples(*(st.floats(-50.0, 50.0),) * 2, st.floats(-3.0, 3.0))
readings = st.lists(st.builds(
    WheelReading, st.floats(-5.0, 5.0), st.floats(-0.4, 0.4)), min_size=1, max_size=20)


@given(pose=poses, readings=readings, source=st.sampled_from((STEERING, GYRO)))
def test_where_and_to_which_side_a_drive_begins_does_not_matter(pose, readings, source):
    errors = ERRORS._replace(source=source)
    at_origin = reckoned(errors, readings, 0.02, yaw_rate=0.3, vehicle=AT_COG).state
    elsewhere = reckoned(
        errors, readings, 0.02, yaw_rate=0.3, vehicle=AT_COG, start=truth(*pose)).state
    x, y, yaw = pose
    sine, cosine = math.sin(yaw), math.cos(yaw)
    assert (elsewhere.x, elsewhere.y, elsewhere.yaw) == pytest.approx((
        x + cosine * at_origin.x - sine * at_origin.y,
        y + sine * at_origin.x + cosine * at_origin.y, yaw + at_origin.yaw), abs=1e-9)
    assert elsewhere[3:] == at_origin[3:]


@given(pose=poses, reading=st.builds(WheelReading, st.floats(-5.0, 5.0), st.floats(-0.4, 0.4)))
def test_no_time_no_change(pose, reading):
    found = DeadReckoning(ERRORS, RACECAR)
    found.start(truth(*pose), reading)
    assert reckon(found.state, found.parameters, reading, CarMotion(*range(6)), 0.0) == found.state


def loop(name='single_track', source=STEERING, *, law='kinematic_ode', **more):
    return make(law, 'figure_eight', simulator={
        'vehicle_model': name, 'odometry.source': source,
        **{key.replace('__', '.'): value for key, value in more.items()}})


@pytest.mark.parametrize(('name', 'source', 'delay'), [
    *((*pair, 0.0) for pair in itertools.product(MODELS, (STEERING, GYRO))),
    ('single_track', TRUTH, 0.01), ('single_track', TRUTH, 0.05), ('double_track', GYRO, 0.05)])
def test_compiled_loops_and_blocks_give_the_bits_of_the_parts(name, source, delay):
    def late_loop(**more):
        return loop(name, source, odometry__delay=delay, **more)

    by_parts, compiled = late_loop(), late_loop()
    rows: list[Any] = []
    by_parts.run_tick_by_tick(300, rows.append)
    table = run_loop(compiled, 3.0)
    np.testing.assert_array_equal(table.rows, np.array(rows))
    assert compiled.simulator.reckoning.state == by_parts.simulator.reckoning.state
    # On from there, with the memory of both.
    more: list[Any] = []
    by_parts.run_tick_by_tick(50, more.append)
    np.testing.assert_array_equal(run_loop(compiled, 0.5).rows, np.array(more))
    batch = BatchSimulation(
        [late_loop(), late_loop(odometry__seed=5, vehicle__mass=5.0)]).run(
            3.0, record_every=1, with_path=True)
    np.testing.assert_array_equal(batch.table(0).rows, table.rows)
    assert replace(batch.metrics(0), laps=None) == table.metrics()
    assert batch.metrics(1).rmse != table.metrics().rmse
    alone = run_loop(late_loop(odometry__seed=5, vehicle__mass=5.0), 3.0)
    np.testing.assert_array_equal(batch.table(1).rows, alone.rows)


@pytest.mark.parametrize('source', [TRUTH, GYRO])
def test_late_odometry_is_that_of_then_also_after_a_reset(source):
    def plant(delay):
        return ReckonedPlant(VehiclePlant(Simulator(model('single_track'))), ERRORS._replace(
            source=source, delay=delay), [RACECAR])

    now, late = plant(0.0), plant(0.03)
    shown, expected = [], []
    for tick in range(60):
        if tick in (0, 30):
            for one in (now, late):
                one.entities[0].reset(Pose3(tick, 2.0, 0.0, 0.0, 0.0, *yaw_to_quaternion(0.4)))
                one.entities[0].inputs[0].apply(AckermannCommand(1.5, 0.2))
            expected += [now.entities[0].output(ODOMETRY).read()] * 3
        expected.append(now.entities[0].output(ODOMETRY).read())
        shown.append(late.entities[0].output(ODOMETRY).read())
        true = late.entities[0].output(GROUND_TRUTH).read()
        assert pose_of_child(shown[-1].origin, shown[-1].body.pose) == pytest.approx(true.pose)
        if tick == 29:
            assert [one[:2] for one in shown] == [one[:2] for one in expected[:30]]
            shown, expected = [], []
        for one in (now, late):
            one.advance(10)
    assert [one[:2] for one in shown] == [one[:2] for one in expected[:30]]
    assert shown[10] != expected[13]


def test_who_is_told_late_is_ahead_of_the_reference_by_its_way_in_the_delay():
    """The control puts the pose of 0.05 s ago onto a reference of 1 m/s along each axis."""
    run = racecar.simulate('kinematic_bicycle', trajectory='line', duration=10.0, set={
        f'{SIMULATOR}.odometry.delay': 0.05})
    for axis in 'xy':
        ahead = run.table[axis] - run.table[f'{axis}_reference']
        assert ahead[-200:] == pytest.approx(0.05, abs=1e-4)


def test_errors_that_are_given_change_nothing_where_the_odometry_is_exact():
    plain = run_loop(make('kinematic_ode', 'figure_eight'), 3.0)
    given_errors = run_loop(loop('single_track', TRUTH, odometry__speed_scale=2.0), 3.0)
    np.testing.assert_array_equal(given_errors.rows, plain.rows)


def test_who_believes_a_scale_error_drives_so_much_less_and_is_measured_by_the_truth():
    """The control sees x on the reference of 1 m/s, so that the truth is x over the scale."""
    exact = {f'{SIMULATOR}.odometry.{name}': value
             for name, value in EXACT._asdict().items() if name.endswith(('deviation', 'noise'))}
    run = racecar.simulate('kinematic_bicycle', trajectory='line', duration=10.0, set={
        **exact, f'{SIMULATOR}.odometry.source': STEERING,
        f'{SIMULATOR}.odometry.speed_scale': 1.25})
    x, y, by = (run.table[name] for name in ('x', 'y', 'x_reference'))
    reference = np.hypot(by[-1], run.table['y_reference'][-1])
    assert np.hypot(x[-1], y[-1]) == pytest.approx(reference / 1.25, rel=0.02)
    assert run.metrics().max_error > 0.15 * reference


class InPlainPython(Compiled):
    """The same controller, which no compiler takes."""

    step = staticmethod(lambda state, parameters, car, reference, dt: step(
        state, parameters, car, reference, float(str(dt))))


def test_custom_controllers_see_the_same_compiled_and_in_plain_python():
    options: dict[str, Any] = {'trajectory': 'circle', 'duration': 3.0,
               'set': {f'{SIMULATOR}.odometry.source': STEERING}}
    compiled = racecar.simulate(controller='swept_controllers:Compiled', **options)
    with pytest.warns(UserWarning, match='plain Python'):
        plain = racecar.simulate(controller=InPlainPython, **options)
    np.testing.assert_array_equal(plain.table.rows, compiled.table.rows)
    swept = racecar.sweep(
        controller='swept_controllers:Compiled', grid={f'{SIMULATOR}.odometry.seed': [0, 3]},
        **options).columns()
    assert swept['rmse'][0] == compiled.metrics().rmse
    assert swept['rmse'][1] != compiled.metrics().rmse


def test_sweeps_have_the_bits_of_simulate():
    chosen = {f'{SIMULATOR}.odometry.source': GYRO, f'{SIMULATOR}.odometry.seed': 3}
    swept = racecar.sweep(grid={'trajectory_tracker.Kp': [1.0, 2.0, 3.0]}, duration=3.0,
                          trajectory='circle', set=chosen)
    for gain, rmse in zip((1.0, 2.0, 3.0), swept.columns()['rmse'], strict=True):
        run = racecar.simulate(trajectory='circle', duration=3.0, set={
            **chosen, 'trajectory_tracker.Kp': gain})
        assert run.metrics().rmse == rmse


def test_a_seed_of_a_run_is_that_of_its_odometry():
    options: dict[str, Any] = {'trajectory': 'circle', 'duration': 2.0,
               'set': {f'{SIMULATOR}.odometry.source': STEERING}}
    first, again, other = (racecar.simulate(seed=seed, **options) for seed in (1, 1, 2))
    assert first.table.rows.tobytes() == again.table.rows.tobytes()
    assert first.metrics() != other.metrics()


def test_a_reset_begins_the_reckoning_anew_at_the_true_pose():
    plant = ReckonedPlant(VehiclePlant(Simulator(model('single_track'))), ERRORS._replace(
        source=GYRO, speed_scale=1.5), [RACECAR])
    car, = plant.entities
    car.inputs[0].apply(AckermannCommand(1.0, 0.1))
    plant.advance(1000)
    shown, true = car.output(ODOMETRY).read(), car.output(GROUND_TRUTH).read()
    assert shown.body.pose.x > 1.2 * true.pose.x
    assert shown.variance.xx > 0.0
    car.reset(Pose3(3.0, 4.0, 0.0, 0.0, 0.0, *yaw_to_quaternion(1.0)))
    shown = car.output(ODOMETRY).read()
    assert shown.body.pose == pytest.approx(car.output(GROUND_TRUTH).read().pose)
    assert shown.variance.xx == 0.0
    assert shown.origin == pytest.approx((0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0), abs=1e-12)


def test_the_world_is_reckoned_by_its_wheels():
    options: dict[str, Any] = {'trajectory': 'circle', 'duration': 2.0}
    true = racecar.simulate('kinematic_world', **options)
    off = racecar.simulate('kinematic_world', **options, set={
        'world_simulator.odometry.source': STEERING, 'world_simulator.odometry.speed_scale': 1.3})
    assert off.metrics().rmse > true.metrics().rmse


@pytest.mark.parametrize(('options', 'words'), [
    ({'control_rate': 200.0}, "odometry.source' is 'gyro', expected 'truth' with control_rate"),
    ({'control_rate': 200.0, 'set': {f'{SIMULATOR}.odometry.delay': 0.02}},
     "odometry.delay' is 0.02, expected 0.0 with control_rate"),
    ({'set': {f'{SIMULATOR}.odometry.delay': 0.015}},
     "odometry.delay' is 0.015 s, expected a whole number of periods of 0.01 s, at most 50"),
    ({'set': {f'{SIMULATOR}.odometry.delay': 0.51}}, 'at most 50 of them'),
    ({'set': {f'{SIMULATOR}.odometry.source': 'gps'}}, "'gps', expected one of"),
    ({'set': {f'{SIMULATOR}.odometry.speed_scale': -1.0}}, '-1.0, expected'),
])
def test_what_cannot_be_reckoned_is_refused(options, words):
    given_options: dict[str, Any] = {
        'set': {f'{SIMULATOR}.odometry.source': GYRO}, **options}
    with pytest.raises((ConfigurationError, racecar.RacecarError), match=words):
        racecar.simulate(**given_options, duration=1.0)


def test_noise_of_what_is_measured_is_for_exact_odometry():
    generator = np.random.default_rng(0)
    with pytest.raises(ConfigurationError, match='exact odometry only'):
        BatchSimulation([loop()], noise=Noise(x=0.01), generator=generator)
    BatchSimulation([loop()], noise=Noise(lateral=0.01), generator=generator).run(0.1)
