# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where things are in a clone, and what is built from it."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STATE = ROOT / '.racecar'
LOGS = STATE / 'logs'
REQUIREMENTS = ROOT / 'requirements'

PACKAGE = 'racecar'
INTERFACES = ('racecar_interfaces',)
UNDERLAY = ('ackermann_msgs', 'simulation_interfaces', 'tf2_msgs')
DATA_FOLDERS = (
    'bin', 'config', 'docs/examples', 'docs/notebooks', 'launch', 'resource', 'urdf', 'worlds')
