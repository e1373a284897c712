# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The process of one case with nodes: simulator, grader and the student's nodes, in real time.

`python -m racecar.courses.node_case JOB` drives the case of a job file in the ROS domain of the
environment, and writes its result beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
import contextlib
from dataclasses import replace
import math
from pathlib import Path
import sys
import time

from ackermann_msgs.msg import AckermannDriveStamped
from geometry_msgs.msg import Pose, PoseArray, PoseStamped, PoseWithCovarianceStamped
from nav_msgs.msg import Odometry as OdometryMessage
from nav_msgs.msg import Path as PathMessage
import numpy as np
from rclpy.node import Node

from racecar.base.errors import RacecarError
from racecar.base.types import NANOSECONDS, Odometry, quaternion_to_yaw
from racecar.courses.checks import (
    Estimate,
    GoalCheck,
    is_leap,
    LocalisationCheck,
    Sample,
    sides_of,
)
from racecar.courses.job import conclude, Job, Result, write_drive
from racecar.courses.lab import Case
from racecar.courses.pacing import Pacing
from racecar.courses.planning import Planning, Tell
from racecar.courses.program import Program
from racecar.ros.codecs.laser_scan import read_scan
from racecar.ros.codecs.odometry import read_odometry
from racecar.ros.live_parameters import LiveParameters
from racecar.ros.topics import (
    GROUND_TRUTH,
    INITIAL_POSE,
    MAP,
    MUX_INPUTS,
    NAVIGATION_COMMAND,
    ODOMETRY,
    SAFETY_COMMAND,
    SCAN,
    TELEOP_COMMAND,
)
from racecar.ros.topics.sets import topic_set
from racecar.signals import end_process, end_with_launch
from racecar.simulation.ports import collisions_of
from racecar.stacks import describe_stack, find_stack
from racecar.stacks.composing import ComposedStack

MOST_COMMANDS = 500
"""Commands in a second from which on they are a flood."""

_SAMPLE_PERIOD = 0.02
# Checks of programs that command the car by themselves.
_COMMANDED = 'command', 'goal'
# Of differences of times [s], without which every other scan of 50 Hz would be left out.
_ROUNDING = 1e-6
_DRIVE_RATE = 20.0
_QUIET = 2.0
_SLOW = 0.9
_SETTLES = 2.0
_STANDS = 0.05
_POSE_AGAIN = 2.0
_TYPES = {'Odometry': OdometryMessage, 'PoseStamped': PoseStamped,
          'PoseWithCovarianceStamped': PoseWithCovarianceStamped,
          'PoseArray': PoseArray, 'Path': PathMessage}


class CaseNode(Node):
    """Samples the true motion, hears commands and estimates, and gives goals.

    programs: of the student, running.
    """

    def __init__(self, composed: ComposedStack, case: Case, programs: list[Program]) -> None:
        super().__init__('course_grader', start_parameter_services=False)
        self._case, self._programs = case, programs
        self._check = case.make_check()
        self._simulator = composed.simulator
        self._plant = self._simulator.plant
        self._pacing = Pacing(case.answer_limit)
        self._warm_up = case.warm_up if self._check.begins == 'command' else 0
        self._live = LiveParameters(self, case.set_parameters)
        if self._check.begins == 'command':
            self._simulator.on_command = self._put_back
        if self._check.begins in _COMMANDED:
            self._simulator.on_obeyed = self._on_obeyed
        self.samples: list[Sample] = []
        self.estimates: list[Estimate] = []
        self.faults: list[str] = []
        self.reason = ''
        self._is_over = False
        self._started = self._heard_at = time.monotonic()
        self._began: float | None = None
        self._began_at = 0.0
        self._pose: Odometry | None = None
        self._sides: tuple[float, float, float] | None = None
        self._moved_at, self._motion_period, self._is_motion_answered = 0.0, 0.0, False
        self._nonsense = 0
        self._second = (-math.inf, 0)
        self._last_command = -math.inf
        self._pose_sent = -math.inf
        self._has_driven = self._has_let_go = self._is_let_go = False
        names = topic_set(case.options.topic_names)
        self._subscribe(composed, {name: names.renamed(name) for name in (ODOMETRY, SCAN)})
        heard = [self.create_subscription(
            AckermannDriveStamped, f'/{topic}', self._on_command, 2 * MOST_COMMANDS)
            for topic in dict.fromkeys(_command_topics(names.topics))]
        self._scan_topic = f'/{names.renamed(SCAN)}'
        if isinstance(self._check, LocalisationCheck):
            heard.append(self.create_subscription(
                _TYPES[self._check.type], self._check.topic, self._on_estimate, 10))
        self._planning = Planning(0.0)
        if isinstance(self._check, GoalCheck) and self._check.path_topic:
            self._planning = Planning(self._check.plan_limit)
            heard.append(self.create_subscription(
                _TYPES[self._check.path_type], self._check.path_topic, self._on_path, 10))
        self._heard = heard
        self._goals = self.create_publisher(PoseStamped, '/goal_pose', 1)
        self._initial = self.create_publisher(
            PoseWithCovarianceStamped, f'/{names.renamed(INITIAL_POSE)}', 1)
        if case.drive is not None:
            self._driving = self.create_publisher(
                AckermannDriveStamped, case.drive.topic, 1)
            self.create_timer(1.0 / _DRIVE_RATE, self._drive)

    def _subscribe(self, composed: ComposedStack, names: dict[str, str]) -> None:
        simulator = composed.simulator
        motion = GROUND_TRUTH if simulator.is_reckoned else ODOMETRY
        composed.observe(simulator.resolve_topic_name(motion), self._on_motion)
        composed.observe(simulator.resolve_topic_name(SCAN), self._on_scan)

    # What comes

    @property
    def _time(self) -> float:
        return self._plant.time_ns / NANOSECONDS

    def _on_scan(self, data: bytes) -> None:
        scan, _ = read_scan(data)
        angles = scan.angle_min + scan.angle_increment * np.arange(len(scan.ranges))
        self._sides = sides_of(angles, np.asarray(scan.ranges, dtype=np.float64))
        # What has answered the odometry has nothing to answer at a scan before the next one.
        since = self._time - self._moved_at
        is_between = 0.0 < since < self._motion_period - _ROUNDING
        self._pacing.sent(time.monotonic(), is_answered=is_between and self._is_motion_answered)
        self._hold()

    def _hold(self) -> None:
        """Let the time stand as long as the programs have to answer."""
        now = time.monotonic()
        self._simulator.hold(not self._is_over and (
            self._pacing.is_waiting(now) or self._planning.is_waiting(now)))

    def _note_answer(self) -> None:
        self._is_motion_answered = True
        self._pacing.answered(time.monotonic())
        self._hold()

    def _on_motion(self, data: bytes) -> None:
        self._pose = read_odometry(data)
        self._motion_period, self._moved_at = self._time - self._moved_at, self._time
        self._is_motion_answered = False
        if self._began is None or self._is_over:
            return
        time_now = self._time - self._began
        if self.samples and time_now - self.samples[-1].time < _SAMPLE_PERIOD - _ROUNDING:
            return
        sample = self._sample(time_now)
        if self.samples and is_leap(self.samples[-1], sample):
            self._fault('the car was put elsewhere, as by /pose, /initialpose or a reset')
            return
        self.samples.append(sample)
        if self._check.add(sample) or sample.collisions and self._case.collision_cost >= 1.0:
            self._is_over = True

    def _sample(self, time_now: float) -> Sample:
        pose = self._pose
        assert pose is not None
        # A scan counts once.
        sides, self._sides = self._sides or (math.nan, math.nan, math.nan), None
        found = [collisions_of(entity) for entity in self._plant.entities]
        contacts = sum(row.contacts for row in found if row is not None)
        return Sample(time_now, pose.x, pose.y, pose.yaw, pose.vx, *sides, contacts)

    def _on_command(self, message: AckermannDriveStamped) -> None:
        now = time.monotonic()
        since, count = self._second
        self._second = (now, 1) if abs(now - since) > 1.0 else (since, count + 1)
        if self._second[1] > MOST_COMMANDS and not self._is_over:
            self._fault(f'more than {MOST_COMMANDS} commands in a second: a flood')
        drive = message.drive
        if not (math.isfinite(drive.speed) and math.isfinite(drive.steering_angle)):
            self._nonsense += 1
            self._note_answer()
            return
        # One that is obeyed: of others alone the case would never begin, nor be given up.
        self._heard_at = now
        self._last_command = self._time
        if self._check.begins not in _COMMANDED:
            return
        # A node that commands is there and has its parameters.
        self._live.ask(now)
        if self._live.is_done:
            self._pacing.begin(now)
            if self._check.begins == 'command' and not self._warm_up:
                self._begin()

    def _put_back(self) -> None:
        """Put the car back to its start while programs warm up.

        The command that comes is obeyed afterwards: as in the simulator of the course the car does
        not stand there, and is seen a little ahead.
        """
        if self._is_over or not (self._warm_up or not self._live.is_done):
            return
        if self._live.is_done:
            self._warm_up -= 1
            self._is_let_go = not self._warm_up
        self._simulator.return_to_start()

    def _on_obeyed(self) -> None:
        """Let the time go on after a command; after the last of the warm-up the case begins."""
        if self._is_let_go:
            self._begin()
        self._note_answer()

    def _on_estimate(
        self, message: OdometryMessage | PoseStamped | PoseWithCovarianceStamped,
    ) -> None:
        self._begin()
        assert isinstance(self._check, LocalisationCheck)
        if self._began is None:
            return
        found = message.pose if isinstance(message, PoseStamped) else message.pose.pose
        yaw = quaternion_to_yaw(
            found.orientation.x, found.orientation.y, found.orientation.z, found.orientation.w)
        values = found.position.x, found.position.y, yaw
        if not all(map(math.isfinite, values)):
            self._nonsense += 1
            return
        estimate = Estimate(self._time - self._began, *values)
        self.estimates.append(estimate)
        self._check.estimate(estimate)
        self._note_answer()

    def _on_path(self, _: PoseArray | PathMessage) -> None:
        self._planning.planned(time.monotonic())
        self._hold()

    # What goes out

    def _begin(self) -> None:
        if self._began is not None or self._pose is None:
            return
        self._began, self._began_at = self._time, time.monotonic()
        # What was seen before does not count.
        self._sides = None
        if self._check.begins == 'estimate':
            self._pacing.begin(self._began_at)
            self._send_pose()

    def _send_pose(self) -> None:
        """Tell a localisation or a planner where the car is."""
        pose = self._pose
        if pose is None:
            return
        message = PoseWithCovarianceStamped()
        message.header.frame_id = 'map'
        message.pose.pose = _pose(pose.x, pose.y, pose.yaw)
        self._initial.publish(message)

    def _drive(self) -> None:
        drive = self._case.drive
        if drive is None or self._began is None or self._pose is None or self._is_over:
            return
        # Like a person who lets go of the key once the car has been braked.
        speed = abs(self._pose.vx)
        self._has_driven = self._has_driven or speed > 0.5 * abs(drive.speed)
        self._has_let_go = self._has_let_go or self._has_driven and speed < 0.1
        if self._has_let_go:
            return
        message = AckermannDriveStamped()
        message.header.stamp = self.get_clock().now().to_msg()
        message.drive.speed, message.drive.steering_angle = drive.speed, drive.steering
        self._driving.publish(message)

    def _send_goal(self) -> None:
        """Give the goal that is due, and give it again while the car stands."""
        if not isinstance(self._check, GoalCheck) or self._began is None or self._pose is None:
            return
        if self._time - self._began < _SETTLES:
            # Planners need the map first.
            return
        goal = self._check.goal
        tell = self._planning.next(
            goal, self._time, time.monotonic(), stands=abs(self._pose.vx) < _STANDS)
        if tell is Tell.POSE:
            self._send_pose()
        elif tell is Tell.GOAL and goal is not None:
            message = PoseStamped()
            message.header.frame_id = 'map'
            message.pose = _pose(*goal, 0.0)
            self._goals.publish(message)

    # How it goes

    def is_over(self) -> bool:
        """Whether the case has ended; to be asked some times a second."""
        if self._is_over:
            return True
        for program in self._programs:
            if program.code is not None:
                self._fault(program.why())
        if self._began is None:
            self._await()
        elif self._time - self._began > self._case.time_limit:
            self._end(f'time limit of {self._case.time_limit:g} s')
        self._send_goal()
        self._hold()
        return self._is_over

    def _await(self) -> None:
        waited = time.monotonic() - max(self._started, self._heard_at)
        listeners = {'robot': self._scan_topic, 'goal': '/goal_pose'}.get(self._check.begins)
        if listeners is not None and self.count_subscribers(listeners) > 0:
            self._begin()
        elif self._check.begins == 'estimate':
            self._tell_start(waited)
        if self._live.waits(time.monotonic()) > self._case.start_limit:
            self._fault('did not answer its service set_parameters within'
                        f' {self._case.start_limit:g} s')
        elif self._began is None and waited > self._case.start_limit:
            awaited = {
                'command': 'published no command that is finite'
                if self._nonsense else 'published no command',
                'robot': f'did not subscribe to {self._scan_topic}',
                'goal': 'did not subscribe to /goal_pose',
                'estimate': 'published no pose'}[self._check.begins]
            self._fault(f'{awaited} within {self._case.start_limit:g} s after the start')

    def _tell_start(self, waited: float) -> None:
        """Tell filters that are silent until then where the car is, once they have the map."""
        now = time.monotonic()
        has_map = self.count_subscribers(f'/{MAP}') or waited > 0.5 * self._case.start_limit
        if not (has_map and self._initial.get_subscription_count()):
            self._pose_sent = now
        elif now - self._pose_sent > _POSE_AGAIN:
            self._pose_sent = now
            self._send_pose()

    def _fault(self, text: str) -> None:
        self.faults.append(text)
        self._is_over = True

    def _end(self, reason: str) -> None:
        self.reason = reason
        if self._check.begins == 'command' and self._time - self._last_command > _QUIET:
            self.reason += f', its last command {self._time - self._last_command:.1f} s before'
        self._is_over = True

    @property
    def real_time_factor(self) -> float:
        """Simulated seconds per second since the case began; NaN before."""
        if self._began is None:
            return math.nan
        return (self._time - self._began) / max(time.monotonic() - self._began_at, 1e-3)

    def result(self, job: Job) -> Result:
        """Result of what was driven."""
        notes = []
        if self._nonsense:
            notes.append(f'{self._nonsense} messages had values that are not finite; they were'
                         ' ignored')
        notes += self._live.refusals()
        notes += [f'{program.name} printed so much that the rest is cut'
                  for program in self._programs if program.is_cut]
        factor = self.real_time_factor
        if factor < _SLOW * job.real_time_factor and not self._pacing.is_customary:
            notes.append(f'this computer was too slow: real-time factor {factor:.2f}; fewer --jobs'
                         ' or a lower --real-time-factor help')
        verdict = self._check.verdict()
        if self._planning.took:
            verdict = verdict._replace(figures={
                **verdict.figures, 'planning, longest [s]': max(self._planning.took)})
        if self.faults and self._check.begins == 'estimate' and self.samples:
            # The car drives on by itself: a program that ends early has missed the rest.
            verdict = verdict._replace(mark=verdict.mark * min(
                self.samples[-1].time / self._case.time_limit, 1.0))
        return conclude(
            job, self._case, verdict, self.samples, faults=self.faults,
            notes=notes, reason=self.reason, real_time_factor=factor)


def _command_topics(names: Mapping[str, str]) -> Iterator[str]:
    """Topics of a set on which students command the car, in its software's names."""
    for name in (NAVIGATION_COMMAND, SAFETY_COMMAND, TELEOP_COMMAND):
        yield names.get(name, name)
    for name, other in names.items():
        if any(name.startswith(f'{mux}/') for mux in MUX_INPUTS) and not name.endswith('/output'):
            yield other


def _pose(x: float, y: float, yaw: float) -> Pose:
    pose = Pose()
    pose.position.x, pose.position.y = x, y
    pose.orientation.z, pose.orientation.w = math.sin(0.5 * yaw), math.cos(0.5 * yaw)
    return pose


def drive(job: Job) -> Result:
    """Drive the case of a job. Raises RacecarError for what is no fault of the student's."""
    lab, case = job.load()
    folder = Path(job.folder)
    stack = find_stack(lab.configuration)
    options = replace(
        stack.with_names(case.options), real_time_factor=job.real_time_factor)
    descriptions = describe_stack(stack.name, options)
    with contextlib.ExitStack() as ending, ComposedStack(descriptions) as composed:
        programs: list[Program] = []
        for task in job.tasks:
            program = Program(
                task.name, task.command, job.home, job.limits(lab, case),
                Path(task.folder) if task.folder else None)
            programs.append(program)
            ending.callback(program.end)
        node = CaseNode(composed, case._replace(options=options), programs)
        composed.add_node(node)
        composed.spin(until=node.is_over)
        result = node.result(job)
        write_drive(folder, node.samples, node.estimates)
    return result


def main() -> int:
    """Drive the case of the job file on the command line; returns 0, or 1 after an error."""
    end_with_launch()
    job = Job.read(Path(sys.argv[1]))
    try:
        result = drive(job)
    except RacecarError as error:
        print(f'racecar course: error: {error}', file=sys.stderr)
        return 1
    result.write(Path(job.folder))
    return 0


if __name__ == '__main__':
    end_process(main())
