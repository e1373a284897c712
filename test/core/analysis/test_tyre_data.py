# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Slip and forces of the wheels, from a bag to the figures and the report."""

import argparse

from bag_samples import NUMBER, START_NS
from compilation import without_compilation
import numpy as np
import pytest

from racecar.cli import analyze
from racecar.core.analysis.figures import draw_tyre_figures
from racecar.core.analysis.run_data import TrackingRun
from racecar.core.analysis.tyre_data import pair_samples
from racecar.core.types import WHEEL_NAMES

STEP = 10_000_000
PAIRS = (('long_pub', 'fx_pub', -100.0), ('lat_pub', 'fy_pub', -50.0))


@pytest.fixture
def with_tyres(rows, messages):
    """Return the rows of a run with a slip and a force of each wheel at each tick."""
    def make(left_out=lambda topic, tick: False, namespace='', slip=lambda wheel, tick: None):
        found = [(namespace + row[0], *row[1:]) for row in rows]
        for tick in range(200):
            for slip_topic, force_topic, stiffness in PAIRS:
                for number, wheel in enumerate(WHEEL_NAMES):
                    value = slip(wheel, tick)
                    if value is None:
                        value = 1e-3 * tick + 0.1 * number
                    for topic, content in ((f'{slip_topic}/{wheel}', value),
                                           (f'{force_topic}/{wheel}', stiffness * value)):
                        if not left_out(topic, tick):
                            found.append((f'{namespace}/{topic}', NUMBER,
                                          START_NS + tick * STEP, messages.number(content)))
        return sorted(found, key=lambda row: row[2])
    return make


def run(*words):
    parser = argparse.ArgumentParser()
    analyze.add_arguments(parser)
    return analyze.run(parser.parse_args([str(word) for word in words]))


def files(bag):
    return {path.name for path in (bag / 'analysis').iterdir()}


@pytest.mark.parametrize('namespace', ['', '/car1'])
def test_each_wheel_has_its_own_curves(write_bag, with_tyres, namespace):
    data = TrackingRun.from_bag(write_bag(with_tyres(namespace=namespace))).tyre_data
    for curves, stiffness in ((data.fx, -100.0), (data.fy, -50.0)):
        assert list(curves) == list(WHEEL_NAMES)
        for number, curve in enumerate(curves.values()):
            assert curve.t == pytest.approx(0.01 * np.arange(200))
            assert curve.slip == pytest.approx(1e-3 * np.arange(200) + 0.1 * number)
            assert curve.force == pytest.approx(stiffness * curve.slip)


def test_lost_messages_do_not_shift_the_others(write_bag, with_tyres):
    bag = write_bag(with_tyres(
        lambda topic, tick: topic == 'fx_pub/left_rear' and (tick < 7 or tick == 50)
        or topic == 'long_pub/right_rear' and tick % 3 == 1))
    curves = TrackingRun.from_bag(bag).tyre_data.fx
    assert [curves[wheel].t.size for wheel in WHEEL_NAMES] == [200, 200, 192, 133]
    for curve in curves.values():
        assert curve.force == pytest.approx(-100.0 * curve.slip)


@pytest.mark.parametrize(('first', 'second', 'expected'), [
    ([0, 10, 20], [3, 13, 23], [(0, 0), (1, 1), (2, 2)]),
    ([0, 10, 20], [19, 29, 39], [(0, 0), (1, 1), (2, 2)]),
    ([0, 10, 20], [12, 21], [(1, 0), (2, 1)]),
    ([10], [0, 10, 20, 30], [(0, 1)]),
    ([0, 10, 20, 30], [500], []),
    ([0], [0, 0], [(0, 0)]),
])
def test_pairs(first, second, expected):
    pairs = zip(*pair_samples(np.array(first), np.array(second)), strict=True)
    assert [(int(a), int(b)) for a, b in pairs] == expected


def test_figures_and_report(write_bag, with_tyres, capsys):
    bag = write_bag(with_tyres())
    assert run(bag, '--skip', 1) == 0
    captured = capsys.readouterr()
    assert without_compilation(captured.err) == ''
    assert 'fx.png' in captured.out
    assert {'fx.png', 'fy.png', 'path.png'} <= files(bag)
    report = (bag / 'analysis' / 'report.html').read_text(encoding='utf-8')
    assert report.count('data:image/png;base64,') == 6
    assert 'Lateral force of each tyre' in report
    assert 'carry no stamp' in report


def test_panels_stand_as_the_wheels_do(write_bag, with_tyres):
    data = TrackingRun.from_bag(write_bag(with_tyres(
        lambda topic, tick: topic == 'fy_pub/right_rear'))).tyre_data.without_start(1.0)
    figure = draw_tyre_figures('a $ run', data)['fy']
    panels = figure.axes[:4]
    assert [axes.get_title() for axes in panels] == [
        'left front', 'right front', 'left rear', 'right rear']
    assert panels[2].get_xlabel() == 'slip angle [rad]'
    assert panels[0].get_ylabel() == 'Fy [N]'
    dots = panels[1].collections[0]
    assert len(dots.get_offsets()) == 100
    assert dots.get_array()[0] == pytest.approx(1.0)
    assert [text.get_text() for text in panels[3].texts] == ['not recorded']


def test_a_slip_that_the_model_does_not_have_is_not_drawn(write_bag, with_tyres, capsys):
    bag = write_bag(with_tyres(lambda topic, tick: 'lat' in topic, slip=lambda *_: 0.0))
    assert run(bag) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(':')[0] for line in lines[-2:]] == ['No fx.png', 'No fy.png']
    assert not {'fx.png', 'fy.png'} & files(bag)


def test_without_wheels_there_is_nothing_to_say(write_bag, rows, capsys):
    bag = write_bag(rows)
    assert TrackingRun.from_bag(bag).tyre_data is None
    assert run(bag) == 0
    assert not {'fx.png', 'fy.png'} & files(bag)
    assert 'stamp.</p>' not in (bag / 'analysis' / 'report.html').read_text(encoding='utf-8')
    assert without_compilation(capsys.readouterr().err) == ''
