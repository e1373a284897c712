# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""League files: controllers, lines, plants and conditions, and the cells of the table they make.

The keys are those of KEYS; docs/league.md explains them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
import functools
import hashlib
import itertools
import json
import math
from pathlib import Path
from typing import NamedTuple

from racecar.base.environment import hash_of_file, present_environment
from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.fields import Fields
from racecar.base.parameters import suggest, suggestion
from racecar.base.share import find_raceline, find_vehicle
from racecar.base.values import Values
from racecar.base.yaml_file import load_mapping, naming_file
from racecar.control.custom_controller import (
    CONTROLLER,
    ControllerClass,
    find_controller,
    POLICY_SUFFIX,
)
from racecar.control.estimation import SENSING
from racecar.control.racelines.design import RacelineDesign
from racecar.control.racelines.raceline import Raceline, read_raceline
from racecar.control.racing import CONTROLLERS
from racecar.dynamics.vehicles.parameters import VEHICLE, VehicleParameters
from racecar.scene.track import TrackShape
from racecar.scene.world_choice import files_of_world, WORLD_PARAMETER
from racecar.sensors.laser import LASER
from racecar.stacks import find_tracking_stack
from racecar.stacks.options import SET_ARGUMENT

KEYS = ('lines', 'hidden', 'training', 'shares', 'laps', 'seeds', 'set', 'plants', 'conditions',
        'controllers')
"""Of a file."""

_PLANT_KEYS = ('configuration', 'vehicle', 'set', 'controller', 'flying_start')
_CONDITION_KEYS = ('set', 'scale', 'controller')
_CONTROLLER_KEYS = ('controller', 'settings', 'only')
_HIDDEN_KEYS = ('seeds', 'method', 'margin', 'speed_limit', 'vehicle', *TrackShape._fields)
_PARTS = ('lines', 'plants', 'conditions')
_MOST = 100_000
# Times the laps that a controller gets which keeps to no speeds of its line.
_PATIENCE = 2.5

# Names of noise, without which the seed does not matter.
_NOISY = ('pose_noise', 'heading_noise', 'pose_drift', 'heading_drift', 'speed_noise',
          'yaw_rate_noise')


class Plant(NamedTuple):
    """What is driven: configuration, vehicle, settings, and those of controllers on it."""

    configuration: str
    vehicle: str
    settings: Values
    controller: Values
    flying_start: bool


class Condition(NamedTuple):
    """settings of all nodes; scale: factors of numbers of the simulator; controller: settings."""

    settings: Values
    scale: Mapping[str, float]
    controller: Values


class Entry(NamedTuple):
    """A controller of the table.

    where: as of simulate(), None for tracker and law; made_by: what makes it. only: names of
    lines, plants and conditions that it is driven on; all where it says nothing.
    """

    where: str | None
    made_by: ControllerClass | None
    settings: Values
    only: Mapping[str, Sequence[str]]


class Line(NamedTuple):
    """A line by its name: file and what it says. role: training, judged or hidden."""

    name: str
    file: Path
    line: Raceline
    role: str

    @property
    def track(self) -> str:
        """Name of its track."""
        return self.line.notes.get('track', self.name)


@dataclass(frozen=True)
class Cell:
    """Runs that differ in the seed alone.

    content: of the sweep that they are, see racecar.stacks.sweep; seeds: how many runs; duration
    [s]. digest: of all that the result follows from.
    """

    controller: str
    line: Line = field(repr=False)
    plant: str
    condition: str
    share: float
    configuration: str
    content: Values = field(repr=False)
    seeds: int
    laps: int
    is_flying: bool

    @property
    def name(self) -> str:
        """For messages."""
        return (f'{self.controller}, {self.line.name}, {self.plant}, {self.condition}, share'
                f' {self.share:g}')

    @property
    def kind(self) -> tuple[str, str]:
        """Cells of the same kind run by the same machine code."""
        return self.controller, self.plant

    @functools.cached_property
    def digest(self) -> str:
        """SHA-256 of what the result follows from: numbers, files, our sources."""
        return hashlib.sha256(json.dumps([
            self.name, self.configuration, self.content, self.seeds, self.laps, self.is_flying,
            [hash_of_file(path) for path in self._files() if path.is_file()], _sources()],
            default=str).encode()).hexdigest()

    def _files(self) -> Iterator[Path]:
        """Files of line, vehicle, worlds and, unless it is a module, controller."""
        yield self.line.file
        yield find_vehicle(str(self.content[VEHICLE]))
        settings = self.content[SET_ARGUMENT]
        assert isinstance(settings, Mapping)
        for name, value in settings.items():
            if name.endswith(f'.{WORLD_PARAMETER.name}'):
                yield from files_of_world(str(value))
        where = str(self.content.get(CONTROLLER) or '')
        source = where if where.endswith(POLICY_SUFFIX) else where.rpartition(':')[0]
        if source.endswith(('.py', POLICY_SUFFIX)):
            yield Path(source)


@dataclass(frozen=True)
class League:
    """A league as its file describes it.

    lines: names or files; hidden: a mapping of _HIDDEN_KEYS, empty for none. source: the file as
    it was read.
    """

    lines: tuple[str, ...]
    hidden: Values
    training: str
    shares: tuple[float, ...]
    laps: int
    seeds: int
    settings: Values
    plants: Mapping[str, Plant]
    conditions: Mapping[str, Condition]
    controllers: Mapping[str, Entry]
    source: Values = field(repr=False)

    def with_seeds(self, seeds: int) -> League:
        """The same with another number of seeds."""
        return replace(self, seeds=seeds, source={**self.source, 'seeds': seeds})

    def hidden_lines(self, folder: Path) -> list[Path]:
        """Files of the hidden lines, which are made where they are missing; needs a solver.

        Raises ConfigurationError without it.
        """
        if not self.hidden:
            return []
        hidden = Fields('hidden', self.hidden)
        method = hidden.text('method', 'curvature')
        shape = TrackShape(**{name: hidden.number(name)
                              for name in TrackShape._fields if hidden.has(name)})
        # Lines of other numbers are other lines, of the same names.
        numbers = {key: value for key, value in self.hidden.items() if key != 'seeds'}
        text = json.dumps(numbers, sort_keys=True, default=str)
        folder /= hashlib.sha256(text.encode()).hexdigest()[:12]
        files = []
        for seed in hidden.whole_numbers('seeds'):
            file = folder / f'hidden_{seed}_{method}.csv'
            files.append(file)
            if file.exists():
                continue
            _make_hidden(hidden, seed, shape, method, file)
        return files

    def all_lines(self, folder: Path) -> list[Line]:
        """Lines of the table; hidden ones are made in a folder, if they are not there.

        Raises ConfigurationError for lines of one name, for a training track that none has, and
        for a line that a controller is to drive alone and that there is not.
        """
        found: list[Line] = []
        for name in self.lines:
            file = find_raceline(name)
            line = read_raceline(file)
            track = line.notes.get('track', '')
            found.append(Line(Path(name).stem, file, line,
                              'training' if track == self.training else 'judged'))
        tracks = [line.track for line in found]
        if self.training and found and self.training not in tracks:
            raise ConfigurationError(
                f"training is '{self.training}', expected the track of a line, of"
                f' {", ".join(dict.fromkeys(tracks))}{suggestion(self.training, tracks)}')
        found += [Line(file.stem, file, read_raceline(file), 'hidden')
                  for file in self.hidden_lines(folder)]
        names = [line.name for line in found]
        _once('lines', names)
        _check_only(self.controllers, 'lines', names)
        return found

    def cells(self, lines: Sequence[Line]) -> Iterator[Cell]:
        """All cells: each line with the plants whose vehicle it is made for.

        Raises ConfigurationError for settings that a controller does not take.
        """
        for controller, entry in self.controllers.items():
            for plant in self.plants:
                for condition in self.conditions:
                    for line in lines:
                        chosen = {'lines': line.name, 'plants': plant, 'conditions': condition}
                        if not all(chosen[part] in names for part, names in entry.only.items()):
                            continue
                        if not _is_for(line, self.plants[plant]):
                            continue
                        for share in self.shares:
                            yield self._cell(controller, line, plant, condition, share)

    def _cell(
        self, name: str, line: Line, plant: str, condition: str, share: float,
    ) -> Cell:
        entry, on, under = self.controllers[name], self.plants[plant], self.conditions[condition]
        settings = {**self.settings, **on.settings, **under.settings}
        settings |= _scaled(on, settings, under.scale)
        settings |= {'trajectory_tracker.raceline_file': str(line.file),
                     'trajectory_tracker.raceline_speed': share}
        known = {} if entry.made_by is None else {
            **{key: value for key, value in {**on.controller, **under.controller}.items()
               if entry.made_by.takes(key)}, **entry.settings}
        is_noisy = any(known.get(key) for key in _NOISY)
        grid: dict[str, list[object]] = {'controller.noise_seed': [*range(self.seeds)]} \
            if is_noisy else {'trajectory_tracker.raceline_speed': [share]}
        settings |= {f'{CONTROLLER}.{key}': value for key, value in known.items()}
        patience = 1.0
        if entry.made_by is not None and entry.made_by.reads_scans:
            patience = _PATIENCE
            simulator = find_tracking_stack(on.configuration).simulator
            settings = {f'{simulator}.world': line.track, f'{simulator}.sensors': [LASER.name],
                        **settings}
        laps = self.laps + (not on.flying_start)
        content: dict[str, object] = {
            VEHICLE: on.vehicle, 'trajectory': 'raceline', SET_ARGUMENT: settings, 'grid': grid,
            'duration': _duration(line.line, share, patience * laps),
            'flying_start': on.flying_start}
        if entry.where is not None:
            content[CONTROLLER] = entry.where
        return Cell(name, line, plant, condition, share, on.configuration, content,
                    self.seeds if is_noisy else 1, self.laps, on.flying_start)


@functools.cache
def _sources() -> str:
    return present_environment().get('sources', '')


def _duration(line: Raceline, share: float, laps: float) -> float:
    # A car that is a fifth slower than the line completes its laps, too.
    return math.ceil(10.0 * (1.2 * laps * line.lap_time / share + 3.0)) / 10.0


def _is_for(line: Line, plant: Plant) -> bool:
    made_for = line.line.notes.get('vehicle')
    return made_for is None or made_for == VehicleParameters.from_file(
        find_vehicle(plant.vehicle)).name


def _scaled(plant: Plant, settings: Values, scale: Mapping[str, float]) -> dict[str, object]:
    """Settings of the simulator alone, so that controllers believe in the numbers before."""
    if not scale:
        return {}
    vehicle = VehicleParameters.from_file(find_vehicle(plant.vehicle))
    found: dict[str, object] = {}
    for key, factor in scale.items():
        node, _, name = key.partition('.')
        of_all = settings.get(name)
        attribute = name.partition('.')[2]
        number = of_all if of_all is not None else getattr(vehicle, attribute, None)
        if not name.startswith('vehicle.') or not isinstance(number, int | float):
            raise ConfigurationError(
                f"scale '{key}' is no number of the vehicle, expected NODE.vehicle.NAME, such as"
                ' single_track_simulator.vehicle.friction_coefficient')
        found[f'{node}.{name}'] = factor * number
    return found


def _make_hidden(
    hidden: Fields, seed: int, shape: TrackShape, method: str, file: Path,
) -> None:
    from racecar.control.racelines.design import make_raceline
    from racecar.control.racelines.track import Track
    from racecar.scene.track import generate_centre_line

    design = RacelineDesign(
        method, hidden.number('margin', 0.3),
        speed_limit=hidden.number('speed_limit', math.inf))
    vehicle = VehicleParameters.from_file(find_vehicle(hidden.text('vehicle', 'f1tenth')))
    made = make_raceline(Track(f'hidden_{seed}', generate_centre_line(seed, shape)), vehicle,
                         design, bound=True)
    file.parent.mkdir(parents=True, exist_ok=True)
    made.line.write(file)


def read_league(path: Path | str) -> League:
    """League of a file. Raises ConfigurationError naming the key and what is expected."""
    content = load_mapping('league file', path, ', '.join(KEYS))
    with naming_file('league file', path):
        return make_league(content)


def make_league(content: Values) -> League:
    """League of what a file holds. Raises ConfigurationError."""
    fields = Fields('', content)
    fields.know(KEYS)
    hidden = fields.mapping('hidden')
    fields.inner('hidden', needed=False).know(_HIDDEN_KEYS)
    lines = fields.texts('lines')
    if not lines and not hidden:
        raise ConfigurationError('lines is empty, expected names of race lines, or hidden')
    plants = {name: _plant(body) for name, body in _named(fields, 'plants')}
    conditions = {name: _condition(body) for name, body in _named(fields, 'conditions')}
    controllers = {name: _entry(body) for name, body in _named(fields, 'controllers')}
    _check_only(controllers, 'plants', plants)
    _check_only(controllers, 'conditions', conditions)
    for part, bodies in (('plants', plants), ('conditions', conditions)):
        for name, body in bodies.items():
            _check_taken(f'{part}.{name}.{CONTROLLER}', body.controller, controllers.values())
    shares = fields.numbers('shares', None, (0.8,))
    if not all(0.0 < share <= 2.0 for share in shares):
        raise fields.error('shares', list(shares), 'numbers above 0 up to 2')
    _once('shares', shares)
    return League(
        lines, hidden, fields.text('training', ''), shares, fields.whole('laps', 2, 1, _MOST),
        fields.whole('seeds', 1, 1, _MOST), fields.mapping('set'), plants, conditions,
        controllers, dict(content))


def _once(key: str, values: Sequence[object]) -> None:
    """Raise ConfigurationError for a value that stands twice: its runs would count twice."""
    for k, value in enumerate(values):
        if value in values[:k]:
            raise ConfigurationError(f'{key} has {excerpt(value)} twice, expected it once')


def _check_only(
    controllers: Mapping[str, Entry], part: str, known: Collection[str],
) -> None:
    """Raise ConfigurationError for what a controller is to drive alone and that there is not."""
    for name, entry in controllers.items():
        for one in entry.only.get(part, ()):
            if one not in known:
                raise ConfigurationError(
                    f"controllers.{name}.only.{part}: '{one}' is unknown, expected some of"
                    f" {', '.join(known)}{suggestion(one, known)}")


def _check_taken(where: str, names: Iterable[str], entries: Iterable[Entry]) -> None:
    """Raise ConfigurationError for a setting for all controllers that none takes.

    One that only another controller of the package takes may stay where that does not drive.
    """
    made_by = [entry.made_by for entry in entries if entry.made_by is not None]
    for name in names:
        others = map(find_controller, CONTROLLERS)
        if not any(one.takes(name) for one in itertools.chain(made_by, others)):
            known = sorted({*SENSING.names, *(key for one in made_by for key in one.settings)})
            raise ConfigurationError(
                f"{where}: no controller takes '{name}'; {suggest(name, known)}")


def _plant(fields: Fields) -> Plant:
    fields.know(_PLANT_KEYS)
    vehicle = fields.text('vehicle', 'f1tenth')
    find_vehicle(vehicle)
    return Plant(
        fields.text('configuration', 'kinematic_ode'), vehicle, fields.mapping('set'),
        fields.mapping(CONTROLLER), fields.flag('flying_start', True))


def _condition(fields: Fields) -> Condition:
    fields.know(_CONDITION_KEYS)
    scale = fields.inner('scale', needed=False)
    return Condition(
        fields.mapping('set'), {key: scale.number(key) for key in fields.mapping('scale')},
        fields.mapping(CONTROLLER))


def _entry(fields: Fields) -> Entry:
    fields.know(_CONTROLLER_KEYS)
    settings, only = fields.mapping('settings'), fields.inner('only', needed=False)
    only.know(_PARTS)
    parts = {part: only.texts(part) for part in fields.mapping('only')}
    if fields.value(CONTROLLER, None) is None:
        if settings:
            raise fields.error('settings', settings, 'none: tracker and law take theirs under set')
        return Entry(None, None, settings, parts)
    chosen = fields.text(CONTROLLER)
    made_by = find_controller(chosen)
    for key in settings:
        made_by.setting(key)
    return Entry(chosen, made_by, settings, parts)


def _named(fields: Fields, key: str) -> Iterator[tuple[str, Fields]]:
    names = fields.mapping(key)
    if not names:
        raise ConfigurationError(f'{key} is empty, expected a mapping of names')
    rows = fields.inner(key)
    for name in names:
        yield name, rows.inner(name, needed=False)
