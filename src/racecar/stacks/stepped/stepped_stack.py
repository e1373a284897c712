# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A whole configuration in this process, as in lockstep."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from racecar.stacks.describe import describe_stack, find_stack
from racecar.stacks.node_description import NodeDescription
from racecar.stacks.options import StackOptions, TELEOP_NONE
from racecar.stacks.several_cars import namespace_of_car
from racecar.stacks.stepped.local_node import LocalNode, Log
from racecar.stacks.stepped.local_simulator import LocalRobot, LocalSimulator
from racecar.stacks.stepped.stepped_car import Instant, SteppedCar


def describe_stepped(name: str, options: StackOptions) -> list[NodeDescription]:
    """Nodes of a configuration with the values that they have without ROS.

    Raises RacecarError as describe_stack() does.
    """
    return describe_stack(name, replace(options, lockstep=True, teleop=TELEOP_NONE))


class SteppedStack:
    """A configuration; its owner calls answer() and advance() in turns.

    cars: in the order of the simulator; the first is the one that a person may drive. nodes: all
    that have parameters, by full name.
    """

    def __init__(self, name: str, options: StackOptions, log: Log) -> None:
        """Build and compile. Raises RacecarError for what cannot be run."""
        stack = find_stack(name)
        descriptions = describe_stepped(name, options)
        self.simulator = LocalSimulator(
            next(d for d in descriptions if d.executable == stack.simulator), log)

        def nodes_of(robot: LocalRobot) -> list[NodeDescription]:
            below = f'{namespace_of_car(options, robot.name)}/' if robot.name else ''
            return [d for d in descriptions if d.full_name.startswith(below)]

        self.cars = [
            SteppedCar(self.simulator, robot, stack.linearizer, nodes_of(robot), log)
            for robot in self.simulator.robots]
        self.first = self.cars[0]
        self.nodes: Mapping[str, LocalNode] = {node.name: node for node in (
            *(node for car in self.cars for node in car.nodes), self.simulator)}
        # Where the plant stops on its way decides over contacts of several cars; as nodes do it.
        self._timed = self.first.timed if len(self.cars) == 1 else [
            output for robot in self.simulator.robots for output in robot.entity.outputs]

    @property
    def next_ns(self) -> int:
        """The next time at which something is answered [ns]."""
        plant = self.simulator.plant
        return plant.time_ns + self._steps_ahead() * plant.step_ns

    def _steps_ahead(self) -> int:
        plant = self.simulator.plant
        done = plant.time_ns // plant.step_ns
        return min(output.steps_ahead(done) for output in self._timed)

    def answer(self, *, always: bool = False) -> list[Instant]:
        """Answer what is due now; return what was there of each car if that is an odometry.

        always: as after a reset, answer the odometry also if it is not due.
        """
        # As nodes publish it: before anybody answers, as some robots obey at once.
        sights = [(car, car.look(always=always)) for car in self.cars]
        answers = [car.answer(sight) for car, sight in sights]
        return [instant for instant in answers if instant is not None]

    def advance(self) -> None:
        """Go on to next_ns. Raises DivergenceError; the state is then as before."""
        self.simulator.plant.advance(self._steps_ahead())

    def reset(self) -> None:
        """Put the robots back to their starts, and begin trajectories anew. Time goes on."""
        for car in self.cars:
            car.reset()
