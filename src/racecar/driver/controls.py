# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a driver has at hand: steering wheel, pedals, gear lever, switches.

In SI units and positive to the left. Every setter checks its argument and, if that is not
acceptable, raises ParameterError and changes nothing.
"""

from __future__ import annotations

from enum import IntEnum
import math

from racecar.base.errors import ParameterError
from racecar.base.types import (
    INDICATOR_PERIOD,
    INDICATOR_PERIOD_MAX,
    INDICATOR_PERIOD_MIN,
    Lamps,
    LampSwitches,
    NANOSECONDS,
)
from racecar.dynamics.powertrain.car_parameters import CarParameters
from racecar.dynamics.powertrain.powertrain import ControlMode, PedalControls
from racecar.dynamics.powertrain.steering import steering_angles, wheel_steering_range
from racecar.dynamics.vehicles.ackermann import middle_tangent
from racecar.dynamics.vehicles.parameters import VehicleParameters

CANCEL_ANGLE = 0.1
"""Turning the steering wheel back by this much switches the indicator off [rad]."""


class Indicator(IntEnum):
    """Side that indicates, with the numbers of seed 001."""

    OFF = 0
    RIGHT = 1
    LEFT = 2


class WiperMode(IntEnum):
    """Speed of the wipers, with the numbers of the later library."""

    DOWN = 0
    SLOW = 1
    NORMAL = 2
    FAST = 3


class Controls:
    """State of the controls of one car; see the module. Properties tell what was set last."""

    def __init__(self, car: CarParameters, vehicle: VehicleParameters) -> None:
        """Everything is off, in neutral and straight ahead; the car is held."""
        self._car = car
        self._vehicle = vehicle
        self._wheel_range = wheel_steering_range(vehicle)
        self._mode = ControlMode.UNDEFINED
        self._throttle = 0.0
        self._brake_intensity = 0.0
        self._gear = 0
        self._cruising_speed = 0.0
        self._steering_angles = (0.0, 0.0)
        self._tangent = 0.0
        self._indicator = Indicator.OFF
        self._indicator_reference = 0.0
        self._indicator_period_ns = round(INDICATOR_PERIOD * NANOSECONDS)
        self._wiper_mode = WiperMode.DOWN
        self.limited_slip_differential = True
        self.indicator_auto_disabling = True
        self.hazard_flashers = False
        self.dipped_beams = False
        self.antifog_lights = False

    # Motion

    @property
    def mode(self) -> ControlMode:
        """The last of throttle and cruising speed decides; UNDEFINED before."""
        return self._mode

    @property
    def steering_angle(self) -> float:
        """Angle of the virtual wheel in the middle, from both front wheels [rad, left +]."""
        return math.atan(self._tangent)

    @property
    def steering_angles(self) -> tuple[float, float]:
        """Angle of the left and right front wheel [rad, left positive]."""
        return self._steering_angles

    @property
    def cruising_speed(self) -> float:
        """Target of the cruise control [m/s]; kept while the throttle governs."""
        return self._cruising_speed

    @property
    def throttle(self) -> float:
        """Share of the engine's torque, 0 to 1; kept while the cruise control governs."""
        return self._throttle

    @property
    def brake_intensity(self) -> float:
        """How much the brake is applied, 0 to 1."""
        return self._brake_intensity

    @property
    def gear(self) -> int:
        """Engaged gear: -1 reverse, 0 neutral, 1 and up."""
        return self._gear

    def set_steering_angle(self, angle: float) -> None:
        """Steer both front wheels (Ackermann); angle of the virtual wheel [rad, left +]."""
        angle = _number('steering_angle', angle, *self._vehicle.steering_range, 'rad')
        self._steer(*steering_angles(self._vehicle, angle))
        self._cancel_indicator(angle)

    def set_left_steering_angle(self, angle: float) -> None:
        """Steer the left front wheel alone [rad, left positive]."""
        self._steer(_number('left_steering_angle', angle, *self._wheel_range, 'rad'),
                    self._steering_angles[1])

    def set_right_steering_angle(self, angle: float) -> None:
        """Steer the right front wheel alone [rad, left positive]."""
        self._steer(self._steering_angles[0],
                    _number('right_steering_angle', angle, *self._wheel_range, 'rad'))

    def set_cruising_speed(self, speed: float) -> None:
        """Let the cruise control govern; speed [m/s], negative backwards."""
        self._cruising_speed = _number(
            'cruising_speed', speed, self._vehicle.speed_min, self._vehicle.speed_max, 'm/s')
        self._mode = ControlMode.SPEED

    def set_throttle(self, throttle: float) -> None:
        """Let the engine govern; throttle: 0 to 1."""
        self._throttle = _number('throttle', throttle, 0.0, 1.0)
        self._mode = ControlMode.TORQUE

    def set_brake_intensity(self, intensity: float) -> None:
        """Apply the brake; intensity: 0 to 1."""
        self._brake_intensity = _number('brake_intensity', intensity, 0.0, 1.0)

    def set_gear(self, gear: int) -> None:
        """Engage a gear: -1 reverse, 0 neutral, 1 to the highest."""
        gear = _integer('gear', gear, -1, self._car.highest_gear,
                        ' (-1 reverse, 0 neutral, 1 first gear)')
        self._gear = gear

    # Lamps and wipers

    @property
    def indicator(self) -> Indicator:
        """Side that indicates."""
        return self._indicator

    @property
    def indicator_period(self) -> float:
        """Time for which an indicator is lit, and then dark: half of its cycle [s]."""
        return self._indicator_period_ns / NANOSECONDS

    @property
    def wiper_mode(self) -> WiperMode:
        """Speed of the wipers."""
        return self._wiper_mode

    def set_indicator(self, side: int) -> None:
        """Indicate to a side, or not; side: an Indicator."""
        side = _integer('indicator', side, 0, 2, ' (0 off, 1 right, 2 left)')
        self._indicator = Indicator(side)
        self._indicator_reference = self.steering_angle

    def set_indicator_period(self, period: float) -> None:
        """Set for how long an indicator is lit, and then dark [s]."""
        period = _number('indicator_period', period, INDICATOR_PERIOD_MIN, INDICATOR_PERIOD_MAX,
                         's')
        self._indicator_period_ns = round(period * NANOSECONDS)

    def set_wiper_mode(self, mode: int) -> None:
        """Set the speed of the wipers; mode: a WiperMode."""
        mode = _integer('wiper_mode', mode, 0, 3, ' (0 down, 1 slow, 2 normal, 3 fast)')
        self._wiper_mode = WiperMode(mode)

    def set_hazard_flashers(self, on: bool) -> None:
        """Let both sides indicate, whatever the indicator says."""
        self.hazard_flashers = bool(on)

    def set_dipped_beams(self, on: bool) -> None:
        """Switch front and rear lights."""
        self.dipped_beams = bool(on)

    def set_antifog_lights(self, on: bool) -> None:
        """Switch the antifog lights."""
        self.antifog_lights = bool(on)

    def enable_limited_slip_differential(self, on: bool) -> None:
        """Let the differential bring driven wheels together, or not."""
        self.limited_slip_differential = bool(on)

    def enable_indicator_auto_disabling(self, on: bool) -> None:
        """Let the indicator go off when the steering wheel is turned back, or not."""
        self.indicator_auto_disabling = bool(on)

    def lamps(self, time_ns: int) -> Lamps:
        """Return which lamps are lit at a simulated time [ns]; all that blink, blink together."""
        return self.lamp_switches().lit(time_ns)

    def lamp_switches(self) -> LampSwitches:
        """Return which lamps are switched on."""
        backwards = (
            (self._mode == ControlMode.TORQUE and self._gear == -1)
            or (self._mode == ControlMode.SPEED and self._cruising_speed < 0.0))
        return LampSwitches(
            self.hazard_flashers or self._indicator == Indicator.LEFT,
            self.hazard_flashers or self._indicator == Indicator.RIGHT,
            self.dipped_beams, self.dipped_beams, self.antifog_lights,
            self._brake_intensity > 0.0, backwards, self.indicator_period)

    # For the powertrain

    def pedals(self) -> PedalControls:
        """Return the controls as the powertrain takes them."""
        return PedalControls(
            float(self._mode), self._throttle, self._brake_intensity, self._car.ratio(self._gear),
            self._cruising_speed, self._tangent, *self._steering_angles,
            float(self.limited_slip_differential))

    def _steer(self, left: float, right: float) -> None:
        self._steering_angles = (left, right)
        lowest, highest = map(math.tan, self._vehicle.steering_range)
        self._tangent = min(max(middle_tangent(left, right), lowest), highest)

    def _cancel_indicator(self, angle: float) -> None:
        if not self.indicator_auto_disabling or self._indicator == Indicator.OFF:
            return
        towards = 1.0 if self._indicator == Indicator.LEFT else -1.0
        self._indicator_reference = towards * max(
            towards * self._indicator_reference, towards * angle)
        # A few rounding errors must not decide.
        if towards * (self._indicator_reference - angle) >= CANCEL_ANGLE * (1.0 - 1e-12):
            self._indicator = Indicator.OFF


def _number(name: str, value: float, low: float, high: float, unit: str = '') -> float:
    expected = f"expected a number from {low:.6g} to {high:.6g}{f' {unit}' if unit else ''}"
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ParameterError(f'{name} is {value!r}, {expected}; nothing is changed') from None
    # NaN fails this, too.
    if not low <= number <= high:
        raise ParameterError(f'{name} is {value!r}, {expected}; nothing is changed')
    return number


def _integer(name: str, value: int, low: int, high: int, meaning: str) -> int:
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        number = low - 1
    if number != value or not low <= number <= high:
        raise ParameterError(
            f'{name} is {value!r}, expected an integer from {low} to {high}{meaning}; nothing is'
            ' changed')
    return number
