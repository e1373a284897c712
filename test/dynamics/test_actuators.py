# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Actuators: off they change no bit, on they follow the closed-form answers."""

import math
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
import pytest

from racecar.base.errors import ConfigurationError, DivergenceError, ParameterError
from racecar.base.types import AckermannCommand
from racecar.dynamics.actuators import ACTUATOR_PARAMETERS, Actuators
from racecar.dynamics.vehicles import DoubleTrack, KinematicBicycle, SingleTrack, VehicleParameters
from racecar.simulation.simulator import Simulator

RACECAR = VehicleParameters.from_file(
    Path(__file__).parents[2] / 'config' / 'vehicles' / 'racecar.yaml')
STEP = 0.001


def answer(command, steps, **values):
    """Return speeds and steering angles after each of a number of steps under one command."""
    actuators = Actuators({f'actuators.{name}': value for name, value in values.items()}, STEP)
    return [actuators.step(AckermannCommand(*command)) for _ in range(steps)]


def test_all_off_is_no_actuator_and_the_same_bits():
    off = {row.name: row.default for row in ACTUATOR_PARAMETERS}
    assert Actuators.from_values(off, STEP) is None
    runs = []
    for values in (None, off,
                   {'actuators.steering_rate': 1e9}):
        simulator = Simulator(SingleTrack(RACECAR, 'fiala'), actuators=values)
        for i in range(50):
            simulator.set_command(AckermannCommand(math.sin(0.3 * i), 0.3 * math.cos(0.2 * i)))
            simulator.tick()
        runs.append((*simulator.state, *simulator.odometry(), *simulator.wheel_rotations[:0]))
    assert runs[0] == runs[1] == runs[2]


@given(lag=st.floats(0.005, 1.0), speed=st.floats(-2.0, 5.0), angle=st.floats(-1.0, 1.0))
@settings(max_examples=30, deadline=None)
def test_lag_is_the_first_order_answer(lag, speed, angle):
    for k, output in enumerate(answer((speed, angle), 50, speed_lag=lag, steering_lag=2.0 * lag)):
        time = (k + 1) * STEP
        assert output.speed == pytest.approx(speed * (1.0 - math.exp(-time / lag)))
        assert output.steering_angle == pytest.approx(
            angle * (1.0 - math.exp(-0.5 * time / lag)))


def test_rates_are_limited_and_the_end_is_reached_exactly():
    outputs = answer((-1.0, 0.5), 400, steering_rate=2.0, acceleration=4.0)
    assert outputs[99].steering_angle == pytest.approx(0.2)
    assert outputs[99].speed == pytest.approx(-0.4)
    assert outputs[-1] == (-1.0, 0.5)


@given(delay=st.integers(0, 30))
def test_delay_is_a_whole_number_of_steps(delay):
    outputs = answer((1.0, 0.2), 40, steering_delay=delay * STEP, speed_delay=0.003)
    assert [output.steering_angle for output in outputs] == [0.0] * delay + [0.2] * (40 - delay)
    assert [output.speed for output in outputs] == [0.0] * 3 + [1.0] * 37


def test_delayed_car_repeats_the_other_one_later():
    late = Simulator(SingleTrack(RACECAR), actuators={
        'actuators.speed_delay': 0.1, 'actuators.steering_delay': 0.1})
    prompt = Simulator(SingleTrack(RACECAR))
    for simulator in (late, prompt):
        simulator.set_command(AckermannCommand(1.5, 0.2))
    for _ in range(10):
        late.tick()
    for _ in range(50):
        late.tick()
        prompt.tick()
    assert late.state == pytest.approx(prompt.state, abs=1e-12)
    assert late.wheel_rotations.left_rear == pytest.approx(prompt.wheel_rotations.left_rear)


def test_path_of_a_car_with_speed_lag_is_the_integral_of_its_speed():
    simulator = Simulator(KinematicBicycle(RACECAR), actuators={'actuators.speed_lag': 0.2})
    simulator.set_command(AckermannCommand(2.0, 0.0))
    for _ in range(100):
        simulator.tick()
    # Integral of V (1 - exp(-t/T)); the speed is held over each step, half a step early.
    exact = 2.0 * (1.0 - 0.2 * (1.0 - math.exp(-5.0)))
    assert simulator.odometry().x == pytest.approx(exact, abs=0.002)
    assert simulator.wheel_rotations.left_rear * RACECAR.wheel_radius == pytest.approx(
        simulator.odometry().x)


def test_reset_forgets_what_is_under_way():
    simulator = Simulator(SingleTrack(RACECAR), actuators={'actuators.speed_delay': 0.02})
    simulator.set_command(AckermannCommand(2.0, 0.0))
    simulator.tick()
    simulator.reset()
    for _ in range(10):
        simulator.tick()
    assert simulator.odometry().x == 0.0


def test_divergence_leaves_the_actuators_where_they_were():
    class Narrow(SingleTrack):
        @property
        def state_limits(self):
            return (0.01, *super().state_limits[1:])

    simulator = Simulator(Narrow(RACECAR), actuators={'actuators.steering_lag': 0.1})
    simulator.set_command(AckermannCommand(3.0, 0.5))
    for _ in range(100):
        before = (simulator.state, simulator.odometry(), simulator.diagnostics())
        try:
            simulator.tick()
        except DivergenceError:
            break
    else:
        pytest.fail('the state stayed within its limit')
    assert (simulator.state, simulator.odometry(), simulator.diagnostics()) == before


def test_bad_values_are_refused():
    with pytest.raises(ParameterError, match=r"'actuators\.speed_lag' is -1\.0"):
        Actuators({'actuators.speed_lag': -1.0}, STEP)
    with pytest.raises(ConfigurationError, match=r'steering_delay.* whole number of integration'):
        Actuators({'actuators.steering_delay': 0.0015}, STEP)


def test_wheel_torques_do_not_pass_actuators_and_the_last_command_governs():
    model = DoubleTrack(RACECAR)
    lagging = Simulator(model, actuators={'actuators.speed_lag': 0.1})
    torques = model.torque_inputs(0.0, (0.1,) * 4)
    with pytest.raises(ConfigurationError, match='past the actuators'):
        lagging.set_inputs(torques)
    simulator = Simulator(model)
    simulator.set_inputs(torques)
    for _ in range(20):
        simulator.tick()
    assert simulator.odometry().vx > 0.0
    simulator.set_command(AckermannCommand(0.0, 0.0))
    for _ in range(100):
        simulator.tick()
    assert simulator.odometry().vx == pytest.approx(0.0, abs=1e-6)
    with pytest.raises(ParameterError, match='expected 27 finite numbers'):
        simulator.set_inputs([1.0])
