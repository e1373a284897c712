# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the tracker answers odometry with: the velocity of P, or commands of one's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

from ackermann_msgs.msg import AckermannDriveStamped
from geometry_msgs.msg import TwistStamped

from racecar.base.frames import MAP
from racecar.base.readings import LaserScan
from racecar.base.types import AckermannCommand, NANOSECONDS, Odometry, PlanarVelocity
from racecar.control.custom_controller import Controller
from racecar.control.custom_driver import CustomDriver, how_it_runs
from racecar.control.tracker import TrajectoryTracker
from racecar.control.trajectories import Attitude, ReferencePoint
from racecar.dynamics.vehicles.command_limits import cut_notice, within_limits
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.ros import qos, topics
from racecar.ros.codecs.ackermann_command import command_template
from racecar.ros.codecs.planar_velocity import velocity_template
from racecar.ros.lockstep import AnswerPublisher
from racecar.ros.node import TableNode


class Reference(NamedTuple):
    """Where the reference is in `map`, and how the car is to stand, if that is known."""

    point: ReferencePoint
    attitude: Attitude | None


class Answers(Protocol):
    """Computes an answer to odometry, and sends it once all else that belongs to it is sent.

    is_cut: whether the last answer was cut by limits, or will be by those of the vehicle.
    reads_scans: whether it is to see() the scans of a laser.
    """

    is_cut: bool
    reads_scans: bool

    def start_anew(self, tracker: TrajectoryTracker) -> None:
        """Forget what was before; the tracker knows the reference."""

    def see(self, scan: LaserScan, stamp_ns: int) -> AckermannCommand | None:
        """Take a scan in; the command that it is answered with, None for none.

        Raises RunError if the controller fails.
        """

    def update(self, odometry: Odometry, now_ns: int) -> Reference:
        """Compute the answer, for the reference at now_ns. Raises RunError if there is none."""

    def send(self, stamp_ns: int) -> None:
        """Send the answer of the last update."""

    def send_stop(self, stamp_ns: int) -> None:
        """Send in its place that the car is to stop."""


class VelocityAnswers:
    """Answers on virtual_velocities, for a linearizer."""

    def __init__(self, node: TableNode, tracker: TrajectoryTracker) -> None:
        """Create the publisher on the node."""
        self._tracker = tracker
        self._velocity = PlanarVelocity(0.0, 0.0)
        self.is_cut = self.reads_scans = False
        # In lockstep each odometry is answered.
        self._is_even = node.values['lockstep']
        self._message = velocity_template(MAP)
        self._publisher = AnswerPublisher(
            node, TwistStamped, topics.VIRTUAL_VELOCITIES, qos.COMMAND, node.values['lockstep'])

    def start_anew(self, tracker: TrajectoryTracker) -> None:
        """Do what Answers says."""
        self._tracker = tracker

    def see(self, scan: LaserScan, stamp_ns: int) -> AckermannCommand | None:
        """Do what Answers says: no law reads scans."""

    def update(self, odometry: Odometry, now_ns: int) -> Reference:
        """Do what Answers says; raises nothing."""
        output = self._tracker.update(odometry, now_ns, even=self._is_even)
        self._velocity, self.is_cut = output.velocity, self._tracker.is_limited(output)
        return Reference(output.reference, output.attitude)

    def send(self, stamp_ns: int) -> None:
        """Do what Answers says."""
        self._publisher.publish(self._message.fill(
            *divmod(stamp_ns, NANOSECONDS), self._velocity.x, self._velocity.y))

    def send_stop(self, stamp_ns: int) -> None:
        """Do what Answers says."""
        self._velocity = PlanarVelocity(0.0, 0.0)
        self.send(stamp_ns)


class CommandAnswers:
    """Answers on the navigation input of the mux by a custom controller."""

    def __init__(
        self, node: TableNode, tracker: TrajectoryTracker, make: Callable[[], Controller],
        name: str, vehicle: VehicleParameters,
    ) -> None:
        """Create the publisher on the node; make, name: gives the controller, and its name.

        Raises what make raises, ConfigurationError for a preview that is none.
        """
        self._driver = CustomDriver(make, tracker)
        self.reads_scans = self._driver.reads_scans
        self._command = AckermannCommand(0.0, 0.0)
        self.is_cut = False
        self._vehicle = vehicle
        self._message = command_template(node.base_link)
        self._publisher = AnswerPublisher(
            node, AckermannDriveStamped, topics.NAVIGATION_COMMAND, qos.COMMAND,
            node.values['lockstep'])
        node.get_logger().info(how_it_runs(name, self._driver.why_plain))

    def start_anew(self, tracker: TrajectoryTracker) -> None:
        """Do what Answers says. Raises what make raises."""
        self._driver.start_anew(tracker)

    def see(self, scan: LaserScan, stamp_ns: int) -> AckermannCommand | None:
        """Do what Answers says."""
        return self._driver.see(scan, stamp_ns)

    def update(self, odometry: Odometry, now_ns: int) -> Reference:
        """Do what Answers says."""
        self._command, motion = self._driver.update(odometry, now_ns)
        obeyed = within_limits(self._command, self._vehicle, self._vehicle.steering_range)
        self.is_cut = bool(cut_notice(self._command, obeyed))
        return Reference(
            ReferencePoint(*motion[:6]), Attitude(*motion[6:]) if motion.direction else None)

    def send(self, stamp_ns: int) -> None:
        """Do what Answers says."""
        self._publisher.publish(self._message.fill(
            *divmod(stamp_ns, NANOSECONDS), self._command.steering_angle, self._command.speed))

    def send_stop(self, stamp_ns: int) -> None:
        """Do what Answers says; the wheels stay turned as they are."""
        self._command = self._command._replace(speed=0.0)
        self.send(stamp_ns)
