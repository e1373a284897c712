# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A run is the same whether a CSV file, a bag, or a folder holds it."""

import dataclasses

from bag_samples import ACKERMANN, ODOMETRY
import numpy as np
from presence import present
import pytest

from racecar.bags.runs import locate, names_of, read_run
from racecar.base.errors import BagError, RunError
from racecar.base.run_file import RecordedNode, run_file_beside, RunFile
from racecar.metrics.run_table import COLUMNS, RunTable

HEADER = ','.join(COLUMNS)


@pytest.fixture
def table():
    t = 0.05 * np.arange(40)
    zero = np.zeros_like(t)
    return RunTable(np.column_stack(
        [t + 3.0, 0.2 * t, zero + 1.1, zero, zero + 0.25, zero, zero, 0.2 * t, zero + 1.0,
         zero + 0.5, zero - 0.125]))


@pytest.mark.parametrize('bag', ['ours zstd', 'sqlite3'], indirect=True)
def test_a_bag_tells_how_the_car_moved(bag):
    run = read_run(bag)
    assert present(run.tracking).motion is run.motion
    assert run.motion.t == pytest.approx(0.05 * np.arange(40))
    assert run.motion.yaw == pytest.approx(np.full(40, 0.25))
    # /command is nothing that a car of this suite obeys.
    assert run.motion.command_t.size == 0
    assert run.file is None


def test_commands_come_from_the_last_mux_or_what_is_nearest_to_it(write_bag, messages, rows):
    def with_commands(*topics):
        return write_bag([*rows, *(
            (topic, ACKERMANN, row[2], messages.ackermann(row[2], speed, -0.125))
            for row in rows if row[0] == '/vesc/odom' for topic, speed in topics)])

    motion = read_run(with_commands(
        ('/vesc/ackermann_cmd_mux/input/navigation', 0.75),
        ('/vesc/low_level/ackermann_cmd_mux/output', 0.5))).motion
    assert motion.speed_command == pytest.approx(np.full(40, 0.5))
    assert motion.steering_command == pytest.approx(np.full(40, -0.125))
    assert motion.command_t == pytest.approx(motion.t)


def test_a_csv_file_and_the_folder_that_holds_it_give_the_run(table, tmp_path):
    table.write_csv(tmp_path / 'run.csv')
    for path in (tmp_path, tmp_path / 'run.csv'):
        run = read_run(path)
        assert run.path == tmp_path / 'run.csv'
        assert run.motion.t[0] == 0.0
        assert present(run.tracking).merged().error == pytest.approx(np.full(40, 0.1))
        assert run.motion.steering_command == pytest.approx(np.full(40, -0.125))


def test_the_run_file_says_which_point_was_tracked(table, tmp_path):
    table.write_csv(tmp_path / 'eight.csv')
    parameters = {'tracked_point': 'cog', 'vehicle.odometry_point': 'rear_axle'}
    vehicle = {'vehicle.cog_to_rear_axle': 0.2}
    beside = run_file_beside(tmp_path / 'eight.csv')
    assert beside == tmp_path / 'eight.run.yaml'

    def write(values):
        RunFile('simulate', 'dynamic_ode', {}, {'t': RecordedNode('t', values)}).write(beside)

    write(parameters)
    with pytest.raises(RunError, match='does not say which point was tracked'):
        read_run(tmp_path / 'eight.csv')
    from racecar.base.parameter_file import load_parameter_file
    from racecar.base.share import find_config
    full = {**load_parameter_file(find_config('vehicles/racecar'), 'trajectory_tracker'),
            **parameters, **vehicle}
    write(full)
    run = read_run(tmp_path / 'eight.csv')
    assert present(run.file).configuration == 'dynamic_ode'
    assert present(run.tracking).x == pytest.approx(run.motion.x + 0.2)


def test_a_run_without_a_reference_is_a_run_but_not_one_that_can_be_measured(
        table, tmp_path, write_bag, messages, rows):
    table.rows[:, 7:9] = np.nan
    table.write_csv(tmp_path / 'a.csv')
    bag = write_bag([row for row in rows if row[0] == '/vesc/odom'])
    for path, error in ((tmp_path / 'a.csv', RunError), (bag, BagError)):
        run = read_run(path)
        assert run.tracking is None
        assert run.motion.t == pytest.approx(0.05 * np.arange(40))
        with pytest.raises(error, match='reference'):
            read_run(path, needs_reference=True)


def test_empty_cells_of_reference_and_command_are_what_is_not_known(tmp_path):
    (tmp_path / 'a.csv').write_text(
        f'{HEADER}\n0,0,0,0,1,0,0,0,0,1,0\n1,1,0,0,1,0,0,,,,\n2,2,0,0,1,0,0,2,0,1,0\n')
    run = read_run(tmp_path / 'a.csv')
    assert run.motion.command_t.tolist() == [0.0, 2.0]
    assert present(run.tracking).reference_t.tolist() == [0.0, 2.0]
    assert present(run.tracking).merged().error == pytest.approx(np.zeros(3))


@pytest.mark.parametrize(('text', 'message'), [
    ('', 'does not begin with the columns'), (f'{HEADER}\n', 'has 0 rows, expected at least 2'),
    (f'{HEADER}\n' + 2 * '0,0,0,0,0,0,0,0,0,0,0\n', 'line 3: its times do not ascend'),
    (f'{HEADER}\n0,0,0,x,0,0,0,0,0,0,0\n', 'line 2: expected 11 numbers'),
    (f'{HEADER}\n0,0,0,inf,0,0,0,0,0,0,0\n', 'line 2: expected 11 numbers, time to yaw_rate'),
    ('\0', 'is no CSV file|does not begin')])
def test_what_is_no_csv_of_a_run_is_refused_with_file_and_line(tmp_path, text, message):
    path = tmp_path / 'a.csv'
    path.write_text(text)
    with pytest.raises(RunError, match=message) as caught:
        read_run(path)
    assert str(path) in str(caught.value)
    assert '\n' not in str(caught.value)


def test_what_holds_no_run_is_refused(tmp_path, table):
    with pytest.raises(RunError, match='does not exist'):
        read_run(tmp_path / 'absent')
    with pytest.raises(RunError, match="holds no run, expected run.csv, a bag, or a folder 'bag'"):
        read_run(tmp_path)
    table.write_csv(tmp_path / 'a.csv')
    with pytest.raises(RunError, match='has no topics'):
        read_run(tmp_path / 'a.csv', odometry_topic='/odom')
    (tmp_path / 'a.txt').write_text('')
    with pytest.raises(RunError, match=r'holds no run, .* or a file .csv, .* .bag'):
        read_run(tmp_path / 'a.txt')
    (tmp_path / 'run.yaml').write_text('')
    with pytest.raises(RunError, match=rf"holds none; give its folder, '{tmp_path}'"):
        read_run(tmp_path / 'run.yaml')


def test_odometry_that_is_not_finite_is_refused(write_bag, messages):
    rows = [(topic, ODOMETRY, tick, messages.odometry(tick, x, 0.0)) for tick in range(3)
            for topic, x in (('/vesc/odom', float('nan')), ('/reference_trajectory', 1.0))]
    with pytest.raises(RunError, match='3 of 3 samples are not finite'):
        read_run(write_bag(rows))


def test_the_folder_of_a_demo_means_its_bag(write_bag, messages, tmp_path):
    bag = write_bag([('/vesc/odom', ODOMETRY, 10**9, messages.odometry(10**9, 0.0, 0.0))])
    folder = tmp_path / 'demo'
    folder.mkdir()
    bag.rename(folder / 'bag')
    assert locate(folder) == folder / 'bag'


def test_names_are_as_long_as_they_must_be(tmp_path):
    paths = [tmp_path / name for name in ('a/run.csv', 'b/run.csv', 'x/eight', 'a/run.csv')]
    assert names_of(paths) == ['a/run (1)', 'b/run', 'eight', 'a/run (2)']
    assert names_of(paths[1:3]) == ['run', 'eight']


def test_a_run_is_equal_to_itself_only_and_is_not_changed(write_bag, rows):
    bag = write_bag(rows)
    run, again = read_run(bag), read_run(bag)
    # Its columns have no truth value, so that no comparison of them can be meant.
    assert run != again
    assert {run: 'one', again: 'two'}[run] == 'one'
    with pytest.raises(dataclasses.FrozenInstanceError):
        run.name = 'another'  # type: ignore[misc]
