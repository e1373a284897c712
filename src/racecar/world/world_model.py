# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The engine's model of a scene with cars in it, for physics and for pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from racecar.dynamics.vehicles.parameters import GRAVITY
from racecar.scene.scene import Scene
from racecar.simulation.ports import DEFAULT_STEP
from racecar.world.car_model import add_car, CarPart, prefixed
from racecar.world.engine import load_engine
from racecar.world.scene_model import add_scene, cone_name, FLOOR

if TYPE_CHECKING:
    from mujoco import MjSpec

# Friction holds so much stiffer than the ground: on a slope of 10 % a braked car creeps by
# 0.04 mm/s. More costs time. The engine's rounds against slip (noslip) prefer a side: the car
# drifts.
_FRICTION_STIFFNESS = 10.0


_MEMORY = 1 << 27


def world_spec(
    scene: Scene, cars: Sequence[CarPart], *, step: float = DEFAULT_STEP, visuals: bool = False,
    gravity: tuple[float, float, float] = (0.0, 0.0, -GRAVITY),
) -> MjSpec:
    """Return the MjSpec of a scene with cars; compile() makes the MjModel of it.

    Cars stand at the origin: their free joints, named like their root bodies, place them, those
    of the cones likewise (see scene_model.cone_name()). visuals: add what pictures show, in the
    group car_model.VISUAL_GROUP. gravity: in the frame of the world [m/s^2].
    Raises ConfigurationError if MuJoCo cannot be imported or a shape cannot be had.
    """
    mujoco = load_engine()
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    option = spec.option
    option.timestep, option.gravity = step, gravity
    option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    option.impratio = _FRICTION_STIFFNESS
    # A state that is no number is reported, not replaced.
    option.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET
    # The engine ends the process that has too little; what is not used takes no room.
    spec.memory = _MEMORY
    add_scene(spec, scene, visuals=visuals)
    for car in cars:
        add_car(spec, car, step=step, visuals=visuals,
                loose=[cone_name(index) for index in range(len(scene.cones))])
    return spec


def pair_wheels(spec: MjSpec, car: CarPart) -> None:
    """Let the engine try the wheels of a car with the floor and with nothing else.

    Contacts stay what they are, and in their order. Otherwise it looks at each step for each wheel
    in the tree of all that stands around, of which wheels meet the floor only.
    """
    if car.friction is None:
        return
    for wheel in car.bodies.wheels:
        name = prefixed(car.name, wheel.name)
        geom = spec.geom(name)
        geom.conaffinity = 0
        sliding, spinning, rolling = geom.friction
        spec.add_pair(
            name=name, geomname1=FLOOR, geomname2=name, condim=geom.condim, solref=geom.solref,
            solimp=geom.solimp, friction=(sliding, sliding, spinning, rolling, rolling))
