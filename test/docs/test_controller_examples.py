# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The examples: a Webots controller but for its import, and a predictive controller."""

from pathlib import Path
import runpy
import sys
from typing import Any

import numpy as np
from presence import present
import pytest

import racecar
from racecar.base.compiled import has_compiler
from racecar.control.custom_driver import CustomDriver
import racecar.driver

EXAMPLE = Path(__file__).parents[2] / 'docs' / 'examples' / 'lane_change.py'
OURS, ORIGINAL = 'from racecar.driver import Driver', 'from vehicle import Driver'


def test_lane_change_goes_to_the_right_and_back(monkeypatch, capsys):
    places = {}
    step = racecar.driver.Driver.step

    def watched(driver):
        answer = step(driver)
        places[round(driver.getTime(), 2)] = (driver.odometry, driver.lamps)
        return answer

    monkeypatch.setattr(racecar.driver.Driver, 'step', watched)
    runpy.run_path(str(EXAMPLE))
    assert places[10.0][0].y == pytest.approx(0.0, abs=1e-6)
    assert places[15.5][0].y == pytest.approx(-3.5, abs=0.2)
    assert places[24.0][0].y == pytest.approx(0.0, abs=0.02)
    assert places[24.0][0].vx * 3.6 == pytest.approx(50.0, rel=0.02)
    for time, left, right in ((7.5, 0, 0), (9.0, 0, 1), (14.0, 0, 0), (17.0, 1, 0), (23.0, 0, 0)):
        around = [lamps for when, (_, lamps) in places.items() if abs(when - time) < 0.09]
        around += [lamps for when, (_, lamps) in places.items() if abs(when - time - 0.34) < 0.09]
        assert any(lamps.left_indicator for lamps in around) == left
        assert any(lamps.right_indicator for lamps in around) == right
    assert 'indicating right' in capsys.readouterr().out


def test_only_the_import_differs_from_the_original(monkeypatch, capsys):
    source = EXAMPLE.read_text(encoding='utf-8')
    assert [line for line in source.splitlines() if 'racecar.' in line] == [OURS]
    exec(compile(source, str(EXAMPLE), 'exec'), {})
    ours = capsys.readouterr().out
    monkeypatch.setitem(sys.modules, 'vehicle', racecar.driver)
    exec(compile(source.replace(OURS, ORIGINAL), str(EXAMPLE), 'exec'), {})
    assert capsys.readouterr().out == ours


FOLDER = Path(__file__).parents[2] / 'docs' / 'examples'
SHOOTING = f'{FOLDER}/shooting.py:Shooting'
RUN: dict[str, Any] = {'tyre_model': 'fiala', 'duration': 30.0, 'skip': 5.0}


@pytest.mark.skipif(not has_compiler(), reason='Numba is not installed, or switched off')
@pytest.mark.parametrize('trajectory', ['figure_eight', 'circle'])
def test_shooting_follows_more_closely_than_pure_pursuit(trajectory):
    def errors(controller):
        found = racecar.simulate(
            controller=f'{FOLDER}/{controller}', trajectory=trajectory, **RUN).metrics()
        return found.rmse, present(found.path).cross_track_rmse

    ours = errors('shooting.py:Shooting')
    for other in ('pure_pursuit.py:CompiledPurePursuit', 'tuned_pursuit.py:TunedPursuit'):
        for own, theirs in zip(ours, errors(other), strict=True):
            assert own < 0.5 * theirs


@pytest.mark.skipif(not has_compiler(), reason='Numba is not installed, or switched off')
def test_shooting_in_a_sweep_has_the_bits_of_each_run():
    grid: dict[str, Any] = {'controller.preview': [0.3, 0.4],
            'controller.model': ['kinematic_bicycle', 'kinematic_understeer']}
    short = {**RUN, 'duration': 10.0}
    found = racecar.sweep(controller=SHOOTING, trajectory='circle', grid=grid, **short)
    assert not found.result.failures
    for number in range(len(found)):
        point = found.point(number)
        alone = racecar.simulate(
            controller=SHOOTING, trajectory='circle', set=point.parameters, **short)
        assert alone.metrics() == point.metrics
    assert len(np.unique(found.result.rmse)) == len(found)


@pytest.mark.skipif(not has_compiler(), reason='Numba is not installed, or switched off')
def test_shooting_asked_by_nodes_has_the_same_bits():
    vehicle = racecar.Vehicle().parameters
    model = racecar.make_vehicle_model(
        'single_track', vehicle, racecar.SIMULATOR_PARAMETERS.resolve({'tyre_model': 'fiala'}))

    def parts():
        return (racecar.load_controller(SHOOTING, vehicle),
                racecar.TrajectoryTracker(racecar.TRACKER_PARAMETERS.resolve({})),
                racecar.Simulator(model))

    table = racecar.run_loop(racecar.CustomLoop(*parts()), 2.0)
    controller, tracker, simulator = parts()
    driver = CustomDriver(lambda: controller, tracker)
    assert driver.why_plain == ''
    for tick in range(201):
        command, _ = driver.update(simulator.odometry())
        assert (command.speed, command.steering_angle) == (
            table['speed_command'][tick], table['steering_command'][tick])
        simulator.set_command(command)
        simulator.tick()


def test_shooting_in_plain_python_has_the_same_bits():
    def table(controller):
        return racecar.simulate(
            controller=controller, trajectory='circle', tyre_model='fiala', duration=1.0).table

    shooting: Any = runpy.run_path(f'{FOLDER}/shooting.py')['Shooting']

    class Plain(shooting):
        """Asked by command(), tick by tick."""

        step = None

        def __init__(self, vehicle):
            super().__init__(vehicle)
            self.before = 0
            self.last: Any = self.state

        def command(self, odometry, reference):
            elapsed = (odometry.time_ns - self.before) / 1e9
            self.before = odometry.time_ns
            motion = racecar.CarMotion(
                odometry.x, odometry.y, odometry.yaw, odometry.vx, odometry.vy,
                odometry.yaw_rate)
            self.last, speed, angle = shooting.step(
                self.last, self.parameters, motion, reference, elapsed)
            return speed, angle

    np.testing.assert_array_equal(table(Plain).rows, table(shooting).rows)
