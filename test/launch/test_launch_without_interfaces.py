# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Launching where racecar_interfaces is not built; also where the package launch is not."""

import os
import subprocess
import sys

import pytest

# Stand-ins of what launch files are made of: a description says what would be done.
LAUNCH = """
import sys
from types import ModuleType, SimpleNamespace

NAMES = {
    'launch': ['LaunchContext', 'LaunchDescription', 'LaunchDescriptionEntity'],
    'launch.actions': ['DeclareLaunchArgument', 'EmitEvent', 'LogInfo', 'OpaqueFunction',
                       'RegisterEventHandler', 'Shutdown'],
    'launch.event_handlers': ['OnProcessExit'], 'launch.events': ['matches_action'],
    'launch.events.process': ['ProcessExited', 'ShutdownProcess'], 'launch.logging': [],
    'launch_ros': [], 'launch_ros.actions': ['Node', 'ROSTimer', 'SetUseSimTime'],
    'launch_ros.parameter_descriptions': ['ParameterValue'],
    'launch_ros.utilities': ['make_namespace_absolute', 'prefix_namespace'],
    'ament_index_python': [],
    'ament_index_python.packages': ['get_package_prefix', 'PackageNotFoundError']}


class Said:
    def __init__(self, *words, **more):
        self.words, self.more = words, more


for name, members in NAMES.items():
    sys.modules[name] = module = ModuleType(name)
    for member in members:
        setattr(module, member, type(member, (Said,), {}))

class PackageNotFoundError(LookupError):
    pass

def get_package_prefix(name):
    raise PackageNotFoundError

packages = sys.modules['ament_index_python.packages']
packages.get_package_prefix = get_package_prefix
packages.PackageNotFoundError = PackageNotFoundError
utilities = sys.modules['launch_ros.utilities']
utilities.make_namespace_absolute = lambda namespace: '/' + namespace
utilities.prefix_namespace = lambda outer, inner: inner
sys.modules['launch.logging'].get_logger = lambda name: SimpleNamespace(warning=print)

from racecar.stacks.launching import generate

*arguments, action = generate(sys.argv[1]).words[0]
context = SimpleNamespace(argv=sys.argv[2:], launch_configurations={
    **{argument.words[0]: argument.more['default_value'] for argument in arguments},
    **dict(word.split(':=') for word in sys.argv[2:])})
try:
    done = action.more['function'](context, *action.more['args'])
except Exception as error:
    print(f'{type(error).__name__}: {error}')
else:
    print(*(found.more['executable'] for found in done if type(found).__name__ == 'Node'))
"""

MISSING = 'raise ModuleNotFoundError("No module", name="racecar_interfaces")\n'
BUILT = 'def __getattr__(name):\n    return type(name, (), {})\n'


@pytest.fixture
def launch(tmp_path):
    """Return a function that describes a stack where racecar_interfaces has these contents."""
    def run(stack, *words, **modules):
        package = tmp_path / 'racecar_interfaces'
        package.mkdir()
        for name, text in {'__init__': '', **modules}.items():
            (package / f'{name}.py').write_text(text)
        done = subprocess.run(
            [sys.executable, '-c', LAUNCH, stack, *words], capture_output=True, text=True,
            timeout=100, env={
                **os.environ, 'PYTHONPATH': os.pathsep.join([str(tmp_path), *sys.path])})
        assert done.stderr == ''
        return done.stdout
    return run


@pytest.mark.parametrize('stack', ['kinematic_ode', 'dynamic_ode', 'plant', 'driver'])
def test_nothing_starts_where_the_interfaces_are_not_built(launch, stack):
    said = launch(stack, __init__=MISSING)
    assert said.startswith('ConfigurationError: racecar_interfaces is not built: run `colcon build'
                           ' --base-paths . racecar_interfaces`')
    assert said.count('\n') == 1


def test_nothing_starts_where_the_interfaces_are_of_another_version(launch):
    said = launch('kinematic_ode', msg='', srv='')
    assert said.startswith('ConfigurationError: racecar_interfaces was built from another version')
    assert 'run `colcon build --base-paths . racecar_interfaces`' in said


def test_all_nodes_start_where_the_interfaces_are_built(launch):
    assert launch('kinematic_ode', msg=BUILT, srv=BUILT).split() == [
        'trajectory_tracker', 'kinematic_linearizer', 'ackermann_mux', 'ackermann_mux',
        'single_track_simulator']


@pytest.mark.parametrize(('stack', 'word', 'message'), [
    ('kinematic_ode', 'world:=racetrak', "ConfigurationError: world 'racetrak' is neither a file"),
    ('differential_wheels', 'world:=racetrak', "ConfigurationError: world 'racetrak' is neither"),
    ('gap_world', 'sensors:=laser lidar', "ParameterError: parameter 'sensors' names 'lidar'")])
def test_nothing_starts_in_a_world_or_with_a_sensor_that_is_unknown(launch, stack, word, message):
    assert launch(stack, word, msg=BUILT, srv=BUILT).startswith(message)


def test_an_argument_without_effect_is_named_if_it_looks_like_one_of_ours(launch):
    said = launch('plant', 'trajektory:=circle', 'color:=red', 'world:=room', msg=BUILT, srv=BUILT)
    assert said.splitlines()[:-1] == [
        "argument 'trajektory' of plant is unknown and has no effect; did you mean trajectory?"]
