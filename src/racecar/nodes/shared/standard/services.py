# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""All services and the action of the standard, on a simulator node."""

from __future__ import annotations

from pathlib import Path

from simulation_interfaces.msg import SimulatorFeatures
from simulation_interfaces.srv import GetSimulatorFeatures

from racecar.entities.resources import world_uri
from racecar.entities.world_entities import Entities, World
from racecar.nodes.shared.standard.entities import EntityServices, SpawnServices
from racecar.nodes.shared.standard.offer import Offer
from racecar.nodes.shared.standard.state import StateServices
from racecar.nodes.shared.standard.worlds import WorldServices
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


def offer_services(node: SimulatorNode, world: str, prefix: str) -> Entities:
    """Bind them to the plant and the time of a node; returns the entities of its world.

    world: that is loaded; prefix: before each name, empty or ending with /.
    """
    entities = Entities(node.plant, World(Path(world).stem, world_uri(world)), node.refresh)
    offer = Offer(node, prefix)
    state = StateServices(node, entities, offer)
    EntityServices(node, entities, state, offer)
    SpawnServices(entities, state, offer)
    WorldServices(node, entities, state, offer)
    node.create_service(GetSimulatorFeatures, offer.name(GetSimulatorFeatures), _features)
    return entities


def _features(
    _: GetSimulatorFeatures.Request, response: GetSimulatorFeatures.Response,
) -> GetSimulatorFeatures.Response:
    response.features.features = list(FEATURES)
    response.features.custom_info = (
        'racecar: spawns objects and parked cars from YAML files of worlds and vehicles; see'
        ' docs/simulation_interfaces.md')
    return response
