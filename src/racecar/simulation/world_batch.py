# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Many worlds side by side, each of some cars that see and hit each other, in compiled code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
import math
import operator
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from racecar.base.columns import rows_of
from racecar.base.compiled import kernel, types_of
from racecar.base.errors import ConfigurationError, ParameterError
from racecar.base.rows import flatten
from racecar.base.types import NANOSECONDS, ORIGIN
from racecar.base.vectors import as_vector, Flat, vector
from racecar.dynamics.integrators import DEFAULT_INTEGRATOR
from racecar.dynamics.vehicles.interface import Equations, VehicleModel
from racecar.metrics.lap_progress import courses_of
from racecar.metrics.laps import Course, LAP_SIZE, LapRule, NO_LAPS
from racecar.metrics.tracking_error import Array
from racecar.scene.motions import MotionState
from racecar.scene.scene import EMPTY_SCENE, Scene
from racecar.scene.surroundings import Surroundings, surroundings_of
from racecar.simulation.car_body import car_body, CarBody
from racecar.simulation.car_kernels import CarKernel
from racecar.simulation.commanded_batch import CommandedBatch, CommandedOptions
from racecar.simulation.contact import Contact, NONE
from racecar.simulation.lane_batch import CarBlock, write_lanes
from racecar.simulation.layout import LANES
from racecar.simulation.ports import DEFAULT_STEP, period_steps, whole_nanoseconds
from racecar.simulation.vehicle_columns import AxleFactors, VehicleColumns
from racecar.simulation.world_kernel import world_kernel
from racecar.simulation.world_looks import WorldKind
from racecar.simulation.world_rows import (
    Clock,
    NO_SHAPE,
    READING_NAMES,
    world_parts,
    WorldPlan,
)
from racecar.simulation.world_things import AS_BEFORE, Things, WorldConditions, WorldThings

_COMMAND_NUMBERS = 2
_FRESH = Clock(0.0, 1.0)
_NO_LAPS = np.array([*flatten(NO_LAPS)])
# States of models that have no speed of their own.
_MOVED_BY_INPUTS = frozenset(('x', 'y', 'yaw', 'yaw_rate', 'vy', 'beta'))


class WorldView(NamedTuple):
    """What a scanner is asked about; cars are counted through all worlds, that of world 0 first.

    shapes: numbers of CarShape of all cars, flat; scenes: what stands around, and the same as
    arrays; things: what differs from world to world; together: cars in a world; keys: of the
    noise of each car, (cars,); noise: factor of its deviation, (cars,); period_ns: length of a
    period [ns].
    """

    shapes: Flat
    scenes: Sequence[Scene]
    around: Surroundings
    things: Things
    together: int
    keys: NDArray[np.uint64]
    noise: Array
    period_ns: int


class Scanner(Protocol):
    """What cars see with, such as racecar.sensors.world_laser.WorldLaser."""

    @property
    def size(self) -> int:
        """Numbers of a scan."""

    def scan(
        self, view: WorldView, first: int, chosen: NDArray[np.bool_], scans: NDArray[np.float32],
    ) -> None:
        """Write scans of the cars from `first` on of which chosen says so.

        scans: (cars, size), of all cars. Called by several threads at once for different cars.
        """


class WorldSetup(NamedTuple):
    """What worlds have in common.

    period: for which a command holds [s], a whole number of steps; step: of the integration [s];
    integrator: rk4, euler or dopri5; actuators: rows of ACTUATOR_PARAMETERS, without which
    commands act at once; contact: see Contact; scenes: what stands around and moves, with friction
    zones; courses: closed centre lines on which laps are timed, one for all, one for each scene,
    or none; scanner: what the cars see with, None for nothing; drawn_zones: round friction zones
    of each world beside those of its scene, which resets place; they count before those.
    """

    period: float = 0.05
    step: float = DEFAULT_STEP
    integrator: str = DEFAULT_INTEGRATOR
    actuators: Mapping[str, object] | None = None
    contact: Contact = Contact()
    scenes: Sequence[Scene] = (EMPTY_SCENE,)
    courses: Sequence[Course] = ()
    lap_rule: LapRule = LapRule()
    scanner: Scanner | None = None
    drawn_zones: int = 0


DEFAULT_SETUP = WorldSetup()


class WorldReadings:
    """What is read of all cars, in arrays that each step and reset writes anew: copy what stays.

    states: (worlds, cars, states) [SI], in the order of WorldBatch.state_names. cars: (worlds,
    cars, len(READING_NAMES)), see CarReading and LapReading; readings['yaw'] is one of these for
    all cars, (worlds, cars), a view. scans: (worlds, cars, beams), float32 [m].
    """

    def __init__(self, states: Array, cars: Array, scans: NDArray[np.float32]) -> None:
        """Take over arrays."""
        self.states, self.cars, self.scans = states, cars, scans

    def __getitem__(self, name: str) -> Array:
        """One number of all cars, (worlds, cars). Raises ParameterError for an unknown name."""
        if name not in READING_NAMES:
            raise ParameterError(
                f"there is no reading '{name}', expected one of {', '.join(READING_NAMES)}")
        return self.cars[..., READING_NAMES.index(name)]


class WorldBatch(CommandedBatch):
    """Worlds of cars, driven by commands period after period.

    A car has the bits of Simulator. What happens in a world depends on this world alone: not on
    how many there are, on threads, nor on when others are reset. A car that leaves the range in
    which its model holds stands from then on as a fixed body, `readings['valid']` is 0. What moves
    in a world does so by the time since the last reset of its first car.
    readings: of now.
    """

    def __init__(
        self, models: Sequence[VehicleModel], cars: int = 1, setup: WorldSetup = DEFAULT_SETUP, *,
        scene_of: ArrayLike = 0, threads: int | None = None,
    ) -> None:
        """Put the cars on the starts of their scenes.

        models: of all cars, those of the first world first, all with the same equations; cars: in
        each world, 1 to 120; scene_of: index of the scene of each world, (worlds,), or of all;
        threads: how many cores to use, by default all that this process may use. Raises
        ConfigurationError and ParameterError as Simulator does, and for what does not fit
        together.
        """
        self._worlds, self._together = _worlds_of(models, cars), cars
        self._setup, contact = setup, setup.contact
        self._check(models, contact)
        self._period_ns = whole_nanoseconds('period', setup.period)
        step_ns = whole_nanoseconds('step', setup.step)
        steps = period_steps('rate', 1.0 / setup.period, step_ns)
        self._steps = _interval_steps(contact, setup.step, steps)
        self._intervals = steps // self._steps
        self._scene_of = self._scenes_of(scene_of)
        self._around = surroundings_of(setup.scenes)
        self._things = WorldThings(setup.scenes, self._scene_of, models, setup.drawn_zones)
        self._bodies: Array = np.empty((len(CarBody._fields), 0))
        self._courses = courses_of(setup.courses, setup.lap_rule)
        total = len(models)
        self._laps = as_vector(np.tile([*flatten(NO_LAPS)], total))
        self._keys = np.arange(total, dtype=np.uint64)
        self._noise = np.ones(total)
        self._commands = np.zeros((total, _COMMAND_NUMBERS))
        state_size = max((len(model.state_names) for model in models), default=0)
        flat = (np.full((total, state_size), np.nan), np.zeros((total, len(READING_NAMES))),
                np.zeros((total, len([*flatten(NO_SHAPE)]))))
        self._outputs = tuple(as_vector(array.reshape(-1)) for array in flat)
        self._given = as_vector(self._commands.reshape(-1)), self._laps
        beams = 0 if setup.scanner is None else setup.scanner.size
        self._scans = np.zeros((total, beams), np.float32)
        self.readings = WorldReadings(
            flat[0].reshape(*self.shape, -1), flat[1].reshape(*self.shape, -1),
            self._scans.reshape(*self.shape, beams))
        super().__init__(
            models, None, self._kernel_of, CommandedOptions(
                setup.step, setup.integrator, setup.actuators, False, threads, cars,
                self._steps))
        self._view = WorldView(
            self._outputs[2], setup.scenes, self._around, self._things.things, cars, self._keys,
            self._noise, self._period_ns)
        self._pool: ThreadPoolExecutor | None = None
        self._plan = WorldPlan(
            0.0, 0.0, len(self._blocks[0].cars), cars, 0.0, _COMMAND_NUMBERS, self._step,
            self._intervals, self._steps, 0.0, self._depth, state_size,
            self._period_ns, contact.restitution, contact.friction)
        # All blocks are of one kind, so one look-up does.
        self._parts = world_parts(self._blocks[0].parts)
        self._place_cars()
        self._join()
        self.reset()

    @property
    def shape(self) -> tuple[int, int]:
        """Number of worlds, and of cars in each."""
        return self._worlds, self._together

    @property
    def period(self) -> float:
        """For how long a command holds [s]."""
        return self._period_ns / NANOSECONDS

    @property
    def setup(self) -> WorldSetup:
        """What the worlds have in common."""
        return self._setup

    @property
    def scene_of(self) -> NDArray[np.int_]:
        """Index of the scene of each world, (worlds,)."""
        return self._scene_of

    def step(self, commands: ArrayLike) -> WorldReadings:
        """Drive all cars for a period; returns the readings, whose arrays are always the same.

        commands: speed [m/s] and steering angle [rad], (worlds, cars, 2), which are cut to the
        limits of the vehicles. Raises ParameterError, and drives nobody, for another shape or what
        is not finite.
        """
        given = np.asarray(commands, dtype=float)
        if given.shape != (*self.shape, _COMMAND_NUMBERS):
            raise ParameterError(
                f'commands have the shape {given.shape}, expected (worlds, cars, 2), here'
                f' {(*self.shape, _COMMAND_NUMBERS)}')
        if not np.isfinite(given).all():
            first = tuple(np.argwhere(~np.isfinite(given))[0].tolist())
            raise ParameterError(
                f'commands{list(first)} is {given[first]}, expected a finite number')
        self._commands[:] = given.reshape(-1, _COMMAND_NUMBERS)
        self._run(self._all_cars, self._plan._replace(ticks=1.0, done=self._done), self._threads)
        self._done += self._steps * self._intervals
        return self.readings

    def reset(
        self, mask: ArrayLike | None = None, states: ArrayLike | None = None,
        vehicles: VehicleColumns | None = None, channels: Array | None = None, *,
        poses: ArrayLike | None = None, seeds: ArrayLike | None = None,
        speeds: ArrayLike | None = None, conditions: WorldConditions = AS_BEFORE,
    ) -> None:
        """Let cars start anew under no command, with no contacts and laps; others keep each bit.

        mask: which ones, (worlds,) or (worlds, cars), all if None. poses: of base_link at rest, x,
        y [m], yaw [rad], (worlds, cars, 3) or (cars, 3); states: in place of them, (worlds, cars,
        states) or (states,); by default where they started first. vehicles: what the cars of the
        mask are from now on, see vary(); channels: of their actuators, see
        CommandedBatch.reset(). seeds: of the noise of their scans from now on, a whole number of 0
        to 2^64 - 1 for each car, (worlds, cars), or one for all. speeds: with which they start
        under a command of this speed that actuators have reached, (worlds, cars) or one for all
        [m/s]. conditions: friction zones, when things begin to move and noise, which stay until
        others are given. Of all these what belongs to the cars of the mask counts. Raises
        ParameterError for another shape, what is not finite, a car that cannot be, and speeds of
        models that have their speed as a state.
        """
        chosen = self._chosen(mask)
        flying = None if speeds is None else self._speeds_of(speeds)
        if states is not None and poses is not None:
            raise ParameterError('both states and poses are given, expected one of them')
        if states is not None and np.ndim(states) == 3 and np.shape(states)[:2] == self.shape:
            states = np.reshape(states, (len(self), -1))
        bodies = self._bodies
        if vehicles is not None and vehicles.bodies.shape == bodies.shape:
            bodies = np.where(chosen, vehicles.bodies, bodies)
        if poses is not None:
            states = self._states_at(poses, bodies, chosen)
        keys = self._keys if seeds is None else self._keys_of(seeds)
        things = self._things.check(conditions, chosen, vary=vehicles is not None)
        noise = self._noise if conditions.noise is None else self._noise_of(conditions.noise)
        super().reset(chosen, states, vehicles, channels)
        self._things.reset(chosen, things, None if vehicles is None else (
            vehicles.spots, vehicles.grips))
        self._keys[chosen], self._noise[chosen] = keys[chosen], noise[chosen]
        self._bodies = bodies
        laps = np.reshape(np.asarray(self._laps), (-1, LAP_SIZE))
        laps[chosen] = _NO_LAPS
        for block, lanes in self._lanes(chosen) if not (
                vehicles is None and flying is None) else ():
            if vehicles is not None:
                block.put_for_good(
                    self._parts.body, lanes, vehicles.bodies[:, block.cars[lanes]])
            if flying is not None:
                commands = np.zeros((_COMMAND_NUMBERS, len(lanes)))
                commands[0] = flying[block.cars[lanes]]
                for part in (self._parts.inputs, self._parts.outputs):
                    block.put(part, lanes, commands)
                write_lanes(block.lines, 0, lanes, np.tile(commands[0], (self._depth, 1)))
        self._run(chosen, self._plan)

    def moving_at(self, world: int) -> tuple[MotionState, ...]:
        """Where the moving things of a world are now, in the order of its scene."""
        time_ns = round(float(self.readings['time'][world, 0]) * NANOSECONDS)
        scene = self._setup.scenes[self._scene_of[world]]
        return tuple(thing.motion.at(time_ns + begin) for thing, begin in zip(
            scene.moving, self.moving_begins(world), strict=True))

    def moving_begins(self, world: int) -> list[int]:
        """Times of their motions at which the moving things of a world began [ns]."""
        return self._things.begins(world)

    def drawn_zones(self, world: int) -> Array:
        """x, y, radius [m], factor of the zones that the last reset of a world has placed."""
        return self._things.drawn_zones(world)

    def axle_factors(self, zones: Array | None = None) -> AxleFactors | None:
        """What vehicle_columns() takes for all cars, with such zones as of reset(), else now's.

        None without friction zones.
        """
        return self._things.factors(zones) if self._things.has_zones else None

    def vary(
        self, values: Mapping[str, object], columns: Mapping[str, Array],
    ) -> VehicleColumns:
        """Numbers of cars that differ in some parameters, on the ground as it is now.

        values, columns: as of cars by themselves.
        """
        return self._varied(values, columns, self.axle_factors())

    def _check(self, models: Sequence[VehicleModel], contact: Contact) -> None:
        names = {model.equations.name for model in models}
        if len(names) > 1:
            raise ConfigurationError(
                f"the cars have the equations {', '.join(sorted(names))}, expected the same of"
                ' all: one vehicle_model, tyre_model and formulation')
        contact.check()
        courses, scenes = len(self._setup.courses), len(self._setup.scenes)
        if not scenes or courses not in (0, 1, scenes):
            raise ConfigurationError(
                f'there are {scenes} scenes and {courses} courses, expected at least one scene and'
                ' no course, one for all or one for each scene')

    def _scenes_of(self, scene_of: ArrayLike) -> NDArray[np.int_]:
        scenes = len(self._setup.scenes)
        found = np.asarray(scene_of)
        if found.shape not in ((), (self._worlds,)) or found.dtype.kind not in 'iu' or (
                found.size and not 0 <= found.min() <= found.max() < scenes):
            raise ConfigurationError(
                f'scene_of has the shape {found.shape} and the type {found.dtype}, expected for'
                f' each of {self._worlds} worlds a whole number of 0 to {scenes - 1}')
        return np.array(np.broadcast_to(found, (self._worlds,)), dtype=np.int_)

    def _kernel_of(self, equations: Equations, actuated: bool) -> CarKernel:
        empty = vector(0)
        return world_kernel(
            WorldKind(equations, self._setup.integrator, actuated, self._setup.contact.policy,
                      self._things.has_zones, self._things.moves),
            types_of(empty, (empty, *self._given), self._outputs, self._scenery,
                     tuple(self._courses), empty))

    @property
    def _scenery(self) -> tuple[tuple[object, ...], tuple[object, ...]]:
        return tuple(self._around), tuple(self._things.things)

    @property
    def _all_cars(self) -> NDArray[np.bool_]:
        return np.ones(len(self), dtype=bool)

    def _place_cars(self) -> None:
        """Put bodies, scenes and starts into the rows."""
        known = {id(model): model for model in self.models}
        rest = {key: model.initial_state(ORIGIN) for key, model in known.items()}
        # At the origin base_link is as far from it as the point of the state is behind.
        bodies = {key: car_body(model.vehicle, -rest[key][model.state_names.index('x')])
                  for key, model in known.items()}
        self._rest = np.array([rest[id(model)] for model in self.models])
        self._bodies = np.array([bodies[id(model)] for model in self.models]).T
        scenes = np.repeat(self._scene_of, self._together)
        courses = scenes if len(self._setup.courses) > 1 else np.full(
            len(self), len(self._setup.courses) - 1)
        starts = np.array([
            self._setup.scenes[scene].starts[car % len(self._setup.scenes[scene].starts)]
            for scene, car in zip(scenes.tolist(), [*range(self._together)] * self._worlds,
                                  strict=True)])
        states = self._rest_at(starts, self._bodies, self._all_cars)
        for block in self._blocks:
            lanes = block.all_lanes
            block.put_for_good(self._parts.clock, lanes, rows_of(_FRESH, len(lanes)))
            for part, columns in (
                    (self._parts.body, self._bodies),
                    (self._parts.where, np.array([scenes, courses])),
                    (block.parts.motion.state, states.T)):
                block.put_for_good(part, lanes, columns[:, block.cars])

    def _rest_at(self, poses: Array, bodies: Array, chosen: NDArray[np.bool_]) -> Array:
        """States of cars at rest, the chosen ones at poses of base_link, (cars, 3)."""
        found, base = self._rest.copy(), bodies[CarBody._fields.index('base')]
        # Copies, as read-only arrays would be of another type.
        _put_at(found, self.state_names.index('x'), poses.copy(), base.copy(), chosen)
        return found

    def _states_at(
        self, poses: ArrayLike, bodies: Array, chosen: NDArray[np.bool_],
    ) -> Array:
        found = np.asarray(poses, dtype=float)
        if found.shape not in ((*self.shape, 3), (self._together, 3)):
            raise ParameterError(
                f'poses have the shape {found.shape}, expected (worlds, cars, 3), here'
                f' {(*self.shape, 3)}, or (cars, 3) for all worlds')
        of_cars = np.broadcast_to(found, (*self.shape, 3)).reshape(-1, 3)
        wrong = np.empty(0) if np.isfinite(found).all() else np.flatnonzero(
            chosen & ~np.isfinite(of_cars).all(axis=1))
        if wrong.size:
            raise ParameterError(
                f'the pose of car {wrong[0] % self._together} of world'
                f' {wrong[0] // self._together} is {of_cars[wrong[0]].tolist()}, expected finite'
                ' numbers')
        return self._rest_at(of_cars, bodies, chosen)

    def _noise_of(self, noise: ArrayLike) -> Array:
        given = np.asarray(noise, dtype=float)
        if given.shape not in ((), self.shape) or not (
                np.isfinite(given).all() and (given >= 0.0).all()):
            raise ParameterError(
                f'noise has the shape {given.shape}, expected finite factors of at least 0,'
                f' (worlds, cars), here {self.shape}, or one for all')
        return np.broadcast_to(given, self.shape).reshape(-1)

    def _keys_of(self, seeds: ArrayLike) -> NDArray[np.uint64]:
        if isinstance(seeds, np.ndarray) and seeds.dtype == np.uint64 and (
                seeds.shape == self.shape):
            return seeds.reshape(-1)
        # As objects: NumPy makes floats of lists in which numbers above 2^63 - 1 stand beside
        # others, wraps what is negative and cuts what is no whole number.
        found = np.asarray(seeds, dtype=object)
        try:
            whole = [operator.index(seed) for seed in found.flat]
        except TypeError:
            whole = [-1]
        if found.shape not in ((), self.shape) or not all(0 <= seed < 2**64 for seed in whole):
            raise ParameterError(
                f'seeds have the shape {np.shape(seeds)}, expected whole numbers of 0 to 2^64 - 1'
                f' of the shape (worlds, cars), here {self.shape}, or one for all')
        return np.broadcast_to(
            np.array(whole, np.uint64).reshape(found.shape), self.shape).reshape(-1)

    def _speeds_of(self, speeds: ArrayLike) -> Array:
        if not _MOVED_BY_INPUTS.issuperset(self.state_names):
            raise ParameterError(
                f'speeds are given for {self.models[0].description}, expected a model whose speed'
                ' is its input: kinematic_bicycle or single_track')
        found = np.asarray(speeds, dtype=float)
        if found.shape not in ((), self.shape) or not np.isfinite(found).all():
            raise ParameterError(
                f'speeds have the shape {found.shape}, expected finite numbers of the shape'
                f' (worlds, cars), here {self.shape}, or one for all')
        return np.broadcast_to(found, self.shape).reshape(-1)

    def _chosen(self, mask: ArrayLike | None) -> NDArray[np.bool_]:
        if mask is None:
            return self._all_cars
        found = np.asarray(mask)
        if found.dtype == bool and found.shape == (self._worlds,):
            return np.repeat(found, self._together)
        if found.dtype == bool and found.shape in (self.shape, (len(self),)):
            return found.reshape(-1)
        raise ParameterError(
            f'mask has the shape {found.shape} and the type {found.dtype}, expected truth values'
            f' of the shape (worlds,) or (worlds, cars), here {self.shape}')

    def _run(self, chosen: NDArray[np.bool_], plan: WorldPlan, threads: int = 1) -> None:
        """Call the kernel of all blocks, some on each thread, and scan from the chosen cars."""
        joined = self._joined
        if joined is None:
            for block in self._blocks:
                self._drive_block(block, plan)
                self._scan(chosen, int(block.cars[0]), len(block.cars))
            return
        each, blocks = len(self._blocks[0].cars), len(self._blocks)

        def run(first: int, after: int) -> None:
            begin, end = first * each, min(after * each, len(self))
            self._blocks[0].drive(*self._arguments(joined.rows, joined.lines, plan._replace(
                cars=end - begin, first=first)))
            self._scan(chosen, begin, end - begin)

        groups = min(threads, blocks)
        if groups == 1:
            run(0, blocks)
            return
        if self._pool is None:
            self._pool = ThreadPoolExecutor(groups)
        ends = [blocks * k // groups for k in range(groups + 1)]
        for _ in self._pool.map(run, ends[:-1], ends[1:]):
            pass

    def _scan(self, chosen: NDArray[np.bool_], first: int, count: int) -> None:
        if self._setup.scanner is not None:
            self._setup.scanner.scan(
                self._view, first, chosen[first:first + count], self._scans)

    def _arguments(self, rows: Flat, lines: Flat, plan: WorldPlan) -> tuple[object, ...]:
        return (rows, (lines, *self._given), self._outputs, self._scenery,
                tuple(self._courses), vector(tuple(plan)))

    def _drive_block(self, block: CarBlock, plan: WorldPlan) -> None:
        """Do what the kernel does in plain Python, whose math raises where it would yield NaN."""
        own = plan._replace(cars=len(block.cars))
        try:
            block.drive(*self._arguments(block.rows, block.lines, own))
        except (ValueError, OverflowError):
            # The world ends there.
            lanes, parts = block.all_lanes, block.parts
            block.put(parts.motion.state, lanes, block.read(parts.good).T)
            block.put(parts.valid, lanes, np.zeros((1, len(lanes))))
            block.drive(*self._arguments(block.rows, block.lines, own._replace(ticks=0.0)))


@kernel
def _put_at(
    states: Array, at: int, poses: Array, bases: Array, chosen: NDArray[np.bool_],
) -> None:
    """Put the chosen cars at poses of base_link, `base` ahead of the point of the state [m].

    at: column of x in the states, (cars, states), before those of y and yaw.
    """
    for i in range(len(chosen)):
        if chosen[i]:
            yaw = poses[i, 2]
            states[i, at] = poses[i, 0] - bases[i] * math.cos(yaw)
            states[i, at + 1] = poses[i, 1] - bases[i] * math.sin(yaw)
            states[i, at + 2] = yaw


def _worlds_of(models: Sequence[VehicleModel], cars: int) -> int:
    """Number of worlds. Raises ConfigurationError for cars that do not fill them."""
    if not 1 <= cars <= LANES:
        raise ConfigurationError(f'there are {cars} cars in a world, expected 1 to {LANES}')
    worlds, rest = divmod(len(models), cars)
    if rest or not worlds:
        raise ConfigurationError(
            f'there are {len(models)} models, expected one for each of {cars} cars of each world:'
            f' {max(worlds, 1) * cars} or another multiple of {cars}')
    return worlds


def _interval_steps(contact: Contact, step: float, steps: int) -> int:
    """Steps of an interval between two looks at the cars, of so many of a period."""
    if contact.policy == NONE:
        return steps
    count = whole_nanoseconds('interval', contact.interval) / whole_nanoseconds('step', step)
    if count >= steps:
        return steps
    if count != int(count) or steps % int(count):
        raise ConfigurationError(
            f'the interval of contacts is {contact.interval:g} s, expected a whole number of steps'
            f' of {step:g} s of which a whole number makes the {steps} steps of a period')
    return int(count)
