# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A robot of a configuration with the nodes that drive it: each odometry is answered at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
import math
from typing import NamedTuple

from racecar.base.errors import ConfigurationError
from racecar.base.readings import LaserScan
from racecar.base.types import (
    AckermannCommand,
    BodyState,
    BodyTwist,
    JointStates,
    Odometry,
)
from racecar.catalogue import node_names
from racecar.control.point_ahead import PointAheadLinearizer
from racecar.driver.bridge import Pedals
from racecar.simulation.ports import Output
from racecar.stacks.loops import make_law
from racecar.stacks.node_description import NodeDescription
from racecar.stacks.stepped.controllers import LocalGapFollower, LocalLaw, LocalTracker
from racecar.stacks.stepped.local_driver import LocalDriver
from racecar.stacks.stepped.local_mux import LocalMuxes
from racecar.stacks.stepped.local_node import LocalNode, Log
from racecar.stacks.stepped.local_simulator import LocalRobot, LocalSimulator


class Instant(NamedTuple):
    """What was at an odometry of a robot; state: the true motion.

    joints: None of a robot that shows none; command: in force from now on, NaN for what its kind
    does not say, None before the first; reference: None while there is none.
    """

    time_ns: int
    state: BodyState
    joints: JointStates | None
    command: AckermannCommand | None
    reference: Odometry | None


class Sight(NamedTuple):
    """What is due of a car: state, odometry and joints together, and the scan that is followed."""

    shown: tuple[BodyState, Odometry, JointStates | None] | None
    scan: LaserScan | None


class SteppedCar:
    """A robot of a configuration, with the nodes that drive it.

    robot: of the simulator. muxes, tracker, driver: None of a robot without muxes, of one that
    follows no trajectory, of a car without pedals. nodes: all of them. person, pedals: what a
    person who drives holds, None while nobody does; the gear is that which is engaged.
    """

    def __init__(
        self, simulator: LocalSimulator, robot: LocalRobot, linearizer: str | None,
        descriptions: Sequence[NodeDescription], log: Log,
    ) -> None:
        """linearizer: executable of the law; descriptions: of the nodes. Raises RacecarError."""
        found = {description.executable: description for description in descriptions}
        muxes = [d for d in descriptions if d.executable == node_names.ACKERMANN_MUX]
        self.person: AckermannCommand | None = None
        self.pedals: Pedals | None = None
        self.robot = robot
        self._simulator = simulator
        if not robot.takes(AckermannCommand if muxes else BodyTwist):
            raise ConfigurationError(
                f'{simulator.name} is commanded joint by joint, which only nodes do: choose'
                ' another command_interface')
        self.muxes = LocalMuxes(muxes, self._drive, log) if muxes else None
        self.tracker = _make_tracker(found, linearizer, log)
        self._gap = LocalGapFollower(found[node_names.GAP_FOLLOWER], log) \
            if node_names.GAP_FOLLOWER in found else None
        self.driver = LocalDriver(found[node_names.DRIVER_BRIDGE], log) \
            if node_names.DRIVER_BRIDGE in found else None
        parts: tuple[LocalNode | None, ...] = (
            self.tracker, self.tracker and self.tracker.law, self._gap, self.driver,
            *(self.muxes.muxes if self.muxes else ()))
        self.nodes = [node for node in parts if node is not None]
        self._command: AckermannCommand | None = None

    @property
    def timed(self) -> list[Output]:
        """Outputs that are answered."""
        robot = self.robot
        return [robot.output, *([robot.laser] if self._gap and robot.laser else [])]

    def look(self, *, always: bool) -> Sight:
        """What is due now; always: as after a reset, the odometry also if it is not due."""
        simulator, robot = self._simulator, self.robot
        shown = (robot.truth.read(), robot.odometry(simulator.time_ns), robot.joints()) \
            if always or simulator.is_due(robot.output) else None
        scan = robot.laser.read() if self._gap is not None and robot.laser is not None \
            and simulator.is_due(robot.laser) else None
        return Sight(shown, scan)

    def answer(self, sight: Sight) -> Instant | None:
        """Answer what was seen; return what was there if that is an odometry."""
        now_ns = self._simulator.time_ns
        if self.muxes is not None:
            self.muxes.expire(now_ns)
            if self.person is not None:
                self.muxes.hear('teleop', self.person, now_ns)
            if self._gap is not None and sight.scan is not None:
                self.muxes.navigate(self._gap.answer(sight.scan), now_ns)
        if sight.shown is None:
            return None
        state, odometry, joints = sight.shown
        reference = None
        answer = None if self.tracker is None else self.tracker.answer(odometry)
        if answer is not None:
            reference = answer.reference
            if self.muxes is None:
                self._drive(answer.command, now_ns)
            else:
                self.muxes.navigate(answer.command, now_ns)
        if self.driver is not None and self.muxes is not None:
            if self.pedals is not None:
                self.driver.press(self.pedals, now_ns)
            self.driver.answer(odometry, self.robot, self.muxes)
        return Instant(now_ns, state, joints, self._command, reference)

    def navigate(self, command: AckermannCommand) -> None:
        """Take a command of autonomy from outside, of a car with muxes."""
        assert self.muxes is not None
        self.muxes.navigate(command, self._simulator.time_ns)

    def stop_person(self) -> None:
        """Let the person say once that the car is to stop, and nothing more."""
        if self.person is not None and self.muxes is not None:
            self.person = None
            self.muxes.hear('teleop', AckermannCommand(0.0, 0.0), self._simulator.time_ns)

    def release_pedals(self, steering: float) -> None:
        """Let go of the throttle and brake; steering: angle to keep [rad]."""
        self.pedals = None
        if self.driver is not None:
            self.driver.press(Pedals(steering, 0.0, 1.0, 0), self._simulator.time_ns)

    def reset(self) -> None:
        """Put the robot back to its start, and begin the trajectory anew."""
        self.robot.entity.reset(None)
        if self.tracker is not None:
            self.tracker.start_anew()

    def _drive(self, command: AckermannCommand | BodyTwist, _: int) -> None:
        """Give the robot what passed the last mux."""
        self.robot.apply(command)
        self._command = command if isinstance(command, AckermannCommand) \
            else AckermannCommand(command.speed, math.nan)


def _make_tracker(
    found: Mapping[str, NodeDescription], linearizer: str | None, log: Log,
) -> LocalTracker | None:
    """Tracker and law of a configuration that has them."""
    description = found.get(node_names.TRAJECTORY_TRACKER)
    if description is None or linearizer is None:
        return None
    if linearizer == node_names.DIFFERENTIAL_LINEARIZER:
        law = LocalLaw(found[linearizer], PointAheadLinearizer, log)
    else:
        law = LocalLaw(found[linearizer], partial(make_law, linearizer), log)
    return LocalTracker(description, law, log)
