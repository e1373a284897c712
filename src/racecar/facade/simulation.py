# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The closed loop of a configuration without ROS: what `racecar simulate` and simulate() run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
import contextlib
from dataclasses import replace
import sys
from typing import overload, TypedDict, Unpack
import warnings as python_warnings

from racecar.analysis.motion import steering_range_of
from racecar.analysis.step_time import StepClock, TimedCar
from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.parameters import Parameter, suggestion
from racecar.base.run_file import RunFile
from racecar.base.types import NANOSECONDS
from racecar.catalogue import node_names
from racecar.control.custom_controller import ControllerClass, find_controller
from racecar.control.custom_driver import how_it_runs, NO_STEP, READS_SCANS
from racecar.control.laws import LAWS, SimulatorKind
from racecar.dynamics.vehicles import VEHICLE_MODELS
from racecar.facade.arguments import (
    call_text,
    controller_of,
    Settings,
    settings_of,
    suggesting_names,
    Text,
    text_of,
    texts_of,
    with_vehicle,
)
from racecar.facade.fleet_run import FleetRun
from racecar.facade.fleet_simulation import FleetSimulation
from racecar.facade.run import Run
from racecar.facade.vehicle import Vehicle
from racecar.faults.plant import FAULTS
from racecar.simulation.closed_loop import Loop, run_loop
from racecar.simulation.custom_loop import CustomLoop
from racecar.simulation.obstacles import start_caution
from racecar.stacks import describe_stack, find_tracking_stack, StackOptions, STACKS
from racecar.stacks.faults import faults_of_values, line_of_faults
from racecar.stacks.loops import make_car, make_custom_loop, make_held_loop, make_stack_loop
from racecar.stacks.options import DURATION, parse_names, SET_ARGUMENT, SIMULATE
from racecar.stacks.reference_warning import reference_warning
from racecar.stacks.run_files import describe_run

Cars = int | Text | Sequence[str]
"""Several cars: names, their number, or a fleet file."""

OnProgress = Callable[[float], object]
"""Is called with how much is done: simulated time [s]."""

_SEED = 'seed'
"""Names of the seeds of noise end with it."""

_DURATION = Parameter(
    'duration', float, DURATION, 'simulated time', unit='s', above=0.0, maximum=1e7)
_SKIP = Parameter('skip', float, 0.0, 'time at the start that metrics leave out', unit='s',
                  minimum=0.0, maximum=1e7)
_CONTROL_RATE = Parameter('control_rate', float, None, 'rate of tracker and law', unit='Hz',
                          above=0.0, maximum=1e6)
_SEED_ROW = Parameter('seed', int, None, 'seed of all noise', minimum=0, maximum=2**31 - 1)


class Simulation:
    """A configuration that follows a trajectory, ready to run once.

    how_controlled: how a custom controller runs, '' without one. why_slow: why it does
    not run compiled although it has a pure step, '' otherwise. cautions: what to know before it
    runs.
    """

    def __init__(
        self, configuration: str, options: StackOptions,
        controller: ControllerClass | None = None,
    ) -> None:
        """Resolve all parameters and compile what the run calls.

        controller: in the place of that which options.controller names. Raises RacecarError with
        a one-line message for what cannot be run.
        """
        stack = find_tracking_stack(configuration)
        self.stack, self.options = stack, options
        # Before nodes are looked for of which there are none.
        line_of_faults(options.faults)
        self._descriptions = describe_stack(stack.name, options)
        self._values = {d.executable: d.resolve() for d in self._descriptions}
        self._values[FAULTS] = faults_of_values(self._values[stack.simulator])
        self.how_controlled = self.why_slow = ''
        self._clock = StepClock()
        caution = start_caution(self._values[stack.simulator])
        self.cautions = () if caution is None else (caution,)
        self._loop = self._make_loop(controller)
        # Before somebody looks at the clock: the first call of a kernel may take seconds.
        self._loop.warm_up()

    def _make_loop(self, controller: ControllerClass | None) -> Loop:
        options, stack = self.options, self.stack
        if options.controller is None:
            if options.control_rate is not None:
                return make_held_loop(stack, self._values, options.control_rate)
            return make_stack_loop(
                stack, self._values, None if stack.make_loop else self._timed_car())
        if options.control_rate is not None:
            raise ConfigurationError(
                'control_rate is of tracker and law, a custom controller has none: it'
                ' answers each odometry')
        loop: CustomLoop = make_custom_loop(
            stack, self._values, controller or find_controller(options.controller),
            options.controller_settings, self._timed_car())
        self.how_controlled = how_it_runs(options.controller, loop.why_plain)
        self.why_slow = '' if loop.why_plain in (
            '', NO_STEP, READS_SCANS) else self.how_controlled
        return loop

    def _timed_car(self) -> TimedCar:
        name = self.stack.simulator
        return TimedCar(make_car(name, self._values[name]), self._clock.answers)

    def run(
        self, duration: float, *, skip: float = 0.0, command: str = '',
        on_progress: OnProgress | None = None,
    ) -> Run:
        """Run for a duration [s]; skip: time at the start that metrics leave out [s].

        command: as typed, for the run.yaml. Raises ConfigurationError for too long a run,
        DivergenceError, and RunError for a custom controller that fails.
        """
        loop, clock = self._loop, self._clock
        period_ns = loop.simulator.period_ns

        def on_tick(tick: int) -> None:
            clock.on_tick(tick)
            if on_progress is not None:
                on_progress(tick * period_ns / NANOSECONDS)

        clock.start()
        table = run_loop(loop, duration, on_tick)
        step_time = clock.result()
        collisions = loop.simulator.collisions
        simulated = self._values[self.stack.simulator]
        assert self.stack.tracker is not None
        outrun = reference_warning(
            loop.tracker, simulated, duration, tracked=None
            if self.options.controller is not None else self._values[self.stack.tracker])

        # Not at once: commands that keep no run do not ask for it.
        def describe() -> RunFile:
            return replace(
                describe_run(SIMULATE, self.stack.name, self.options, self._descriptions, command,
                             skip),
                step_time={} if step_time is None else step_time._asdict())

        return Run.of_table(
            f'{self.stack.name}, {loop.tracker.trajectory.name}', table, describe,
            collisions=None if collisions is None else collisions.contacts,
            warnings=() if outrun is None else (outrun,), skip=skip,
            steering_range=steering_range_of(simulated), course=loop.tracker.course())


class SimulateOptions(TypedDict, total=False):
    """Arguments of simulate() that mean the same for one car and for several."""

    vehicle: Text | Vehicle | None
    trajectory: str | int | None
    waypoints: Text | None
    tyre_model: str | None
    world: Text | None
    params_file: Text | None
    set: Settings | None
    controller: Text | Callable[..., object] | None
    faults: str | None
    control_rate: float | None
    law: str | None
    flying_start: bool
    seed: int | None
    duration: float
    skip: float
    progress: bool


@overload
def simulate(
    configuration: str = ..., *, cars: None = None, **options: Unpack[SimulateOptions],
) -> Run: ...


@overload
def simulate(
    configuration: str = ..., *, cars: Cars, **options: Unpack[SimulateOptions],
) -> FleetRun: ...


@suggesting_names
def simulate(
    configuration: str = 'kinematic_ode', *,
    cars: Cars | None = None,
    vehicle: Text | Vehicle | None = None,
    trajectory: str | int | None = None,
    waypoints: Text | None = None,
    tyre_model: str | None = None,
    world: Text | None = None,
    params_file: Text | None = None,
    set: Settings | None = None,
    controller: Text | Callable[..., object] | None = None,
    faults: str | None = None,
    control_rate: float | None = None,
    law: str | None = None,
    flying_start: bool = False,
    seed: int | None = None,
    duration: float = DURATION,
    skip: float = 0.0,
    progress: bool = False,
) -> Run | FleetRun:
    """Simulate a car that follows a reference, as `racecar simulate` does and with its bits.

    - configuration: name of a configuration that follows a trajectory, such as kinematic_ode,
      dynamic_ode or kinematic_world, or of a vehicle model, such as double_track, which is driven
      in the plane.
    - cars: several cars in one world, by their names, their number, or a fleet file, in
      configurations that take them, such as gap_ode; docs/several_cars.md.
    - vehicle: name, parameter file or Vehicle; default: racecar.
    - trajectory: shape of the reference, by name, such as circle.
    - waypoints: waypoints to follow in place of a trajectory, by name or as a CSV file.
    - tyre_model: linear, fiala, fiala_unsaturated or pacejka.
    - world: what stands around the car, by name or as a file.
    - params_file: ROS parameter file that goes over those in config/.
    - set: values of any parameters, over everything else: {'trajectory_tracker.Kp': 3.0,
      'vehicle.mass': 4.0}.
    - controller: in place of tracker and law: a class that is made with the vehicle, a function of
      odometry and reference that returns speed [m/s] and steering angle [rad], 'module:Class' or
      'file.py:Class'; docs/own_controller.md.
    - faults: what fails, 'kind: friction, onset: 5.0, size: 0.3', with ; between several;
      docs/campaigns.md.
    - control_rate: rate of tracker and law, a whole number times that of the odometry [Hz];
      default: at each odometry.
    - law: kinematic or dynamic, for a vehicle model; a configuration has its own.
    - flying_start: whether the car starts on the reference, in its direction and at its speed.
    - seed: of all noise in the run.
    - duration: simulated time [s].
    - skip: time at the start that metrics, figures and report leave out [s].
    - progress: whether to show a bar on stderr.

    Returns the run: metrics, table, figures, report, and how it was made; with cars a FleetRun,
    whose `cars` are the runs of each by name. Raises RacecarError with a line that says which
    value is wrong, what was expected, and what to do. A reference that the car cannot follow
    and the like are Python warnings.
    """
    given = {
        'cars': cars, 'vehicle': vehicle, 'trajectory': trajectory, 'waypoints': waypoints,
        'tyre_model': tyre_model, 'world': world, 'params_file': params_file, 'set': set,
        'controller': controller, 'faults': faults, 'control_rate': control_rate, 'law': law,
        'flying_start': flying_start or None, 'seed': seed, 'duration': duration,
        'skip': skip or None}
    for row, value in ((_DURATION, duration), (_SKIP, skip), (_CONTROL_RATE, control_rate),
                       (_SEED_ROW, seed)):
        if value is not None:
            row.validate(value)
    if skip >= duration:
        raise ConfigurationError(
            f'skip is {skip:g} s, expected less than the duration ({duration:g} s)')
    name, settings = configuration_of(configuration, law)
    source, of_all = with_vehicle(vehicle, set)
    chosen = controller_of(controller)
    options = StackOptions(
        cars=cars_of(cars), vehicle=source, trajectory=text_of('trajectory', trajectory),
        waypoints=text_of('waypoints', waypoints), tyre_model=text_of('tyre_model', tyre_model),
        world=text_of('world', world), params_file=text_of('params_file', params_file),
        controller=None if chosen is None else chosen.where,
        control_rate=None if control_rate is None else float(control_rate),
        flying_start=flying_start, faults=texts_of('faults', faults),
        overrides=settings_of(SET_ARGUMENT, {**settings, **of_all}),
        overrides_option=SET_ARGUMENT)
    options = _seeded(name, options, seed)
    simulation = FleetSimulation(name, options) if options.cars \
        else Simulation(name, options, chosen)
    with progress_bar(duration, shown=progress) as on_progress:
        run = simulation.run(
            float(duration), skip=float(skip), command=call_text('simulate', configuration, given),
            on_progress=on_progress)
    # As it is now, whenever it is asked for.
    _ = run.provenance
    for text in filter(None, (*simulation.cautions, *run.warnings, simulation.why_slow)):
        python_warnings.warn(text, stacklevel=3)
    return run


def cars_of(cars: Cars | None) -> tuple[str, ...]:
    """Cars that an argument names, as the option has them; () for None.

    Raises ConfigurationError for what names none.
    """
    if cars is None:
        return ()
    if isinstance(cars, Sequence) and not isinstance(cars, str):
        found = tuple(str(text_of('cars', car)) for car in cars)
    else:
        found = parse_names([text_of('cars', cars) or ''])
    if not found:
        raise ConfigurationError(
            f'cars is {excerpt(cars)}, expected names, their number, or a fleet file')
    return found


def configuration_of(name: str, law: str | None) -> tuple[str, dict[str, object]]:
    """Name of the configuration that a name and a law stand for, and its settings.

    name: of a configuration, or of a vehicle model. Raises ConfigurationError for unknown names,
    and for a law that is not that of the configuration.
    """
    if law is not None and law not in LAWS:
        raise ConfigurationError(
            f"law is {excerpt(law)}, expected one of {', '.join(LAWS)}"
            f'{suggestion(str(law), LAWS)}')
    if name in VEHICLE_MODELS:
        return _planar_stack(law or 'kinematic'), {
            f'{node_names.SINGLE_TRACK_SIMULATOR}.vehicle_model': name}
    if name not in STACKS:
        tracking = [stack.name for stack in STACKS.values() if stack.closes_loop]
        raise ConfigurationError(
            f"configuration {excerpt(name)} is unknown, expected one of {', '.join(tracking)}, or"
            f" of the vehicle models {', '.join(VEHICLE_MODELS)}"
            f'{suggestion(str(name), [*tracking, *VEHICLE_MODELS])}')
    if law is not None and name not in LAWS[law].stacks:
        raise ConfigurationError(
            f'law is {excerpt(law)}, but {name} has another: leave one of the two out, or give'
            f" one of {', '.join(LAWS[law].stacks)}")
    return name, {}


def _planar_stack(law: str) -> str:
    """The configuration of a law with the planar simulator."""
    return next(name for name, kind in LAWS[law].stacks.items() if kind is SimulatorKind.PLANE)


def _seeded(configuration: str, options: StackOptions, seed: int | None) -> StackOptions:
    """Options with the seed of all noise, where the user has not set one of its own."""
    if seed is None:
        return options
    overrides: dict[str, Mapping[str, object]] = dict(options.overrides)
    for description in describe_stack(configuration, options):
        seeds = {name: seed for name in description.spec.table.names
                 if name.endswith(_SEED)}
        if seeds:
            name = description.full_name
            overrides[name] = {**seeds, **overrides.get(name, {})}
    return replace(options, overrides=overrides)


@contextlib.contextmanager
def progress_bar(
    total: float, *, shown: bool, description: str = 'simulating', unit: str = 's',
) -> Iterator[OnProgress | None]:
    """Show how much of a simulated time [s] is done on stderr; yields what is to be called."""
    if not shown:
        yield None
        return
    from tqdm import tqdm

    digits = 0 if isinstance(total, int) else 1
    with tqdm(total=total, desc=description, file=sys.stderr, leave=False,
              bar_format=f'{{desc}}: {{percentage:3.0f}}%|{{bar}}| {{n:.{digits}f}}'
              f'/{{total:.{digits}f}} {unit}, {{remaining}} left') as bar:
        yield lambda done: bar.update(done - bar.n)
