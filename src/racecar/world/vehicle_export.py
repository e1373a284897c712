# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A vehicle as files for other programs: URDF, MJCF and the meshes of both."""

from __future__ import annotations

from pathlib import Path
import re
import shutil
from typing import NamedTuple, TYPE_CHECKING
from xml.sax.saxutils import escape

from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.shapes import Mesh
from racecar.base.share import resource_file
from racecar.description.car_bodies import car_bodies
from racecar.description.urdf import RobotDescription
from racecar.description.vehicle_description import describe_vehicle
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.scene.scene import EMPTY_SCENE
from racecar.world.car_gains import joint_gains
from racecar.world.car_model import CarPart
from racecar.world.engine import compiled_model
from racecar.world.world_model import world_spec
from racecar.world.world_parameters import WORLD_PARAMETERS

if TYPE_CHECKING:
    from mujoco import MjSpec

# REP-144, and the dash that catkin let through.
_PACKAGE = re.compile(r'[a-z][a-z0-9_-]*')

MESHES = 'meshes'
"""Folder of the meshes, beside the two files."""


class ExportedVehicle(NamedTuple):
    """Where the files of a vehicle lie."""

    urdf: Path
    mjcf: Path
    meshes: tuple[Path, ...]


def export_vehicle(
    vehicle: VehicleParameters, folder: Path, package: str = '',
) -> ExportedVehicle:
    """Write <name>.urdf, <name>.xml and the meshes of a vehicle to a new folder.

    package: of ROS, whose folder this is to become: meshes of the URDF are then
    `package://<package>/meshes/...`, otherwise relative to the file. The MJCF stands on the ground
    of the physics engine, with a servo and a motor for each joint, and compiles by itself.
    Raises ConfigurationError if the package cannot be called so, the folder is there already or
    cannot be written, or the vehicle cannot be described.
    """
    description = describe_vehicle(vehicle)
    bodies = car_bodies(description.tree)
    gains = joint_gains(vehicle, bodies, {row.name: row.default for row in WORLD_PARAMETERS})
    spec = world_spec(
        EMPTY_SCENE, [CarPart(vehicle.name, bodies, gains, vehicle.friction_coefficient)],
        visuals=True)
    return write_robot(vehicle.name, description, spec, folder, package)


def write_robot(
    name: str, description: RobotDescription, spec: MjSpec, folder: Path, package: str = '',
) -> ExportedVehicle:
    """Write <name>.urdf, <name>.xml and the meshes of any robot to a new folder.

    spec: MjSpec of the robot on the ground. package and errors: as for export_vehicle().
    """
    if package and not _PACKAGE.fullmatch(package):
        raise ConfigurationError(
            f'--package is {excerpt(package)}, expected the name of a ROS package: a small letter,'
            ' then small letters, digits and _')
    uris = dict.fromkeys(
        shape.geometry.uri for link in description.tree.links
        for shape in (*link.visuals, *link.collisions) if isinstance(shape.geometry, Mesh))
    sources = {uri: resource_file(uri) for uri in uris}
    compiled_model(spec)
    urdf, mjcf = description.urdf, str(spec.to_xml())
    place = f'package://{package}/{MESHES}' if package else MESHES
    for uri, source in sources.items():
        urdf = urdf.replace(f'"{uri}"', f'"{place}/{source.name}"')
        # In the engine's model a mesh has the name of its URI.
        written = escape(str(source), {'"': '&quot;', "'": '&apos;'})
        mjcf = mjcf.replace(f'"{written}"', f'"{MESHES}/{source.name}"').replace(uri, source.stem)
    exported = ExportedVehicle(
        folder / f'{name}.urdf', folder / f'{name}.xml',
        tuple(folder / MESHES / source.name for source in sources.values()))
    try:
        (folder / MESHES).mkdir(parents=True)
        for path, source in zip(exported.meshes, sources.values(), strict=True):
            shutil.copyfile(source, path)
        exported.urdf.write_text(urdf)
        exported.mjcf.write_text(mjcf)
    except OSError as error:
        raise ConfigurationError(
            f"'{folder}' cannot be written ({error.strerror or error}), expected a folder that is"
            ' not there yet, without such files') from error
    return exported
