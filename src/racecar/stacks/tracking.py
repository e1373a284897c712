# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Stacks that follow a trajectory: tracker, a linearizer, both muxes, a simulator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Protocol

from racecar.base.errors import ConfigurationError, excerpt, ParameterError
from racecar.base.share import find_config, find_track
from racecar.catalogue import node_names
from racecar.control.custom_controller import find_controller, written_settings
from racecar.control.linearizer import POINT_TOLERANCE
from racecar.control.tracker import tracked_ahead
from racecar.control.trajectories import trajectory_type
from racecar.control.trajectories.waypoints import WayPointPath
from racecar.ros import topics
from racecar.simulation.faults import SCAN
from racecar.stacks.faults import check_losses
from racecar.stacks.loops import make_law
from racecar.stacks.node_description import NodeDescription
from racecar.stacks.options import StackOptions
from racecar.stacks.parts import check_scans, command_muxes, given, node, vehicle_file
from racecar.stacks.simulator_part import planar_part, SimulatorPart
from racecar.stacks.stack import Stack

_ANSWERS = (
    topics.REFERENCE_TRAJECTORY, topics.VIRTUAL_VELOCITIES, topics.NAVIGATION_COMMAND,
    topics.COMMAND)


_PLANAR = planar_part()


def tracking_stack(
    name: str, summary: str, linearizer: str | None, *tracker_files: str,
    simulator: SimulatorPart = _PLANAR,
) -> Stack:
    """Stack with a linearizer, or None for a node of the user's in its place.

    tracker_files: names in config/ of parameter files that go over the tracker's defaults.
    """
    return Stack(
        name=name, summary=summary,
        nodes=partial(_nodes, linearizer, tracker_files, simulator),
        check=partial(_check, linearizer, simulator.executable),
        simulator=simulator.executable,
        tracker=node_names.TRAJECTORY_TRACKER, linearizer=linearizer,
        recorded=(
            topics.TF_STATIC, topics.ROBOT_DESCRIPTION, topics.REFERENCE_PATH,
            topics.TRACKED_POINT, topics.TF, topics.CAR_STATE, simulator.joint_states, *_ANSWERS,
            topics.ODOMETRY),
        descriptions=(topics.TRACKED_POINT,), answers=_ANSWERS)


def _nodes(
    linearizer: str | None, tracker_files: tuple[str, ...], simulator: SimulatorPart,
    options: StackOptions,
) -> list[NodeDescription]:
    vehicle = vehicle_file(options.vehicle)
    lockstep = {'lockstep': options.lockstep}
    files: list[Path] = [find_config(name) for name in tracker_files]
    laws = [] if linearizer is None else [
        node(linearizer, options, vehicle, parameters=lockstep, hears=topics.VIRTUAL_VELOCITIES,
             gives=(topics.NAVIGATION_COMMAND,))]
    answer = topics.NAVIGATION_COMMAND if options.controller else topics.VIRTUAL_VELOCITIES
    return [
        node(node_names.TRAJECTORY_TRACKER, options, *files, vehicle, parameters={
            **_reference(options),
            **given(controller=options.controller,
                    controller_settings=written_settings(options.controller_settings) or None),
            'active': options.active, **lockstep},
            gives=(topics.TRACKED_POINT, topics.REFERENCE_TRAJECTORY, answer)),
        *laws,
        *command_muxes(options, topics.NAVIGATION_COMMAND),
        *simulator.nodes(options, vehicle),
    ]


def _reference(options: StackOptions) -> dict[str, object]:
    """Tracker's parameters that choose a reference; waypoints are one."""
    if options.waypoints is None:
        return given(trajectory=options.trajectory)
    if options.trajectory not in (None, WayPointPath.name):
        raise ConfigurationError(
            f'trajectory {excerpt(str(options.trajectory))} and waypoints'
            f' {excerpt(options.waypoints)} are both chosen, expected one of the two')
    return {'trajectory': WayPointPath.name, 'waypoints_file': str(find_track(options.waypoints))}


def _check(
    linearizer: str | None, simulator: str, descriptions: list[NodeDescription],
) -> None:
    """Refuse what check_tracking() does, and in lockstep to wait for scans that do not come.

    A controller that cannot be found is left to the error of the node.
    """
    check_tracking(linearizer, make_law, descriptions)
    parts = {d.executable: d for d in descriptions}
    tracker, plant = parts.get(node_names.TRAJECTORY_TRACKER), parts.get(simulator)
    values = tracker and tracker.usable_values()
    plant_values = plant and plant.usable_values()
    if plant is None or not plant_values or not values or not (
            values['controller'] and values['lockstep']):
        return
    try:
        sees = find_controller(values['controller']).reads_scans
    except ConfigurationError:
        return
    if sees:
        reader = f"controller {excerpt(values['controller'])}"
        check_scans(plant, reader)
        check_losses(plant_values, SCAN, reader)


class TrackingLaw(Protocol):
    """What a tracker must know of a law; see Linearizer."""

    @property
    def tracked_ahead(self) -> float:
        """Position ahead of base_link [m] of the point that the law is exact for."""

    @property
    def reverses(self) -> bool:
        """Whether it drives backwards where the wanted velocity points behind."""


def check_tracking(
    linearizer: str | None, make: Callable[[str, Mapping[str, object]], TrackingLaw],
    descriptions: list[NodeDescription],
) -> None:
    """Refuse a tracker and a reference that the law is not made for, if both are there.

    make: builds the law of an executable from its values.
    """
    parts = {d.executable: d for d in descriptions}
    tracker, law_node = parts.get(node_names.TRAJECTORY_TRACKER), parts.get(linearizer or '')
    values = tracker and tracker.usable_values()
    if tracker is None or not values:
        return
    if values['controller'] and topics.NAVIGATION_COMMAND not in tracker.gives:
        raise ConfigurationError(
            f"controller of {tracker.full_name} is {excerpt(values['controller'])}: give it as"
            ' --controller or controller:=, which take care of the other nodes')
    if law_node is None:
        return
    try:
        law_values = law_node.resolve()
        law = make(law_node.executable, law_values)
        tracked = tracked_ahead(values)
    except ParameterError:
        return
    exact = law.tracked_ahead
    if abs(tracked - exact) > POINT_TOLERANCE:
        raise ConfigurationError(
            f"tracked_point of {tracker.full_name} is '{values['tracked_point']}', {tracked:g} m"
            f' ahead of base_link, but the law of {law_node.full_name} is exact for the point'
            f' {exact:g} m ahead: use base_link with the kinematic law and cog with the dynamic'
            ' one, and the same vehicle for both')
    distance, epsilon = values['PL_distance'], law_values['epsilon']
    if distance != epsilon:
        raise ConfigurationError(
            f'PL_distance of {tracker.full_name} is {distance:g} m, but epsilon of'
            f' {law_node.full_name} is {epsilon:g} m: both place the same point P, so set both to'
            ' one value')
    if trajectory_type(values['trajectory']).reverses and not law.reverses:
        raise ConfigurationError(
            f"trajectory '{values['trajectory']}' of {tracker.full_name} goes backwards, which"
            f' {law_node.full_name} does not: use kinematic_linearizer with reverse: true')
