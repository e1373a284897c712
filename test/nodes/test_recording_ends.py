# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A run that never began leaves no bag, one that began leaves one; `up` says what it starts."""

import pytest

from racecar.cli.main import main

pytestmark = pytest.mark.ros


def test_a_run_that_never_began_leaves_no_bag(tmp_path, capfd):
    bag = tmp_path / 'bag'
    code = main(['up', 'plant', '--lockstep', '--duration', '1', '--record', str(bag),
                 '--set', 'single_track_simulator.start_deadline=0.5'])
    said = capfd.readouterr()
    assert code == 1
    assert not bag.exists()
    assert f'the bag {bag} is removed' in said.err + said.out
    assert 'Bag:' not in said.err + said.out


def test_a_run_that_began_keeps_its_bag_and_tells_its_nodes(tmp_path, capfd):
    bag = tmp_path / 'bag'
    assert main(['up', 'kinematic_ode', '--lockstep', '--real-time-factor', '0', '--duration',
                 '0.2', '--record', str(bag)]) == 0
    assert len([*bag.glob('*.mcap')]) == 1
    said = capfd.readouterr()
    assert said.out.splitlines()[-1] == f'Bag: {bag}'
    first = said.err.splitlines()[0]
    assert first.startswith('kinematic_ode in ROS domain ')
    assert 'single_track_simulator' in first
    assert first.endswith('they end at 0.2 s of simulated time, or with Ctrl-C')
