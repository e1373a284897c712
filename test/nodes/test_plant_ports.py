# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A plant that is no vehicle under SimulatorNode: balls on rails, pushed by a force.

Each has one input, a force, and two outputs, its position at 100 Hz and its velocity at 40 Hz.
"""

import math
from typing import Any, ClassVar, NamedTuple

from geometry_msgs.msg import (
    PointStamped,
    Pose,
    PoseWithCovarianceStamped,
    TwistStamped,
    WrenchStamped,
)
from node_bench import seconds, stamp
import pytest
from rclpy.serialization import deserialize_message
from std_srvs.srv import SetBool
from tf2_msgs.msg import TFMessage

from racecar.base.errors import ConfigurationError, DivergenceError, ParameterError
from racecar.base.parameters import Parameter, ParameterTable
from racecar.base.types import NANOSECONDS, Pose3
from racecar.catalogue.simulators.shared import SIMULATOR_NODE
from racecar.ros import qos
from racecar.ros.codecs.codec import Codec, MessageChannel
from racecar.ros.interfaces import Reset
from racecar.ros.simulator_node import SimulatorNode
from racecar.ros.wire import MessageTemplate
from racecar.simulation.ports import Entity, Input, Mount, Output, period_steps

pytestmark = pytest.mark.ros

MASS = 2.0
STEP = 0.0025


class Force(NamedTuple):
    newton: float


class Position(NamedTuple):
    x: float


class Velocity(NamedTuple):
    vx: float


class Ball:
    def __init__(self, x):
        self.initial = self.x = x
        self.v = self.force = 0.0
        self.reads = []
        self.is_stuck = False

    def check_reset(self, pose):
        if self.is_stuck:
            raise ParameterError('the ball is stuck, expected one that rolls')

    def push(self, force):
        if not math.isfinite(force.newton):
            raise ParameterError(f'force is {force.newton}, expected a finite number [N]')
        self.force = force.newton

    def halt(self):
        self.force = self.v = 0.0

    def reset(self, pose):
        self.x = self.initial if pose is None else pose.x
        self.v = self.force = 0.0
        return Pose3(self.x, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)

    def read_position(self):
        return Position(self.x)

    def read_velocity(self):
        self.reads.append(self.v)
        return Velocity(self.v)


class Rail:
    """Balls that do not meet; a ball that leaves the rail of 100 m diverges."""

    step_ns = round(STEP * NANOSECONDS)
    scenery = None

    def __init__(self, names):
        self.time_ns = 0
        self.balls = [Ball(float(i)) for i in range(len(names))]
        slow, fast = (period_steps('rate', rate, self.step_ns) for rate in (40.0, 100.0))
        self.entities = [
            Entity(
                name, (Input('push', Force, ball.push),),
                (Output('position', Position, ball.read_position, fast, 'ball'),
                 Output('velocity', Velocity, ball.read_velocity, slow, 'ball')),
                ball.reset, ball.halt,
                (Mount('ball', 'top', Pose3(0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 1.0)),),
                check_reset=ball.check_reset)
            for name, ball in zip(names, self.balls, strict=True)]

    def restart(self):
        self.time_ns = 0

    def warm_up(self):
        pass

    def advance(self, steps):
        for ball in self.balls:
            v, x = ball.v, ball.x
            for _ in range(steps):
                v += ball.force / MASS * STEP
                x += v * STEP
            if abs(x) > 100.0:
                raise DivergenceError(f'the ball leaves the rail at {self.time_ns} ns')
            ball.v, ball.x = v, x
        self.time_ns += steps * self.step_ns


class ForceCodec(Codec):
    value_type, message_type, topic, profile = Force, WrenchStamped, 'push', qos.COMMAND

    def decode(self, data):
        message = deserialize_message(data, WrenchStamped)
        time = message.header.stamp
        return Force(message.wrench.force.x), time.sec * NANOSECONDS + time.nanosec


class PositionCodec(Codec):
    value_type: ClassVar[Any] = Position
    message_type: ClassVar[Any] = PointStamped
    topic, field, profile = 'position', 'point.x', qos.STATE

    def encode(self, node, output, place):
        message = self.message_type()
        message.header.frame_id = place.frame(output.frame)
        return MessageChannel(
            node.create_publisher(self.message_type, place.topic(self.topic), self.profile),
            MessageTemplate(message, ('header.stamp', self.field)), tuple)


class VelocityCodec(PositionCodec):
    value_type: ClassVar[Any] = Velocity
    message_type: ClassVar[Any] = TwistStamped
    topic, field = 'velocity', 'twist.linear.x'


CODECS = {codec.value_type: codec for codec in (ForceCodec(), PositionCodec(), VelocityCodec())}
TABLE = ParameterTable([*SIMULATOR_NODE, Parameter('balls', list, [''], 'Names', read_only=True)])


class RailSimulator(SimulatorNode):
    def __init__(self, codecs=CODECS, **kwargs):
        super().__init__('rail', TABLE, lambda values, log: Rail(values['balls']), codecs,
                         **kwargs)


class Run:
    """The simulator with ears on both outputs of a ball."""

    def __init__(self, bench, name='', **parameters):
        self.bench = bench
        self.prefix = f'/{name}' if name else ''
        self.positions = bench.listen(f'{self.prefix}/position', PointStamped)
        self.velocities = bench.listen(f'{self.prefix}/velocity', TwistStamped)
        self.node = bench.start(
            RailSimulator, use_sim_time=False,
            **{'lockstep_output': 'position', **parameters})
        bench.until(lambda: self.positions, 'the first position')

    def push(self, newton, at=0.0):
        message = WrenchStamped()
        message.header.stamp = stamp(at)
        message.wrench.force.x = newton
        self.bench.send(f'{self.prefix}/push', message)

    def answer(self, newton):
        before = len(self.positions)
        self.push(newton, seconds(self.positions[-1]))
        self.bench.until(lambda: len(self.positions) > before, 'the next position')

    @property
    def x(self):
        return self.positions[-1].point.x


@pytest.fixture
def lockstep(bench):
    return lambda **more: Run(bench, lockstep=True, real_time_factor=0.0, **more)


def times(messages):
    return [round(seconds(message) / STEP) for message in messages]


def test_outputs_have_their_own_rates_in_real_time(bench):
    run = Run(bench)
    bench.until(lambda: len(run.positions) >= 21, '0.2 s')
    assert times(run.positions[:21]) == list(range(0, 81, 4))
    assert times(run.velocities[:9]) == list(range(0, 81, 10))


def test_a_command_drives_and_the_next_one_governs(bench):
    run = Run(bench)
    run.push(4.0)
    bench.until(lambda: run.velocities[-1].twist.linear.x > 0.1)
    run.push(-4.0)
    bench.until(lambda: run.velocities[-1].twist.linear.x < 0.0)


def test_a_command_that_the_plant_refuses_is_dropped_with_its_reason(bench):
    run = Run(bench)
    run.push(math.nan)
    bench.logged('command dropped: force is nan, expected a finite number [N]')
    run.push(4.0)
    bench.until(lambda: run.velocities[-1].twist.linear.x > 0.0)


def test_silence_halts_the_ball(bench):
    run = Run(bench, real_time_factor=5.0)
    run.push(4.0)
    bench.until(lambda: run.velocities[-1].twist.linear.x > 0.1)
    bench.logged('no command for')
    bench.until(lambda: run.velocities[-1].twist.linear.x == 0.0)


def test_lockstep_awaits_an_answer_to_the_named_output_only(lockstep, bench):
    run = lockstep()
    for _ in range(10):
        run.answer(2.0)
    bench.until(lambda: len(run.velocities) == 5)
    assert times(run.positions) == list(range(0, 41, 4))
    assert times(run.velocities) == [0, 10, 20, 30, 40]
    v = x = 0.0
    for _ in range(40):
        v += 2.0 / MASS * STEP
        x += v * STEP
    assert (run.x, run.velocities[-1].twist.linear.x) == (x, v)


def test_lockstep_may_await_the_slower_output(bench):
    run = Run(bench, lockstep=True, real_time_factor=0.0, lockstep_output='velocity')
    bench.until(lambda: run.velocities, 'the first velocity')
    for _ in range(4):
        before = len(run.velocities)
        run.push(2.0, seconds(run.velocities[-1]))
        bench.until(lambda before=before: len(run.velocities) > before)
    assert times(run.velocities) == [0, 10, 20, 30, 40]
    assert times(run.positions) == list(range(0, 41, 4))


def test_an_output_is_computed_for_listeners_only(bench):
    positions = bench.listen('/position', PointStamped)
    node = bench.start(
        RailSimulator, use_sim_time=False, lockstep_output='position', real_time_factor=10.0)
    bench.until(lambda: len(positions) > 20)
    assert node.plant.balls[0].reads == []


def test_pause_holds_the_time_and_reset_shows_at_once(bench):
    run = Run(bench, paused=True)
    message = Pose()
    message.position.x = 3.0
    response = bench.call('/rail/reset', Reset, pose=[message])
    assert (response.success, response.message) == (True, 'reset to x 3 m, y 0 m, yaw 0 rad')
    bench.until(lambda: run.x == 3.0)
    assert times(run.positions) == [0, 0]
    assert bench.call('/rail/pause', SetBool, data=False).success
    bench.until(lambda: len(run.positions) > 5)


def test_divergence_stops_the_time_and_a_reset_goes_on(lockstep, bench):
    run = lockstep()
    for _ in range(10_000):
        before = len(run.positions)
        run.push(1e6, seconds(run.positions[-1]))
        bench.until(lambda before=before: len(run.positions) > before or run.node.failure)
        if run.node.failure:
            break
    assert 'leaves the rail' in str(run.node.failure)
    held = run.node.plant.time_ns
    bench.call('/rail/reset', Reset)
    bench.call('/rail/pause', SetBool, data=False)
    bench.until(lambda: run.x == 0.0)
    run.answer(0.0)
    assert run.node.plant.time_ns == held + 4 * run.node.plant.step_ns


def test_two_robots_have_their_own_topics_frames_and_answers(bench):
    transforms = bench.listen('/tf_static', TFMessage, qos.TF_STATIC)
    left = bench.listen('/left/position', PointStamped)
    run = Run(bench, 'right', balls=['left', 'right'], lockstep=True, real_time_factor=0.0)
    assert run.positions[-1].header.frame_id == 'right/ball'
    for at in (0.0, 0.01, 0.02):
        for name, newton in (('left', 2.0), ('right', -2.0)):
            message = WrenchStamped()
            message.header.stamp = stamp(at)
            message.wrench.force.x = newton
            bench.send(f'/{name}/push', message)
        bench.until(lambda at=at: seconds(run.positions[-1]) > at and seconds(left[-1]) > at)
    assert left[-1].point.x > 0.0 > run.x - 1.0
    assert times(left) == times(run.positions) == [0, 4, 8, 12]
    frames = {(row.header.frame_id, row.child_frame_id)
              for message in transforms for row in message.transforms}
    assert frames == {
        ('map', 'left/odom'), ('map', 'right/odom'), ('left/ball', 'left/top'),
        ('right/ball', 'right/top')}


def test_time_waits_for_the_slowest_of_two_robots(bench):
    run = Run(bench, 'right', balls=['left', 'right'], lockstep=True, real_time_factor=0.0)
    run.push(1.0)
    bench.until(lambda: run.node.plant.balls[1].force == 1.0)
    assert run.node.plant.time_ns == 0


def test_initial_pose_moves_one_robot_of_two(bench):
    run = Run(bench, 'right', balls=['left', 'right'], paused=True)
    message = PoseWithCovarianceStamped()
    message.pose.pose.position.x = 7.0
    bench.send('/right/initialpose', message)
    bench.until(lambda: run.x == 7.0)
    assert run.node.plant.balls[0].x == 0.0
    refused = bench.call('/rail/reset', Reset, pose=[Pose()])
    assert not refused.success
    assert 'initialpose' in refused.message


def test_several_robots_are_reset_together_or_not_at_all(bench):
    run = Run(bench, 'right', balls=['left', 'right'], paused=True)
    left, right = run.node.plant.balls
    left.x, right.x, right.is_stuck = 5.0, 6.0, True
    refused = bench.call('/rail/reset', Reset)
    assert not refused.success
    assert refused.message == 'not reset: the ball is stuck, expected one that rolls'
    assert (left.x, right.x) == (5.0, 6.0)
    right.is_stuck = False
    before = len(run.positions)
    assert bench.call('/rail/reset', Reset).success
    assert (left.x, right.x) == (0.0, 1.0)
    # They are shown once, where all of them are.
    bench.until(lambda: len(run.positions) > before)
    assert bench.call('/rail/pause', SetBool, data=True).success
    assert [message.point.x for message in run.positions[before:]] == [1.0]


def test_an_unknown_output_to_await_is_refused(bench):
    with pytest.raises(ConfigurationError, match="output 'odometry' is unknown, expected one"):
        bench.start(RailSimulator, use_sim_time=False)


def test_a_simulator_takes_the_time_from_nobody(bench):
    with pytest.raises(ParameterError, match="'use_sim_time' is true, expected false for a simu"):
        bench.start(RailSimulator, lockstep_output='position')
    node = bench.start(RailSimulator, use_sim_time=False, lockstep_output='position')
    result = bench.set_parameter(node, 'use_sim_time', True)
    assert (result.successful, node.get_clock().ros_time_is_active) == (False, False)
    assert 'it makes the time that the others use' in result.reason
    assert bench.set_parameter(node, 'use_sim_time', False).successful


def test_a_type_without_a_codec_is_refused(bench):
    with pytest.raises(ConfigurationError, match='Force has no codec'):
        bench.start(
            lambda **more: RailSimulator(
                {Position: PositionCodec(), Velocity: VelocityCodec()}, **more),
            use_sim_time=False, lockstep_output='position')


@pytest.mark.parametrize(('rate', 'message'), [
    (30.0, r'choose 28\.5714286 or 30\.7692308 Hz'),
    (1000.0, r'choose 400 Hz, or a step of 0\.001 s'),
    (0.0, 'expected a number of at least'),
    (math.nan, 'expected a number of at least')])
def test_a_rate_of_no_whole_number_of_steps_is_refused_with_the_nearest(rate, message):
    with pytest.raises(ConfigurationError, match=message):
        period_steps('rate', rate, Rail.step_ns)
