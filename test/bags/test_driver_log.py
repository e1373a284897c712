# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a driver did, column by column, from the driver/state of a bag."""

from pathlib import Path

from bag_samples import START_NS, write_ours
import numpy as np
import pytest
from rosbags.typesys import get_types_from_msg

from racecar.analysis.driver_log import LAMPS, QUANTITIES
from racecar.bags.driver_log import has_driver_state, read_driver_log
from racecar.bags.reader import BagReader
from racecar.base.errors import BagError

KIND = 'racecar_interfaces/msg/DriverState'
FOLDER = Path(__file__).resolve().parents[2] / 'racecar_interfaces' / 'msg'
STEP_NS = 250_000_000


@pytest.fixture
def bag(tmp_path, messages):
    """Four states; each quantity has a number of its own, and lamps are lit in turns."""
    if KIND not in messages.store.fielddefs:
        messages.store.register(get_types_from_msg((FOLDER / 'DriverState.msg').read_text(), KIND))
    made = messages.store.types[KIND]
    rows = []
    for tick in range(4):
        now = START_NS + tick * STEP_NS
        fields = {field: np.zeros(4) if field in ('wheel_speeds', 'wheel_encoders') else 0
                  for field in made.__dataclass_fields__ if not field.startswith('__')}
        fields |= {name: 10 * place + tick for place, name in enumerate(QUANTITIES)}
        fields |= {name: tick % 2 == place % 2 for place, name in enumerate(LAMPS)}
        message = made(**{**fields, 'header': messages.header(now)})
        # Recorded later than it was made.
        rows.append(('/driver/state', KIND, now + 7, bytes(
            messages.store.serialize_cdr(message, KIND))))
    return write_ours(tmp_path / 'drive', rows, messages)


def test_columns_and_times_are_those_of_the_messages(bag):
    log = read_driver_log(bag)
    assert log.name == 'drive'
    assert log.t.tolist() == [0.0, 0.25, 0.5, 0.75]
    for place, name in enumerate(QUANTITIES):
        assert log.columns[name].tolist() == [10.0 * place + tick for tick in range(4)], name
    for place, name in enumerate(LAMPS):
        assert log.columns[name].tolist() == [float(tick % 2 == place % 2) for tick in range(4)]
    with BagReader(bag) as reader:
        assert has_driver_state(reader.summary)


def test_a_topic_without_messages_is_said(tmp_path, bag, messages):
    from racecar.bags.writer import BagWriter

    with BagWriter(tmp_path / 'empty') as writer:
        writer.add_topic('/driver/state', KIND, messages.definition(KIND))
        other = writer.add_topic('/other', KIND, messages.definition(KIND))
        writer.write(other, 1, 1, bytes(8))
    with pytest.raises(BagError, match='/driver/state has no messages'):
        read_driver_log(tmp_path / 'empty')
