# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A bag with all that a replay shows, and somebody who takes what a feed gives."""

import asyncio
import contextlib
import json
import math
import struct

from bag_samples import ACKERMANN, ODOMETRY, START_NS
import numpy as np
from rosbags.typesys import get_types_from_msg

from racecar.bags.writer import BagWriter
from racecar.base.share import share_folder

STEP_NS = 10_000_000
SECONDS = 9
CHUNK = 100
NAMES = ('left_steering_hinge_joint', 'right_steering_hinge_joint')
URDF = """<robot name="cart"><link name="base_link"/><link name="laser"/>
<joint name="mount" type="fixed"><parent link="base_link"/><child link="laser"/></joint>
<link name="wheel"/><joint name="left_steering_hinge_joint" type="continuous">
<parent link="base_link"/><child link="wheel"/><axis xyz="0 0 1"/></joint></robot>"""

_OWN = ('DriverState', 'CarInfo')


def own_types(messages):
    """Let the store know the messages of this package."""
    for name in _OWN:
        path = share_folder() / 'racecar_interfaces' / 'msg' / f'{name}.msg'
        kind = f'racecar_interfaces/msg/{name}'
        if kind not in messages.store.fielddefs:
            messages.store.register(get_types_from_msg(path.read_text(), kind))
    return messages.store


def message(messages, kind, **fields):
    """Return a message whose other fields are zero or empty."""
    store = own_types(messages)

    def zero(detail):
        node, (name, *_) = detail[0].name, detail[1] if isinstance(detail[1], tuple) else (
            detail[1],)
        if node == 'NAME':
            return build(detail[1], {})
        if node == 'BASE':
            return {'string': '', 'bool': False}.get(name, 0)
        element, length = detail[1]
        items = [] if node == 'SEQUENCE' else [zero(element)] * length
        return np.array(items) if element[0].name == 'BASE' and element[1][0] != 'string' \
            else items

    def build(name, given):
        return store.types[name](**{
            field: given[field] if field in given else zero(detail)
            for field, detail in store.fielddefs[name][1]})

    return build(kind, fields)


def serialised(messages, kind, **fields):
    return bytes(own_types(messages).serialize_cdr(message(messages, kind, **fields), kind))


def x_at(tick):
    return 0.02 * tick


def full_drive(messages):
    """Return rows of nine seconds: odometry and reference at 100 Hz, all else more seldom."""
    rows = []

    def add(topic, kind, now, **fields):
        rows.append((topic, kind, now, serialised(messages, kind, **fields)))

    def row_of(topic, kind, now, data):
        rows.append((topic, kind, now, data))

    add('/robot_description', 'std_msgs/msg/String', START_NS, data=URDF)
    add('/driver/car_info', 'racecar_interfaces/msg/CarInfo', START_NS, name='cart', gear_count=4,
        engine_max_rpm=5000.0, gear_ratios=np.array([1.0]))
    info = message(messages, 'nav_msgs/msg/MapMetaData', resolution=0.5, width=3, height=2)
    add('/map', 'nav_msgs/msg/OccupancyGrid', START_NS, info=info,
        data=np.array([0, 100, -1, 0, 0, 50], np.int8))
    point = message(messages, 'geometry_msgs/msg/Point', x=0.25)
    add('/tracked_point', 'geometry_msgs/msg/PointStamped', START_NS, point=point)
    for tick in range(100 * SECONDS):
        now = START_NS + tick * STEP_NS
        header = messages.header(now)
        if tick % 100 == 50:
            add('/vesc/low_level/ackermann_cmd_mux/active', 'std_msgs/msg/String', now,
                data=('navigation', 'teleop')[tick // 100 % 2])
        if tick == 450:
            pose = message(messages, 'geometry_msgs/msg/PoseStamped')
            add('/reference_path', 'nav_msgs/msg/Path', now, poses=[pose, pose])
        if tick % 10 == 0:
            add('/joint_states', 'sensor_msgs/msg/JointState', now, header=header,
                name=[*NAMES], position=np.array([0.001 * tick, 0.001 * tick]))
            row_of('/vesc/low_level/ackermann_cmd_mux/output', ACKERMANN, now,
                   messages.ackermann(now, 2.0, 0.001 * tick))
            add('/driver/state', 'racecar_interfaces/msg/DriverState', now, header=header,
                gear=1 + tick // 300, rpm=1000.0 + tick, brake_lights_lit=tick >= 600)
        if tick % 5 == 0:
            add('/scan', 'sensor_msgs/msg/LaserScan', now, header=message(
                messages, 'std_msgs/msg/Header', stamp=header.stamp, frame_id='laser'),
                angle_min=-1.0, angle_increment=1.0, range_min=0.1, range_max=10.0,
                ranges=np.array([1.0 + 0.01 * tick, 20.0, np.nan], np.float32))
        if tick % 20 == 0:
            add('/camera/zed/rgb/image_rect_color', 'sensor_msgs/msg/Image', now, header=header,
                width=8, height=8, step=24, encoding='rgb8',
                data=np.full(192, tick // 20 * 5, np.uint8))
        if tick % 200 == 120:
            add('/rosout', 'rcl_interfaces/msg/Log', now, level=30, name='tracker',
                msg=f'tick {tick}')
        row_of('/vesc/odom', ODOMETRY, now, messages.odometry(now, x_at(tick), 1.0, 0.0, 2.0))
        row_of('/reference_trajectory', ODOMETRY, now,
               messages.odometry(now, x_at(tick) + 0.25, 1.5, 0.0, 2.5))
    return rows


def write_drive(folder, messages, rows):
    """Write a bag of several chunks of CHUNK messages."""
    with BagWriter(folder) as writer:
        for number, (topic, kind, time_ns, data) in enumerate(rows):
            handle = writer.add_topic(topic, kind, messages.definition(kind))
            writer.write(handle, time_ns, time_ns, data)
            if number % CHUNK == CHUNK - 1:
                writer.flush()
    return folder


class Watcher:
    """Takes frames as a hub does."""

    def __init__(self):
        self.frames = []
        self.told = []

    def publish(self, frame):
        self.frames.append(frame)

    def tell(self, viewer, frame):
        self.told.append((viewer, frame))

    def forget(self):
        raise AssertionError('a recording is one from beginning to end')

    @property
    def texts(self):
        return [json.loads(frame) for frame in self.frames if frame[:1] == b'{']

    def of(self, kind):
        return [text for text in self.texts if text['type'] == kind]

    @property
    def columns(self):
        return self.of('robot')[-1]['columns']

    def rows(self, since=0):
        """Return times and values of the frames of state from a number on."""
        return state_rows(self.frames[since:])

    def binary(self, kind):
        return [frame for frame in self.frames if frame[0] == kind]


def state_rows(frames):
    times, values = [], []
    for frame in frames:
        if frame[0] != 1:
            continue
        _, _, rows, columns = struct.unpack_from('<BBHI', frame)
        times.append(np.frombuffer(frame, '<f8', rows, 8))
        kind = '<f8' if len(frame) == 8 + 8 * rows * (1 + columns) else '<f4'
        values.append(np.frombuffer(frame, kind, rows * columns, 8 + 8 * rows).reshape(
            rows, columns))
    if not times:
        return np.empty(0), np.empty((0, 0))
    return np.concatenate(times), np.concatenate(values)


def watch(feed, script, deadline=20.0):
    """Run a feed for a script, a coroutine function of (watcher, until)."""
    watcher = Watcher()

    async def until(condition, what):
        async def wait():
            while not (found := condition()):
                await asyncio.sleep(0.002)
            return found

        try:
            return await asyncio.wait_for(wait(), deadline)
        except TimeoutError:
            raise AssertionError(f'{what} did not come within {deadline} s') from None

    async def main():
        running = asyncio.create_task(feed.run(watcher))
        try:
            await script(watcher, until)
            if running.done():
                running.result()
        finally:
            running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await running

    asyncio.run(main())
    return watcher


def is_close(first, second):
    return math.isclose(first, second, abs_tol=1e-5)
