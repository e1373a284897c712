# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A server for the Foxglove app: topics as they are on the wire, parameters and services."""
