# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The services and the action of simulation_interfaces, on a simulator node.

Source: https://github.com/ros-simulation/simulation_interfaces, 1.5.1 (Jazzy) and 1.6.1 (Kilted).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TypeVar

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
from simulation_interfaces.msg import (
    SpawnEntity as SpawnEntityMessage,
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

from racecar.base.errors import excerpt, RacecarError
from racecar.base.types import Acceleration3, Pose3, Twist3
from racecar.entities.refusals import RefusedError
from racecar.entities.resources import spawnable_files, world_files, world_sheet, world_uri
from racecar.entities.world_entities import Entities, Filter, Info, Request, World
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


class _Answered(Protocol):
    """Response that says how it went."""

    result: Result


Q = TypeVar('Q')
R = TypeVar('R', bound=_Answered)


class SimulationServices:
    """Binds the services of the standard to the entities of a plant and the time of its node."""

    def __init__(self, node: SimulatorNode, world: str, prefix: str) -> None:
        """world: that is loaded; prefix: before each name, empty or ending with /."""
        self._node = node
        self.entities = Entities(
            node.plant, World(Path(world).stem, world_uri(world)), node.refresh)
        self._is_stopped = self._is_stepping = False
        self._prefix = prefix
        self._serve(DeleteEntity, self._delete)
        self._serve(GetAvailableWorlds, self._available_worlds)
        self._serve(GetCurrentWorld, self._current_world)
        self._serve(GetEntities, self._entities)
        self._serve(GetEntitiesStates, self._entities_states)
        self._serve(GetEntityBounds, self._bounds)
        self._serve(GetEntityInfo, self._info)
        self._serve(GetEntityState, self._state)
        self._serve(GetNamedPoseBounds, self._pose_bounds)
        self._serve(GetNamedPoses, self._named_poses)
        self._serve(GetSimulationState, self._simulation_state)
        self._serve(GetSpawnables, self._spawnables)
        self._serve(LoadWorld, self._load_world)
        self._serve(ResetSimulation, self._reset)
        self._serve(SetEntityInfo, self._set_info)
        self._serve(SetEntityState, self._set_state)
        self._serve(SetSimulationState, self._set_simulation_state)
        self._serve(SpawnEntities, self._spawn_many)
        self._serve(SpawnEntity, self._spawn)
        self._serve(UnloadWorld, self._unload_world)
        node.create_service(GetSimulatorFeatures, f'{prefix}get_simulator_features',
                            self._features)
        _answer_later(node.create_service(  # type: ignore[misc]  # A future answers.
            StepSimulation, f'{prefix}step_simulation', self._on_steps))
        self._action = ActionServer(
            node, SimulateSteps, f'{prefix}simulate_steps', self._on_goal,
            cancel_callback=lambda _: CancelResponse.ACCEPT)
        node.closing.callback(self._action.destroy)

    def _serve(self, kind: type, handle: Callable[[Q, R], None]) -> None:
        """Create a service."""
        def answer(request: Q, response: R) -> R:
            return self._answer(handle, request, response)

        self._node.create_service(kind, f'{self._prefix}{_snake(kind.__name__)}', answer)

    def _answer(self, handle: Callable[[Q, R], None], request: Q, response: R) -> R:
        """Fill a response, with the result that belongs to what is refused."""
        response.result.result = Result.RESULT_OK
        try:
            handle(request, response)
        except (RacecarError, ValueError) as error:
            _refuse(response, response.result, error)
        return response

    # Simulator

    def _features(
        self, _: GetSimulatorFeatures.Request, response: GetSimulatorFeatures.Response,
    ) -> GetSimulatorFeatures.Response:
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

    def _simulation_state(
        self, _: GetSimulationState.Request, response: GetSimulationState.Response,
    ) -> None:
        response.state.state = self._present

    def _set_simulation_state(
        self, request: SetSimulationState.Request, response: SetSimulationState.Response,
    ) -> None:
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

    def _reset(self, request: ResetSimulation.Request, _: ResetSimulation.Response) -> None:
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

    def _on_steps(
        self, request: StepSimulation.Request, response: StepSimulation.Response,
    ) -> Future:
        return self._node.run_soon(self._done_steps, request, response)

    async def _done_steps(
        self, request: StepSimulation.Request, response: StepSimulation.Response,
    ) -> StepSimulation.Response:
        await self._step(request.steps, response.result, lambda _: None, lambda: False)
        return response

    async def _on_goal(self, goal: ServerGoalHandle) -> SimulateSteps.Result:
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
        self, steps: int, result: Result, note: Callable[[int], None],
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
        return self.entities.chosen(Filter(
            filters.filter, frozenset(category.category for category in filters.categories),
            filters.tags.tags, filters.tags.filter_mode, area_of(filters.bounds)))

    def _entities(self, request: GetEntities.Request, response: GetEntities.Response) -> None:
        response.entities = self._chosen(request.filters)

    def _entities_states(
        self, request: GetEntitiesStates.Request, response: GetEntitiesStates.Response,
    ) -> None:
        names = self._chosen(request.filters)
        response.entities, response.states = names, [self._state_of(name) for name in names]

    def _state(self, request: GetEntityState.Request, response: GetEntityState.Response) -> None:
        response.state = self._state_of(request.entity)

    def _state_of(self, name: str) -> EntityState:
        state = self.entities.state(name)
        message = EntityState(
            pose=pose_message(state.pose),
            twist=Twist(linear=to_vector(state.twist[:3]), angular=to_vector(state.twist[3:])),
            acceleration=Accel(linear=to_vector(state.acceleration[:3]),
                               angular=to_vector(state.acceleration[3:])))
        message.header.frame_id = WORLD_FRAME
        set_stamp(message.header.stamp, self._node.stamp_of(self._node.plant.time_ns))
        return message

    def _set_state(self, request: SetEntityState.Request, _: SetEntityState.Response) -> None:
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

    def _info(self, request: GetEntityInfo.Request, response: GetEntityInfo.Response) -> None:
        info = self.entities.info(request.entity)
        response.info.category.category = info.category
        response.info.description, response.info.tags = info.description, list(info.tags)

    def _set_info(self, request: SetEntityInfo.Request, _: SetEntityInfo.Response) -> None:
        info: EntityInfo = request.info
        self.entities.set_info(request.entity, Info(
            info.category.category, info.description, tuple(info.tags)))

    def _bounds(
        self, request: GetEntityBounds.Request, response: GetEntityBounds.Response,
    ) -> None:
        response.bounds = box_message(self.entities.bounds(request.entity))

    def _named_poses(
        self, request: GetNamedPoses.Request, response: GetNamedPoses.Response,
    ) -> None:
        response.poses = [
            named_pose_message(named) for named in self.entities.named_poses()
            if fits(request.tags, START_TAGS)]
        # Also where there is no pose.
        fits(request.tags, START_TAGS)

    def _pose_bounds(
        self, request: GetNamedPoseBounds.Request, response: GetNamedPoseBounds.Response,
    ) -> None:
        radius = self.entities.free_radius(request.name)
        response.bounds = BoundsMessage(type=BoundsMessage.TYPE_SPHERE, points=[
            Vector3(), Vector3(x=radius)])

    # Spawning

    def _spawnables(
        self, request: GetSpawnables.Request, response: GetSpawnables.Response,
    ) -> None:
        found, unknown = spawnable_files(request.sources)
        response.spawnables = [
            Spawnable(uri=uri, description=Path(uri).stem, spawn_bounds=box_message(bounds))
            for uri, bounds in found.items()]
        if unknown:
            response.result.error_message = (
                f'sources {excerpt(unknown)} are unknown, expected folders on this computer')

    def _spawn(self, request: SpawnEntity.Request, response: SpawnEntity.Response) -> None:
        self._check_idle()
        response.entity_name = self._spawned(
            request, request.uri, request.resource_string)

    def _spawned(
        self, request: SpawnEntity.Request | SpawnEntityMessage, uri: str, text: str,
    ) -> str:
        pose = request.initial_pose
        try:
            place = pose_from_message(pose.pose)
        except ValueError as error:
            raise RefusedError('INVALID_POSE', str(error)) from error
        return self.entities.spawn(Request(
            request.name, request.allow_renaming, uri, text, request.entity_namespace, place,
            pose.header.frame_id))

    def _spawn_many(
        self, request: SpawnEntities.Request, response: SpawnEntities.Response,
    ) -> None:
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

    def _delete(self, request: DeleteEntity.Request, _: DeleteEntity.Response) -> None:
        self._check_idle()
        self.entities.delete(request.entity)

    # Worlds

    def _load_world(self, request: LoadWorld.Request, response: LoadWorld.Response) -> None:
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

    def _unload_world(self, _: UnloadWorld.Request, __: UnloadWorld.Response) -> None:
        self._check_idle()
        self.entities.unload()
        self._node.return_to_start()
        self._node.set_paused(True, 'no world is loaded; call load_world first')

    def _current_world(
        self, _: GetCurrentWorld.Request, response: GetCurrentWorld.Response,
    ) -> None:
        if self.entities.world is None:
            raise RefusedError('NO_WORLD_LOADED', 'no world is loaded')
        response.world = _world_message(self.entities.world)

    def _available_worlds(
        self, request: GetAvailableWorlds.Request, response: GetAvailableWorlds.Response,
    ) -> None:
        # Also where no world has tags.
        fits(request.filter, ())
        found, unknown = world_files(request.additional_sources)
        for why in unknown.values():
            if not request.continue_on_error:
                raise RefusedError('NOT_FOUND', why)
            response.result.error_message = why
        worlds = [_world_message(World(Path(uri).stem, uri)) for uri in found]
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


def _refuse(response: object, result: Result, error: Exception) -> None:
    """Write the result that belongs to an error; response has the codes of the service."""
    code = error.code if isinstance(error, RefusedError) else 'OPERATION_FAILED'
    number: int | None = getattr(response, code, None)
    if number is None:
        number = getattr(Result, f'RESULT_{code}', Result.RESULT_OPERATION_FAILED)
    result.result = Result.RESULT_OPERATION_FAILED if number is None else number
    result.error_message = str(error)


def _snake(name: str) -> str:
    return ''.join(f'_{letter.lower()}' if letter.isupper() else letter for letter in name)[1:]


def _world_message(world: World) -> WorldResource:
    """What is known of a world."""
    message = WorldResource(name=world.name)
    message.world_resource.uri, message.world_resource.resource_string = world.uri, world.text
    message.description, tags = world_sheet(world)
    message.tags = list(tags)
    return message
