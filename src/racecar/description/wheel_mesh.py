# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The wheel of seed 000 (1.1) as closed meshes of tyre and rim, and what it weighs.

z is along the axle, the outer side of the wheel towards +z, the middle of the tyre the origin.
"""

from __future__ import annotations

from collections.abc import Callable
import math
from types import ModuleType
from typing import NamedTuple, TYPE_CHECKING

import numpy as np

from racecar.base.columns import Array
from racecar.base.errors import ConfigurationError
from racecar.base.extras import not_installed
from racecar.dynamics.vehicles.wheel_parameters import WheelShape

if TYPE_CHECKING:
    from trimesh import Trimesh

# Of trimesh, for what solids have together: the package manifold3d.
_ENGINE = 'manifold'

# Radius of a tyre while it is made.
_SIZE = 1000.0

# How far a beam goes into the ring: share of the thickness of the ring.
_ROOT = 0.5


class WheelMass(NamedTuple):
    """What a wheel weighs: mass [kg], place of its centre along the axle [m], and moments.

    about_axle, across: of inertia about the axle, and about a diameter through the centre
    [kg m^2].
    """

    mass: float
    centre: float
    about_axle: float
    across: float


def wheel_meshes(shape: WheelShape) -> tuple[Trimesh, Trimesh]:
    """Tyre and rim as watertight trimesh.Trimesh, in m.

    Raises ConfigurationError for a shape that there cannot be, and, saying what to install, where
    the libraries are missing.
    """
    if shape.fault:
        raise ConfigurationError(f'a wheel cannot be made: {shape.fault}')
    return tyre_mesh(shape), rim_mesh(shape)


def tyre_mesh(shape: WheelShape) -> Trimesh:
    """Ring from rim_radius to tire_radius with round shoulders."""
    return _in_library_size(shape, _tyre)


def rim_mesh(shape: WheelShape) -> Trimesh:
    """Ring, beams and central part as one solid."""
    return _in_library_size(shape, _rim)


def _in_library_size(shape: WheelShape, make: Callable[[WheelShape], Trimesh]) -> Trimesh:
    """Make a mesh at a size at which no face is so small that the library takes it for none."""
    factor = _SIZE / shape.tire_radius
    mesh = make(shape.stretched(factor, factor))
    mesh.apply_scale(1.0 / factor)
    return mesh


def _tyre(shape: WheelShape) -> Trimesh:
    half, outer, inner = 0.5 * shape.thickness, shape.tire_radius, shape.rim_radius
    # A quarter of an ellipse, from the side of the tyre to the tread.
    along, across = shape.curvature_factor * half, shape.curvature_factor * (outer - inner)
    angles = 0.5 * math.pi * np.arange(shape.edge_subdivision + 1) / shape.edge_subdivision
    radius = outer - across * (1.0 - np.sin(angles))
    z = half - along * (1.0 - np.cos(angles))
    upper = np.column_stack([radius, z])
    lower = np.column_stack([radius, -z])[::-1]
    return _turned(np.concatenate([
        [(inner, half)], upper, lower, [(inner, -half)]]), shape.subdivision)


def _rim(shape: WheelShape) -> Trimesh:
    half = 0.5 * shape.thickness
    wall, rim = shape.wall_radius, shape.rim_radius
    low = shape.rim_beam_offset - 0.5 * shape.rim_beam_thickness
    high = shape.rim_beam_offset + 0.5 * shape.rim_beam_thickness
    # The central part goes on as a cone to the outer side of the wheel.
    cone = [(shape.central_inner_radius, half)] if half - high > 1e-6 * half else []
    hub = [(0.0, low), (shape.central_outer_radius, low), (shape.central_outer_radius, high),
           *cone, (0.0, cone[0][1] if cone else high)]
    ring = np.array([(wall, -half), (rim, -half), (rim, half), (wall, half)])
    # The beams end within the ring, whatever their width.
    root = wall + _ROOT * (rim - wall)
    disc = _turned(np.array([(0.0, low), (root, low), (root, high), (0.0, high)]),
                   shape.subdivision)
    beams = [_beam(shape, 2.0 * math.pi * number / shape.rim_beam_number)
             for number in range(shape.rim_beam_number)]
    boolean = _library().boolean
    try:
        star = boolean.intersection(
            [boolean.union(beams, engine=_ENGINE), disc], engine=_ENGINE)
        found: Trimesh = boolean.union(
            [star, _turned(ring, shape.subdivision), _turned(np.array(hub), shape.subdivision)],
            engine=_ENGINE)
    except ImportError as error:
        raise _missing() from error
    return found


def _beam(shape: WheelShape, direction: float) -> Trimesh:
    """Bar from the axle to the outside of the rim, in a direction [rad]."""
    trimesh, end = _library(), shape.rim_radius
    beam: Trimesh = trimesh.creation.box((end, shape.rim_beam_width, shape.rim_beam_thickness))
    beam.apply_translation((0.5 * end, 0.0, shape.rim_beam_offset))
    beam.apply_transform(
        trimesh.transformations.rotation_matrix(direction, (0.0, 0.0, 1.0)))
    return beam


def wheel_mass(shape: WheelShape, mass: float) -> WheelMass:
    """Mass properties of a wheel of uniform material and a total mass [kg].

    Raises ConfigurationError as wheel_meshes().
    """
    parts = [part.mass_properties for part in wheel_meshes(shape)]
    volume = sum(part.volume for part in parts)
    centre = sum(part.volume * part.center_mass[2] for part in parts) / volume
    density = mass / volume
    about_axle = across = 0.0
    for part in parts:
        tensor = density * part.inertia
        about_axle += tensor[2, 2]
        across += 0.5 * (tensor[0, 0] + tensor[1, 1]) + density * part.volume * (
            part.center_mass[2] - centre)**2
    return WheelMass(mass, float(centre), float(about_axle), float(across))


def _turned(profile: Array, segments: int) -> Trimesh:
    """Turn an outline of (radius, z) about z; one that does not end on the axis is closed."""
    first, last = profile[0], profile[-1]
    if first[0] > 0.0 or last[0] > 0.0:
        profile = np.concatenate([profile, [first]])
    # Round shoulders of no size have all their points in one place.
    moved = np.abs(np.diff(profile, axis=0)).max(axis=1) > 1e-9 * np.abs(profile).max()
    profile = profile[np.concatenate([[True], moved])]
    mesh: Trimesh = _library().creation.revolve(profile, sections=segments)
    if mesh.volume < 0.0:
        mesh.invert()
    return mesh


def _library() -> ModuleType:
    try:
        import trimesh
    except ImportError as error:
        raise _missing() from error
    return trimesh


def _missing() -> ConfigurationError:
    return not_installed('a wheel of a shape of its own', 'trimesh', 'manifold3d')
