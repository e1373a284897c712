# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What stands around the robots of a plant."""

from __future__ import annotations

from racecar.core.world.scene import Box, EMPTY_SCENE, Scene, Wall

__all__ = ['EMPTY_SCENE', 'Box', 'Scene', 'Wall']
