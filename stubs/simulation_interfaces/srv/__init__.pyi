# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
# Made by tools/make_message_stubs.py.

from collections.abc import Sequence
from typing import ClassVar, TypeAlias

import geometry_msgs.msg
import service_msgs.msg
import simulation_interfaces.msg

class DeleteEntity_Request:
    def __init__(
        self,
        *,
        entity: str = ...,
    ) -> None: ...
    entity: str
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class DeleteEntity_Response:
    def __init__(
        self,
        *,
        result: simulation_interfaces.msg.Result = ...,
    ) -> None: ...
    result: simulation_interfaces.msg.Result
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class DeleteEntity_Event:
    def __init__(
        self,
        *,
        info: service_msgs.msg.ServiceEventInfo = ...,
        request: Sequence[DeleteEntity_Request] = ...,
        response: Sequence[DeleteEntity_Response] = ...,
    ) -> None: ...
    info: service_msgs.msg.ServiceEventInfo
    @property
    def request(self) -> list[DeleteEntity_Request]: ...
    @request.setter
    def request(self, value: Sequence[DeleteEntity_Request]) -> None: ...
    @property
    def response(self) -> list[DeleteEntity_Response]: ...
    @response.setter
    def response(self, value: Sequence[DeleteEntity_Response]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class DeleteEntity:
    Request: TypeAlias = DeleteEntity_Request
    Response: TypeAlias = DeleteEntity_Response
    Event: TypeAlias = DeleteEntity_Event

class GetAvailableWorlds_Request:
    def __init__(
        self,
        *,
        additional_sources: Sequence[str] = ...,
        filter: simulation_interfaces.msg.TagsFilter = ...,
        offline_only: bool = ...,
        continue_on_error: bool = ...,
    ) -> None: ...
    @property
    def additional_sources(self) -> list[str]: ...
    @additional_sources.setter
    def additional_sources(self, value: Sequence[str]) -> None: ...
    filter: simulation_interfaces.msg.TagsFilter
    offline_only: bool
    continue_on_error: bool
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class GetAvailableWorlds_Response:
    DEFAULT_SOURCES_FAILED: ClassVar[int]
    def __init__(
        self,
        *,
        result: simulation_interfaces.msg.Result = ...,
        worlds: Sequence[simulation_interfaces.msg.WorldResource] = ...,
    ) -> None: ...
    result: simulation_interfaces.msg.Result
    @property
    def worlds(self) -> list[simulation_interfaces.msg.WorldResource]: ...
    @worlds.setter
    def worlds(self, value: Sequence[simulation_interfaces.msg.WorldResource]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class GetAvailableWorlds_Event:
    def __init__(
        self,
        *,
        info: service_msgs.msg.ServiceEventInfo = ...,
        request: Sequence[GetAvailableWorlds_Request] = ...,
        response: Sequence[GetAvailableWorlds_Response] = ...,
    ) -> None: ...
    info: service_msgs.msg.ServiceEventInfo
    @property
    def request(self) -> list[GetAvailableWorlds_Request]: ...
    @request.setter
    def request(self, value: Sequence[GetAvailableWorlds_Request]) -> None: ...
    @property
    def response(self) -> list[GetAvailableWorlds_Response]: ...
    @response.setter
    def response(self, value: Sequence[GetAvailableWorlds_Response]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class GetAvailableWorlds:
    Request: TypeAlias = GetAvailableWorlds_Request
    Response: TypeAlias = GetAvailableWorlds_Response
    Event: TypeAlias = GetAvailableWorlds_Event

class GetCurrentWorld_Request:
    def __init__(
        self,
    ) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class GetCurrentWorld_Response:
    NO_WORLD_LOADED: ClassVar[int]
    def __init__(
        self,
        *,
        result: simulation_interfaces.msg.Result = ...,
        world: simulation_interfaces.msg.WorldResource = ...,
    ) -> None: ...
    result: simulation_interfaces.msg.Result
    world: simulation_interfaces.msg.WorldResource
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class GetCurrentWorld_Event:
    def __init__(
        self,
        *,
        info: service_msgs.msg.ServiceEventInfo = ...,
        request: Sequence[GetCurrentWorld_Request] = ...,
        response: Sequence[GetCurrentWorld_Response] = ...,
    ) -> None: ...
    info: service_msgs.msg.ServiceEventInfo
    @property
    def request(self) -> list[GetCurrentWorld_Request]: ...
    @request.setter
    def request(self, value: Sequence[GetCurrentWorld_Request]) -> None: ...
    @property
    def response(self) -> list[GetCurrentWorld_Response]: ...
    @response.setter
    def response(self, value: Sequence[GetCurrentWorld_Response]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class GetCurrentWorld:
    Request: TypeAlias = GetCurrentWorld_Request
    Response: TypeAlias = GetCurrentWorld_Response
    Event: TypeAlias = GetCurrentWorld_Event

class GetEntities_Request:
    def __init__(
        self,
        *,
        filters: simulation_interfaces.msg.EntityFilters = ...,
    ) -> None: ...
    filters: simulation_interfaces.msg.EntityFilters
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class GetEntities_Response:
    def __init__(
        self,
        *,
        result: simulation_interfaces.msg.Result = ...,
        entities: Sequence[str] = ...,
    ) -> None: ...
    result: simulation_interfaces.msg.Result
    @property
    def entities(self) -> list[str]: ...
    @entities.setter
    def entities(self, value: Sequence[str]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class GetEntities_Event:
    def __init__(
        self,
        *,
        info: service_msgs.msg.ServiceEventInfo = ...,
        request: Sequence[GetEntities_Request] = ...,
        response: Sequence[GetEntities_Response] = ...,
    ) -> None: ...
    info: service_msgs.msg.ServiceEventInfo
    @property
    def request(self) -> list[GetEntities_Request]: ...
    @request.setter
    def request(self, value: Sequence[GetEntities_Request]) -> None: ...
    @property
    def response(self) -> list[GetEntities_Response]: ...
    @response.setter
    def response(self, value: Sequence[GetEntities_Response]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class GetEntities:
    Request: TypeAlias = GetEntities_Request
    Response: TypeAlias = GetEntities_Response
    Event: TypeAlias = GetEntities_Event

class GetEntitiesStates_Request:
    def __init__(
        self,
        *,
        filters: simulation_interfaces.msg.EntityFilters = ...,
    ) -> None: ...
    filters: simulation_interfaces.msg.EntityFilters
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class GetEntitiesStates_Response:
    def __init__(
        self,
        *,
        result: simulation_interfaces.msg.Result = ...,
        entities: Sequence[str] = ...,
        states: Sequence[simulation_interfaces.msg.EntityState] = ...,
    ) -> None: ...
    result: simulation_interfaces.msg.Result
    @property
    def entities(self) -> list[str]: ...
    @entities.setter
    def entities(self, value: Sequence[str]) -> None: ...
    @property
    def states(self) -> list[simulation_interfaces.msg.EntityState]: ...
    @states.setter
    def states(self, value: Sequence[simulation_interfaces.msg.EntityState]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class GetEntitiesStates_Event:
    def __init__(
        self,
        *,
        info: service_msgs.msg.ServiceEventInfo = ...,
        request: Sequence[GetEntitiesStates_Request] = ...,
        response: Sequence[GetEntitiesStates_Response] = ...,
    ) -> None: ...
    info: service_msgs.msg.ServiceEventInfo
    @property
    def request(self) -> list[GetEntitiesStates_Request]: ...
    @request.setter
    def request(self, value: Sequence[GetEntitiesStates_Request]) -> None: ...
    @property
    def response(self) -> list[GetEntitiesStates_Response]: ...
    @response.setter
    def response(self, value: Sequence[GetEntitiesStates_Response]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class GetEntitiesStates:
    Request: TypeAlias = GetEntitiesStates_Request
    Response: TypeAlias = GetEntitiesStates_Response
    Event: TypeAlias = GetEntitiesStates_Event

class GetEntityBounds_Request:
    def __init__(
        self,
        *,
        entity: str = ...,
    ) -> None: ...
    entity: str
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class GetEntityBounds_Response:
    def __init__(
        self,
        *,
        result: simulation_interfaces.msg.Result = ...,
        bounds: simulation_interfaces.msg.Bounds = ...,
    ) -> None: ...
    result: simulation_interfaces.msg.Result
    bounds: simulation_interfaces.msg.Bounds
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class GetEntityBounds_Event:
    def __init__(
        self,
        *,
        info: service_msgs.msg.ServiceEventInfo = ...,
        request: Sequence[GetEntityBounds_Request] = ...,
        response: Sequence[GetEntityBounds_Response] = ...,
    ) -> None: ...
    info: service_msgs.msg.ServiceEventInfo
    @property
    def request(self) -> list[GetEntityBounds_Request]: ...
    @request.setter
    def request(self, value: Sequence[GetEntityBounds_Request]) -> None: ...
    @property
    def response(self) -> list[GetEntityBounds_Response]: ...
    @response.setter
    def response(self, value: Sequence[GetEntityBounds_Response]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class GetEntityBounds:
    Request: TypeAlias = GetEntityBounds_Request
    Response: TypeAlias = GetEntityBounds_Response
    Event: TypeAlias = GetEntityBounds_Event

class GetEntityInfo_Request:
    def __init__(
        self,
        *,
        entity: str = ...,
    ) -> None: ...
    entity: str
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class GetEntityInfo_Response:
    def __init__(
        self,
        *,
        result: simulation_interfaces.msg.Result = ...,
        info: simulation_interfaces.msg.EntityInfo = ...,
    ) -> None: ...
    result: simulation_interfaces.msg.Result
    info: simulation_interfaces.msg.EntityInfo
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class GetEntityInfo_Event:
    def __init__(
        self,
        *,
        info: service_msgs.msg.ServiceEventInfo = ...,
        request: Sequence[GetEntityInfo_Request] = ...,
        response: Sequence[GetEntityInfo_Response] = ...,
    ) -> None: ...
    info: service_msgs.msg.ServiceEventInfo
    @property
    def request(self) -> list[GetEntityInfo_Request]: ...
    @request.setter
    def request(self, value: Sequence[GetEntityInfo_Request]) -> None: ...
    @property
    def response(self) -> list[GetEntityInfo_Response]: ...
    @response.setter
    def response(self, value: Sequence[GetEntityInfo_Response]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class GetEntityInfo:
    Request: TypeAlias = GetEntityInfo_Request
    Response: TypeAlias = GetEntityInfo_Response
    Event: TypeAlias = GetEntityInfo_Event

class GetEntityState_Request:
    def __init__(
        self,
        *,
        entity: str = ...,
    ) -> None: ...
    entity: str
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class GetEntityState_Response:
    def __init__(
        self,
        *,
        result: simulation_interfaces.msg.Result = ...,
        state: simulation_interfaces.msg.EntityState = ...,
    ) -> None: ...
    result: simulation_interfaces.msg.Result
    state: simulation_interfaces.msg.EntityState
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class GetEntityState_Event:
    def __init__(
        self,
        *,
        info: service_msgs.msg.ServiceEventInfo = ...,
        request: Sequence[GetEntityState_Request] = ...,
        response: Sequence[GetEntityState_Response] = ...,
    ) -> None: ...
    info: service_msgs.msg.ServiceEventInfo
    @property
    def request(self) -> list[GetEntityState_Request]: ...
    @request.setter
    def request(self, value: Sequence[GetEntityState_Request]) -> None: ...
    @property
    def response(self) -> list[GetEntityState_Response]: ...
    @response.setter
    def response(self, value: Sequence[GetEntityState_Response]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class GetEntityState:
    Request: TypeAlias = GetEntityState_Request
    Response: TypeAlias = GetEntityState_Response
    Event: TypeAlias = GetEntityState_Event

class GetNamedPoseBounds_Request:
    def __init__(
        self,
        *,
        name: str = ...,
    ) -> None: ...
    name: str
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class GetNamedPoseBounds_Response:
    def __init__(
        self,
        *,
        result: simulation_interfaces.msg.Result = ...,
        bounds: simulation_interfaces.msg.Bounds = ...,
    ) -> None: ...
    result: simulation_interfaces.msg.Result
    bounds: simulation_interfaces.msg.Bounds
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class GetNamedPoseBounds_Event:
    def __init__(
        self,
        *,
        info: service_msgs.msg.ServiceEventInfo = ...,
        request: Sequence[GetNamedPoseBounds_Request] = ...,
        response: Sequence[GetNamedPoseBounds_Response] = ...,
    ) -> None: ...
    info: service_msgs.msg.ServiceEventInfo
    @property
    def request(self) -> list[GetNamedPoseBounds_Request]: ...
    @request.setter
    def request(self, value: Sequence[GetNamedPoseBounds_Request]) -> None: ...
    @property
    def response(self) -> list[GetNamedPoseBounds_Response]: ...
    @response.setter
    def response(self, value: Sequence[GetNamedPoseBounds_Response]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class GetNamedPoseBounds:
    Request: TypeAlias = GetNamedPoseBounds_Request
    Response: TypeAlias = GetNamedPoseBounds_Response
    Event: TypeAlias = GetNamedPoseBounds_Event

class GetNamedPoses_Request:
    def __init__(
        self,
        *,
        tags: simulation_interfaces.msg.TagsFilter = ...,
    ) -> None: ...
    tags: simulation_interfaces.msg.TagsFilter
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class GetNamedPoses_Response:
    def __init__(
        self,
        *,
        result: simulation_interfaces.msg.Result = ...,
        poses: Sequence[simulation_interfaces.msg.NamedPose] = ...,
    ) -> None: ...
    result: simulation_interfaces.msg.Result
    @property
    def poses(self) -> list[simulation_interfaces.msg.NamedPose]: ...
    @poses.setter
    def poses(self, value: Sequence[simulation_interfaces.msg.NamedPose]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class GetNamedPoses_Event:
    def __init__(
        self,
        *,
        info: service_msgs.msg.ServiceEventInfo = ...,
        request: Sequence[GetNamedPoses_Request] = ...,
        response: Sequence[GetNamedPoses_Response] = ...,
    ) -> None: ...
    info: service_msgs.msg.ServiceEventInfo
    @property
    def request(self) -> list[GetNamedPoses_Request]: ...
    @request.setter
    def request(self, value: Sequence[GetNamedPoses_Request]) -> None: ...
    @property
    def response(self) -> list[GetNamedPoses_Response]: ...
    @response.setter
    def response(self, value: Sequence[GetNamedPoses_Response]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class GetNamedPoses:
    Request: TypeAlias = GetNamedPoses_Request
    Response: TypeAlias = GetNamedPoses_Response
    Event: TypeAlias = GetNamedPoses_Event

class GetSimulationState_Request:
    def __init__(
        self,
    ) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class GetSimulationState_Response:
    def __init__(
        self,
        *,
        state: simulation_interfaces.msg.SimulationState = ...,
        result: simulation_interfaces.msg.Result = ...,
    ) -> None: ...
    state: simulation_interfaces.msg.SimulationState
    result: simulation_interfaces.msg.Result
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class GetSimulationState_Event:
    def __init__(
        self,
        *,
        info: service_msgs.msg.ServiceEventInfo = ...,
        request: Sequence[GetSimulationState_Request] = ...,
        response: Sequence[GetSimulationState_Response] = ...,
    ) -> None: ...
    info: service_msgs.msg.ServiceEventInfo
    @property
    def request(self) -> list[GetSimulationState_Request]: ...
    @request.setter
    def request(self, value: Sequence[GetSimulationState_Request]) -> None: ...
    @property
    def response(self) -> list[GetSimulationState_Response]: ...
    @response.setter
    def response(self, value: Sequence[GetSimulationState_Response]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class GetSimulationState:
    Request: TypeAlias = GetSimulationState_Request
    Response: TypeAlias = GetSimulationState_Response
    Event: TypeAlias = GetSimulationState_Event

class GetSimulatorFeatures_Request:
    def __init__(
        self,
    ) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class GetSimulatorFeatures_Response:
    def __init__(
        self,
        *,
        features: simulation_interfaces.msg.SimulatorFeatures = ...,
    ) -> None: ...
    features: simulation_interfaces.msg.SimulatorFeatures
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class GetSimulatorFeatures_Event:
    def __init__(
        self,
        *,
        info: service_msgs.msg.ServiceEventInfo = ...,
        request: Sequence[GetSimulatorFeatures_Request] = ...,
        response: Sequence[GetSimulatorFeatures_Response] = ...,
    ) -> None: ...
    info: service_msgs.msg.ServiceEventInfo
    @property
    def request(self) -> list[GetSimulatorFeatures_Request]: ...
    @request.setter
    def request(self, value: Sequence[GetSimulatorFeatures_Request]) -> None: ...
    @property
    def response(self) -> list[GetSimulatorFeatures_Response]: ...
    @response.setter
    def response(self, value: Sequence[GetSimulatorFeatures_Response]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class GetSimulatorFeatures:
    Request: TypeAlias = GetSimulatorFeatures_Request
    Response: TypeAlias = GetSimulatorFeatures_Response
    Event: TypeAlias = GetSimulatorFeatures_Event

class GetSpawnables_Request:
    def __init__(
        self,
        *,
        sources: Sequence[str] = ...,
    ) -> None: ...
    @property
    def sources(self) -> list[str]: ...
    @sources.setter
    def sources(self, value: Sequence[str]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class GetSpawnables_Response:
    def __init__(
        self,
        *,
        result: simulation_interfaces.msg.Result = ...,
        spawnables: Sequence[simulation_interfaces.msg.Spawnable] = ...,
    ) -> None: ...
    result: simulation_interfaces.msg.Result
    @property
    def spawnables(self) -> list[simulation_interfaces.msg.Spawnable]: ...
    @spawnables.setter
    def spawnables(self, value: Sequence[simulation_interfaces.msg.Spawnable]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class GetSpawnables_Event:
    def __init__(
        self,
        *,
        info: service_msgs.msg.ServiceEventInfo = ...,
        request: Sequence[GetSpawnables_Request] = ...,
        response: Sequence[GetSpawnables_Response] = ...,
    ) -> None: ...
    info: service_msgs.msg.ServiceEventInfo
    @property
    def request(self) -> list[GetSpawnables_Request]: ...
    @request.setter
    def request(self, value: Sequence[GetSpawnables_Request]) -> None: ...
    @property
    def response(self) -> list[GetSpawnables_Response]: ...
    @response.setter
    def response(self, value: Sequence[GetSpawnables_Response]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class GetSpawnables:
    Request: TypeAlias = GetSpawnables_Request
    Response: TypeAlias = GetSpawnables_Response
    Event: TypeAlias = GetSpawnables_Event

class LoadWorld_Request:
    def __init__(
        self,
        *,
        uri: str = ...,
        resource_string: str = ...,
        fail_on_unsupported_element: bool = ...,
        ignore_missing_or_unsupported_assets: bool = ...,
    ) -> None: ...
    uri: str
    resource_string: str
    fail_on_unsupported_element: bool
    ignore_missing_or_unsupported_assets: bool
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class LoadWorld_Response:
    UNSUPPORTED_FORMAT: ClassVar[int]
    NO_RESOURCE: ClassVar[int]
    RESOURCE_PARSE_ERROR: ClassVar[int]
    MISSING_ASSETS: ClassVar[int]
    UNSUPPORTED_ASSETS: ClassVar[int]
    UNSUPPORTED_ELEMENTS: ClassVar[int]
    def __init__(
        self,
        *,
        result: simulation_interfaces.msg.Result = ...,
        world: simulation_interfaces.msg.WorldResource = ...,
    ) -> None: ...
    result: simulation_interfaces.msg.Result
    world: simulation_interfaces.msg.WorldResource
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class LoadWorld_Event:
    def __init__(
        self,
        *,
        info: service_msgs.msg.ServiceEventInfo = ...,
        request: Sequence[LoadWorld_Request] = ...,
        response: Sequence[LoadWorld_Response] = ...,
    ) -> None: ...
    info: service_msgs.msg.ServiceEventInfo
    @property
    def request(self) -> list[LoadWorld_Request]: ...
    @request.setter
    def request(self, value: Sequence[LoadWorld_Request]) -> None: ...
    @property
    def response(self) -> list[LoadWorld_Response]: ...
    @response.setter
    def response(self, value: Sequence[LoadWorld_Response]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class LoadWorld:
    Request: TypeAlias = LoadWorld_Request
    Response: TypeAlias = LoadWorld_Response
    Event: TypeAlias = LoadWorld_Event

class ResetSimulation_Request:
    SCOPE_DEFAULT: ClassVar[int]
    SCOPE_TIME: ClassVar[int]
    SCOPE_STATE: ClassVar[int]
    SCOPE_SPAWNED: ClassVar[int]
    SCOPE_ALL: ClassVar[int]
    def __init__(
        self,
        *,
        scope: int = ...,
    ) -> None: ...
    scope: int
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class ResetSimulation_Response:
    def __init__(
        self,
        *,
        result: simulation_interfaces.msg.Result = ...,
    ) -> None: ...
    result: simulation_interfaces.msg.Result
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class ResetSimulation_Event:
    def __init__(
        self,
        *,
        info: service_msgs.msg.ServiceEventInfo = ...,
        request: Sequence[ResetSimulation_Request] = ...,
        response: Sequence[ResetSimulation_Response] = ...,
    ) -> None: ...
    info: service_msgs.msg.ServiceEventInfo
    @property
    def request(self) -> list[ResetSimulation_Request]: ...
    @request.setter
    def request(self, value: Sequence[ResetSimulation_Request]) -> None: ...
    @property
    def response(self) -> list[ResetSimulation_Response]: ...
    @response.setter
    def response(self, value: Sequence[ResetSimulation_Response]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class ResetSimulation:
    Request: TypeAlias = ResetSimulation_Request
    Response: TypeAlias = ResetSimulation_Response
    Event: TypeAlias = ResetSimulation_Event

class SetEntityInfo_Request:
    def __init__(
        self,
        *,
        entity: str = ...,
        info: simulation_interfaces.msg.EntityInfo = ...,
    ) -> None: ...
    entity: str
    info: simulation_interfaces.msg.EntityInfo
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class SetEntityInfo_Response:
    def __init__(
        self,
        *,
        result: simulation_interfaces.msg.Result = ...,
    ) -> None: ...
    result: simulation_interfaces.msg.Result
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class SetEntityInfo_Event:
    def __init__(
        self,
        *,
        info: service_msgs.msg.ServiceEventInfo = ...,
        request: Sequence[SetEntityInfo_Request] = ...,
        response: Sequence[SetEntityInfo_Response] = ...,
    ) -> None: ...
    info: service_msgs.msg.ServiceEventInfo
    @property
    def request(self) -> list[SetEntityInfo_Request]: ...
    @request.setter
    def request(self, value: Sequence[SetEntityInfo_Request]) -> None: ...
    @property
    def response(self) -> list[SetEntityInfo_Response]: ...
    @response.setter
    def response(self, value: Sequence[SetEntityInfo_Response]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class SetEntityInfo:
    Request: TypeAlias = SetEntityInfo_Request
    Response: TypeAlias = SetEntityInfo_Response
    Event: TypeAlias = SetEntityInfo_Event

class SetEntityState_Request:
    def __init__(
        self,
        *,
        entity: str = ...,
        state: simulation_interfaces.msg.EntityState = ...,
    ) -> None: ...
    entity: str
    state: simulation_interfaces.msg.EntityState
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class SetEntityState_Response:
    INVALID_POSE: ClassVar[int]
    def __init__(
        self,
        *,
        result: simulation_interfaces.msg.Result = ...,
    ) -> None: ...
    result: simulation_interfaces.msg.Result
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class SetEntityState_Event:
    def __init__(
        self,
        *,
        info: service_msgs.msg.ServiceEventInfo = ...,
        request: Sequence[SetEntityState_Request] = ...,
        response: Sequence[SetEntityState_Response] = ...,
    ) -> None: ...
    info: service_msgs.msg.ServiceEventInfo
    @property
    def request(self) -> list[SetEntityState_Request]: ...
    @request.setter
    def request(self, value: Sequence[SetEntityState_Request]) -> None: ...
    @property
    def response(self) -> list[SetEntityState_Response]: ...
    @response.setter
    def response(self, value: Sequence[SetEntityState_Response]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class SetEntityState:
    Request: TypeAlias = SetEntityState_Request
    Response: TypeAlias = SetEntityState_Response
    Event: TypeAlias = SetEntityState_Event

class SetSimulationState_Request:
    def __init__(
        self,
        *,
        state: simulation_interfaces.msg.SimulationState = ...,
    ) -> None: ...
    state: simulation_interfaces.msg.SimulationState
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class SetSimulationState_Response:
    ALREADY_IN_TARGET_STATE: ClassVar[int]
    STATE_TRANSITION_ERROR: ClassVar[int]
    INCORRECT_TRANSITION: ClassVar[int]
    def __init__(
        self,
        *,
        result: simulation_interfaces.msg.Result = ...,
    ) -> None: ...
    result: simulation_interfaces.msg.Result
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class SetSimulationState_Event:
    def __init__(
        self,
        *,
        info: service_msgs.msg.ServiceEventInfo = ...,
        request: Sequence[SetSimulationState_Request] = ...,
        response: Sequence[SetSimulationState_Response] = ...,
    ) -> None: ...
    info: service_msgs.msg.ServiceEventInfo
    @property
    def request(self) -> list[SetSimulationState_Request]: ...
    @request.setter
    def request(self, value: Sequence[SetSimulationState_Request]) -> None: ...
    @property
    def response(self) -> list[SetSimulationState_Response]: ...
    @response.setter
    def response(self, value: Sequence[SetSimulationState_Response]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class SetSimulationState:
    Request: TypeAlias = SetSimulationState_Request
    Response: TypeAlias = SetSimulationState_Response
    Event: TypeAlias = SetSimulationState_Event

class SpawnEntities_Request:
    def __init__(
        self,
        *,
        spawn_requests: Sequence[simulation_interfaces.msg.SpawnEntity] = ...,
    ) -> None: ...
    @property
    def spawn_requests(self) -> list[simulation_interfaces.msg.SpawnEntity]: ...
    @spawn_requests.setter
    def spawn_requests(self, value: Sequence[simulation_interfaces.msg.SpawnEntity]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class SpawnEntities_Response:
    ENTITIES_SPAWN_FAILED: ClassVar[int]
    def __init__(
        self,
        *,
        result: simulation_interfaces.msg.Result = ...,
        results: Sequence[simulation_interfaces.msg.SpawnResult] = ...,
    ) -> None: ...
    result: simulation_interfaces.msg.Result
    @property
    def results(self) -> list[simulation_interfaces.msg.SpawnResult]: ...
    @results.setter
    def results(self, value: Sequence[simulation_interfaces.msg.SpawnResult]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class SpawnEntities_Event:
    def __init__(
        self,
        *,
        info: service_msgs.msg.ServiceEventInfo = ...,
        request: Sequence[SpawnEntities_Request] = ...,
        response: Sequence[SpawnEntities_Response] = ...,
    ) -> None: ...
    info: service_msgs.msg.ServiceEventInfo
    @property
    def request(self) -> list[SpawnEntities_Request]: ...
    @request.setter
    def request(self, value: Sequence[SpawnEntities_Request]) -> None: ...
    @property
    def response(self) -> list[SpawnEntities_Response]: ...
    @response.setter
    def response(self, value: Sequence[SpawnEntities_Response]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class SpawnEntities:
    Request: TypeAlias = SpawnEntities_Request
    Response: TypeAlias = SpawnEntities_Response
    Event: TypeAlias = SpawnEntities_Event

class SpawnEntity_Request:
    def __init__(
        self,
        *,
        name: str = ...,
        allow_renaming: bool = ...,
        uri: str = ...,
        resource_string: str = ...,
        entity_namespace: str = ...,
        initial_pose: geometry_msgs.msg.PoseStamped = ...,
    ) -> None: ...
    name: str
    allow_renaming: bool
    uri: str
    resource_string: str
    entity_namespace: str
    initial_pose: geometry_msgs.msg.PoseStamped
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class SpawnEntity_Response:
    NAME_NOT_UNIQUE: ClassVar[int]
    NAME_INVALID: ClassVar[int]
    UNSUPPORTED_FORMAT: ClassVar[int]
    NO_RESOURCE: ClassVar[int]
    NAMESPACE_INVALID: ClassVar[int]
    RESOURCE_PARSE_ERROR: ClassVar[int]
    MISSING_ASSETS: ClassVar[int]
    UNSUPPORTED_ASSETS: ClassVar[int]
    INVALID_POSE: ClassVar[int]
    def __init__(
        self,
        *,
        result: simulation_interfaces.msg.Result = ...,
        entity_name: str = ...,
    ) -> None: ...
    result: simulation_interfaces.msg.Result
    entity_name: str
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class SpawnEntity_Event:
    def __init__(
        self,
        *,
        info: service_msgs.msg.ServiceEventInfo = ...,
        request: Sequence[SpawnEntity_Request] = ...,
        response: Sequence[SpawnEntity_Response] = ...,
    ) -> None: ...
    info: service_msgs.msg.ServiceEventInfo
    @property
    def request(self) -> list[SpawnEntity_Request]: ...
    @request.setter
    def request(self, value: Sequence[SpawnEntity_Request]) -> None: ...
    @property
    def response(self) -> list[SpawnEntity_Response]: ...
    @response.setter
    def response(self, value: Sequence[SpawnEntity_Response]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class SpawnEntity:
    Request: TypeAlias = SpawnEntity_Request
    Response: TypeAlias = SpawnEntity_Response
    Event: TypeAlias = SpawnEntity_Event

class StepSimulation_Request:
    STEPS__DEFAULT: ClassVar[int]
    def __init__(
        self,
        *,
        steps: int = ...,
    ) -> None: ...
    steps: int
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class StepSimulation_Response:
    def __init__(
        self,
        *,
        result: simulation_interfaces.msg.Result = ...,
    ) -> None: ...
    result: simulation_interfaces.msg.Result
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class StepSimulation_Event:
    def __init__(
        self,
        *,
        info: service_msgs.msg.ServiceEventInfo = ...,
        request: Sequence[StepSimulation_Request] = ...,
        response: Sequence[StepSimulation_Response] = ...,
    ) -> None: ...
    info: service_msgs.msg.ServiceEventInfo
    @property
    def request(self) -> list[StepSimulation_Request]: ...
    @request.setter
    def request(self, value: Sequence[StepSimulation_Request]) -> None: ...
    @property
    def response(self) -> list[StepSimulation_Response]: ...
    @response.setter
    def response(self, value: Sequence[StepSimulation_Response]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class StepSimulation:
    Request: TypeAlias = StepSimulation_Request
    Response: TypeAlias = StepSimulation_Response
    Event: TypeAlias = StepSimulation_Event

class UnloadWorld_Request:
    def __init__(
        self,
    ) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class UnloadWorld_Response:
    NO_WORLD_LOADED: ClassVar[int]
    def __init__(
        self,
        *,
        result: simulation_interfaces.msg.Result = ...,
    ) -> None: ...
    result: simulation_interfaces.msg.Result
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class UnloadWorld_Event:
    def __init__(
        self,
        *,
        info: service_msgs.msg.ServiceEventInfo = ...,
        request: Sequence[UnloadWorld_Request] = ...,
        response: Sequence[UnloadWorld_Response] = ...,
    ) -> None: ...
    info: service_msgs.msg.ServiceEventInfo
    @property
    def request(self) -> list[UnloadWorld_Request]: ...
    @request.setter
    def request(self, value: Sequence[UnloadWorld_Request]) -> None: ...
    @property
    def response(self) -> list[UnloadWorld_Response]: ...
    @response.setter
    def response(self, value: Sequence[UnloadWorld_Response]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class UnloadWorld:
    Request: TypeAlias = UnloadWorld_Request
    Response: TypeAlias = UnloadWorld_Response
    Event: TypeAlias = UnloadWorld_Event
