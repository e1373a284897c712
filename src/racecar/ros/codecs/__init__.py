# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""One codec for each value type of core that crosses a topic, a file each.

The `CODECS` of each module of this folder are known to `registry` by themselves.
"""
