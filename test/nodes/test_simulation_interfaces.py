# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The services of simulation_interfaces: what is announced is what happens, on each plant."""

import math
import random

from ackermann_msgs.msg import AckermannDriveStamped
from geometry_msgs.msg import Point, Pose, PoseStamped, Quaternion, Twist, Vector3
from nav_msgs.msg import Odometry
from node_bench import Bench, RACECAR, seconds
import pytest
from rclpy.action import ActionClient
from rosgraph_msgs.msg import Clock
from rosidl_parser.definition import AbstractNestedType
from sensor_msgs.msg import LaserScan
from std_srvs.srv import SetBool

from racecar.catalogue import NODES
from racecar.ros import qos

pytest.importorskip('simulation_interfaces', reason='simulation_interfaces is not built')

from simulation_interfaces import srv
from simulation_interfaces.action import SimulateSteps
from simulation_interfaces.msg import (
    Bounds,
    EntityCategory,
    EntityFilters,
    EntityState,
    Result,
    SimulationState,
    SimulatorFeatures,
    SpawnEntity,
    TagsFilter,
)

pytestmark = pytest.mark.ros

OK, UNSUPPORTED, NOT_FOUND = (
    Result.RESULT_OK, Result.RESULT_FEATURE_UNSUPPORTED, Result.RESULT_NOT_FOUND)
INCORRECT_STATE, FAILED = Result.RESULT_INCORRECT_STATE, Result.RESULT_OPERATION_FAILED
STOPPED, PLAYING, PAUSED, QUITTING, NO_WORLD = range(5)
PLANTS: dict[str, tuple[str, dict[str, object]]] = {
    'planar': ('single_track_simulator', RACECAR),
    '3-D': ('world_simulator', RACECAR),
    'two-wheeled': ('differential_wheels_simulator', {}),
    'two-wheeled 3-D': ('differential_wheels_simulator', {'mode': 'world'}),
}
BOX = 'package://racecar/worlds/objects/box.yaml'
CONE = 'package://racecar/worlds/objects/cone.yaml'
CAR = 'package://racecar/config/vehicles/f1tenth.yaml'
SERVICES = [name for name in dir(srv) if hasattr(getattr(srv, name), 'Request')]


def snake(name):
    return ''.join(f'_{c.lower()}' if c.isupper() else c for c in name)[1:]


def at(x, y, yaw=0.0, frame=''):
    pose = PoseStamped(pose=Pose(
        position=Point(x=float(x), y=float(y)),
        orientation=Quaternion(z=math.sin(yaw / 2), w=math.cos(yaw / 2))))
    pose.header.frame_id = frame
    return pose


def state_at(x, y, yaw=0.0, frame='', velocity=(0.0, 0.0)):
    state = EntityState(pose=at(x, y, yaw).pose, twist=Twist(
        linear=Vector3(x=velocity[0], y=velocity[1])))
    state.header.frame_id = frame
    return state


class Caller:
    """Calls the services of a simulator on a bench; clients are kept."""

    def __init__(self, bench, prefix=''):
        self.bench, self.prefix = bench, prefix
        self.clients = {}

    def __call__(self, service, /, **request):
        kind = getattr(srv, service)
        return self.send(service, kind.Request(**request))

    def start(self, name, request):
        if name not in self.clients:
            self.clients[name] = self.bench.probe.create_client(
                getattr(srv, name), f'/{self.prefix}{snake(name)}')
            self.bench.until(self.clients[name].service_is_ready, name)
        return self.clients[name].call_async(request)

    def send(self, name, request):
        future = self.start(name, request)
        self.bench.until(future.done, f'an answer of {name}')
        return future.result()

    def code(self, service, /, **request):
        result = self(service, **request).result
        assert (result.result == OK) or result.error_message, (service, result)
        return result.result

    def state(self, name):
        answer = self('GetEntityState', entity=name)
        assert answer.result.result == OK, answer.result
        return answer.state

    def put(self, to):
        return self.code('SetSimulationState', state=SimulationState(state=to))

    def entities(self, **filters):
        answer = self('GetEntities', filters=EntityFilters(**filters))
        assert answer.result.result == OK, answer.result
        return list(answer.entities)


@pytest.fixture
def bench():
    with Bench() as made:
        yield made


def start(bench, plant, **parameters):
    name, values = PLANTS[plant]
    node = bench.start(
        NODES[name].make_node, use_sim_time=False,
        **{key.replace('.', '__'): value for key, value in {
            **values, 'world': 'cones', **parameters}.items()})
    bench.until(lambda: node.plant.time_ns or node.waits_for().startswith('paused'), 'the start')
    return node, Caller(bench)


@pytest.mark.parametrize('plant', PLANTS)
def test_every_service_does_what_the_features_announce(bench, plant):
    node, call = start(bench, plant)
    features = call('GetSimulatorFeatures').features
    constants = {getattr(SimulatorFeatures, name) for name in dir(SimulatorFeatures)
                 if name.isupper() and name != 'SLOT_TYPES'}
    # 32 of 32 features, so nothing is left that answers FEATURE_UNSUPPORTED but what is unknown.
    assert set(features.features) == constants
    assert not set(features.spawn_formats) - {'sdf', 'urdf', 'usd', 'mjcf'}
    check_states_and_steps(bench, node, call)
    check_entities(call)
    check_spawning(bench, node, call)
    check_worlds(call)
    check_resets(node, call)
    assert not node.done.done()
    check_quitting(bench, node, call)


def check_states_and_steps(bench, node, call):
    assert call('GetSimulationState').state.state == PLAYING
    assert call.put(PLAYING) == srv.SetSimulationState.Response.ALREADY_IN_TARGET_STATE
    assert call.code('StepSimulation', steps=1) == FAILED
    assert call.put(PAUSED) == OK
    assert call('GetSimulationState').state.state == PAUSED
    for bad in (NO_WORLD, 5, 77):
        assert call.put(bad) == srv.SetSimulationState.Response.INCORRECT_TRANSITION
    clock = bench.listen('/clock', Clock, qos.CLOCK)
    before = node.plant.time_ns
    for steps in (1, 1, 37, 0):
        assert call.code('StepSimulation', steps=steps) == OK
    assert node.plant.time_ns == before + 39 * node.plant.step_ns
    bench.until(lambda: clock and clock[-1].clock.sec * 10**9 + clock[-1].clock.nanosec
                == node.plant.time_ns, 'the clock of the last step')
    assert call.code('StepSimulation', steps=2**64 - 1) == FAILED
    outcome, feedback = act(bench, 50)
    assert outcome.result.result == OK
    assert node.plant.time_ns == before + 89 * node.plant.step_ns
    assert (feedback[-1].completed_steps, feedback[-1].remaining_steps) == (50, 0)
    assert call.put(PLAYING) == OK
    assert act(bench, 1)[0].result.result == FAILED


def act(bench, steps):
    client = ActionClient(bench.probe, SimulateSteps, '/simulate_steps')
    bench.until(client.server_is_ready, 'the action')
    feedback = []
    goal = client.send_goal_async(
        SimulateSteps.Goal(steps=steps), lambda message: feedback.append(message.feedback))
    bench.until(goal.done, 'the goal')
    outcome = goal.result().get_result_async()
    bench.until(outcome.done, 'the result')
    bench.until(lambda: feedback or outcome.result().result.result.result != OK, 'feedback')
    client.destroy()
    return outcome.result().result, feedback


def check_entities(call):
    assert call.put(PAUSED) == OK
    everything = call.entities()
    assert everything == ['robot', *(f'cone_{index}' for index in range(5))]
    assert call.entities(filter='cone_[12]') == ['cone_1', 'cone_2']
    assert call.entities(filter='cone') == []
    for bad in ('(', '*', '[a'):
        assert call.code('GetEntities', filters=EntityFilters(filter=bad)) == FAILED
        assert call.code('GetEntitiesStates', filters=EntityFilters(filter=bad)) == FAILED
    robots = [EntityCategory(category=EntityCategory.CATEGORY_ROBOT)]
    assert call.entities(categories=robots) == ['robot']
    assert call.entities(tags=TagsFilter(tags=['cone', 'robot'])) == everything
    assert call.entities(tags=TagsFilter(tags=['cone', 'robot'], filter_mode=1)) == []
    wrong = EntityFilters(tags=TagsFilter(tags=['cone'], filter_mode=7))
    assert call.code('GetEntities', filters=wrong) == FAILED
    around = [Vector3(x=1.0), Vector3(x=0.01)]
    assert call.entities(bounds=Bounds(type=Bounds.TYPE_SPHERE, points=around)) == ['cone_0']
    box = Bounds(type=Bounds.TYPE_BOX, points=[
        Vector3(x=3.1, y=1.0, z=1.0), Vector3(x=1.9, y=-1.0, z=-1.0)])
    assert call.entities(bounds=box) == ['cone_1', 'cone_2']
    hull = Bounds(type=Bounds.TYPE_CONVEX_HULL, points=[
        Vector3(x=2.5, y=0.0), Vector3(x=5.5, y=3.0), Vector3(x=5.5, y=-3.0)])
    assert call.entities(bounds=hull) == ['cone_2', 'cone_3', 'cone_4']
    assert call.code('GetEntities', filters=EntityFilters(bounds=Bounds(type=9))) == UNSUPPORTED
    assert call.code('GetEntities', filters=EntityFilters(bounds=Bounds(type=3))) == FAILED
    answer = call('GetEntitiesStates', filters=EntityFilters(filter='cone_.'))
    assert [round(state.pose.position.x) for state in answer.states] == [1, 2, 3, 4, 5]
    assert {state.header.frame_id for state in answer.states} == {'world'}
    check_single_entities(call)


def check_single_entities(call):
    for name in ('GetEntityState', 'GetEntityInfo', 'GetEntityBounds', 'SetEntityState',
                 'SetEntityInfo', 'DeleteEntity'):
        assert call.code(name, entity='nobody') == NOT_FOUND
    bounds = call('GetEntityBounds', entity='robot').bounds
    upper, lower = bounds.points
    assert bounds.type == Bounds.TYPE_BOX
    assert upper.x > lower.x
    assert upper.z > lower.z == 0.0
    info = call('GetEntityInfo', entity='cone_0').info
    info.description, info.tags = 'mine', ['cone', 'first']
    assert call.code('SetEntityInfo', entity='cone_0', info=info) == OK
    assert call('GetEntityInfo', entity='cone_0').info == info
    assert call.entities(tags=TagsFilter(tags=['first'])) == ['cone_0']
    info.category.category = 9
    assert call.code('SetEntityInfo', entity='cone_0', info=info) == FAILED
    assert call.code('SetEntityState', entity='robot', state=state_at(-1.0, 2.0, 0.5)) == OK
    there = call.state('robot').pose
    assert (there.position.x, there.position.y) == pytest.approx((-1.0, 2.0))
    assert there.orientation.z == pytest.approx(math.sin(0.25))
    for bad in (state_at(math.nan, 0.0), state_at(0.0, 0.0, frame='moon'), state_at(1e9, 0.0),
                EntityState(pose=Pose(orientation=Quaternion(w=0.0)))):
        assert call.code('SetEntityState', entity='robot', state=bad) \
            == srv.SetEntityState.Response.INVALID_POSE
    moving = state_at(1, 0, velocity=(1.0, 0.0))
    assert call.code('SetEntityState', entity='cone_0', state=moving) == FAILED
    assert call.code('SetEntityState', entity='cone_0', state=state_at(0.0, 0.0)) == OK
    # 0.05 m/s along the robot, which looks to the left: a twist in axes of the world.
    moving = state_at(-1.0, 2.0, math.pi / 2, velocity=(0.0, 0.05))
    assert call.code('SetEntityState', entity='robot', state=moving) == OK
    assert call.state('robot').twist.linear.y == pytest.approx(0.05, abs=1e-6)
    poses = call('GetNamedPoses').poses
    assert [pose.name for pose in poses] == ['start']
    assert 'spawn' in poses[0].tags
    assert not call('GetNamedPoses', tags=TagsFilter(tags=['parking'])).poses
    assert call.code('GetNamedPoses', tags=TagsFilter(filter_mode=4)) == FAILED
    assert call.code('GetNamedPoseBounds', name='nowhere') == NOT_FOUND
    room = call('GetNamedPoseBounds', name='start').bounds
    assert room.type == Bounds.TYPE_SPHERE


def check_spawning(bench, node, call):
    offered = call('GetSpawnables', sources=['/nowhere'])
    assert '/nowhere' in offered.result.error_message
    assert {BOX, CONE, CAR} <= {spawnable.uri for spawnable in offered.spawnables}
    codes = srv.SpawnEntity.Response
    place = at(3.0, 3.0)
    for expected, request in [
            (codes.NO_RESOURCE, {}), (codes.NAME_INVALID, {'uri': BOX}),
            (codes.NAME_INVALID, {'uri': BOX, 'name': 'a b'}),
            (codes.NAME_NOT_UNIQUE, {'uri': BOX, 'name': 'cone_1'}),
            (codes.UNSUPPORTED_FORMAT, {'uri': __file__, 'name': 'a'}),
            (NOT_FOUND, {'uri': 'no_such_vehicle', 'name': 'a'}),
            (codes.NAMESPACE_INVALID, {'uri': BOX, 'name': 'a', 'entity_namespace': '1/'}),
            (codes.RESOURCE_PARSE_ERROR, {'resource_string': 'boxes: 3', 'name': 'a'}),
            (codes.RESOURCE_PARSE_ERROR, {'resource_string': 'x: [', 'name': 'a'}),
            (codes.INVALID_POSE, {'uri': BOX, 'name': 'a', 'initial_pose': at(math.inf, 0)}),
            (codes.INVALID_POSE, {'uri': BOX, 'name': 'a', 'initial_pose': at(-1.0, 2.0)}),
            (codes.INVALID_POSE, {'uri': BOX, 'name': 'a', 'initial_pose': at(0, 0, frame='x')}),
    ]:
        assert call.code('SpawnEntity', **{'initial_pose': place, **request}) == expected, request
    before = call.entities()
    for uri, name, y in ((BOX, 'crate', 3.0), (CONE, 'hat', 4.0), (CAR, 'parked', 5.0)):
        answer = call('SpawnEntity', uri=uri, name=name, initial_pose=at(3.0, y, 0.3))
        assert (answer.result.result, answer.entity_name) == (OK, name), answer
        found = call.state(name).pose
        assert (found.position.x, found.position.y) == pytest.approx((3.0, y), abs=1e-6)
    again = call('SpawnEntity', uri=BOX, name='crate', allow_renaming=True,
                 initial_pose=at(1.0, 0.0, frame='crate'))
    assert again.result.result == OK
    assert again.entity_name == 'crate_1'
    assert call.state('crate_1').pose.position.x == pytest.approx(3.0 + math.cos(0.3))
    text = 'boxes: [{x: 0, y: 0, length: 2.0, width: 0.1, height: 0.5}]'
    named = call('SpawnEntity', resource_string=text, allow_renaming=True, initial_pose=at(6, 6))
    upper, lower = call('GetEntityBounds', entity=named.entity_name).bounds.points
    assert (upper.x, lower.x, upper.z) == pytest.approx((1.0, -1.0, 0.5))
    wanted = [SpawnEntity(name='one', initial_pose=at(7, 7)),
              SpawnEntity(name='two', initial_pose=at(8, 8))]
    wanted[0].entity_resource.uri, wanted[1].entity_resource.uri = CONE, 'no_such_thing'
    many = call('SpawnEntities', spawn_requests=wanted)
    assert many.result.result == srv.SpawnEntities.Response.ENTITIES_SPAWN_FAILED
    assert [outcome.result.result for outcome in many.results] == [OK, NOT_FOUND]
    assert call.code('SpawnEntities') == OK
    assert set(call.entities()) - set(before) == {
        'crate', 'hat', 'parked', 'crate_1', named.entity_name, 'one'}
    assert call.code('DeleteEntity', entity='crate_1') == OK
    assert call.code('DeleteEntity', entity='crate_1') == NOT_FOUND
    assert call.code('DeleteEntity', entity='robot') == FAILED
    assert call.code('DeleteEntity', entity='cone_4') == OK
    assert 'cone_4' not in call.entities()


def check_worlds(call):
    assert call('GetCurrentWorld').world.name == 'cones'
    worlds = call('GetAvailableWorlds').worlds
    assert {'tunnel', 'cones'} <= {world.name for world in worlds}
    coned = call('GetAvailableWorlds', filter=TagsFilter(tags=['cones'])).worlds
    assert 'cones' in {world.name for world in coned}
    assert len(coned) < len(worlds)
    assert call.code('GetAvailableWorlds', additional_sources=['/nowhere']) == NOT_FOUND
    assert call.code('GetAvailableWorlds', additional_sources=['/nowhere'],
                     continue_on_error=True) == OK
    codes = srv.LoadWorld.Response
    for expected, request in [
            (codes.NO_RESOURCE, {}), (codes.UNSUPPORTED_FORMAT, {'uri': '/a.sdf'}),
            (NOT_FOUND, {'uri': 'no_such_world'}), (NOT_FOUND, {'uri': '/no/such.yaml'}),
            (NOT_FOUND, {'uri': 'package://racecar/worlds/none.yaml'}),
            (codes.RESOURCE_PARSE_ERROR, {'resource_string': 'boxes: 3'}),
    ]:
        assert call.code('LoadWorld', **request) == expected, request
    assert 'crate' in call.entities()  # nothing was lost
    loaded = call('LoadWorld', resource_string='starts: [{x: 1, y: 2, yaw: 0.5}]\n'
                  'boxes: [{x: 4, y: 0, length: 1, width: 1}]')
    assert loaded.result.result == OK
    assert call('GetSimulationState').state.state == STOPPED
    assert call.entities() == ['robot', 'box_0']
    assert call.state('robot').pose.position.y == pytest.approx(2.0)
    assert call.code('UnloadWorld') == OK
    assert call.code('UnloadWorld') == srv.UnloadWorld.Response.NO_WORLD_LOADED
    assert call.code('GetCurrentWorld') == srv.GetCurrentWorld.Response.NO_WORLD_LOADED
    assert call('GetSimulationState').state.state == NO_WORLD
    assert call.entities() == []
    assert call.put(PLAYING) == srv.SetSimulationState.Response.INCORRECT_TRANSITION
    assert call.code('SpawnEntity', uri=BOX, name='a') == INCORRECT_STATE
    assert call.code('ResetSimulation') == INCORRECT_STATE
    assert call.code('StepSimulation', steps=1) == FAILED
    assert call.code('LoadWorld', uri='package://racecar/worlds/cones.yaml') == OK
    assert call('GetCurrentWorld').world.world_resource.uri.endswith('cones.yaml')


def check_resets(node, call):
    request = srv.ResetSimulation.Request
    assert call.put(PAUSED) == OK
    assert call.code('StepSimulation', steps=100) == OK
    time_ns = node.plant.time_ns
    assert time_ns == 100 * node.plant.step_ns  # loading began the time anew
    call('SpawnEntity', uri=BOX, name='crate', initial_pose=at(3, 3))
    call('SetEntityState', entity='robot', state=state_at(-2, 1))
    call('SetEntityState', entity='cone_0', state=state_at(-5, 1))
    call('DeleteEntity', entity='cone_4')
    assert call.code('ResetSimulation', scope=8) == UNSUPPORTED
    assert call.code('ResetSimulation', scope=request.SCOPE_STATE) == OK
    assert call.state('robot').pose.position.x == pytest.approx(0.0, abs=1e-6)
    assert call.state('cone_0').pose.position.x == pytest.approx(1.0, abs=1e-6)
    assert 'crate' in call.entities()
    assert 'cone_4' not in call.entities()
    assert call.code('ResetSimulation', scope=request.SCOPE_SPAWNED) == OK
    assert 'crate' not in call.entities()
    assert node.plant.time_ns == time_ns
    assert call.code('ResetSimulation', scope=request.SCOPE_TIME) == OK
    assert node.plant.time_ns == 0
    assert call.code('StepSimulation', steps=10) == OK
    assert call.code('ResetSimulation') == OK
    assert node.plant.time_ns == 0
    assert 'cone_4' in call.entities()
    assert call('GetSimulationState').state.state == PAUSED
    assert call.put(STOPPED) == OK
    assert call.put(STOPPED) == srv.SetSimulationState.Response.ALREADY_IN_TARGET_STATE


def check_quitting(bench, node, call):
    assert call.put(QUITTING) == OK
    bench.until(node.done.done, 'the end of the node')


def malformed(rng, message):
    """Fill a request with what it may be but should not."""
    texts = ['', 'robot', 'cone_0', 'crate', '(', 'a' * 5000, 'ä\n', '../..', BOX, 'tunnel',
             'package://racecar/', 'file:///dev/null', 'boxes: [{x: 1}]', '[', '{', '\x01']
    numbers = [0.0, -0.0, 1.0, -1e300, 1e300, math.nan, math.inf, -math.inf, 5e-324]
    for name, kind in zip(message.get_fields_and_field_types(), message.SLOT_TYPES, strict=True):
        if isinstance(kind, AbstractNestedType):
            count = rng.choice([0, 1, 2, 3])
            item = kind.value_type
        else:
            count, item = None, kind
        values = [one(rng, message, name, item, texts, numbers) for _ in range(
            1 if count is None else count)]
        setattr(message, name, values[0] if count is None else values)
    return message


def one(rng, message, name, kind, texts, numbers):
    typename = getattr(kind, 'typename', None)
    if hasattr(kind, 'namespaces'):
        module = __import__('.'.join(kind.namespaces), fromlist=[kind.name])
        return malformed(rng, getattr(module, kind.name)())
    if typename is None:
        return rng.choice(texts)
    if typename == 'boolean':
        return rng.random() < 0.5
    if typename in ('double', 'float'):
        return rng.choice(numbers)
    top = {'uint8': 2**8, 'uint16': 2**16, 'uint32': 2**32, 'uint64': 2**64}.get(typename)
    if top is None:
        return rng.choice([0, 1, -1, 2**31 - 1, -2**31])
    # Of states 3 ends the node, as it should.
    return rng.choice([number for number in (0, 1, 2, 4, 7, 100, top - 1) if name != 'steps'
                       or number < 8 or number > 2**63])


@pytest.mark.parametrize('plant', PLANTS)
def test_malformed_requests_get_a_result_of_the_standard(bench, plant):
    node, call = start(bench, plant)
    rng = random.Random(32)
    seen = set()
    for index in range(500 if plant == 'planar' else 150):
        name = rng.choice(SERVICES)
        request = malformed(rng, getattr(srv, name).Request())
        response = call.send(name, request)
        if name == 'GetSimulatorFeatures':
            continue
        known = {getattr(owner, constant) for owner in (Result, type(response))
                 for constant in dir(owner) if constant.isupper() and isinstance(
                     getattr(owner, constant), int)}
        assert response.result.result in known, (index, name, request, response)
        assert response.result.result == OK or response.result.error_message, (index, name)
        seen.add((name, response.result.result))
    assert len({name for name, _ in seen}) == len(SERVICES) - 1
    assert not node.done.done()
    assert call.code('LoadWorld', uri='cones') == OK
    assert call.put(PLAYING) == OK
    before = node.plant.time_ns
    bench.until(lambda: node.plant.time_ns > before, 'time that goes on')


def test_steps_in_lockstep_wait_for_the_controller(bench):
    node, call = start(bench, 'planar', lockstep=True, paused=True, real_time_factor=0.0)
    commands = bench.probe.create_publisher(
        AckermannDriveStamped, '/vesc/low_level/ackermann_cmd_mux/output', qos.COMMAND)
    answered = []

    def answer(message):
        answered.append(seconds(message))
        command = AckermannDriveStamped()
        command.header.stamp, command.drive.speed = message.header.stamp, 1.0
        commands.publish(command)

    bench.probe.create_subscription(Odometry, '/vesc/odom', answer, qos.ODOMETRY_LOCKSTEP)
    bench.connect()
    bench.until(commands.get_subscription_count, 'the simulator')
    future = call.start('StepSimulation', srv.StepSimulation.Request(steps=100))
    bench.until(future.done, 'the steps')
    assert future.result().result.result == OK, future.result()
    assert node.plant.time_ns == 100 * node.plant.step_ns
    # An odometry each 10 ms, each answered before the time went on.
    assert sorted(set(answered))[:10] == pytest.approx([0.01 * i for i in range(10)])
    assert call.state('robot').pose.position.x == pytest.approx(0.1, abs=1e-3)


def test_steps_that_nobody_answers_can_be_ended(bench):
    _, call = start(bench, 'planar', lockstep=True, paused=True, real_time_factor=0.0)
    client = ActionClient(bench.probe, SimulateSteps, '/simulate_steps')
    bench.until(client.server_is_ready, 'the action')
    sent = client.send_goal_async(SimulateSteps.Goal(steps=1000))
    bench.until(sent.done, 'the goal')
    outcome = sent.result().get_result_async()
    assert call.code('StepSimulation', steps=1) == FAILED
    assert call.put(STOPPED) == INCORRECT_STATE
    assert call('GetSimulationState').result.result == OK
    sent.result().cancel_goal_async()
    bench.until(outcome.done, 'the end of the cancelled goal')
    assert outcome.result().result.result.error_message == 'cancelled'
    client.destroy()
    steps = call.start('StepSimulation', srv.StepSimulation.Request(steps=1000))
    assert bench.call('/single_track_simulator/pause', SetBool, data=False).success
    bench.until(steps.done, 'the end of the steps')
    assert steps.result().result.result == FAILED


def test_what_is_spawned_is_seen_hit_and_mapped(bench):
    node, call = start(bench, 'planar', world='empty', sensors=['laser'], paused=True)
    scans = bench.listen('/scan', LaserScan, qos.SCAN_SUBSCRIPTION)
    assert call.code('SpawnEntity', uri=BOX, name='crate', initial_pose=at(2.0, 0.0)) == OK
    assert call.code('StepSimulation', steps=50) == OK
    middle = bench.until(lambda: scans and scans[-1], 'a scan')
    ahead = middle.ranges[len(middle.ranges) // 2]
    laser = 0.2675  # of the laser before base_link, roughly
    assert ahead == pytest.approx(2.0 - 0.15 - laser, abs=0.1)
    assert node.plant.entities[0].surroundings is not None
    assert [output.name for output in node.plant.entities[0].outputs].count('collisions') == 1
    assert call.code('DeleteEntity', entity='crate') == OK
    assert call.code('StepSimulation', steps=50) == OK
    bench.until(lambda: not math.isfinite(scans[-1].ranges[len(middle.ranges) // 2]),
                'a scan without the box')


def test_names_have_the_prefix_that_is_asked_for(bench):
    bench.start(NODES['single_track_simulator'].make_node, use_sim_time=False,
                simulation_interfaces_prefix='sim', **{
                    key.replace('.', '__'): value for key, value in RACECAR.items()})
    assert Caller(bench, 'sim/')('GetSimulationState').result.result == OK
    names = {name for name, _ in bench.probe.get_service_names_and_types()}
    assert not {f'/{snake(name)}' for name in SERVICES} & names


def test_nothing_else_lets_the_time_go_on_without_a_world(bench):
    _, call = start(bench, 'planar')
    assert call.code('UnloadWorld') == OK
    answer = bench.call('/single_track_simulator/pause', SetBool, data=False)
    assert not answer.success
    assert 'load_world' in answer.message


def test_a_twist_that_a_robot_cannot_have_is_refused(bench):
    _, call = start(bench, 'two-wheeled', paused=True)
    aside = state_at(0.5, 0.5, velocity=(0.0, 0.05))
    assert call.code('SetEntityState', entity='robot', state=aside) == FAILED
    assert call.state('robot').pose.position.x == pytest.approx(0.0)
