# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
from gl import gl  # noqa: F401
