# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What cars touch, by their poses alone, so that simulation and nodes are judged alike.

Things that move are none of it: who is hit by one has done nothing against the rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
import math

from racecar.base.types import Odometry, Pose2, yaw_to_quaternion
from racecar.dynamics.vehicles.parameters import Footprint
from racecar.race.events import Meeting
from racecar.scene.scene import Scene
from racecar.scene.touching import rectangles_touch
from racecar.simulation.obstacles import Obstacles, Outline

# Cars with less room between them may have met since the last look [m].
_BESIDE = 0.1
# Room around a car that is put on the track [m].
_ROOM, _ROOM_OF_CARS = 0.05, 0.3


class Observer:
    """Cars in a scene."""

    def __init__(self, scene: Scene, footprints: Sequence[Footprint]) -> None:
        """footprints: of the cars."""
        self._outlines = [Outline.of(footprint) for footprint in footprints]
        scene = replace(scene, moving=())
        self._obstacles = [None if scene.is_empty else Obstacles(scene, footprint)
                           for footprint in footprints]

    def depth(self, car: int, odometry: Odometry) -> float:
        """How far a car presses into what stands around [m]."""
        obstacles = self._obstacles[car]
        return 0.0 if obstacles is None else obstacles.depth(odometry)

    def meetings(self, places: Sequence[Odometry]) -> list[Meeting]:
        """Pairs of cars that are so near to each other that they may have met."""
        found = []
        for one, place in enumerate(places):
            for other in range(one + 1, len(places)):
                there = places[other]
                reach = self._outlines[one].reach + self._outlines[other].reach + _BESIDE
                if math.hypot(place.x - there.x, place.y - there.y) > reach:
                    continue
                touch = rectangles_touch(self._outlines[one].at(place, 0.5 * _BESIDE),
                                         self._outlines[other].at(there, 0.5 * _BESIDE))
                if touch.depth > 0.0:
                    found.append(Meeting(one, other, touch.nx, touch.ny))
        return found

    def has_room(self, car: int, pose: Pose2, others: Sequence[tuple[int, Odometry]]) -> bool:
        """Whether a car can be put at a pose; others: numbers and places of those on the track."""
        return self._fits(car, pose, others, (_ROOM, _ROOM_OF_CARS))

    def stands_free(self, car: int, pose: Pose2, others: Sequence[tuple[int, Odometry]]) -> bool:
        """Whether a car at a pose overlaps with nothing and no other car."""
        return self._fits(car, pose, others, (0.0, 0.0))

    def _fits(
        self, car: int, pose: Pose2, others: Sequence[tuple[int, Odometry]],
        room: tuple[float, float],
    ) -> bool:
        place = Odometry(0, pose.x, pose.y, *yaw_to_quaternion(pose.yaw), 0.0, 0.0, 0.0)
        obstacles = self._obstacles[car]
        if obstacles is not None and obstacles.is_near(place, room[0]):
            return False
        own = self._outlines[car].at(place, room[1])
        return all(rectangles_touch(own, self._outlines[other].at(there)).depth <= 0.0
                   for other, there in others)
