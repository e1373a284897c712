# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Entities: which there are, where they are and move, and what is known of them."""

from __future__ import annotations

from pathlib import Path

from geometry_msgs.msg import Accel, Twist, Vector3
import numpy as np
from simulation_interfaces.msg import (
    Bounds as BoundsMessage,
)
from simulation_interfaces.msg import (
    EntityFilters,
    EntityInfo,
    EntityState,
    Result,
    Spawnable,
    SpawnResult,
)
from simulation_interfaces.msg import (
    SpawnEntity as SpawnEntityMessage,
)
from simulation_interfaces.srv import (
    DeleteEntity,
    GetEntities,
    GetEntitiesStates,
    GetEntityBounds,
    GetEntityInfo,
    GetEntityState,
    GetNamedPoseBounds,
    GetNamedPoses,
    GetSpawnables,
    SetEntityInfo,
    SetEntityState,
    SpawnEntities,
    SpawnEntity,
)

from racecar.base.errors import excerpt, RacecarError
from racecar.base.types import Acceleration3, Twist3
from racecar.entities.refusals import RefusedError
from racecar.entities.resources import spawnable_files
from racecar.entities.world_entities import Entities, Filter, Info, Request
from racecar.nodes.shared.standard.messages import (
    area_of,
    box_message,
    finite_pose,
    fits,
    named_pose_message,
    numbers_of,
    pose_message,
    START_TAGS,
    to_vector,
)
from racecar.nodes.shared.standard.offer import Offer, refuse
from racecar.nodes.shared.standard.state import StateServices
from racecar.ros.conversions import set_stamp
from racecar.ros.simulator_node import SimulatorNode

WORLD_FRAME = 'world'


class EntityServices:
    """Binds them to the entities of a plant."""

    def __init__(
        self, node: SimulatorNode, entities: Entities, state: StateServices, offer: Offer,
    ) -> None:
        """Offer them; state: says when entities may be changed."""
        self._node = node
        self._entities = entities
        self._state = state
        offer.serve(GetEntities, self._names)
        offer.serve(GetEntitiesStates, self._entities_states)
        offer.serve(GetEntityBounds, self._bounds)
        offer.serve(GetEntityInfo, self._info)
        offer.serve(GetEntityState, self._entity_state)
        offer.serve(GetNamedPoseBounds, self._pose_bounds)
        offer.serve(GetNamedPoses, self._named_poses)
        offer.serve(SetEntityInfo, self._set_info)
        offer.serve(SetEntityState, self._set_state)

    def _chosen(self, filters: EntityFilters) -> list[str]:
        """Names of the entities that a filter lets through."""
        return self._entities.chosen(Filter(
            filters.filter, frozenset(category.category for category in filters.categories),
            filters.tags.tags, filters.tags.filter_mode, area_of(filters.bounds)))

    def _names(self, request: GetEntities.Request, response: GetEntities.Response) -> None:
        response.entities = self._chosen(request.filters)

    def _entities_states(
        self, request: GetEntitiesStates.Request, response: GetEntitiesStates.Response,
    ) -> None:
        names = self._chosen(request.filters)
        response.entities, response.states = names, [self._state_of(name) for name in names]

    def _entity_state(
        self, request: GetEntityState.Request, response: GetEntityState.Response,
    ) -> None:
        response.state = self._state_of(request.entity)

    def _state_of(self, name: str) -> EntityState:
        state = self._entities.state(name)
        message = EntityState(
            pose=pose_message(state.pose),
            twist=Twist(linear=to_vector(state.twist[:3]), angular=to_vector(state.twist[3:])),
            acceleration=Accel(linear=to_vector(state.acceleration[:3]),
                               angular=to_vector(state.acceleration[3:])))
        message.header.frame_id = WORLD_FRAME
        set_stamp(message.header.stamp, self._node.stamp_of(self._node.plant.time_ns))
        return message

    def _set_state(self, request: SetEntityState.Request, _: SetEntityState.Response) -> None:
        self._state.check_idle()
        state = request.state
        self._entities.check(request.entity)
        pose = self._entities.pose_in_world(state.header.frame_id, finite_pose(state.pose))
        numbers = numbers_of(state.twist.linear), numbers_of(state.twist.angular)
        wanted = Twist3(*numbers[0], *numbers[1])
        if not np.isfinite(wanted).all():
            raise RefusedError(
                'OPERATION_FAILED', f'twist is {tuple(wanted)}, expected finite numbers')
        acceleration = Acceleration3(
            *numbers_of(state.acceleration.linear), *numbers_of(state.acceleration.angular))
        if any(acceleration) and self._entities.info(request.entity).category != 1:
            raise RefusedError(
                'OPERATION_FAILED', f'acceleration is {tuple(acceleration)}, expected 0')
        self._entities.set_state(request.entity, pose, wanted)
        self._node.refresh()

    def _info(self, request: GetEntityInfo.Request, response: GetEntityInfo.Response) -> None:
        info = self._entities.info(request.entity)
        response.info.category.category = info.category
        response.info.description, response.info.tags = info.description, list(info.tags)

    def _set_info(self, request: SetEntityInfo.Request, _: SetEntityInfo.Response) -> None:
        info: EntityInfo = request.info
        self._entities.set_info(request.entity, Info(
            info.category.category, info.description, tuple(info.tags)))

    def _bounds(
        self, request: GetEntityBounds.Request, response: GetEntityBounds.Response,
    ) -> None:
        response.bounds = box_message(self._entities.bounds(request.entity))

    def _named_poses(
        self, request: GetNamedPoses.Request, response: GetNamedPoses.Response,
    ) -> None:
        response.poses = [
            named_pose_message(named) for named in self._entities.named_poses()
            if fits(request.tags, START_TAGS)]
        # Also where there is no pose.
        fits(request.tags, START_TAGS)

    def _pose_bounds(
        self, request: GetNamedPoseBounds.Request, response: GetNamedPoseBounds.Response,
    ) -> None:
        radius = self._entities.free_radius(request.name)
        response.bounds = BoundsMessage(type=BoundsMessage.TYPE_SPHERE, points=[
            Vector3(), Vector3(x=radius)])


class SpawnServices:
    """Those that make entities and remove them."""

    def __init__(self, entities: Entities, state: StateServices, offer: Offer) -> None:
        """Offer them; state: says when entities may be made."""
        self._entities = entities
        self._state = state
        offer.serve(DeleteEntity, self._delete)
        offer.serve(GetSpawnables, self._spawnables)
        offer.serve(SpawnEntities, self._spawn_many)
        offer.serve(SpawnEntity, self._spawn)

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
        self._state.check_idle()
        response.entity_name = self._spawned(
            request, request.uri, request.resource_string)

    def _spawned(
        self, request: SpawnEntity.Request | SpawnEntityMessage, uri: str, text: str,
    ) -> str:
        pose = request.initial_pose
        return self._entities.spawn(Request(
            request.name, request.allow_renaming, uri, text, request.entity_namespace,
            finite_pose(pose.pose), pose.header.frame_id))

    def _spawn_many(
        self, request: SpawnEntities.Request, response: SpawnEntities.Response,
    ) -> None:
        self._state.check_idle()
        for wanted in request.spawn_requests:
            outcome = SpawnResult()
            outcome.result.result = Result.RESULT_OK
            try:
                resource = wanted.entity_resource
                outcome.entity_name = self._spawned(
                    wanted, resource.uri, resource.resource_string)
            except (RacecarError, ValueError) as error:
                refuse(outcome, outcome.result, error)
            response.results.append(outcome)
        failed = [outcome for outcome in response.results
                  if outcome.result.result != Result.RESULT_OK]
        if failed:
            raise RefusedError(
                'ENTITIES_SPAWN_FAILED', f'{len(failed)} of {len(response.results)} were not'
                f' spawned; the first: {failed[0].result.error_message}')

    def _delete(self, request: DeleteEntity.Request, _: DeleteEntity.Response) -> None:
        self._state.check_idle()
        self._entities.delete(request.entity)
