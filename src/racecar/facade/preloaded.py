# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What workers on this machine are forked from: it has imported what their tasks need."""

import gc
from importlib import import_module

from racecar.base.starting import begin_process

begin_process()
for name in ('distributed.nanny', 'racecar.facade.evaluation', 'racecar.facade.fleet_sweeps',
             'racecar.facade.league', 'racecar.facade.sweep_parts'):
    import_module(name)
# A search for garbage would write into memory that workers share.
gc.freeze()
