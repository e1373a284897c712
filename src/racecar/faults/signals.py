# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Odometry and commands of one robot of a plant behind faults of its signals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
import itertools
import math

from racecar.base.errors import ConfigurationError
from racecar.base.poses import inverse_pose, pose_of_angles, pose_of_child
from racecar.base.readings import PlanarVariance, ReckonedState
from racecar.base.types import (
    AckermannCommand,
    BodyState,
    car_motion,
    CarMotion,
    Odometry,
    Pose3,
    quaternion_to_yaw,
    Twist3,
    yaw_to_quaternion,
)
from racecar.dynamics.vehicles.command_limits import not_finite
from racecar.dynamics.vehicles.interface import Command, NO_COMMAND
from racecar.simulation.faults import COMMAND, Fault, ODOMETRY, SPEED, STEERING
from racecar.simulation.faulty_signals import passing, sensing, Sent, SignalPath
from racecar.simulation.ports import Entity, GROUND_TRUTH, Input
from racecar.simulation.ports import ODOMETRY as OUTPUT

_KNOWN = PlanarVariance(*(0.0,) * len(PlanarVariance._fields))
# Of the search for a quaternion, in units in the last place.
_NEAR = range(-4, 5)


def is_of_odometry(fault: Fault) -> bool:
    """Whether a fault is of the odometry or a field of it."""
    return fault.target.partition('.')[0] == ODOMETRY


def is_of_command(fault: Fault) -> bool:
    """Whether a fault is of commands, or of what follows them."""
    return fault.target.partition('.')[0] in (COMMAND, SPEED, STEERING)


class FaultySignals:
    """Odometry and commands of a robot; they fail once a period of its odometry.

    steps: of that period. Commands act at once while no fault of them acts, else from the next
    odometry on, as in lockstep. A robot to which no command has come for a while is stopped.
    """

    def __init__(
        self, entity: Entity, step_ns: int, faults: Sequence[Fault], timeout: float,
        start: Command,
    ) -> None:
        """timeout: without commands [s]; start: command in force at the start.

        Raises ConfigurationError for faults of commands that the robot does not take, and for a
        delay that is too long.
        """
        self._of_odometry = [fault for fault in faults if is_of_odometry(fault)]
        self._of_command = [fault for fault in faults if is_of_command(fault)]
        if self._of_command and all(
                port.value_type is not AckermannCommand for port in entity.inputs):
            raise ConfigurationError(
                f'fault {self._of_command[0].kind} is of commands of speed and steering angle,'
                f' expected a robot that takes them: {entity.name or "this one"} takes'
                f" {', '.join(port.value_type.__name__ for port in entity.inputs if port.drives)}")
        self.steps = entity.output(OUTPUT).steps
        self._period_ns = self.steps * step_ns
        self._path = SignalPath(faults, self._period_ns, timeout)
        self._sense = sensing(self._path.count, self._path.depths.odometry)
        self._pass_on = passing(self._path.count, self._path.depths)
        self._start = start
        # The present tick, and the last one that was acted in.
        self._tick, self._acted = 0, -1
        self.take(entity)
        self._begin(start)

    def take(self, entity: Entity) -> None:
        """Show what an entity of this robot shows, whose outputs may have changed."""
        self._halt, self._reset = entity.halt, entity.reset
        odometry = entity.output(OUTPUT)
        truths = [output for output in entity.outputs if output.name == GROUND_TRUTH]
        self._odometry, self._truth = odometry, truths[0] if truths else odometry
        self._commands: Callable[[AckermannCommand], None] = next((
            port.apply for port in entity.inputs if port.value_type is AckermannCommand),
            lambda _: None)
        outputs = entity.outputs
        if self._of_odometry:
            outputs = (
                *(output for output in outputs if output is not odometry),
                *([] if truths else [replace(odometry, name=GROUND_TRUTH)]),
                replace(odometry, value_type=ReckonedState, read=self._read))
        self.entity = replace(
            entity, inputs=tuple(map(self._behind, entity.inputs)), outputs=outputs,
            halt=self._stop, reset=self._put)

    def _behind(self, port: Input) -> Input:
        """Input whose values come by the faults."""
        if not port.drives:
            return port
        if port.value_type is AckermannCommand:
            return replace(port, apply=self._take_command)
        return replace(port, apply=partial(self._take_other, port))

    def _begin(self, start: Command) -> None:
        """Forget all commands and odometry; start: command in force."""
        self._signals = self._path.start(self._motion(), start)
        self._new: Command | None = None
        # What the plant was given last, and whether that is no command of speed and steering.
        self._applied: Command | None = start
        self._is_other = False
        self._has_come, self._silent = False, 0

    def restart(self) -> None:
        """Begin anew at time 0."""
        self._tick, self._acted = 0, -1
        self._begin(self._signals.received)

    # Odometry

    def _motion(self) -> CarMotion:
        return car_motion(Odometry.of_body(0, self._body())[1:])

    def _body(self) -> BodyState:
        """The odometry before the faults."""
        shown = self._odometry.read()
        body: BodyState = shown.body if self._odometry.value_type is ReckonedState else shown
        return body

    def _read(self) -> ReckonedState | None:
        motion = self._motion()
        seen, arrives, _ = self._sense(
            motion, self._signals._replace(tick=float(self._tick)), self._path.faults.faults)
        if not arrives:
            return None
        body = _moved(self._body(), motion, seen)
        variance = _KNOWN if self._odometry.value_type is not ReckonedState \
            else self._odometry.read().variance
        return ReckonedState(body, variance, pose_of_child(
            self._truth.read().pose, inverse_pose(body.pose)))

    # Commands

    def _take_command(self, command: AckermannCommand) -> None:
        if self._fails:
            if not command.is_finite:
                raise not_finite(command)
        else:
            self._apply(Command(*command))
        self._new, self._has_come, self._is_other = Command(*command), True, False

    def _take_other(self, port: Input, value: object) -> None:
        if self._fails:
            raise ConfigurationError(
                f'{port.value_type.__name__} came while a fault of commands of speed and steering'
                ' angle acts, expected these only; it is ignored')
        port.apply(value)
        self._has_come = self._is_other = True

    @property
    def _fails(self) -> bool:
        """Whether a fault of commands acts now."""
        first = self._tick * self._period_ns
        return any(fault.acts_at(first) for fault in self._of_command)

    def _apply(self, command: Command) -> None:
        self._commands(AckermannCommand(*command))
        self._applied = command

    def _stop(self) -> None:
        self._halt()
        self._new = self._applied = None
        self._signals = self._signals._replace(
            received=self._signals.received._replace(speed=0.0))

    def _put(self, pose: Pose3 | None) -> Pose3:
        placed = self._reset(pose)
        self._begin(self._start if pose is None else NO_COMMAND)
        return placed

    def act(self, steps_done: int) -> None:
        """Obey in the tick that begins, if one does, what arrives in it."""
        tick, rest = divmod(steps_done, self.steps)
        if rest or self._acted == tick:
            return
        signals, numbers = self._signals._replace(tick=float(tick)), self._path.faults
        self._acted, motion = tick, self._motion()
        _, _, saw = self._sense(motion, signals, numbers.faults)
        sent = Sent(signals.sent, 0.0) if self._new is None else Sent(self._new, 1.0)
        self._signals, done = self._pass_on(
            signals, numbers, motion, saw, sent, signals.waited)
        self._silent = 0 if self._has_come else self._silent + 1
        self._new, self._has_come = None, False
        if not self._is_other:
            if done != self._applied:
                self._apply(done)
        elif self._silent > numbers.most_silent and self._silent - 1 <= numbers.most_silent:
            self._halt()

    def note(self, steps_done: int) -> None:
        """Go on to the tick of a time."""
        self._tick = steps_done // self.steps


def _moved(body: BodyState, own: CarMotion, seen: CarMotion) -> BodyState:
    """State in space whose planar part is what is seen in the place of its own."""
    if seen == own:
        return body
    pose, twist = body
    turn: Sequence[float] = pose[3:]
    if seen.yaw != own.yaw:
        turn = _quaternion(seen.yaw) if pose.qx == 0.0 and pose.qy == 0.0 else _turned(
            pose, seen.yaw - own.yaw)
    return BodyState(
        Pose3(seen.x, seen.y, pose.z, *turn),
        Twist3(seen.vx, seen.vy, twist.vz, twist.wx, twist.wy, seen.yaw_rate))


def _quaternion(yaw: float) -> tuple[float, float, float, float]:
    """Quaternion of which a receiver gets this very heading [rad], as long as there is one."""
    qz, qw = yaw_to_quaternion(yaw)
    near = sorted(itertools.product(_NEAR, _NEAR), key=lambda steps: abs(steps[0]) + abs(steps[1]))
    for up, right in near:
        found = 0.0, 0.0, qz + up * math.ulp(qz), qw + right * math.ulp(qw)
        if quaternion_to_yaw(*found) == yaw:
            return found
    return 0.0, 0.0, qz, qw


def _turned(pose: Pose3, angle: float) -> tuple[float, ...]:
    """Orientation of a pose that is turned about the vertical by an angle [rad]."""
    about = pose_of_angles(0.0, 0.0, 0.0, 0.0, 0.0, angle)
    return pose_of_child(about, pose)[3:]
