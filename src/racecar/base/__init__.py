# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Values, frames, parameters, files and compilation: what every other room stands on."""
