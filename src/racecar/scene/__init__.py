# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What stands around the robots of a plant."""

from __future__ import annotations

from racecar.scene.grid_map import OccupancyGrid
from racecar.scene.scene import (
    Board,
    Box,
    Cone,
    Cylinder,
    EMPTY_SCENE,
    Ground,
    MovingThing,
    Objects,
    Patch,
    Scene,
    Wall,
)
from racecar.scene.world_file import load_world

__all__ = ['EMPTY_SCENE', 'Board', 'Box', 'Cone', 'Cylinder', 'Ground', 'MovingThing', 'Objects',
           'OccupancyGrid', 'Patch', 'Scene', 'Wall', 'load_world']
