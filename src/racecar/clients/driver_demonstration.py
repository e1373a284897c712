# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A drive through all that a driver can do, by the services of driver_bridge."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
import math
from typing import Any

from rclpy.node import Node
from std_srvs.srv import SetBool

from racecar.base.errors import RacecarError
from racecar.base.types import NANOSECONDS, Odometry
from racecar.driver import Indicator
from racecar.ros import qos, topics
from racecar.ros.interfaces import (
    CarInfo,
    DriverState,
    SetFloat,
    SetGear,
    SetIndicator,
)
from racecar.ros.odometry import subscribe_odometry

PHASES = ('pull away', 'shift up', 'turn left', 'brake to a stop', 'reverse', 'park')

# Of the engine's highest speed: where to shift up.
_SHIFT = 0.4
_THROTTLE = 0.9
_FASTEST = 25.0          # [m/s]
_TURN_SPEED = 6.0        # [m/s]
_SIDEWAYS = 2.0          # [m/s^2] in the turn
# A little more than what steering back has to be to switch an indicator off [rad].
_LEAST_ANGLE = 0.1035
_REVERSE_SPEED = 1.5     # [m/s]
# A car that gains less [m/s] in this time [s] is as fast as it gets.
_FASTER, _STEADY = 0.1, 4.0
_PATIENCE = 60.0         # simulated [s] for anything to happen

Wait = Iterator[None]


class DemonstrationError(RacecarError):
    """The drive could not be finished; the message says what did not happen."""


class DriverDemonstration(Node):
    """Pulls away, shifts up, indicates and turns, brakes to a stop, reverses and parks.

    It acts on driver/state as it comes. finished tells when the car is parked; failure is what
    went wrong; on_event gets the simulated time [s] and what is being done.
    """

    def __init__(self, on_event: Callable[[float, str], object], namespace: str = '') -> None:
        """Join the network; nothing happens before the node is spun."""
        super().__init__(
            'driver_demonstration', namespace=namespace, start_parameter_services=False)
        self._on_event = on_event
        self.finished = False
        self.failure: DemonstrationError | None = None
        self.phase = 0
        self._state = DriverState()
        self._info: CarInfo | None = None
        self._yaw = 0.0
        self._service_clients: dict[str, Any] = {
            name: self.create_client(kind, f'driver/{name}') for name, kind in (
                ('set_gear', SetGear), ('set_throttle', SetFloat),
                ('set_brake_intensity', SetFloat), ('set_steering_angle', SetFloat),
                ('set_cruising_speed', SetFloat), ('set_indicator', SetIndicator),
                ('set_dipped_beams', SetBool), ('set_hazard_flashers', SetBool))}
        self._script = self._drive()
        self.create_subscription(CarInfo, topics.DRIVER_CAR_INFO, self._on_info, qos.LATCHED)
        subscribe_odometry(self, self._on_odometry)
        self.create_subscription(DriverState, topics.DRIVER_STATE, self._on_state, qos.STATE)

    @property
    def time(self) -> float:
        """Simulated time of the newest state [s]."""
        stamp = self._state.header.stamp
        return float(stamp.sec + stamp.nanosec / NANOSECONDS)

    def _on_info(self, message: CarInfo) -> None:
        self._info = message

    def _on_odometry(self, odometry: Odometry) -> None:
        # Continuous, so that a turn can be measured.
        self._yaw += math.remainder(odometry.yaw - self._yaw, 2.0 * math.pi)

    def _on_state(self, message: DriverState) -> None:
        self._state = message
        if self.finished or self.failure is not None:
            return
        try:
            next(self._script)
        except StopIteration:
            self.finished = True
        except DemonstrationError as error:
            self.failure = error

    # What generators below wait for; each yield is until the next state.

    def _until(self, condition: Callable[[], bool], what: str) -> Wait:
        start = self.time
        while not condition():
            if self.time - start > _PATIENCE:
                raise DemonstrationError(
                    f'the drive stops at {self.time:.1f} s: waited {_PATIENCE:g} s for {what};'
                    f' speed {self._state.speed:.2f} m/s, gear {self._state.gear}')
            yield

    def _speed_up(
        self, condition: Callable[[], bool], what: str,
    ) -> Generator[None, None, bool]:
        """Wait for a condition, or until the car gets no faster; return whether it holds."""
        fastest, since = self._state.speed, self.time

        def is_over() -> bool:
            nonlocal fastest, since
            if self._state.speed > fastest + _FASTER:
                fastest, since = self._state.speed, self.time
            return condition() or self.time - since > _STEADY

        yield from self._until(is_over, what)
        return condition()

    def _pause(self, seconds: float) -> Wait:
        end = self.time + seconds
        yield from self._until(lambda: self.time >= end, f'{seconds:g} s to pass')

    def _call(self, service: str, **fields: object) -> Wait:
        client = self._service_clients[service]
        yield from self._until(client.service_is_ready, f'the service driver/{service}')
        answer = client.call_async(client.srv_type.Request(**fields))
        yield from self._until(answer.done, f'the answer of driver/{service}')
        response = answer.result()
        if not response.success:
            raise DemonstrationError(
                f'the drive stops at {self.time:.1f} s: driver/{service} was refused:'
                f' {response.message}')

    def _begin(self, phase: str) -> None:
        self.phase = PHASES.index(phase)
        self._on_event(self.time, phase)

    # The drive

    def _drive(self) -> Wait:
        yield from self._until(lambda: self._info is not None, topics.DRIVER_CAR_INFO)
        info = self._info
        assert info is not None
        fastest = min(_FASTEST, 0.8 * info.speed_max)
        slow = min(_TURN_SPEED, 0.5 * info.speed_max,
                   math.sqrt(info.wheelbase * _SIDEWAYS / math.tan(_LEAST_ANGLE)))
        yield from self._pull_away_and_shift_up(info, fastest)
        yield from self._turn_left(info, slow)
        yield from self._stop_and_warn()
        yield from self._reverse(min(_REVERSE_SPEED, -0.8 * info.speed_min))

    def _pull_away_and_shift_up(self, info: CarInfo, fastest: float) -> Wait:
        self._begin('pull away')
        yield from self._call('set_dipped_beams', data=True)
        yield from self._call('set_gear', gear=1)
        yield from self._call('set_throttle', value=_THROTTLE)
        self._begin('shift up')
        for gear in range(2, info.gear_count):
            spun_up = yield from self._speed_up(
                lambda: self._state.rpm > _SHIFT * info.engine_max_rpm
                or self._state.speed > fastest, f'the engine to be fast enough for gear {gear}')
            if not spun_up:
                # As fast as this car gets; a higher gear is a weaker one.
                return
            yield from self._call('set_throttle', value=0.0)
            yield from self._call('set_gear', gear=gear)
            self._on_event(self.time, f'gear {gear} at {self._state.speed:.1f} m/s')
            yield from self._pause(0.3)
            yield from self._call('set_throttle', value=_THROTTLE)
        yield from self._speed_up(lambda: self._state.speed > fastest, f'{fastest:g} m/s')

    def _turn_left(self, info: CarInfo, slow: float) -> Wait:
        self._begin('turn left')
        yield from self._call('set_throttle', value=0.0)
        yield from self._call('set_indicator', indicator=int(Indicator.LEFT))
        yield from self._call('set_brake_intensity', value=0.3)
        yield from self._until(lambda: self._state.speed < slow, f'{slow:g} m/s')
        yield from self._call('set_brake_intensity', value=0.0)
        # Through the bend in cruise control: it holds the speed.
        yield from self._call('set_cruising_speed', value=slow)
        yield from self._pause(1.5)
        start = self._yaw
        angle = min(math.atan(info.wheelbase * _SIDEWAYS / slow ** 2), info.steering_angle_limit)
        yield from self._steer(angle)
        yield from self._until(
            lambda: self._yaw - start > 0.5 * math.pi - 0.5 * slow * math.tan(angle)
            / info.wheelbase, 'a quarter of a turn')
        # Steering back switches the indicator off.
        yield from self._steer(0.0)
        yield from self._until(
            lambda: self._state.indicator == DriverState.INDICATOR_OFF, 'the indicator to go off')
        yield from self._pause(1.0)

    def _steer(self, angle: float) -> Wait:
        before = self._state.steering_angle
        for count in range(1, 11):
            yield from self._call(
                'set_steering_angle', value=before + (angle - before) * count / 10)
            yield from self._pause(0.06)

    def _stop_and_warn(self) -> Wait:
        self._begin('brake to a stop')
        yield from self._call('set_brake_intensity', value=0.5)
        yield from self._until(lambda: abs(self._state.speed) < 0.01, 'the car to stop')
        yield from self._call('set_hazard_flashers', data=True)
        yield from self._pause(2.5)

    def _reverse(self, speed: float) -> Wait:
        self._begin('reverse')
        yield from self._call('set_throttle', value=0.0)
        yield from self._call('set_gear', gear=-1)
        yield from self._call('set_brake_intensity', value=0.0)
        yield from self._call('set_throttle', value=0.3)
        yield from self._until(lambda: self._state.speed < -speed, f'{-speed:g} m/s')
        yield from self._call('set_throttle', value=0.0)
        yield from self._pause(1.0)
        self._begin('park')
        yield from self._call('set_brake_intensity', value=1.0)
        yield from self._until(lambda: abs(self._state.speed) < 0.01, 'the car to stop')
        yield from self._call('set_gear', gear=0)
        yield from self._call('set_hazard_flashers', data=False)
        yield from self._call('set_dipped_beams', data=False)
        yield from self._pause(1.0)
