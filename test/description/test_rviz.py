# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The RViz configuration against the names of our topics and frames, and RViz's own classes.

RViz itself does not run here.
"""

from pathlib import Path

import pytest
import yaml

from racecar.base import frames
from racecar.description.vehicle_description import describe_vehicle
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.ros import topics

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / 'config' / 'rviz').glob('*.rviz'))
# Of rviz_default_plugins in Jazzy, and what of each can be set.
DISPLAYS = {
    'Grid': {'Cell Size', 'Plane Cell Count', 'Reference Frame'},
    'Map': {'Topic', 'Alpha', 'Color Scheme', 'Draw Behind', 'Update Topic', 'Use Timestamp'},
    'TF': {'Frame Timeout', 'Marker Scale', 'Show Arrows', 'Show Axes', 'Show Names',
                  'Frames'},
    'RobotModel': {'Description Source', 'Description Topic', 'TF Prefix', 'Visual Enabled',
                    'Collision Enabled', 'Alpha'},
    'LaserScan': {'Topic', 'Color Transformer', 'Color', 'Position Transformer', 'Style',
                   'Size (Pixels)', 'Size (m)', 'Decay Time', 'Alpha'},
    'Image': {'Topic', 'Normalize Range', 'Min Value', 'Max Value', 'Median window'},
    'MarkerArray': {'Topic', 'Namespaces'},
    'Odometry': {'Topic', 'Keep', 'Position Tolerance', 'Angle Tolerance', 'Covariance',
                  'Shape'},
    'Path': {'Topic', 'Color', 'Alpha', 'Line Style', 'Line Width', 'Pose Style'},
}
COMMON = {'Class', 'Name', 'Enabled', 'Value'}
TOOLS = {'Interact', 'MoveCamera', 'Select', 'FocusCamera', 'Measure', 'SetInitialPose',
         'SetGoal', 'PublishPoint'}
VIEWS = {'FPS', 'Orbit', 'ThirdPersonFollower', 'TopDownOrtho', 'XYOrbit'}
PANELS = {'Displays', 'Selection', 'Tool Properties', 'Views', 'Time'}
QOS = {'Durability Policy': {'Volatile', 'Transient Local'},
       'Reliability Policy': {'Reliable', 'Best Effort'},
       'History Policy': {'Keep Last', 'Keep All'}}
LATCHED = {topics.MAP, topics.ROBOT_DESCRIPTION, topics.REFERENCE_PATH, topics.LAMP_MARKERS}
"""Published once for all: who does not ask for what was sent before sees nothing."""


@pytest.fixture(params=FILES, ids=lambda path: path.name)
def view(request):
    return yaml.safe_load(request.param.read_text())


def displays(view):
    return view['Visualization Manager']['Displays']


def kind(part):
    package, _, name = part['Class'].partition('/')
    assert package == 'rviz_default_plugins'
    return name


def subscriptions(view):
    """Yield each display that has a topic, and the settings of that."""
    for display in displays(view):
        for key in ('Topic', 'Description Topic'):
            if key in display:
                yield display, display[key]


def test_there_is_one_view_for_all_stacks():
    assert [path.name for path in FILES] == ['racecar.rviz']


def test_it_shows_the_model_the_sensors_the_map_and_the_paths(view):
    shown = {(kind(display), topic['Value']) for display, topic in subscriptions(view)}
    assert shown >= {
        ('RobotModel', topics.ROBOT_DESCRIPTION), ('LaserScan', topics.SCAN),
        ('Image', topics.CAMERA_IMAGE), ('Map', topics.MAP), ('Path', topics.REFERENCE_PATH),
        ('Odometry', topics.ODOMETRY), ('MarkerArray', topics.LAMP_MARKERS)}
    assert 'TF' in map(kind, displays(view))


def test_classes_and_settings_are_those_of_rviz(view):
    for display in displays(view):
        settings = DISPLAYS[kind(display)]
        assert set(display) <= COMMON | settings, display['Name']
    manager = view['Visualization Manager']
    assert {kind(tool) for tool in manager['Tools']} <= TOOLS
    assert {kind(saved) for saved in (manager['Views']['Current'], *manager['Views']['Saved'])} \
        <= VIEWS
    assert {panel['Class'].removeprefix('rviz_common/') for panel in view['Panels']} <= PANELS


def test_every_topic_is_one_of_ours_and_relative(view):
    ours = {value for name, value in vars(topics).items()
            if name.isupper() and isinstance(value, str)}
    tools = [tool['Topic'] for tool in view['Visualization Manager']['Tools'] if 'Topic' in tool]
    for topic in (*(topic for _, topic in subscriptions(view)), *tools):
        assert topic['Value'] in ours
        # RViz runs in the namespace of the stack.
        assert not topic['Value'].startswith('/')


def test_what_is_published_once_is_asked_for_latched(view):
    for display, topic in subscriptions(view):
        for key, choices in QOS.items():
            assert topic[key] in choices
        latched = topic['Durability Policy'] == 'Transient Local'
        assert latched == (topic['Value'] in LATCHED), display['Name']


def test_every_frame_is_one_that_is_published(view):
    vehicle = VehicleParameters.from_file(ROOT / 'config' / 'vehicles' / 'racecar.yaml')
    known = {link.name for link in describe_vehicle(vehicle).tree.links}
    known |= {frames.MAP, frames.ODOM, frames.COG, '<Fixed Frame>'}
    manager = view['Visualization Manager']
    asked = {manager['Global Options']['Fixed Frame']}
    asked |= {saved['Target Frame']
              for saved in (manager['Views']['Current'], *manager['Views']['Saved'])}
    for display in displays(view):
        asked |= set(display.get('Frames', {})) - {'All Enabled'}
        asked |= {display['Reference Frame']} if 'Reference Frame' in display else set()
    assert asked <= known
