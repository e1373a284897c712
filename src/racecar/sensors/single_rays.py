# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rays from points and in directions of their own: of a sensor that is tilted, or moves meanwhile.

Ray i goes through (x, y, z) + t (dx, dy, slope) with a unit vector (dx, dy), so t is what it has
come over ground [m]. Every ray is tried with everything: slower than a fan, and as exact.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from racecar.base.columns import Array
from racecar.base.compiled import kernel, routine
from racecar.scene.scene import Rows
from racecar.sensors.standing import Standing

# Least share of a ray that goes over ground: steeper ones only meet the ground.
_STEEP = 1e-6


class SensorMotion(NamedTuple):
    """Pose of a sensor in the map, (3,) and (9,) row by row, and twist (6,) in its own axes."""

    place: Array
    matrix: Array
    twist: Array


class Rays(NamedTuple):
    """Where n rays begin [m], and the directions (dx, dy, slope) in which they go, each (n,).

    shares: of a ray's length that goes over ground.
    """

    x: Array
    y: Array
    z: Array
    dx: Array
    dy: Array
    slopes: Array
    shares: Array


@kernel
def look_around(
    standing: tuple[Rows, Rows, Rows, Rows], beams: tuple[Array, Array, Array],
    motion: tuple[Array, Array, Array], reach: float, rays: tuple[Array, ...], ways: Array,
) -> None:
    """Write rays and how far over ground each goes [m], infinity for what is out of reach.

    beams: cosines and sines of the angles of rays in the x-y plane of the sensor, and how long
    before the time of the pose each goes out [s]; reach: how far they go [m]. standing, motion,
    rays: the fields of Standing, SensorMotion and Rays as plain tuples, of which Numba sees the
    types at once.
    """
    sent = Rays(*rays)
    cosines, sines, ages = beams
    send_rays(cosines, sines, ages, SensorMotion(*motion), sent)
    for i in range(len(ways)):
        ways[i] = math.inf
    moved = math.hypot(sent.x[0] - sent.x[-1], sent.y[0] - sent.y[-1])
    meet_all(Standing(*standing), reach + moved, sent, ways)


@routine
def send_rays(
    cosines: Array, sines: Array, ages: Array, motion: SensorMotion, rays: Rays,
) -> None:
    """Write where rays in the x-y plane of a sensor begin and go, which moves meanwhile.

    cosines, sines: of their angles; ages: how long before the time of the pose they go out [s].
    The twist is held: before its time the pose is exp(-age twist) away (Lynch and Park, Modern
    Robotics, 2017, section 3.3).
    """
    place, matrix, twist = motion.place, motion.matrix, motion.twist
    x, y, z, dx, dy, slopes = rays.x, rays.y, rays.z, rays.dx, rays.dy, rays.slopes
    shares = rays.shares
    for i in range(len(cosines)):
        age = ages[i]
        wx, wy, wz = -age * twist[3], -age * twist[4], -age * twist[5]
        vx, vy, vz = -age * twist[0], -age * twist[1], -age * twist[2]
        square = wx * wx + wy * wy + wz * wz
        angle = math.sqrt(square)
        first, second, third = 1.0, 0.5, 1.0 / 6.0
        if angle > 1e-4:
            first = math.sin(angle) / angle
            second = (1.0 - math.cos(angle)) / square
            third = (1.0 - first) / square
        # exp(w) of the direction and the place on the way, both by w x and w x w x.
        ux, uy = cosines[i], sines[i]
        ax, ay, az = -wz * uy, wz * ux, wx * uy - wy * ux
        bx, by, bz = wy * az - wz * ay, wz * ax - wx * az, wx * ay - wy * ax
        ux, uy, uz = ux + first * ax + second * bx, uy + first * ay + second * by, \
            first * az + second * bz
        ax, ay, az = wy * vz - wz * vy, wz * vx - wx * vz, wx * vy - wy * vx
        bx, by, bz = wy * az - wz * ay, wz * ax - wx * az, wx * ay - wy * ax
        px, py, pz = vx + second * ax + third * bx, vy + second * ay + third * by, \
            vz + second * az + third * bz
        x[i] = place[0] + matrix[0] * px + matrix[1] * py + matrix[2] * pz
        y[i] = place[1] + matrix[3] * px + matrix[4] * py + matrix[5] * pz
        z[i] = place[2] + matrix[6] * px + matrix[7] * py + matrix[8] * pz
        rx = matrix[0] * ux + matrix[1] * uy + matrix[2] * uz
        ry = matrix[3] * ux + matrix[4] * uy + matrix[5] * uz
        rz = matrix[6] * ux + matrix[7] * uy + matrix[8] * uz
        share = math.sqrt(rx * rx + ry * ry)
        share = share if share > _STEEP else _STEEP
        dx[i], dy[i], slopes[i], shares[i] = rx / share, ry / share, rz / share, share


@routine
def meet_ground(rays: Rays, ways: Array) -> None:
    """Lower ways [m] to where rays meet the ground."""
    z, slopes = rays.z, rays.slopes
    for i in range(len(ways)):
        if slopes[i] < 0.0:
            way = max(-z[i] / slopes[i], 0.0)
            ways[i] = way if way < ways[i] else ways[i]


@routine
def meet_wall(wall: Array, rays: Rays, ways: Array) -> None:
    """Lower ways [m] to where rays meet an upright wall; wall: a row of Scene.wall_rows."""
    x1, y1, x2, y2, height = wall[0], wall[1], wall[2], wall[3], wall[4]
    x, y, z, dx, dy, slopes = rays.x, rays.y, rays.z, rays.dx, rays.dy, rays.slopes
    ex, ey = x2 - x1, y2 - y1
    for i in range(len(ways)):
        px, py = x1 - x[i], y1 - y[i]
        across = dx[i] * ey - dy[i] * ex
        if across == 0.0:
            continue
        way = (px * ey - py * ex) / across
        share = (px * dy[i] - py * dx[i]) / across
        if 0.0 <= share <= 1.0 and 0.0 <= way < ways[i] and z[i] + way * slopes[i] <= height:
            ways[i] = way


@routine
def meet_box(box: Array, rays: Rays, ways: Array) -> None:
    """Lower ways [m] to where rays meet a box, also its top; box: a row of box_rows()."""
    x, y, z, dx, dy, slopes = rays.x, rays.y, rays.z, rays.dx, rays.dy, rays.slopes
    bx, by, cosine, sine, length, width, height = (
        box[0], box[1], box[2], box[3], box[4], box[5], box[6])
    for i in range(len(ways)):
        px, py = x[i] - bx, y[i] - by
        px, py = px * cosine + py * sine, py * cosine - px * sine
        ux, uy = dx[i] * cosine + dy[i] * sine, dy[i] * cosine - dx[i] * sine
        begin, end = 0.0, ways[i]
        for side in range(3):
            # Between a plane ahead and one behind; below the top.
            place = px if side == 0 else py if side == 1 else z[i]
            speed = ux if side == 0 else uy if side == 1 else slopes[i]
            low = -length if side == 0 else -width if side == 1 else -math.inf
            high = length if side == 0 else width if side == 1 else height
            if speed == 0.0:
                if place < low or place > high:
                    end = -1.0
            else:
                one, other = (low - place) / speed, (high - place) / speed
                begin = max(begin, min(one, other))
                end = min(end, max(one, other))
        if begin <= end and begin < ways[i]:
            ways[i] = begin


@routine
def meet_cone(cone: Array, rays: Rays, ways: Array) -> None:
    """Lower ways [m] to where rays meet a cone or a cylinder; cone: a row of cone_rows()."""
    cx, cy, radius, height, top = cone[0], cone[1], cone[2], cone[3], cone[4]
    is_flat = top < height
    x, y, z, dx, dy, slopes = rays.x, rays.y, rays.z, rays.dx, rays.dy, rays.slopes
    for i in range(len(ways)):
        px, py = x[i] - cx, y[i] - cy
        # At t the radius is wide - narrowing t.
        wide = radius * (1.0 - z[i] / height)
        narrowing = radius * slopes[i] / height
        if wide < 0.0 and narrowing >= 0.0:
            continue
        square = 1.0 - narrowing * narrowing
        half = px * dx[i] + py * dy[i] + wide * narrowing
        rest = px * px + py * py - wide * wide
        if is_flat and z[i] > top:
            # From above: on the top, or past all of it or from the side further down.
            if slopes[i] >= 0.0:
                continue
            way = (top - z[i]) / slopes[i]
            ax, ay = px + way * dx[i], py + way * dy[i]
            if ax * ax + ay * ay <= radius * radius:
                ways[i] = min(way, ways[i])
                continue
        elif rest <= 0.0 <= wide:
            ways[i] = 0.0
            continue
        depth = half * half - square * rest
        if depth < 0.0 or square <= 0.0:
            # None, or steeper than the cone's side: that is for the ground below it.
            continue
        way = (-half - math.sqrt(depth)) / square
        if 0.0 <= way < ways[i] and wide - narrowing * way >= 0.0 and not (
                is_flat and z[i] + way * slopes[i] > top):
            ways[i] = way


@routine
def meet_all(standing: Standing, reach: float, rays: Rays, ways: Array) -> None:
    """Lower ways [m] to what stands around.

    reach: how far anything can be from where the last ray begins [m].
    """
    meet_ground(rays, ways)
    here_x, here_y = rays.x[len(rays.x) - 1], rays.y[len(rays.y) - 1]
    walls, cones = standing.walls, standing.cones
    for row in range(len(walls)):
        x1, y1, x2, y2 = walls[row, 0], walls[row, 1], walls[row, 2], walls[row, 3]
        middle = math.hypot(0.5 * (x1 + x2) - here_x, 0.5 * (y1 + y2) - here_y)
        if middle - 0.5 * math.hypot(x2 - x1, y2 - y1) < reach:
            meet_wall(walls[row], rays, ways)
    for boxes in (standing.fixed, standing.loose):
        for row in range(len(boxes)):
            middle = math.hypot(boxes[row, 0] - here_x, boxes[row, 1] - here_y)
            if middle - math.hypot(boxes[row, 4], boxes[row, 5]) < reach:
                meet_box(boxes[row], rays, ways)
    for row in range(len(cones)):
        meet_cone(cones[row], rays, ways)
