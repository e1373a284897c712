#!/usr/bin/env python3
# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Write what is made from the code: tables of parameters, config and launch files, API pages.

Run it with `./run python docs/generate.py`; with --check it only says what is out of date.
"""

from __future__ import annotations

import argparse
import inspect
from pathlib import Path
import re
import sys
import textwrap
from typing import Any, ClassVar

import racecar
from racecar import driver
from racecar.base.original_names import ORIGINALS, RUN
from racecar.base.parameters import ParameterTable
from racecar.catalogue import TABLES
from racecar.cli.main import COMMANDS, make_parsers
from racecar.cli.parameters import markdown_table, parameter_file
from racecar.gym.options import OPTION_PARAMETERS
from racecar.stacks import Stack, STACKS
from racecar.stacks.options import LAUNCH, run_options

ROOT = Path(__file__).resolve().parents[1]
_BLOCK = re.compile(
    r'(<!-- (parameters|commands|launch arguments|originals|environment options) ?(\w*) -->\n)'
    r'.*?(<!-- end -->)',
    re.DOTALL)
_LAUNCH_FILE = '''\
# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Nodes of the configuration {name}.

{summary}
"""

from launch import LaunchDescription

from racecar.stacks.launching import generate


def generate_launch_description() -> LaunchDescription:
    """Return the nodes; the argument --show-args of ros2 launch lists what can be chosen."""
    return generate('{name}')
'''
_BADGE = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img"
     aria-label="{what}: {value}">
  <clipPath id="r"><rect width="{width}" height="20" rx="4"/></clipPath>
  <g clip-path="url(#r)">
    <rect width="{left}" height="20" fill="#4b5563"/>
    <rect x="{left}" width="{right}" height="20" fill="#00629b"/>
  </g>
  <g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
    <text x="{first:g}" y="14">{what}</text>
    <text x="{second:g}" y="14">{value}</text>
  </g>
</svg>
"""
_NEWEST_PYTHON = '3.14'  # that was tried, as docs/platforms.md says
_API = ROOT / 'docs' / 'api.rst'
_PYTHON_PAGE = ROOT / 'docs' / 'python.md'


def generated_files() -> dict[Path, str]:
    """Return path and right content of every file that holds generated text."""
    files = {}
    for path in [ROOT / 'README.md', *sorted((ROOT / 'docs').rglob('*.md'))]:
        text = path.read_text(encoding='utf-8')
        if _BLOCK.search(text):
            files[path] = _BLOCK.sub(_block, text)
    for name, text in badges().items():
        files[ROOT / 'docs' / 'pictures' / 'badges' / f'{name}.svg'] = text
    files.update({ROOT / 'config' / f'{node}.yaml': parameter_file(node) for node in TABLES})
    files.update({ROOT / 'launch' / f'{stack.name}.launch.py': launch_file(stack)
                  for stack in STACKS.values()})
    files[_API] = api_page(_PYTHON_PAGE.read_text(encoding='utf-8'))
    return files


def _block(match: re.Match[str]) -> str:
    start, kind, name, end = match.groups()
    text = {'parameters': lambda: markdown_table(name), 'commands': commands_text,
            'launch arguments': launch_table,
            'originals': lambda: originals_table(name),
            'environment options': environment_table}[kind]()
    return f'{start}\n{text}\n{end}'


def environment_table() -> str:
    """Return the options of environments."""
    lines = ['| option | default | range | meaning |', '|---|---|---|---|']
    for row in OPTION_PARAMETERS:
        unit = f' [{row.unit}]' if row.unit else ''
        default = f'`{row.default}`' if row.default != '' else ''
        lines.append(f'| `{row.name}` | {default} | {_cell(row.range)} |'
                     f' {_cell(row.description)}{unit} |')
    return '\n'.join((*lines, ''))


class _Recorder(argparse.ArgumentParser):
    """A parser that keeps what was declared, for argparse tells it to nobody."""

    made: ClassVar[list[_Recorder]] = []

    def __init__(self, *args: Any, **more: Any) -> None:
        self.rows: list[tuple[str, str]] = []
        super().__init__(*args, **{**more, 'add_help': False})
        self.made.append(self)

    def add_argument(self, *names: Any, **more: Any) -> Any:
        if more.get('help') is not argparse.SUPPRESS:
            kind = more.get('action', 'store')
            shown = more.get('metavar') or (more.get('choices') and '|'.join(more['choices']))
            value = f' {shown}' if kind in ('store', 'append') and shown else ''
            name = ', '.join(names) + value if names[0].startswith('-') else shown or names[0]
            self.rows.append((name, more.get('help', '')))
        return super().add_argument(*names, **more)

    def add_mutually_exclusive_group(self, **_: Any) -> Any:
        return self


def badges() -> dict[str, str]:
    """Pictures of the top of README.md by name: what setup.py and package.xml say."""
    setup = (ROOT / 'setup.py').read_text(encoding='utf-8')
    python, = re.findall(r"python_requires='>=(.*)'", setup)
    license_name, = re.findall(r"license='(.*)'", setup)
    distributions = [path.stem.title() for path in sorted((ROOT / 'requirements').glob('*.in'))
                     if f'ros-{path.stem}-rclpy' in path.read_text(encoding='utf-8')]
    return {'version': badge('version', racecar.__version__),
            'python': badge('Python', f'{python} to {_NEWEST_PYTHON}'),
            'ros': badge('ROS 2', ' | '.join(distributions)),
            'license': badge('license', license_name)}


def badge(what: str, value: str) -> str:
    """SVG of two texts side by side; the README needs no other address for them."""
    widths = [round(7.0 * len(text) + 14) for text in (what, value)]
    return _BADGE.format(what=what, value=value, left=widths[0], right=widths[1],
                         width=sum(widths), first=widths[0] / 2, second=widths[0] + widths[1] / 2)


def commands_text() -> str:
    """Return a section with usage, purpose and arguments of each command."""
    _Recorder.made.clear()
    make_parsers(COMMANDS, _Recorder)
    sections = []
    for parser in _Recorder.made[1:]:
        name = parser.prog.removeprefix('racecar ')
        lines = [f'## racecar {name}', '', parser.description or f'{COMMANDS[name]}.', '']
        if parser.rows:
            lines += ['| argument | meaning |', '|---|---|']
            lines += [f'| `{_cell(shown)}` | {_cell(text)} |' for shown, text in parser.rows]
            lines.append('')
        sections.append('\n'.join(lines))
    return '\n'.join(sections)


def launch_file(stack: Stack) -> str:
    """Launch file of a configuration."""
    summary = f'{stack.summary[0].upper()}{stack.summary[1:]}.'
    return _LAUNCH_FILE.format(
        name=stack.name, summary=textwrap.fill(summary, 99, break_on_hyphens=False))


def launch_table() -> str:
    """Return the arguments of the launch files as a Markdown table."""
    lines = ['| argument | default | meaning |', '|---|---|---|']
    for row in run_options(LAUNCH):
        listed = row.option.choices or row.option.suggestions
        names = f": {', '.join(listed())}" if listed else ''
        default = '' if row.default in (None, '') else f'`{str(row.default)}`'
        if row.option.type is bool:
            default = default.lower()
        lines.append(f'| `{row.launch_name}` | {default} | {_cell(row.option.help + names)} |')
    return '\n'.join(lines) + '\n'


def originals_table(name: str) -> str:
    """Return one of the tables of original names in Markdown."""
    table = ORIGINALS[name]
    lines = ['| original | here | remark |', '|---|---|---|']
    for row in table.rows:
        prefix = 'racecar up ' if table.kind == RUN else ''
        ours = ', '.join(f'`{prefix}{ours}`' for ours in row.ours) or '-'
        theirs = row.name if ' ' in row.name else f'`{row.name}`'
        lines.append(f'| {theirs} | {ours} | {row.note} |')
    return '\n'.join(lines) + '\n'


def _cell(text: str) -> str:
    return text.replace('|', r'\|').replace('<', '&lt;')


def api_page(python_page: str) -> str:
    """Return the reference of racecar and its driver, by the groups of docs/python.md."""
    lines = [
        '.. Made from docs/python.md and docstrings by docs/generate.py.', '',
        'API reference', '=============', '',
        'All public names of ``racecar``; :doc:`python` shows them at work. SI units and',
        'REP-103 signs throughout, but for the :ref:`Webots-compatible classes <api-driver>`.', '']
    for row in python_page.splitlines():
        cells = row.split(' | ')
        names = re.findall(r'`(\w+)`', row) if row.startswith('| ') else []
        if names:
            lines += _section(cells[0].removeprefix('| '), 'racecar', names, racecar)
    lines += ['.. _api-driver:', '']
    lines += _section('driver and car, after Webots', driver.__name__, driver.__all__, driver)
    return '\n'.join(lines).rstrip() + '\n'


def _section(title: str, module: str, names: list[str], holder: Any) -> list[str]:
    title = title[0].upper() + title[1:]
    lines = [title, '-' * len(title), '']
    for name in names:
        value = getattr(holder, name)
        full_name = f'{module}.{name}'
        if inspect.isclass(value):
            lines += [f'.. autoclass:: {full_name}', '   :members:',
                      *(['   :inherited-members:'] if _has_hidden_base(value, holder) else []), '']
        elif callable(value):
            lines += [f'.. autofunction:: {full_name}', '']
        else:
            # Has no docstring of its own.
            entries = value.names if isinstance(value, ParameterTable) else value
            listed = ', '.join(f'``{entry}``' for entry in entries)
            lines += [f'.. py:data:: {full_name}', f'   :type: {type(value).__name__}', '',
                      *textwrap.wrap(f'{listed}.', 95, initial_indent='   ',
                                     subsequent_indent='   '), '']
    return lines


def _has_hidden_base(kind: type, holder: Any) -> bool:
    """Whether some of what a class offers comes from a class of ours that is not public."""
    return any(
        base.__module__.startswith('racecar.') and not hasattr(holder, base.__name__)
        for base in kind.__mro__[1:])


def outdated() -> list[Path]:
    """Return the files whose content differs from what the code gives."""
    return [path for path, text in generated_files().items()
            if not path.is_file() or path.read_text(encoding='utf-8') != text]


def main() -> int:
    """Write the files, or with --check only name the outdated ones and return 1."""
    files = outdated()
    for path in files:
        print(f'{path.relative_to(ROOT)} is out of date' if '--check' in sys.argv
              else f'{path.relative_to(ROOT)} written')
    if '--check' in sys.argv:
        return 1 if files else 0
    contents = generated_files()
    for path in files:
        path.write_text(contents[path], encoding='utf-8')
    return 0


if __name__ == '__main__':
    sys.exit(main())
