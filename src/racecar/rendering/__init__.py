# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pictures of scenes with robots, drawn off-screen by MuJoCo's classic renderer."""
