# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
# Made by tools/make_message_stubs.py.
