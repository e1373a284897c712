# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The page before what runs: what a person does in the browser arrives there."""

import contextlib
import importlib.util
import os
from pathlib import Path
import signal
import subprocess
import sys
from typing import NamedTuple

from domains import claim_domain
from playwright.sync_api import expect
import pytest
from waiting import numbers, wait_for, wait_for_car

MISSING = ', '.join(
    name for name in ('rclpy', 'ackermann_msgs', 'racecar_interfaces')
    if importlib.util.find_spec(name) is None)
WITH_NODES = pytest.param(['--ros'], id='nodes', marks=[pytest.mark.ros, pytest.mark.skipif(
    bool(MISSING), reason=f'needs ROS 2: {MISSING} cannot be imported')])

COMMAND = 'import sys; from racecar.executables import command; sys.exit(command())'


def children(process):
    """Return the ids of the processes that a process has started."""
    text = Path(f'/proc/{process.pid}/task/{process.pid}/children').read_text()
    return [int(number) for number in text.split()]


class Cockpit(NamedTuple):
    """The command in a process of its own, and the address of its page."""

    process: subprocess.Popen[str]
    address: str


@pytest.fixture(scope='module', params=[pytest.param([], id='engine'), WITH_NODES])
def cockpit(request):
    """`racecar cockpit kinematic_ode`, started without ROS and with nodes."""
    with contextlib.ExitStack() as stack:
        environment = {**os.environ, 'ROS_DOMAIN_ID': str(claim_domain(stack)),
                       'ROS_AUTOMATIC_DISCOVERY_RANGE': os.environ.get(
                           'ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')}
        process = stack.enter_context(subprocess.Popen(
            [sys.executable, '-c', COMMAND, 'cockpit', 'kinematic_ode', *request.param],
            text=True,
            stdout=subprocess.PIPE, env=environment))
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line.startswith('Cockpit: http://127.0.0.1:'), line
            yield Cockpit(process, line.split()[1])
        finally:
            started = children(process)
            process.send_signal(signal.SIGINT)
            process.wait(20)
            assert [number for number in started if Path(f'/proc/{number}').exists()] == []


def running(page):
    expect(page.get_by_test_id('state')).to_have_text('running', timeout=40_000)
    wait_for_car(page)


def test_gain_set_by_one_page_is_in_the_node_and_on_another_page(cockpit, open_page):
    page, other = open_page(cockpit.address), open_page(cockpit.address)
    for one in (page, other):
        running(one)
        one.get_by_role('tab', name='Tune').click()
    box = page.get_by_role('spinbutton', name='Kp', exact=True)
    box.fill('2.5')
    box.press('Enter')
    expect(other.get_by_role('spinbutton', name='Kp', exact=True)).to_have_value('2.5')
    # The node's own range is what refuses.
    box.fill('-1')
    box.press('Enter')
    expect(page.locator('.parameter.refused .state')).to_contain_text('Kp')
    expect(box).to_have_value('2.5')


def test_car_drives_while_a_key_is_held_and_one_page_at_a_time_drives(cockpit, open_page):
    page, other = open_page(cockpit.address, scene=True), open_page(cockpit.address)
    running(page)
    running(other)
    expect(page.locator('#who')).to_have_text('tracker')
    page.keyboard.press('m')
    # In manual mode the tracker rests, so nobody drives.
    wait_for(page, lambda: abs(numbers(page)['speed']) < 0.01, what='a car at rest')
    page.keyboard.down('w')
    wait_for(page, lambda: numbers(page)['speed'] > 0.5, what='a car that drives')
    other.bring_to_front()
    other.get_by_role('tab', name='Drive').click()
    expect(other.locator('.wheel-state')).to_have_text('Another page drives.')
    # On a busy machine the car waits for a page that is late, and drives on.
    wait_for(other, lambda: numbers(other)['speed'] > 0.5, what='a car that still drives')
    other.context.close()
    wait_for(page, lambda: numbers(page)['speed'] > 0.5, what='a car that still drives')
    page.keyboard.up('w')
    wait_for(page, lambda: abs(numbers(page)['speed']) < 0.01, what='a car at rest')
    page.keyboard.press('Escape')
    expect(page.locator('#who')).to_have_text('tracker')
    wait_for(page, lambda: numbers(page)['speed'] > 0.1, what='a tracker that drives again')


def test_page_that_is_closed_with_a_key_held_stops_the_car(cockpit, open_page):
    page, watcher = open_page(cockpit.address), open_page(cockpit.address)
    running(page)
    running(watcher)
    page.bring_to_front()
    page.keyboard.press('m')
    page.keyboard.down('w')
    wait_for(watcher, lambda: numbers(watcher)['command_speed'] > 0.5)
    page.context.close()
    expect(watcher.locator('#who')).not_to_have_text('manual control')


def test_killed_simulation_is_said_and_another_can_be_started(cockpit, open_page):
    page = open_page(cockpit.address)
    running(page)
    for number in children(cockpit.process):
        os.kill(number, signal.SIGKILL)
    ended = page.get_by_role('alert').filter(has_text='The run has ended')
    expect(ended).to_contain_text('SIGKILL')
    expect(page.get_by_test_id('state')).to_have_text('ended')
    page.get_by_label('configuration').select_option('teleop')
    page.get_by_role('button', name='Start').click()
    running(page)
    page.locator('#scene').focus()
    page.keyboard.down('w')
    wait_for(page, lambda: numbers(page)['speed'] > 0.5, what='a car that drives')
