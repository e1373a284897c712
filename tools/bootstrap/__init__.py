# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What ./run is made of: it prepares an environment for racecar and runs a command in it.

Needs nothing but Python, and no newer one than 3.6: it must at least start where a newer one is
missing, to say so.
"""
