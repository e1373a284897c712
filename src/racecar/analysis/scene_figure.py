# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Figures of a scene from above, and of a drive with a laser through it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import math
from typing import cast

from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PatchCollection
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Polygon
from matplotlib.projections.polar import PolarAxes
from matplotlib.transforms import Affine2D
import numpy as np

from racecar.analysis.figures import label_axes, new_figure
from racecar.analysis.laser_log import LaserLog, SeenScan
from racecar.analysis.motion import is_constant, Motion
from racecar.analysis.palette import BLUE, colour, colour_named, dash, GREEN, SEQUENTIAL, VERMILION
from racecar.base.columns import Array
from racecar.scene.grid_map import OccupancyGrid
from racecar.scene.motions import MotionState
from racecar.scene.scene import MovingThing, rectangle_corners, Scene

_SCAN = VERMILION
_LONGER_SIDE = 9.0  # [inch]
# As matplotlib has them.
_AROUND = [math.pi / 18.0 * index for index in range(36)]

_DASHES: Mapping[str, str | tuple[int, tuple[int, ...]]] = {
    'solid': 'solid', 'dash': 'dashed', 'dot': 'dotted', 'dashdot': 'dashdot',
    'longdash': (0, (9, 3)), 'longdashdot': (0, (9, 3, 1, 3))}


def moving_patches(scene: Scene, *, animated: bool = False) -> list[Polygon]:
    """Patches of the things that move, which place_patches() puts to their places."""
    return [Polygon(np.zeros((4, 2)), closed=True, facecolor=thing.colour, edgecolor='0.1',
                    linestyle='--', linewidth=1.0, zorder=1.3, animated=animated)
            for thing in scene.moving]


def place_patches(patches: Sequence[Polygon], scene: Scene, time_ns: int) -> None:
    """Put the patches of moving_patches() to where the things are at a simulated time [ns]."""
    for patch, thing in zip(patches, scene.moving, strict=True):
        patch.set_xy(outline_of_thing(thing, thing.motion.at(time_ns)))


def outline_of_thing(thing: MovingThing, at: MotionState) -> list[tuple[float, float]]:
    """Points about a thing that moves, where it is [m]."""
    if thing.is_round:
        return circle_about(at.x, at.y, thing.radius)
    return rectangle_corners(*thing.box_at(at)[:5])


def circle_about(x: float, y: float, radius: float) -> list[tuple[float, float]]:
    """Points of a circle [m]."""
    return [(x + radius * math.cos(angle), y + radius * math.sin(angle)) for angle in _AROUND]


def draw_scene(axes: Axes, scene: Scene) -> None:
    """Draw a scene: walls, boxes, cones, boards, the grid, and moving things where they begin."""
    boxes = [*scene.boxes, *(board.box for board in scene.boards)]
    for rows, edge, order in ((scene.patches, 'none', 0.5), (boxes, '0.3', 1.0)):
        axes.add_collection(PatchCollection(
            [Polygon(rectangle_corners(*row[:5])) for row in rows],
            facecolors=[row.colour for row in rows], edgecolors=edge, linewidths=0.6,
            zorder=order))
    axes.add_collection(LineCollection(
        [[(wall.x1, wall.y1), (wall.x2, wall.y2)] for wall in scene.walls], colors='0.25',
        linewidths=1.4, zorder=1.1))
    axes.add_collection(PatchCollection(
        [Circle((cone.x, cone.y), 0.5 * cone.base) for cone in scene.cones],
        facecolors=[cone.colour for cone in scene.cones], zorder=1.2))
    moving = moving_patches(scene)
    place_patches(moving, scene, 0)
    for patch in moving:
        axes.add_patch(patch)
    grid = scene.grid
    if grid is not None:
        length, width = grid.size
        walls = np.ma.masked_equal(grid.occupied, False)
        place = Affine2D().rotate(grid.origin.yaw).translate(*grid.origin[:2])
        drawn = axes.dataLim.frozen()
        axes.imshow(
            walls, extent=(0.0, length, 0.0, width), origin='lower', cmap='gray', vmin=0, vmax=1.6,
            interpolation='nearest', transform=place + axes.transData, zorder=1.0)
        # An image enters its limits as if it were not turned and moved, with all that is free.
        axes.dataLim.set(drawn)
        axes.update_datalim(_occupied_corners(grid))
    axes.autoscale_view()
    axes.set_aspect('equal', adjustable='box')


def draw_laser_figure(log: LaserLog) -> Figure:
    """Draw the path of a drive in its scene, coloured by speed, and one scan on the way."""
    left, right, low, high = _extent(log)
    share = min(max((high - low) / (right - left), 0.35), 1.2)
    figure = new_figure(_LONGER_SIDE, _LONGER_SIDE * share + 0.8)
    axes = figure.add_subplot()
    draw_scene(axes, log.scene)
    if log.scans:
        _draw_scan(axes, log.scans[len(log.scans) // 2])
    points = np.column_stack([log.x, log.y])
    if is_constant(log.speed):
        axes.plot(log.x, log.y, color=BLUE, linewidth=2.2, zorder=2.0,
                  label=f'driven at {log.speed.mean():.3g} m/s')
    else:
        path = LineCollection(
            [*np.stack([points[:-1], points[1:]], axis=1)], array=log.speed[1:], cmap=SEQUENTIAL,
            linewidths=2.2, capstyle='round', zorder=2.0)
        axes.add_collection(path)
        figure.colorbar(path, ax=axes, label='speed [m/s]', aspect=35, shrink=0.9)
    axes.plot(log.x[0], log.y[0], 'o', color=GREEN, markersize=9, label='start', zorder=3.0)
    axes.plot(log.x[-1], log.y[-1], 's', color='black', markersize=7, label='end', zorder=3.0)
    axes.set_xlim(left, right)
    axes.set_ylim(low, high)
    label_axes(axes, 'x [m]', 'y [m]')
    axes.legend(loc='lower center', bbox_to_anchor=(0.5, 1.0), ncols=5, frameon=False)
    figure.suptitle(f'{log.name}: {log.summary}', parse_math=False)
    return figure


def draw_drives_figure(name: str, drives: Mapping[str, Motion], scene: Scene) -> Figure:
    """Draw the paths of cars in their scene, starts and ends marked, and their speeds below."""
    figure = new_figure(7.5, 8.0)
    path, below = figure.subplots(2, 1, height_ratios=[2.6, 1.0])
    draw_scene(path, scene)
    for series, (car, motion) in enumerate(drives.items()):
        line, dashes = colour_named(car) or colour(series), _DASHES[dash(series)]
        path.plot(motion.x, motion.y, color=line, linestyle=dashes, linewidth=1.6, label=car,
                  zorder=2.0)
        path.plot(motion.x[0], motion.y[0], 'o', color=line, markersize=7, zorder=3.0)
        path.plot(motion.x[-1], motion.y[-1], 's', color=line, markersize=6, zorder=3.0)
        below.plot(motion.t, motion.speed, color=line, linestyle=dashes, linewidth=1.2)
    path.set_aspect('equal', adjustable='datalim')
    path.margins(0.06)
    label_axes(path, 'x [m]', 'y [m]')
    path.legend(loc='lower center', bbox_to_anchor=(0.5, 1.0), ncols=5, frameon=False)
    label_axes(below, 'time since the start [s]', 'speed [m/s]')
    figure.suptitle(f'{name}: start \N{BLACK CIRCLE}, end \N{BLACK SQUARE}', parse_math=False)
    return figure


def draw_scan_figure(scan: SeenScan, name: str) -> Figure:
    """Draw a scan as the laser sees it, forward upwards."""
    figure = new_figure(6.5, 6.5)
    axes = cast(PolarAxes, figure.add_subplot(projection='polar'))
    axes.set_theta_zero_location('N')
    hit = np.isfinite(scan.ranges)
    axes.plot(scan.angles[hit], scan.ranges[hit], '.', color=_SCAN, markersize=2.5)
    axes.fill_between(
        scan.angles, np.where(hit, scan.ranges, 0.0), color=_SCAN, alpha=0.12, linewidth=0)
    axes.set_ylim(bottom=0.0)
    figure.suptitle(f'{name}: scan at {scan.t:.2f} s, distances in m', parse_math=False)
    return figure


def _draw_scan(axes: Axes, scan: SeenScan) -> None:
    x, y = scan.points
    axes.plot(x, y, '.', color=_SCAN, markersize=2.5, label=f'scan at {scan.t:.1f} s', zorder=2.5)
    ahead = math.cos(scan.yaw), math.sin(scan.yaw)
    axes.plot(
        scan.x, scan.y, marker=(3, 0, math.degrees(scan.yaw) - 90.0), color=_SCAN, markersize=12,
        linestyle='', label='laser then', zorder=3.0)
    axes.plot([scan.x, scan.x + 0.5 * ahead[0]], [scan.y, scan.y + 0.5 * ahead[1]], color=_SCAN,
              linewidth=1.0, zorder=3.0)


def _occupied_corners(grid: OccupancyGrid) -> Array:
    """Corners of the part of a map that has walls, (4, 2) [m]; (0, 2) if it has none."""
    rows, columns = np.nonzero(grid.occupied)
    if not rows.size:
        return np.empty((0, 2))
    return np.array([
        grid.point(column * grid.resolution, row * grid.resolution)
        for column in (columns.min(), columns.max() + 1)
        for row in (rows.min(), rows.max() + 1)])


def _extent(log: LaserLog) -> tuple[float, float, float, float]:
    """Least and largest x, then y, of all that is drawn, with some room [m]."""
    scene = log.scene
    points = np.column_stack([log.x, log.y])
    ends = [end for wall in scene.surfaces for end in ((wall.x1, wall.y1), (wall.x2, wall.y2))]
    if ends:
        points = np.concatenate([points, ends])
    if scene.grid is not None:
        points = np.concatenate([points, _occupied_corners(scene.grid)])
    low, high = points.min(axis=0), points.max(axis=0)
    room = 0.04 * float((high - low).max()) + 0.1
    return (float(low[0]) - room, float(high[0]) + room, float(low[1]) - room,
            float(high[1]) + room)
