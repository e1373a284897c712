# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Turn a configuration into a launch description; the files in launch/ only call generate()."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
import importlib
import os
import shlex
from types import GenericAlias

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import (
    DeclareLaunchArgument,
    EmitEvent,
    LogInfo,
    OpaqueFunction,
    RegisterEventHandler,
    Shutdown,
)
from launch.event_handlers import OnProcessExit
from launch.events import matches_action
from launch.events.process import ProcessExited, ShutdownProcess
from launch.logging import get_logger
from launch_ros.actions import Node, ROSTimer, SetUseSimTime
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.utilities import make_namespace_absolute, prefix_namespace

from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.parameters import suggestion
from racecar.base.share import find_world, share_folder
from racecar.catalogue import node_names
from racecar.control.trajectories import make_trajectory
from racecar.ros import topics
from racecar.ros.packages import is_installed
from racecar.scene.world_choice import WORLD_PARAMETER
from racecar.signals import LAUNCHED_BY
from racecar.simulation.faults import NO_END
from racecar.stacks import describe_stack, find_stack, NodeDescription, Stack, StackOptions
from racecar.stacks.faults import Kill, kills_of
from racecar.stacks.options import from_texts, LAUNCH, run_options, SET_ARGUMENT
from racecar.stacks.run_files import describe_run, with_provenance

# Also as Python writes them, which other launch files have made a habit.
_BOOLEANS = ('true', 'false', 'True', 'False')

_DESCRIBES = 'publish_robot_description'

# For a node that ends at the start [s]: timers have no period of 0.
_SOON = 1e-3

_Actions = list[LaunchDescriptionEntity]


def generate(name: str) -> LaunchDescription:
    """Launch description of a configuration, with its arguments."""
    stack = find_stack(name)
    return LaunchDescription([
        *_arguments(stack),
        OpaqueFunction(function=_set_up, args=[stack]),
    ])


# Arguments


def _arguments(stack: Stack) -> Iterator[DeclareLaunchArgument]:
    """Declare the arguments; one left empty keeps what the parameter files say."""
    for row in run_options(LAUNCH, tracking=stack.follows_trajectory):
        _, default, option = row
        text = '' if default is None else str(default)
        choices: list[str] = list(option.choices() if option.choices else ())
        if option.type is bool:
            text, choices = text.lower(), list(_BOOLEANS)
        if choices and text not in choices:
            choices.insert(0, text)
        remark = '; several separated by spaces' if (
            option.type in (dict, tuple) and not option.whole) else (
            '; empty: as the parameter files have it' if default is None and not option.is_path
            else '')
        names = f" ({', '.join(option.suggestions())})" if option.suggestions else ''
        yield DeclareLaunchArgument(
            row.launch_name, default_value=text, choices=choices or None,
            description=f'{option.help[0].upper()}{option.help[1:]}{names}{remark}')


# Actions


def _set_up(context: LaunchContext, stack: Stack) -> _Actions:
    """Actions; raises ConfigurationError or ParameterError before anything starts."""
    # Raises ConfigurationError once, where otherwise every node would, if it was not built.
    importlib.import_module('racecar.ros.interfaces')
    values = context.launch_configurations
    _warn_of_strangers(context, stack)
    # Below the namespace that an including launch file has pushed.
    namespace = prefix_namespace(values.get('ros_namespace'), values['namespace']) or ''
    options = from_texts(
        LAUNCH, values, namespace=namespace.strip('/'), overrides_option=SET_ARGUMENT)
    return launch_nodes(stack, options, shlex.join(
        ['ros2', 'launch', 'racecar', f'{stack.name}.launch.py', *context.argv]))


def launch_nodes(
    stack: Stack, options: StackOptions, command: str, *, ends: bool = True,
) -> _Actions:
    """Actions that start the nodes of a configuration.

    command: as typed, for the bag. ends: whether the launch ends with the simulator, and fails
    with a node without which the drive is worth nothing. Raises ConfigurationError or
    ParameterError before anything starts.
    """
    descriptions = describe_stack(stack.name, options)
    _check_files(stack, descriptions)
    descriptions = with_provenance(descriptions, describe_run(
        LAUNCH, stack.name, options, descriptions, command))
    found = [_actions(description, options) for description in descriptions]
    kills = kills_of(descriptions)
    if kills and options.own_clock:
        raise ConfigurationError(
            'fault node_kill does not go with own_clock: launch knows the time of /clock only')
    # Who listens to the end of a process comes before any is started.
    return [*([SetUseSimTime(True)] if kills else []),
            *(action for listeners, _ in found for action in listeners if ends),
            *(action for _, actions in found for action in actions),
            *(action for kill in kills
              for action in _ends_of(kill, found[descriptions.index(kill.node)][1], options))]


def _ends_of(kill: Kill, actions: _Actions, options: StackOptions) -> _Actions:
    """What ends the process of a node, and starts it again; actions: what starts it first."""
    fault, process = kill.fault, actions[0]
    timers: _Actions = [ROSTimer(period=max(fault.onset, _SOON), actions=[EmitEvent(
        event=ShutdownProcess(process_matcher=matches_action(process)))])]
    if fault.duration != NO_END:
        _, again = _actions(kill.node, options)
        timers.append(ROSTimer(period=fault.onset + fault.duration, actions=[*again[:1]]))
    return timers


def _check_files(stack: Stack, descriptions: list[NodeDescription]) -> None:
    """Read what nodes would refuse later, among the messages of those that came up."""
    for description in descriptions:
        if description.executable == stack.tracker:
            # Without the waypoints the other nodes would wait for ever.
            make_trajectory(description.resolve())
        if description.spec.is_simulator:
            find_world(description.resolve()[WORLD_PARAMETER.name])


def _actions(description: NodeDescription, options: StackOptions) -> tuple[_Actions, _Actions]:
    """Return listeners to the end of a node, and what starts it and what shows it."""
    arguments = ['--ros-args', '--log-level', options.log_level]
    viewers: _Actions = []
    if description.executable == node_names.KEYBOARD_TELEOP:
        # The standard input of what is launched is nobody's.
        description = replace(description, parameters={
            'terminal': '/dev/tty', **description.parameters})
    if description.executable == node_names.JOY_NODE and is_installed('joy'):
        return [], [_joy_of_ros(description, arguments)]
    if description.spec.is_simulator:
        description, viewers = _with_viewers(description, options)
    node = Node(
        package='racecar', executable=description.executable, name=description.name,
        namespace=make_namespace_absolute(description.namespace),
        parameters=[{
            **_typed(description.explicit_parameters()),
            'use_sim_time': description.use_sim_time and options.use_sim_time,
        }],
        remappings=description.remappings, arguments=arguments, output='screen',
        additional_env={LAUNCHED_BY: str(os.getpid())})
    listeners: _Actions = []
    if description.spec.is_simulator:
        listeners.append(RegisterEventHandler(
            OnProcessExit(target_action=node, on_exit=_on_simulator_exit)))
    part = _indispensable(description, options)
    if part:
        listeners.append(RegisterEventHandler(OnProcessExit(
            target_action=node, on_exit=partial(_on_failure, part))))
    return listeners, [node, *viewers]


def _warn_of_strangers(context: LaunchContext, stack: Stack) -> None:
    """Warn of arguments that have no effect and look like one of ours; launch takes any name.

    Others may belong to a launch file that includes this one.
    """
    known = [row.launch_name
             for row in run_options(LAUNCH, tracking=stack.follows_trajectory)]
    for word in context.argv:
        name, given, _ = word.partition(':=')
        near = suggestion(name, known) if given and name not in known else ''
        if near:
            get_logger('launch').warning(
                f'argument {excerpt(name)} of {stack.name} is unknown and has no effect{near}')


def _joy_of_ros(description: NodeDescription, arguments: list[str]) -> Node:
    """joy_node of ROS, which knows more devices, in the place of ours."""
    values = description.resolve()
    return Node(
        package='joy', executable='joy_node', name=description.name,
        namespace=make_namespace_absolute(description.namespace),
        parameters=[{name: values[name] for name in ('deadzone', 'autorepeat_rate')}],
        remappings=description.remappings, arguments=arguments, output='screen')


def _typed(parameters: dict[str, object]) -> dict[str, object]:
    # Without a declared type launch reads texts as YAML: trajectory 3 would become a number. An
    # empty list has no type to give; it is the default wherever it is allowed.
    def typed(value: object) -> object:
        if isinstance(value, list):
            return ParameterValue(value, value_type=GenericAlias(list, type(value[0])))
        return ParameterValue(value, value_type=str) if isinstance(value, str) else value

    return {name: typed(value) for name, value in parameters.items() if value != []}


def _on_simulator_exit(
        event: ProcessExited, context: LaunchContext) -> _Actions | None:
    if context.is_shutdown:
        return None
    _check_exit_code('simulator', event)
    return [Shutdown(reason='the simulator has ended')]


def _indispensable(description: NodeDescription, options: StackOptions) -> str:
    """What a node is called without which the drive is worth nothing, else nothing."""
    if description.executable == node_names.BAG_RECORDER:
        return 'recorder'
    return 'controller' if options.controller and description.spec.makes_controller else ''


def _on_failure(part: str, event: ProcessExited, context: LaunchContext) -> None:
    if not context.is_shutdown:
        _check_exit_code(part, event)


def _check_exit_code(what: str, event: ProcessExited) -> None:
    if event.returncode:
        # An exception is what makes `ros2 launch` end with an exit code other than 0.
        raise RuntimeError(
            f'the {what} ended with exit code {event.returncode}; see its message above')


def _with_viewers(
    simulator: NodeDescription, options: StackOptions,
) -> tuple[NodeDescription, _Actions]:
    """Simulator and, beside it, robot_state_publisher and RViz, or what is missing.

    One of the two publishes the robot description: robot_state_publisher where it is installed,
    unless there are several cars or the user sets the simulator's parameter.
    """
    common: dict[str, object] = {
        'namespace': make_namespace_absolute(simulator.namespace), 'output': 'screen',
        # Both name these two absolutely; the simulator has them in its namespace.
        'remappings': [
            *((f'/{topic}', topic) for topic in (topics.TF, topics.TF_STATIC)),
            *simulator.remappings]}
    arguments = ['--ros-args', '--log-level', options.log_level]
    actions: _Actions = []

    if not options.cars and not simulator.is_chosen(_DESCRIBES) and is_installed(
            'robot_state_publisher'):
        values = simulator.resolve()
        try:
            description = simulator.spec.simulator.describe(values).urdf
        except ConfigurationError:
            pass  # As it would the simulator, which says so and goes on.
        else:
            simulator = replace(
                simulator, parameters={**simulator.parameters, _DESCRIBES: False})
            actions.append(Node(
                package='robot_state_publisher', executable='robot_state_publisher',
                parameters=[{
                    'robot_description': ParameterValue(description, value_type=str),
                    'use_sim_time': options.use_sim_time,
                }], arguments=arguments, **common))

    if options.rviz:
        if is_installed('rviz2'):
            view = share_folder() / 'config' / 'rviz' / 'racecar.rviz'
            actions.append(Node(
                package='rviz2', executable='rviz2', name='rviz2',
                parameters=[{'use_sim_time': options.use_sim_time}],
                arguments=['-d', str(view), *arguments], **common))
        else:
            actions.append(LogInfo(msg='rviz2 not installed: nothing is shown'))
    return simulator, actions
