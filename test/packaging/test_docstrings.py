# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What docstrings of the public names say: parameters and errors.

Of `racecar.facade`, which is stable, all parameters; of `racecar.api` numbers and arrays, whose
unit and shape no annotation gives. That a unit or a shape is right is for readers to see.
"""

import ast
import inspect
import re
import textwrap

import pytest

from racecar import api, facade

NUMBERS = re.compile(r'\b(float|ndarray|Array|ArrayLike)\b')
SELF = {'self', 'cls'}


def public_functions(home):
    """Names, functions and what documents them, of all in __all__ that is defined here."""
    for name in home.__all__:
        found = getattr(home, name)
        if inspect.isfunction(found) and found.__module__.startswith('racecar.'):
            yield name, found, found.__doc__ or ''
        if inspect.isclass(found) and found.__module__.startswith('racecar.'):
            for member, value in vars(found).items():
                function = getattr(value, '__func__', value)
                if not inspect.isfunction(function) or inspect.getsourcefile(function) != (
                        inspect.getsourcefile(found)):
                    # Not those that dataclass and NamedTuple make of fields.
                    continue
                if member == '__init__' or not member.startswith('_'):
                    yield f'{name}.{member}', function, f'{found.__doc__}\n{function.__doc__}'


def unnamed(function, said, *, numbers_only):
    """Parameters that a docstring does not name."""
    for name, parameter in inspect.signature(function).parameters.items():
        if name in SELF or (numbers_only and not NUMBERS.search(str(parameter.annotation))):
            continue
        if not re.search(rf'\b{name}\b', said):
            yield name


def raises(function):
    """Whether the body itself raises an error of the user's making."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    made = (node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise))
    return any(isinstance(error, ast.Call) and getattr(error.func, 'id', '') not in (
        'NotImplementedError', 'AssertionError', 'StopIteration') for error in made)


@pytest.mark.parametrize('home', [facade, api], ids=['facade', 'api'])
def test_parameters_of_public_functions_are_described(home):
    found = {name: [*unnamed(function, said, numbers_only=home is api)]
             for name, function, said in public_functions(home)}
    assert len(found) > 20
    assert {name: rest for name, rest in found.items() if rest} == {}


@pytest.mark.parametrize('home', [facade, api], ids=['facade', 'api'])
def test_errors_of_public_functions_are_described(home):
    found = [(name, said) for name, function, said in public_functions(home) if raises(function)]
    assert len(found) > 5
    assert [name for name, said in found if not re.search(r'\b[Rr]aises?\b', said)] == []
