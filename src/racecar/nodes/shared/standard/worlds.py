# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Worlds: which there are, which one is loaded, and another one in its place."""

from __future__ import annotations

from pathlib import Path

from simulation_interfaces.msg import WorldResource
from simulation_interfaces.srv import (
    GetAvailableWorlds,
    GetCurrentWorld,
    LoadWorld,
    UnloadWorld,
)

from racecar.base.errors import excerpt
from racecar.entities.refusals import RefusedError
from racecar.entities.resources import world_files, world_sheet
from racecar.entities.world_entities import Entities, World
from racecar.nodes.shared.standard.messages import fits
from racecar.nodes.shared.standard.offer import Offer
from racecar.nodes.shared.standard.state import StateServices
from racecar.ros.simulator_node import SimulatorNode

_SUFFIXES = '.yaml', '.yml', ''


class WorldServices:
    """Binds them to the world of a plant."""

    def __init__(
        self, node: SimulatorNode, entities: Entities, state: StateServices, offer: Offer,
    ) -> None:
        """Offer them; state: is stopped where another world is loaded."""
        self._node = node
        self._entities = entities
        self._state = state
        offer.serve(GetAvailableWorlds, self._available_worlds)
        offer.serve(GetCurrentWorld, self._current_world)
        offer.serve(LoadWorld, self._load_world)
        offer.serve(UnloadWorld, self._unload_world)

    def _load_world(self, request: LoadWorld.Request, response: LoadWorld.Response) -> None:
        self._state.check_idle()
        uri = request.uri
        if uri and Path(uri).suffix not in _SUFFIXES:
            raise RefusedError(
                'UNSUPPORTED_FORMAT', f'uri is {excerpt(uri)}, expected a YAML file of a world or'
                ' of a map, or the name of a world')
        world = self._entities.load(uri, request.resource_string)
        # The robots are there already, but commands and a divergence are to be forgotten.
        self._node.return_to_start()
        self._state.stop(state=False)
        response.world = _world_message(world)

    def _unload_world(self, _: UnloadWorld.Request, __: UnloadWorld.Response) -> None:
        self._state.check_idle()
        self._entities.unload()
        self._node.return_to_start()
        self._node.set_paused(True, 'no world is loaded; call load_world first')

    def _current_world(
        self, _: GetCurrentWorld.Request, response: GetCurrentWorld.Response,
    ) -> None:
        if self._entities.world is None:
            raise RefusedError('NO_WORLD_LOADED', 'no world is loaded')
        response.world = _world_message(self._entities.world)

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


def _world_message(world: World) -> WorldResource:
    """What is known of a world."""
    message = WorldResource(name=world.name)
    message.world_resource.uri, message.world_resource.resource_string = world.uri, world.text
    message.description, tags = world_sheet(world)
    message.tags = list(tags)
    return message
