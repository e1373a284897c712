# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The command `racecar`."""

import sys

from racecar.signals import code_of_command, end_at_once_on_signals

# So Python calls a program that it is about to import: `python -m racecar.cli.main`.
if sys.argv[:1] == ['-m']:
    end_at_once_on_signals(code_of_command)
