# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Lines round tracks: limits of the tyres, speeds, least curvature and time, and files."""

from dataclasses import replace
import math

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

from racecar.base.elementary import arctangent, sine_cosine
from racecar.base.errors import ConfigurationError, ParameterError
from racecar.base.share import find_raceline, find_vehicle, raceline_names
from racecar.base.types import AckermannCommand
from racecar.base.vectors import vector
from racecar.control.racelines.closed_spline import ClosedSpline
from racecar.control.racelines.raceline import Raceline, read_raceline
from racecar.control.racelines.speed_profile import speed_profile
from racecar.control.racelines.time_models import (
    DoubleTrackTime,
    Grip,
    SingleTrackTime,
    TIME_MODELS,
)
from racecar.control.racelines.track import Track
from racecar.dynamics.vehicles.ackermann import ackermann_angles
from racecar.dynamics.vehicles.design import GRAVITY
from racecar.dynamics.vehicles.double_track import DoubleTrack
from racecar.dynamics.vehicles.double_track_equations import WHEELS
from racecar.dynamics.vehicles.grip_map import AxleCurve, GripMap
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.dynamics.vehicles.single_track import SingleTrack
from racecar.dynamics.vehicles.tyre_sets import make_tyre_set
from racecar.scene.track import CentreLine, generate_centre_line, TrackShape
from racecar.simulation.simulator import Simulator

CAR = VehicleParameters.from_file(find_vehicle('f1tenth'))
GRIP = GripMap.of(CAR)


def circle(radius, count=200, width=1.0):
    angles = np.linspace(0.0, 2.0 * math.pi, count + 1)
    points = radius * np.column_stack([np.cos(angles), np.sin(angles)])
    points[-1] = points[0]
    return Track('circle', CentreLine(points, np.full((count + 1, 2), width)))


def small_track():
    return Track('small', generate_centre_line(
        3, TrackShape(length=40.0, width=2.0, smallest_radius=1.2)))


@pytest.mark.parametrize('tyre', ['pacejka', 'fiala', 'linear'])
def test_a_car_that_steers_by_the_table_corners_as_the_table_says(tyre):
    grip = GripMap.of(CAR, tyre)
    for speed, share in ((2.0, 0.9), (4.0, 0.6), (6.0, -0.9)):
        lateral = share * float(grip.lateral_limit(speed))
        simulator = Simulator(SingleTrack(CAR, tyre))
        simulator.set_command(AckermannCommand(speed, float(grip.steer(speed, lateral))))
        for _ in range(400):
            simulator.tick()
        odometry = simulator.odometry()
        assert odometry.vx * odometry.yaw_rate == pytest.approx(lateral, rel=5e-3)


@given(st.floats(0.0, 25.0), st.floats(-1.0, 1.0))
def test_the_table_of_steering_goes_both_ways(speed, share):
    lateral = share * float(GRIP.lateral_limit(speed))
    steer = GRIP.steer(speed, lateral)
    assert GRIP.lateral_of(speed, steer) == pytest.approx(lateral, abs=1e-9)
    assert abs(float(steer)) <= CAR.steering_limit + 1e-6


def test_beyond_its_limit_a_car_steers_as_at_the_limit():
    limit = GRIP.lateral_limit(5.0)
    assert GRIP.steer(5.0, 3.0 * limit) == GRIP.steer(5.0, limit)
    assert GRIP.lateral_of(5.0, 1.5) == pytest.approx(float(limit))
    with pytest.raises(ParameterError, match='grip is 0'):
        GripMap.of(CAR, grip=0.0)


def test_a_grip_map_has_the_same_bits_on_every_machine():
    # By numbers alone, as NumPy's functions have other last digits on some processors.
    tyres = make_tyre_set(CAR, 'pacejka')
    front, rear = (AxleCurve.of(tyres.model, along, load) for along, load in (
        (tyres.front_y, CAR.front_axle_load), (tyres.rear_y, CAR.rear_axle_load)))
    a, b, length = CAR.cog_to_front_axle, CAR.cog_to_rear_axle, CAR.wheelbase
    for row in (3, 20, 40):
        speed, expected = float(GRIP.speeds[row]), []
        for lateral in (GRIP.lateral[row] * GRIP.shares).tolist():
            rate = lateral / speed
            sine, cosine = sine_cosine(float(rear.angle(CAR.mass * lateral * a / length)))
            heading = arctangent(b * rate / speed - sine / cosine + a * rate / speed)
            angle = heading
            for _ in range(20):
                angle = heading + float(front.angle(
                    CAR.mass * lateral * b / length / max(sine_cosine(angle)[1], 0.1)))
            expected.append(angle)
        np.testing.assert_array_equal(GRIP.steering[row], expected)


def test_rear_wheels_hold_more_to_drive_than_to_brake():
    grip = GripMap.of(replace(CAR, driven_axle='rear'))
    drive, brake = grip.longitudinal_limits(3.0, 0.0)
    # m a = mu Z_r, Z_r = m (g a_f +- h a)/L
    share = CAR.cog_to_front_axle / CAR.wheelbase
    high, mu = CAR.cog_height / CAR.wheelbase, CAR.friction_coefficient
    assert drive == pytest.approx(mu * (GRAVITY * share + high * float(drive)))
    assert brake == pytest.approx(mu * (GRAVITY * share - high * float(brake)))


def test_on_a_circle_the_speed_is_that_of_the_lateral_limit():
    profile = speed_profile(np.full(500, 0.25), 0.05, GRIP)
    assert profile.speed**2 * 0.25 == pytest.approx(GRIP.lateral_limit(profile.speed), rel=1e-3)
    assert profile.lap_time == pytest.approx(25.0 / profile.speed[0])
    assert profile.acceleration == pytest.approx(0.0)
    assert speed_profile(np.full(500, 0.01), 0.05, GRIP, 7.0).speed == pytest.approx(7.0)
    with pytest.raises(ConfigurationError, match=r'radius of 0.25 m, expected at least the 0.7'):
        speed_profile(np.full(500, -4.0), 0.05, GRIP)


def test_the_speeds_are_within_the_ellipse_and_nowhere_slower_than_needed():
    track = small_track().stations(0.05)
    profile = speed_profile(track.curvature, track.step, GRIP)
    squares = profile.speed**2
    rate = (np.roll(squares, -1) - squares) / (2.0 * track.step)
    middle = np.sqrt(0.5 * (squares + np.roll(squares, -1)))
    bend = 0.5 * (np.abs(track.curvature) + np.abs(np.roll(track.curvature, -1)))
    used = middle**2 * bend
    assert np.all(squares * np.abs(track.curvature)
                  <= GRIP.lateral_limit(profile.speed) * (1.0 + 2e-3))
    ellipse = (rate / GRIP.tyre_drive[0]) ** 2 + (used / GRIP.lateral_limit(middle)) ** 2
    assert ellipse.max() <= 1.05
    assert np.all(np.abs(rate) <= CAR.drive_force_limit / CAR.mass + 1e-6)
    # It is used up where the drive train does not bind before, but where braking begins.
    bound = np.abs(rate) > 0.99 * CAR.drive_force_limit / CAR.mass
    assert np.mean(bound | (ellipse > 0.9)) > 0.9


def test_half_the_step_hardly_changes_the_lap():
    laps = [speed_profile(at.curvature, at.step, GRIP).lap_time
            for at in (small_track().stations(step) for step in (0.05, 0.025))]
    assert laps[0] == pytest.approx(laps[1], rel=1e-3)


def test_the_line_of_least_curvature_is_that_of_another_solver():
    optimize = pytest.importorskip('scipy.optimize')
    pytest.importorskip('casadi')
    from racecar.control.racelines.minimum_curvature import minimum_curvature

    track = small_track()
    found = minimum_curvature(track, 0.3)
    assert found.residual <= 1e-6
    at, points = found.stations, found.stations.at(found.offsets)[:-1]
    low, high = at.offset_limits(0.3)
    first = 0.5 * (np.roll(points, -1, axis=0) - np.roll(points, 1, axis=0))
    norm = np.hypot(*first.T)
    # By dense matrices and bounded least squares of the curvatures.
    second = np.roll(np.eye(len(points)), 1, 1) + np.roll(np.eye(len(points)), -1, 1)
    second -= 2.0 * np.eye(len(points))
    weight = (norm**0.5 / norm**3)[:, None]
    matrix = weight * (first[:, :1] * second * at.normals[:, 1]
                       - first[:, 1:] * second * at.normals[:, 0])
    right = weight[:, 0] * (first[:, 0] * (second @ at.points[:, 1])
                            - first[:, 1] * (second @ at.points[:, 0]))
    best = optimize.lsq_linear(matrix, -right, (low - 1e-9, high + 1e-9), tol=1e-12)
    assert found.offsets == pytest.approx(best.x, abs=1e-4)
    # It keeps its margin, and is faster.
    assert track.about(found.stations.at(found.offsets), 0.1).widths.min() >= 0.29
    centre, curved = (ClosedSpline.through(p) for p in (
        track.line.points, np.vstack([points, points[:1]])))
    laps = [speed_profile(line.curvature(np.arange(0.0, line.length, 0.05)), 0.05, GRIP).lap_time
            for line in (centre, curved)]
    assert laps[1] < 0.95 * laps[0]


def test_the_fastest_lap_is_faster_than_that_on_the_line_of_least_curvature_in_one_model():
    pytest.importorskip('casadi')
    from racecar.control.racelines.design import make_raceline, RacelineDesign, time_on

    track, design = Track.load('racetrack'), RacelineDesign('time', step=0.5, speed_limit=11.0)
    fast = make_raceline(track, CAR, design)
    curved = make_raceline(track, CAR, replace(design, method='curvature'))
    least = float(fast.line.notes['lap_time'])
    assert fast.residual is not None
    assert fast.residual <= 1e-6
    assert least < 0.993 * time_on(track, CAR, design, curved.line.points).lap_time
    half = make_raceline(track, CAR, replace(design, step=0.25))
    assert float(half.line.notes['lap_time']) == pytest.approx(least, rel=1e-3)
    # The line of the file takes as long, and stays off the borders.
    assert fast.line.lap_time == pytest.approx(least, rel=5e-3)
    assert fast.line.widths is not None
    assert fast.line.widths.min() > 0.28
    assert fast.line.speed.max() <= 11.0 + 1e-3


@pytest.mark.parametrize(('axle', 'side'), [('front', -1.0), ('rear', 1.0)])
def test_the_driven_axle_of_the_single_track_holds_what_its_load_allows(axle, side):
    casadi = pytest.importorskip('casadi')
    car, force = replace(CAR, driven_axle=axle), 15.0
    tyres = make_tyre_set(car, 'pacejka')
    symbols = casadi.SX.sym('z', 8)
    point = SingleTrackTime(Grip(car, tyres, 0.9)).point(casadi, casadi.vertsplit(symbols))
    used = casadi.Function('used', [symbols], [point.used])(
        [0.0, 0.0, 5.0, 0.0, 0.0, 0.0, 0.0, force])
    static = car.front_axle_load if axle == 'front' else car.rear_axle_load
    load = static + side * car.cog_height * force / car.wheelbase
    share = (force / (0.9 * car.friction_coefficient * load)) ** 2
    assert np.array(used).ravel() == pytest.approx(
        [0.0, 0.0, share, 0.0] if axle == 'front' else [0.0, 0.0, 0.0, share])


@pytest.mark.parametrize('tyre', ['pacejka', 'fiala'])
@pytest.mark.parametrize('axle', ['all', 'rear'])
def test_the_model_of_least_time_has_the_forces_of_the_double_track(tyre, axle):
    casadi = pytest.importorskip('casadi')
    # Without a height the plant needs no rounds for its loads.
    car = replace(CAR, driven_axle=axle, cog_height=1e-9, rolling_resistance=0.02)
    plant = DoubleTrack(car, tyre)
    symbols = casadi.SX.sym('z', 14)
    point = DoubleTrackTime(Grip(car, plant.tyres, 1.0)).point(casadi, casadi.vertsplit(symbols))
    model = casadi.Function('point', [symbols], [point.rates, point.balance])
    rng, weight = np.random.default_rng(1), car.mass * GRAVITY
    radius = car.wheel_radii[0]
    for _ in range(20):
        vx, vy, r, d = rng.uniform((3.0, -0.8, -3.0, -0.3), (10.0, 0.8, 3.0, 0.3))
        slips = rng.uniform(-0.3, 0.3, 4)
        left, right = ackermann_angles(d, 0.5 * car.track_width, car.wheelbase)
        travel = [
            (vx - r * y) * math.cos(angle) + (vy + r * x) * math.sin(angle)
            for x, y, angle in (
                (car.cog_to_front_axle, 0.5 * car.track_width, left),
                (car.cog_to_front_axle, -0.5 * car.track_width, right),
                (-car.cog_to_rear_axle, 0.5 * car.track_width, 0.0),
                (-car.cog_to_rear_axle, -0.5 * car.track_width, 0.0))]
        rolling = [u * (1.0 - s) if s > 0.0 else u / (1.0 + s)
                   for u, s in zip(travel, slips, strict=True)]
        # So much faster than the wheels that the drive gives all it has.
        rates = dict(zip(plant.state_names, plant.derivative(
            vector([vx, vy, r, 0.0, 0.0, 0.0, *np.divide(rolling, radius)]),
            vector([99.0, d, *[0.0] * (plant.input_count - 2)]), plant.parameters), strict=True))
        sums = [car.mass * (rates['vx'] - r * vy), car.mass * (rates['vy'] + r * vx)]
        found, balance = (np.array(part).ravel() for part in model([
            0.0, 0.0, vx, vy, r, d, 0.0, car.drive_force_limit, *slips, *sums]))
        assert found[2:5] == pytest.approx(
            [rates['vx'], rates['vy'], rates['yaw_rate']], rel=2e-3, abs=2e-2)
        assert balance[4:] == pytest.approx(0.0, abs=2e-3)
        turned = car.wheel_inertia / radius**2
        spins = [rates[f'wheel_speed_{wheel}'] * radius for wheel in WHEELS]
        assert 0.25 * weight * balance[:4] == pytest.approx(
            [turned * (found[2] - spin) for spin in spins], rel=2e-3, abs=0.1)


def test_loads_of_the_model_of_least_time_move_as_those_of_the_double_track():
    casadi = pytest.importorskip('casadi')
    car = replace(CAR, roll_stiffness_split=0.6, friction_load_sensitivity=0.1)
    plant = DoubleTrack(car, 'pacejka')
    symbols = casadi.SX.sym('z', 14)
    point = DoubleTrackTime(Grip(car, plant.tyres, 1.0)).point(casadi, casadi.vertsplit(symbols))
    model = casadi.Function('point', [symbols], [point.rates, point.balance])
    # Steady cornering: what the wheels roll at is what they travel at.
    simulator = Simulator(plant)
    simulator.set_command(AckermannCommand(5.0, 0.12))
    for _ in range(300):
        simulator.tick()
    state = dict(zip(plant.state_names, simulator.state, strict=True))
    vx, vy, r = (state[name] for name in ('vx', 'vy', 'yaw_rate'))
    wheels = simulator.wheels()
    slips = [wheel.slip for wheel in wheels]
    sums = [-car.mass * r * vy, car.mass * r * vx]
    found, balance = (np.array(part).ravel() for part in model([
        0.0, 0.0, vx, vy, r, 0.12, 0.0, 0.0, *slips, *sums]))
    assert found[2:5] == pytest.approx(0.0, abs=0.05)
    assert balance[4:] == pytest.approx(0.0, abs=5e-3)


def test_a_double_track_takes_longer_than_a_single_track():
    pytest.importorskip('casadi')
    from racecar.control.racelines.design import make_raceline, RacelineDesign

    design = RacelineDesign('time', step=0.8, speed_limit=8.0, model='double_track')
    told: list[int] = []
    made = make_raceline(small_track(), CAR, design, bound=True, on_iteration=told.append)
    line = made.line
    assert made.iterations is not None
    assert told == [*range(1, len(told) + 1)]
    assert len(told) > made.iterations
    assert made.residual is not None
    assert made.residual <= 1e-6
    assert line.notes['model'] == 'double_track'
    assert line.bounds.keys() == {'single_track', 'double_track'}
    assert line.bounds['double_track'] > 1.02 * line.bounds['single_track']
    assert float(line.notes['lap_time']) == line.bound('double_track')
    with pytest.raises(ConfigurationError, match='double_track has no equations of the tyre model'
                       ' linear, expected fiala or pacejka'):
        make_raceline(small_track(), CAR, replace(design, tyre_model='linear'))


def test_lines_that_keep_something_in_reserve_have_the_bounds_of_the_whole_grip():
    pytest.importorskip('casadi')
    from racecar.control.racelines.design import make_raceline, RacelineDesign

    design = RacelineDesign('time', step=0.8, speed_limit=8.0)
    careful = replace(design, grip=0.8, margin=0.5)
    whole = make_raceline(small_track(), CAR, design).line
    line = make_raceline(small_track(), CAR, careful, bound=True).line
    assert line.bound() == whole.bound()
    assert float(line.notes['lap_time']) > 1.05 * float(whole.notes['lap_time'])
    assert make_raceline(small_track(), CAR, careful).line.bound() is None
    # One that is wider than the default margin keeps half its width.
    wide = replace(CAR, width=0.9)
    assert make_raceline(small_track(), wide, careful, bound=True).line.bound() == make_raceline(
        small_track(), wide, replace(design, margin=0.45)).line.bound()


def test_a_line_of_a_small_slip_angle_slides_less_and_keeps_the_bounds():
    pytest.importorskip('casadi')
    from racecar.control.racelines.design import make_raceline, RacelineDesign

    design = RacelineDesign('time', step=0.8, speed_limit=8.0, model='double_track')
    held = replace(design, slip_angle=0.2)
    free = make_raceline(small_track(), CAR, design, bound=True).line
    line = make_raceline(small_track(), CAR, held, bound=True).line
    assert 'slip_angle' not in free.notes
    assert line.notes['slip_angle'] == '0.2'
    assert line.bounds == pytest.approx(free.bounds)
    assert float(line.notes['lap_time']) > 1.005 * float(free.notes['lap_time'])


def test_a_design_that_cannot_be_is_refused():
    pytest.importorskip('casadi')
    from racecar.control.racelines.design import make_raceline, RacelineDesign

    with pytest.raises(ParameterError, match='margin is 0.05 m, expected at least half'):
        make_raceline(circle(5.0), CAR, RacelineDesign(margin=0.05))
    with pytest.raises(ParameterError, match="method is 'best', expected one of centre"):
        make_raceline(circle(5.0), CAR, RacelineDesign('best'))
    with pytest.raises(ParameterError, match="model is 'bus', expected one of single_track"):
        make_raceline(circle(5.0), CAR, RacelineDesign(model='bus'))
    with pytest.raises(ConfigurationError, match=r'2.00 m wide at .* twice the margin of 1.2 m'):
        make_raceline(circle(5.0), CAR, RacelineDesign(margin=1.2))
    with pytest.raises(ParameterError, match='slip_angle is 2, expected 0.01 to 1'):
        make_raceline(circle(5.0), CAR, RacelineDesign(slip_angle=2.0))


def test_a_spline_of_a_circle_has_its_length_heading_and_curvature():
    spline = ClosedSpline.through(circle(2.0, 80).line.points)
    s = np.linspace(0.0, spline.length, 50, endpoint=False)
    assert spline.length == pytest.approx(4.0 * math.pi, rel=1e-6)
    assert spline.curvature(s) == pytest.approx(0.5, rel=1e-3)
    assert np.unwrap(spline.heading(s)) == pytest.approx(0.5 * math.pi + s / 2.0, abs=1e-4)


def test_a_line_is_read_as_it_was_written(tmp_path):
    line = replace(Raceline.through(circle(3.0).line.points, np.full(200, 4.0), 0.2),
                   widths=None, notes={'track': 'circle', 'bound': '4.5'})
    file = tmp_path / 'line.csv'
    line.write(file)
    read = read_raceline(file)
    assert (read.notes, read.bound(), read.widths) == (line.notes, 4.5, None)
    for column in ('s', 'x', 'y', 'heading', 'curvature', 'speed', 'acceleration'):
        assert getattr(read, column) == pytest.approx(getattr(line, column), abs=1e-6)
    read.write(tmp_path / 'again.csv')
    assert (tmp_path / 'again.csv').read_bytes() == file.read_bytes()
    # Headings within half a turn, as other tools give them, are those of a line as well.
    replace(line, heading=np.arctan2(np.sin(line.heading), np.cos(line.heading))).write(file)
    assert read_raceline(file).heading == pytest.approx(line.heading, abs=2e-6)
    assert read.lap_time == pytest.approx(6.0 * math.pi / 4.0, rel=1e-4)


TUM = '# s_m; x_m; y_m; psi_rad; kappa_radpm; vx_mps; ax_mps2'


@pytest.mark.parametrize(('head', 'separator'), [
    (f'# 32f4\n{TUM}\n', '; '), ('', ';'), (TUM.replace(';', ',') + '\n', ',')])
def test_the_formats_of_others_are_read(tmp_path, head, separator):
    angles = np.arange(100) * 2.0 * math.pi / 100
    rows = [(3.0 * a, 3.0 * math.cos(a), 3.0 * math.sin(a), a, 1.0 / 3.0, 5.0, 0.0)
            for a in angles]
    file = tmp_path / 'theirs.csv'
    file.write_text(head + '\n'.join(separator.join(map(str, row)) for row in rows))
    line = read_raceline(file)
    assert line.length == pytest.approx(6.0 * math.pi, rel=1e-4)
    assert line.curvature == pytest.approx(1.0 / 3.0, rel=1e-2)
    # Their heading is from the y axis; ours from the x axis.
    assert line.heading[0] == pytest.approx(0.5 * math.pi, abs=1e-3)
    assert line.speed == pytest.approx(5.0)


@pytest.mark.parametrize('count', [200, 201])
def test_a_line_of_others_of_two_laps_is_refused(tmp_path, count):
    angles = np.arange(count) * 4.0 * math.pi / count
    file = tmp_path / 'theirs.csv'
    file.write_text('\n'.join(
        f'{3.0 * a};{3.0 * math.cos(a)};{2.0 * math.sin(a)};0;0;5;0' for a in angles))
    with pytest.raises(ConfigurationError, match=r'to its start at s = 15.* expected one lap;'):
        read_raceline(file)


def test_a_line_of_others_may_cross_itself_at_its_start(tmp_path):
    angles = np.arange(200) * 2.0 * math.pi / 200
    file = tmp_path / 'theirs.csv'
    file.write_text('\n'.join(
        f'0;{3.0 * math.sin(a)};{3.0 * math.sin(2.0 * a)};0;0;5;0' for a in angles))
    assert read_raceline(file).length > 20.0


@pytest.mark.parametrize(('text', 'error'), [
    ('', 'has 0 points'),
    ('x,y,v\n1,2,3\n', 'has 1 points, expected at least 4'),
    ('x,y\n1,2\n', 'has no column v, expected s,x,y'),
    ('x,y,v\n1,2\n', 'line 2: 2 values, expected 3'),
    ('x,y,v\n1,2,abc\n', 'line 2: expected finite numbers'),
    ('x,y,v\n1,2,\n', 'line 2: expected finite numbers'),
    ('x,y,v\n0,0,1\n1,0,1\n1,1,0\n0,1,1\n', 'line 4: v is not above 0'),
    ('x,y,v\n0,0,1\n0,0,1\n1,1,1\n0,1,1\n', 'repeats a point'),
    ('x,y,v\n0,0,1\n1,0,1\n2,0,1\n3,0,1\n4,0,1\n', 'ends 4.00 m from its start'),
])
def test_a_file_that_is_none_is_refused_with_its_line(tmp_path, text, error):
    file = tmp_path / 'line.csv'
    file.write_text(text)
    with pytest.raises(ConfigurationError, match=error):
        read_raceline(file)


@pytest.mark.parametrize(('column', 'change', 'error'), [
    ('s', lambda s: 2.0 * s, r's is not that of x and y from s = 0 m on; without the line'),
    ('heading', lambda heading: heading + 1.0, 'heading is not that of x and y'),
    ('curvature', lambda curvature: -curvature, r'turns by -6.28. rad in a lap and heading by 6'),
    ('x', lambda x: 0.0 * x, 's is not that of x and y'),
])
def test_a_line_of_ours_whose_columns_contradict_each_other_is_refused(
        tmp_path, column, change, error):
    read = find_raceline('racetrack_f1tenth_curvature').read_text().splitlines()
    begin = next(k for k, row in enumerate(read) if not row.startswith('#'))
    place = read[begin].split(',').index(column)
    rows = [row.split(',') for row in read[begin + 1:]]
    for row in rows:
        row[place] = str(change(float(row[place])))
    file = tmp_path / 'line.csv'
    file.write_text('\n'.join([*read[:begin + 1], *(','.join(row) for row in rows)]))
    with pytest.raises(ConfigurationError, match=error):
        read_raceline(file)


def test_a_line_that_goes_round_twice_is_refused(tmp_path):
    read = find_raceline('racetrack_f1tenth_curvature').read_text().splitlines()
    begin = next(k for k, row in enumerate(read) if not row.startswith('#'))
    rows = [row.split(',', 1) for row in read[begin + 1:]]
    length = float(rows[-1][0])
    again = [f'{float(s) + length:.6f},{rest}' for s, rest in rows[1:]]
    file = tmp_path / 'line.csv'
    file.write_text('\n'.join([*read, *again]))
    with pytest.raises(ConfigurationError, match=rf'back to its start at s = {length:.4f}'):
        read_raceline(file)


@given(st.binary(max_size=300))
def test_no_bytes_break_the_reader(tmp_path_factory, data):
    file = tmp_path_factory.mktemp('fuzz') / 'line.csv'
    file.write_bytes(b'# racecar raceline 1\ns,x,y,heading,curvature,v,ax\n' + data)
    with pytest.raises(ConfigurationError):
        read_raceline(file)


def test_the_lines_of_the_package_belong_to_its_tracks_and_cars():
    from racecar.control.racelines.design import vehicle_digest

    laps = {}
    for name in raceline_names():
        line = read_raceline(find_raceline(name))
        notes = line.notes
        track = Track.load(notes['track'])
        assert notes['track_sha256'] == track.digest, name
        vehicle = VehicleParameters.from_file(find_vehicle(notes['vehicle']))
        assert notes['vehicle_sha256'] == vehicle_digest(vehicle), name
        assert line.widths is not None
        assert line.widths.min() > float(notes['margin']) - 0.02, name
        bound, slower = line.bounds['single_track'], line.bounds['double_track']
        assert 1.0 < slower / bound < 1.2, name
        model = notes.get('model', 'single_track')
        lap, bound = float(notes['lap_time']), line.bounds[model]
        if float(notes['grip']) < 1.0 or 'slip_angle' in notes:
            # What is kept in reserve costs time, and so does less sliding.
            assert 1.005 * bound < lap < 1.06 * bound, name
            continue
        laps[notes['track'], notes['method'], model] = lap
        assert lap == bound if notes['method'] == 'time' else lap > 0.995 * bound, name
    for model in TIME_MODELS:
        assert len({track for track, method, of in laps if (method, of) == ('time', model)}) >= 3
