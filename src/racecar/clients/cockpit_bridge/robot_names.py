# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Full names of the topics and nodes of a robot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class RobotNames(NamedTuple):
    """Where a robot is.

    namespace: of its topics, empty for none. renamed: relative names of this suite and what other
    software calls these topics.
    """

    namespace: str
    renamed: Mapping[str, str]

    def full(self, name: str) -> str:
        """Full name of what this suite calls by a relative name."""
        return '/' + '/'.join(filter(
            None, (self.namespace.strip('/'), self.renamed.get(name, name))))
