# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sensors on the robots of a plant: each is one more output, whatever the plant is."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
import zlib

import numpy as np

from racecar.base.errors import ConfigurationError, ParameterError
from racecar.base.parameters import Parameter, ParameterTable
from racecar.base.poses import acceleration_of_child, pose_of_angles, pose_of_child, twist_of_child
from racecar.base.types import Acceleration3, Pose3
from racecar.base.values import integer_of, number_of, text_of
from racecar.description.robot_tree import FIXED, Joint
from racecar.description.urdf import RobotDescription
from racecar.description.urdf_writer import with_frames
from racecar.rendering.stage import Stage
from racecar.scene.scene import EMPTY_SCENE, Objects, Scene
from racecar.scene.scene_map import scene_map
from racecar.sensors import SENSOR_KINDS
from racecar.sensors.interface import Carried, DELAY, Sensor, SensorKind, Together, View
from racecar.simulation.ports import (
    Entity,
    Mount,
    nearest_steps,
    Output,
    period_steps,
    Plant,
    SensorPlatform,
    whole_periods,
)
from racecar.simulation.wrapped_plant import WrappedPlant

_PLACES = tuple(
    Parameter(name, float, 0.0, f'{name} of the sensor in the frame of the robot; if all six are 0'
              ' the sensor is where the robot description has its frame', unit=unit,
              minimum=-limit, maximum=limit, read_only=True)
    for names, unit, limit in ((('x', 'y', 'z'), 'm', 100.0),
                               (('roll', 'pitch', 'yaw'), 'rad', 7.0))
    for name in names)


def mounting_parameters(name: str, kind: SensorKind) -> ParameterTable:
    """Rows `<name>.frame`, rate, seed, slot and place of a sensor of a kind."""
    return ParameterTable(_prefixed(name, (
        Parameter('frame', str, kind.frame.format(name), 'Frame of the sensor', read_only=True),
        Parameter('rate', float, kind.rate, 'Frequency of the readings, whose period is a whole'
                  ' number of integration steps; those of a camera come at the nearest steps',
                  unit='Hz', above=0.0, maximum=1e6, read_only=True),
        Parameter('seed', int, 0, 'Seed of the noise', minimum=0, maximum=2**31 - 1,
                  read_only=True),
        Parameter('slot', str, '', 'Link of the robot description that carries the sensor, in'
                  ' whose frame its place is then given: front_slot, top_slot, rear_slot or'
                  ' centre_slot of a generated car, or any other that is fixed to the body; the'
                  ' frame of the readings is then <slot>_<frame>', read_only=True),
        *_PLACES)))


def sensor_parameters(
    name: str, kind: str, kinds: Mapping[str, SensorKind] = SENSOR_KINDS,
) -> ParameterTable:
    """Rows of a sensor: `<name>.kind`, its mounting and what the kind adds.

    Raises ParameterError if there is no such kind.
    """
    if kind not in kinds:
        raise ParameterError(
            f"parameter '{name}.kind' is {kind!r}, expected one of {', '.join(kinds) or 'none'}")
    return ParameterTable([
        Parameter(f'{name}.kind', str, None, 'Kind of the sensor', choices=tuple(kinds),
                  read_only=True),
        *settings_of_sensor(name, kinds[kind])])


def settings_of_sensor(name: str, kind: SensorKind) -> ParameterTable:
    """Rows of a sensor whose kind is known: its mounting and what the kind adds."""
    return mounting_parameters(name, kind) + ParameterTable(_prefixed(name, kind.parameters))


def _prefixed(name: str, rows: Sequence[Parameter]) -> list[Parameter]:
    return [replace(row, name=f'{name}.{row.name}') for row in rows]


def frame_in_slot(slot: str, frame: str) -> str:
    """Name of the frame of a sensor whose parameters slot and frame are these."""
    return f'{slot}_{frame}' if slot else frame


@dataclass(frozen=True)
class MountedSensor:
    """A sensor and where it sits: name of the output, frame, pose in the robot's frame.

    pose: None if it is where the robot description has its frame, or in the robot's own frame if
    there is no such link. slot: link that carries it, in whose frame the pose then is; empty for
    none. rate: of the readings [Hz]; seed: of the noise. delay: after which they are shown [s].
    """

    name: str
    kind: SensorKind
    sensor: Sensor
    frame: str
    pose: Pose3 | None
    rate: float
    seed: int
    slot: str = ''
    delay: float = 0.0

    @classmethod
    def from_values(
        cls, name: str, values: Mapping[str, object],
        kinds: Mapping[str, SensorKind] = SENSOR_KINDS,
    ) -> MountedSensor:
        """Build from the rows of sensor_parameters(); others are left alone.

        Raises ParameterError for what is missing, unknown or out of range.
        """
        prefix = f'{name}.'
        given = {key: value for key, value in values.items() if key.startswith(prefix)}
        table = sensor_parameters(name, str(given.get(f'{prefix}kind', '')), kinds)
        own = {
            key.removeprefix(prefix): value for key, value in table.resolve(given).items()}
        kind = kinds[text_of(own, 'kind')]
        places = [number_of(own, row.name) for row in _PLACES]
        try:
            sensor = kind.make(own)
        except ParameterError as error:
            raise ParameterError(f"sensor '{name}': {error}") from error
        slot = text_of(own, 'slot')
        return cls(
            name, kind, sensor, frame_in_slot(slot, text_of(own, 'frame')),
            pose_of_angles(*places) if any(places) or slot else None, number_of(own, 'rate'),
            integer_of(own, 'seed'), slot, number_of(own, DELAY, 0.0))


def with_sensor_frames(
    description: RobotDescription, body: str, sensors: Sequence[MountedSensor],
) -> RobotDescription:
    """Description of a robot with a link for the frame of each sensor that it has none for.

    body: link in whose frame the places of sensors are. Raises ParameterError for a slot that is
    no link which is fixed to the body, ConfigurationError for frames that cannot be.
    """
    return _with_frames(description, [
        Mount(body, mounted.frame, _place(lambda: description, mounted)) for mounted in sensors])


def _with_frames(description: RobotDescription, mounts: Sequence[Mount]) -> RobotDescription:
    known = {link.name for link in description.tree.links}
    # Sensors may share a frame.
    added = {mount.child: mount for mount in mounts if mount.child and mount.child not in known}
    if not added:
        return description
    return RobotDescription.from_urdf(with_frames(description.urdf, [
        Joint(f'{name}_joint', FIXED, parent, name, pose)
        for name, (parent, _, pose) in added.items()]))


class EquippedPlant(WrappedPlant):
    """A plant whose robots carry sensors and know a map; all else is the plant's own."""

    def __init__(
        self, plant: Plant, sensors: Mapping[str, Sequence[MountedSensor]],
        scene: Scene = EMPTY_SCENE,
    ) -> None:
        """Add an output and a frame for each sensor.

        sensors: by the name of the entity that carries them.
        Raises ConfigurationError for an unknown entity or one that carries none, a rate that the
        steps of the plant do not give, and a name that stands twice.
        """
        super().__init__(plant)
        self._carried = sensors
        known = [entity.name for entity in plant.entities]
        for name in sensors:
            if name not in known:
                raise ConfigurationError(
                    f'sensors are given to the robot {name!r}, expected one of'
                    f" {', '.join(map(repr, known))}")
        self._equip(scene)

    def _equip(self, scene: Scene) -> None:
        """Give the robots their sensors, which look at a scene."""
        self._sensors: list[Output] = []
        self._late: list[_Late] = []
        self._together: dict[str, Together] = {}
        self._stage = Stage(scene, self._plant.entities, lambda: self._plant.time_ns)
        self._entities = tuple(
            self._equipped(entity, self._carried.get(entity.name, ()), scene)
            for entity in self._plant.entities)

    @property
    def entities(self) -> Sequence[Entity]:
        """The robots of the plant with their sensors."""
        return self._entities

    def _take_entities(self, scene: Scene) -> None:
        self._stage.close()
        self._equip(scene)

    def restart(self) -> None:
        """Let the time begin at 0 again, and random numbers with it; the robots stay."""
        super().restart()
        for late in self._late:
            late.restart()

    def warm_up(self) -> None:
        """Do what would hold up the first step, or the first reading."""
        super().warm_up()
        for output in self._sensors:
            output.read()
        for together in self._together.values():
            together.warm_up()

    def advance(self, steps: int) -> None:
        """Move on by whole steps. Raises DivergenceError as the plant does.

        State and time are then those of the last reading in between that is shown late.
        """
        while steps:
            done = self.time_ns // self.step_ns
            part = min(steps, *(late.output.steps_ahead(done) for late in self._late)) \
                if self._late else steps
            self._plant.advance(part)
            for late in self._late:
                if late.output.is_due(done + part):
                    late.note()
            steps -= part

    def _equipped(
        self, entity: Entity, sensors: Sequence[MountedSensor], scene: Scene,
    ) -> Entity:
        if not scene.is_empty:
            entity = replace(entity, surroundings=lambda: scene_map(scene))
        mounts: list[Mount] = []
        for mounted in sensors:
            if entity.platform is None:
                raise ConfigurationError(
                    f"sensor '{mounted.name}': the robot {entity.name!r} carries no sensors")
            output, mount = self._port(entity, mounted, entity.platform, scene)
            if output.name in [other.name for other in entity.outputs]:
                raise ConfigurationError(
                    f"sensor '{output.name}': the robot has an output of this name, choose"
                    ' another one')
            for other in (*entity.mounts, *mounts):
                if other.child == mount.child and other != mount:
                    raise ConfigurationError(
                        f"sensor '{mounted.name}': its frame '{mount.child}' is at another place"
                        f' already; give it one of its own, as {mounted.name}.frame')
            self._sensors.append(output)
            mounts.append(mount)
            entity = replace(entity, outputs=(*entity.outputs, output))
        describe = entity.describe
        return replace(
            entity, mounts=(*entity.mounts, *mounts),
            describe=None if describe is None or not mounts
            else lambda: _with_frames(describe(), mounts))

    def _port(
        self, entity: Entity, mounted: MountedSensor, platform: SensorPlatform, scene: Scene,
    ) -> tuple[Output, Mount]:
        plant, measure = self._plant, mounted.sensor.measure
        place = _place(entity.describe, mounted)
        # Sensors with one seed, on one robot or several, have noise of their own.
        noise = NoiseSource(
            mounted.seed, zlib.crc32(f'{entity.frame_prefix}{mounted.name}'.encode()))
        state, standing = platform.state, Objects(scene.cones)
        still, stage = platform.objects or (lambda: standing), self._stage

        def among_moving() -> Objects:
            return still().joined(scene.moving_at(plant.time_ns))

        objects = among_moving if scene.moving else still
        rate = f"rate of sensor '{mounted.name}'"
        steps, spread = (
            nearest_steps(rate, mounted.rate, plant.step_ns) if mounted.kind.nearest
            else (period_steps(rate, mounted.rate, plant.step_ns), 1))

        def acceleration() -> Acceleration3:
            return acceleration_of_child(platform.acceleration(), state().twist, place)

        def present() -> View:
            body = state()
            return View(
                scene, pose_of_child(body.pose, place), plant.time_ns,
                lambda: twist_of_child(body.twist, place), acceleration, objects,
                stage.picture, stage.depths)

        def read() -> object:
            view = present()
            return measure(view, noise.at(view.time_ns))

        output = Output(
            mounted.name, mounted.kind.value_type, read, steps, mounted.frame, spread)
        if mounted.delay > 0.0:
            late = _Late(output, mounted, present, noise, plant)
            self._late.append(late)
            output = late.output
        elif platform.among is not None and mounted.kind.together is not None:
            together = self._together.get(mounted.kind.name)
            if together is None:
                together = mounted.kind.together(scene, plant)
                self._together[mounted.kind.name] = together
            output = together.add(Carried(
                mounted.sensor, place, state, platform.among, noise.key, output))
        return output, Mount(platform.frame, mounted.frame, place)


class _Late:
    """A sensor whose readings are shown some periods after they were taken.

    output: what it shows. What a sensor sees is kept, and measured once somebody wants it.
    """

    def __init__(
        self, output: Output, mounted: MountedSensor, present: Callable[[], View],
        noise: NoiseSource, plant: Plant,
    ) -> None:
        periods = whole_periods(
            f'{mounted.name}.{DELAY}', mounted.delay, output.steps * plant.step_ns)
        self._present = present
        self._views: deque[View] = deque(maxlen=periods + 1)
        measure = mounted.sensor.measure
        self.note()

        def read() -> object:
            view = self._views[0]
            return measure(
                view._replace(age_ns=plant.time_ns - view.time_ns), noise.at(view.time_ns))

        self.output = replace(output, read=read)

    def restart(self) -> None:
        """Forget what was seen before the time began again."""
        self._views.clear()
        self.note()

    def note(self) -> None:
        """Keep what the sensor sees now."""
        view = self._present()
        things = view.objects()
        self._views.append(view._replace(objects=lambda: things))


def _place(describe: Callable[[], RobotDescription] | None, mounted: MountedSensor) -> Pose3:
    """Return the pose of a sensor in the frame of the robot."""
    axes = mounted.kind.axes
    if mounted.pose is not None:
        place = pose_of_child(mounted.pose, axes)
        return pose_of_child(_slot(describe, mounted), place) if mounted.slot else place
    try:
        links = {} if describe is None else describe().tree.poses()
    except ConfigurationError as error:
        raise ConfigurationError(
            f"sensor '{mounted.name}': where its frame '{mounted.frame}' is on the robot is not"
            f' known ({error}); give its place, for example {mounted.name}.x') from error
    return links.get(mounted.frame, axes)


def _slot(describe: Callable[[], RobotDescription] | None, mounted: MountedSensor) -> Pose3:
    """Return the pose of the link that carries a sensor in the frame of the robot."""
    parameter = f"parameter '{mounted.name}.slot' is {mounted.slot!r}"
    if describe is None:
        raise ParameterError(f'{parameter}, expected none: this robot has no description')
    tree = describe().tree
    try:
        tree.link(mounted.slot)
    except ConfigurationError as error:
        raise ParameterError(f'{parameter}, expected a link of the robot: {error}') from error
    if mounted.slot not in tree.fixed_links():
        raise ParameterError(
            f'{parameter}, which moves against the body, expected a link that is fixed to it')
    return tree.poses()[mounted.slot]


class NoiseSource:
    """Gives the generator of each instant: noise does not depend on who listened before.

    A generator that counts (Philox; Salmon et al., Parallel random numbers: as easy as 1, 2, 3,
    2011) is only set to another place for this, twenty times as fast as to make one anew.

    key: of the generator, see seed_at().
    """

    def __init__(self, seed: int, stream: int) -> None:
        """Give streams of one seed numbers of their own; both are at least 0, below 2^64."""
        self.key = seed, stream
        self._bits = np.random.Philox(key=np.array(self.key, dtype=np.uint64))
        self._generator = np.random.Generator(self._bits)
        self._state = self._bits.state

    def at(self, time_ns: int) -> np.random.Generator:
        """Return the generator for a time [ns], always the same object."""
        # The highest of four words: the others count the numbers that are drawn.
        self._state['state']['counter'][3] = time_ns
        self._bits.state = self._state
        return self._generator
