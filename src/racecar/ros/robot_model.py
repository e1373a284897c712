# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a robot is made of, for others: robot_description, and where its links are on tf.

What robot_state_publisher does, by a simulator itself.
"""

from __future__ import annotations

import math

from geometry_msgs.msg import TransformStamped
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from racecar.base.errors import ConfigurationError
from racecar.base.poses import NO_POSE, pose_of_child
from racecar.base.types import JointStates, Pose3
from racecar.description.robot_tree import Joint, RobotTree
from racecar.description.urdf import RobotDescription
from racecar.ros import qos, topics
from racecar.ros.codecs.codec import Channel, Place
from racecar.ros.codecs.transforms import transforms_template
from racecar.ros.conversions import transform_from_pose
from racecar.ros.node import TableNode
from racecar.simulation.ports import Entity, Mount, Output

# Two places that differ by less are one [m and -].
_SAME = 1e-3


class LinkTransforms(Channel):
    """Where the links are that joints move, sent on tf: a channel of joint states."""

    def __init__(
        self, node: TableNode, tree: RobotTree, names: tuple[str, ...], place: Place,
    ) -> None:
        """names: of the joints that are shown, in the order of their positions."""
        self._joints: list[tuple[Joint, int]] = [
            (joint, names.index(joint.name)) for joint in tree.joints
            if joint.moves and joint.name in names]
        self._template = transforms_template([
            (place.frame(joint.parent), place.frame(joint.child)) for joint, _ in self._joints])
        super().__init__(node.create_publisher(TFMessage, topics.TF, qos.TF))

    def publish(self, sec: int, nanosec: int, value: JointStates) -> None:
        """Send the poses with a stamp."""
        positions = value.positions
        numbers: list[float] = []
        for joint, index in self._joints:
            numbers += (sec, nanosec, *joint.pose(positions[index]))
        self.publisher.publish(self._template.fill(*numbers))


class RobotModel:
    """The description of a robot on robot_description, and its links on tf.

    With the node's parameter publish_robot_description false it sends nothing: then
    robot_state_publisher does.
    """

    def __init__(self, node: TableNode, entity: Entity, place: Place) -> None:
        """Send the description, if there is one; say why if it cannot be made."""
        self._node = node
        self._entity = entity
        self._place = place
        self._sends = bool(node.values['publish_robot_description'])
        self._description = self._describe()
        if self._description is not None and self._sends:
            self._publisher = node.create_publisher(
                String, place.topic(topics.ROBOT_DESCRIPTION), qos.LATCHED)
            self._publisher.publish(String(data=self._description.urdf))

    def _describe(self) -> RobotDescription | None:
        if self._entity.describe is None:
            return None
        try:
            return self._entity.describe()
        except ConfigurationError as error:
            self._node.get_logger().warning(
                f'no robot_description, and no transforms of wheels and sensors: {error}')
            return None

    @property
    def topics(self) -> list[str]:
        """Full name of the topic of the description, if it is sent."""
        return [self._publisher.topic_name] if self._description and self._sends else []

    def channel(self, output: Output) -> Channel | None:
        """What sends on tf the links that an output moves; None if it moves none."""
        if self._description is None or not self._sends or output.value_type is not JointStates:
            return None
        names: tuple[str, ...] = output.read().names
        return LinkTransforms(self._node, self._description.tree, names, self._place)

    def static_transforms(self) -> list[TransformStamped]:
        """What never moves: links of the description, and mounts that it may not have.

        Where another node sends the description, it may be one without the frames that the plant
        itself has added to that of the robot: those are sent here as well.
        """
        links: dict[str, Pose3] = {}
        fixed: list[tuple[str, str, Pose3]] = []
        if self._description is not None:
            tree = self._description.tree
            links = tree.poses()
            fixed = [(joint.parent, joint.child, joint.origin) for joint in tree.joints
                     if not joint.moves]
        pairs = {pair[:2] for pair in fixed}
        if not self._sends:
            fixed.clear()
        for mount in self._entity.mounts:
            if mount.child in links:
                self._compare(mount, links)
            if mount.child not in links or not self._sends and mount[:2] in pairs:
                fixed.append(mount)
        return [transform_from_pose(self._place.frame(parent), self._place.frame(child), pose)
                for parent, child, pose in fixed]

    def _compare(self, mount: Mount, links: dict[str, Pose3]) -> None:
        """Complain if what is measured in a frame is not where the description has the frame."""
        if mount.parent not in links:
            return
        place = pose_of_child(links[mount.parent], mount.pose)
        described = links[mount.child]
        if not _is_same(place, described):
            self._node.get_logger().error(
                f"frame '{mount.child}' is at {_text(described)} of {mount.parent} in the robot"
                f' description, but a sensor with this frame at {_text(place)}: what it measures'
                ' is shown in the wrong place; give it the place of the description, or a frame'
                ' of another name')


def _is_same(a: Pose3, b: Pose3) -> bool:
    # q and -q are one rotation.
    turn = abs(sum(x * y for x, y in zip(a[3:], b[3:], strict=True)))
    return math.dist(a[:3], b[:3]) < _SAME and turn > 1.0 - 0.5 * _SAME**2


def _text(pose: Pose3) -> str:
    turn = '' if pose[3:] == NO_POSE[3:] else f', quaternion {pose[3:]}'
    return f'({pose.x:g}, {pose.y:g}, {pose.z:g}) m{turn}'
