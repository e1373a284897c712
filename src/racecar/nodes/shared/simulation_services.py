# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The services and the action of simulation_interfaces, on a simulator node.

Source: https://github.com/ros-simulation/simulation_interfaces, 1.5.1 (Jazzy) and 1.6.1 (Kilted).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
import os
from pathlib import Path
from typing import Any

from geometry_msgs.msg import Accel, Pose, Twist, Vector3
import numpy as np
from rclpy.action import ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.service import Service
from rclpy.task import Future
from simulation_interfaces.action import SimulateSteps
from simulation_interfaces.msg import (
    Bounds as BoundsMessage,
)
from simulation_interfaces.msg import (
    EntityFilters,
    EntityInfo,
    EntityState,
    Result,
    SimulationState,
    SimulatorFeatures,
    Spawnable,
    SpawnResult,
    WorldResource,
)
from simulation_interfaces.srv import (
    DeleteEntity,
    GetAvailableWorlds,
    GetCurrentWorld,
    GetEntities,
    GetEntitiesStates,
    GetEntityBounds,
    GetEntityInfo,
    GetEntityState,
    GetNamedPoseBounds,
    GetNamedPoses,
    GetSimulationState,
    GetSimulatorFeatures,
    GetSpawnables,
    LoadWorld,
    ResetSimulation,
    SetEntityInfo,
    SetEntityState,
    SetSimulationState,
    SpawnEntities,
    SpawnEntity,
    StepSimulation,
    UnloadWorld,
)

from racecar.base.errors import ConfigurationError, excerpt, RacecarError
from racecar.base.share import find_world, resource_file, world_names
from racecar.base.types import Acceleration3, Pose3, Twist3
from racecar.base.yaml_file import load_yaml
from racecar.entities.convex_bodies import corners
from racecar.entities.name_filter import name_filter
from racecar.entities.refusals import RefusedError
from racecar.entities.world_entities import (
    Entities,
    Info,
    Request,
    spawnable_bounds,
    spawnables,
    tags_match,
    World,
)
from racecar.nodes.shared.simulation_messages import (
    area_of,
    box_message,
    fits,
    named_pose_message,
    numbers_of,
    pose_message,
    START_TAGS,
    to_vector,
)
from racecar.ros.conversions import pose_from_message, set_stamp
from racecar.ros.simulator_node import SimulatorNode

FEATURES = (
    SimulatorFeatures.SPAWNING, SimulatorFeatures.DELETING, SimulatorFeatures.NAMED_POSES,
    SimulatorFeatures.POSE_BOUNDS, SimulatorFeatures.ENTITY_TAGS, SimulatorFeatures.ENTITY_BOUNDS,
    SimulatorFeatures.ENTITY_BOUNDS_BOX, SimulatorFeatures.ENTITY_BOUNDS_CONVEX,
    SimulatorFeatures.ENTITY_CATEGORIES, SimulatorFeatures.SPAWNING_RESOURCE_STRING,
    SimulatorFeatures.ENTITY_STATE_GETTING, SimulatorFeatures.ENTITY_STATE_SETTING,
    SimulatorFeatures.ENTITY_INFO_GETTING, SimulatorFeatures.ENTITY_INFO_SETTING,
    SimulatorFeatures.SPAWNABLES, SimulatorFeatures.SIMULATION_RESET,
    SimulatorFeatures.SIMULATION_RESET_TIME, SimulatorFeatures.SIMULATION_RESET_STATE,
    SimulatorFeatures.SIMULATION_RESET_SPAWNED, SimulatorFeatures.SIMULATION_STATE_GETTING,
    SimulatorFeatures.SIMULATION_STATE_SETTING, SimulatorFeatures.SIMULATION_STATE_PAUSE,
    SimulatorFeatures.STEP_SIMULATION_SINGLE, SimulatorFeatures.STEP_SIMULATION_MULTIPLE,
    SimulatorFeatures.STEP_SIMULATION_ACTION, SimulatorFeatures.WORLD_LOADING,
    SimulatorFeatures.WORLD_RESOURCE_STRING, SimulatorFeatures.WORLD_TAGS,
    SimulatorFeatures.WORLD_UNLOADING, SimulatorFeatures.WORLD_INFO_GETTING,
    SimulatorFeatures.AVAILABLE_WORLDS, SimulatorFeatures.SPAWNING_ENTITIES)
"""What is supported: everything of these versions."""

WORLD_FRAME = 'world'

_STATES = {
    SimulationState.STATE_STOPPED: 'stopped', SimulationState.STATE_PLAYING: 'playing',
    SimulationState.STATE_PAUSED: 'paused', SimulationState.STATE_QUITTING: 'quitting',
    SimulationState.STATE_NO_WORLD: 'no world', SimulationState.STATE_LOADING_WORLD: 'loading'}

# Times are 64-bit integers [ns].
_LONGEST_TIME_NS = 2**63 - 1
_SUFFIXES = '.yaml', '.yml', ''


class SimulationServices:
    """Binds the services of the standard to the entities of a plant and the time of its node."""

    def __init__(self, node: SimulatorNode, world: str, prefix: str) -> None:
        """world: that is loaded; prefix: before each name, empty or ending with /."""
        self._node = node
        self.entities = Entities(
            node.plant, World(Path(world).stem, _world_uri(world)), node.refresh)
        self._is_stopped = self._is_stepping = False
        handlers: dict[type, Callable[[Any, Any], None]] = {
            DeleteEntity: self._delete, GetAvailableWorlds: self._available_worlds,
            GetCurrentWorld: self._current_world, GetEntities: self._entities,
            GetEntitiesStates: self._entities_states, GetEntityBounds: self._bounds,
            GetEntityInfo: self._info, GetEntityState: self._state,
            GetNamedPoseBounds: self._pose_bounds, GetNamedPoses: self._named_poses,
            GetSimulationState: self._simulation_state, GetSpawnables: self._spawnables,
            LoadWorld: self._load_world, ResetSimulation: self._reset,
            SetEntityInfo: self._set_info, SetEntityState: self._set_state,
            SetSimulationState: self._set_simulation_state, SpawnEntities: self._spawn_many,
            SpawnEntity: self._spawn, UnloadWorld: self._unload_world}
        for kind, handle in handlers.items():
            node.create_service(
                kind, f'{prefix}{_snake(kind.__name__)}', partial(self._answer, handle))
        node.create_service(GetSimulatorFeatures, f'{prefix}get_simulator_features',
                            self._features)
        _answer_later(node.create_service(
            StepSimulation, f'{prefix}step_simulation', self._on_steps))
        self._action = ActionServer(
            node, SimulateSteps, f'{prefix}simulate_steps', self._on_goal,
            cancel_callback=lambda _: CancelResponse.ACCEPT)
        node.closing.callback(self._action.destroy)

    def _answer(
        self, handle: Callable[[Any, Any], None], request: Any, response: Any,
    ) -> Any:
        """Fill a response, with the result that belongs to what is refused."""
        response.result.result = Result.RESULT_OK
        try:
            handle(request, response)
        except (RacecarError, ValueError) as error:
            _refuse(response, response.result, error)
        return response

    # Simulator

    def _features(self, _: Any, response: Any) -> Any:
        response.features.features = list(FEATURES)
        response.features.custom_info = (
            'racecar: spawns objects and parked cars from YAML files of worlds and vehicles; see'
            ' docs/simulation_interfaces.md')
        return response

    @property
    def _present(self) -> int:
        if self.entities.world is None:
            return int(SimulationState.STATE_NO_WORLD)
        if not self._node.is_paused:
            return int(SimulationState.STATE_PLAYING)
        return int(SimulationState.STATE_STOPPED if self._is_stopped
                   else SimulationState.STATE_PAUSED)

    def _simulation_state(self, _: Any, response: Any) -> None:
        response.state.state = self._present

    def _set_simulation_state(self, request: Any, response: Any) -> None:
        self._check_idle()
        wanted, present = request.state.state, self._present
        if wanted == SimulationState.STATE_QUITTING:
            self._stop(state=True)
            # After the response.
            self._node.run_soon(self._node.done.set_result, None)
            return
        if wanted not in (SimulationState.STATE_STOPPED, SimulationState.STATE_PLAYING,
                          SimulationState.STATE_PAUSED):
            raise RefusedError(
                'INCORRECT_TRANSITION', f'state is {wanted} ({_STATES.get(wanted, "unknown")}),'
                ' expected 0 (stopped), 1 (playing), 2 (paused) or 3 (quitting); worlds are'
                ' loaded by load_world')
        if present == SimulationState.STATE_NO_WORLD:
            raise RefusedError(
                'INCORRECT_TRANSITION', 'no world is loaded; call load_world first')
        if wanted == present:
            raise RefusedError(
                'ALREADY_IN_TARGET_STATE', f'the simulation is {_STATES[present]} already')
        if wanted == SimulationState.STATE_STOPPED:
            self._stop(state=True)
        else:
            self._is_stopped = False
            self._node.set_paused(wanted == SimulationState.STATE_PAUSED)

    def _stop(self, *, state: bool) -> None:
        """Pause at time 0; state: with all where it was at first."""
        self._node.set_paused(True)
        if state and self.entities.world is not None:
            self._go_back(state=True, spawned=True)
        self._node.restart()
        self._is_stopped = True

    def _go_back(self, *, state: bool, spawned: bool) -> None:
        if state:
            self._node.return_to_start()
        self.entities.reset(state=state, spawned=spawned)

    def _reset(self, request: Any, _: Any) -> None:
        self._check_idle()
        self._check_world()
        every = ResetSimulation.Request.SCOPE_ALL
        scope = request.scope or every
        known = [bit for bit in (
            ResetSimulation.Request.SCOPE_TIME, ResetSimulation.Request.SCOPE_STATE,
            ResetSimulation.Request.SCOPE_SPAWNED) if scope & bit]
        if scope != every and sum(known) != scope:
            raise RefusedError(
                'FEATURE_UNSUPPORTED', f'scope is {scope}, expected 0, 255 or a sum of 1 (time),'
                ' 2 (state) and 4 (spawned)')
        state, spawned = (
            bool(scope & ResetSimulation.Request.SCOPE_STATE),
            bool(scope & ResetSimulation.Request.SCOPE_SPAWNED))
        if state or spawned:
            self._go_back(state=state, spawned=spawned)
        if scope & ResetSimulation.Request.SCOPE_TIME:
            self._node.restart()

    def _on_steps(self, request: Any, response: Any) -> Future:
        return self._node.run_soon(self._done_steps, request, response)

    async def _done_steps(self, request: Any, response: Any) -> Any:
        await self._step(request.steps, response.result, lambda _: None, lambda: False)
        return response

    async def _on_goal(self, goal: ServerGoalHandle) -> Any:
        steps, feedback = goal.request.steps, SimulateSteps.Feedback()
        outcome = SimulateSteps.Result()

        def note(done: int) -> None:
            feedback.completed_steps, feedback.remaining_steps = done, steps - done
            goal.publish_feedback(feedback)

        await self._step(steps, outcome.result, note, lambda: goal.is_cancel_requested)
        if goal.is_cancel_requested:
            goal.canceled()
        elif outcome.result.result == Result.RESULT_OK:
            goal.succeed()
        else:
            goal.abort()
        return outcome

    async def _step(
        self, steps: int, result: Any, note: Callable[[int], None],
        is_cancelled: Callable[[], bool],
    ) -> None:
        plant = self._node.plant
        problem = ''
        if self._is_stepping:
            problem = 'steps are being done already; wait for their end'
        elif self._present != SimulationState.STATE_PAUSED:
            problem = (f'the simulation is {_STATES[self._present]}, expected paused; call'
                       ' set_simulation_state with 2 first')
        elif plant.time_ns + steps * plant.step_ns > _LONGEST_TIME_NS:
            problem = f'steps is {steps}, expected so few that the time fits 64 bits'
        if not problem:
            self._is_stepping = True
            try:
                problem = await self._node.do_steps(steps, note, is_cancelled)
            finally:
                self._is_stepping = False
        result.result = Result.RESULT_OPERATION_FAILED if problem else Result.RESULT_OK
        result.error_message = problem

    def _check_idle(self) -> None:
        if self._is_stepping:
            raise RefusedError(
                'INCORRECT_STATE', 'steps are being done; wait for their end, cancel the action,'
                ' or call ~/pause with data: false, which ends them')

    def _check_world(self) -> None:
        if self.entities.world is None:
            raise RefusedError('INCORRECT_STATE', 'no world is loaded; call load_world first')

    # Entities

    def _chosen(self, filters: EntityFilters) -> list[str]:
        """Names of the entities that a filter lets through."""
        entities, area = self.entities, area_of(filters.bounds)
        categories = {category.category for category in filters.categories}
        is_named = name_filter(filters.filter)
        # Also where there is no entity, what cannot be used is refused.
        tags_match((), filters.tags.tags, filters.tags.filter_mode)
        found = []
        for name in entities.names():
            info = entities.info(name)
            if is_named(name) \
                    and (not categories or info.category in categories) \
                    and tags_match(info.tags, filters.tags.tags, filters.tags.filter_mode) \
                    and (area is None or area(corners(
                        entities.bounds(name), entities.state(name).pose))):
                found.append(name)
        return found

    def _entities(self, request: Any, response: Any) -> None:
        response.entities = self._chosen(request.filters)

    def _entities_states(self, request: Any, response: Any) -> None:
        names = self._chosen(request.filters)
        response.entities, response.states = names, [self._state_of(name) for name in names]

    def _state(self, request: Any, response: Any) -> None:
        response.state = self._state_of(request.entity)

    def _state_of(self, name: str) -> EntityState:
        state = self.entities.state(name)
        message = EntityState(
            pose=pose_message(state.pose),
            twist=Twist(linear=to_vector(state.twist[:3]), angular=to_vector(state.twist[3:])),
            acceleration=Accel(linear=to_vector(state.acceleration[:3]),
                               angular=to_vector(state.acceleration[3:])))
        message.header.frame_id = WORLD_FRAME
        set_stamp(message.header.stamp, self._node.plant.time_ns)
        return message

    def _set_state(self, request: Any, _: Any) -> None:
        self._check_idle()
        state = request.state
        self.entities.check(request.entity)
        pose = self._pose(state.header.frame_id, state.pose)
        numbers = numbers_of(state.twist.linear), numbers_of(state.twist.angular)
        wanted = Twist3(*numbers[0], *numbers[1])
        if not np.isfinite(wanted).all():
            raise RefusedError(
                'OPERATION_FAILED', f'twist is {tuple(wanted)}, expected finite numbers')
        acceleration = Acceleration3(
            *numbers_of(state.acceleration.linear), *numbers_of(state.acceleration.angular))
        if any(acceleration) and self.entities.info(request.entity).category != 1:
            raise RefusedError(
                'OPERATION_FAILED', f'acceleration is {tuple(acceleration)}, expected 0')
        self.entities.set_state(request.entity, pose, wanted)
        self._node.refresh()

    def _pose(self, frame: str, message: Pose) -> Pose3:
        try:
            pose = pose_from_message(message)
        except ValueError as error:
            raise RefusedError('INVALID_POSE', str(error)) from error
        return self.entities.pose_in_world(frame, pose)

    def _info(self, request: Any, response: Any) -> None:
        info = self.entities.info(request.entity)
        response.info.category.category = info.category
        response.info.description, response.info.tags = info.description, list(info.tags)

    def _set_info(self, request: Any, _: Any) -> None:
        info: EntityInfo = request.info
        self.entities.set_info(request.entity, Info(
            info.category.category, info.description, tuple(info.tags)))

    def _bounds(self, request: Any, response: Any) -> None:
        response.bounds = box_message(self.entities.bounds(request.entity))

    def _named_poses(self, request: Any, response: Any) -> None:
        response.poses = [
            named_pose_message(named) for named in self.entities.named_poses()
            if fits(request.tags, START_TAGS)]
        # Also where there is no pose.
        fits(request.tags, START_TAGS)

    def _pose_bounds(self, request: Any, response: Any) -> None:
        radius = self.entities.free_radius(request.name)
        response.bounds = BoundsMessage(type=BoundsMessage.TYPE_SPHERE, points=[
            Vector3(), Vector3(x=radius)])

    # Spawning

    def _spawnables(self, request: Any, response: Any) -> None:
        found, unknown = list(spawnables()), []
        for source in request.sources:
            try:
                found += _files_of(source)
            except ConfigurationError:
                unknown.append(source)
        for uri in dict.fromkeys(found):
            try:
                bounds = spawnable_bounds(uri)
            except RefusedError:
                continue
            response.spawnables.append(Spawnable(
                uri=uri, description=Path(uri).stem, spawn_bounds=box_message(bounds)))
        if unknown:
            response.result.error_message = (
                f'sources {excerpt(unknown)} are unknown, expected folders on this computer')

    def _spawn(self, request: Any, response: Any) -> None:
        self._check_idle()
        response.entity_name = self._spawned(
            request, request.uri, request.resource_string)

    def _spawned(self, request: Any, uri: str, text: str) -> str:
        pose = request.initial_pose
        try:
            place = pose_from_message(pose.pose)
        except ValueError as error:
            raise RefusedError('INVALID_POSE', str(error)) from error
        return self.entities.spawn(Request(
            request.name, request.allow_renaming, uri, text, request.entity_namespace, place,
            pose.header.frame_id))

    def _spawn_many(self, request: Any, response: Any) -> None:
        self._check_idle()
        for wanted in request.spawn_requests:
            outcome = SpawnResult()
            outcome.result.result = Result.RESULT_OK
            try:
                resource = wanted.entity_resource
                outcome.entity_name = self._spawned(
                    wanted, resource.uri, resource.resource_string)
            except (RacecarError, ValueError) as error:
                _refuse(outcome, outcome.result, error)
            response.results.append(outcome)
        failed = [outcome for outcome in response.results
                  if outcome.result.result != Result.RESULT_OK]
        if failed:
            raise RefusedError(
                'ENTITIES_SPAWN_FAILED', f'{len(failed)} of {len(response.results)} were not'
                f' spawned; the first: {failed[0].result.error_message}')

    def _delete(self, request: Any, _: Any) -> None:
        self._check_idle()
        self.entities.delete(request.entity)

    # Worlds

    def _load_world(self, request: Any, response: Any) -> None:
        self._check_idle()
        uri = request.uri
        if uri and Path(uri).suffix not in _SUFFIXES:
            raise RefusedError(
                'UNSUPPORTED_FORMAT', f'uri is {excerpt(uri)}, expected a YAML file of a world or'
                ' of a map, or the name of a world')
        world = self.entities.load(uri, request.resource_string)
        # The robots are there already, but commands and a divergence are to be forgotten.
        self._node.return_to_start()
        self._stop(state=False)
        response.world = _world_message(world)

    def _unload_world(self, _: Any, __: Any) -> None:
        self._check_idle()
        self.entities.unload()
        self._node.return_to_start()
        self._node.set_paused(True, 'no world is loaded; call load_world first')

    def _current_world(self, _: Any, response: Any) -> None:
        if self.entities.world is None:
            raise RefusedError('NO_WORLD_LOADED', 'no world is loaded')
        response.world = _world_message(self.entities.world)

    def _available_worlds(self, request: Any, response: Any) -> None:
        # Also where no world has tags.
        fits(request.filter, ())
        found = [f'package://racecar/worlds/{name}.yaml' for name in world_names()]
        for source in request.additional_sources:
            try:
                found += _files_of(source)
            except ConfigurationError as error:
                if not request.continue_on_error:
                    raise RefusedError('NOT_FOUND', str(error)) from error
                response.result.error_message = str(error)
        worlds = [_world_message(World(Path(uri).stem, uri)) for uri in dict.fromkeys(found)]
        response.worlds = [world for world in worlds if fits(request.filter, world.tags)]


def _answer_later(service: Service) -> None:
    """Let a service answer with the result of the future that its callback gives.

    The EventsExecutor of Jazzy does not await callbacks of services.
    """
    send = service.send_response

    def send_result(future: Future, header: object) -> None:
        future.add_done_callback(lambda done: send(done.result(), header))

    # As the executors look for it.
    vars(service)['send_response'] = send_result


def _refuse(response: Any, result: Any, error: Exception) -> None:
    """Write the result that belongs to an error; response has the codes of the service."""
    code = error.code if isinstance(error, RefusedError) else 'OPERATION_FAILED'
    number = getattr(response, code, None)
    if number is None:
        number = getattr(Result, f'RESULT_{code}', Result.RESULT_OPERATION_FAILED)
    result.result, result.error_message = number, str(error)


def _snake(name: str) -> str:
    return ''.join(f'_{letter.lower()}' if letter.isupper() else letter for letter in name)[1:]


def _world_uri(world: str) -> str:
    return f'package://racecar/worlds/{world}.yaml' if world in world_names() else world


def _files_of(source: str) -> list[str]:
    """YAML files in a folder. Raises ConfigurationError if it is none."""
    folder = Path(source.removeprefix('file://'))
    if not os.path.isdir(folder):
        raise ConfigurationError(
            f'source {excerpt(source)} is unknown, expected a folder on this computer')
    return [str(path) for path in sorted(folder.glob('*.yaml'))]


def _world_message(world: World) -> WorldResource:
    """What is known of a world; its description and tags if its file can be read."""
    message = WorldResource(name=world.name)
    message.world_resource.uri, message.world_resource.resource_string = world.uri, world.text
    if not world.uri:
        return message
    try:
        path = resource_file(world.uri) if '://' in world.uri else find_world(world.uri)
        content = load_yaml('world file', path)
    except ConfigurationError:
        return message
    if isinstance(content, dict):
        message.description = str(content.get('description', ''))
        message.tags = [tag for tag, key in (
            ('map', 'image'), ('cones', 'cones'), ('markers', 'boards'), ('walls', 'walls'))
            if content.get(key)]
    return message
