# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Figure of a drive: speed, engine, gear, pedals, steering and lamps over time."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
import numpy as np

from racecar.analysis.driver_log import DriverLog
from racecar.analysis.figures import label_axes, new_figure
from racecar.analysis.palette import BLUE, GREEN, hatch, ORANGE, PURPLE, SKY, VERMILION

_GEARS = {-1: 'R', 0: 'N'}

_LAMPS = {
    'left_indicator_lit': ('left indicator', ORANGE),
    'right_indicator_lit': ('right indicator', ORANGE),
    'front_lights_lit': ('dipped beams', SKY),
    'antifog_lights_lit': ('antifog', GREEN),
    'brake_lights_lit': ('brake', VERMILION),
    'backwards_lights_lit': ('reversing', '0.55'),
}
_KMH = 3.6


def draw_driver_figure(log: DriverLog) -> Figure:
    """Draw the drive, one panel below the other over the same time."""
    figure = new_figure(9.0, 11.0)
    t, columns = log.t, log.columns
    speed, engine, gear, pedals, steering, lamps = figure.subplots(
        6, 1, sharex=True, height_ratios=[1.5, 1.3, 0.9, 1.0, 0.9, 1.2])
    _draw_speed(speed, log)
    _draw_engine(engine, log)
    gear.step(t, columns['gear'], where='post', color='black', linewidth=1.6)
    label_axes(gear, '', 'gear')
    numbers = range(int(columns['gear'].min()), int(columns['gear'].max()) + 1)
    gear.set_yticks(list(numbers), [_GEARS.get(number, str(number)) for number in numbers])
    gear.margins(y=0.15)
    _draw_pedals(pedals, log)
    steering.axhline(0.0, color='0.4', linewidth=0.8)
    steering.plot(t, columns['steering_angle'], color=BLUE, linewidth=1.4)
    label_axes(steering, '', 'steering [rad],\nleft positive')
    _draw_lamps(lamps, log)
    lamps.set_xlim(float(t[0]), float(t[-1]) if t.size > 1 else float(t[0]) + 1.0)
    figure.align_ylabels()
    figure.suptitle(log.name, parse_math=False)
    return figure


def _draw_speed(axes: Axes, log: DriverLog) -> None:
    columns = log.columns
    axes.axhline(0.0, color='0.4', linewidth=0.8)
    cruising = np.where(columns['control_mode'] == 0.0, columns['target_cruising_speed'], np.nan)
    if np.isfinite(cruising).any():
        axes.plot(log.t, cruising * _KMH, color=ORANGE, linestyle=':', linewidth=2.0,
                  label='cruise control')
        axes.legend(frameon=False, loc='upper right')
    axes.plot(log.t, columns['speed'] * _KMH, color=BLUE, linewidth=1.6)
    label_axes(axes, '', 'speed [km/h]')


def _draw_engine(axes: Axes, log: DriverLog) -> None:
    axes.plot(log.t, log.columns['rpm'], color=PURPLE, linewidth=1.4)
    label_axes(axes, '', 'engine [rev/min]')
    axes.set_ylim(bottom=0.0)
    axes.yaxis.label.set_color(PURPLE)
    torque = axes.twinx()
    torque.plot(log.t, log.columns['engine_torque'], color=GREEN, linestyle='--', linewidth=1.2)
    torque.set_ylabel('torque [N m]', color=GREEN)
    torque.set_ylim(bottom=0.0)
    torque.spines['top'].set_visible(False)


def _draw_pedals(axes: Axes, log: DriverLog) -> None:
    for series, (name, label, color) in enumerate((
            ('throttle', 'throttle', GREEN), ('brake_intensity', 'brake', VERMILION))):
        axes.fill_between(log.t, log.columns[name], step='post', facecolor=color, alpha=0.45,
                          edgecolor='0.2', hatch=hatch(series) * 2, linewidth=0, label=label)
    axes.set_ylim(0.0, 1.05)
    # Above the panel, where no pedal can be.
    axes.legend(frameon=False, ncols=2, loc='lower right', bbox_to_anchor=(1.0, 0.95))
    label_axes(axes, '', 'pedals')


def _draw_lamps(axes: Axes, log: DriverLog) -> None:
    for place, (name, (_, color)) in enumerate(reversed(_LAMPS.items())):
        axes.broken_barh(log.lit(name), (place - 0.35, 0.7), color=color, linewidth=0)
    label_axes(axes, 'time [s]', '')
    axes.set_yticks(range(len(_LAMPS)), [label for label, _ in reversed(_LAMPS.values())])
    axes.set_ylim(-0.6, len(_LAMPS) - 0.4)
