# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Faults of the loop of a stack: those of signals, and what the others make of its vehicle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from racecar.base.errors import ConfigurationError
from racecar.base.values import number_of, texts_of, Values
from racecar.catalogue import node_names
from racecar.faults.plant import FAULTS, faults_in_values
from racecar.faults.vehicle import changes_of, check_parameter, is_of_vehicle
from racecar.simulation.closed_loop import LoopCar
from racecar.simulation.faults import (
    DEAD,
    DELAY,
    DROP,
    Fault,
    faults_of,
    NO_END,
    NODE_KILL,
    ODOMETRY,
    SCAN,
)
from racecar.simulation.faulty_lanes import LoopFaults, NO_FAULTS
from racecar.stacks.node_description import NodeDescription
from racecar.stacks.stack import Stack

_TIMEOUT = 'command_timeout'


class Kill(NamedTuple):
    """A node that ends, and the fault that says when."""

    node: NodeDescription
    fault: Fault


def kills_of(descriptions: Sequence[NodeDescription]) -> list[Kill]:
    """Nodes that faults of a stack end, the earliest first.

    Raises ConfigurationError for faults that are none, for a node that is not there or may not
    end, and in lockstep.
    """
    found: list[Kill] = []
    for simulator in descriptions:
        if not (simulator.spec.is_simulator and simulator.is_chosen(FAULTS)):
            continue
        values = simulator.resolve()
        if any(d.executable == node_names.EMERGENCY_BRAKE for d in descriptions):
            check_losses(
                values, SCAN if values['lockstep_output'] == ODOMETRY else ODOMETRY,
                'emergency brake')
        for fault in faults_in_values(values):
            if fault.kind == NODE_KILL:
                found.append(Kill(_killed(fault, descriptions), fault))
                if values['lockstep']:
                    raise ConfigurationError(
                        'fault node_kill does not go with lockstep, where the simulator would'
                        ' wait for an answer of that node at each odometry: do without lockstep,'
                        ' or use the kind dead with the target command')
                if found[-1].node.executable == node_names.BAG_RECORDER and (
                        fault.duration != NO_END):
                    raise ConfigurationError(
                        f'fault node_kill of {fault.target} has the duration {fault.duration:g} s,'
                        ' expected none: another recorder would find its folder taken')
    return sorted(found, key=lambda kill: kill.fault.onset)


def check_losses(values: Values, needed: str, reader: str) -> None:
    """Refuse in lockstep to lose what a reader waits for beside what it answers.

    values: resolved, of the simulator; needed: SCAN or ODOMETRY.
    """
    for fault in faults_in_values(values):
        if values['lockstep'] and fault.target == needed and fault.kind in (DELAY, DEAD, DROP):
            raise ConfigurationError(
                f'fault {fault.kind} loses messages of the {needed}, of which the {reader} needs'
                ' a new one for each answer in lockstep: do without one of the three')


def _killed(fault: Fault, descriptions: Sequence[NodeDescription]) -> NodeDescription:
    names = {d.full_name: d for d in descriptions if not d.spec.is_simulator}
    found = [d for d in names.values() if fault.target.strip('/') in (d.name, d.full_name)]
    if len(found) != 1:
        raise ConfigurationError(
            f"fault node_kill has the target '{fault.target}', expected"
            f" {'one' if found else 'a node, one'} of {', '.join(names)}")
    return found[0]


def line_of_faults(texts: Sequence[str]) -> str:
    """Faults of several texts in one line. Raises ConfigurationError for those of nodes alone."""
    line = '; '.join(texts)
    if texts:
        faults_of(line)
    return line


def faults_of_values(simulated: Values) -> dict[str, object]:
    """What stands under FAULTS where values of a simulator are these; raises as line_of_faults().

    Sweeps and campaigns have other values there for each run.
    """
    return {FAULTS: line_of_faults(texts_of(simulated, FAULTS))}


def has_faults(values: Mapping[str, Values]) -> bool:
    """Whether values of the nodes of a stack have faults."""
    return bool(values.get(FAULTS, {}).get(FAULTS))


def faults_in(stack: Stack, values: Mapping[str, Values], car: LoopCar) -> LoopFaults:
    """Faults of a loop, which values have in one line under FAULTS, as a node of that parameter.

    values: of the nodes; car: of the loop. Raises ConfigurationError for faults that cannot be
    had, ParameterError for a value that the vehicle cannot have.
    """
    if not has_faults(values):
        return NO_FAULTS
    text = values[FAULTS][FAULTS]
    simulated = values[stack.simulator]
    faults = faults_of(str(text))
    simulator = car.compiled
    if simulator is None or stack.make_loop is not None:
        raise ConfigurationError(
            f'faults are for cars that run compiled, {car.description} does not: use a'
            ' configuration of a car in the plane, such as kinematic_ode, without a world')
    for fault in faults:
        check_parameter(fault)
    of_vehicle = [fault for fault in faults if is_of_vehicle(fault, simulator)]
    return LoopFaults(
        [fault for fault in faults if fault not in of_vehicle],
        [*changes_of(simulated, simulator, of_vehicle)],
        period_ns=simulator.period_ns, timeout=number_of(simulated, _TIMEOUT))
