# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The core of all environments: worlds of cars, driven by actions, period after period.

Gymnasium, vectors and PettingZoo are thin layers above it. Whatever is random is a hash of the
seed of a world and the number of its episode, so a world has the same bits however many there are,
on how many threads, and whenever others are reset.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from racecar.base.errors import ConfigurationError, excerpt, ParameterError
from racecar.base.parameters import Parameter
from racecar.base.readings import LaserScan
from racecar.base.rows import flatten
from racecar.base.types import Pose3
from racecar.base.values import number_of, text_of
from racecar.base.vectors import as_vector
from racecar.control.gap_following import GapFollower
from racecar.control.policy.contract import load_policy, Policy, PolicyContract
from racecar.control.policy.driver import action_plan
from racecar.control.policy.features import ActionPlan, ObservationPlan, plan_of
from racecar.control.policy.network import Network
from racecar.dynamics.integrators import find_integrator
from racecar.dynamics.vehicles import make_vehicle_model
from racecar.dynamics.vehicles.parameters import VEHICLE_COLUMNS
from racecar.gym.following import followed
from racecar.gym.options import (
    EnvOptions,
    FOLLOWER,
    GAP,
    MOVING_BEGIN,
    SCAN_NOISE,
    START_GRID,
    START_HEADING,
    START_OFFSET,
    START_SPEED,
    START_WAY,
    STOCK_OPPONENTS,
)
from racecar.gym.period import (
    Cars,
    command_all,
    FACTS,
    follow_all,
    Judgement,
    judging,
    NO_VIEW,
    observe_all,
    road_of,
    see_all,
    tell_all,
)
from racecar.gym.randomisation import (
    ACTUATOR_STREAM,
    key_words,
    MOVING_STREAM,
    NOISE_STREAM,
    OPPONENT_STREAM,
    PARAMETER_STREAM,
    shares_of,
    SPEED_STREAM,
    START_STREAM,
    ZONE_STREAM,
)
from racecar.gym.rewards import weighted_reward
from racecar.gym.things import zones_drawn
from racecar.metrics.course_places import Places, poses_along, segments_of
from racecar.metrics.lap_progress import courses_of
from racecar.sensors.world_laser import WorldLaser
from racecar.simulation.contact import Contact
from racecar.simulation.vehicle_columns import vehicle_columns, VehicleColumns
from racecar.simulation.world_batch import WorldBatch, WorldSetup
from racecar.simulation.world_things import WorldConditions

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]
Indices = NDArray[np.int64]

_LASER_HEIGHT = 0.1  # [m]

_WORLDS = Parameter('worlds', int, 1, 'Worlds side by side', minimum=1)


class Episodes(NamedTuple):
    """Seeds and numbers of the episodes of some worlds, from which all that is random is drawn."""

    seeds: Indices
    numbers: Indices


class Driver(NamedTuple):
    """A policy that drives some cars: its name, how it sees and acts."""

    name: str
    network: Network
    plan: ObservationPlan
    actions: ActionPlan


class Racing:
    """Worlds that are driven together.

    observations: (worlds, cars, numbers), rewards, ended: whether an episode is over for a car for
    good, contacts: (worlds, cars); all are written anew by drive() and begin().
    """

    def __init__(
        self, options: EnvOptions, worlds: int, *, learners: int = 1, threads: int | None = None,
    ) -> None:
        """learners: cars of each world that get actions; the others are opponents.

        Raises ConfigurationError and ParameterError for what does not fit together.
        """
        settings, cars = options.settings, options.settings.cars
        _WORLDS.validate(worlds)
        self.options, self.worlds, self.cars, self.learners = options, worlds, cars, learners
        self.contract = contract_of(options)
        total = worlds * cars
        model = make_vehicle_model(
            text_of(options.values, 'vehicle_model'), options.vehicle, options.values)
        tracks = options.tracks
        scene_of = np.arange(worlds) % len(tracks)
        policies = self._policies()
        self._names = ('', *self._opponents)
        # Who drives each car, by the number of the name; the first that each could have.
        self._driven_by = np.zeros((worlds, cars), np.int64)
        for car, names in enumerate(options.opponents[learners - 1:], learners):
            self._driven_by[:, car] = self._names.index(names[0])
        self._gap_law = GapFollower(options.gap._asdict(), options.vehicle)
        self.has_scans = 'scan' in options.parts or GAP in self._names or any(
            'scan' in policy.contract.parts for policy in policies.values())
        self._plan = plan_of(options.parts, options.features, self.contract.observation,
                             scaled=settings.scaled)
        self.batch = WorldBatch([model] * total, cars, WorldSetup(
            1.0 / settings.rate, number_of(options.values, 'step'),
            text_of(options.values, 'integrator'), options.slowest_actuators,
            Contact(settings.contact),
            tuple(track.scene for track in tracks), tuple(track.course for track in tracks),
            scanner=scanner_of(options) if self.has_scans else None,
            drawn_zones=len(options.zones)),
            scene_of=scene_of, threads=threads)
        courses = courses_of([track.course for track in tracks])
        self._road = road_of(courses, followed(courses, options.follower),
                             np.repeat(scene_of, cars).astype(np.int64))
        self._segments = segments_of([track.course for track in tracks])
        self._lengths = np.array([track.course.length for track in tracks])
        self._most_moving = max(len(track.scene.moving) for track in tracks)
        vehicle = options.vehicle
        self._cars = Cars(
            np.zeros((total, 2)),
            np.tile([vehicle.speed_max, options.steering_max, vehicle.wheelbase], (total, 1)),
            as_vector(np.tile([*flatten(NO_VIEW)], total)))
        self._actions = np.zeros((total, 2))
        self._action_plan = action_plan(self.contract, vehicle)
        self._readings = as_vector(self.batch.readings.cars.reshape(-1))
        self.observations = np.zeros(
            (worlds, cars, len(self.contract.observation)), np.float32)
        found = Judgement(np.zeros(total), np.zeros(total, dtype=bool), np.zeros(total))
        self._found = found
        self.rewards = found.rewards.reshape(worlds, cars)
        self.ended = found.ended.reshape(worlds, cars)
        self.contacts = found.contacts.reshape(worlds, cars)
        # A reward of the user's may ask the guide.
        self._is_guided = options.weights.guided != 0.0 or options.reward is not weighted_reward
        self._rules = options.weights, options.rules
        self._judge = judging(
            options.reward, options.ended, self._readings, self._road, self._cars, self._rules,
            self._is_guided, found)
        self._all = np.ones(total, dtype=bool)
        self._drivers = self._drivers_of(policies)
        self.seeds, self.episodes = np.zeros(worlds, np.int64), np.full(worlds, -1, np.int64)
        self.steps = np.zeros(worlds, np.int64)
        self._most_steps = max(round(settings.time_limit * settings.rate), 1)

    @property
    def truncated(self) -> Flags:
        """Whether the time of a world is over, (worlds,)."""
        return self.steps >= self._most_steps

    @property
    def learning(self) -> Floats:
        """Observations of the cars that get actions, (worlds, learners, numbers), a view."""
        return self.observations[:, :self.learners]

    def facts(self) -> dict[str, Array]:
        """What infos tell, new arrays (worlds, cars); 0 for a time of a lap that is not yet."""
        found = np.empty((len(FACTS), self.worlds, self.cars))
        tell_all(self._readings, self._found.contacts, found.reshape(len(FACTS), -1))
        return dict(zip(FACTS, found, strict=True))

    def begin(
        self, mask: Flags, seeds: Sequence[int] | Indices | None = None,
        poses: ArrayLike | None = None, *, seeded: Flags | None = None,
    ) -> None:
        """Begin an episode in the worlds of a mask, (worlds,).

        seeds: of all worlds, (worlds,), from which the episodes count anew; seeded: worlds whose
        seed counts, (worlds,), all by default; the others go on to their next episode, as all do
        without seeds. poses: x, y [m], yaw [rad] of base_link, (worlds, cars, 3) or (cars, 3), in
        place of those that are drawn. Raises ConfigurationError for a vehicle that cannot be, and
        ParameterError for poses of another shape, and begins nothing then.
        """
        drawn_from = Episodes(self.seeds[mask], self.episodes[mask] + 1)
        if seeds is not None:
            anew = np.asarray(seeded)[mask] if seeded is not None else slice(None)
            drawn_from.seeds[anew] = np.asarray(seeds, np.int64)[mask][anew]
            drawn_from.numbers[anew] = 0
        chosen = np.repeat(mask, self.cars)
        drawn = np.zeros((self.worlds, self.cars, 3))
        keys = np.zeros((self.worlds, self.cars), np.uint64)
        words = key_words(*drawn_from, self.cars).astype(np.uint64)
        keys[mask] = (words[:, 0] << np.uint64(32) | words[:, 1]).reshape(-1, self.cars)
        if poses is None:
            self._place(mask, drawn_from, drawn)
        speeds = self._start_speeds(mask, drawn_from)
        zones = self._zones(mask, drawn_from)
        self.batch.reset(mask, poses=drawn if poses is None else poses, seeds=keys,
                         vehicles=self._varied(mask, drawn_from, zones),
                         channels=self._channels(mask, drawn_from), speeds=speeds,
                         conditions=WorldConditions(
                             zones, self._begins(mask, drawn_from),
                             self._noise(mask, drawn_from)))
        # Only now: what cannot be has changed nothing.
        self.seeds[mask], self.episodes[mask] = drawn_from
        self.steps[mask] = 0
        self._draw_opponents(mask, drawn_from)
        self._cars.commands[chosen] = 0.0
        if speeds is not None:
            self.commands[mask, :, 0] = speeds[mask]
        see_all(self._readings, chosen, self._cars)
        self._observe(chosen)
        self._found.rewards[chosen], self._found.ended[chosen] = 0.0, False
        self._found.contacts[chosen] = 0.0

    def drive(self, actions: ArrayLike, driven: Flags | None = None) -> None:
        """Drive all worlds for a period.

        actions: (worlds, learners, 2); driven: (worlds, cars), the other cars get the command to
        stand and their actions do not count. Raises ParameterError, and drives nobody, for an
        action that is not finite, and ConfigurationError before the first begin() of a world.
        """
        if (self.episodes < 0).any():
            raise ConfigurationError(
                f'world {int(np.argmin(self.episodes))} has begun no episode, expected reset()'
                ' before step()')
        chosen = self._all if driven is None else np.ascontiguousarray(driven).reshape(-1)
        learners = chosen.reshape(self.worlds, self.cars).copy()
        learners[:, self.learners:] = False
        numbers = np.asarray(actions, dtype=float)
        if not np.isfinite(numbers).all():
            wrong = np.argwhere(
                learners[:, :self.learners] & ~np.isfinite(numbers).all(axis=2))
            if len(wrong):
                world, car = wrong[0].tolist()
                raise ParameterError(
                    f'the action of car {car} of world {world} is'
                    f' {numbers[world, car].tolist()}, expected finite numbers')
        given = self._actions.reshape(self.worlds, self.cars, 2)
        given[:, :self.learners] = numbers
        command_all(self._actions, self._action_plan, learners.reshape(-1), self._cars)
        if FOLLOWER in self._names:
            follow_all(self._cars_of(FOLLOWER) & chosen, self._road, self._cars)
        if GAP in self._names:
            for car in np.flatnonzero(self._cars_of(GAP) & chosen).tolist():
                self._cars.commands[car] = self._gap_law.command(self.scan_of(car))
        for driver in self._drivers:
            self._ask(driver, chosen)
        if driven is not None:
            self._cars.commands[~chosen] = 0.0
        self.batch.step(self._cars.commands.reshape(self.worlds, self.cars, 2))
        self._judge(self._readings, self._road, self._cars, self._rules, self._is_guided,
                    self._found)
        self.steps += 1
        self._observe(self._all)

    def _observe(self, chosen: Flags) -> None:
        """Renew observations of the chosen cars."""
        observe_all(self._plan, self._road, self._cars, chosen, self._scans.reshape(-1),
                    self.observations.reshape(-1))

    @property
    def _scans(self) -> Floats:
        scans = self.batch.readings.scans
        return scans.reshape(self.worlds * self.cars, -1)

    @property
    def commands(self) -> Array:
        """Commands in force, (worlds, cars, 2) [m/s, rad], a view."""
        return self._cars.commands.reshape(self.worlds, self.cars, 2)

    def scan_of(self, car: int) -> LaserScan:
        """Scan of a car; cars are counted through all worlds."""
        features = self.options.features
        half = 0.5 * features.field_of_view
        return LaserScan(
            -half, half, features.field_of_view / max(features.beams - 1, 1), 0.0,
            1.0 / self.options.settings.rate, 0.0, features.range_max, self._scans[car])

    def _place(self, mask: Flags, episodes: Episodes, poses: Array) -> None:
        """Fill the poses, (worlds, cars, 3), at which the worlds of a mask start."""
        settings, count = self.options.settings, 1 + 2 * self.cars
        randomised = self.options.randomised
        shares = shares_of(*episodes, START_STREAM, count)
        scenes = self.batch.scene_of[mask]
        drawn = shares[:, 1:].reshape(-1, self.cars, 2)
        # The first car is the first of a row.
        back = settings.start_spacing * np.arange(self.cars)
        if settings.start == START_GRID:
            ways = np.broadcast_to(0.0 - back, (len(scenes), self.cars))
            offset = np.broadcast_to(
                settings.start_offset * (-1.0) ** np.arange(self.cars), ways.shape)
            turn = np.zeros(ways.shape)
        else:
            ways = (shares[:, 0] * self._lengths[scenes])[:, None] - back
            spread = 2.0 * drawn - 1.0
            offset = settings.start_offset * spread[..., 0]
            turn = settings.start_heading * spread[..., 1]
        if START_WAY in randomised:
            ways = randomised[START_WAY].of(shares[:, :1]) - back
        if START_OFFSET in randomised:
            offset = randomised[START_OFFSET].of(drawn[..., 0])
        if START_HEADING in randomised:
            turn = randomised[START_HEADING].of(drawn[..., 1])
        poses[mask] = poses_along(
            self._segments, np.repeat(scenes, self.cars).astype(np.int64),
            Places(ways.ravel(), offset.ravel(), turn.ravel())).reshape(-1, self.cars, 3)

    def _start_speeds(self, mask: Flags, episodes: Episodes) -> Array | None:
        """Speeds with which the cars of the worlds of a mask start, (worlds, cars) [m/s]."""
        return self._drawn(START_SPEED, mask, episodes, SPEED_STREAM, self.cars)

    def _drawn(
        self, name: str, mask: Flags, episodes: Episodes, stream: int, count: int,
    ) -> Array | None:
        """Numbers of the worlds of a mask, (worlds, count), None if the name is not randomised."""
        distribution = self.options.randomised.get(name)
        if distribution is None:
            return None
        found = np.zeros((self.worlds, count))
        found[mask] = distribution.of(shares_of(*episodes, stream, count))
        return found

    def _zones(self, mask: Flags, episodes: Episodes) -> Array | None:
        """Friction zones of the worlds of a mask, (worlds, zones, 4), None if none are drawn."""
        zones = self.options.zones
        if not zones:
            return None
        found = np.zeros((self.worlds, len(zones), 4))
        found[mask] = zones_drawn(
            zones, shares_of(*episodes, ZONE_STREAM, 4 * len(zones)), self._segments,
            self.batch.scene_of[mask].astype(np.int64))
        return found

    def _begins(self, mask: Flags, episodes: Episodes) -> Array | None:
        """At which times of their motions things begin, (worlds, things), None if all at 0."""
        return self._drawn(MOVING_BEGIN, mask, episodes, MOVING_STREAM, self._most_moving)

    def _noise(self, mask: Flags, episodes: Episodes) -> Array | None:
        """Deviation of the scans of all cars [m], (worlds, cars), None if it is that of all."""
        return self._drawn(SCAN_NOISE, mask, episodes, NOISE_STREAM, self.cars)

    def _draw_opponents(self, mask: Flags, episodes: Episodes) -> None:
        """Say who drives the cars of the worlds of a mask, where that is drawn."""
        first = self.learners
        opponents = self.options.opponents[first - 1:]
        if all(len(names) == 1 for names in opponents):
            return
        shares = shares_of(*episodes, OPPONENT_STREAM, self.cars)
        for car, names in enumerate(opponents, first):
            numbers = np.array([self._names.index(name) for name in names])
            self._driven_by[mask, car] = numbers[(shares[:, car] * len(names)).astype(int)]

    def _varied(
        self, mask: Flags, episodes: Episodes, zones: Array | None,
    ) -> VehicleColumns | None:
        """What the cars of the worlds of a mask are made of, None if they do not differ.

        zones: as of _zones().
        """
        names = [name for name in self.options.randomised if name in VEHICLE_COLUMNS]
        if not names:
            return None
        shares = shares_of(*episodes, PARAMETER_STREAM, len(names) * self.cars)
        drawn = {name: self.options.randomised[name].of(shares.reshape(-1, len(names))[:, k])
                 for k, name in enumerate(names)}
        chosen = np.repeat(mask, self.cars)
        cars = int(chosen.sum())
        model, values = self.batch.models[0], self.options.values
        # Of the cars that begin anew only: the columns of one cost 10 us.
        method = find_integrator(text_of(values, 'integrator'))
        friction = self.batch.axle_factors(zones)
        some = vehicle_columns(model, model.vehicle.columns(drawn), values, cars,
                               method.stability_limit / number_of(values, 'step'),
                               None if friction is None else friction.of(chosen))
        possible = some.are_possible & model.vehicle.are_possible(drawn)
        if not possible.all():
            car = int(np.argmin(possible))
            raise ConfigurationError(
                'the vehicle cannot be with '
                + ', '.join(f'{name} {column[car]:g}' for name, column in drawn.items())
                + ': narrow the distributions of randomise')
        parameters, limits, command_limits, bodies = (
            _among(chosen, columns) for columns in some[:4])
        return VehicleColumns(
            parameters, limits, command_limits, bodies, np.ones(len(chosen), dtype=bool),
            _among(chosen, some.spots), _among(chosen, some.grips))

    def _channels(self, mask: Flags, episodes: Episodes) -> Array | None:
        """Actuators of the cars of the worlds of a mask, None if they do not differ."""
        options = self.options
        randomised = options.randomised_actuators
        if not randomised:
            return None
        names = list(randomised)
        shares = shares_of(*episodes, ACTUATOR_STREAM, len(names) * self.cars)
        drawn = [randomised[name].of(shares.reshape(-1, len(names))[:, k]).tolist()
                 for k, name in enumerate(names)]
        made = [options.channels(dict(zip(names, numbers, strict=True)))
                for numbers in zip(*drawn, strict=True)]
        return _among(np.repeat(mask, self.cars), np.array(
            [[*flatten(channels)] for channels in made]).T)

    def _policies(self) -> dict[str, Policy]:
        """Policies of opponents by their files."""
        return {name: load_policy(name) for name in self._opponents
                if name not in STOCK_OPPONENTS}

    @property
    def _opponents(self) -> tuple[str, ...]:
        """Names of all that may drive a car that gets no actions."""
        return tuple(sorted({
            name for names in self.options.opponents[self.learners - 1:] for name in names}))

    def _cars_of(self, name: str) -> Flags:
        """Which cars are driven so, (cars of all worlds,)."""
        found: Flags = self._driven_by.reshape(-1) == self._names.index(name)
        return found

    def _drivers_of(self, policies: Mapping[str, Policy]) -> list[Driver]:
        """Cars of all worlds for each policy that drives some."""
        found = []
        features = self.options.features
        for name, (network, contract) in policies.items():
            if 'scan' in contract.parts and contract.features[2:] != features[2:]:
                raise ConfigurationError(
                    f'opponent {excerpt(name)} sees {contract.features.beams} beams in'
                    f' {contract.features.field_of_view:g} rad up to'
                    f' {contract.features.range_max:g} m, expected those of the environment:'
                    f' {features.beams}, {features.field_of_view:g} rad,'
                    f' {features.range_max:g} m')
            if contract.rate != self.options.settings.rate:
                raise ConfigurationError(
                    f'opponent {excerpt(name)} acts {contract.rate:g} times a second, expected'
                    f' {self.options.settings.rate:g} as the environment')
            found.append(Driver(
                name, network, plan_of(
                    contract.parts, contract.features, contract.observation,
                    scaled=contract.scaled), action_plan(contract, self.options.vehicle)))
        return found

    def _ask(self, driver: Driver, driven: Flags) -> None:
        """Let cars have the commands of a policy."""
        chosen = self._cars_of(driver.name) & driven
        columns = np.flatnonzero(chosen)
        seen = np.zeros((len(driven), len(driver.plan.scales)), np.float32)
        observe_all(driver.plan, self._road, self._cars, chosen, self._scans.reshape(-1),
                    seen.reshape(-1))
        actions = np.zeros((len(driven), 2))
        actions[columns] = driver.network.answer(seen[columns])
        command_all(actions, driver.actions, chosen, self._cars)


def _among(chosen: Flags, columns: Array) -> Array:
    """Columns of the chosen cars among all, (numbers, cars)."""
    found = np.zeros((len(columns), len(chosen)))
    found[:, chosen] = columns
    return found


def scanner_of(options: EnvOptions) -> WorldLaser:
    """Laser of the part scan, level with the ground."""
    features, settings = options.features, options.settings
    half = 0.5 * features.field_of_view
    return WorldLaser({
        'angle_min': -half, 'angle_max': half, 'rays': features.beams, 'range_min': 0.0,
        # Where it is drawn, of 1 m, times what resets say.
        'range_max': features.range_max,
        'noise': 1.0 if SCAN_NOISE in options.randomised else settings.scan_noise},
        Pose3(settings.laser_ahead, 0.0, _LASER_HEIGHT, 0.0, 0.0, 0.0, 1.0))


def contract_of(options: EnvOptions) -> PolicyContract:
    """What observations and actions of an environment mean, for a policy file."""
    settings = options.settings
    return PolicyContract(
        options.parts, options.features, options.observation, options.action, settings.scaled,
        settings.rate, options.tracks[0].line, options.vehicle.name)
