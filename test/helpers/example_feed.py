# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A feed that needs no nodes: a car on a figure eight, and a record of what pages asked."""

import asyncio
import io
import math
import time
from typing import Any

import numpy as np
from PIL import Image

from racecar.api import describe_vehicle, find_config, VehicleParameters
from racecar.base.errors import ParameterError
from racecar.base.types import yaw_to_quaternion
from racecar.cockpit.feed import Feed, Outlet
from racecar.cockpit.frames import json_frame, picture_frame, scan_frame, state_frame
from racecar.cockpit.robot_message import robot_frames
from racecar.cockpit.scene_message import path_frame, scene_frame
from racecar.scene.world_file import load_world

PERIOD = 0.01  # [s]
BATCH = 0.02  # [s]
SIZE, TURN = 5.0, 0.3  # of the figure eight [m, rad/s]
LARGEST_SPEED = 2.0  # [m/s]
LARGEST_ANGLE = 0.5  # [rad]
WHEELBASE = 0.325  # [m]
NODE = '/trajectory_tracker'


def parameter(name, value, description='', **more):
    """Return a row as the message `parameters` has it."""
    kind = {float: 'float', bool: 'bool', str: 'string'}[type(value)]
    return {'name': name, 'type': kind, 'value': value, 'default': value, 'unit': '',
            'minimum': None, 'maximum': None, 'choices': [], 'description': description,
            'range': '', 'read_only': False, 'only_with': None, **more}


SHAPES = ['line', 'circle', 'figure_eight']
PARAMETERS = [
    parameter('trajectory', 'figure_eight', 'Shape of the reference', choices=[*SHAPES, '2']),
    parameter('R', 4.0, 'Circle: radius', unit='m', minimum=0.0, maximum=1000.0,
              range='(0, 1000]', only_with={'name': 'trajectory', 'values': ['circle', '2']}),
    parameter('a', 5.0, 'Figure eight: amplitude', unit='m', minimum=0.0, maximum=1000.0,
              range='(0, 1000]', only_with={'name': 'trajectory', 'values': ['figure_eight']}),
    parameter('Kp', 5.0, 'Proportional gain', unit='1/s', minimum=0.0, maximum=1000.0,
              range='[0, 1000]'),
    parameter('FFWD', True, 'Feed the reference velocity forward'),
    parameter('tracked_point', 'base_link', 'The point of the car that follows the reference',
              choices=['base_link', 'cog'], read_only=True),
]
CONFIGURATIONS = [
    {'name': 'kinematic_ode', 'title': 'Follow a path, planar',
     'summary': 'Kinematic model, tracker and linearizer.',
     'follows_trajectory': True, 'is_driver': False, 'options': [
         {'name': 'vehicle', 'kind': 'choice', 'default': None, 'usual': 'racecar',
          'help': 'the car', 'choices': ['racecar', 'f1tenth'],
          'titles': {'racecar': 'MIT RACECAR', 'f1tenth': 'F1TENTH'}},
         {'name': 'trajectory', 'kind': 'choice', 'default': None, 'usual': 'figure_eight',
          'help': 'shape of the reference', 'choices': ['figure_eight', 'circle']},
         {'name': 'waypoints', 'kind': 'choice', 'default': None,
          'help': 'line to follow in place of a trajectory', 'choices': ['racetrack']},
         {'name': 'sensors', 'kind': 'names', 'default': [], 'help': 'sensors of the car',
          'choices': ['laser', 'imu', 'camera'],
          'titles': {'laser': 'Lidar', 'imu': 'IMU', 'camera': 'Camera'}},
         {'name': 'end_time', 'kind': 'number', 'default': None, 'help': 'when the run ends'},
         {'name': 'lockstep', 'kind': 'flag', 'default': False, 'help': 'wait for answers'}]},
    {'name': 'driver', 'summary': 'A car by its pedals, gears and lamps.',
     'follows_trajectory': False, 'is_driver': True, 'options': []},
    {'name': 'teleop_world', 'title': 'Drive by hand, 3-D', 'summary': 'A car in the 3-D world.',
     'follows_trajectory': False, 'is_driver': False, 'options': [],
     'unavailable': 'needs mujoco: pip install mujoco'},
]


def figure_eight(when):
    """Return x, y and the yaw of the path."""
    a = TURN * when
    dx, dy = math.cos(a), math.cos(2 * a)
    return SIZE * math.sin(a), 0.5 * SIZE * math.sin(2 * a), math.atan2(dy, dx)


class ExampleFeed(Feed):
    """Drives by itself unless a page does; `received` has what pages sent, without welcome."""

    takes = ('start', 'stop', 'reset', 'pause', 'resume', 'step', 'factor', 'set_parameter',
             'take_wheel', 'release_wheel', 'drive', 'pedals', 'gear', 'indicator', 'lamp', 'play',
             'seek', 'rate', 'record')

    def __init__(self, *, mode='cockpit', driver=False, world='cones', starts=True):
        self.mode = mode
        self.received = []
        self._session: dict[str, Any] = {'name': '', 'options': {}}
        self._driver = driver
        self._starts = starts
        self._world = load_world(world)
        self._time = 0.0
        self._runs = False
        self._paused = False
        self._command = None
        self._own = [0.0, 0.0, 0.0]
        self._roll = 0.0
        self._car: dict[str, Any] = {'gears': 5, 'gear': 1, 'rpm_max': 6000, 'indicator': 'off'}
        self._lamps = {'front': False, 'rear': False, 'brake': False, 'left_indicator': False,
                       'right_indicator': False, 'antifog': False, 'backwards': False}
        self.columns: tuple[str, ...] = ()

    @property
    def welcome(self):
        return {'mode': self.mode, 'name': 'kinematic_ode',
                'configurations': CONFIGURATIONS if self.mode == 'cockpit' else []}

    def say(self, kind, **fields):
        self.outlet.publish(json_frame(kind, **fields))

    async def run(self, outlet: Outlet) -> None:
        self.outlet = outlet
        self.session('idle', text='nothing runs')
        if self.mode == 'cockpit':
            self.say('recordings', state='off', seconds=0.0, list=[])
        if self._starts:
            self.begin('driver' if self._driver else 'kinematic_ode')
        begun = time.monotonic()
        last = 0.0
        while True:
            await asyncio.sleep(BATCH)
            now = time.monotonic() - begun
            if self._runs and not self._paused:
                self.advance(max(1, round((now - last) / PERIOD)))
            last = now

    def session(self, state, name=None, text='', options=None, **more):
        """Say what runs or, without a name, what has become of it."""
        if name is not None:
            self._session = {'name': name, 'options': options or {}}
        self.say('session', state=state, text=text, **self._session, **more)

    def begin(self, name, options=None):
        """Start a configuration, and say all that describes it."""
        self.outlet.forget()
        self.session('starting', name, options=options)
        vehicle = VehicleParameters.from_file(find_config('vehicles/racecar'))
        frames = robot_frames(0, describe_vehicle(vehicle).tree, driver=self._driver)
        self.columns = frames.columns
        for frame in frames.frames:
            self.outlet.publish(frame)
        self.outlet.publish(scene_frame(self._world))
        self.outlet.publish(path_frame(np.array(
            [figure_eight(when)[:2] for when in np.linspace(0, 2 * math.pi / TURN, 400)])))
        self.say('parameters', nodes=[{'node': NODE, 'parameters': PARAMETERS}])
        self._tell_muxes()
        if self._driver:
            self.say('car', **self._car)
            self.say('lamps', lamps=self._lamps)
        self.session('running', name, options=options)
        self._runs = True
        self._tell_clock()
        if self.mode == 'replay':
            self._tell_replay()

    def _tell_clock(self):
        self.say('clock', time=self._time, factor=1.0, wanted_factor=1.0, paused=self._paused)

    def _tell_replay(self):
        self.say('replay', begin=0.0, end=60.0, time=self._time, rate=1.0,
                 playing=not self._paused)

    def _tell_muxes(self):
        by_hand = self._command is not None
        active = 'Teleoperation' if by_hand else 'Navigation'
        self.say('muxes', muxes=[{'name': 'low_level', 'active': active, 'inputs': [
            {'name': 'Safety', 'priority': 100, 'alive': False},
            {'name': 'Teleoperation', 'priority': 10, 'alive': by_hand},
            {'name': 'Navigation', 'priority': 5, 'alive': True}]}])

    def advance(self, count):
        """Go on by so many samples at once."""
        times, rows = [], []
        for _ in range(count):
            self._time += PERIOD
            times.append(self._time)
            rows.append(self._row())
        self.outlet.publish(state_frame(0, np.array(times), np.array(rows)))
        if int(self._time / 0.2) != int((self._time - count * PERIOD) / 0.2):
            self._tell_clock()
            if self.mode == 'replay':
                self._tell_replay()
            angles = np.linspace(-2.0, 2.0, 181)
            self.outlet.publish(scan_frame(
                0, self._time, -2.0, angles[1] - angles[0], 3.0 + np.cos(5 * angles)))
            stream = io.BytesIO()
            Image.new('RGB', (64, 36), (40, 90, int(self._time * 40) % 256)).save(stream, 'JPEG')
            self.outlet.publish(picture_frame(0, self._time, stream.getvalue()))

    def _row(self):
        values = dict.fromkeys(self.columns, math.nan)
        rx, ry, path_yaw = figure_eight(self._time)
        if self._command is None:
            ax, ay, _ = figure_eight(self._time - PERIOD)
            speed = math.dist((rx, ry), (ax, ay)) / PERIOD
            turn = math.remainder(path_yaw - figure_eight(self._time - PERIOD)[2], math.tau)
            angle = math.atan(WHEELBASE * turn / PERIOD / speed)
            self._own = [rx - 0.02 * math.sin(self._time), ry, path_yaw]
        else:
            speed, angle = self._command
            x, y, yaw = self._own
            self._own = [x + speed * PERIOD * math.cos(yaw), y + speed * PERIOD * math.sin(yaw),
                         yaw + speed * PERIOD * math.tan(angle) / WHEELBASE]
        x, y, yaw = self._own
        self._roll += speed * PERIOD / 0.05
        values.update(zip(('x', 'y', 'z', 'qx', 'qy', 'qz', 'qw'), (
            x, y, 0.0, 0.0, 0.0, *yaw_to_quaternion(yaw)), strict=True))
        values.update(
            speed=speed, yaw_rate=speed * math.tan(angle) / WHEELBASE, steering=angle,
            command_speed=speed, command_steering=angle, reference_x=rx, reference_y=ry,
            reference_speed=1.5, error=math.dist((x, y), (rx, ry)),
            longitudinal_error=rx - x, lateral_error=ry - y)
        for name in self.columns:
            if name.startswith('joint:'):
                values[name] = angle if 'hinge' in name else self._roll
        if self._driver:
            values.update(gear=self._car['gear'], rpm=900 + 800 * abs(speed),
                          throttle=max(speed, 0) / LARGEST_SPEED, brake=0.0)
        return [values[name] for name in self.columns]

    async def ask(self, viewer, message):
        self.received.append(dict(message))
        answers = {
            'start': self._start, 'stop': self._stop, 'pause': self._pause, 'resume': self._pause,
            'play': self._pause, 'step': self._step, 'reset': self._seek, 'seek': self._seek,
            'set_parameter': self._set_parameter, 'drive': self._drive, 'pedals': self._drive,
            'release_wheel': self._release_wheel, 'gear': self._set_car,
            'indicator': self._set_car, 'lamp': self._set_lamp, 'record': self._record}
        if message['type'] == 'start':
            # It takes its time, so that pages see that something starts.
            self.session('starting', message['configuration'], options=message.get('options'))
            await asyncio.sleep(BATCH)
        if message['type'] in answers:
            answers[message['type']](message)

    def _start(self, message):
        self.begin(message['configuration'], message.get('options'))

    def _stop(self, message):
        self._runs = False
        self.session('ended', text='stopped')

    def _pause(self, message):
        self._paused = message['type'] == 'pause'
        self._tell_clock()
        if self.mode == 'replay':
            self._tell_replay()

    def _step(self, message):
        self.advance(message['count'])

    def _seek(self, message):
        self._time = message.get('time', 0.0)
        self.advance(1)

    def _set_parameter(self, message):
        if message['name'] == 'Kp' and not 0 <= message['value'] <= 1000:
            raise ParameterError(f"parameter 'Kp' is {message['value']}, expected 0 to 1000")
        self.say('parameter', **{key: message[key] for key in ('node', 'name', 'value')})

    def _drive(self, message):
        ahead = message.get('speed', message.get('throttle', 0) - message.get('brake', 0))
        first = self._command is None
        self._command = (LARGEST_SPEED * ahead, LARGEST_ANGLE * message['steering'])
        if first:
            self._tell_muxes()

    def _record(self, message):
        if message['on']:
            self.say('recordings', state='on', seconds=0.0, list=[])
        else:
            self.say_recorded(is_ready=False)

    def say_recorded(self, *, is_ready, problem=''):
        """Say that there is a recording, with or without its report."""
        kinds = ['report'] * is_ready + ['replay', 'csv']
        self.say('recordings', state='off', seconds=0.0, list=[{
            'number': 1, 'name': 'cockpit-1', 'seconds': 6.04, 'folder': '/runs/cockpit-1',
            'problem': problem, 'is_ready': is_ready, 'links': [
                {'text': kind.upper() if kind == 'csv' else kind.capitalize(),
                 'address': f'/recordings/1/{kind}'} for kind in kinds]}])

    def _release_wheel(self, message):
        self._command = None
        self._tell_muxes()

    def _set_car(self, message):
        self._car[message['type']] = message['value']
        self.say('car', **self._car)
        self._lamps['left_indicator'] = self._car['indicator'] in ('left', 'hazard')
        self._lamps['right_indicator'] = self._car['indicator'] in ('right', 'hazard')
        self.say('lamps', lamps=self._lamps)

    def _set_lamp(self, message):
        on = {'dipped_beams': ('front', 'rear'), 'antifog_lights': ('antifog',)}
        self._lamps.update(dict.fromkeys(on[message['name']], message['on']))
        self.say('lamps', lamps=self._lamps)
