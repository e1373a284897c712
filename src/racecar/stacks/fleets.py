# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Cars of a loop that differ in numbers: of vehicle, trajectory, tracker or law; made at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from racecar.base.columns import Array, rows_of
from racecar.base.types import NANOSECONDS
from racecar.base.values import text_of, Values
from racecar.catalogue import NODES
from racecar.control.tracker import TRACKER_COLUMNS
from racecar.control.trajectories import Trajectory, TRAJECTORY_PARAMETERS
from racecar.differential.kernels import FINITE
from racecar.differential.loop import RobotLoop
from racecar.differential.parameters import ROBOT_COLUMNS, RobotParameters
from racecar.differential.robot_lanes import lane_parameters
from racecar.dynamics.actuators import ACTUATOR_PARAMETERS
from racecar.dynamics.integrators import find_integrator
from racecar.dynamics.vehicles.parameters import VEHICLE_COLUMNS, VehicleParameters
from racecar.simulation.block import Columns, FleetColumns, kind_of
from racecar.simulation.closed_loop import ClosedLoop, Loop, VariedControl
from racecar.simulation.vehicle_columns import channel_columns, vehicle_columns
from racecar.stacks.faults import has_faults
from racecar.stacks.loops import StackValues
from racecar.stacks.stack import Stack

NodeColumns = Mapping[str, Mapping[str, Array]]
"""Columns by node and parameter, see may_be_column()."""


TRAJECTORY_NUMBERS = frozenset(
    row.name for row in TRAJECTORY_PARAMETERS if row.type is float)
"""Names of the parameters in which trajectories of one type may differ."""


def may_be_column(stack: Stack, node: str, parameter: str) -> bool:
    """Whether a parameter of a node may differ between cars that are made at once."""
    if parameter in VEHICLE_COLUMNS or parameter in ROBOT_COLUMNS or (
            parameter in ACTUATOR_PARAMETERS):
        return True
    if node == stack.tracker:
        return parameter in TRACKER_COLUMNS or parameter in TRAJECTORY_NUMBERS
    return node == stack.linearizer and NODES[node].table[parameter].type is float


def switches_off(parameter: str, value: object) -> bool:
    """Whether cars with this value of a column may be of another kind than those with others."""
    return parameter in ACTUATOR_PARAMETERS and value == ACTUATOR_PARAMETERS.default(parameter)


def stack_columns(
    stack: Stack, loop: ClosedLoop, values: StackValues, varied: NodeColumns, cars: int,
) -> FleetColumns:
    """Cars that differ from that of a loop, which tracker and law drive.

    values: of the loop; varied: what differs. Raises TypeError or ValueError where the cars do not
    differ in numbers alone.
    """
    assert stack.tracker is not None
    assert stack.linearizer is not None
    tracker, law = (_varied(values, varied, node) for node in (stack.tracker, stack.linearizer))
    control = loop.columns(VariedControl(
        tracker.values, tracker.vehicle, law.values, law.vehicle), cars)
    found = _simulated(stack, loop, values, varied, [tracker, law], control)
    return found._replace(trajectories=_trajectories(
        loop.tracker.trajectory, values[stack.tracker], varied.get(stack.tracker, {}), cars))


def custom_columns(
    stack: Stack, loop: Loop, values: StackValues, varied: NodeColumns, cars: int,
) -> FleetColumns:
    """Cars that differ from that of a loop, which a custom controller drives.

    Raises TypeError or ValueError too if the vehicle that the controller knows differs.
    """
    if stack.tracker in varied or loop.lane is None:
        raise TypeError('the controllers of the cars differ')
    return _simulated(
        stack, loop, values, varied, [], rows_of(loop.lane.parameters, cars))


def robot_columns(
    stack: Stack, loop: RobotLoop, values: StackValues, varied: NodeColumns, robots: int,
) -> FleetColumns:
    """Differential-drive robots that differ from that of a loop; see stack_columns()."""
    assert stack.tracker is not None
    assert stack.linearizer is not None
    if kind_of(loop) is None:
        raise TypeError('the robots do not run side by side')
    tracker, law = ({**values[node], **varied.get(node, {})}
                    for node in (stack.tracker, stack.linearizer))
    control = np.concatenate(
        [loop.tracker.columns(tracker, None, robots), loop.law.columns(law, robots)])
    simulated, changes = values[stack.simulator], varied.get(stack.simulator, {})
    one, mode = RobotParameters.from_values(simulated), text_of(simulated, 'mode')
    parameters = lane_parameters(one.columns(changes), mode)
    # With noise and without are two kinds.
    possible = np.broadcast_to(
        parameters.mode.is_noisy == lane_parameters(one, mode).mode.is_noisy, robots)
    if changes:
        possible = possible & one.are_possible(changes)
    return FleetColumns(
        Columns(rows_of(parameters, robots), rows_of(FINITE, robots), control,
                np.empty((0, robots))), possible,
        _trajectories(loop.tracker.trajectory, values[stack.tracker],
                      varied.get(stack.tracker, {}), robots))


def _trajectories(
    one: Trajectory, values: Values, changes: Mapping[str, Array], cars: int,
) -> Sequence[Trajectory]:
    """Trajectories of cars, of the type of one of them; none if no number of it differs."""
    varied = {row.name: changes[row.name].tolist() for row in one.parameters
              if row.name in changes}
    return [] if not varied else [
        type(one).from_values({**values, **{name: row[car] for name, row in varied.items()}})
        for car in range(cars)]


class _Vehicles(NamedTuple):
    """Those that a node knows: one, in what the others differ, and all; all values of the node."""

    one: VehicleParameters
    columns: Mapping[str, Array]
    vehicle: VehicleParameters
    values: Values

    def are_like(self, others: _Vehicles) -> bool:
        """Whether they are the same as others, made from the same columns."""
        return (self.one == others.one and self.columns.keys() == others.columns.keys() and all(
            column is others.columns[name] for name, column in self.columns.items()))


def _varied(values: StackValues, varied: NodeColumns, node: str) -> _Vehicles:
    one, changes = VehicleParameters.from_values(values[node]), varied.get(node, {})
    columns = {name: column for name, column in changes.items() if name in VEHICLE_COLUMNS}
    return _Vehicles(one, columns, one.columns(columns), {**values[node], **changes})


def _simulated(
    stack: Stack, loop: Loop, values: StackValues, varied: NodeColumns, known: Sequence[_Vehicles],
    control: Array,
) -> FleetColumns:
    """Cars of the simulator; known: vehicles as other nodes know them; control: see Columns."""
    simulator, cars = loop.simulator.compiled, control.shape[1]
    if simulator is None or kind_of(loop) is None:
        raise TypeError('the cars do not run side by side')
    own = _varied(values, varied, stack.simulator)
    if own.columns and has_faults(values):
        raise TypeError('the cars may change in different ways')
    if loop.simulator.reckoning is not None and own.columns:
        raise TypeError('the cars reckon with different vehicles')
    found = vehicle_columns(
        simulator.model, own.vehicle, values[stack.simulator], cars,
        find_integrator(simulator.integrator).stability_limit * NANOSECONDS / simulator.step_ns)
    start = np.abs(simulator.state)[:, np.newaxis]
    possible = found.are_possible & (start <= found.limits).all(axis=0)
    for vehicles in (own, *(others for others in known if not others.are_like(own))):
        if vehicles.columns:
            possible &= vehicles.one.are_possible(vehicles.columns)
    line = channel_columns(
        simulator, values[stack.simulator], varied.get(stack.simulator, {}), cars)
    parameters = np.concatenate([found.parameters, found.command_limits])
    return FleetColumns(
        Columns(parameters, found.limits, control, line.line), possible & line.are_possible)
