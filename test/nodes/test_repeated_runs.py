# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Runs over real topics that are made again from the run.yaml of a folder or a bag."""

import pytest

from racecar.bags.runs import read_run
from racecar.base.run_file import read_run_file
from racecar.cli.main import main

pytestmark = pytest.mark.ros


def test_a_run_in_lockstep_is_made_again_to_the_bit_from_folder_and_bag(tmp_path, capsys):
    """simulate, then `up` from its folder, then both from the bag of that."""
    csv = {name: tmp_path / f'{name}.csv' for name in ('first', 'up', 'again', 'simulated')}
    bag = tmp_path / 'bag'
    for words in (
            ('simulate', 'dynamic_ode', '--trajectory', 'circle', '--set',
             'trajectory_tracker.Kp=2.5', '--duration', '2', '--csv', csv['first']),
            ('up', '--from', tmp_path / 'first.run.yaml', '--csv', csv['up'], '--record', bag),
            ('up', '--from', bag, '--csv', csv['again']),
            ('simulate', '--from', bag, '--csv', csv['simulated'])):
        assert main([str(word) for word in words]) == 0
        assert 'warning' not in capsys.readouterr().err
    contents = {path.read_bytes() for path in csv.values()}
    assert len(contents) == 1
    assert {path.name for path in bag.iterdir()} == {'bag_0.mcap', 'metadata.yaml', 'run.yaml'}
    file = read_run_file(bag)
    assert file.nodes['trajectory_tracker'].parameters['Kp'] == 2.5
    assert (file.way, file.configuration, file.options['lockstep']) == ('up', 'dynamic_ode', True)
    run = read_run(bag)
    assert run.file == file
    # Commands and slip of each tick are in the bag, as the tyres of this car slip.
    assert run.motion.command_t.size > 150
    assert run.motion.state_t.size > 150
    assert abs(run.motion.slip_rear).max() > 1e-4
