# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Packages of ROS 2 that may be installed beside this one."""

from ament_index_python.packages import get_package_prefix, PackageNotFoundError


def is_installed(package: str) -> bool:
    """Whether a package is in the ament index."""
    try:
        get_package_prefix(package)
    except PackageNotFoundError:
        return False
    return True
