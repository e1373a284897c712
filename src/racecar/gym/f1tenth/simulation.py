# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the environments of f1tenth_gym 0.2.1 and 1.0.0 simulate, on worlds of this package.

Kept as it is there: the vehicle, its integrators, the buffer of two steering commands, controllers
of speed and angle, ranges on maps and their white noise by the same generator, the test of
collisions by the time to them, what a collision does to the state, the lap counter. On worlds
without a map, which are not there, ranges are exact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.types import Pose3
from racecar.dynamics.vehicles.parameters import Footprint
from racecar.gym.f1tenth.laser import MapLaser
from racecar.gym.f1tenth.model import gym_inputs, GymModel, GymState
from racecar.scene.overlaps import Rectangle, rectangles_overlap
from racecar.scene.scene import Scene
from racecar.scene.scene_map import scene_map
from racecar.sensors.world_laser import WorldLaser
from racecar.simulation.contact import Contact, NONE
from racecar.simulation.world_batch import WorldBatch, WorldSetup

Array = NDArray[np.float64]

BEAMS, FIELD_OF_VIEW, RANGE_MAX = 1080, 4.7, 30.0
"""Of its laser: beams, rad, m."""

_NOISE = 0.01  # [m]
_LEAST_TIME = 0.005  # to a collision [s]
_BUFFER = 2
# Of its lap counter: half the length of the start line, what is near it [m, m^2].
_HALF_LINE, _NEAR = 2.0, 0.1
_TOGGLES = 4


class GymVehicle(NamedTuple):
    """What a world asks of a vehicle, in which nothing limits the inputs of the model."""

    footprint: Footprint
    mass: float
    yaw_inertia: float
    odometry_offset: float = 0.0
    speed_min: float = -math.inf
    speed_max: float = math.inf
    steering_range: tuple[float, float] = (-math.inf, math.inf)


class _Vehicle(GymModel):
    """Its model as a car of a world."""

    def __init__(self, model: str, parameters: Mapping[str, float]) -> None:
        super().__init__(model, parameters)
        half = 0.5 * parameters['length']
        self.vehicle = GymVehicle(
            Footprint(half, half, 0.5 * parameters['width']), self.car.mass, self.car.inertia)


class GymOptions(NamedTuple):
    """Options of a simulation.

    kinds: speed or accl, steering_angle or steering_speed; laser_ahead [m]: of the reference
    point; field_of_view: of the laser [rad]; stops: whether a car stops before a wall as beams
    say, or drives on into it; renews: whether each episode has the same noise, or it goes on.
    """

    agents: int
    seed: int
    timestep: float
    integrator: str
    model: str
    kinds: tuple[str, str]
    ego: int
    laser_ahead: float = 0.0
    beams: int = BEAMS
    field_of_view: float = FIELD_OF_VIEW
    stops: bool = True
    renews: bool = True


class GymAgent:
    """One car as users of f1tenth_gym look at it.

    state: x, y [m], steering angle [rad], speed [m/s], yaw [rad], yaw rate [rad/s], slip angle
    [rad], the last two not in the kinematic model.
    """

    def __init__(self, parameters: Mapping[str, float], seed: int) -> None:
        self.params, self._seed = parameters, seed
        self.in_collision = False
        self.state = np.zeros(7)
        self.begin()

    def begin(self, *, renews: bool = True) -> None:
        """Empty the buffer, and let the noise begin anew, or go on."""
        self.in_collision = False
        self._buffer: list[float] = []
        if renews:
            self.noise = np.random.default_rng(self._seed)

    def delayed(self, steering: float) -> float:
        """Steering command of two steps ago, 0 at first."""
        self._buffer.append(steering)
        return self._buffer.pop(0) if len(self._buffer) > _BUFFER else 0.0


class GymSimulation:
    """Cars on a map that see each other; each moves in a world of its own, as nothing stops it."""

    def __init__(
        self, scene: Scene, parameters: Mapping[str, float], options: GymOptions,
    ) -> None:
        """Raise ParameterError for parameters that are missing."""
        self.options, self.params = options, dict(parameters)
        half = 0.5 * options.field_of_view
        self.angles = np.linspace(-half, half, options.beams)
        self.agents = [GymAgent(self.params, options.seed) for _ in range(options.agents)]
        self.agent_poses = np.zeros((options.agents, 3))
        self.agent_steerings = np.zeros(options.agents)
        self.agent_scans = np.zeros((options.agents, options.beams))
        self.collisions = np.zeros(options.agents)
        self.collision_idx = np.full(options.agents, -1.0)
        self.ego_idx, self.num_agents, self.seed = options.ego, options.agents, options.seed
        self.set_scene(scene)

    def update_params(self, parameters: Mapping[str, float], agent_idx: int = -1) -> None:
        """Take other parameters for all cars, or for one, which keep their states.

        Raises IndexError for an agent that there is not.
        """
        if agent_idx >= self.num_agents:
            raise IndexError(f'agent {agent_idx} is none of {self.num_agents}')
        for k, agent in enumerate(self.agents):
            if agent_idx in (k, -1):
                agent.params = dict(parameters)
        self.params = dict(parameters)
        states = self._batch.readings.states.copy()
        self._build()
        self._batch.reset(states=states)

    def set_scene(self, scene: Scene) -> None:
        """Take another map. Raises ConfigurationError for what f1tenth_gym does not have."""
        for what, things in (('friction zones', scene.friction_zones),
                             ('moving things', scene.moving)):
            if things:
                raise ConfigurationError(
                    f'the world {scene.name!r} has {what}, expected none in an environment of'
                    ' f1tenth_gym; make one of this package: racecar.make_env()')
        self._scene, options = scene, self.options
        half = 0.5 * options.field_of_view
        self._map_laser, self._laser = None, None
        if scene.grid is not None:
            self._map_laser = MapLaser(
                scene_map(scene), options.beams, options.field_of_view, RANGE_MAX)
        else:
            self._laser = WorldLaser({
                'angle_min': -half, 'angle_max': half, 'rays': options.beams, 'range_min': 0.0,
                'range_max': RANGE_MAX, 'noise': 0.0, 'resolution': 0.0},
                Pose3(options.laser_ahead, 0.0, 0.1, 0.0, 0.0, 0.0, 1.0))
        self._build()

    def reset(self, poses: Array) -> None:
        """Put the cars at rest at poses, (agents, 3)."""
        for agent in self.agents:
            agent.begin(renews=self.options.renews)
        states = np.zeros((self.num_agents, 1, len(GymState._fields)))
        states[:, 0, :3] = poses
        self._batch.reset(states=states)
        self._read()

    def step(self, actions: Array) -> None:
        """Drive all cars for a step; actions: steering and longitudinal, (agents, 2)."""
        kinds, commands = self.options.kinds, np.zeros((self.num_agents, 1, 2))
        states = self._batch.readings.states[:, 0]
        for k, (agent, car) in enumerate(zip(self.agents, self._cars, strict=True)):
            steering = agent.delayed(float(actions[k, 0]))
            commands[k, 0] = gym_inputs(states[k], (float(actions[k, 1]), steering), kinds, car)
        self._batch.step(commands)
        self._read()
        self.agent_poses = np.array([agent.state[[0, 1, 4]] for agent in self.agents])
        self.agent_steerings = np.array([agent.state[2] for agent in self.agents])
        self._find_contacts()
        for k, agent in enumerate(self.agents):
            self.agent_scans[k] = self._ranges(k) + agent.noise.normal(
                0.0, _NOISE, size=len(self.angles))
        for k, agent in enumerate(self.agents):
            agent.in_collision = self.options.stops and self._is_near(
                agent.state[3], self.agent_scans[k])
            if agent.in_collision:
                # As there: what comes after the steering angle, the heading among it.
                agent.state[3:] = 0.0
                self._put(k, agent.state)
                self.collisions[k] = 1.0
            self._see_others(k)

    def _build(self) -> None:
        options = self.options
        models = [_Vehicle(options.model, agent.params) for agent in self.agents]
        self._cars = [model.car for model in models]
        # A world asks for no more than what GymModel has.
        self._batch = WorldBatch(models, 1, WorldSetup(  # type: ignore[arg-type]
            options.timestep, options.timestep, options.integrator, None, Contact(NONE),
            (self._scene,), scanner=self._laser), threads=1)
        sides, front = 0.5 * self.params['width'], 0.5 * (self.params['lf'] + self.params['lr'])
        sine, cosine = np.abs(np.sin(self.angles)), np.abs(np.cos(self.angles))
        # Of its two cases beside the car, behind the middle, both are these.
        with np.errstate(divide='ignore'):
            self._to_side = np.minimum(sides / sine, front / cosine)

    def _read(self) -> None:
        """States of the cars, in the order of f1tenth_gym, headings in 0 to 2 pi."""
        count = 5 if self.options.model == 'ks' else 7
        for agent, row in zip(self.agents, self._batch.readings.states[:, 0], strict=True):
            s = GymState(*row.tolist())
            agent.state = np.array([
                s.x, s.y, s.steering_angle, s.speed, s.yaw % (2.0 * math.pi), s.yaw_rate,
                s.slip_angle])[:count]

    def _ranges(self, k: int) -> Array:
        """What the laser of a car measures of what stands around, without noise [m]."""
        if self._map_laser is None:
            scan = self._batch.readings.scans[k, 0].astype(float)
            return np.where(np.isfinite(scan), scan, RANGE_MAX)
        state, ahead = self.agents[k].state, self.options.laser_ahead
        x, y, yaw = state[[0, 1, 4]].tolist()
        return self._map_laser.scan(
            x + ahead * math.cos(yaw), y + ahead * math.sin(yaw), yaw)

    def _put(self, k: int, state: Array) -> None:
        """Let a car have a state in the order of f1tenth_gym."""
        x, y, angle, speed, yaw, *more = state.tolist()
        states = self._batch.readings.states.copy()
        states[k, 0] = GymState(x, y, yaw, angle, speed, *(more or (0.0, 0.0)))
        mask = np.arange(self.num_agents) == k
        self._batch.reset(mask, states=states)

    def _outline(self, k: int) -> Rectangle:
        x, y, yaw = self.agent_poses[k].tolist()
        return Rectangle(x, y, math.cos(yaw), math.sin(yaw), 0.5 * self.params['length'],
                         0.5 * self.params['width'])

    def _find_contacts(self) -> None:
        self.collisions, self.collision_idx = (
            np.zeros(self.num_agents), np.full(self.num_agents, -1.0))
        outlines = [self._outline(k) for k in range(self.num_agents)]
        for i in range(self.num_agents):
            for j in range(i + 1, self.num_agents):
                if rectangles_overlap(outlines[i], outlines[j]):
                    self.collisions[[i, j]] = 1.0
                    self.collision_idx[i], self.collision_idx[j] = j, i

    def _is_near(self, speed: float, scan: Array) -> bool:
        """Whether a beam says that a collision is near in time."""
        if speed == 0.0:
            return False
        with np.errstate(divide='ignore', invalid='ignore'):
            time = (scan - self._to_side) / (speed * np.cos(self.angles))
        return bool(((time < _LEAST_TIME) & (time >= 0.0)).any())

    def _see_others(self, k: int) -> None:
        """Shorten the beams that meet other cars."""
        x, y = self.agents[k].state[:2]
        yaw = self.agents[k].state[4]
        angles = yaw + self.angles
        dx, dy = np.cos(angles), np.sin(angles)
        for other in range(self.num_agents):
            if other == k:
                continue
            box = self._outline(other)
            ahead, left = np.array([box.cosine, box.sine]), np.array([-box.sine, box.cosine])
            middle = np.array([box.x, box.y])
            corners = [middle + a * box.length * ahead + b * box.width * left
                       for a, b in ((-1, 1), (-1, -1), (1, -1), (1, 1))]
            for one, end in zip(corners, [*corners[1:], corners[0]], strict=True):
                ex, ey = end - one
                across = dx * ey - dy * ex
                with np.errstate(divide='ignore', invalid='ignore'):
                    way = ((one[0] - x) * ey - (one[1] - y) * ex) / across
                    share = ((one[0] - x) * dy - (one[1] - y) * dx) / across
                met = (way >= 0.0) & (share >= 0.0) & (share <= 1.0)
                np.minimum(self.agent_scans[k], np.where(met, way, np.inf),
                           out=self.agent_scans[k])


class LapCounter:
    """Its counter: how often a car came near the start line of the first pose, and left it.

    lap_times [s], lap_counts: of each agent.
    """

    def __init__(
        self, agents: int, ego: int, near: float = _NEAR, shortest: float = 0.0,
    ) -> None:
        """near: square of a distance that is near [m^2]; shortest: time of a lap, at least [s]."""
        self._ego, self._near_square, self._shortest = ego, near, shortest
        self.lap_times, self.lap_counts = np.zeros(agents), np.zeros(agents)
        self.begin(np.zeros((agents, 3)))

    def begin(self, poses: Array) -> None:
        """Begin at poses, (agents, 3); the counts of the last episode stay until they change."""
        self._starts = np.asarray(poses, dtype=float)
        turn = -self._starts[self._ego, 2]
        self._turn = np.array([
            [math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
        self._near, self._toggles = np.ones(len(poses), dtype=bool), np.zeros(len(poses))

    def add(self, poses: Array, time: float) -> NDArray[np.bool_]:
        """Add poses at a time [s]; which cars have two laps."""
        along, across = self._turn @ (poses[:, :2] - self._starts[:, :2]).T
        beyond = np.where(across > _HALF_LINE, across - _HALF_LINE, np.where(
            across < -_HALF_LINE, -_HALF_LINE - across, 0.0))
        near = along**2 + beyond**2 <= self._near_square
        if time <= self._shortest:
            # Who comes back too early has not come back.
            near &= self._near
        self._toggles += near != self._near
        self._near = near
        self.lap_counts[:] = self._toggles // 2
        self.lap_times[self._toggles < _TOGGLES] = time
        return self._toggles >= _TOGGLES


def checked_actions(
    actions: Sequence[Sequence[float]] | Array | NDArray[np.float32], agents: int,
) -> Array:
    """Actions as an array. Raises ConfigurationError for another shape or what is not finite."""
    found = np.asarray(actions, dtype=float)
    if found.shape != (agents, 2) or not np.isfinite(found).all():
        raise ConfigurationError(
            f'action is {excerpt(actions)}, expected finite numbers of the shape ({agents}, 2):'
            ' steering, then speed or acceleration, of each agent')
    return found
