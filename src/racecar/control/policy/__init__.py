# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Trained drivers: networks in ONNX files, what they see of a car, and driving by them."""
