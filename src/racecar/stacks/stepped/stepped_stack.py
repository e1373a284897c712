# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A whole configuration in this process: each odometry is answered at once, as in lockstep."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
import math
from typing import NamedTuple

from racecar.base.errors import ConfigurationError
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
from racecar.stacks.describe import describe_stack, find_stack
from racecar.stacks.loops import make_law
from racecar.stacks.node_description import NodeDescription
from racecar.stacks.options import StackOptions, TELEOP_NONE
from racecar.stacks.stepped.controllers import LocalGapFollower, LocalLaw, LocalTracker
from racecar.stacks.stepped.local_driver import LocalDriver
from racecar.stacks.stepped.local_mux import LocalMuxes
from racecar.stacks.stepped.local_node import LocalNode, Log
from racecar.stacks.stepped.local_simulator import LocalSimulator


class Instant(NamedTuple):
    """What was at an odometry; state: the true motion.

    joints: None of a robot that shows none; command: in force from now on, NaN for what its kind
    does not say, None before the first; reference: None while there is none.
    """

    time_ns: int
    state: BodyState
    joints: JointStates | None
    command: AckermannCommand | None
    reference: Odometry | None


def describe_stepped(name: str, options: StackOptions) -> list[NodeDescription]:
    """Nodes of a configuration with the values that they have without ROS.

    Raises RacecarError as describe_stack() does.
    """
    return describe_stack(name, replace(options, lockstep=True, teleop=TELEOP_NONE))


class SteppedStack:
    """A configuration; its owner calls answer() and advance() in turns.

    simulator, muxes, driver: its parts, None of a robot without muxes, of a car without pedals.
    nodes: all that have parameters, by full name. person, pedals: what a person who drives holds,
    None while nobody does; the gear is that which is engaged.
    """

    def __init__(self, name: str, options: StackOptions, log: Log) -> None:
        """Build and compile. Raises RacecarError for what cannot be run."""
        stack = find_stack(name)
        descriptions = describe_stepped(name, options)
        found = {description.executable: description for description in descriptions}
        muxes = [d for d in descriptions if d.executable == node_names.ACKERMANN_MUX]
        self.person: AckermannCommand | None = None
        self.pedals: Pedals | None = None
        self.simulator = simulator = LocalSimulator(found[stack.simulator], log)
        if not simulator.takes(AckermannCommand if muxes else BodyTwist):
            raise ConfigurationError(
                f'{simulator.name} is commanded joint by joint, which only nodes do: choose'
                ' another command_interface')
        self.muxes = LocalMuxes(muxes, self._drive, log) if muxes else None
        self.tracker = _make_tracker(found, stack.linearizer, log)
        self._gap = LocalGapFollower(found[node_names.GAP_FOLLOWER], log) \
            if node_names.GAP_FOLLOWER in found else None
        self.driver = LocalDriver(found[node_names.DRIVER_BRIDGE], log) \
            if node_names.DRIVER_BRIDGE in found else None
        parts: tuple[LocalNode | None, ...] = (
            self.tracker, self.tracker and self.tracker.law, self._gap, self.driver,
            *(self.muxes.muxes if self.muxes else ()), simulator)
        self.nodes: Mapping[str, LocalNode] = {
            node.name: node for node in parts if node is not None}
        self._timed = [simulator.output, *(
            [simulator.laser] if self._gap and simulator.laser else [])]
        self._command: AckermannCommand | None = None

    @property
    def next_ns(self) -> int:
        """The next time at which something is answered [ns]."""
        plant = self.simulator.plant
        return plant.time_ns + self._steps_ahead() * plant.step_ns

    def _steps_ahead(self) -> int:
        plant = self.simulator.plant
        done = plant.time_ns // plant.step_ns
        return min(output.steps_ahead(done) for output in self._timed)

    def answer(self, *, always: bool = False) -> Instant | None:
        """Answer what is due now; return what was there if that is an odometry.

        always: as after a reset, answer the odometry also if it is not due.
        """
        simulator, now_ns = self.simulator, self.simulator.time_ns
        # As nodes publish it: before anybody answers, as some robots obey at once.
        shown = (simulator.truth.read(), simulator.odometry(), simulator.joints()) \
            if always or simulator.is_due(simulator.output) else None
        if self.muxes is not None:
            self.muxes.expire(now_ns)
            if self.person is not None:
                self.muxes.hear('teleop', self.person, now_ns)
            if self._gap is not None and simulator.laser is not None \
                    and simulator.is_due(simulator.laser):
                self.muxes.navigate(self._gap.answer(simulator.laser.read()), now_ns)
        if shown is None:
            return None
        state, odometry, joints = shown
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
            self.driver.answer(odometry, simulator, self.muxes)
        return Instant(now_ns, state, joints, self._command, reference)

    def advance(self) -> None:
        """Go on to next_ns. Raises DivergenceError; the state is then as before."""
        self.simulator.plant.advance(self._steps_ahead())

    def navigate(self, command: AckermannCommand) -> None:
        """Take a command of autonomy from outside, of a stack with muxes."""
        assert self.muxes is not None
        self.muxes.navigate(command, self.simulator.time_ns)

    def stop_person(self) -> None:
        """Let the person say once that the car is to stop, and nothing more."""
        if self.person is not None and self.muxes is not None:
            self.person = None
            self.muxes.hear('teleop', AckermannCommand(0.0, 0.0), self.simulator.time_ns)

    def release_pedals(self, steering: float) -> None:
        """Let go of the throttle and brake; steering: angle to keep [rad]."""
        self.pedals = None
        if self.driver is not None:
            self.driver.press(Pedals(steering, 0.0, 1.0, 0), self.simulator.time_ns)

    def reset(self) -> None:
        """Put the robot back to its start, and begin the trajectory anew. Time goes on."""
        self.simulator.entity.reset(None)
        if self.tracker is not None:
            self.tracker.start_anew()

    def _drive(self, command: AckermannCommand | BodyTwist, _: int) -> None:
        """Give the robot what passed the last mux."""
        self.simulator.apply(command)
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
