# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
# Made by tools/make_message_stubs.py.

from array import array
from collections.abc import Iterable, Sequence
from typing import ClassVar

import geometry_msgs.msg
import std_msgs.msg

class Bounds:
    TYPE_EMPTY: ClassVar[int]
    TYPE_BOX: ClassVar[int]
    TYPE_CONVEX_HULL: ClassVar[int]
    TYPE_SPHERE: ClassVar[int]
    def __init__(
        self,
        *,
        type: int = ...,
        points: Sequence[geometry_msgs.msg.Vector3] = ...,
    ) -> None: ...
    type: int
    @property
    def points(self) -> list[geometry_msgs.msg.Vector3]: ...
    @points.setter
    def points(self, value: Sequence[geometry_msgs.msg.Vector3]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class EntityCategory:
    CATEGORY_OBJECT: ClassVar[int]
    CATEGORY_ROBOT: ClassVar[int]
    CATEGORY_HUMAN: ClassVar[int]
    CATEGORY_DYNAMIC_OBJECT: ClassVar[int]
    CATEGORY_STATIC_OBJECT: ClassVar[int]
    def __init__(
        self,
        *,
        category: int = ...,
    ) -> None: ...
    category: int
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class EntityFilters:
    def __init__(
        self,
        *,
        filter: str = ...,
        categories: Sequence[EntityCategory] = ...,
        tags: TagsFilter = ...,
        bounds: Bounds = ...,
    ) -> None: ...
    filter: str
    @property
    def categories(self) -> list[EntityCategory]: ...
    @categories.setter
    def categories(self, value: Sequence[EntityCategory]) -> None: ...
    tags: TagsFilter
    bounds: Bounds
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class EntityInfo:
    def __init__(
        self,
        *,
        category: EntityCategory = ...,
        description: str = ...,
        tags: Sequence[str] = ...,
    ) -> None: ...
    category: EntityCategory
    description: str
    @property
    def tags(self) -> list[str]: ...
    @tags.setter
    def tags(self, value: Sequence[str]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class EntityState:
    def __init__(
        self,
        *,
        header: std_msgs.msg.Header = ...,
        pose: geometry_msgs.msg.Pose = ...,
        twist: geometry_msgs.msg.Twist = ...,
        acceleration: geometry_msgs.msg.Accel = ...,
    ) -> None: ...
    header: std_msgs.msg.Header
    pose: geometry_msgs.msg.Pose
    twist: geometry_msgs.msg.Twist
    acceleration: geometry_msgs.msg.Accel
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class NamedPose:
    def __init__(
        self,
        *,
        name: str = ...,
        description: str = ...,
        tags: Sequence[str] = ...,
        pose: geometry_msgs.msg.Pose = ...,
    ) -> None: ...
    name: str
    description: str
    @property
    def tags(self) -> list[str]: ...
    @tags.setter
    def tags(self, value: Sequence[str]) -> None: ...
    pose: geometry_msgs.msg.Pose
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class Resource:
    def __init__(
        self,
        *,
        uri: str = ...,
        resource_string: str = ...,
    ) -> None: ...
    uri: str
    resource_string: str
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class Result:
    RESULT_FEATURE_UNSUPPORTED: ClassVar[int]
    RESULT_OK: ClassVar[int]
    RESULT_NOT_FOUND: ClassVar[int]
    RESULT_INCORRECT_STATE: ClassVar[int]
    RESULT_OPERATION_FAILED: ClassVar[int]
    def __init__(
        self,
        *,
        result: int = ...,
        error_message: str = ...,
    ) -> None: ...
    result: int
    error_message: str
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class SimulationState:
    STATE_STOPPED: ClassVar[int]
    STATE_PLAYING: ClassVar[int]
    STATE_PAUSED: ClassVar[int]
    STATE_QUITTING: ClassVar[int]
    STATE_NO_WORLD: ClassVar[int]
    STATE_LOADING_WORLD: ClassVar[int]
    def __init__(
        self,
        *,
        state: int = ...,
    ) -> None: ...
    state: int
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class SimulatorFeatures:
    SPAWNING: ClassVar[int]
    DELETING: ClassVar[int]
    NAMED_POSES: ClassVar[int]
    POSE_BOUNDS: ClassVar[int]
    ENTITY_TAGS: ClassVar[int]
    ENTITY_BOUNDS: ClassVar[int]
    ENTITY_BOUNDS_BOX: ClassVar[int]
    ENTITY_BOUNDS_CONVEX: ClassVar[int]
    ENTITY_CATEGORIES: ClassVar[int]
    SPAWNING_RESOURCE_STRING: ClassVar[int]
    ENTITY_STATE_GETTING: ClassVar[int]
    ENTITY_STATE_SETTING: ClassVar[int]
    ENTITY_INFO_GETTING: ClassVar[int]
    ENTITY_INFO_SETTING: ClassVar[int]
    SPAWNABLES: ClassVar[int]
    SIMULATION_RESET: ClassVar[int]
    SIMULATION_RESET_TIME: ClassVar[int]
    SIMULATION_RESET_STATE: ClassVar[int]
    SIMULATION_RESET_SPAWNED: ClassVar[int]
    SIMULATION_STATE_GETTING: ClassVar[int]
    SIMULATION_STATE_SETTING: ClassVar[int]
    SIMULATION_STATE_PAUSE: ClassVar[int]
    STEP_SIMULATION_SINGLE: ClassVar[int]
    STEP_SIMULATION_MULTIPLE: ClassVar[int]
    STEP_SIMULATION_ACTION: ClassVar[int]
    WORLD_LOADING: ClassVar[int]
    WORLD_RESOURCE_STRING: ClassVar[int]
    WORLD_TAGS: ClassVar[int]
    WORLD_UNLOADING: ClassVar[int]
    WORLD_INFO_GETTING: ClassVar[int]
    AVAILABLE_WORLDS: ClassVar[int]
    SPAWNING_ENTITIES: ClassVar[int]
    def __init__(
        self,
        *,
        features: Iterable[int] = ...,
        spawn_formats: Sequence[str] = ...,
        custom_info: str = ...,
    ) -> None: ...
    @property
    def features(self) -> array[int]: ...
    @features.setter
    def features(self, value: Iterable[int]) -> None: ...
    @property
    def spawn_formats(self) -> list[str]: ...
    @spawn_formats.setter
    def spawn_formats(self, value: Sequence[str]) -> None: ...
    custom_info: str
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class SpawnEntity:
    def __init__(
        self,
        *,
        name: str = ...,
        allow_renaming: bool = ...,
        entity_resource: Resource = ...,
        entity_namespace: str = ...,
        initial_pose: geometry_msgs.msg.PoseStamped = ...,
    ) -> None: ...
    name: str
    allow_renaming: bool
    entity_resource: Resource
    entity_namespace: str
    initial_pose: geometry_msgs.msg.PoseStamped
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class SpawnResult:
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
        result: Result = ...,
        entity_name: str = ...,
    ) -> None: ...
    result: Result
    entity_name: str
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class Spawnable:
    def __init__(
        self,
        *,
        uri: str = ...,
        description: str = ...,
        spawn_bounds: Bounds = ...,
    ) -> None: ...
    uri: str
    description: str
    spawn_bounds: Bounds
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class TagsFilter:
    FILTER_MODE_ANY: ClassVar[int]
    FILTER_MODE_ALL: ClassVar[int]
    def __init__(
        self,
        *,
        tags: Sequence[str] = ...,
        filter_mode: int = ...,
    ) -> None: ...
    @property
    def tags(self) -> list[str]: ...
    @tags.setter
    def tags(self, value: Sequence[str]) -> None: ...
    filter_mode: int
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class WorldResource:
    def __init__(
        self,
        *,
        name: str = ...,
        world_resource: Resource = ...,
        description: str = ...,
        tags: Sequence[str] = ...,
    ) -> None: ...
    name: str
    world_resource: Resource
    description: str
    @property
    def tags(self) -> list[str]: ...
    @tags.setter
    def tags(self, value: Sequence[str]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...
