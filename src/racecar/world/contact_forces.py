# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the friction of the engine does to the wheels of a car."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from racecar.base.types import WheelState
from racecar.world.engine import load_engine
from racecar.world.engine_state import FloatArray
from racecar.world.world_engine import WorldEngine

if TYPE_CHECKING:
    from mujoco import MjData, MjModel

LOW_SPEED = 1e-3
"""Speed below which slip is counted against this one [m/s]."""

Touch = tuple[float, float, float, float, float]

_NO_CONTACT: Touch = (0.0, 0.0, 0.0, 0.0, 0.0)


def friction_on_wheels(
    engine: WorldEngine, car: int, speeds: FloatArray,
) -> list[WheelState]:
    """Return the wheels of a car with what the ground does to them.

    speeds: of their rotation [rad/s].
    """
    mujoco = load_engine()
    model, data = engine.model, engine.present(forces=True)
    geoms = [int(geom) for geom in engine.wheel_geoms(car)]
    found: dict[int, Touch] = dict.fromkeys(geoms, _NO_CONTACT)
    wrench = np.zeros(6)
    for index in range(data.ncon):
        contact = data.contact[index]
        for geom in (int(contact.geom1), int(contact.geom2)):
            if geom in found:
                mujoco.mj_contactForce(model, data, index, wrench)
                frame = contact.frame.reshape(3, 3)
                # From the first geom to the second.
                force = frame.T @ wrench[:3] * (1.0 if geom == int(contact.geom2) else -1.0)
                found[geom] = _in_wheel(model, data, geom, force)
    return [
        WheelState(*found[geom], float(speed))
        for geom, speed in zip(geoms, speeds, strict=True)]


def _in_wheel(model: MjModel, data: MjData, geom: int, force: FloatArray) -> Touch:
    """Return slip, slip angle, both forces in the frame of the wheel, and load."""
    body = model.geom_bodyid[geom]
    axle = data.xaxis[model.body_jntadr[body]]
    heading = np.array((axle[1], -axle[0])) / math.hypot(axle[0], axle[1])
    left = np.array((-heading[1], heading[0]))
    # Of the middle of the wheel: angular, then linear velocity.
    velocity = np.zeros(6)
    load_engine().mj_objectVelocity(
        model, data, load_engine().mjtObj.mjOBJ_GEOM, geom, velocity, 0)
    travel, across = float(heading @ velocity[3:5]), float(left @ velocity[3:5])
    rolling = float(axle @ velocity[:3]) * float(model.geom_size[geom, 0])
    fastest = max(abs(travel), abs(rolling), LOW_SPEED)
    return ((travel - rolling) / fastest, math.atan(across / fastest),
            float(heading @ force[:2]), float(left @ force[:2]), float(force[2]))
