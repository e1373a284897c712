# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Driver and Car, after the automobile libraries of Webots (seeds 000 and 001).

Method names, units and signs are the original's, so that a controller runs here with another
import: speeds in km/h, steering positive to the right. The conversion happens in this file alone.
Out-of-range numbers are clamped with a DriverWarning; NaN and unknown enumerators raise
ParameterError, as they cannot be clamped. docs/driver.md compares text, later library and this.
Both classes share this file, as units and signs are to be converted in one place.
"""

from __future__ import annotations

from collections.abc import Sequence
import math
from typing import ClassVar, Protocol
import warnings

from racecar.base.errors import ControlModeError, ParameterError
from racecar.base.share import find_vehicle
from racecar.base.types import (
    INDICATOR_PERIOD_MAX,
    INDICATOR_PERIOD_MIN,
    Lamps,
    LampSwitches,
    NANOSECONDS,
    Odometry,
)
from racecar.driver.controls import Controls, Indicator, WiperMode
from racecar.driver.driven_car import DrivenCar
from racecar.driver.wipers import Wipers
from racecar.dynamics.powertrain.car_parameters import CarParameters, CarType, EngineType
from racecar.dynamics.powertrain.powertrain import ControlMode, PedalControls, Powertrain
from racecar.dynamics.powertrain.steering import wheel_steering_range
from racecar.dynamics.vehicles.double_track import DEFAULT_TYRE_MODEL
from racecar.dynamics.vehicles.parameters import VehicleParameters

DEFAULT_CAR = 'car_2014'
"""Vehicle of a Driver that is given none: the default Car of seed 000."""

TIME_STEP = 0.01
"""Default duration of a step [s]."""

KMH = 3.6
"""km/h for 1 m/s."""

# Ours are left front, right front, left rear, right rear.
_WEBOTS_ORDER = (1, 0, 3, 2)


class DriverWarning(UserWarning):
    """An argument was out of its range and has been clamped."""


class PedalCar(Protocol):
    """What a Driver drives: DrivenCar, or another simulation of the same car."""

    powertrain: Powertrain

    @property
    def time_ns(self) -> int:
        """Simulated time [ns]."""

    @property
    def period_ns(self) -> int:
        """Length of a tick [ns]."""

    @property
    def wheel_speeds(self) -> Sequence[float]:
        """Rotation of left front, right front, left rear, right rear wheel [rad/s]."""

    @property
    def wheel_rotations(self) -> Sequence[float]:
        """Angle through which each wheel has turned [rad]."""

    def set_pedals(self, pedals: PedalControls) -> None:
        """Drive so from the next tick on."""

    def switch_lamps(self, switches: LampSwitches) -> None:
        """Switch the lamps that others see, if there are any."""

    def tick(self) -> None:
        """Advance by one period."""

    def odometry(self) -> Odometry:
        """Return pose and twist of the rear axle's middle."""


def _new_car(car: str, time_step: float, tyre_model: str, world: str | None) -> PedalCar:
    """Return a car in the plane, or in a 3-D world."""
    path = find_vehicle(car)
    if world is not None:
        # Imported here, so that who drives in the plane does not wait for the world.
        from racecar.driver.world_driven_car import world_driven_car

        return world_driven_car(
            path, world, rate=1.0 / time_step, joint_states_rate=1.0 / time_step,
            tyre_model=tyre_model)
    return DrivenCar(
        CarParameters.from_file(path), VehicleParameters.from_file(path),
        tyre_model=tyre_model, period=time_step)


class Driver:
    """What a human driver does in a car; km/h, steering positive to the right.

    Every name of the original is here in its spelling, and the later snake_case properties. A
    Driver has a simulated car of its own; step() advances it.
    """

    INDICATOR_OFF: ClassVar[int] = Indicator.OFF
    INDICATOR_RIGHT: ClassVar[int] = Indicator.RIGHT
    INDICATOR_LEFT: ClassVar[int] = Indicator.LEFT
    UNDEFINED: ClassVar[int] = ControlMode.UNDEFINED
    SPEED: ClassVar[int] = ControlMode.SPEED
    TORQUE: ClassVar[int] = ControlMode.TORQUE
    DOWN: ClassVar[int] = WiperMode.DOWN
    SLOW: ClassVar[int] = WiperMode.SLOW
    NORMAL: ClassVar[int] = WiperMode.NORMAL
    FAST: ClassVar[int] = WiperMode.FAST

    def __init__(
        self, car: str = DEFAULT_CAR, *, time_step: float = TIME_STEP,
        duration: float = math.inf, tyre_model: str = DEFAULT_TYRE_MODEL,
        plant: PedalCar | None = None, world: str | None = None,
    ) -> None:
        """Put a car at rest, held until the first throttle or cruising speed.

        car: a vehicle's file or its name in config/vehicles; time_step: duration of a step [s];
        duration: simulated time after which step() returns -1 [s]; tyre_model: of the car's
        tyres; plant: drives this one instead, with its own car and time step; world: drives in
        the 3-D world of this name or file instead of the plane.
        Raises ConfigurationError or ParameterError for what cannot be simulated.
        """
        if plant is None:
            plant = _new_car(car, time_step, tyre_model, world)
        if not duration > 0.0:
            raise ParameterError(f'duration is {duration!r} s, expected a positive number')
        self._plant = plant
        self._powertrain = plant.powertrain
        self._end = duration
        self._controls = Controls(self._powertrain.car, self._powertrain.vehicle)
        self._wipers = Wipers()

    # Time

    def step(self) -> int:
        """Advance by one time step; return 0, or -1 once the duration is over.

        Raises DivergenceError.
        """
        if self.getTime() >= self._end:
            return -1
        plant = self._plant
        plant.set_pedals(self._controls.pedals())
        plant.switch_lamps(self._controls.lamp_switches())
        self._wipers.advance(
            self._controls.wiper_mode, plant.time_ns, plant.period_ns / NANOSECONDS)
        plant.tick()
        return 0

    def getTime(self) -> float:
        """Return the simulated time [s]."""
        return self._plant.time_ns / NANOSECONDS

    def getData(self) -> str:
        """Return the text that the vehicle's file has in its field data."""
        return self._powertrain.vehicle.extension.data

    def getBasicTimeStep(self) -> float:
        """Return the time step [ms]."""
        return self._plant.period_ns * 1e-6

    # Motion

    def setSteeringAngle(self, steeringAngle: float) -> None:
        """Steer, Ackermann geometry: angle of the virtual middle wheel [rad, right positive]."""
        lowest, highest = self._powertrain.vehicle.steering_range
        self._controls.set_steering_angle(
            0.0 - _clamped('steering angle', steeringAngle, -highest, -lowest, 'rad'))

    def getSteeringAngle(self) -> float:
        """Return the angle of the virtual middle wheel, from both wheels [rad, right +]."""
        return 0.0 - self._controls.steering_angle

    def setCruisingSpeed(self, speed: float) -> None:
        """Let the cruise control drive at a speed [km/h], negative backwards."""
        vehicle = self._powertrain.vehicle
        self._controls.set_cruising_speed(_clamped(
            'cruising speed', speed, vehicle.speed_min * KMH, vehicle.speed_max * KMH,
            'km/h') / KMH)

    def getTargetCruisingSpeed(self) -> float:
        """Return the speed that was set last [km/h]."""
        return self._controls.cruising_speed * KMH

    def getCurrentSpeed(self) -> float:
        """Return the speed that the driven wheels tell [km/h], negative backwards."""
        return KMH * self._powertrain.speed(self._controls.pedals(), self._plant.wheel_speeds)

    def setThrottle(self, throttle: float) -> None:
        """Let the engine drive; throttle: 0 to 1."""
        self._controls.set_throttle(_clamped('throttle', throttle, 0.0, 1.0))

    def getThrottle(self) -> float:
        """Return the throttle, 0 to 1."""
        return self._controls.throttle

    def setBrakeIntensity(self, intensity: float) -> None:
        """Brake; intensity: 0 to 1. Cruise control is suspended meanwhile."""
        self._controls.set_brake_intensity(_clamped('brake intensity', intensity, 0.0, 1.0))

    def getBrakeIntensity(self) -> float:
        """Return how much the brake is applied, 0 to 1."""
        return self._controls.brake_intensity

    # Their names in the seeds.
    setBrake, getBrake = setBrakeIntensity, getBrakeIntensity

    def getRpm(self) -> float:
        """Return the speed of the engine [rev/min].

        Raises ControlModeError in speed mode, which has no engine.
        """
        if self._controls.mode == ControlMode.SPEED:
            raise ControlModeError(
                'there is no engine speed while the cruise control drives: it turns the wheels'
                ' directly. Call setThrottle() first, or ask getControlMode()')
        return self._powertrain.rpm(self._controls.pedals(), self._plant.wheel_speeds)

    def setGear(self, gear: int) -> None:
        """Engage a gear: -1 reverse, 0 neutral, 1 to getGearNumber() - 1."""
        self._controls.set_gear(int(_clamped(
            'gear', gear, -1, self._powertrain.car.highest_gear)))

    def getGear(self) -> int:
        """Return the engaged gear."""
        return self._controls.gear

    def getGearNumber(self) -> int:
        """Return the number of gears, reverse included."""
        return len(self._powertrain.car.gear_ratio)

    def getControlMode(self) -> int:
        """Return UNDEFINED before the first throttle or cruising speed, then SPEED or TORQUE."""
        return self._controls.mode

    # Lamps and wipers

    def setIndicator(self, state: int) -> None:
        """Indicate: INDICATOR_OFF, INDICATOR_RIGHT or INDICATOR_LEFT."""
        self._controls.set_indicator(state)

    def getIndicator(self) -> int:
        """Return the side that indicates."""
        return self._controls.indicator

    def setHazardFlashers(self, state: bool) -> None:
        """Let both sides indicate."""
        self._controls.set_hazard_flashers(state)

    def getHazardFlashers(self) -> bool:
        """Return whether the hazard flashers are on."""
        return self._controls.hazard_flashers

    # Its name in seed 000.
    setIndicatorWarning = setHazardFlashers

    def setDippedBeams(self, state: bool) -> None:
        """Switch front and rear lights."""
        self._controls.set_dipped_beams(state)

    def getDippedBeams(self) -> bool:
        """Return whether front and rear lights are on."""
        return self._controls.dipped_beams

    def setAntifogLights(self, state: bool) -> None:
        """Switch the antifog lights."""
        self._controls.set_antifog_lights(state)

    def getAntifogLights(self) -> bool:
        """Return whether the antifog lights are on."""
        return self._controls.antifog_lights

    def setWiperMode(self, mode: int) -> None:
        """Set the wipers: DOWN, SLOW, NORMAL or FAST."""
        self._controls.set_wiper_mode(mode)

    def getWiperMode(self) -> int:
        """Return the mode of the wipers."""
        return self._controls.wiper_mode

    # Not in the original

    @property
    def odometry(self) -> Odometry:
        """Pose and twist of the rear axle's middle, SI units and REP-103 signs."""
        return self._plant.odometry()

    @property
    def lamps(self) -> Lamps:
        """Which lamps are lit now."""
        return self._controls.lamps(self._plant.time_ns)

    @property
    def engine_torque(self) -> float:
        """Torque of the engine before the gearbox [N m]; 0 but in torque mode.

        That in the gear that is chosen, whether or not it is still being shifted.
        """
        return self._powertrain.engine_torque(self._controls.pedals(), self._plant.wheel_speeds)

    @property
    def wiper_angle(self) -> float:
        """Angle of the wipers from where they park [rad]."""
        return self._wipers.angle

    steering_angle = property(getSteeringAngle, setSteeringAngle)
    target_cruising_speed = property(getTargetCruisingSpeed, setCruisingSpeed)
    current_speed = property(getCurrentSpeed)
    throttle = property(getThrottle, setThrottle)
    brake_intensity = property(getBrakeIntensity, setBrakeIntensity)
    indicator = property(getIndicator, setIndicator)
    hazard_flashers = property(getHazardFlashers, setHazardFlashers)
    dipped_beams = property(getDippedBeams, setDippedBeams)
    antifog_lights = property(getAntifogLights, setAntifogLights)
    rpm = property(getRpm)
    gear = property(getGear, setGear)
    gear_number = property(getGearNumber)
    control_mode = property(getControlMode)
    wiper_mode = property(getWiperMode, setWiperMode)


class Car(Driver):
    """A Driver who also sees and sets what the car hides from a human driver."""

    TRACTION: ClassVar[int] = CarType.TRACTION
    PROPULSION: ClassVar[int] = CarType.PROPULSION
    FOUR_BY_FOUR: ClassVar[int] = CarType.FOUR_BY_FOUR
    COMBUSTION_ENGINE: ClassVar[int] = EngineType.COMBUSTION
    ELECTRIC_ENGINE: ClassVar[int] = EngineType.ELECTRIC
    PARALLEL_HYBRID_ENGINE: ClassVar[int] = EngineType.PARALLEL_HYBRID
    POWER_SPLIT_HYBRID_ENGINE: ClassVar[int] = EngineType.POWER_SPLIT_HYBRID
    WHEEL_FRONT_RIGHT: ClassVar[int] = 0
    WHEEL_FRONT_LEFT: ClassVar[int] = 1
    WHEEL_REAR_RIGHT: ClassVar[int] = 2
    WHEEL_REAR_LEFT: ClassVar[int] = 3
    WHEEL_NB: ClassVar[int] = 4

    def getType(self) -> int:
        """Return TRACTION, PROPULSION or FOUR_BY_FOUR."""
        return self._powertrain.car.car_type

    def getEngineType(self) -> int:
        """Return the kind of engine, e.g. ELECTRIC_ENGINE."""
        return self._powertrain.car.engine_kind

    def setIndicatorPeriod(self, period: float) -> None:
        """Set for how long an indicator is lit, and then dark: half of its cycle [s]."""
        self._controls.set_indicator_period(_clamped(
            'indicator period', period, INDICATOR_PERIOD_MIN, INDICATOR_PERIOD_MAX, 's'))

    def getIndicatorPeriod(self) -> float:
        """Return for how long an indicator is lit [s]."""
        return self._controls.indicator_period

    def getBackwardsLights(self) -> bool:
        """Return whether the reversing lights are lit."""
        return self.lamps.backwards

    def getBrakeLights(self) -> bool:
        """Return whether the brake lights are lit."""
        return self.lamps.brake

    def getTrackFront(self) -> float:
        """Return the distance between the front wheels [m]."""
        return self._powertrain.vehicle.track_widths[0]

    def getTrackRear(self) -> float:
        """Return the distance between the rear wheels [m]."""
        return self._powertrain.vehicle.track_widths[1]

    def getWheelbase(self) -> float:
        """Return the distance between the axles [m]."""
        return self._powertrain.vehicle.wheelbase

    def getFrontWheelRadius(self) -> float:
        """Return the radius of the front wheels [m]."""
        return self._powertrain.vehicle.wheel_radii[0]

    def getRearWheelRadius(self) -> float:
        """Return the radius of the rear wheels [m]."""
        return self._powertrain.vehicle.wheel_radii[1]

    def getWheelEncoder(self, wheel: int) -> float:
        """Return how far a wheel has turned [rad]; wheel: e.g. WHEEL_FRONT_RIGHT."""
        return float(self._plant.wheel_rotations[self._index(wheel)])

    def getWheelSpeed(self, wheel: int) -> float:
        """Return how fast a wheel turns [rad/s]; wheel: e.g. WHEEL_FRONT_RIGHT."""
        return float(self._plant.wheel_speeds[self._index(wheel)])

    def setLeftSteeringAngle(self, angle: float) -> None:
        """Steer the left front wheel alone [rad, right positive]."""
        self._controls.set_left_steering_angle(
            0.0 - _clamped('left steering angle', angle, *self._wheel_range, 'rad'))

    def getLeftSteeringAngle(self) -> float:
        """Return the angle of the left front wheel [rad, right positive]."""
        return 0.0 - self._controls.steering_angles[0]

    def setRightSteeringAngle(self, angle: float) -> None:
        """Steer the right front wheel alone [rad, right positive]."""
        self._controls.set_right_steering_angle(
            0.0 - _clamped('right steering angle', angle, *self._wheel_range, 'rad'))

    def getRightSteeringAngle(self) -> float:
        """Return the angle of the right front wheel [rad, right positive]."""
        return 0.0 - self._controls.steering_angles[1]

    def enableLimitedSlipDifferential(self, enable: bool) -> None:
        """Let the differential bring driven wheels together (as at the start), or not."""
        self._controls.enable_limited_slip_differential(enable)

    def enableIndicatorAutoDisabling(self, enable: bool) -> None:
        """Let the indicator go off when the wheel is turned back (as at the start), or not."""
        self._controls.enable_indicator_auto_disabling(enable)

    @property
    def _wheel_range(self) -> tuple[float, float]:
        """Lowest and highest angle of a front wheel [rad, right positive]."""
        lowest, highest = wheel_steering_range(self._powertrain.vehicle)
        return -highest, -lowest

    def _index(self, wheel: int) -> int:
        if wheel not in range(self.WHEEL_NB):
            raise ParameterError(
                f'wheel is {wheel!r}, expected 0 (front right), 1 (front left), 2 (rear right) or'
                ' 3 (rear left)')
        return _WEBOTS_ORDER[wheel]

    type = property(getType)
    engine_type = property(getEngineType)
    indicator_period = property(getIndicatorPeriod, setIndicatorPeriod)
    backwards_lights = property(getBackwardsLights)
    brake_lights = property(getBrakeLights)
    track_front = property(getTrackFront)
    track_rear = property(getTrackRear)
    wheelbase = property(getWheelbase)
    front_wheel_radius = property(getFrontWheelRadius)
    rear_wheel_radius = property(getRearWheelRadius)
    right_steering_angle = property(getRightSteeringAngle, setRightSteeringAngle)
    left_steering_angle = property(getLeftSteeringAngle, setLeftSteeringAngle)


def _clamped(name: str, value: float, low: float, high: float, unit: str = '') -> float:
    number = float(value)
    unit = f' {unit}' if unit else ''
    if math.isnan(number):
        raise ParameterError(
            f'{name} is NaN, expected a number from {low:.6g} to {high:.6g}{unit}; nothing is'
            ' changed')
    if low <= number <= high:
        return number
    nearest = min(max(number, low), high)
    warnings.warn(
        f'{name} {number:.6g}{unit} is out of range, {nearest:.6g}{unit} is taken: expected'
        f' {low:.6g} to {high:.6g}{unit}', DriverWarning, stacklevel=3)
    return nearest
