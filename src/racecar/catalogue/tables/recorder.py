# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Table of the recorder of bags."""

from __future__ import annotations

from racecar.base.parameters import DIAGNOSTICS_RATE, Parameter, ParameterTable

BAG_RECORDER = ParameterTable([
    Parameter('folder', str, None, 'Folder of the bag; it must not exist yet', read_only=True,
              example='drive'),
    Parameter('topics', list, [], 'Topics to record; empty records all there are',
              read_only=True),
    Parameter('awaited', list, [], 'Those of topics that are joined before the last of topics is:'
              ' a simulator in lockstep that waits for the recorder of its odometry loses none of'
              ' them', read_only=True),
    Parameter('compression', str, 'zstd', 'Compression of the chunks of the MCAP file',
              choices=('zstd', 'lz4', 'none'), read_only=True),
    Parameter('provenance', str, '', 'Text of a file run.yaml that is put beside the MCAP file:'
              ' how the run is made; empty: none', read_only=True),
    DIAGNOSTICS_RATE,
])
