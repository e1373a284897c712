# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rewards and ends of episodes: pure functions of what a car did in a period.

A function of the user's takes their place with the same arguments; it is compiled with the loop
over all cars, so it works on numbers, without Python objects.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
import math
from typing import Annotated, NamedTuple

from racecar.base.compiled import pure
from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.parameter_fields import made_of, Row, table_of, with_plain_signature
from racecar.base.parameters import suggest
from racecar.control.policy.features import CarView


class Guide(NamedTuple):
    """What the stock follower of the line would command: speed [m/s], steering angle [rad]."""

    speed: float
    steering_angle: float


@with_plain_signature
class RewardWeights(NamedTuple):
    """Reward of a period: the sum of these, each times what it is for."""

    progress: Annotated[float, Row('for each metre along the line', '1/m')] = 0.0
    speed: Annotated[float, Row("for each metre along the car's own axis", '1/m')] = 0.0
    time: Annotated[float, Row('for each second', '1/s')] = 0.0
    guided: Annotated[float, Row(
        'for a command like that of the stock follower: 1 if it is equal, 0 if speed and steering'
        ' differ by their largest values in sum')] = 0.0
    lap: Annotated[float, Row('for each complete lap')] = 0.0
    contact: Annotated[float, Row('for a contact, with which an episode ends or not')] = 0.0
    off_track: Annotated[float, Row('for each second off the track', '1/s')] = 0.0
    offset: Annotated[float, Row(
        'for each second and square metre of offset from the line', '1/(s m^2)')] = 0.0
    steering: Annotated[float, Row(
        'for the square of each change of the steering angle', '1/rad^2')] = 0.0


REWARDS: Mapping[str, RewardWeights] = {
    'progress': RewardWeights(progress=0.1, contact=-1.0),
    'time': RewardWeights(time=-1.0, lap=10.0, contact=-10.0, progress=0.01),
    # B. D. Evans, H. A. Engelbrecht, H. W. Jordaan, High-speed autonomous racing using
    # trajectory-aided deep reinforcement learning, IEEE RA-L 8, 2023: 0.2 for the likeness, 1 for
    # a lap, -1 for a crash; for 20 actions a second.
    'tal': RewardWeights(guided=0.2, lap=1.0, contact=-1.0),
    'alive': RewardWeights(time=1.0),
}
"""Rewards by name."""

REWARD_PARAMETERS = table_of(RewardWeights, 'reward.')

Reward = Callable[[CarView, CarView, Guide, RewardWeights], float]
"""reward(before, after, guide, weights): of a period between two views of a car."""


@pure
def weighted_reward(
    before: CarView, after: CarView, guide: Guide, weights: RewardWeights,
) -> float:
    """Sum of what the weights are for."""
    period = after.time - before.time
    lap, last = after.lap, before.lap
    driven = lap.driven - last.driven
    along = 0.5 * period * (before.motion.vx + after.motion.vx)
    likeness = 1.0 - (abs(after.speed - guide.speed) / after.speed_max
                      + abs(after.steering_angle - guide.steering_angle) / after.steering_max)
    turned = after.steering_angle - before.steering_angle
    offset = 0.0 if math.isnan(lap.offset) else lap.offset
    return (weights.progress * driven + weights.speed * along + weights.time * period
            + weights.guided * max(likeness, 0.0) + weights.lap * (lap.laps - last.laps)
            + weights.contact * min(after.contact, 1.0)
            + weights.off_track * lap.off_track * period
            + weights.offset * period * offset * offset
            + weights.steering * turned * turned)


@with_plain_signature
class EndRules(NamedTuple):
    """What ends an episode of a car for good; a time limit truncates it besides."""

    contact: Annotated[bool, Row('a contact with what stands around or another car')] = True
    off_track: Annotated[bool, Row('leaving the track, as wide as its line says')] = False
    wrong_way: Annotated[bool, Row('going the wrong way')] = True
    laps: Annotated[int, Row('so many complete laps; 0: never', minimum=0, maximum=10000)] = 0


END_PARAMETERS = table_of(EndRules, 'end.')

Ending = Callable[[CarView, EndRules], bool]
"""ended(view, rules): whether an episode ends for a car, for good."""


@pure
def rules_end(view: CarView, rules: EndRules) -> bool:
    """Whether one of the rules ends it."""
    return ((rules.contact > 0 and view.contact > 0.0)
            or (rules.off_track > 0 and view.lap.off_track > 0.0)
            or (rules.wrong_way > 0 and view.lap.wrong_way > 0.0)
            or (rules.laps > 0 and view.lap.laps >= rules.laps))


def reward_weights(given: object) -> RewardWeights:
    """Weights of a name of REWARDS, or by name.

    Raises ConfigurationError or ParameterError with what is expected.
    """
    if isinstance(given, RewardWeights):
        return given
    if isinstance(given, str):
        if given not in REWARDS:
            raise ConfigurationError(
                f'there is no reward {excerpt(given)}; {suggest(given, list(REWARDS))}')
        return REWARDS[given]
    if not isinstance(given, Mapping):
        raise ConfigurationError(
            f'reward is {excerpt(given)}, expected a name of {", ".join(REWARDS)}, weights by'
            f' name of {", ".join(RewardWeights._fields)}, or a function of before, after, guide'
            ' and weights')
    return made_of(RewardWeights, 'reward.', REWARD_PARAMETERS.resolve(
        {f'reward.{name}': value for name, value in given.items()}))
