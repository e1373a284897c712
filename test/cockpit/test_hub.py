# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The hub: what late viewers get, and what slow ones lose."""

import asyncio
import math

import numpy as np
from own_event_loop import run_async
import pytest

from racecar.base.share import find_track
from racecar.cockpit.frames import (
    json_frame,
    mesh_frame,
    picture_frame,
    read_json,
    read_states,
    scan_frame,
    state_frame,
)
from racecar.cockpit.hub import Hub
from racecar.cockpit.recent_states import MOST_ROWS
from racecar.control.trajectories.waypoint_file import read_way_points

ROW = np.zeros((1, 2))


def state(time, robot=0):
    return state_frame(robot, np.array([time]), ROW)


def drained(box):
    """Return the frames that wait in an outbox."""
    async def take_all():
        found = []
        while True:
            try:
                found.append(await asyncio.wait_for(box.take(), 0.01))
            except TimeoutError:
                return found

    return run_async(take_all())


def test_a_late_viewer_gets_the_last_of_what_describes_and_the_samples_of_the_run():
    hub = Hub()
    robot, car = json_frame('robot', robot=0, name='a'), json_frame('robot', robot=1, name='b')
    scans = [scan_frame(0, time, 0.0, 0.1, np.ones(3)) for time in (0.5, 1.5)]
    for frame in (json_frame('path', points=[]), robot, car, state(0.0), scans[0], state(1.0),
                  state(2.0, robot=1), scans[1], json_frame('log', text='old'),
                  json_frame('path', points=[[1, 2]])):
        hub.publish(frame)
    _, box = hub.enter(b'{"type":"welcome"}')
    both = state_frame(0, np.array([0.0, 1.0]), np.zeros((2, 2)))
    assert drained(box) == [
        b'{"type":"welcome"}', robot, car, json_frame('path', points=[[1, 2]]), both,
        state(2.0, robot=1), scans[1]]


def test_samples_that_are_kept_are_those_of_one_run_and_bounded():
    hub = Hub()

    def kept():
        _, box = hub.enter(b'{"type":"welcome"}')
        return [read_states(frame).times.tolist() for frame in drained(box)[1:]]

    for time in (5.0, 6.0, 1.0, 2.0):
        hub.publish(state(time))
    assert kept() == [[1.0, 2.0]]
    hub.publish(state_frame(0, np.array([3.0]), np.zeros((1, 3))))
    assert kept() == [[3.0]]
    for first in range(4, 34):
        hub.publish(state_frame(0, first + np.arange(1000) / 1e3, np.zeros((1000, 3))))
    assert kept() == [pytest.approx(10.0 + np.arange(MOST_ROWS) / 1e3)]
    hub.forget()
    assert kept() == []


def circle(first, last, robot=0):
    rows = [(time, 5.0 * math.cos(time), 5.0 * math.sin(time))
            for time in (first + 0.01 * row for row in range(round(100 * (last - first))))]
    return state_frame(robot, np.array(rows)[:, 0], np.array(rows)[:, 1:])


def test_laps_along_a_closed_path_are_told_to_all_and_to_late_viewers():
    hub = Hub()
    angles = np.linspace(0.0, 2.0 * np.pi, 200)
    hub.publish(json_frame('path', points=(
        5.0 * np.column_stack([np.cos(angles), np.sin(angles)])).tolist()))
    _, early = hub.enter(b'{"type":"welcome"}')
    hub.publish(circle(0.0, 7.0))
    _, late = hub.enter(b'{"type":"welcome"}')
    for box in (early, late):
        laps = [read_json(frame) for frame in drained(box) if b'"laps"' in frame]
        assert laps == [{'type': 'laps', 'robot': 0, 'count': 1, 'begun': laps[0]['last'],
                         'last': pytest.approx(2.0 * np.pi, abs=0.01),
                         'best': laps[0]['last'], 'wrong_way': False, 'off_track': False}]
    hub.forget()
    _, later = hub.enter(b'{"type":"welcome"}')
    hub.publish(circle(7.0, 20.0))
    assert not [frame for frame in drained(later) if b'"laps"' in frame]


def test_each_robot_has_laps_of_its_own():
    hub = Hub()
    angles = np.linspace(0.0, 2.0 * np.pi, 200)
    hub.publish(json_frame('path', points=(
        5.0 * np.column_stack([np.cos(angles), np.sin(angles)])).tolist()))
    hub.publish(circle(0.0, 7.0))
    hub.publish(circle(0.0, 14.0, robot=1))
    _, late = hub.enter(b'{"type":"welcome"}')
    laps = [read_json(frame) for frame in drained(late) if b'"laps"' in frame]
    assert [(found['robot'], found['count']) for found in laps] == [(0, 1), (1, 2)]


def test_the_course_of_who_drives_by_hand_is_the_track_of_the_world():
    hub = Hub()
    _, box = hub.enter(b'{"type":"welcome"}')
    hub.publish(json_frame('scene', name='racetrack'))
    points = read_way_points(find_track('racetrack')).points
    round_trip = np.concatenate([points, points[1:30]])
    times = np.array([0.1 * row for row in range(len(round_trip))])
    hub.publish(state_frame(0, times, round_trip))
    laps, = (read_json(frame) for frame in drained(box) if b'"laps"' in frame)
    assert laps['last'] == pytest.approx(0.1 * (len(points) - 1), abs=0.01)


def test_state_comes_whole_and_in_order():
    hub = Hub()
    _, box = hub.enter(b'{"type":"welcome"}')
    frames = [state(float(i)) for i in range(20)]
    for frame in frames:
        hub.publish(frame)
    assert drained(box)[1:] == frames


def test_a_slow_viewer_loses_its_oldest_state_and_all_but_the_newest_scan():
    hub = Hub()
    _, box = hub.enter(b'{"type":"welcome"}')
    for i in range(1000):
        hub.publish(state(float(i)))
        hub.publish(scan_frame(0, float(i), 0.0, 0.1, np.ones(3)))
        hub.publish(json_frame('log', text=f'{i}'))
        hub.publish(json_frame('clock', time=i))
    found = drained(box)
    assert len(found) < 400
    assert found[-2:] == [state(999.0), scan_frame(0, 999.0, 0.0, 0.1, np.ones(3))]
    assert found.count(json_frame('clock', time=999)) == 1
    assert json_frame('clock', time=998) not in found


def test_state_of_old_columns_goes_with_them():
    hub = Hub()
    _, box = hub.enter(b'{"type":"welcome"}')
    hub.publish(state(0.0))
    hub.publish(json_frame('robot', robot=0))
    hub.publish(state(1.0))
    assert drained(box)[1:] == [json_frame('robot', robot=0), state(1.0)]


def test_state_of_one_robot_pushes_out_none_of_another():
    hub = Hub()
    _, box = hub.enter(b'{"type":"welcome"}')
    hub.publish(state(0.0, robot=1))
    hub.publish(json_frame('robot', robot=0))
    for i in range(200):
        hub.publish(state(float(i)))
    hub.publish(state(1.0, robot=1))
    found = drained(box)
    assert [frame for frame in found if frame in (state(0.0, robot=1), state(1.0, robot=1))] == [
        state(0.0, robot=1), state(1.0, robot=1)]
    assert found[-1] == state(199.0)


def test_only_who_wants_pictures_gets_the_newest():
    hub = Hub()
    (one, wanting), (_, other) = (hub.enter(b'{"type":"welcome"}') for _ in range(2))
    before = hub.wants_pictures
    hub.let_see(one, True)
    assert (before, hub.wants_pictures) == (False, True)
    for time in (1.0, 2.0):
        hub.publish(picture_frame(0, time, b'x'))
    assert drained(wanting)[1:] == [picture_frame(0, 2.0, b'x')]
    assert len(drained(other)) == 1
    hub.leave(one)
    assert not hub.wants_pictures


def test_meshes_stay_with_the_server_until_something_else_is_shown():
    hub = Hub()
    _, box = hub.enter(b'{"type":"welcome"}')
    hub.publish(mesh_frame('0-0', np.eye(3), np.array([[0, 1, 2]])))
    hub.publish(json_frame('session', state='running'))
    assert [*hub.meshes] == ['0-0']
    hub.forget()
    assert hub.meshes == {}
    _, late = hub.enter(b'{"type":"welcome"}')
    assert drained(late)[1:] == [json_frame('session', state='running')]
    assert len(drained(box)) == 2


def test_meshes_beyond_the_most_are_left_out_and_it_is_said_once():
    hub = Hub()
    frames = [mesh_frame(f'0-{index}', np.eye(3), np.array([[0, 1, 2]])) for index in range(202)]
    for frame in frames[:200]:
        hub.publish(frame)
    _, box = hub.enter(b'{"type":"welcome"}')
    for frame in frames:
        hub.publish(frame)
    assert [*hub.meshes] == [f'0-{index}' for index in range(200)]
    line, = (read_json(frame) for frame in drained(box)[1:])
    assert (line['type'], line['level']) == ('log', 'warn')
    assert '200 meshes' in str(line['text'])
    # One that is known already is replaced all the same.
    hub.publish(mesh_frame('0-7', 2.0 * np.eye(3), np.array([[0, 1, 2]])))
    assert hub.meshes['0-7'] != hub.meshes['0-8']


def test_what_one_viewer_is_told_no_other_gets():
    hub = Hub()
    (one, box), (_, other) = (hub.enter(b'{"type":"welcome"}') for _ in range(2))
    hub.tell(one, json_frame('error', text='no'))
    hub.tell(one, state(1.0))
    hub.tell(99, json_frame('error', text='nobody'))
    assert drained(box)[1:] == [json_frame('error', text='no'), state(1.0)]
    assert len(drained(other)) == 1
