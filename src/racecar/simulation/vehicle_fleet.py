# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Several cars in the plane as one plant: they see each other, and stop or are hit at a touch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
import itertools
import math

import numpy as np

from racecar.base.errors import ConfigurationError, DivergenceError
from racecar.base.readings import Collisions, NO_COLLISION
from racecar.base.types import NANOSECONDS, Odometry, Pose3
from racecar.dynamics.vehicles.body_dimensions import body_dimensions
from racecar.scene.loose_objects import still
from racecar.scene.scene import Box, Objects, Scene
from racecar.scene.touching import rectangles_touch
from racecar.scene.world_choice import scene_of
from racecar.simulation.car_hits import CarHits
from racecar.simulation.cars_together import CarsTogether
from racecar.simulation.contact import IMPULSE
from racecar.simulation.fleet_file import CarValues
from racecar.simulation.obstacles import INSIDE, RELEASE
from racecar.simulation.ports import COLLISIONS, Entity, Input, Output, Scenery
from racecar.simulation.simulator import KeptState, make_simulator, Simulator
from racecar.simulation.vehicle_plant import VehiclePlant


class _Car:
    """A car of several, with the contacts that it has had with others."""

    def __init__(self, name: str, simulator: Simulator) -> None:
        self.name = name
        self.simulator = simulator
        self.plant = VehiclePlant(simulator)
        vehicle = simulator.model.vehicle
        self.outline = simulator.outline
        self._height = body_dimensions(vehicle).top
        self._met = NO_COLLISION
        # Why it cannot go on, '' if it can.
        self.failure = ''
        # Contacts with the scene when the newest with another car began.
        self._hit_before = 0

    def box(self) -> Box:
        """What sensors of others see of it."""
        x, y, cosine, sine, length, width = self.outline.at(self.simulator.odometry())
        return Box(x, y, math.atan2(sine, cosine), 2.0 * length, 2.0 * width, self._height)

    def note_contact(self, place: Odometry, speed: float) -> None:
        """Count a contact with another car, if it is a new one, that it has met at a speed."""
        if not self._met.in_contact:
            scene = self.simulator.collisions
            self._met = Collisions(self._met.contacts + 1, True, place.x, place.y, speed)
            self._hit_before = 0 if scene is None else scene.contacts

    def note_free(self) -> None:
        """End the contact with another car."""
        self._met = self._met._replace(in_contact=False)

    @property
    def is_in_contact(self) -> bool:
        """Whether it touches another car."""
        return self._met.in_contact

    def retire(self, error: DivergenceError) -> None:
        """Stand where it is and obey nobody until it is reset, as it cannot go on."""
        at = self.simulator.time_ns / NANOSECONDS
        self.failure = f'the car stands still from {at:.6g} s on: {error}'
        self.simulator.stop()
        self.simulator.stop_at(self.simulator.kept())

    def _unless_retired(self, port: Input) -> Input:
        def apply(value: object) -> None:
            if not self.failure:
                port.apply(value)

        return replace(port, apply=apply) if port.drives else port

    def collisions(self) -> Collisions:
        """Contacts with the scene and with other cars."""
        scene = self.simulator.collisions or NO_COLLISION
        newest = scene if scene.contacts > self._hit_before or not self._met.contacts \
            else self._met
        return newest._replace(contacts=scene.contacts + self._met.contacts,
                               in_contact=scene.in_contact or self._met.in_contact)

    def entity(
        self, objects: Callable[[], Objects], note_moved: Callable[[], None],
    ) -> Entity:
        """The car by its name.

        objects: other things that move. note_moved: called when somebody has put it elsewhere.
        """
        entity = self.plant.entities[0]
        assert entity.platform is not None
        reset_alone = entity.reset

        def reset(pose: Pose3 | None) -> Pose3:
            placed = reset_alone(pose)
            self._met, self._hit_before, self.failure = NO_COLLISION, 0, ''
            note_moved()
            return placed

        odometry = entity.outputs[-1]
        others = [output for output in entity.outputs[:-1] if output.name != COLLISIONS]
        contacts = Output(
            COLLISIONS, Collisions, self.collisions, odometry.steps, odometry.frame)
        return replace(
            entity, name=self.name, outputs=(*others, contacts, odometry), reset=reset,
            inputs=tuple(map(self._unless_retired, entity.inputs)), fault=lambda: self.failure,
            platform=replace(entity.platform, objects=objects))


class VehicleFleet:
    """Cars with names, each with what VehiclePlant shows, in one time.

    A car that runs into another one stands where it was before, until its next command, as at
    something that stands around; the other one drives on, unless it runs into the first as well.
    Where the policy of contacts is `impulse` they hit each other as rigid bodies. Both count a
    contact. A car whose integration diverges stands still from then on, with that as its fault,
    until it is reset; the others go on.
    """

    def __init__(self, simulators: Mapping[str, Simulator]) -> None:
        """Take over simulators by the names of their cars; they are then moved by this plant only.

        Raises ConfigurationError for no car, and for simulators whose times, scenes or contacts
        differ.
        """
        self._cars = [_Car(name, simulator) for name, simulator in simulators.items()]
        times = {(car.simulator.step_ns, car.simulator.time_ns, id(car.simulator.scene))
                 for car in self._cars}
        if len(times) != 1:
            raise ConfigurationError(
                f'simulators of the cars {list(simulators)} have {len(times)} different steps,'
                ' times and scenes, expected at least one car, and one of each for all')
        self._clock = self._cars[0].simulator
        responses = [*dict.fromkeys(car.simulator.response for car in self._cars)]
        if len(responses) != 1:
            raise ConfigurationError(f'cars have the contacts {responses}, expected one for all')
        self._hits = CarHits(
            [*simulators.values()], responses[0], keep=self._keeping, do_touch=self._do_touch,
            note_met=self._note_met) if responses[0].policy == IMPULSE else None
        # Of circles about base_link around what the cars cover [m].
        self._reach = np.array([car.outline.reach for car in self._cars])
        # What sensors of each car see of the others where they are now; [] until somebody looks.
        self._seen: list[Objects] = []
        self._together = CarsTogether.of(
            [*simulators.values()]) if self._hits is None else None
        self._look_steps = responses[0].look_steps(self._clock.step_ns)
        self._show()

    @property
    def simulators(self) -> Mapping[str, Simulator]:
        """What moves the cars, by their names."""
        return {car.name: car.simulator for car in self._cars}

    def _show(self) -> None:
        self._entities = tuple(
            car.entity(partial(self._objects, index), self._note_moved)
            for index, car in enumerate(self._cars))

    def _keeping(self) -> Callable[[], None]:
        return partial(self._go_back, self._kept())

    def _do_touch(self) -> bool:
        return bool(self._touching(self._places()))

    def _note_met(self, index: int, place: Odometry, speed: float) -> None:
        self._cars[index].note_contact(place, speed)

    def _note_moved(self) -> None:
        self._seen = []

    def _objects(self, own: int) -> Objects:
        if not self._seen:
            self._seen = Objects(
                self._clock.scene.cones, [car.box() for car in self._cars]).around_each()
        return self._seen[own]

    @property
    def step_ns(self) -> int:
        """Length of an integration step [ns]."""
        return self._clock.step_ns

    @property
    def time_ns(self) -> int:
        """Simulated time since the start [ns]."""
        return self._clock.time_ns

    @property
    def entities(self) -> Sequence[Entity]:
        """The cars."""
        return self._entities

    @property
    def scenery(self) -> Scenery:
        """What stands around the cars, which can be replaced."""
        return Scenery(lambda: self._clock.scene, self._surround,
                       lambda: still(self._clock.scene.cones))

    def _surround(self, scene: Scene) -> None:
        for car in self._cars:
            assert car.plant.scenery is not None
            car.plant.scenery.replace(scene)
        self._show()

    def restart(self) -> None:
        """Let the time begin at 0 again; the cars stay."""
        for car in self._cars:
            car.plant.restart()

    def warm_up(self) -> None:
        """Compile all that a step and the outputs call."""
        for car in self._cars:
            car.plant.warm_up()
        if self._together is not None:
            self._together.warm_up()
        self._touching(self._places())

    def advance(self, steps: int) -> None:
        """Move on by whole steps.

        Raises DivergenceError if a car that stands still already diverges; state and time are then
        as before.
        """
        while True:
            try:
                self._advance(steps)
                return
            # All cars are as before, and do the same again, but for those that cannot.
            except DivergenceError as error:
                lost = [car for car in self._cars if car.simulator.has_diverged]
                if not lost or any(car.failure for car in lost):
                    raise
                for car in lost:
                    car.retire(error)

    def _advance(self, steps: int) -> None:
        self._note_moved()
        if self._hits is not None:
            self._hits.advance(steps)
            self._end_contacts()
            return
        # Where cars move together nothing has changed when one of them cannot.
        start = self._kept() if self._together is None or steps > self._look_steps else None
        try:
            while steps:
                part = min(steps, self._look_steps)
                if self._together is not None and self._together.advance(part):
                    self._end_contacts()
                else:
                    start = start or self._kept()
                    self._move(part)
                steps -= part
        except DivergenceError:
            if start is not None:
                self._go_back(start)
            raise

    def _kept(self) -> list[KeptState]:
        return [car.simulator.kept() for car in self._cars]

    def _go_back(self, kept: Sequence[KeptState]) -> None:
        for car, state in zip(self._cars, kept, strict=True):
            car.simulator.go_back(state)

    def _places(self) -> list[Odometry]:
        return [car.simulator.odometry() for car in self._cars]

    def _touching(
        self, places: Sequence[Odometry], margin: float = 0.0,
    ) -> set[tuple[int, int]]:
        """Pairs of cars that cover the same ground, wider by a margin [m]."""
        at = np.array([place[1:3] for place in places])
        apart = np.hypot(*(at[:, np.newaxis] - at).transpose(2, 0, 1))
        near = np.argwhere(np.triu(
            apart <= self._reach[:, np.newaxis] + self._reach + 2.0 * abs(margin), 1)).tolist()
        return {(one, other) for one, other in near
                if self._meet(one, places[one], other, places[other], margin)}

    def _meet(
        self, one: int, place: Odometry, other: int, there: Odometry, margin: float = 0.0,
    ) -> bool:
        """Whether a car at a place and another one there, wider by a margin [m], overlap."""
        return rectangles_touch(self._cars[one].outline.at(place, margin),
                                self._cars[other].outline.at(there, margin)).depth > 0.0

    def _move(self, steps: int) -> None:
        """Move on by few steps, one by one where cars meet."""
        kept, before = self._kept(), self._places()
        for car in self._cars:
            car.simulator.advance(steps)
        # Who is in another car was put there, and may leave.
        inside = self._touching(before, -INSIDE)
        meeting = self._touching(self._places()) - inside
        if meeting and steps > 1:
            self._go_back(kept)
            for _ in range(steps):
                self._move(1)
            return
        stopped: set[int] = set()
        # Who is put back may be where a third one has come meanwhile.
        while stopping := self._runners(meeting, before) - stopped:
            for index in stopping:
                self._cars[index].simulator.stop_at(kept[index])
            stopped |= stopping
            for index in {*itertools.chain.from_iterable(meeting)}:
                place = before[index]
                self._cars[index].note_contact(place, math.hypot(place.vx, place.vy))
            meeting = self._touching(self._places()) - inside
        self._end_contacts()

    def _runners(
        self, meeting: set[tuple[int, int]], before: Sequence[Odometry],
    ) -> set[int]:
        """Cars that run into another one: into where it was, or together to one place."""
        now, found = self._places(), set[int]()
        for pair in meeting:
            into = {one for one, other in (pair, pair[::-1])
                    if self._meet(one, now[one], other, before[other])}
            found |= into or {*pair}
        return found

    def _end_contacts(self) -> None:
        """Let contacts of cars be over that have room around them."""
        if any(car.is_in_contact for car in self._cars):
            near = set(itertools.chain.from_iterable(
                self._touching(self._places(), 0.5 * RELEASE)))
            for index, car in enumerate(self._cars):
                if index not in near:
                    car.note_free()


def make_vehicle_plant(cars: Sequence[CarValues]) -> VehiclePlant | VehicleFleet:
    """One car, or several with names, of what values_of_cars() gives for a planar simulator.

    Raises ParameterError or ConfigurationError for what cannot be simulated.
    """
    if [car.name for car in cars] == ['']:
        return VehiclePlant(make_simulator(cars[0].values))
    return VehicleFleet({
        car.name: make_simulator(car.values, start=car.start_in(scene_of(car.values)))
        for car in cars})
