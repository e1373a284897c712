# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Options of environments: one table for make_env(), gymnasium.make() and docs/gym.md."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
import math
from typing import Annotated, cast, NamedTuple

from racecar.base.errors import ConfigurationError, excerpt, ParameterError
from racecar.base.parameter_fields import made_of, Row, table_of, with_plain_signature
from racecar.base.parameters import ParameterTable, suggest
from racecar.base.share import find_vehicle
from racecar.base.values import number_of, Values
from racecar.control.gap_following import GapSettings
from racecar.control.policy.contract import (
    ActionChannel,
    FEATURE_PARAMETERS,
    LONGITUDINAL,
    STEERING,
)
from racecar.control.policy.features import (
    Channel,
    channels_of,
    DEFAULT_PARTS,
    FeatureSettings,
    part_numbers,
    PARTS,
)
from racecar.dynamics.actuators import ACTUATOR_PARAMETERS, Actuators, Channels
from racecar.dynamics.vehicles.parameters import (
    VEHICLE_COLUMNS,
    VEHICLE_PARAMETERS,
    VehicleParameters,
)
from racecar.gym.cameras import CAMERA, CAMERA_PARAMETERS, CameraSettings
from racecar.gym.following import FOLLOWER_PARAMETERS, FollowerSettings
from racecar.gym.randomisation import Distribution, distribution_of
from racecar.gym.rewards import (
    END_PARAMETERS,
    Ending,
    EndRules,
    Reward,
    reward_weights,
    RewardWeights,
    rules_end,
    weighted_reward,
)
from racecar.gym.things import DrawnZone, furnished, things_of
from racecar.gym.tracks import Track, tracks_of
from racecar.scene.track import SHAPE, TrackShape
from racecar.simulation.car_parameters import COMMANDED_CAR_PARAMETERS
from racecar.simulation.contact import POLICIES

START_RANDOM, START_GRID = 'random', 'grid'
FOLLOWER, GAP, STANDING = STOCK_OPPONENTS = 'follower', 'gap', 'standing'

GAP_PARAMETERS = table_of(GapSettings, 'gap.')


@with_plain_signature
class EnvSettings(NamedTuple):
    """Options of an environment that are numbers, names and switches."""

    line: Annotated[str, Row(
        'Closed centre line, by name in config/tracks or as a CSV file; by default that of the'
        " track's name, else the one found in its map")] = ''
    track_seed: Annotated[int, Row('First seed of generated tracks', minimum=0)] = 1
    track_count: Annotated[int, Row(
        'How many generated tracks; world k drives on track k modulo this', minimum=1,
        maximum=1000)] = 1
    cars: Annotated[int, Row('Cars in a world', minimum=1, maximum=120)] = 1
    vehicle: Annotated[str, Row('Vehicle, by name or as a parameter file')] = 'racecar'
    rate: Annotated[float, Row('Actions in a second', 'Hz', above=0.0, maximum=1000.0)] = 20.0
    longitudinal: Annotated[str, Row(
        'What the first number of an action commands', choices=LONGITUDINAL)] = 'speed'
    steering: Annotated[str, Row(
        'What the second number commands, left positive', choices=STEERING)] = 'angle'
    slowest: Annotated[float, Row(
        'Lowest speed of an action, at least that of the vehicle', 'm/s')] = 0.0
    fastest: Annotated[float, Row(
        'Highest speed of an action, at most that of the vehicle', 'm/s')] = 8.0
    acceleration_max: Annotated[float, Row(
        'Maximum acceleration of an action, and deceleration', 'm/s^2', above=0.0,
        maximum=100.0)] = 5.0
    steering_rate_max: Annotated[float, Row(
        'Maximum rate of the steering angle of an action', 'rad/s', above=0.0,
        maximum=100.0)] = 3.2
    scaled: Annotated[bool, Row(
        'Whether actions lie in -1 to 1 and observations near it, or both are in SI units')] = True
    time_limit: Annotated[float, Row(
        'Time after which an episode is truncated', 's', above=0.0, maximum=1e6)] = 60.0
    start: Annotated[str, Row(
        'Where cars start: anywhere along the line, or behind its start as on a grid',
        choices=(START_RANDOM, START_GRID))] = START_RANDOM
    start_offset: Annotated[float, Row(
        'Maximum offset of a start from the line', 'm', minimum=0.0, maximum=100.0)] = 0.2
    start_heading: Annotated[float, Row(
        'Maximum angle between a car at its start and the line', 'rad', minimum=0.0,
        maximum=math.pi)] = 0.1
    start_spacing: Annotated[float, Row(
        'Way along the line from one car to the next at the start', 'm', above=0.0,
        maximum=1000.0)] = 1.5
    contact: Annotated[str, Row(
        'What happens at a contact, see docs/python.md', choices=POLICIES)] = 'stop'
    scan_noise: Annotated[float, Row(
        'Standard deviation of the ranges of a scan', 'm', minimum=0.0, maximum=10.0)] = 0.01
    laser_ahead: Annotated[float, Row(
        'Position of the laser ahead of base_link', 'm', minimum=-100.0, maximum=100.0)] = 0.0


SETTING_PARAMETERS = table_of(EnvSettings, '')

OPTION_PARAMETERS = ParameterTable([
    *SETTING_PARAMETERS, *FEATURE_PARAMETERS, *END_PARAMETERS, *FOLLOWER_PARAMETERS,
    *GAP_PARAMETERS, *CAMERA_PARAMETERS])
"""Options of an environment, those of its car apart."""

CAR_DEFAULTS = {'tyre_model': 'fiala'}
"""Where cars of environments differ from those of simulators: their tyres let go."""

START_SPEED, START_WAY, START_OFFSET, START_HEADING = STARTS = (
    'start.speed', 'start.way', 'start.offset', 'start.heading')
"""Distributions of starts: speed [m/s], of the first car the way along the line [m], and of each
the offset to the left of it [m] and the angle to it [rad]."""

MOVING_BEGIN = 'moving.begin'
"""Distribution of the time of its motion at which each moving thing begins an episode [s]."""

SCAN_NOISE, OPPONENTS = 'scan_noise', 'opponents'
"""What an option says of all episodes may be drawn for each: a distribution of the noise of each
car [m], and a list of names of which one is drawn for each car after the first."""

_OTHERS = ('track', 'observation', 'reward', 'ended', 'randomise', 'opponents', 'shape',
           'friction_zones', 'moving')


@dataclass(frozen=True, eq=False)
class EnvOptions:
    """All that decides how an environment is, resolved.

    parts: of an observation; values: of the car, by COMMANDED_CAR_PARAMETERS; randomised: by
    vehicle.NAME, in an order of their own; opponents: who drives the cars after the first, of
    each the names of which an episode draws one;
    camera: of observations, None without; has_numbers: whether they have more than its pictures;
    zones: friction zones that each episode places.
    """

    tracks: tuple[Track, ...]
    settings: EnvSettings
    features: FeatureSettings
    parts: tuple[str, ...]
    rules: EndRules
    weights: RewardWeights
    reward: Reward
    ended: Ending
    follower: FollowerSettings
    gap: GapSettings
    values: Values
    vehicle: VehicleParameters
    randomised: Mapping[str, Distribution]
    opponents: tuple[tuple[str, ...], ...]
    camera: CameraSettings | None = None
    has_numbers: bool = True
    zones: tuple[DrawnZone, ...] = ()

    @property
    def speeds(self) -> tuple[float, float]:
        """Lowest and highest speed of an action [m/s]."""
        return (max(self.settings.slowest, self.vehicle.speed_min),
                min(self.settings.fastest, self.vehicle.speed_max))

    @property
    def steering_max(self) -> float:
        """Largest steering angle of the vehicle [rad]."""
        return max(map(abs, self.vehicle.steering_range))

    def channels(self, drawn: Mapping[str, float]) -> Channels:
        """Actuators with some of ACTUATOR_PARAMETERS; delays become whole steps."""
        step = number_of(self.values, 'step')
        return Actuators({**self.values, **{
            name: step * round(value / step) if name.endswith('_delay') else value
            for name, value in drawn.items()}}, step).channels

    @property
    def randomised_actuators(self) -> dict[str, Distribution]:
        """Distributions of ACTUATOR_PARAMETERS that may differ from none."""
        return {name: distribution for name, distribution in self.randomised.items()
                if name in ACTUATOR_PARAMETERS
                and any(end != ACTUATOR_PARAMETERS[name].default for end in distribution.ends)}

    @property
    def slowest_actuators(self) -> Values:
        """Values of a car with actuators whose delays are the longest that may be drawn."""
        step, values = number_of(self.values, 'step'), dict(self.values)
        for name, distribution in self.randomised_actuators.items():
            low, high = distribution.ends
            # Rounded up, so that a car which may have a delay has actuators.
            values[name] = step * math.ceil(high / step) if name.endswith('_delay') else (
                low if high == ACTUATOR_PARAMETERS[name].default else high)
        return values

    @property
    def observation(self) -> tuple[Channel, ...]:
        """Numbers of an observation."""
        return channels_of(
            self.parts, self.features, self.vehicle.speed_max, self.steering_max)

    @property
    def action(self) -> tuple[ActionChannel, ...]:
        """Numbers of an action."""
        settings, most = self.settings, self.settings.acceleration_max
        turn = settings.steering_rate_max
        return (
            ActionChannel('speed', 'm/s', *self.speeds) if settings.longitudinal == 'speed'
            else ActionChannel('acceleration', 'm/s^2', -most, most),
            ActionChannel('angle', 'rad', *self.vehicle.steering_range)
            if settings.steering == 'angle' else ActionChannel('rate', 'rad/s', -turn, turn))


def resolve_options(given: Mapping[str, object]) -> EnvOptions:
    """Options from those that a user gives.

    Raises ConfigurationError or ParameterError with the value, what was expected, and the nearest
    names for one that there is not.
    """
    known = [*OPTION_PARAMETERS, *COMMANDED_CAR_PARAMETERS]
    names = [row.name for row in known]
    for name in given:
        if name not in names and name not in _OTHERS:
            raise ConfigurationError(
                f'an environment has no option {excerpt(name)};'
                f' {suggest(str(name), [*names, *_OTHERS])}')
    options = OPTION_PARAMETERS.resolve(
        {name: value for name, value in given.items() if name in OPTION_PARAMETERS})
    values = COMMANDED_CAR_PARAMETERS.resolve(
        {**CAR_DEFAULTS, **{
            name: value for name, value in given.items() if name in COMMANDED_CAR_PARAMETERS}})
    settings = made_of(EnvSettings, '', options)
    vehicle = VehicleParameters.from_file(find_vehicle(settings.vehicle))
    seen = _seen(given.get('observation', DEFAULT_PARTS))
    own, weights = _reward(given.get('reward', 'progress'))
    ended = given.get('ended', rules_end)
    if not callable(ended):
        raise ConfigurationError(
            f'ended is {excerpt(ended)}, expected a function of view and rules; what the rules say'
            ' is chosen by end.contact and the like')
    things = things_of(given.get('friction_zones'), given.get('moving'))
    found = EnvOptions(
        tuple(furnished(track, things.scene) for track in tracks_of(
            given.get('track', 'racetrack'), settings.line, settings.track_seed,
            settings.track_count, _shape(given.get('shape')))),
        settings, made_of(FeatureSettings, '', options), seen.parts,
        made_of(EndRules, 'end.', options), weights, own, cast(Ending, ended),
        made_of(FollowerSettings, 'follower.', options), made_of(GapSettings, 'gap.', options),
        values, vehicle,
        _randomised(given.get('randomise')), _opponents(given, settings.cars),
        made_of(CameraSettings, 'camera.', options) if seen.has_camera else None, seen.has_numbers,
        things.drawn)
    _check_begins(found)
    flying = found.randomised.get(START_SPEED)
    if flying is not None and not (
            vehicle.speed_min <= flying.ends[0] and flying.ends[1] <= vehicle.speed_max):
        raise ConfigurationError(
            f"randomise['{START_SPEED}'] draws {flying.ends[0]:g} to {flying.ends[1]:g} m/s,"
            f' expected speeds of the vehicle, {vehicle.speed_min:g} to {vehicle.speed_max:g} m/s')
    if not found.speeds[0] < found.speeds[1]:
        raise ConfigurationError(
            f'slowest is {settings.slowest:g} m/s and fastest {settings.fastest:g} m/s, of the'
            f' vehicle {vehicle.speed_min:g} to {vehicle.speed_max:g} m/s: expected a range')
    return found


def _check_begins(options: EnvOptions) -> None:
    begins = options.randomised.get(MOVING_BEGIN)
    if begins is None:
        return
    if begins.ends[0] < 0.0:
        raise ConfigurationError(
            f"randomise['{MOVING_BEGIN}'] draws {begins.ends[0]:g} to {begins.ends[1]:g} s,"
            ' expected times from 0 on')
    if not any(track.scene.moving for track in options.tracks):
        raise ConfigurationError(
            f"randomise has '{MOVING_BEGIN}', and nothing moves on the tracks: give moving, or"
            ' leave it out')


class _Seen(NamedTuple):
    """Parts of an observation that are numbers, whether it has any, and whether a camera."""

    parts: tuple[str, ...]
    has_numbers: bool
    has_camera: bool


def _seen(given: object) -> _Seen:
    """What an observation has. Raises ConfigurationError as part_numbers()."""
    if isinstance(given, Sequence) and not isinstance(given, str) and CAMERA in given:
        others = [name for name in given if name != CAMERA]
        if len(others) + 1 < len(given):
            raise ConfigurationError(
                f'observation has the part {CAMERA} twice, expected it once')
        numbers = part_numbers(others or DEFAULT_PARTS)
        return _Seen(tuple(PARTS[number] for number in numbers), bool(others), True)
    return _Seen(tuple(PARTS[number] for number in part_numbers(given)), True, False)


def _reward(given: object) -> tuple[Reward, RewardWeights]:
    if callable(given) and not isinstance(given, RewardWeights):
        return cast(Callable[..., float], given), RewardWeights()
    return weighted_reward, reward_weights(given)


def _shape(given: object) -> TrackShape:
    if given is None:
        return SHAPE
    if isinstance(given, TrackShape):
        return given
    if not isinstance(given, Mapping):
        raise ConfigurationError(
            f'shape is {excerpt(given)}, expected numbers by name of'
            f' {", ".join(TrackShape._fields)}')
    for name in given:
        if name not in TrackShape._fields:
            raise ConfigurationError(
                f'shape has no {excerpt(name)}; {suggest(str(name), TrackShape._fields)}')
    return SHAPE._replace(**{name: float(value) for name, value in given.items()})


def _randomised(given: object) -> Mapping[str, Distribution]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ConfigurationError(
            f'randomise is {excerpt(given)}, expected distributions by parameter, for example'
            " {'vehicle.mass': (3.0, 4.0)}")
    names = sorted([*VEHICLE_COLUMNS, *(row.name for row in ACTUATOR_PARAMETERS), *STARTS,
                    MOVING_BEGIN, SCAN_NOISE, OPPONENTS])
    for name in given:
        if name not in names:
            raise ConfigurationError(
                f'randomise has {excerpt(name)}, which cannot differ from episode to episode;'
                f' {suggest(str(name), names)}')
    # Not in the order in which a user writes them.
    found = {name: distribution_of(name, given[name])
             for name in sorted(given) if name != OPPONENTS}
    for name, distribution in found.items():
        if name not in STARTS and name != MOVING_BEGIN:
            rows = next(table for table in (
                ACTUATOR_PARAMETERS, SETTING_PARAMETERS, VEHICLE_PARAMETERS) if name in table)
            for end in distribution.ends:
                try:
                    rows[name].validate(end)
                except ParameterError as error:
                    raise ParameterError(
                        f"randomise['{name}'] is {excerpt(given[name])}, which draws {end:g}:"
                        f' {error}') from error
    return found


def _opponents(given: Mapping[str, object], cars: int) -> tuple[tuple[str, ...], ...]:
    others, fixed = cars - 1, given.get(OPPONENTS)
    randomised = given.get('randomise')
    if isinstance(randomised, Mapping) and OPPONENTS in randomised:
        return _drawn_opponents(randomised[OPPONENTS], fixed, others)
    if fixed is None:
        return ((FOLLOWER,),) * others
    names = [fixed] * others if isinstance(fixed, str) else fixed
    if not isinstance(names, Sequence) or len(names) != others or not all(
            isinstance(name, str) for name in names):
        raise ConfigurationError(
            f'opponents is {excerpt(fixed)}, expected one of {", ".join(STOCK_OPPONENTS)} or a'
            f' policy file for all, or a list of {others}: one for each car after the first')
    return tuple((name,) for name in _known_opponents(names))


def _drawn_opponents(drawn: object, fixed: object, others: int) -> tuple[tuple[str, ...], ...]:
    said = f"randomise['{OPPONENTS}'] is {excerpt(drawn)}"
    if fixed is not None:
        raise ConfigurationError(
            f'{said}, and opponents {excerpt(fixed)}, expected one of them')
    if not others:
        raise ConfigurationError(f'{said}, and there is one car, expected cars of at least 2')
    if not isinstance(drawn, Sequence) or isinstance(drawn, str) or not drawn or not all(
            isinstance(name, str) for name in drawn):
        raise ConfigurationError(
            f'{said}, expected a list of {", ".join(STOCK_OPPONENTS)} and policy files, of which'
            ' each episode draws one for each car after the first')
    return (_known_opponents(drawn),) * others


def _known_opponents(names: Sequence[str]) -> tuple[str, ...]:
    for name in names:
        if name not in STOCK_OPPONENTS and not name.endswith('.onnx'):
            raise ConfigurationError(
                f'an opponent is {excerpt(name)}, expected {", ".join(STOCK_OPPONENTS)} or a'
                ' policy file that ends in .onnx')
    return tuple(names)
