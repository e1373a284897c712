# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The example controller: it changes lanes, and it is a Webots controller but for its import."""

from pathlib import Path
import runpy
import sys

import pytest

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
