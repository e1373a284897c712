# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a custom controller follows: where the reference is, and how it moves later."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from racecar.base.rows import zeros_of
from racecar.base.vectors import Vector
from racecar.control.reference_sampler import placed, ReferenceSampler, SampledReference
from racecar.control.trajectories import Motion, Trajectory
from racecar.control.trajectories.base import ClosedForm


class CustomReference(NamedTuple):
    """Where the reference is [m], and how it moves `preview` later, for controllers."""

    x: float
    y: float
    ahead: Motion


NO_CUSTOM_REFERENCE = CustomReference(0.0, 0.0, zeros_of(Motion))
"""Example of what a controller follows."""


@placed.register(CustomReference)
def _placed(reference: CustomReference, origin_x: float, origin_y: float) -> CustomReference:
    x, y, m = reference
    return CustomReference(
        origin_x + x, origin_y + y,
        Motion(origin_x + m.x, origin_y + m.y, m.vx, m.vy, m.ax, m.ay, m.heading, m.rate,
               m.direction))


def _references_ahead(motion: ClosedForm) -> SampledReference:
    def reference_ahead(
        time: float, step: float, preview: float, numbers: Vector,
    ) -> CustomReference:
        now = motion(time, numbers)
        return CustomReference(now.x, now.y, motion(time + preview, numbers))

    return reference_ahead


class CustomReferenceSampler(ReferenceSampler):
    """Samples CustomReference of trajectories of one type."""

    def __init__(self, trajectories: Sequence[Trajectory], previews: Sequence[float]) -> None:
        """Take at least one trajectory, and how far each lies ahead [s]."""
        super().__init__(trajectories, previews, NO_CUSTOM_REFERENCE, _references_ahead)
