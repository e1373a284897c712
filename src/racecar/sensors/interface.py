# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a sensor is: a pure function of what stands around and of how it moves itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from racecar.base.errors import ConfigurationError
from racecar.base.parameters import Parameter
from racecar.base.poses import NO_POSE
from racecar.base.types import Acceleration3, BodyState, Pose3, Twist3
from racecar.rendering.lens import Lens
from racecar.scene.scene import Objects, Scene
from racecar.scene.seen_by_each import Among
from racecar.simulation.ports import Output, Plant

DELAY = 'delay'
"""Parameter of kinds whose readings can be shown late, and say so [s]."""


def no_pictures(viewpoint: Pose3, lens: Lens) -> Callable[[], NDArray[Any]]:
    """Raise ConfigurationError: the place of what draws, where nothing does."""
    raise ConfigurationError('this plant has no pictures, so it has no cameras')


class View(NamedTuple):
    """What a sensor can know at an instant.

    scene: what stands still. pose: of the sensor in the frame of the scene; time_ns: simulated
    time [ns]. twist, acceleration: give those of the sensor in its own frame. objects: gives what
    can move, where it is now, but for the robot that carries the sensor. picture: gives what draws
    the scene with all robots as they are now, seen from a pose (x along the view, z up); raises
    ConfigurationError where no pictures can be had. depths: the same for the distances along the
    view [m]. These five take time, so only who needs them calls them. age_ns: how long ago all
    this was, where the reading is shown late [ns].
    """

    scene: Scene
    pose: Pose3
    time_ns: int
    twist: Callable[[], Twist3]
    acceleration: Callable[[], Acceleration3]
    objects: Callable[[], Objects]
    picture: Callable[[Pose3, Lens], Callable[[], NDArray[np.uint8]]] = no_pictures
    depths: Callable[[Pose3, Lens], Callable[[], NDArray[np.float32]]] = no_pictures
    age_ns: int = 0


class Sensor(Protocol):
    """One sensor with its settings; without state, and without knowledge of the plant."""

    def measure(self, view: View, generator: np.random.Generator) -> object:
        """Return the reading, of the value type of its kind.

        All chance comes from the generator, which is not to be kept.
        """


class Carried(NamedTuple):
    """A sensor on one robot of several.

    sensor: of the kind. place: in the frame of the robot. state, among: as of its SensorPlatform;
    key: of its NoiseSource. output: that reads it by itself.
    """

    sensor: Any
    place: Pose3
    state: Callable[[], BodyState]
    among: Callable[[], Among]
    key: tuple[int, int]
    output: Output


class Together(Protocol):
    """What reads many sensors of a kind at less cost than each by itself, with the same bits."""

    def add(self, carried: Carried) -> Output:
        """Output of a sensor that it takes part in; that of the sensor alone if it cannot."""

    def warm_up(self) -> None:
        """Compile what reads them."""


class SensorKind(NamedTuple):
    """A kind of sensor: one row of the registry.

    name: also that of the sensor of a robot that has one of the kind. value_type: NamedTuple of a
    reading, in SI units. parameters: rows of what the kind has besides its mounting, such as range
    and noise. make: builds a sensor from their resolved values; raises ParameterError if these
    contradict each other. axes: pose of the frame of a reading in axes whose x is ahead and z up,
    in which its place on the robot is given. nearest: whether a rate is taken whose period is no
    whole number of steps: then readings come at the nearest steps. rate: default frequency of the
    readings [Hz]. frame: default name of their frame, in which {} stands for that of the sensor.
    together: makes what reads the sensors of several robots in a scene at once, of a plant; None
    for a kind that is read one by one.
    """

    name: str
    value_type: type
    parameters: tuple[Parameter, ...]
    make: Callable[[Mapping[str, object]], Sensor]
    axes: Pose3 = NO_POSE
    nearest: bool = False
    rate: float = 10.0
    frame: str = '{}'
    together: Callable[[Scene, Plant], Together] | None = None
