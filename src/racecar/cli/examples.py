# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar examples`: copy sweeps, controllers, vehicles, maps and notebooks to begin with."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
import json
from pathlib import Path
from typing import Any, NamedTuple

from racecar.base.errors import ConfigurationError
from racecar.base.share import share_folder

FOLDER = 'racecar_examples'
_CELL = '# %%'
_TEXT_CELL = '# %% [markdown]'


class Example(NamedTuple):
    """A file that is copied.

    target: below the folder of the examples; source: below share_folder(); command: what to try,
    empty for a file that another one needs.
    """

    target: str
    source: str
    command: str = ''


_SIMULATE = 'racecar simulate kinematic_ode'
EXAMPLES = (
    *(Example(f'notebooks/{name}.ipynb', f'docs/notebooks/{name}.nb.py',
              f'jupyter lab notebooks/{name}.ipynb')
      for name in ('1_first_drive', '2_tune_a_gain', '3_own_controller', '4_identify',
                   '5_train_a_driver')),
    Example('sweeps/gains.yaml', 'config/sweeps/gains.yaml',
            'racecar sweep kinematic_ode sweeps/gains.yaml'),
    Example('sweeps/plant.yaml', 'config/sweeps/plant.yaml',
            'racecar sweep kinematic_ode sweeps/plant.yaml'),
    Example('sweeps/balance.yaml', 'config/sweeps/balance.yaml',
            'racecar sweep kinematic_ode sweeps/balance.yaml'),
    Example('campaigns/faults.yaml', 'config/campaigns/faults.yaml',
            'racecar campaign campaigns/faults.yaml  # with racecar-stack[cluster]'),
    Example('scenarios/odometry_lost.yaml', 'config/scenarios/odometry_lost.yaml',
            'racecar scenario scenarios/odometry_lost.yaml  # with ROS 2'),
    Example('tuning/gains.yaml', 'config/tuning/gains.yaml',
            'racecar tune kinematic_ode tuning/gains.yaml  # with racecar-stack[tune]'),
    Example('controllers/pure_pursuit.py', 'docs/examples/pure_pursuit.py',
            f'{_SIMULATE} --controller controllers/pure_pursuit.py:PurePursuit'),
    Example('controllers/tuned_pursuit.py', 'docs/examples/tuned_pursuit.py'),
    Example('controllers/tuned_pursuit_sweep.yaml', 'docs/examples/tuned_pursuit_sweep.yaml',
            'racecar sweep kinematic_ode controllers/tuned_pursuit_sweep.yaml'),
    Example('controllers/shooting.py', 'docs/examples/shooting.py',
            f'{_SIMULATE} --controller controllers/shooting.py:Shooting --tyre-model fiala'),
    Example('controllers/pure_pursuit_node.py', 'docs/examples/pure_pursuit_node.py',
            'python controllers/pure_pursuit_node.py  # with ROS 2, beside `racecar up plant`'),
    Example('programs/lane_change.py', 'docs/examples/lane_change.py',
            'python programs/lane_change.py'),
    Example('programs/obstacle_avoidance.py', 'docs/examples/obstacle_avoidance.py',
            'python programs/obstacle_avoidance.py'),
    Example('programs/train_sb3.py', 'docs/examples/train_sb3.py',
            'python programs/train_sb3.py  # with stable-baselines3'),
    Example('vehicles/my_f1tenth.yaml', 'config/vehicles/f1tenth.yaml',
            f'{_SIMULATE} --vehicle vehicles/my_f1tenth.yaml'),
    Example('worlds/racetrack.png', 'worlds/racetrack.png'),
    Example('worlds/my_racetrack.yaml', 'worlds/racetrack.yaml'),
    Example('worlds/my_racetrack.csv', 'config/tracks/racetrack.csv',
            f'{_SIMULATE} --world worlds/my_racetrack.yaml --waypoints worlds/my_racetrack.csv'),
    Example('logs/identify_fast.csv', 'docs/examples/identify_fast.csv'),
    Example('logs/identify_slow.csv', 'docs/examples/identify_slow.csv',
            'racecar identify logs/identify_fast.csv logs/identify_slow.csv'
            '  # with racecar-stack[identify]'),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `racecar examples`."""
    parser.description = (
        'Copy examples into a folder, and print a command to try each: notebooks, sweeps,'
        ' controllers, programs that drive a car, a vehicle, a map with waypoints, and logs.'
        ' Nothing is overwritten.')
    parser.add_argument('folder', type=Path, nargs='?', default=Path(FOLDER), metavar='DIR',
                        help=f'folder, made if it is not there (default: {FOLDER})')


def run(arguments: argparse.Namespace) -> int:
    """Copy; returns 0. Raises ConfigurationError if a file is there or cannot be written."""
    folder: Path = arguments.folder
    copy_examples(folder)
    print(f'{len(EXAMPLES)} files in {folder}. To try them: cd {folder}')
    for example in EXAMPLES:
        print(f'  {example.target}' + f'\n      {example.command}' * bool(example.command))
    return 0


def copy_examples(folder: Path) -> None:
    """Write all examples below a folder.

    Raises ConfigurationError, before it writes anything, if one of the files is there already, and
    if one cannot be written.
    """
    for example in EXAMPLES:
        if (folder / example.target).exists():
            raise ConfigurationError(
                f"'{folder / example.target}' is there already, not overwriting it; name another"
                ' folder: racecar examples DIR')
    place = folder
    written: list[Path] = []
    try:
        for example in EXAMPLES:
            place, data = folder / example.target, (share_folder() / example.source).read_bytes()
            place.parent.mkdir(parents=True, exist_ok=True)
            if place.suffix == '.ipynb':
                data = json.dumps(notebook_of(data.decode()), indent=1).encode()
            written.append(place)
            place.write_bytes(data if place.suffix == '.png' else _with_new_paths(data))
    except OSError as error:
        # Else they would be in the way of the next call.
        for path in written:
            path.unlink(missing_ok=True)
        # That of a full disk names no file.
        raise ConfigurationError(
            f"'{error.filename or place}' cannot be written: {error.strerror}; name another folder"
        ) from error


def _with_new_paths(data: bytes) -> bytes:
    """Text that names files of the repository, with their places in the folder instead."""
    for example in EXAMPLES:
        data = data.replace(example.source.encode(), example.target.encode())
    return data


def notebook_of(text: str) -> dict[str, Any]:
    """Jupyter notebook (format 4.5) of a Python file with cells in the percent format.

    A line `# %%` begins a cell of code, `# %% [markdown]` one of text in comments.
    """
    return {
        'cells': [_cell(number, lines) for number, lines in enumerate(_cells(text), start=1)],
        'metadata': {
            'kernelspec': {'display_name': 'Python 3', 'language': 'python', 'name': 'python3'},
            'language_info': {'name': 'python'}},
        'nbformat': 4, 'nbformat_minor': 5}


def _cells(text: str) -> Iterator[list[str]]:
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith(_CELL) and lines:
            yield lines
            lines = []
        if line.startswith(_CELL) or lines:
            lines.append(line)
    if lines:
        yield lines


def _cell(number: int, lines: list[str]) -> dict[str, object]:
    head, *body = lines
    is_text = head == _TEXT_CELL
    if is_text:
        body = [line.removeprefix('#').removeprefix(' ') for line in body]
    cell: dict[str, object] = {
        'cell_type': 'markdown' if is_text else 'code', 'id': f'cell-{number}', 'metadata': {},
        'source': '\n'.join(body).strip()}
    return cell if is_text else {**cell, 'execution_count': None, 'outputs': []}
