# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar parameters`: the parameter tables as text, Markdown or YAML."""

from __future__ import annotations

import argparse
import textwrap

from racecar.base.parameter_text import described, facts, shown, yaml_value
from racecar.base.parameters import Parameter, ParameterTable
from racecar.catalogue import TABLES
from racecar.cli.choices import one_of
from racecar.dynamics.vehicles.parameters import VEHICLE_FILE_PARAMETERS

_WIDTH = 99


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `racecar parameters`."""
    parser.description = (
        'Print the parameter table of a node. The files in config/ and the tables in docs/ are'
        ' made with --yaml and --markdown.')
    nodes = (*TABLES, 'vehicle')
    parser.add_argument('node', type=one_of(nodes), choices=nodes, metavar='NODE',
                        help=f"{', '.join(TABLES)} or vehicle")
    form = parser.add_mutually_exclusive_group()
    form.add_argument('--markdown', action='store_true', help='as a Markdown table')
    form.add_argument('--yaml', action='store_true', help='as a ROS parameter file')


def run(arguments: argparse.Namespace) -> int:
    """Print the table; returns 0."""
    if arguments.yaml:
        print(parameter_file(arguments.node), end='')
    elif arguments.markdown:
        print(markdown_table(arguments.node), end='')
    else:
        print('\n'.join(described(table_of(arguments.node))))
    return 0


def table_of(node: str) -> ParameterTable:
    """Node's own rows; the vehicle's are a table of their own."""
    if node == 'vehicle':
        return VEHICLE_FILE_PARAMETERS
    return ParameterTable(row for row in TABLES[node] if row.name not in VEHICLE_FILE_PARAMETERS)


def markdown_table(node: str) -> str:
    """Table of a node, or of `vehicle`, in Markdown."""
    lines = ['| parameter | type | default | range | unit | run time | meaning |',
             '|---|---|---|---|---|---|---|']
    for row in table_of(node):
        fixed = '' if row.read_only else 'yes'
        lines.append(
            f'| `{row.name}` | {row.type.__name__} | {shown(row.default)} | {row.range} |'
            f' {row.unit} | {fixed} | {row.description} |')
    return '\n'.join(lines) + '\n'


def parameter_file(node: str) -> str:
    """ROS parameter file of a node with every default."""
    lines = [
        *textwrap.wrap(f'Defaults of {node}, made with `racecar parameters {node} --yaml`.',
                       _WIDTH, initial_indent='# ', subsequent_indent='# '),
        '# Change them in a file of your own and pass it as params_file.',
        f'/**/{node}:',
        '  ros__parameters:',
    ]
    tree: dict[str, object] = {}
    for row in table_of(node):
        branch = tree
        *groups, leaf = row.name.split('.')
        for group in groups:
            branch = branch.setdefault(group, {})  # type: ignore[assignment]
        branch[leaf] = row
    return '\n'.join([*lines, *_yaml_lines(tree, 4)]) + '\n'


def _yaml_lines(tree: dict[str, object], indent: int) -> list[str]:
    margin = ' ' * indent
    lines = []
    for key, entry in tree.items():
        if isinstance(entry, Parameter):
            comment = f'{entry.description}{facts(entry)}'
            if entry.default is None or entry.default == []:
                comment = f'{key} ({shown(entry.default)}): {comment}'
            lines += textwrap.wrap(comment, _WIDTH, initial_indent=f'{margin}# ',
                                   subsequent_indent=f'{margin}# ')
            if not (entry.default is None or entry.default == []):
                lines.append(f'{margin}{key}: {yaml_value(entry.default)}')
        else:
            assert isinstance(entry, dict)
            lines += [f'{margin}{key}:', *_yaml_lines(entry, indent + 2)]
    return lines
