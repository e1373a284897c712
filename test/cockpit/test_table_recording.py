# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Tables of the cars that the cockpit records, where not all of them can be written."""

import warnings

import pytest

from racecar.base.errors import ConfigurationError
from racecar.base.run_file import CSV_NAME, RunFile
from racecar.cockpit.engine.table_recording import TableRecording
from racecar.metrics.run_table import COLUMNS

CARS = 'red', 'green', 'blue'
HEADER = ','.join(COLUMNS)


@pytest.fixture(autouse=True)
def files_are_closed():
    """Fail where a file is left to the garbage collector."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter('always', ResourceWarning)
        yield
    assert [str(warning.message) for warning in told] == []


def recording_to(folder, spoil):
    """A recording of which something happens to the folder of green before its table is made."""
    def made():
        spoil(folder / 'green' / CSV_NAME)
        return RunFile('cockpit', 'gap_ode', {}, {})

    return TableRecording({}, CARS, made)


def test_a_table_that_cannot_be_made_leaves_no_other_open(tmp_path):
    recording = recording_to(tmp_path / 'first', lambda path: path.mkdir(exist_ok=True))
    with pytest.raises(ConfigurationError, match='green.*Is a directory'):
        recording.begin(tmp_path / 'first')
    # None is written, so another one may begin.
    recording.begin(tmp_path / 'second')
    recording.end()
    for car in CARS:
        assert (tmp_path / 'second' / car / CSV_NAME).read_text() == f'{HEADER}\n'


def test_a_table_that_cannot_be_completed_keeps_no_other_from_it(tmp_path):
    recording = recording_to(tmp_path / 'first', lambda path: path.symlink_to('/dev/full'))
    recording.begin(tmp_path / 'first')
    with pytest.raises(ConfigurationError, match='green.*No space left'):
        recording.end()
    for car in ('red', 'blue'):
        assert (tmp_path / 'first' / car / CSV_NAME).read_text() == f'{HEADER}\n'
    recording.end()
