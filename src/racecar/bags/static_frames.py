# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where the frames of a robot are on it, by its tf_static."""

from __future__ import annotations

import math
from operator import attrgetter

from racecar.bags import message_types
from racecar.bags.drive_reader import DriveReader
from racecar.base.poses import NO_POSE, pose_of_child, unrotated
from racecar.base.types import Pose3
from racecar.ros import topics


class StaticFrames:
    """Frames on the robot of a drive; one has one parent, that of the last message with it.

    The tf_static of its namespace tells them, else that of all robots.
    """

    def __init__(self, drive: DriveReader) -> None:
        """Ask for them."""
        self._parents: dict[str, tuple[str, Pose3]] = {}
        self._base = ''
        drive.each(drive.beside(message_types.TRANSFORMS, topics.TF_STATIC, is_shared=True),
                   self._add)
        drive.each(drive.robot.odometry, self._note_base)

    def _note_base(self, odometry: object) -> None:
        self._base = str(attrgetter('child_frame_id')(odometry))

    def _add(self, message: object) -> None:
        """Take a tf2_msgs/TFMessage; leaves out rotations that are none."""
        for found in attrgetter('transforms')(message):
            place, turn = found.transform.translation, found.transform.rotation
            numbers = [float(part) for part in (turn.x, turn.y, turn.z, turn.w)]
            norm = math.hypot(*numbers)
            position = float(place.x), float(place.y), float(place.z)
            if 0.5 <= norm < math.inf and all(map(math.isfinite, position)):
                self._parents[str(found.child_frame_id)] = str(found.header.frame_id), Pose3(
                    *position, *(part / norm for part in numbers))

    def pose(self, frame: str) -> Pose3:
        """Pose of a frame in that of the odometry, over all links; NO_POSE if none join them.

        Where nothing is known of the odometry's, it is taken for the root of the tree.
        """
        of_frame, of_base = self._chain(frame), self._chain(self._base)
        if self._base not in self._names:
            return of_frame[-1][1]
        for root, pose in of_frame:
            for other, pose_of_base in of_base:
                if root == other:
                    return _seen_from(pose_of_base, pose)
        return NO_POSE

    @property
    def _names(self) -> set[str]:
        return {*self._parents, *(parent for parent, _ in self._parents.values())}

    def _chain(self, frame: str) -> list[tuple[str, Pose3]]:
        """Frame and those above it, each with the pose of the frame in it."""
        found = [(frame, NO_POSE)]
        seen = {frame}
        while frame in self._parents:
            frame, link = self._parents[frame]
            if frame in seen:
                # A circle, which no robot has.
                break
            seen.add(frame)
            found.append((frame, pose_of_child(link, found[-1][1])))
        return found


def _seen_from(base: Pose3, pose: Pose3) -> Pose3:
    """Pose in the frame of a base; both are given in one frame."""
    x, y, z, w = base[3:]
    inverse = Pose3(*unrotated((x, y, z, w), (-base.x, -base.y, -base.z)), -x, -y, -z, w)
    return pose_of_child(inverse, pose)
