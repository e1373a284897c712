# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Cars in the plane that run into something: they are stopped, counted, and can back away."""

import math
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from presence import present
import pytest

import racecar
from racecar.base.compiled import has_compiler
from racecar.base.errors import ConfigurationError
from racecar.base.parameter_file import load_parameter_file
from racecar.base.shapes import Box as BoxShape
from racecar.base.types import AckermannCommand, Pose2
from racecar.description.vehicle_description import describe_vehicle
from racecar.driver.driven_car import DrivenCar
from racecar.dynamics.powertrain import CarParameters
from racecar.dynamics.powertrain.powertrain import PedalControls, SPEED
from racecar.dynamics.vehicles import make_vehicle_model, VEHICLE_MODELS, VEHICLE_PARAMETERS
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.scene import Box, Cone, EMPTY_SCENE, OccupancyGrid, Scene, Wall
from racecar.scene.grid_map import NO_GRID
from racecar.scene.overlaps import overlaps
from racecar.scene.scene import foot_rows
from racecar.simulation.batch import BatchSimulation
from racecar.simulation.batch_result import Noise
from racecar.simulation.car_parameters import SIMULATOR_PARAMETERS
from racecar.simulation.closed_loop import run_loop
from racecar.simulation.custom_loop import CustomLoop
from racecar.simulation.make_simulator import make_simulator
from racecar.simulation.obstacles import ContactShape, start_caution
from racecar.simulation.ports import COLLISIONS
from racecar.simulation.simulator import Simulator
from racecar.simulation.vehicle_plant import VehiclePlant
from racecar.stacks import describe_stack, find_stack, StackOptions
from racecar.stacks.loops import make_held_loop, make_loop
from racecar.stacks.sweep import load_sweep

VEHICLES = Path(__file__).parents[2] / 'config' / 'vehicles'
FILE = VEHICLES / 'racecar.yaml'
TABLE = VEHICLE_PARAMETERS + SIMULATOR_PARAMETERS
# 2 m ahead of base_link, which is 0.419 m behind the front of the car.
FRONT = VehicleParameters.from_file(FILE).footprint.front
AHEAD = 2.0


def grid_ahead():
    values = np.zeros((80, 80), np.int8)
    values[:, 60:62] = 100
    # The wall begins at x = AHEAD.
    return OccupancyGrid(values, 0.05, Pose2(AHEAD - 3.0, -2.0, 0.0))


SCENES = {
    'wall': Scene(walls=(Wall(AHEAD, -3.0, AHEAD, 3.0, 0.01),)),
    'box': Scene(boxes=(Box(AHEAD + 0.5, 0.0, 0.0, 1.0, 2.0, 0.5),)),
    'cone': Scene(cones=(Cone(AHEAD + 0.1, 0.0, base=0.2),)),
    'map': Scene(grid=grid_ahead()),
}


def car(scene=SCENES['wall'], model='single_track', **values):
    resolved = TABLE.resolve({**load_parameter_file(FILE, 'any_node'), **values})
    return Simulator(
        make_vehicle_model(model, VehicleParameters.from_values(resolved), resolved),
        actuators=resolved, scene=scene)


def drive(simulator, speed, ticks, steering=0.0):
    """Command a speed at each tick and return the odometry after each."""
    track = []
    for _ in range(ticks):
        simulator.set_command(AckermannCommand(speed, steering))
        simulator.tick()
        track.append(simulator.odometry())
    return track


def is_overlapping(simulator, scene, margin=0.0):
    odometry = simulator.odometry()
    print_ = simulator.model.vehicle.footprint
    yaw = odometry.yaw
    ahead = 0.5 * (print_.front - print_.rear)
    grid = NO_GRID if scene.grid is None else scene.grid.numbers
    return overlaps(
        scene.wall_rows, scene.box_rows, foot_rows(scene.cones), grid[:],
        (odometry.x + ahead * math.cos(yaw), odometry.y + ahead * math.sin(yaw), math.cos(yaw),
         math.sin(yaw), 0.5 * (print_.front + print_.rear) + margin, print_.side + margin))


@pytest.mark.parametrize('model', VEHICLE_MODELS)
@pytest.mark.parametrize('name', SCENES)
def test_a_car_stops_before_what_stands_there(name, model):
    simulator = car(SCENES[name], model)
    track = drive(simulator, 2.0, 200)
    last = track[-1]
    # A step at 2 m/s is 2 mm.
    assert AHEAD - FRONT - 0.0021 <= last.x <= AHEAD - FRONT + 1e-9
    assert (last.vx, last.vy, last.yaw_rate) == (0.0, 0.0, 0.0)
    assert not is_overlapping(simulator, SCENES[name])
    found = simulator.collisions
    assert (found.contacts, found.in_contact) == (1, True)
    assert found.speed == pytest.approx(2.0, abs=0.1)
    assert found.x == pytest.approx(last.x, abs=0.003)


@pytest.mark.parametrize('name', SCENES)
def test_a_disc_about_base_link_may_run_into_things_in_place_of_the_outline(name):
    simulator = car(SCENES[name])
    simulator.contacts.shape = ContactShape(radius=0.05)
    last = drive(simulator, 2.0, 200)[-1]
    assert AHEAD - 0.05 - 0.0021 <= last.x <= AHEAD - 0.05 + 1e-9
    assert simulator.collisions.contacts == 1
    resolved = TABLE.resolve({
        **load_parameter_file(FILE, 'any_node'), 'contact_radius': 0.05, 'world': 'room'})
    assert make_simulator(resolved).contacts.shape.radius == 0.05


@pytest.mark.parametrize('model', VEHICLE_MODELS)
def test_it_never_is_in_the_wall_whatever_it_does(model):
    scene = Scene(walls=(Wall(1.0, -3.0, 1.0, 3.0), Wall(-1.0, -3.0, -1.0, 3.0),
                         Wall(-1.0, 0.8, 1.0, 0.8), Wall(-1.0, -0.8, 1.0, -0.8)))
    simulator = car(scene, model)
    generator = np.random.default_rng(5)
    for _ in range(60):
        speed, steering = generator.uniform(-1.5, 2.5), generator.uniform(-0.5, 0.5)
        for _ in range(10):
            simulator.set_command(AckermannCommand(speed, steering))
            simulator.tick()
            assert not is_overlapping(simulator, scene)
    assert simulator.collisions.contacts > 3


def test_a_contact_is_counted_once_however_long_it_lasts():
    simulator = car()
    drive(simulator, 1.0, 400)
    assert simulator.collisions.contacts == 1
    # Standing at the wall is still this contact.
    drive(simulator, 0.0, 100)
    assert simulator.collisions == simulator.collisions._replace(contacts=1, in_contact=True)


def test_a_car_can_back_away_and_run_into_it_again():
    simulator = car()
    drive(simulator, 1.0, 300)
    at_the_wall = simulator.odometry().x
    drive(simulator, -1.0, 50)
    assert simulator.odometry().x == pytest.approx(at_the_wall - 0.5, abs=0.02)
    assert not simulator.collisions.in_contact
    drive(simulator, 1.0, 100)
    assert simulator.collisions[:2] == (2, True)


def test_a_car_can_run_into_something_backwards_and_sideways():
    behind = Scene(walls=(Wall(-1.0, -3.0, -1.0, 3.0),))
    simulator = car(behind)
    drive(simulator, -1.0, 200)
    rear = simulator.model.vehicle.footprint.rear
    assert simulator.odometry().x == pytest.approx(rear - 1.0, abs=0.002)
    # In a curve the corner of its front meets the wall first.
    beside = Scene(walls=(Wall(-9.0, 0.6, 9.0, 0.6),))
    simulator = car(beside)
    drive(simulator, 1.0, 200, 0.3)
    odometry, footprint = simulator.odometry(), simulator.model.vehicle.footprint
    corner = odometry.y + footprint.front * math.sin(odometry.yaw) \
        + footprint.side * math.cos(odometry.yaw)
    assert corner == pytest.approx(0.6, abs=0.002)


def test_without_new_commands_the_car_stays_where_it_was_stopped():
    simulator = car()
    drive(simulator, 1.0, 160)
    before = simulator.odometry()
    for _ in range(50):
        simulator.tick()
    assert simulator.odometry()[1:] == before[1:]


def test_after_a_reset_nothing_has_happened():
    simulator = car()
    drive(simulator, 1.0, 300)
    simulator.reset()
    assert simulator.collisions[:2] == (0, False)
    bare = car(EMPTY_SCENE)
    assert [row[1:] for row in drive(simulator, 1.0, 50)] == [
        row[1:] for row in drive(bare, 1.0, 50)]


def test_a_car_with_actuators_is_stopped_too():
    simulator = car(**{'actuators.speed_lag': 0.2, 'actuators.speed_delay': 0.05})
    drive(simulator, 2.0, 400)
    odometry = simulator.odometry()
    assert odometry.x == pytest.approx(AHEAD - FRONT, abs=0.01)
    assert odometry.vx == 0.0
    drive(simulator, -1.0, 100)
    assert simulator.odometry().x < odometry.x - 0.3


def test_who_is_put_into_a_wall_can_drive_out():
    simulator = car()
    simulator.reset(Pose2(AHEAD - FRONT + 0.1, 0.0, 0.0))
    drive(simulator, -1.0, 100)
    assert simulator.odometry().x == pytest.approx(AHEAD - FRONT + 0.1 - 1.0, abs=0.05)
    drive(simulator, 1.0, 150)
    assert simulator.odometry().x <= AHEAD - FRONT


@pytest.mark.parametrize('model', VEHICLE_MODELS)
def test_who_meets_nothing_drives_with_the_bits_of_an_empty_world(model):
    far = Scene(walls=(Wall(50.0, -3.0, 50.0, 3.0),))
    tracks = [drive(car(scene, model), 1.0, 200, 0.2) for scene in (EMPTY_SCENE, far)]
    assert tracks[0] == tracks[1]


@pytest.mark.parametrize('actuators', [
    {}, {'actuators.speed_lag': 0.1, 'actuators.speed_delay': 0.015}])
def test_who_advances_in_parts_of_a_tick_stops_at_the_same_place(actuators):
    # As a plant does whose sensors have a rate of their own.
    tracks = []
    for parts in ((10,), (5, 5), (3, 3, 4)):
        simulator, track = car(**actuators), []
        for tick in range(400):
            simulator.set_command(AckermannCommand(1.0 if tick % 200 < 170 else -1.0, 0.05))
            for steps in parts:
                simulator.advance(steps)
            track.append((simulator.odometry(), simulator.collisions[:2]))
        tracks.append(track)
    assert tracks[0] == tracks[1] == tracks[2]
    assert tracks[0][-1][1][0] == 2


def test_an_empty_world_is_not_looked_at():
    simulator = car(EMPTY_SCENE)
    assert simulator.collisions is None
    assert simulator.compiled is simulator
    names = [output.name for output in VehiclePlant(simulator).entities[0].outputs]
    assert COLLISIONS not in names


def test_wheels_turn_no_further_than_the_car_comes():
    simulator = car(model='kinematic_bicycle')
    drive(simulator, 1.0, 300)
    radius = simulator.model.vehicle.wheel_radius
    assert simulator.wheel_rotations.left_rear * radius == pytest.approx(
        simulator.odometry().x, abs=1e-6)


def test_a_driven_car_is_stopped_and_its_wheels_with_it():
    vehicle = VehicleParameters.from_file(FILE)
    driven = DrivenCar(CarParameters.from_file(FILE), vehicle, scene=SCENES['wall'])
    driven.set_pedals(PedalControls(SPEED, 0.0, 0.0, 10.0, 1.5, *(0.0,) * 4))
    for _ in range(400):
        driven.tick()
    assert present(driven.collisions).contacts == 1
    assert driven.odometry().x == pytest.approx(AHEAD - FRONT, abs=0.005)
    assert driven.odometry().vx == 0.0
    assert driven.wheel_rotations.left_rear * vehicle.wheel_radius == pytest.approx(
        driven.odometry().x, abs=0.1)


@pytest.mark.parametrize('file', sorted(VEHICLES.glob('*.yaml')), ids=lambda path: path.stem)
def test_the_footprint_is_that_of_the_robot_description(file):
    vehicle = VehicleParameters.from_file(file)
    tree = describe_vehicle(vehicle).tree
    body = next(link for link in tree.links if link.name == 'chassis').collisions[0]
    x = tree.poses()['chassis'].x + body.origin.x
    assert isinstance(body.geometry, BoxShape)
    length, width, _ = body.geometry.size
    assert vehicle.footprint.front == pytest.approx(x + 0.5 * length, abs=1e-3)
    assert vehicle.footprint.rear == pytest.approx(0.5 * length - x, abs=1e-3)
    assert 2.0 * vehicle.footprint.side == pytest.approx(width, abs=1e-3)


def test_overhangs_and_width_may_be_given():
    values = load_parameter_file(FILE, 'any_node')
    vehicle = VehicleParameters.from_values({
        **values, 'vehicle.front_overhang': 0.2, 'vehicle.rear_overhang': 0.1,
        'vehicle.width': 0.5})
    assert vehicle.footprint == pytest.approx((0.525, 0.1, 0.25))


# In loops

@pytest.fixture
def narrow(tmp_path):
    """A world with a wall that no figure eight passes."""
    path = tmp_path / 'narrow.yaml'
    path.write_text('walls: [{points: [[1, -9], [1, 9]]}]\n')
    return str(path)


@pytest.mark.parametrize(('vehicle', 'world', 'start', 'is_warned'), [
    ('racecar', 'parking_1', {}, False), ('tesla_model3', 'parking_1', {}, True),
    ('tesla_model3', 'parking_1', {'initial_x': 50.0}, False),
    ('tesla_model3', 'empty', {}, False)])
def test_who_starts_in_a_wall_is_told_before(vehicle, world, start, is_warned):
    values = next(d.resolve() for d in describe_stack('kinematic_ode', StackOptions(
        vehicle=vehicle, world=world, overrides={'single_track_simulator': start}))
        if d.spec.is_simulator)
    said = start_caution(values)
    assert (said is not None) == is_warned
    if said is not None:
        assert "4.84 m long and 1.97 m wide, stands in something of the world 'parking_1'" in said


def closed_loop(**options):
    stack = find_stack('kinematic_ode')
    return make_loop(stack, {
        d.executable: d.resolve() for d in describe_stack(stack.name, StackOptions(**options))})


def custom_loop(**options):
    parts = closed_loop(**options)
    controller: Any = Own()
    return CustomLoop(controller, parts.tracker, parts.simulator)


def held_loop(**options):
    stack = find_stack('kinematic_ode')
    slow = StackOptions(overrides={'single_track_simulator': {'rate': 20.0}}, **options)
    return make_held_loop(
        stack, {d.executable: d.resolve() for d in describe_stack(stack.name, slow)}, 100.0)


class Nothing(NamedTuple):
    """A controller needs state and parameters."""

    number: float


class Own:
    """Drives straight on."""

    preview, state, parameters = 0.0, Nothing(0.0), Nothing(1.0)

    @staticmethod
    def step(state, parameters, car, reference, dt):
        return state, parameters.number, 0.0


def test_a_loop_in_a_world_counts_and_goes_on(narrow):
    loop = closed_loop(world=narrow)
    assert not loop.is_compilable
    table = run_loop(loop, 10.0)
    assert loop.simulator.collisions.contacts >= 1
    assert len(table.rows) == 1001


def test_a_loop_that_meets_nothing_has_the_bits_of_the_compiled_one():
    options = {'trajectory': 'waypoints', 'overrides': {
        'trajectory_tracker': {'waypoints_file': 'racetrack'}}}
    tables = [run_loop(closed_loop(**options, **world), 5.0)
              for world in ({}, {'world': 'racetrack'})]
    assert tables[0].rows.tobytes() == tables[1].rows.tobytes()


def test_a_batch_tells_the_collisions_of_its_cars(narrow):
    batch = BatchSimulation(
        closed_loop(**world) for world in ({'world': narrow}, {}, {'world': 'tunnel'}))
    result = batch.run(5.0)
    assert present(result.collisions)[0] >= 1.0
    assert math.isnan(present(result.collisions)[1])
    assert present(result.collisions)[2] == 0.0
    assert [result.metrics(car).collisions for car in (1, 2)] == [None, 0]
    assert 'collisions' not in result.metrics(1).as_dict()
    assert result.metrics(2).as_dict()['collisions'] == 0


@pytest.mark.skipif(not has_compiler(), reason='Numba is not installed, or switched off')
def test_controllers_of_one_s_own_drive_in_a_world_beside_those_side_by_side(narrow):
    def loops():
        return [custom_loop(**world) for world in ({}, {'world': narrow}, {'world': 'tunnel'}, {})]

    assert [loop.lane is None for loop in loops()] == [False, True, True, False]
    assert [loop.why_plain for loop in loops()] == [
        '', *['the car itself does not run compiled, as none does in a world'] * 2, '']
    result = BatchSimulation(loops()).run(5.0, record_every=1)
    assert np.isnan(present(result.collisions)).tolist() == [True, False, False, True]
    assert present(result.collisions)[1] >= 1.0
    assert present(result.collisions)[2] == 0.0
    for car, loop in enumerate(loops()):
        assert result.table(car).rows.tobytes() == run_loop(loop, 5.0).rows.tobytes()


def test_a_controller_that_meets_nothing_has_the_bits_of_the_compiled_one():
    tables = [run_loop(custom_loop(**world), 2.0) for world in ({}, {'world': 'tunnel'})]
    assert tables[0].rows.tobytes() == tables[1].rows.tobytes()


def test_noise_is_refused_in_a_world_in_one_line(narrow):
    with pytest.raises(ConfigurationError, match=(
            '^noise is not available for .* with KinematicLinearizer: it does not run compiled;'
            ' leave out the noise$')):
        BatchSimulation([closed_loop(world=narrow)], noise=Noise(x=0.01),
                        generator=np.random.default_rng(1))


@pytest.mark.parametrize('make', [
    lambda world: closed_loop(world=world), lambda world: custom_loop(world=world),
    lambda world: held_loop(world=world), lambda world: held_loop()])
def test_to_warm_up_changes_nothing(narrow, make):
    warm, cold = make(narrow), make(narrow)
    warm.warm_up()
    assert warm.simulator.time_ns == 0
    assert run_loop(warm, 3.0).rows.tobytes() == run_loop(cold, 3.0).rows.tobytes()
    assert warm.simulator.collisions == cold.simulator.collisions


def test_loops_with_held_odometry_run_beside_others(narrow):
    def loops():
        return [held_loop(), closed_loop(), held_loop(world=narrow)]

    result = BatchSimulation(loops()).run(3.0, record_every=1)
    assert result.samples.tolist() == [61, 301, 61]
    assert present(result.collisions)[2] >= 1.0
    for car, loop in enumerate(loops()):
        table = run_loop(loop, 3.0)
        assert result.table(car).rows.tobytes() == table.rows.tobytes()
        assert result.rmse[car] == table.metrics().rmse


@pytest.mark.parametrize('controller', [None, 'own.py:Own'])
def test_points_of_a_sweep_in_a_world_do_not_go_on_from_each_other(
        narrow, tmp_path, monkeypatch, controller):
    (tmp_path / 'own.py').write_text(
        'class Own:\n    def __init__(self, vehicle): pass\n'
        '    def command(self, odometry, reference): return 1.0, 0.0\n')
    monkeypatch.chdir(tmp_path)
    path = tmp_path / 'sweep.yaml'
    path.write_text(
        'duration: 5.0\ngrid:\n'
        f'  single_track_simulator.world: [empty, {narrow}]\n'
        '  trajectory_tracker.R: [0.5, 0.55]\n')
    if controller is not None:
        # The last two have the same values, not the same car. Others share one as columns.
        loops = [fleet.loop for fleet in load_sweep(
            'kinematic_ode', path, controller).custom_fleets()]
        assert loops[2].simulator is not loops[3].simulator
    result = racecar.sweep('kinematic_ode', path, controller=controller).result
    assert np.isnan(present(result.collisions)).tolist() == [True, True, False, False]
    assert (present(result.collisions)[2:] >= 1.0).all()


def test_a_simulator_of_parameters_starts_where_its_world_says(tmp_path):
    path = tmp_path / 'mine.yaml'
    path.write_text('starts: [{x: 3, y: 1, yaw: 0.5}]\ncones: [{x: 9, y: 9}]\n')
    values = TABLE.resolve({**load_parameter_file(FILE, 'any_node'), 'world': str(path)})
    simulator = make_simulator(values)
    odometry = simulator.odometry()
    assert (odometry.x, odometry.y, odometry.yaw) == pytest.approx((3.0, 1.0, 0.5))
    assert present(simulator.collisions).contacts == 0
