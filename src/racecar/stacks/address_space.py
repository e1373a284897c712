# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""How much memory a process must be allowed to map before it runs a configuration."""

from __future__ import annotations

import resource

from racecar.base.errors import ConfigurationError

NEEDED = 2_000_000_000
"""What the nodes of a configuration, the threads of DDS and the compiler map [bytes]."""


def check_address_space() -> None:
    """Raise ConfigurationError if this process may map less memory than a configuration needs.

    Where a mapping fails, libraries below Python end the process or wait for ever, without a
    message and deaf to signals; nothing in Python can answer that.
    """
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit != resource.RLIM_INFINITY and limit < NEEDED:
        raise ConfigurationError(
            f'the address space of this process is limited to {limit / 1e6:.0f} MB, expected at'
            f' least {NEEDED / 1e6:.0f} MB; raise the limit, for example by `ulimit -v'
            ' unlimited`')
