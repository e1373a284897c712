# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a program says while it compiles, which depends on the cache and not on the program."""


def without_compilation(text):
    """Return the lines but those that say that the first start takes longer."""
    return ''.join(line for line in text.splitlines(keepends=True)
                   if 'compiling the simulation for this machine' not in line)
