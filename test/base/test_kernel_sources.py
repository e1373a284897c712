# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What an edit of a source file discards of the kernels in the cache: all that it can change."""

import importlib.util
import json
import os
from pathlib import Path
import shutil
import subprocess
import sys
import time

import pytest

from racecar.base.compiled import by_type

SOURCES = Path(__file__).parents[2] / 'src' / 'racecar'

# A package with the compiler of this one. Of `leaf` and `scale` the kernels are made.
PACKAGE = {
    '__init__': '',
    'base/__init__': '',
    'base/leaf': 'FACTOR = 2.0\n',
    'base/alone': 'FACTOR = 3.0\n',
    'base/for_types': 'FACTOR = 4.0\n',
    'base/late': 'OFFSET = 100.0\n',
    'base/shapes/__init__': 'from racecar.base.shapes.square import side\nSIZE = 1\n',
    'base/shapes/square': 'side = 1.0\n',
    'base/first': """
from typing import TYPE_CHECKING
from racecar.base import (  # a remark (in brackets)
    leaf)
from racecar.base.compiled import pure
if TYPE_CHECKING:

    from racecar.base.for_types import FACTOR
import racecar.base.shapes as shapes
@pure
def first(x):
    return leaf.FACTOR * x
""",
    'base/scale': 'TEN = 10.0\n',
    'base/second': '''
from racecar.base.compiled import by_type, pure
from racecar.base.scale import TEN
@pure
def second(x):
    return TEN * x
@by_type
def chosen(kind):
    """Something."""
@pure
def third(kind):
    return chosen(kind)
''',
    'base/kinds': """
from typing import NamedTuple
class Some(NamedTuple):
    number: float
""",
    'base/pairs': """
from racecar.base.compiled import pure
from racecar.base.kinds import Some
@pure
def pair(x):
    return Some(2.0 * x), 1.0
@pure
def of_pair(x):
    return pair(x)[0].number
""",
    'base/registered': """
from racecar.base.compiled import importable
from racecar.base.kinds import Some
from racecar.base.second import chosen
@chosen.register(Some)
def some(kind):
    return 1000.0 * kind.number
def made_of(curve):
    made = globals()['Made'] = type('Made', (Some,), {'__module__': __name__, '__slots__': ()})
    @importable
    def of_curve(kind):
        return curve(kind.number)
    chosen.register(made)(of_curve)
    return made(1.0)
""",
    'base/factory': """
from racecar.base.compiled import compiled, importable
def make(inner, outer):
    from racecar.base.late import OFFSET
    @importable
    def both(x):
        return outer(inner(x))
    def run(x):
        return both(x) + OFFSET
    return compiled(run, '(float64,)')
def make_by_type(kind, value):
    from racecar.base.compiled import types_of
    def run_by_type(value):
        return kind(value)
    return compiled(run_by_type, types_of(value))
""",
}

PROGRAM = """
import json, pathlib, sys
from numba.core import event
made = []
class Listener(event.Listener):
    def on_start(self, row):
        made.append(row.data['dispatcher'].py_func.__name__.partition('_s')[0])
    def on_end(self, row):
        pass
event.register('numba:compile', Listener())
from racecar.base.compiled import pure
from racecar.base.factory import make, make_by_type
from racecar.base.first import first
from racecar.base.kinds import Some
from racecar.base.second import second, third
from racecar.base.registered import made_of
GAIN = 1.0
exec(sys.argv[1])
@pure
def curve(x):
    return GAIN * x
answers = [make(first, second)(1.0), make(second, second)(1.0)]
for kind in (Some(1.0), made_of(curve)):
    answers.append(make_by_type(third, kind)(kind))
print(json.dumps([answers, sum(name.startswith('make_') and 'run' in name for name in made)]))
"""


@pytest.fixture
def package(tmp_path):
    """Write the package; return its folder."""
    folder = tmp_path / 'racecar'
    for name, text in PACKAGE.items():
        path = folder / f'{name}.py'
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for name in ('compilation', 'compiled', 'garbage', 'kernel_contents', 'kernel_files',
                 'kernel_parts', 'kernel_sources'):
        shutil.copy(SOURCES / 'base' / f'{name}.py', folder / 'base')
    return folder


def digest(package, *modules):
    """Digest of modules of the package by its own copy of the code that makes it."""
    spec = importlib.util.spec_from_file_location(
        'racecar.base.kernel_sources', package / 'base' / 'kernel_sources.py')
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.sources_of(frozenset(f'racecar.base.{name}' for name in modules)).digest


@pytest.mark.parametrize(('edited', 'matters'), [
    ('leaf', True), ('first', True), ('compiled', True), ('compilation', True),
    ('shapes/__init__', True), ('shapes/square', True), ('alone', False), ('second', False),
    ('for_types', False), ('__init__', False), ('factory', False)])
def test_an_edit_changes_the_digest_of_what_imports_the_file(package, edited, matters):
    path = package / 'base' / f'{edited}.py'
    if edited == '__init__':
        # Nothing but the names of modules is imported from it.
        (package / 'base' / 'first.py').write_text('import racecar.base.leaf\n')
    before = digest(package, 'first')
    assert digest(package, 'first') == before
    path.write_text(path.read_text() + '# \n')
    assert (digest(package, 'first') != before) == matters


@pytest.mark.parametrize('edited', ['late', 'registered', 'kinds', 'scale'])
def test_imports_in_functions_and_implementations_by_type_count(package, edited):
    path = package / 'base' / f'{edited}.py'
    before = digest(package, 'factory', 'second')
    path.write_text(path.read_text() + '# \n')
    assert digest(package, 'factory', 'second') != before


def test_roots_and_new_files_have_digests_of_their_own(package):
    assert len({digest(package, *names) for names in (
        ('leaf',), ('alone',), ('leaf', 'alone'), ('nothing',))}) == 4
    before = digest(package, 'nothing')
    (package / 'base' / 'nothing.py').write_text('')
    assert digest(package, 'nothing') != before


def start(package, before='pass', program=PROGRAM):
    """Run the kernels in a process; return what they answer and how many it compiled."""
    done = subprocess.run(
        [sys.executable, '-c', program, before], check=True, text=True, capture_output=True,
        timeout=120, env={**os.environ, 'PYTHONPATH': str(package.parent),
                          'PYTHONDONTWRITEBYTECODE': '1',
                          'NUMBA_CACHE_DIR': str(package.parent / 'cache')})
    return tuple(json.loads(done.stdout))


def edit(package, name, old, new):
    path = package / 'base' / f'{name}.py'
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def kernels(package):
    return {path.name for path in (package.parent / 'cache').rglob('factory.make_*run_*.nbc')}


def test_an_edit_compiles_what_it_can_change_and_no_kernel_is_stale(package):
    pytest.importorskip('numba')
    # The last kernel is of code outside of the package, and so in no cache.
    assert start(package) == ([120.0, 200.0, 1000.0, 1.0], 4)
    first = kernels(package)
    assert len(first) == 3
    # A file that only the first kernel has, by the import of a function that it is closed over.
    edit(package, 'leaf', '2.0', '5.0')
    edit(package, 'alone', '3.0', '7.0')
    assert start(package, 'GAIN = 2.0') == ([150.0, 200.0, 1000.0, 2.0], 2)
    second = kernels(package)
    # The old one is removed, the others are kept.
    assert (len(second), len(first & second)) == (3, 2)
    # All by the function of the other module, the third by the implementation beside it.
    edit(package, 'scale', '10.0', '20.0')
    edit(package, 'registered', '1000.0', '3000.0')
    assert start(package) == ([200.0, 500.0, 3000.0, 1.0], 4)
    # What is edited after it was imported makes no kernel that others would take for the new one.
    change = (f"p = pathlib.Path({str(package / 'base' / 'leaf.py')!r});"
              " p.write_text(p.read_text().replace('5.0', '6.0'))")
    assert start(package, change) == ([200.0, 500.0, 3000.0, 1.0], 2)
    assert start(package) == ([220.0, 500.0, 3000.0, 1.0], 2)


def test_what_kernels_call_is_compiled_once_for_all_of_them(package):
    pytest.importorskip('numba')
    begin, end = PROGRAM.partition('answers =')[0], (
        'print(json.dumps([answer, sorted(made)]))\n')

    def call(inner, outer):
        return start(package, program=f'{begin}answer = make({inner}, {outer})(1.0)\n{end}')

    assert call('first', 'second') == (120.0, ['first', 'make_both', 'make_run', 'second'])
    assert call('second', 'first') == (120.0, ['make_both', 'make_run'])
    assert call('first', 'second') == (120.0, [])
    edit(package, 'leaf', '2.0', '5.0')
    assert call('first', 'second') == (150.0, ['first', 'make_both', 'make_run'])
    assert len(list((package.parent / 'cache').rglob('first.first_*.nbc'))) == 1


def test_code_that_is_kept_names_no_type_of_a_users(package):
    pytest.importorskip('numba')
    begin = PROGRAM.partition('answers =')[0] + 'from racecar.base.pairs import of_pair\n'
    end = 'print(json.dumps([answer, [name for name in made if "pair" in name]]))\n'
    user = package.parent / 'user.py'
    user.write_text("""
from typing import NamedTuple
from racecar.base.compiled import pure
class Some(NamedTuple):
    number: float
@pure
def pair(x):
    return Some(3.0 * x), 1.0
@pure
def of_users(x):
    return pair(x)[0].number
""")
    both = ('import user\nanswer = [make(user.of_users, user.of_users)(1.0),'
            ' make(of_pair, of_pair)(1.0)]\n')
    assert start(package, program=begin + both + end)[0] == [109.0, 104.0]
    user.unlink()
    alone = 'answer = make(second, of_pair)(1.0)\n'
    assert start(package, program=begin + alone + end) == (120.0, ['of_pair', 'pair'])
    assert start(package, program=begin + alone + end) == (120.0, [])
    # What is kept is used beside a user's code, too.
    (package.parent / 'user.py').write_text("""
from racecar.base.compiled import pure
@pure
def of_users(x):
    return 3.0 * x
""")
    beside = 'import user\nanswer = make(user.of_users, of_pair)(1.0)\n'
    assert start(package, program=begin + beside + end) == (106.0, [])


def test_an_implementation_elsewhere_in_the_package_is_refused():
    def generic(kind):
        """Something."""

    def implementation(kind):
        return 1.0

    generic.__module__ = 'racecar.base.rows'
    chosen = by_type(generic)
    chosen.register(int)(implementation)
    implementation.__module__ = 'racecar.scene.track'
    with pytest.raises(TypeError, match='racecar.scene.track registers an implementation of'):
        chosen.register(float)(implementation)


# A program whose kernels are made of what a user wrote: a function, and a type that the
# implementation of another is for.
OF_A_USER = PROGRAM.partition('from racecar.base.kinds')[0] + """
import user
kind = user.Kind(3.0)
from racecar.base.second import third
answers = [make(first, user.curve)(1.0), make(user.curve, user.curve)(1.0)]
from racecar.base.factory import make_by_type
answers.append(make_by_type(third, kind)(kind))
print(json.dumps([answers, sum(name.startswith('make_') and 'run' in name for name in made)]))
"""

USER = """
from pathlib import Path
from typing import NamedTuple
from racecar.base.compiled import pure
from racecar.base.second import chosen
GAIN = float((Path(__file__).parent / 'gain.txt').read_text())
class Kind(NamedTuple):
    number: float
@pure
def half(x):
    return x / 2.0
@pure
def curve(x):
    return GAIN * half(x)
@chosen.register(Kind)
def of_kind(kind):
    return -kind.number
"""


def test_kernels_of_a_users_code_are_kept_by_what_it_does(package):
    def answers(user=USER, gain='4.0'):
        (package.parent / 'user.py').write_text(user)
        (package.parent / 'gain.txt').write_text(gain)
        return start(package, program=OF_A_USER)

    assert answers() == ([104.0, 104.0, -3.0], 3)
    # Neither a remark nor another place in the file changes anything.
    assert answers('\n# A remark.\n' + USER) == ([104.0, 104.0, -3.0], 0)
    # What the file reads does, what it calls, and an implementation for its type.
    assert answers(gain='8.0') == ([108.0, 116.0, -3.0], 2)
    assert answers(USER.replace('x / 2.0', 'x / 4.0')) == ([102.0, 101.0, -3.0], 2)
    assert answers(USER.replace('-kind', '2.0 * kind')) == ([104.0, 104.0, 6.0], 1)

    def kept():
        return {path.name for path in (package.parent / 'cache').rglob('*u-*.nb?')}

    # What was not used for a week goes when something else is compiled; what is used stays.
    before = kept()
    for path in (package.parent / 'cache').rglob('*.nb?'):
        os.utime(path, (0.0, time.time() - 8 * 24 * 3600.0))
    assert answers() == ([104.0, 104.0, -3.0], 0)
    used = {path.name for path in (package.parent / 'cache').rglob('*u-*.nb?')
            if path.stat().st_mtime > time.time() - 3600.0}
    assert len(used) == 6
    answers(gain='16.0')
    assert kept() & before == used
