# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Brakes before the car runs into what its laser sees, and when somebody calls for a stop."""

from __future__ import annotations

import math
from typing import NamedTuple, Unpack

from ackermann_msgs.msg import AckermannDriveStamped
from sensor_msgs.msg import LaserScan as LaserScanMessage
from std_msgs.msg import String
from std_srvs.srv import Trigger

from racecar.base.last_stamp import LastStamp
from racecar.base.readings import LaserScan
from racecar.base.types import NANOSECONDS, Odometry
from racecar.catalogue import node_names
from racecar.catalogue.tables.driving import EMERGENCY_BRAKE, ODOMETRY, SCAN
from racecar.control.emergency_brake import EmergencyBrake, Verdict
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.ros import qos, topics
from racecar.ros.codecs.ackermann_command import command_template
from racecar.ros.codecs.laser_scan import read_scan
from racecar.ros.diagnostics import Report
from racecar.ros.freshness import wrong_age
from racecar.ros.lockstep import AnswerPublisher, is_last_due
from racecar.ros.node import NodeOptions, TableNode
from racecar.ros.odometry import follow_odometry, subscribe_odometry
from racecar.ros.raw_subscription import subscribe_raw, THROTTLE

STATE_TOPIC = '~/state'

CLEAR, BRAKING, BLIND, STOPPED = 'clear', 'braking', 'blind', 'stopped'
"""What ~/state says."""

# Of a mux the safety node holds it for 0.2 s by each command.
_PERIOD = 0.05


class _Seen(NamedTuple):
    scan: LaserScan
    time_ns: int


class EmergencyBrakeNode(TableNode):
    """Stops the car by the safety input of the mux, before autonomy.

    Subscribes: scan (sensor_msgs/LaserScan), vesc/odom (nav_msgs/Odometry).
    Publishes, for each scan, with its stamp, one of vesc/ackermann_cmd_mux/input/safety
    (ackermann_msgs/AckermannDriveStamped), a stop with the wheels turned as they are, again every
    0.05 s while it brakes; and vesc/ackermann_cmd_mux/input/safety_clear (the same type), that it
    has nothing against the commands of others. ~/state (std_msgs/String, latched): clear, braking,
    blind (no scan or odometry that is young enough) or stopped.
    Services: ~/stop (std_srvs/Trigger) stops the car until ~/release (std_srvs/Trigger), which
    also lets go of a brake that holds; the next scan may brake again.
    In lockstep it answers each scan, or each odometry (parameter judges), and the mux waits for
    that. Parameters: racecar.catalogue.tables.driving.EMERGENCY_BRAKE.
    """

    def __init__(self, **options: Unpack[NodeOptions]) -> None:
        """Raise ParameterError for parameters that cannot be used."""
        super().__init__(node_names.EMERGENCY_BRAKE, EMERGENCY_BRAKE, **options)
        values = self.values
        self._lockstep: bool = values['lockstep']
        self.follows_stamps = self._lockstep
        self._brake = EmergencyBrake(values, VehicleParameters.from_values(values))
        self._odometry: Odometry | None = None
        self._seen: _Seen | None = None
        # Of the newest scan that was judged, or of the first time that was seen.
        self._judged: LastStamp | None = None
        self._brakes = False
        self._verdict = Verdict(False, math.inf, math.inf, '')
        # In lockstep: whether what came last is not judged yet.
        self._is_due = False
        self._state = ''
        self._command = command_template(self.base_link)
        self._stop_publisher, self._clear_publisher = (
            AnswerPublisher(self, AckermannDriveStamped, topic, qos.COMMAND, self._lockstep)
            for topic in (topics.SAFETY_COMMAND, topics.SAFETY_CLEAR))
        self._state_publisher = self.create_publisher(String, STATE_TOPIC, qos.LATCHED)
        self.create_service(Trigger, '~/stop', self._on_stop)
        self.create_service(Trigger, '~/release', self._on_release)
        if self._lockstep:
            subscribe_odometry(self, self._on_odometry, lockstep=True)
        else:
            follow_odometry(self, self._on_odometry, lockstep=False)
            self.watch_time(_PERIOD, self._on_time)
        subscribe_raw(
            self, LaserScanMessage, topics.SCAN, read_scan, self._on_scan,
            qos.SCAN_LOCKSTEP_SUBSCRIPTION if self._lockstep else qos.SCAN_SUBSCRIPTION)
        self._tell(CLEAR)

    def on_values_changed(self, changed: set[str]) -> None:
        """Take over the values of the brake."""
        self._brake.tune(self.values)

    def on_time_went_back(self) -> None:
        """Forget what was seen; somebody who called for a stop still wants it.

        In lockstep stamps tell what belongs together, and the first of the new time may be there.
        """
        if not self._lockstep:
            self._odometry = self._seen = self._judged = None

    def waits_for(self) -> str:
        """Which topics are silent."""
        silent = [f'{what} on {self.resolve_topic_name(topic)}' for what, topic, heard in (
            ('scans', topics.SCAN, self._seen), ('odometry', topics.ODOMETRY, self._odometry))
            if heard is None]
        return f"waiting for {' and '.join(silent)}" if silent else ''

    def diagnose(self, report: Report) -> None:
        """What it does, and why."""
        report.add('state', self._state)
        report.add('free way [m]', self._verdict.way)
        report.add('time to collision [s]', self._verdict.time)
        if self._brakes:
            report.warn(f'{self._state}: {self._verdict.why}')

    # What comes

    def _on_odometry(self, odometry: Odometry) -> None:
        self._odometry = odometry
        if self._lockstep:
            self._is_due |= self.values['judges'] == ODOMETRY
            self._answer()

    def _on_scan(self, message: tuple[LaserScan, int]) -> None:
        scan, stamp_ns = message
        if self._lockstep:
            self._seen = _Seen(scan, stamp_ns)
            self._is_due |= self.values['judges'] == SCAN
            self._answer()
            return
        now_ns = self.now_ns()
        wrong = wrong_age(stamp_ns, now_ns, self.values['scan_timeout'])
        if wrong is not None:
            self.diagnostics.count('scans dropped')
            self.get_logger().error(f'scan dropped: {wrong}', throttle_duration_sec=THROTTLE)
            return
        self._seen = _Seen(scan, stamp_ns)
        odometry = self._odometry
        if odometry is None or not self._odometry_is_young(now_ns):
            # _on_time() says so.
            return
        self._judged = LastStamp(stamp_ns)
        self._give(self._brake.judge(scan, odometry), stamp_ns)

    def _answer(self) -> None:
        """In lockstep judge what came, once that of the other kind is there which was due last."""
        odometry, seen = self._odometry, self._seen
        if not self._is_due or odometry is None or seen is None:
            return
        by_scan = self.values['judges'] == SCAN
        now_ns, other_ns = (seen.time_ns, odometry.time_ns) if by_scan \
            else (odometry.time_ns, seen.time_ns)
        period = 1.0 / self.values['odometry_rate'] if by_scan else seen.scan.scan_time
        if not is_last_due(other_ns, now_ns, period):
            return
        self._is_due = False
        self.take_stamp(now_ns)
        self._give(self._brake.judge(seen.scan, odometry), now_ns)

    def _on_time(self) -> None:
        """Brake while nothing is seen, and repeat a stop before the mux forgets it."""
        now_ns = self.now_ns()
        if now_ns == 0:
            return
        self._judged = self._judged or LastStamp(now_ns)
        age = self._judged.age_ns(now_ns)
        is_blind = age > self.values['scan_timeout'] * NANOSECONDS or (
            self._odometry is not None and not self._odometry_is_young(now_ns))
        if is_blind and self.values['stop_when_blind']:
            self._give(Verdict(True, 0.0, 0.0, self._blindness(age)), now_ns, BLIND)
        elif self._brakes:
            self._send_stop(now_ns)

    def _odometry_is_young(self, now_ns: int) -> bool:
        return self._odometry is not None and wrong_age(
            self._odometry.time_ns, now_ns, self.values['odometry_timeout']) is None

    def _blindness(self, age_ns: int) -> str:
        scan, odometry = (self.resolve_topic_name(topic)
                          for topic in (topics.SCAN, topics.ODOMETRY))
        return (f'for {age_ns / NANOSECONDS:.2f} s there was no scan on {scan} that is younger'
                f" than {self.values['scan_timeout']:g} s with an odometry on {odometry} younger"
                f" than {self.values['odometry_timeout']:g} s")

    # Services

    def _on_stop(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self._brake.stopped = True
        self._brakes = True
        if not self._lockstep:
            self._send_stop(self.now_ns())
        self._tell(STOPPED)
        self.get_logger().warning('stopped: an emergency stop was called for')
        response.success = True
        response.message = f"stopped until {self.resolve_service_name('~/release')}"
        return response

    def _on_release(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self._brake.release()
        self._brakes = False
        self._tell(CLEAR)
        self.get_logger().info('released; the next scan may brake again')
        response.success = True
        response.message = 'released; the next scan may brake again'
        return response

    # What goes out

    def _give(self, verdict: Verdict, stamp_ns: int, state: str = BRAKING) -> None:
        if self._brake.stopped:
            state = STOPPED
        before, self._brakes = self._brakes, verdict.brakes
        self._verdict = verdict
        if verdict.brakes:
            if not before:
                self.get_logger().warning(
                    f'braking: {verdict.why}', throttle_duration_sec=THROTTLE)
            self._send_stop(stamp_ns)
        else:
            self._clear_publisher.publish(
                self._command.fill(*divmod(stamp_ns, NANOSECONDS), 0.0, 0.0))
        self._tell(state if verdict.brakes else CLEAR)

    def _send_stop(self, stamp_ns: int) -> None:
        self._stop_publisher.publish(self._command.fill(
            *divmod(stamp_ns, NANOSECONDS), self._brake.steering_angle, 0.0))

    def _tell(self, state: str) -> None:
        if state != self._state:
            self._state = state
            self._state_publisher.publish(String(data=state))
