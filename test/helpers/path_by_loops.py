# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""PathMetrics by plain loops over all samples and segments, as its documentation defines them."""

import math

from racecar.metrics.path_kernels import SLOWEST_COURSE
from racecar.metrics.path_metrics import PATH_WINDOW


def nearest_by_loops(x, y, path_x, path_y, low, high):
    """Squared distance, first corner and share of the nearest segment of corners low to high."""
    found = math.inf, -1, 0.0
    for k in range(low, high + 1):
        dx = path_x[k + 1] - path_x[k] if k < high else 0.0
        dy = path_y[k + 1] - path_y[k] if k < high else 0.0
        rx, ry = x - path_x[k], y - path_y[k]
        length = dx * dx + dy * dy
        share = min(1.0, max(0.0, (rx * dx + ry * dy) / length)) if length > 0.0 else 0.0
        ex, ey = rx - share * dx, ry - share * dy
        if ex * ex + ey * ey < found[0]:
            found = ex * ex + ey * ey, k, share
    return found


def metrics_by_loops(rows, start):
    """Metrics by name of rows (5, n) of time, tracked point and reference, from a time on."""
    t, x, y, path_x, path_y = rows.tolist()
    motion, path_motion = velocities(t, x, y), velocities(t, path_x, path_y)
    cross_track, heading, speed = [], [], []
    for i, now in enumerate(t):
        if now < start:
            continue
        part = [k for k, time in enumerate(t) if now - PATH_WINDOW <= time <= now + PATH_WINDOW]
        low, high = part[0], part[-1]
        squared, k, share = nearest_by_loops(x[i], y[i], path_x, path_y, low, high)
        cross_track.append(squared)
        if len(t) == 1:
            continue
        speed.append((motion[i][2] - path_motion[i][2])**2)
        ends = path_motion[k], path_motion[min(k + 1, high)]
        if min(motion[i][2], ends[0][2], ends[1][2]) < SLOWEST_COURSE:
            continue
        ahead_x, ahead_y = (
            (1.0 - share) * ends[0][axis] / ends[0][2] + share * ends[1][axis] / ends[1][2]
            for axis in range(2))
        along = ahead_x * motion[i][0] + ahead_y * motion[i][1]
        across = ahead_x * motion[i][1] - ahead_y * motion[i][0]
        error = abs(math.atan2(across, along))
        if turns_back([path_motion[k] for k in part]):
            error = min(error, math.pi - error)
        heading.append(error**2)
    return {
        'cross_track_rmse': root_mean(cross_track),
        'max_cross_track_error': math.sqrt(max(cross_track)),
        'heading_rmse': root_mean(heading), 'speed_rmse': root_mean(speed)}


def velocities(t, x, y):
    """Mean velocity between the neighbours of each sample, and its modulus."""
    found = []
    for i in range(len(t)):
        first, last = max(i - 1, 0), min(i + 1, len(t) - 1)
        if first == last:
            return [(math.nan,) * 3]
        vx, vy = ((values[last] - values[first]) / (t[last] - t[first]) for values in (x, y))
        found.append((vx, vy, math.sqrt(vx * vx + vy * vy)))
    return found


def turns_back(motion):
    """Whether corners that move follow each other whose directions are more than 90 deg apart."""
    moving = [(vx / speed, vy / speed) for vx, vy, speed in motion if speed >= SLOWEST_COURSE]
    return any(a[0] * b[0] + a[1] * b[1] < 0.0
               for a, b in zip(moving[:-1], moving[1:], strict=True))


def root_mean(squares):
    """Root of the mean; None without any."""
    return math.sqrt(math.fsum(squares) / len(squares)) if squares else None
