# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a sensor is: a pure function of what stands around and of how it moves itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np

from racecar.core.parameters import Parameter
from racecar.core.types import Acceleration3, Pose3, Twist3
from racecar.core.world.scene import Objects, Scene


class View(NamedTuple):
    """What a sensor can know at an instant.

    scene: what stands still. pose: of the sensor in the frame of the scene; time_ns: simulated
    time [ns]. twist, acceleration: give those of the sensor in its own frame. objects: gives what
    can move, where it is now, but for the robot that carries the sensor. These three take time, so
    only who needs them calls them.
    """

    scene: Scene
    pose: Pose3
    time_ns: int
    twist: Callable[[], Twist3]
    acceleration: Callable[[], Acceleration3]
    objects: Callable[[], Objects]


class Sensor(Protocol):
    """One sensor with its settings; without state, and without knowledge of the plant."""

    def measure(self, view: View, generator: np.random.Generator) -> Any:
        """Return the reading, of the value type of its kind.

        All chance comes from the generator, which is not to be kept.
        """


class SensorKind(NamedTuple):
    """One row of the registry.

    value_type: NamedTuple of a reading, in SI units. parameters: rows of what the kind has besides
    its mounting, such as range and noise. make: builds a sensor from their resolved values; raises
    ParameterError if these contradict each other.
    """

    name: str
    value_type: type
    parameters: tuple[Parameter, ...]
    make: Callable[[Mapping[str, Any]], Sensor]
