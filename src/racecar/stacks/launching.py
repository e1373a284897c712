# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Turn a configuration into a launch description; the files in launch/ only call generate()."""

from __future__ import annotations

from collections.abc import Iterator
import importlib
import importlib.util
import os
from pathlib import Path
import shlex
from typing import Any

from ament_index_python.packages import get_package_prefix, PackageNotFoundError
from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import (
    DeclareLaunchArgument,
    LogInfo,
    OpaqueFunction,
    RegisterEventHandler,
    Shutdown,
)
from launch.event_handlers import OnProcessExit
from launch.events.process import ProcessExited
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.utilities import make_namespace_absolute, prefix_namespace

from racecar.core.errors import ConfigurationError
from racecar.core.share import share_folder, vehicle_names
from racecar.core.vehicles.parameters import VehicleParameters
from racecar.nodes.tables import SINGLE_TRACK_SIMULATOR, TRAJECTORY_TRACKER
from racecar.stacks import (
    describe_stack,
    has_tracker,
    NodeDescription,
    parse_overrides,
    StackOptions,
    TOPIC_NAMES,
)

_SIMULATORS = ('single_track_simulator',)
# What launch calls overrides.
_SET = 'set'
_RECORDER = 'bag_recorder'
_LOG_LEVELS = ('debug', 'info', 'warn', 'error', 'fatal')
# Also as Python writes them, which other launch files have made a habit.
_BOOLEANS = ('true', 'false', 'True', 'False')


def generate(stack: str) -> LaunchDescription:
    """Return the launch description of a configuration, with its arguments."""
    return LaunchDescription([
        *_arguments(stack),
        OpaqueFunction(function=_set_up, args=[stack]),
    ])


# Arguments


def _arguments(stack: str) -> Iterator[DeclareLaunchArgument]:
    """Declare the arguments; one left empty keeps what the parameter files say."""
    defaults = StackOptions()

    def argument(
        name: str, description: str, choices: tuple[Any, ...] = (), default: Any = None,
    ) -> DeclareLaunchArgument:
        value = getattr(defaults, name, default)
        text = '' if value is None else str(value).lower() if isinstance(value, bool) else value
        allowed = [str(choice) for choice in choices]
        if allowed and text not in allowed:
            allowed.insert(0, text)
        return DeclareLaunchArgument(
            name, default_value=text, description=description, choices=allowed or None)

    yield argument('vehicle', f"{', '.join(vehicle_names())}, or the path of a parameter file")
    yield argument('tyre_model', 'Tyre model, by name or number; empty: as the parameter files'
                   ' have it', SINGLE_TRACK_SIMULATOR['tyre_model'].choices)
    if has_tracker(stack):
        yield argument(
            'trajectory', "Shape of the reference, by name or the report's number; empty: as the"
            ' parameter files have it', TRAJECTORY_TRACKER['trajectory'].choices)
    yield argument('params_file', 'ROS parameter file of yours; it goes over those in config/')
    yield argument(_SET, 'Single parameters, over everything else: node.parameter=value,'
                   ' several separated by spaces', default='')
    yield argument('namespace', 'Namespace of all nodes and topics; empty: none')
    yield argument('own_clock', 'Keep the time on the topic clock of the namespace instead of'
                   ' /clock: for several cars, each with its own time', _BOOLEANS)
    yield argument('topic_names', 'Names of the original, or those of F1TENTH: drive, teleop and'
                   ' odom, ego_racecar/odom (gym) or pf/pose/odom (particle filter)',
                   tuple(TOPIC_NAMES))
    yield argument('use_sim_time', 'Whether the nodes take their time from /clock; the simulator'
                   ' makes that time and never does', _BOOLEANS, default=True)
    yield argument('real_time_factor', 'Simulated seconds per second; 0: as fast as possible;'
                   ' empty: as the parameter files have it')
    yield argument('lockstep', 'Wait for the answer to every odometry message: deterministic, at'
                   ' any speed', _BOOLEANS)
    if has_tracker(stack):
        yield argument('active', 'Drive at once; false: wait for the parameter active or the'
                       ' service ~/activate of the tracker', _BOOLEANS)
    yield argument('end_time', 'Simulated time at which everything ends [s]; 0: never; empty: as'
                   ' the parameter files have it')
    yield argument('record', 'Folder of a new bag; empty: record nothing')
    yield argument('tyre_data', 'Record slip and forces of each wheel too; takes more time',
                   _BOOLEANS)
    yield argument('rviz', 'Show the car in RViz', _BOOLEANS, default=False)
    yield argument('log_level', 'Least severe messages that the nodes print', _LOG_LEVELS,
                   default='info')


def _options(values: dict[str, str], namespace: str) -> StackOptions:
    def flag(name: str) -> bool:
        return values[name].lower() == 'true'

    def path(name: str) -> str | None:
        return os.path.expanduser(values[name]) or None

    def number(name: str) -> Any:
        # What is no number goes on as it is: the parameter's own check says what was expected.
        try:
            return float(values[name]) if values[name] else None
        except ValueError:
            return values[name]

    try:
        settings = shlex.split(values[_SET])
    except ValueError as error:
        raise ConfigurationError(f'{_SET}: {values[_SET]!r}: {error}') from error
    return StackOptions(
        vehicle=os.path.expanduser(values['vehicle']),
        trajectory=values.get('trajectory') or None,
        tyre_model=values['tyre_model'] or None,
        params_file=path('params_file'),
        namespace=namespace,
        real_time_factor=number('real_time_factor'),
        lockstep=flag('lockstep'),
        active=flag('active') if 'active' in values else True,
        end_time=number('end_time'),
        record=path('record'),
        tyre_data=flag('tyre_data'),
        topic_names=values['topic_names'],
        own_clock=flag('own_clock'),
        overrides=parse_overrides(settings, _SET),
        overrides_option=_SET,
    )


# Actions


def _set_up(context: LaunchContext, stack: str) -> list[LaunchDescriptionEntity]:
    """Return the actions; raises ConfigurationError or ParameterError before anything starts."""
    # Raises ConfigurationError once, where otherwise every node would, if it was not built.
    importlib.import_module('racecar.ros.interfaces')
    values = context.launch_configurations
    # Below the namespace that an including launch file has pushed.
    namespace = prefix_namespace(values.get('ros_namespace'), values['namespace']) or ''
    descriptions = describe_stack(stack, _options(values, namespace.strip('/')))
    use_sim_time = values['use_sim_time'].lower() == 'true'
    arguments = ['--ros-args', '--log-level', values['log_level']]

    actions: list[LaunchDescriptionEntity] = []
    for description in descriptions:
        node = Node(
            package='racecar', executable=description.executable, name=description.name,
            namespace=make_namespace_absolute(description.namespace),
            parameters=[{
                **_typed(description.explicit_parameters()),
                'use_sim_time': description.use_sim_time and use_sim_time,
            }],
            remappings=description.remappings, arguments=arguments, output='screen')
        actions.append(node)
        if description.executable in _SIMULATORS:
            actions.insert(0, RegisterEventHandler(
                OnProcessExit(target_action=node, on_exit=_on_simulator_exit)))
            actions += _viewers(description, values, use_sim_time)
        if description.executable == _RECORDER:
            actions.insert(0, RegisterEventHandler(
                OnProcessExit(target_action=node, on_exit=_on_recorder_exit)))
    return actions


def _typed(parameters: dict[str, Any]) -> dict[str, Any]:
    # Without a declared type launch reads texts as YAML: trajectory 3 would become a number. An
    # empty list has no type to give; it is the default wherever it is allowed.
    def typed(value: Any) -> Any:
        if isinstance(value, list):
            return ParameterValue(value, value_type=list[type(value[0])])
        return ParameterValue(value, value_type=str) if isinstance(value, str) else value

    return {name: typed(value) for name, value in parameters.items() if value != []}


def _on_simulator_exit(
        event: ProcessExited, context: LaunchContext) -> list[LaunchDescriptionEntity] | None:
    if context.is_shutdown:
        return None
    _check_exit_code('simulator', event)
    return [Shutdown(reason='the simulator has ended')]


def _on_recorder_exit(event: ProcessExited, context: LaunchContext) -> None:
    # A drive that was to be recorded is worth nothing without its bag.
    if not context.is_shutdown:
        _check_exit_code('recorder', event)


def _check_exit_code(what: str, event: ProcessExited) -> None:
    if event.returncode:
        # An exception is what makes `ros2 launch` end with an exit code other than 0.
        raise RuntimeError(
            f'the {what} ended with exit code {event.returncode}; see its message above')


def _viewers(
        simulator: NodeDescription, values: dict[str, str], use_sim_time: bool,
) -> list[LaunchDescriptionEntity]:
    """Return robot_state_publisher and RViz, or what to install for them."""
    common: dict[str, Any] = {
        'namespace': make_namespace_absolute(simulator.namespace), 'output': 'screen',
        # Both name these two absolutely; the simulator has them in its namespace.
        'remappings': [('/tf', 'tf'), ('/tf_static', 'tf_static'), *simulator.remappings],
    }
    arguments = ['--ros-args', '--log-level', values['log_level']]
    actions: list[LaunchDescriptionEntity] = []

    missing = [] if _is_installed('robot_state_publisher') else ['robot_state_publisher']
    if importlib.util.find_spec('xacro') is None:
        missing.append('xacro')
    if missing:
        actions.append(LogInfo(msg=(
            f"{' and '.join(missing)} not installed: there are no transforms of wheels and"
            ' sensors (everything else works)')))
    else:
        vehicle = VehicleParameters.from_values(simulator.resolve())
        actions.append(Node(
            package='robot_state_publisher', executable='robot_state_publisher',
            parameters=[{
                'robot_description': ParameterValue(robot_description(vehicle), value_type=str),
                'use_sim_time': use_sim_time,
            }], arguments=arguments, **common))

    if values['rviz'].lower() == 'true':
        if _is_installed('rviz2'):
            view = share_folder() / 'config' / 'rviz' / 'kinematic_ode.rviz'
            actions.append(Node(
                package='rviz2', executable='rviz2', name='rviz2',
                parameters=[{'use_sim_time': use_sim_time}],
                arguments=['-d', str(view), *arguments], **common))
        else:
            actions.append(LogInfo(msg='rviz2 not installed: nothing is shown'))
    return actions


def _is_installed(package: str) -> bool:
    try:
        get_package_prefix(package)
    except PackageNotFoundError:
        return False
    return True


def robot_description(vehicle: VehicleParameters) -> str:
    """Return the URDF with the dimensions of the vehicle; needs xacro."""
    import xacro

    return str(xacro.process_file(
        str(urdf_file()), mappings={
            'wheelbase': repr(vehicle.wheelbase),
            'track_width': repr(vehicle.track_width),
            'wheel_radius': repr(vehicle.wheel_radius),
            'steering_limit': repr(vehicle.steering_limit),
            'rear_axle_x': repr(-vehicle.cog_to_rear_axle - vehicle.odometry_offset),
        }).toxml())


def urdf_file() -> Path:
    """Return the xacro file of the car."""
    return share_folder() / 'urdf' / 'racecar.urdf.xacro'
