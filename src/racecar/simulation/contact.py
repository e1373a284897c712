# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What happens to cars that run into each other or into what stands around."""

from __future__ import annotations

from typing import NamedTuple

from racecar.base.compiled import pure, routine
from racecar.base.errors import ConfigurationError
from racecar.base.parameters import Parameter
from racecar.base.touch import Touch
from racecar.base.types import NANOSECONDS
from racecar.base.values import number_of, text_of, Values
from racecar.dynamics.impulse import Body
from racecar.scene.overlaps import Rectangle
from racecar.scene.surroundings import is_taken, Surroundings

NONE, STOP, IMPULSE = 'none', 'stop', 'impulse'
POLICIES = (NONE, STOP, IMPULSE)

_RESTITUTION, _FRICTION = 0.2, 0.5

ROUNDS = 4
"""Most rounds of hits after a step; what is still in something then is looked at a step later."""

# Cars that overlap are moved apart by at most so much in a round [m], and by so much more than
# they overlap, against rounding.
_FARTHEST, _MORE = 0.01, 1e-9
# A car is moved out of what stands there by at most so many doublings of the depth.
_PUSHES = 8


class Contact(NamedTuple):
    """What happens to cars that run into each other or into what stands around.

    policy: `stop`: a car stands where it was before until its next command, as the cars of a
    Simulator; two that meet both stand; `impulse`: rigid bodies hit each other; `none`: nothing,
    and nobody looks. interval: cars are looked at after so long [s], at most a period; whoever is
    in something then has its steps taken one by one. restitution: speed along the normal after a
    hit over that before, 0 to 1; friction: Coulomb's coefficient between bodies, at least 0.
    """

    policy: str = STOP
    interval: float = 0.01
    restitution: float = _RESTITUTION
    friction: float = _FRICTION

    @classmethod
    def from_values(cls, values: Values) -> Contact:
        """Contact of resolved values of a simulator with the rows of CONTACT_PARAMETERS."""
        policy, restitution, friction = (row.name for row in CONTACT_PARAMETERS)
        return cls(text_of(values, policy), restitution=number_of(values, restitution),
                   friction=number_of(values, friction))

    def look_steps(self, step_ns: int) -> int:
        """Steps of the interval for cars of Simulators, at least one; step_ns: of a step."""
        return max(1, round(self.interval * NANOSECONDS) // step_ns)

    def check(self) -> None:
        """Raise ConfigurationError for what cannot be."""
        if self.policy not in POLICIES:
            raise ConfigurationError(
                f'the policy of contacts is {self.policy!r}, expected one of'
                f" {', '.join(POLICIES)}")
        if not 0.0 <= self.restitution <= 1.0 or not self.friction >= 0.0:
            raise ConfigurationError(
                f'restitution is {self.restitution!r} and friction {self.friction!r},'
                ' expected 0 to 1, and at least 0')


CONTACT_PARAMETERS = (
    Parameter('contact', str, STOP, 'What happens to a car that runs into something: it stands'
              ' where it was before until its next command, or it is hit as a rigid body in the'
              ' plane', choices=(STOP, IMPULSE), read_only=True),
    Parameter('contact_restitution', float, _RESTITUTION, 'Speed with which bodies part over that'
              ' with which they came, for contact impulse', minimum=0.0, maximum=1.0,
              read_only=True),
    Parameter('contact_friction', float, _FRICTION, "Coulomb's coefficient between bodies, for"
              ' contact impulse', minimum=0.0, maximum=100.0, read_only=True),
)
"""Rows of the planar simulator."""


@pure
def _lightness(body: Body) -> float:
    """1 over the mass of a body; 0 of one that is fixed."""
    return body.per_along + body.per_effort


@pure
def ways_apart(one: Body, other: Body, depth: float) -> tuple[float, float]:
    """How far two bodies that overlap by a depth [m] are moved apart, the lighter one farther."""
    light, lighter = _lightness(one), _lightness(other)
    total = light + lighter
    share = light / total if total > 0.0 else 0.0
    rest = 1.0 - share if total > 0.0 else 0.0
    way = min(depth + _MORE, _FARTHEST)
    return way * share, way * rest


@routine
def way_out(around: Surroundings, scene: int, place: Rectangle, touch: Touch) -> float:
    """How far against the normal of its touch a rectangle is free of a scene [m].

    -1 where it is not.
    """
    way, taken = touch.depth + _MORE, True
    for _ in range(_PUSHES):
        if taken:
            taken = is_taken(around, scene, Rectangle(
                place.x - way * touch.nx, place.y - way * touch.ny, place.cosine, place.sine,
                place.length, place.width))
            way = 2.0 * way if taken else way
    return -1.0 if taken or way > _FARTHEST else way
