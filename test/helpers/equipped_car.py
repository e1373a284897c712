# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A car with a sensor of its own rate under SimulatorNode."""



from range_finder import Range, RANGE_FINDER
from sensor_msgs.msg import Range as RangeMessage

from racecar.catalogue.simulators.single_track import SINGLE_TRACK_SIMULATOR
from racecar.ros import qos
from racecar.ros.codecs.codec import Codec, MessageChannel
from racecar.ros.codecs.registry import CODECS
from racecar.ros.simulator_node import SimulatorNode
from racecar.ros.wire import MessageTemplate
from racecar.scene import Scene, Wall
from racecar.sensors.mounting import EquippedPlant, MountedSensor, sensor_parameters
from racecar.simulation.make_simulator import make_simulator
from racecar.simulation.vehicle_plant import VehiclePlant

KINDS = {RANGE_FINDER.name: RANGE_FINDER}
WALL = Scene(walls=(Wall(5.0, -50.0, 5.0, 50.0),))
TABLE = SINGLE_TRACK_SIMULATOR + sensor_parameters('bumper', RANGE_FINDER.name, KINDS)
SENSOR = {'bumper.kind': RANGE_FINDER.name, 'bumper.rate': 40.0, 'bumper.x': 0.3}


class RangeCodec(Codec):
    value_type, message_type, topic, profile = Range, RangeMessage, 'range', qos.STATE

    def encode(self, node, output, place):
        message = RangeMessage()
        message.header.frame_id = place.frame(output.frame)
        return MessageChannel(
            node.create_publisher(RangeMessage, place.topic(self.topic), self.profile),
            MessageTemplate(message, ('header.stamp', 'range')), tuple)


def make_plant(values, log):
    sensor = MountedSensor.from_values('bumper', values, KINDS)
    return EquippedPlant(
        VehiclePlant(make_simulator(values)), {'': [sensor]}, WALL)


class EquippedCarNode(SimulatorNode):
    def __init__(self, codecs=None, **kwargs):
        super().__init__(
            'equipped_car', TABLE, make_plant, {**CODECS, Range: RangeCodec()}
            if codecs is None else codecs, **kwargs)
