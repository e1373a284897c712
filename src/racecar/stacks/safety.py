# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the emergency brakes of a configuration must know of its simulator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
import math

from racecar.base.errors import ConfigurationError
from racecar.base.poses import rotated
from racecar.base.share import find_config
from racecar.catalogue import node_names
from racecar.catalogue.tables.driving import ODOMETRY, SCAN
from racecar.control.mux_file import load_mux_configuration
from racecar.ros import topics
from racecar.sensors.equipment import chosen_sensors, shown_sensor
from racecar.sensors.laser import LASER
from racecar.stacks.node_description import NodeDescription


def with_brakes(stack: str, descriptions: list[NodeDescription]) -> list[NodeDescription]:
    """Nodes of which the emergency brakes know place and rates of what they see with.

    What the user has chosen stays. A simulator whose parameters cannot be used is left to the
    error of its own check. Raises ConfigurationError for a configuration that has no brake, no
    laser, scans that take time in lockstep, or a mux that no safety node can let go.
    """
    if not any(d.executable == node_names.EMERGENCY_BRAKE for d in descriptions):
        raise ConfigurationError(
            f'safety is chosen, but {stack} has no emergency brake: it needs command muxes, and a'
            ' car with a laser; take gap_ode, for example')
    simulator = next((d for d in descriptions if d.spec.is_simulator), None)
    if simulator is None:
        return descriptions
    values = simulator.usable_values()
    if values is None:
        return descriptions
    if LASER.name not in [sensor.name for sensor in chosen_sensors(values['sensors'])]:
        raise ConfigurationError(
            f"safety is chosen, but sensors of {simulator.full_name} are {values['sensors']},"
            f' expected {LASER.name} among them: the emergency brake sees by its scans; --sensors'
            f' {LASER.name}')
    known = _known(simulator, values)
    for d in descriptions:
        if d.executable == node_names.ACKERMANN_MUX:
            _check_mux(d)
    return [replace(d, parameters={
        **{name: value for name, value in known.items() if not d.is_chosen(name)},
        **d.parameters}) if d.executable == node_names.EMERGENCY_BRAKE else d
        for d in descriptions]


def _known(
    simulator: NodeDescription, values: Mapping[str, object],
) -> dict[str, object]:
    """Parameters of a brake by the resolved values of a simulator."""
    for name in ('laser.sweep_time', 'laser.delay'):
        if values['lockstep'] and values[name] != 0.0:
            raise ConfigurationError(
                f'{name} of {simulator.full_name} is {values[name]} s, but in lockstep the'
                ' emergency brake judges a scan at the time of its stamp: set it to 0, or do'
                ' without lockstep')
    sensor = shown_sensor(values, LASER.name)
    assert sensor is not None
    place = simulator.spec.simulator.describe(values).tree.poses()[sensor.frame]
    x, y, _ = rotated(place[3:], (1.0, 0.0, 0.0))
    return {
        'laser.x': place.x, 'laser.y': place.y, 'laser.yaw': math.atan2(y, x),
        'judges': SCAN if values['lockstep_output'] == LASER.name else ODOMETRY,
        'odometry_rate': values['rate']}


def _check_mux(mux: NodeDescription) -> None:
    """Raise ConfigurationError for a mux file by which lockstep would wait for ever."""
    values = mux.resolve()
    topic = topics.SAFETY_CLEAR.rpartition('/')[2]
    if not values['lockstep'] or topic not in values['awaited'].split(','):
        return
    sources = load_mux_configuration(find_config(values['config_file'])).sources
    if not any(topic in source.yields for source in sources):
        raise ConfigurationError(
            f"mux file '{values['config_file']}' of {mux.full_name} has no source that yields by"
            f' {topic}, for which lockstep with an emergency brake waits: give its safety source'
            f' `yields: [{topic}]`, as in config/mux/low_level.yaml')
