# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""How environments are rendered: pictures from above, or the page of the cockpit."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from racecar.base.errors import ConfigurationError, excerpt
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.gym.options import MOVING_BEGIN
from racecar.gym.pictures import Picture, Pictures
from racecar.gym.racing import Racing
from racecar.scene.friction_zones import FrictionZone
from racecar.scene.scene import painted, Scene

if TYPE_CHECKING:
    from racecar.gym.live_page import LivePage

HUMAN, RGB_ARRAY = RENDER_MODES = ('human', 'rgb_array')
"""Modes of rendering."""


class Rendering:
    """Pictures of worlds in the mode rgb_array; in the mode human the cars of the first world.

    Their page opens with the first call of follow().
    """

    def __init__(self, racing: Racing, mode: str | None) -> None:
        """Raise ConfigurationError for a mode that there is not."""
        if mode is not None and mode not in RENDER_MODES:
            raise ConfigurationError(
                f"render_mode is {excerpt(mode)}, expected None or one of"
                f" {', '.join(RENDER_MODES)}: human opens a page of the cockpit, and"
                ' gymnasium.wrappers.RecordVideo makes videos of rgb_array')
        self._racing, self.mode = racing, mode
        self._pictures = Pictures(racing)
        self._page: LivePage | None = None
        # Seed and number of the episode whose surroundings the page shows.
        self._episode: tuple[int, int] | None = None

    def follow(self) -> None:
        """Show what is now in the mode human, to be called after each step and reset."""
        if self.mode != HUMAN:
            return
        from racecar.gym.live_page import ShownCar, ShownScan

        if self._page is None:
            self._page = self._made_page()
        racing, readings = self._racing, self._racing.batch.readings
        episode = int(racing.seeds[0]), int(racing.episodes[0])
        if episode != self._episode:
            self._episode = episode
            if racing.options.zones or MOVING_BEGIN in racing.options.randomised:
                self._page.surround(*self._surroundings())
        rows = zip(*(readings[name][0].tolist() for name in (
            'x', 'y', 'yaw', 'vx', 'yaw_rate', 'steering_angle', 'contacts', 'in_contact')),
            racing.commands[0].tolist(), strict=True)
        cars = [ShownCar(x, y, yaw, speed, rate, command[0], command[1], angle, int(contacts),
                         touches > 0.0)
                for x, y, yaw, speed, rate, angle, contacts, touches, command in rows]
        scan = racing.scan_of(0) if racing.has_scans else None
        self._page.show(float(readings['time'][0, 0]), cars, None if scan is None else ShownScan(
            scan.ranges, scan.angle_min, scan.angle_increment))

    def picture(self, world: int = 0) -> Picture | None:
        """Picture of a world from above, (height, width, 3), in the mode rgb_array."""
        return self._pictures.picture(world) if self.mode == RGB_ARRAY else None

    def close(self) -> None:
        """End the page; closing twice is allowed."""
        if self._page is not None:
            self._page.close()

    def _surroundings(self) -> tuple[Scene, list[int]]:
        """Scene of the episode of the first world, with its zones, and begins of motions [ns]."""
        racing = self._racing
        scene = racing.options.tracks[int(racing.batch.scene_of[0])].scene
        zones = (FrictionZone(factor, (), x, y, radius)
                 for x, y, radius, factor in racing.batch.drawn_zones(0).tolist())
        return replace(scene, patches=(
            *scene.patches, *(patch for zone in zones for patch in painted(zone)))), (
                racing.batch.moving_begins(0))

    def _made_page(self) -> LivePage:
        racing = self._racing
        track = racing.options.tracks[int(racing.batch.scene_of[0])]
        return made_page(
            track.name, track.scene, track.course.points, racing.options.vehicle, racing.cars,
            racing.options.settings.laser_ahead if racing.has_scans else None)


def made_page(
    name: str, scene: Scene, line: NDArray[np.float64] | None, vehicle: VehicleParameters,
    cars: int, laser_ahead: float | None = None,
) -> LivePage:
    """Page for what racecar.gym.live_page.ShownWorld says.

    Raises ConfigurationError where the library of its server is not installed.
    """
    # Most environments have no page, so nothing of the cockpit is imported before.
    from racecar.cockpit.access import check_server

    check_server()
    from racecar.gym.live_page import LivePage, ShownWorld

    return LivePage(ShownWorld(name, scene, line, vehicle, cars, laser_ahead))
