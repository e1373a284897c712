# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The fit finds what was put into a synthetic drive, and refuses what a drive cannot tell."""

from dataclasses import replace
import json
import math
from pathlib import Path

import numpy as np
from presence import present
import pytest
from scipy.integrate import trapezoid
from scripts import load_script

from racecar.base.errors import ConfigurationError, RunError
from racecar.base.vectors import vector
from racecar.dynamics.vehicles import VehicleParameters
from racecar.identification.csv_log import read_csv_log
from racecar.identification.drive import Channel
from racecar.identification.estimation import fit, parts_of, Problem, RUN_IN
from racecar.identification.evaluation import Candidate, evaluate
from racecar.identification.identify import identify
from racecar.identification.plan import plan
from racecar.identification.prediction import (
    cut_windows,
    LANES,
    make_steps,
    predict,
    SteeringActuator,
    WheelSensor,
)
from racecar.identification.preparing import prepare
from racecar.identification.result_file import as_json, read_candidates, vehicle_yaml
from racecar.identification.smoother import smooth_pose
from racecar.identification.speed_response import (
    identify_speed_response,
    respond_to,
    speed_windows,
)
from racecar.identification.unknowns import make_model, prior, STAGES

ROOT = Path(__file__).parents[2]
F1TENTH = VehicleParameters.from_file(ROOT / 'config' / 'vehicles' / 'f1tenth.yaml')
REAL = ROOT.parents[0] / 'shared' / 'data' / 'f1tenth_friction_maps'
REAL_DRIVES = next((folder / 'data' / 'f1tenth_friction_maps' for folder in (
    ROOT.parent / 'shared', ROOT.parents[1] / 'shared') if folder.is_dir()), REAL)
SYNTHETIC = load_script('benchmarks/synthetic_log.py')
SCALE, TRUTH, synthetic_log = SYNTHETIC.SCALE, SYNTHETIC.TRUTH, SYNTHETIC.synthetic_log
SILENT = SYNTHETIC.Noise(0.0, 0.0, 0.0, 0.0)


@pytest.fixture(scope='module')
def synthetic():
    return prepare(synthetic_log(F1TENTH, np.random.default_rng(3), duration=40.0))


@pytest.fixture(scope='module')
def result(synthetic):
    return identify([synthetic], F1TENTH)


def test_windows_of_the_true_model_end_where_the_simulator_does():
    drive = prepare(synthetic_log(F1TENTH, np.random.default_rng(0), duration=10.0, noise=SILENT))
    windows = cut_windows(drive, length=1.0, every=0.5, horizons=4)
    model = make_model('fiala', F1TENTH, {**prior(F1TENTH), **TRUTH})
    steering = SteeringActuator(*(TRUTH[f'steering_{key}'] for key in ('gain', 'offset', 'delay')))
    error = predict(model, windows, make_steps(
        drive, windows, steering, WheelSensor(SCALE))) - windows.measured
    # The start of a window is smoothed; 1 s later that is a few millimetres.
    assert len(windows.starts) > 10
    assert np.sqrt(np.mean(error[:, -1, :2]**2)) < 0.02
    assert np.sqrt(np.mean(error[:, -1, 2]**2)) < 0.01


def test_a_synthetic_drive_is_found_within_three_percent(result):
    for name, truth in {**TRUTH, 'wheel_scale:synthetic': SCALE}.items():
        estimate = result.estimates[name]
        assert estimate.value == pytest.approx(truth, rel=0.03), name
        assert estimate.status.word in ('identified', 'uncertain')
        low, high = estimate.interval
        assert low < estimate.value < high
        assert high - low < 0.25 * abs(truth), name
    # A good model knows its velocities better than a noisy pose does.
    assert result.final.problem.parts[0].windows.lead == round(RUN_IN / 0.02)


def test_every_number_has_a_verdict_and_those_assumed_say_where_from(result):
    for estimate in result.estimates.values():
        assert estimate.status.word in ('identified', 'uncertain', 'unidentifiable', 'assumed')
        if estimate.interval is None:
            assert estimate.status.reason
            assert 'f1tenth' in estimate.source
    assert result.estimates['mass'].status.word == 'assumed'
    assert result.estimates['yaw_inertia'].status.word == 'assumed'


def test_a_lag_that_is_not_there_is_not_claimed(result):
    assert result.estimates['steering_lag'].status.word == 'unidentifiable'
    assert result.estimates['steering_lag'].value == 0.0


def test_the_fit_beats_the_baselines(result):
    scores = result.evaluations[0].scores
    fitted = scores['fitted'].heading
    assert all(score.heading > 1.5 * fitted for name, score in scores.items() if name != 'fitted')


def test_friction_of_a_slow_drive_is_refused():
    slow = prepare(synthetic_log(F1TENTH, np.random.default_rng(5), duration=40.0, top_speed=1.3))
    estimate = identify([slow], F1TENTH, leave_out=False).estimates['friction_coefficient']
    assert estimate.status.word == 'unidentifiable'
    assert estimate.value == F1TENTH.friction_coefficient


def test_inertia_is_never_called_identified(synthetic):
    estimate = identify(
        [synthetic], F1TENTH, free=['yaw_inertia'], leave_out=False).estimates['yaw_inertia']
    assert estimate.status.word in ('uncertain', 'unidentifiable')


def test_derivatives_are_those_of_all_residuals(synthetic):
    other = replace(synthetic, name='other')
    found = fit(Problem(parts_of([synthetic, other], every=2.0), STAGES['kinematic'], F1TENTH,
                        prior(F1TENTH)), {'wheel_scale:synthetic': 0.9})
    for at, name in enumerate(found.names):
        # The same step, as residuals have kinks where a delay passes a sample.
        value, scale = found.values[name], found.scales[at]
        step = 1e-4 * max(1.0, abs(value / scale))
        ends = [found.problem.residuals({**found.values, name: value + change * scale})
                for change in (0.0, step)]
        slope = (ends[1] - ends[0]) / step
        assert np.any(slope != 0.0)
        assert found.jacobian[:, at] == pytest.approx(slope, abs=1e-6 * np.abs(slope).max())


@pytest.mark.parametrize('name', ['pacejka.lateral.shape', 'mass', 'nonsense'])
def test_what_no_drive_tells_is_refused(synthetic, name):
    with pytest.raises(ConfigurationError, match=f"'{name}' is refused"):
        identify([synthetic], F1TENTH, free=[name])


def test_wheelspin_is_seen_and_its_stiffness_found():
    car = prepare(synthetic_log(F1TENTH, np.random.default_rng(2), duration=40.0, top_speed=3.5,
                            slip=True))
    stage = STAGES['combined']
    base = {**prior(F1TENTH), **TRUTH, 'steering_lag': 0.0}
    found = fit(Problem(parts_of([car]), stage, F1TENTH, base,
                        frozenset(stage.unknowns) - {'slip_stiffness'}),
                {'slip_stiffness': 60.0, 'wheel_scale:synthetic': SCALE})
    assert found.values['slip_stiffness'] == pytest.approx(97.6, rel=0.15)


def test_lag_and_delay_of_the_measured_wheel_speed_are_found():
    log = synthetic_log(F1TENTH, np.random.default_rng(5), duration=60.0, slip=True)
    times, speed = log.channels['wheel_speed']
    # respond_to() holds its samples, which delays them by half a period.
    early = np.interp(times + 0.03 + 0.01, times, speed)
    lagged = Channel(times, respond_to(early, 0.0, 0.15, 0.02))
    drive = prepare(replace(log, channels={**log.channels, 'wheel_speed': lagged}))
    stage = STAGES['combined']
    sensor = {'slip_stiffness', 'wheel_lag', 'wheel_delay'}
    found = fit(Problem(parts_of([drive]), stage, F1TENTH, {
        **prior(F1TENTH), **TRUTH, 'steering_lag': 0.0}, frozenset(stage.unknowns) - sensor),
        {'slip_stiffness': 60.0, 'wheel_lag': 0.05, 'wheel_delay': 0.01})
    assert found.values['wheel_lag'] == pytest.approx(0.15, abs=0.01)
    assert found.values['wheel_delay'] == pytest.approx(0.03, abs=0.005)
    assert found.values['slip_stiffness'] == pytest.approx(97.6, rel=0.15)
    low, high = found.interval('wheel_delay')
    assert 0.0 < low < 0.03 < high


def test_the_vehicle_file_is_read_back_as_it_was(result, tmp_path):
    path = tmp_path / 'mine.yaml'
    text = vehicle_yaml(result, 'mine', F1TENTH)
    path.write_text(text, encoding='utf-8')
    _, plain, remark = read_candidates(path)
    assert [candidate.kind for candidate in plain] == ['fiala']
    # Without the JSON it is evaluated as another model, and that is said.
    assert 'there is no mine.json beside it' in remark
    path.with_suffix('.json').write_text(json.dumps(as_json(result)), encoding='utf-8')
    vehicle, candidates, remark = read_candidates(path)
    assert remark == ''
    assert vehicle.friction_coefficient == pytest.approx(
        result.values['friction_coefficient'], rel=1e-4)
    assert candidates[-1].kind == result.kind
    assert candidates[-1].values['steering_gain'] == pytest.approx(
        result.values['steering_gain'], rel=1e-4)
    assert [candidate.name for candidate in candidates] == [
        'kinematic fit without understeer', 'kinematic fit', 'unfitted tyres, fitted actuators',
        'mine']
    for candidate, of_fit in zip(candidates, result.baselines.values(), strict=False):
        assert candidate.kind == of_fit.kind
        assert {**candidate.values, **of_fit.values} == candidate.values
    for word in ('identified', 'assumed', 'unidentifiable', '# Drives:'):
        assert word in text


@pytest.mark.parametrize(('changes', 'message'), [
    ({'baselines': ...}, 'is not the result of an identification .*take it away to evaluate'),
    ({'baselines': ['kinematic']}, 'is not the result of an identification'),
    ({'baselines': [{'name': 'mine', 'kind': 'fiala', 'values': 7}]},
     'is not the result of an identification'),
    ({'baselines': [{'name': 'mine', 'kind': 'magic', 'values': {}}]},
     "the model of 'mine' is 'magic', expected one of kinematic, linear, fiala, combined"),
    ({'model': 'magic'}, "the model of 'f1tenth' is 'magic'"),
    ({'values': {'grip': 1.0}}, 'grip is none of steering_gain'),
    ({'values': {'steering_gain': 'much'}}, "steering_gain is 'much', expected a finite number")])
def test_a_result_that_is_none_is_refused(result, tmp_path, changes, message):
    path = tmp_path / 'f1tenth.yaml'
    path.write_text((ROOT / 'config' / 'vehicles' / 'f1tenth.yaml').read_text(encoding='utf-8'))
    content = {key: value for key, value in {**as_json(result), **changes}.items()
               if value is not ...}
    path.with_suffix('.json').write_text(json.dumps(content), encoding='utf-8')
    with pytest.raises(ConfigurationError, match=message):
        read_candidates(path)


def test_the_smoother_finds_velocity_and_gyro_bias():
    t = np.arange(0.0, 20.0, 0.02)
    rng = np.random.default_rng(0)
    yaw = np.sin(0.5 * t)
    x, y = np.cumsum(2.0 * np.cos(yaw)) * 0.02, np.cumsum(2.0 * np.sin(yaw)) * 0.02
    rate = 0.5 * np.cos(0.5 * t)
    smooth = smooth_pose(
        x + 0.005 * rng.standard_normal(t.size), y + 0.005 * rng.standard_normal(t.size),
        yaw + 0.002 * rng.standard_normal(t.size),
        rate + 0.03 + 0.02 * rng.standard_normal(t.size), 0.02)
    inner = slice(50, -50)
    assert smooth.bias == pytest.approx(0.03, abs=0.005)
    assert np.std((smooth.yaw_rate - rate)[inner]) < 0.02
    assert np.std((np.hypot(smooth.x_rate, smooth.y_rate) - 2.0)[inner]) < 0.06


def test_the_smoother_is_not_late_where_the_steering_steps():
    # r' = (u - r)/T, u stepping at 0.19 s, between two samples; its exact integral.
    t = np.arange(0.0, 2.0, 0.02)
    after, lag = np.clip(t - 0.19, 0.0, None), 0.08
    rate = 3.0 * (1.0 - np.exp(-after / lag))
    yaw = 3.0 * (after - lag * (1.0 - np.exp(-after / lag)))
    smooth = smooth_pose(t, 0.0 * t, yaw, rate, 0.02)
    late = float((yaw - smooth.yaw) @ rate / (rate @ rate))
    assert abs(late) < 1e-5


@pytest.mark.parametrize(('response', 'word'), [
    (lambda command: respond_to(command, 0.06, 0.2, 0.02), 'identified'),
    (lambda command: 0.3 * respond_to(command, 0.06, 0.2, 0.02), 'unidentifiable'),
    (lambda command: np.roll(command, 400), 'unidentifiable')])
def test_the_speed_response_is_found_where_the_command_rules_the_speed(synthetic, response, word):
    rng = np.random.default_rng(4)
    command = np.repeat(rng.uniform(1.0, 4.0, 40), 50)
    car = replace(synthetic, speed_command=command, wheel_speed=response(command)
                  + 0.01 * rng.standard_normal(command.size))
    found = identify_speed_response([car], F1TENTH)
    assert {row.word for row in found.statuses.values()} == {word}
    if word == 'identified':
        assert present(found.fit).values['speed_delay'] == pytest.approx(0.06, abs=0.003)
        assert present(found.fit).values['speed_lag'] == pytest.approx(0.2, rel=0.03)
        assert found.reason == ''
    else:
        assert 'in synthetic speed_command does not rule the speed' in found.reason


def test_noise_of_the_wheels_does_not_make_the_lag_of_the_speed_too_small(synthetic):
    rng = np.random.default_rng(5)
    found = []
    for _ in range(16):
        command = np.repeat(rng.uniform(2.0, 2.6, 40), 50)
        car = replace(synthetic, speed_command=command, wheel_speed=respond_to(
            command, 0.05, 0.2, 0.02) + 0.05 * rng.standard_normal(command.size))
        fit = identify_speed_response([car], F1TENTH).fit
        assert fit is not None
        found.append((fit.values['speed_delay'] - 0.05, fit.values['speed_lag'] - 0.2))
    errors = np.array(found)
    standard = errors.std(axis=0, ddof=1) / math.sqrt(len(errors))
    # From the first sample of a window alone: 20 ms too small, and the delay 8 ms too large.
    assert np.all(standard < [0.002, 0.004])
    assert np.all(np.abs(errors.mean(axis=0)) < 3.0 * standard)


def test_the_speed_response_is_found_where_nothing_is_noisy(synthetic):
    command = np.repeat(np.random.default_rng(6).uniform(1.0, 4.0, 40), 50)
    car = replace(
        synthetic, speed_command=command, wheel_speed=respond_to(command, 0.05, 0.2, 0.02))
    found = identify_speed_response([car], F1TENTH)
    assert {row.word for row in found.statuses.values()} == {'identified'}
    assert present(found.fit).values['speed_delay'] == pytest.approx(0.05, abs=1e-5)


def test_windows_of_the_speed_end_where_the_drive_is_interrupted(synthetic):
    command = np.repeat(np.random.default_rng(7).uniform(1.0, 4.0, 40), 50)
    speed = respond_to(command, 0.05, 0.2, 0.02)
    valid = np.ones(command.size, dtype=bool)
    valid[400:420] = False
    speed[400:420] = 9.0
    car = replace(synthetic, speed_command=command, wheel_speed=speed, valid=valid)
    windows = speed_windows(car)
    inside = np.isfinite(windows.measured[:, :, 0])
    # 0.4 s after each start come windows of 5 s, and of what is left if that is 1 s or more.
    assert list(zip(windows.starts.tolist(), inside.sum(axis=1).tolist(), strict=True)) == [
        (20, 250), (270, 130), (440, 250), (690, 250), (940, 250), (1190, 250), (1440, 250),
        (1690, 250), (1940, 60)]
    found = identify_speed_response([car], F1TENTH).fit
    assert found is not None
    assert found.values['speed_delay'] == pytest.approx(0.05, abs=1e-5)
    assert found.values['speed_lag'] == pytest.approx(0.2, abs=1e-5)
    assert np.count_nonzero(found.problem.residuals(
        {**found.values, 'speed_lag': 0.3})) <= inside.sum()


def test_a_held_command_is_answered_as_its_equation_says():
    command = np.repeat([1.0, 3.0], 100)
    late = respond_to(command, 0.05, 0.2, 0.02)
    after = np.clip(0.02 * np.arange(200) - 2.05, 0.0, None)
    assert late == pytest.approx(1.0 + 2.0 * (1.0 - np.exp(-after / 0.2)), abs=1e-9)


def all_samples(drive):
    """Windows that need each sample of a drive."""
    return cut_windows(drive, length=0.02, every=0.02, horizons=1)


def angles_of(drive, actuator):
    """Times of the middles of integration steps, their lengths, and angles at the three stages."""
    windows = all_samples(drive)
    steps = make_steps(drive, windows, actuator, WheelSensor())
    ends = np.cumsum(steps.values[:, 0])
    return ends - 0.5 * steps.values[:, 0], steps.values[:, 0], steps.values[:, 4:]


def test_steps_end_where_the_delayed_command_switches():
    drive = prepare(synthetic_log(F1TENTH, np.random.default_rng(0), duration=4.0, noise=SILENT))
    times, lengths, angles = angles_of(drive, SteeringActuator(1.5, 0.1, 0.053))
    switches = drive.steering_switches
    at = np.searchsorted(switches.t, times - 0.053) - 1
    wanted = 1.5 * switches.values[np.maximum(at, 0)] + 0.1
    assert angles == pytest.approx(np.repeat(wanted[:, None], 3, axis=1), abs=1e-12)
    assert lengths.max() <= 0.01 + 1e-9
    assert lengths.sum() == pytest.approx(0.02 * (drive.x.size - 1), abs=0.03)


@pytest.mark.parametrize('lag', [1e-5, 0.002, 0.03, 0.3])
def test_the_lagged_steering_has_mean_and_first_moment_of_its_exact_course(lag):
    drive = prepare(synthetic_log(F1TENTH, np.random.default_rng(0), duration=3.0, noise=SILENT))
    times, lengths, angles = angles_of(drive, SteeringActuator(1.0, 0.0, 0.0131, lag))
    switches = drive.steering_switches
    # T x' = u - x from switch to switch, in parts so short that sums are integrals.
    fine = np.linspace(-0.5, 0.5, 4001)
    starts, values = switches.t + 0.0131, [switches.values[0]]
    for k in range(1, starts.size):
        u = switches.values[k - 1]
        values.append(u + (values[-1] - u) * math.exp((starts[k - 1] - starts[k]) / lag))
    for row in range(150, times.size - 20, 7):
        t = times[row] + lengths[row] * fine
        k = int(np.searchsorted(starts, times[row])) - 1
        u = switches.values[k]
        exact = u + (values[k] - u) * np.exp(-(t - starts[k]) / lag)
        mean, slope = trapezoid(exact, fine), 12.0 * trapezoid(exact * fine, fine)
        assert angles[row] == pytest.approx(
            [mean - 0.5 * slope, mean, mean + 0.5 * slope], abs=2e-5)


def test_the_rate_of_the_steering_is_limited():
    drive = prepare(synthetic_log(F1TENTH, np.random.default_rng(0), duration=4.0, noise=SILENT))
    _, lengths, angles = angles_of(drive, SteeringActuator(rate=0.5))
    assert np.all(np.abs(angles[:, 2] - angles[:, 0]) <= 0.5 * lengths + 1e-12)


def test_a_command_holds_from_its_own_time_on_and_not_from_the_next_sample():
    log = synthetic_log(F1TENTH, np.random.default_rng(0), duration=4.0, noise=SILENT)
    times, values = log.channels['steering_command']
    # Read in degrees, as checks do, and stamped between the samples of the pose.
    log = replace(log, channels={**log.channels, 'steering_command': Channel(
        times + 0.013, np.degrees(values))})
    switches = prepare(log).steering_switches
    kept = np.append(True, np.diff(values) != 0.0)
    assert switches.t == pytest.approx((times + 0.013)[kept][:switches.t.size])
    assert switches.values == pytest.approx(values[kept][:switches.t.size])


@pytest.mark.parametrize('run_in', [0.0, 0.3])
def test_windows_side_by_side_are_predicted_as_the_model_moves_alone(run_in):
    drive = prepare(synthetic_log(F1TENTH, np.random.default_rng(8), duration=20.0, slip=True))
    windows = cut_windows(drive, length=0.4, every=0.1, horizons=2, run_in=run_in)
    assert len(windows.starts) > 2 * LANES
    model = make_model('combined', F1TENTH, {**prior(F1TENTH), **TRUTH})
    steps = make_steps(drive, windows, SteeringActuator(1.1, 0.01, 0.053, 0.03),
                       WheelSensor(SCALE, 0.1, 0.02))
    together = predict(model, windows, steps)
    offset = model.vehicle.odometry_offset

    def rates(state, row, stage):
        return np.array(model.derivative(
            vector(state), vector([row[1 + stage], row[4 + stage]]), model.parameters))

    for w in (0, LANES - 1, LANES, len(windows.starts) - 1):
        vx, vy, rate = windows.initial[w].tolist()
        state = np.array([vx, vy - offset * rate, rate, -offset, 0.0, 0.0])
        begin = windows.starts[w] - windows.lead
        ends = [windows.starts[w], *(windows.starts[w] + windows.horizons)]
        poses = []
        for number in range(steps.first[begin], steps.first[ends[-1]] + 1):
            poses += [(state[3] + offset * math.cos(state[5]),
                       state[4] + offset * math.sin(state[5]), float(state[5]))] * (
                           number in steps.first[ends])
            row = steps.values[min(number, len(steps.values) - 1)]
            h = row[0]
            a = rates(state, row, 0)
            b = rates(state + 0.5 * h * a, row, 1)
            c = rates(state + 0.5 * h * b, row, 1)
            d = rates(state + h * c, row, 2)
            state = state + h / 6.0 * (a + 2.0 * b + 2.0 * c + d)
        ways = np.array(poses)
        for h in range(len(windows.horizons)):
            x, y, yaw = ways[h + 1] - ways[0]
            cosine, sine = math.cos(ways[0][2]), math.sin(ways[0][2])
            assert together[w, h] == pytest.approx(
                [cosine * x + sine * y, cosine * y - sine * x, yaw], abs=1e-9)


def test_the_wheel_sensor_scales_leads_and_delays():
    drive = prepare(synthetic_log(F1TENTH, np.random.default_rng(0), duration=4.0, noise=SILENT))
    windows = all_samples(drive)

    def speeds(sensor):
        return make_steps(drive, windows, SteeringActuator(), sensor).values[:, 1:4]

    plain = speeds(WheelSensor())
    assert speeds(WheelSensor(1.5)) == pytest.approx(1.5 * plain)
    times = np.cumsum(make_steps(
        drive, windows, SteeringActuator(), WheelSensor()).values[:, 0])
    late = speeds(WheelSensor(delay=0.04))
    assert late[:, 1] == pytest.approx(np.interp(times - 0.04, times, plain[:, 1]), abs=0.01)
    # w + T w', whose integral needs no derivative.
    leading = speeds(WheelSensor(lag=0.2))[:, 1]
    exact = plain[:, 1] + 0.2 * np.gradient(plain[:, 1], times)
    assert np.median(np.abs(leading - exact)) < 0.01


def test_two_drives_of_one_name_are_refused(synthetic):
    with pytest.raises(RunError, match='two drives are called synthetic'):
        identify([synthetic, synthetic], F1TENTH)


def test_the_plan_asks_for_what_a_drive_has_not(synthetic):
    rows = {row.manoeuvre.name: row for row in plan([synthetic])}
    assert not rows['step_steer'].is_missing
    assert rows['coast_down'].is_missing
    assert all(row.is_missing for row in plan([]))


@pytest.mark.skipif(not REAL_DRIVES.is_dir(), reason='the drives of the real car are not here')
@pytest.mark.parametrize('name', ['DS1', 'DS3', 'DS4'])
def test_the_shipped_real_car_predicts_its_drives(name):
    vehicle, candidates, _ = read_candidates(ROOT / 'config' / 'vehicles' / 'f1tenth_real.yaml')
    drive = prepare(read_csv_log(REAL_DRIVES / f'{name}.csv'))
    assert [note for note in drive.notes if '; fused:' not in note] == []
    own = evaluate([drive], candidates, vehicle)[0].scores
    other = evaluate([drive], [Candidate('unfitted', 'fiala', prior(F1TENTH), False)],
                  F1TENTH)[0].scores
    assert own['f1tenth_real'].heading < 0.4 * other['unfitted'].heading
    assert own['f1tenth_real'].position < 0.8 * other['unfitted'].position
    # The error of the localisation comes on top.
    assert own['f1tenth_real'].position < own['f1tenth_real'].path_position
    assert math.isfinite(own['kinematic fit'].heading)
