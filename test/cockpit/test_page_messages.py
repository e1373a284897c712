# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What pages may send."""

import json

from hypothesis import given
from hypothesis import strategies as st
import pytest

from racecar.base.errors import MessageError
from racecar.cockpit.page_messages import PAGE_MESSAGES, read_page_message


@pytest.mark.parametrize('message', [
    {'type': 'start', 'configuration': 'kinematic_ode', 'options': {'world': 'tunnel'}},
    {'type': 'stop'},
    {'type': 'drive', 'speed': -1, 'steering': 0.25, 'sent': 1.5e9},
    {'type': 'pedals', 'throttle': 0.5, 'brake': 0, 'steering': -1.0, 'sent': 0},
    {'type': 'set_parameter', 'node': '/a', 'name': 'Kp', 'value': 3},
    {'type': 'indicator', 'value': 'hazard'},
    {'type': 'lamp', 'name': 'dipped_beams', 'on': True},
    {'type': 'take_wheel', 'manual': True},
    {'type': 'seek', 'time': 3.5},
])
def test_messages_of_the_table_are_taken_as_they_are(message):
    assert read_page_message(json.dumps(message)) == message


def test_what_a_message_leaves_out_has_its_default():
    assert read_page_message('{"type": "step"}') == {'type': 'step', 'count': 1}
    assert read_page_message('{"type": "take_wheel"}')['manual'] is False


@pytest.mark.parametrize(('text', 'reason'), [
    ('', 'is no JSON'),
    ('[1, 2]', 'has no type'),
    ('{"type": 3}', 'has no type'),
    ('{"type": "sart"}', 'did you mean start?'),
    ('{"type": "drive", "speed": 2, "steering": 0}', r'is 2, expected a number in \[-1, 1\]'),
    ('{"type": "drive", "speed": NaN, "steering": 0}', 'NaN is no number of JSON'),
    ('{"type": "drive", "speed": 1e999, "steering": 0}', "field 'speed' is inf"),
    ('{"type": "drive", "steering": 0}', "field 'speed' has no value"),
    ('{"type": "drive", "speed": 0, "steering": 0}', "field 'sent' has no value"),
    ('{"type": "drive", "speed": "1", "steering": 0}', 'expected a number'),
    ('{"type": "stop", "now": true}', "has the field 'now', expected only type"),
    ('{"type": "lamp", "name": "roof", "on": true}', 'expected one of dipped_beams'),
    ('{"type": "step", "count": 1e9}', 'expected an integer'),
    ('[' * 60000, 'is no JSON'),
    ('{"type": "set_parameter", "node": "/a", "name": "b", "value": 1%s}' % ('0' * 400),
     'beyond the integers of 64 bits'),
    ('{"type": "start", "configuration": "a", "options": {"end_time": -9223372036854775809}}',
     'beyond the integers of 64 bits'),
    ('{"type": "set_parameter", "node": "/a", "name": "b", "value": ["\\ud800"]}',
     'surrogates not allowed'),
    ('\ud800', 'is no JSON'),
])
def test_others_are_refused_in_one_line(text, reason):
    with pytest.raises(MessageError, match=reason) as caught:
        read_page_message(text)
    assert '\n' not in str(caught.value)
    assert len(str(caught.value)) < 700


_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(['speed', 'value', 'name', 'x']), inner, max_size=3), max_leaves=6)


@given(st.sampled_from([*PAGE_MESSAGES]), st.dictionaries(
    st.sampled_from(['speed', 'steering', 'value', 'name', 'count', 'options', 'on', 'node']),
    _JSON, max_size=4))
def test_any_fields_are_checked_or_refused(kind, fields):
    try:
        found = read_page_message(json.dumps({'type': kind, **fields}))
    except MessageError:
        return
    assert found['type'] == kind
    assert {*found} <= {'type', *(row.name for row in PAGE_MESSAGES[kind].fields),
                        *PAGE_MESSAGES[kind].free}
