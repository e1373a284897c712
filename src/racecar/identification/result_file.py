# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The result of an identification as a vehicle file and as JSON, and read back to be evaluated.

The vehicle file has the values where simulators look for them, each with interval, spread between
sessions, verdict and source beside it. The JSON file of the same name has all for programs, and
what only predictions from logs need: the model's kind and the baselines with their values.
"""

from __future__ import annotations

from collections.abc import Sequence
import json
import math
from pathlib import Path
import textwrap

from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.parameter_file import load_parameter_file
from racecar.dynamics.vehicles import VEHICLE_PARAMETERS, VehicleParameters
from racecar.identification.evaluation import Candidate, Evaluation
from racecar.identification.identify import Estimate, FITTED, Identification
from racecar.identification.unknowns import NO_RATE, prior, UNKNOWNS

_KINDS = ('kinematic', 'linear', 'fiala', 'combined')
_COMMENT_WIDTH = 96


def vehicle_yaml(result: Identification, name: str, vehicle: VehicleParameters) -> str:
    """Return the vehicle file of a result. vehicle: the one that it started from."""
    estimates = result.estimates
    lines = [f'# Vehicle {name}, identified from drives of a real or simulated car with'
             ' `racecar identify`.',
             '# Beside each value: unit; 90 % interval; standard error between sessions (+-);'
             ' verdict; source.', '# Drives:']
    lines += [f'#   {drive.name}: {drive.duration:.0f} s, wheelspin in'
              f' {result.wheelspin[drive.name]:.0%} of the moving time;'
              f' {Path(drive.source).name}' for drive in result.drives]
    lines += [text for line in _error_lines(result) for text in _commented(line, 0)]
    lines += ['/**:', '  ros__parameters:', '    vehicle:', f'      name: {name}']
    shared = {'front.cornering_stiffness': 'front_cornering_stiffness',
              'rear.cornering_stiffness': 'rear_cornering_stiffness',
              'front.slip_stiffness': 'slip_stiffness', 'rear.slip_stiffness': 'slip_stiffness'}
    groups: dict[str, list[str]] = {'': [], 'front': [], 'rear': []}
    for row in VEHICLE_PARAMETERS:
        key = row.name.removeprefix('vehicle.')
        if key == 'name':
            continue
        estimate = estimates.get(shared.get(key, key))
        value: float | str = getattr(vehicle, key.replace('.', '_'))
        if estimate is not None:
            value = estimate.value
        elif key == 'odometry_point':
            value = 'rear_axle'
        elif value == row.default == 0.0:
            # It is as another one: of the front, or in proportion.
            continue
        elif key == 'lateral_friction_coefficient' and 'friction_coefficient' in estimates:
            # What was found holds in all directions.
            continue
        note = _note(estimate) if estimate is not None else (
            f"{row.unit + '; ' if row.unit else ''}assumed; vehicle file '{vehicle.name}'")
        group, _, last = key.rpartition('.')
        # Comments stand above: they are longer than a line.
        groups[group] += _commented(note, 8 if group else 6)
        text = value if isinstance(value, str) else _number(float(value))
        groups[group].append(f"{' ' * (8 if group else 6)}{last}: {text}")
    for group, rows in groups.items():
        lines += [f'      {group}:'] * bool(group) + rows
    return '\n'.join(lines + _simulator_lines(result)) + '\n'


def _simulator_lines(result: Identification) -> list[str]:
    lines = ['/**/single_track_simulator:', '  ros__parameters:']
    if result.kind != 'kinematic':
        lines.append('    tyre_model: fiala' if result.kind != 'linear' else
                     '    tyre_model: linear')
    kinematic = result.baselines['kinematic'].values
    lines += [*_commented('of vehicle_model kinematic_understeer, by the kinematic stage', 4),
              f"    understeer_gradient: {_number(kinematic['understeer_gradient'])}"]
    lines.append('    actuators:')
    for key in ('steering_gain', 'steering_offset', 'steering_delay', 'steering_lag',
                'speed_delay', 'speed_lag'):
        estimate = result.estimates.get(key)
        value = result.values.get(key, prior(result.vehicle)[key])
        if estimate is not None:
            lines += _commented(_note(estimate), 6)
        # A delay is a whole number of steps of 1 ms.
        text = f'{value:.3f}' if key.endswith('_delay') else _number(value)
        lines.append(f'      {key}: {text}')
    rate = result.values.get('steering_rate', NO_RATE)
    if rate < NO_RATE:
        lines.append(f'      steering_rate: {_number(rate)}')
    return lines


def _note(estimate: Estimate) -> str:
    parts = [estimate.unit]
    if estimate.interval is not None:
        parts.append('[{:.4g}, {:.4g}]'.format(*estimate.interval))
    if estimate.spread is not None:
        parts.append(f'+-{estimate.spread:.2g}')
    reason = f' ({estimate.status.reason})' if estimate.status.reason else ''
    return '; '.join([*parts, f'{estimate.status.word}{reason}', estimate.source])


def _commented(text: str, indent: int) -> list[str]:
    lead = ' ' * indent + '# '
    return textwrap.wrap(text, _COMMENT_WIDTH, initial_indent=lead, subsequent_indent=lead)


def _error_lines(result: Identification) -> list[str]:
    rows = [('Within the drives', result.evaluations), ('Leave one out', result.left_out)]
    return [f'{title}: {one.drive}: heading {score.heading:.4f} rad, position'
            f' {score.position:.3f} m ({score.path_position:.3f} m of localisation alone) RMS'
            ' after 0.5 s'
            for title, evaluations in rows for one in evaluations
            for score in [one.scores[FITTED]]]


def _number(value: float) -> str:
    text = f'{value:.5g}'
    return text if any(mark in text for mark in '.en') else f'{text}.0'


def as_json(result: Identification) -> dict[str, object]:
    """Return the result as what JSON can hold."""
    return {
        'model': result.kind,
        'drives': [{
            'name': drive.name, 'source': Path(drive.source).name, 'duration': drive.duration,
            'wheelspin': result.wheelspin[drive.name], 'notes': list(drive.notes)}
            for drive in result.drives],
        'warnings': result.warnings,
        'estimates': [{
            'name': row.name, 'value': row.value, 'unit': row.unit, 'interval': row.interval,
            'spread': row.spread, 'verdict': row.status.word, 'reason': row.status.reason,
            'source': row.source} for row in result.estimates.values()],
        'values': result.values,
        'baselines': [{'name': row.name, 'kind': row.kind, 'values': row.values}
                      for row in result.baselines.values()],
        'singular_values': result.final.singular_values.tolist(),
        'judgements': evaluations_as_json(result.evaluations),
        'leave_one_out': evaluations_as_json(result.left_out),
    }


def evaluations_as_json(evaluations: Sequence[Evaluation]) -> list[dict[str, object]]:
    """Return evaluations as what JSON can hold."""
    return [{'drive': row.drive, 'adaptation': row.adaptation, 'scores': {
        name: score._asdict() for name, score in row.scores.items()}} for row in evaluations]


def read_candidates(
    path: Path | str,
) -> tuple[VehicleParameters, list[Candidate], str]:
    """Return the vehicle of a file and what of it can be evaluated: its baselines, then its model.

    Each vehicle file will do: without the JSON file of its name beside it, the model is Fiala with
    the actuators of the file, and a sentence at the end says so ('' with it). Raises
    ConfigurationError or ParameterError if a file is not one.
    """
    vehicle = VehicleParameters.from_file(path)
    beside = Path(path).with_suffix('.json')
    if beside.is_file():
        return vehicle, _of_result(beside, vehicle), ''
    values = load_parameter_file(path, node='single_track_simulator')
    found = {**prior(vehicle), **{
        key: _checked(path, key, values[f'actuators.{key}']) for key in (
            'steering_gain', 'steering_offset', 'steering_delay', 'steering_lag',
            'steering_rate') if values.get(f'actuators.{key}')}}
    return vehicle, [Candidate(vehicle.name, 'fiala', found)], (
        f"'{path}' is evaluated with Fiala tyres and its actuators, as there is no {beside.name}"
        ' beside it; if it was identified, copy that too: it has combined slip, lag and delay of'
        ' the wheel speed, and the baselines')


def _of_result(path: Path, vehicle: VehicleParameters) -> list[Candidate]:
    try:
        result = json.loads(path.read_text(encoding='utf-8'))
        rows = [*((row['name'], row['kind'], dict(row['values'])) for row in result['baselines']),
                (vehicle.name, result['model'], dict(result['values']))]
    except OSError as error:
        raise ConfigurationError(f"'{path}' cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ConfigurationError(
            f"'{path}' is not the result of an identification ({excerpt(error)}); take it away to"
            ' evaluate the vehicle file alone') from error
    for name, kind, _ in rows:
        if kind not in _KINDS:
            raise ConfigurationError(
                f"'{path}': the model of {name!r} is {kind!r}, expected one of"
                f" {', '.join(_KINDS)}")
    return [Candidate(str(name), kind, {
        **prior(vehicle), **{key: _checked(path, key, value) for key, value in values.items()}})
        for name, kind, values in rows]


def _checked(path: Path | str, name: str, value: object) -> float:
    if name not in UNKNOWNS:
        raise ConfigurationError(f"'{path}': {name} is none of {', '.join(UNKNOWNS)}")
    if not isinstance(value, int | float) or not math.isfinite(value):
        raise ConfigurationError(f"'{path}': {name} is {value!r}, expected a finite number")
    return float(value)
