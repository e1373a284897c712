# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What sits on the axles of a generated car, for ros2_control: motors, brakes, encoders.

The engine drives the wheels of the axle that driven_axle names (the type of the Car PROTO of seed
000: traction, propulsion, 4x4); each wheel has a brake and an encoder, each hinge a servo.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

from racecar.base.types import HINGE_JOINTS, WHEEL_JOINTS
from racecar.dynamics.vehicles.parameters import VehicleParameters

Element = ElementTree.Element

_HARDWARE = 'mock_components/GenericSystem'


def driven_wheels(vehicle: VehicleParameters) -> tuple[str, ...]:
    """Joints of the wheels that the engine drives."""
    share = vehicle.front_drive_share
    front, rear = WHEEL_JOINTS[:2], WHEEL_JOINTS[2:]
    return (*(front if share > 0.0 else ()), *(rear if share < 1.0 else ()))


def axle_devices(vehicle: VehicleParameters) -> list[Element]:
    """Elements of a URDF that say what controls and measures each joint."""
    system = Element('ros2_control', name=vehicle.name, type='system')
    hardware = ElementTree.SubElement(system, 'hardware')
    ElementTree.SubElement(hardware, 'plugin').text = _HARDWARE
    driven = driven_wheels(vehicle)
    motor: tuple[str, ...] = ('effort', 'velocity')
    commands = {joint: (*(motor if joint in driven else ()), 'brake') for joint in WHEEL_JOINTS}
    commands |= dict.fromkeys(HINGE_JOINTS, ('effort', 'position'))
    for name, interfaces in commands.items():
        joint = ElementTree.SubElement(system, 'joint', name=name)
        for interface in interfaces:
            ElementTree.SubElement(joint, 'command_interface', name=interface)
        for interface in ('position', 'velocity', 'effort'):
            ElementTree.SubElement(joint, 'state_interface', name=interface)
    return [*(_transmission(name) for name, interfaces in commands.items()
              if 'effort' in interfaces), system]


def _transmission(joint: str) -> Element:
    name = joint.removesuffix('_joint')
    interface = 'hardware_interface/EffortJointInterface'
    element = Element('transmission', name=f'{name}_transmission')
    ElementTree.SubElement(element, 'type').text = 'transmission_interface/SimpleTransmission'
    driven = ElementTree.SubElement(element, 'joint', name=joint)
    ElementTree.SubElement(driven, 'hardwareInterface').text = interface
    motor = ElementTree.SubElement(element, 'actuator', name=f'{name}_motor')
    ElementTree.SubElement(motor, 'hardwareInterface').text = interface
    ElementTree.SubElement(motor, 'mechanicalReduction').text = '1'
    return element
