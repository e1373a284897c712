# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Slip and forces of the wheels, from a bag to the figures and the report."""

import argparse

from compilation import without_compilation
import numpy as np
from presence import present
import pytest

from racecar.analysis.figures import draw_tyre_figures
from racecar.bags.tracking_run import read_tracking_run
from racecar.cli import analyze
from racecar.stacks import describe_stack, StackOptions
from racecar.stacks.run_files import describe_run


def run(*words):
    parser = argparse.ArgumentParser()
    analyze.add_arguments(parser)
    return analyze.run(parser.parse_args([str(word) for word in words]))


def files(bag):
    return {path.name for path in (bag / 'analysis').iterdir()}


def test_figures_and_report(write_bag, with_tyres, capsys):
    bag = write_bag(with_tyres())
    assert run(bag, '--skip', 1) == 0
    captured = capsys.readouterr()
    assert without_compilation(captured.err) == ''
    assert 'fx.png' in captured.out
    assert {'fx.png', 'fy.png', 'path.png'} <= files(bag)
    report = (bag / 'analysis' / 'report.html').read_text(encoding='utf-8')
    assert report.count('<div class="chart') == 6
    assert 'Lateral force of each tyre' in report
    assert 'carry no stamp' in report


def test_panels_stand_as_the_wheels_do(write_bag, with_tyres):
    data = present(read_tracking_run(write_bag(with_tyres(
        lambda topic, tick: topic == 'fy_pub/right_rear'))).run.tyre_data).without_start(1.0)
    figure = draw_tyre_figures('a $ run', data)['fy']
    panels = figure.axes[:4]
    assert [axes.get_title() for axes in panels] == [
        'left front', 'right front', 'left rear', 'right rear']
    assert panels[2].get_xlabel() == 'slip angle [deg]'
    assert panels[0].get_ylabel() == 'Fy [N]'
    dots = panels[1].collections[0]
    assert len(np.asarray(dots.get_offsets())) == 100
    assert present(dots.get_array())[0] == pytest.approx(1.0)
    assert [text.get_text() for text in panels[3].texts] == ['not recorded']


def test_a_slip_that_the_model_does_not_have_is_not_drawn(write_bag, with_tyres, capsys):
    bag = write_bag(with_tyres(lambda topic, tick: 'lat' in topic, slip=lambda *_: 0.0))
    assert run(bag) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(':')[0] for line in lines[-2:]] == ['No fx.png', 'No fy.png']
    assert not {'fx.png', 'fy.png'} & files(bag)


def test_without_wheels_there_is_nothing_to_say(write_bag, rows, capsys):
    bag = write_bag(rows)
    assert read_tracking_run(bag).run.tyre_data is None
    assert run(bag) == 0
    assert not {'fx.png', 'fy.png'} & files(bag)
    assert 'stamp.</p>' not in (bag / 'analysis' / 'report.html').read_text(encoding='utf-8')
    assert without_compilation(capsys.readouterr().err) == ''


@pytest.mark.parametrize(('stack', 'is_said'), [
    ('kinematic_world_pacejka', True), ('kinematic_world', False), ('kinematic_ode', False)])
def test_tyre_forces_that_were_not_recorded_are_said_with_the_remedy(
        write_bag, rows, capsys, stack, is_said):
    bag = write_bag(rows)
    options = StackOptions()
    describe_run('up', stack, options, describe_stack(stack, options), '').write(bag / 'run.yaml')
    assert run(bag) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith('No fx.png and fy.png') == is_said
    assert ('--tyre-data' in last) == is_said
