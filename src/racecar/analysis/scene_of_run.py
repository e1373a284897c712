# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What stood around in a run, by its run.yaml."""

from __future__ import annotations

from racecar.base.errors import RacecarError
from racecar.base.run_file import RunFile
from racecar.scene.scene import EMPTY_SCENE, Scene
from racecar.scene.world_file import load_world


def scene_of_run(file: RunFile | None) -> Scene:
    """Scene of the world that a run.yaml names; empty without one, or if it is gone."""
    world = None if file is None else file.world
    try:
        return load_world(world) if world else EMPTY_SCENE
    # A report is worth reading without its walls.
    except RacecarError:
        return EMPTY_SCENE
