# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Several cars in the plane as one plant: they see each other, and stop or are hit at a touch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from racecar.base.errors import ConfigurationError
from racecar.base.types import Odometry
from racecar.dynamics.vehicles.body_dimensions import body_dimensions
from racecar.scene.world_choice import scene_of
from racecar.simulation.car_hits import CarHits
from racecar.simulation.cars_together import CarsTogether
from racecar.simulation.contact import IMPULSE
from racecar.simulation.fleet_file import CarValues
from racecar.simulation.make_simulator import make_simulator
from racecar.simulation.planar_fleet import Cover, FleetRobot, PlanarFleet
from racecar.simulation.simulator import Simulator
from racecar.simulation.vehicle_plant import VehiclePlant


class VehicleFleet(PlanarFleet):
    """Cars with names, each with what VehiclePlant shows, in one time.

    A car that has run into another one stands until its next command. Where the policy of contacts
    is `impulse` they hit each other as rigid bodies.

    simulators: what moves the cars, by their names.
    """

    def __init__(self, simulators: Mapping[str, Simulator]) -> None:
        """Take over simulators by the names of their cars; they are then moved by this plant only.

        Raises ConfigurationError for no car, and for simulators whose times, scenes or contacts
        differ.
        """
        self.simulators = dict(simulators)
        cars = [*simulators.values()]
        responses = [*dict.fromkeys(car.contacts.response for car in cars)]
        if len(responses) > 1:
            raise ConfigurationError(f'cars have the contacts {responses}, expected one for all')
        super().__init__([
            FleetRobot(name, car, VehiclePlant(car), Cover(
                car.car.outline, body_dimensions(car.model.vehicle).top), 'car')
            for name, car in simulators.items()],
            *(contact.look_steps(cars[0].step_ns) for contact in responses))
        self._hits = CarHits(
            cars, responses[0], keep=self._keeping, do_touch=self._do_touch,
            note_met=self._note_met) if responses[0].policy == IMPULSE else None
        self._together = CarsTogether.of(cars) if self._hits is None else None

    def _keeping(self) -> Callable[[], None]:
        return partial(self._go_back, self._kept())

    def _do_touch(self) -> bool:
        return bool(self._touching(self._places()))

    def _note_met(self, index: int, place: Odometry, speed: float) -> None:
        self._robots[index].note_contact(place, speed)

    def warm_up(self) -> None:
        """Compile all that a step and the outputs call."""
        super().warm_up()
        if self._together is not None:
            self._together.warm_up()

    def _move_freely(self, steps: int) -> bool:
        return self._together is not None and self._together.advance(steps)

    def _advance(self, steps: int) -> None:
        if self._hits is None:
            super()._advance(steps)
            return
        self.seen.forget()
        self._hits.advance(steps)
        self._end_contacts()


def make_vehicle_plant(cars: Sequence[CarValues]) -> VehiclePlant | VehicleFleet:
    """One car, or several with names, of what values_of_cars() gives for a planar simulator.

    Raises ParameterError or ConfigurationError for what cannot be simulated.
    """
    if [car.name for car in cars] == ['']:
        return VehiclePlant(make_simulator(cars[0].values))
    return VehicleFleet({
        car.name: make_simulator(car.values, start=car.start_in(scene_of(car.values)))
        for car in cars})
