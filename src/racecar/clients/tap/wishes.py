# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What pages ask for, done by whoever can; what cannot be done is answered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from racecar.base.errors import RacecarError
from racecar.clients.tap.driver import DriverControls
from racecar.clients.tap.driving import Driving
from racecar.clients.tap.parameters import ParameterWatch
from racecar.clients.tap.services import OnFailure
from racecar.clients.tap.simulation import Simulation
from racecar.cockpit.frames import json_frame

Fields = Mapping[str, Any]


class Wishes:
    """Does what the messages of the server say."""

    def __init__(
        self, simulation: Simulation, driving: Driving, driver: DriverControls,
        parameters: ParameterWatch, send: Callable[[bytes], object],
        want_pictures: Callable[[bool], object], now_ns: Callable[[], int],
    ) -> None:
        """now_ns: gives the simulated time [ns]."""
        self._simulation = simulation
        self._driving = driving
        self._driver = driver
        self._parameters = parameters
        self._send = send
        self._now_ns = now_ns
        self._is_manual = False
        self._acts: dict[str, Callable[[Fields, OnFailure], object]] = {
            'reset': lambda _, fail: simulation.reset(fail),
            'pause': lambda _, fail: simulation.pause(True, fail),
            'resume': lambda _, fail: simulation.pause(False, fail),
            'step': lambda fields, fail: simulation.step(fields['count'], fail),
            'factor': lambda fields, fail: simulation.set_factor(fields['value'], fail),
            'set_parameter': self._set_parameter,
            'take': self._take, 'hand_back': self._hand_back, 'release': self._release,
            'halt': lambda *_: driving.halt(now_ns()),
            'drive': lambda fields, _: driving.drive(
                fields['speed'], fields['steering'], now_ns()),
            'pedals': self._press,
            'gear': self._shift,
            'indicator': lambda fields, fail: driver.indicate(fields['value'], fail),
            'lamp': lambda fields, fail: driver.light(fields['name'], fields['on'], fail),
            'camera': lambda fields, _: want_pictures(fields['wanted'])}

    def do(self, fields: Fields) -> None:
        """Do what a message asks; answers its viewer if that fails."""
        kind = str(fields['type'])
        act = self._acts.get(kind)
        named = {key: fields[key] for key in ('viewer', 'node', 'name') if key in fields}

        def fail(text: str) -> None:
            self._send(json_frame('error', of=kind, text=text, **named))

        if act is None:
            fail(f'the tap knows no message {kind!r}')
            return
        try:
            act(fields, fail)
        except RacecarError as error:
            fail(str(error))
        except (KeyError, TypeError, ValueError) as error:
            fail(f'message {kind!r} cannot be used: {error!r}')

    def _set_parameter(self, fields: Fields, fail: OnFailure) -> None:
        self._parameters.set(fields['node'], fields['name'], fields.get('value'), fail)

    def _take(self, fields: Fields, fail: OnFailure) -> None:
        self._driving.take()
        self._driving.gear = self._driver.gear
        if fields.get('manual'):
            self._is_manual = True
            self._simulation.switch_off_trackers(fail)

    def _hand_back(self, _: Fields, fail: OnFailure) -> None:
        self._driving.release(self._now_ns())
        if self._is_manual:
            self._is_manual = False
            self._simulation.switch_on_trackers(fail)

    def _release(self, *_: Any) -> None:
        # Its page is gone: nobody watches, so no tracker is set going.
        self._driving.release(self._now_ns())

    def _press(self, fields: Fields, _: OnFailure) -> None:
        self._driving.gear = self._driver.gear
        self._driving.press(
            fields['throttle'], fields['brake'], fields['steering'], self._now_ns())

    def _shift(self, fields: Fields, fail: OnFailure) -> None:
        self._driver.shift(fields['value'], fail)
