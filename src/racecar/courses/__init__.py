# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Graders of courses: labs as data, the programs of students as processes, marks and reports."""
