# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Messages from YAML and YAML from messages; what does not fit is named."""

import math

from ackermann_msgs.msg import AckermannDriveStamped
from builtin_interfaces.msg import Time
from geometry_msgs.msg import PoseWithCovarianceStamped
from hypothesis import given, settings
from hypothesis import strategies as st
from nav_msgs.msg import Path
import pytest
from sensor_msgs.msg import CameraInfo, Image, Joy, LaserScan
from std_msgs.msg import Byte, Header, Int8MultiArray, String
from std_srvs.srv import SetBool

from racecar.base.errors import ConfigurationError
from racecar.ros.interfaces import SetGear
from racecar.ros.message_values import (
    flat,
    load_type,
    parse_message,
    plain,
    select_field,
    type_name,
    yaml_text,
)

pytestmark = pytest.mark.ros

NOW = Time(sec=12, nanosec=34)


def test_fields_that_are_left_out_keep_their_defaults():
    message = parse_message(AckermannDriveStamped, '{drive: {speed: 1, steering_angle: -0.25}}')
    expected = AckermannDriveStamped()
    expected.drive.speed, expected.drive.steering_angle = 1.0, -0.25
    assert message == expected
    assert parse_message(String, '') == String()


def test_arrays_and_messages_in_lists_are_set():
    path = parse_message(Path, '{poses: [{pose: {position: {x: 1.5}}}, {}]}')
    assert [pose.pose.position.x for pose in path.poses] == [1.5, 0.0]
    pose = parse_message(
        PoseWithCovarianceStamped, f'{{pose: {{covariance: {[0.5] * 36}}}}}')
    assert pose.pose.covariance.tolist() == [0.5] * 36


def test_auto_and_now_are_the_present_time():
    assert parse_message(Header, '{stamp: now}', NOW).stamp == NOW
    assert parse_message(AckermannDriveStamped, '{header: auto}', NOW).header.stamp == NOW


@pytest.mark.parametrize(('kind', 'text', 'message'), [
    (SetBool.Request, '{data: maybe}',
     "field 'data' of std_srvs/srv/SetBool_Request is 'maybe', expected true or false"),
    (SetBool.Request, '{dat: true}', "'dat' is not in std_srvs/srv/SetBool_Request; did you mean"),
    (SetBool.Request, '[true]', r'is \[True\], expected a mapping {data: ...}'),
    (SetBool.Request, '{data: [', 'are not YAML: '),
    (SetGear.Request, '{gear: 1.5}', "field 'gear' of .* is 1.5, expected an integer from"),
    (SetGear.Request, '{gear: 1e20}', 'expected an integer from -'),
    (AckermannDriveStamped, '{drive: {speed: fast}}',
     "field 'drive.speed' of .* is 'fast', expected a number"),
    (AckermannDriveStamped, '{drive: {speed: 1e39}}', 'is 1e.39, expected a number up to 3.4'),
    (AckermannDriveStamped, '{drive: 3}', "field 'drive' of .* is 3, expected a mapping {ste"),
    (AckermannDriveStamped, '{drive: {sped: 3}}', "'drive.sped' is not in .*; did you mean speed"),
    (AckermannDriveStamped, '{header: {stamp: now}}', "'header.stamp' .* is 'now', expected a m"),
    (String, '{data: 3}', "field 'data' of .* is 3, expected a text; put it in quotes"),
    (Joy, '{axes: 1.0}', "field 'axes' of .* is 1.0, expected a list of float"),
    (Joy, '{axes: [0, x]}', r"field 'axes\[1\]' of .* is 'x', expected a number"),
    (Int8MultiArray, '{data: [200]}', 'expected an integer from -128 to 127'),
    (Byte, '{data: 300}', 'expected an integer from 0 to 255'),
    (Path, '{poses: [{pose: {position: {x: a}}}]}', r"field 'poses\[0\].pose.position.x' of .*"),
    (PoseWithCovarianceStamped, '{pose: {covariance: [1.0]}}', 'expected 36 elements, not 1')])
def test_what_does_not_fit_is_refused_by_field_value_and_what_was_expected(kind, text, message):
    with pytest.raises(ConfigurationError, match=message) as caught:
        parse_message(kind, text)
    assert '\n' not in str(caught.value)


@pytest.mark.parametrize(('name', 'kind', 'message'), [
    ('Bool', 'msg', "type 'Bool' is none, expected package/msg/Name, for example std_msgs/msg"),
    ('std_msgs/srv/Bool', 'msg', 'is none, expected package/msg/Name'),
    ('std_msgs/Boool', 'msg', 'std_msgs has no msg Boool; did you mean Bool'),
    ('absent_msgs/msg/Bool', 'msg', 'package absent_msgs has no Python module msg here'),
    ('a/b/c/d', 'srv', 'for example std_srvs/srv/SetBool')])
def test_a_type_that_is_none_is_refused(name, kind, message):
    with pytest.raises(ConfigurationError, match=message):
        load_type(name, kind)


FLOATS = st.floats(width=32, allow_nan=False, allow_subnormal=False)
# What looks like a number, as INF, cannot be told from one without quotes.
WORDS = st.text('ghijklm #:-é', max_size=300)
SCANS = st.builds(
    LaserScan, angle_min=FLOATS, range_max=FLOATS, ranges=st.lists(FLOATS, max_size=300))
CAMERAS = st.builds(
    CameraInfo, distortion_model=WORDS, height=st.integers(0, 2**32 - 1),
    d=st.lists(st.floats(allow_nan=False, allow_subnormal=False)))
IMAGES = st.builds(Image, encoding=WORDS, data=st.binary(max_size=300).map(list))


@settings(max_examples=40)
@given(st.one_of(SCANS, CAMERAS, IMAGES))
def test_a_message_survives_the_way_through_yaml(message):
    text = yaml_text(plain(message, None))
    assert parse_message(type(message), text) == message


@given(st.text(max_size=60))
def test_no_text_brings_it_down(text):
    for kind in (SetBool.Request, Path, Joy):
        try:
            parse_message(kind, text)
        except ConfigurationError as error:
            assert '\n' not in str(error)


def test_long_lists_and_texts_are_cut_unless_all_is_asked_for():
    scan = LaserScan(ranges=[1.0] * 200)
    assert plain(scan)['ranges'] == [*[1.0] * 128, '...']
    assert plain(scan, 2)['ranges'] == [1.0, 1.0, '...']
    assert len(plain(scan, None)['ranges']) == 200
    assert plain(scan, with_lists=False)['ranges'] == '<200 elements>'
    assert plain(String(data='x' * 200))['data'] == 'x' * 128 + '...'


def test_yaml_looks_as_that_of_ros2():
    # Written by hand after the form of `ros2 topic echo`.
    scan = LaserScan(ranges=[math.inf, 0.5])
    scan.header.frame_id = 'laser'
    assert yaml_text(plain(scan)).startswith(
        'header:\n  stamp:\n    sec: 0\n    nanosec: 0\n  frame_id: laser\nangle_min: 0.0\n')
    assert 'ranges:\n- .inf\n- 0.5\nintensities: []\n' in yaml_text(plain(scan))


def test_a_field_is_found_by_its_path():
    scan = LaserScan(ranges=[0.25, 0.5])
    assert select_field(scan, 'ranges[1]') == 0.5
    assert select_field(scan, 'header.stamp') == Time()
    assert flat(plain(select_field(scan, 'header'))) == [0, 0, '']
    for path, message in (('rangs', 'did you mean ranges'), ('ranges[7]', 'has 2 elements'),
                          ('angle_min.x', 'has no parts'), ('header.stamp.x', "'x' is not in")):
        with pytest.raises(ConfigurationError, match=message):
            select_field(scan, path)


def test_types_are_named_as_ros_names_them():
    assert type_name(String) == 'std_msgs/msg/String'
    assert type_name(load_type('std_srvs/SetBool', 'srv')) == 'std_srvs/srv/SetBool'
