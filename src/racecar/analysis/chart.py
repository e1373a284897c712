# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Interactive figures of an HTML page, as plotly.js takes them: panels with lines, dots and bars.

    chart = Chart('time [s]', ['speed [m/s]', 'steering [rad]'])
    chart.line(t, speed, 'measured')
    chart.line(t, steering, 'commanded', panel=1, series=1)

A chart holds no more points than a screen can show, whatever the length of the run.
"""

from __future__ import annotations

from collections.abc import Sequence
import json
import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from racecar.analysis import palette
from racecar.base.columns import Array

MOST_POINTS = 3000
"""Points of a series that are kept."""

INK, SOFT = '@ink', '@soft'
"""Colours of the page in its light or dark form, for what is no series: text, and less of it."""

_GAP, _LEGEND_GAP = 26, 48  # between panels, and where each has a legend [px]
_LARGEST_CELL, _CELLS_WIDE = 34.0, 340.0  # of a map of cells, and the longer side of all [px]
_LARGEST = 1e300  # end of a scale of colours


class Stroke(NamedTuple):
    """How a line is drawn; colour, dash: in the place of those of its series; width [px]."""

    colour: str = ''
    dash: str = ''
    width: float = 1.8


_OF_SERIES = Stroke()


class Chart:
    """One figure: panels above each other that share their x axis.

    Values that are not finite leave a gap. Series are counted from 0: the number chooses colour,
    dashes and hatch of racecar.analysis.palette; a name stands in the legend once.
    """

    def __init__(
        self, x: str, panels: Sequence[str], *, is_map: bool = False, panel_height: int = 200,
        own_legends: bool = False, is_logarithmic: bool = False, is_x_logarithmic: bool = False,
    ) -> None:
        """x, panels: labels of the axes, with units, the panels from top to bottom.

        is_map: both axes have one scale, as for a path or a g-g diagram. panel_height: of each
        [px]; a map has the height that its width gives. own_legends: each panel has a legend of
        its own curves, unless there is only one. is_logarithmic: the y axes are; is_x_logarithmic:
        the x axis is.
        """
        self._traces: list[dict[str, object]] = []
        self._named: set[tuple[int, str]] = set()
        self._own_legends = own_legends
        count = len(panels)
        gap = (_LEGEND_GAP if own_legends else _GAP) / (panel_height * count)
        height = (1.0 - gap * (count - 1)) / count
        self._axes: dict[str, dict[str, Any]] = {
            'xaxis': {'title': {'text': x}, 'anchor': _axis('y', count - 1),
                      **({'type': 'log'} if is_x_logarithmic else {})}}
        for number, label in enumerate(panels):
            top = 1.0 - number * (height + gap)
            self._axes[f'yaxis{_suffix(number)}'] = {
                'title': {'text': label}, 'domain': [max(top - height, 0.0), top],
                **({'type': 'log'} if is_logarithmic else {})}
        if is_map:
            self._axes['yaxis'] |= {'scaleanchor': 'x', 'scaleratio': 1, 'constrain': 'domain'}
            self._axes['xaxis']['constrain'] = 'domain'
        self._shapes: list[dict[str, object]] = []
        self._annotations: list[dict[str, object]] = []
        self._panels = count
        self._height = None if is_map else panel_height * count + 90
        # Least and largest x and y of all that was drawn.
        self._extent = np.array([[np.inf, np.inf], [-np.inf, -np.inf]])

    def line(
        self, x: ArrayLike, y: ArrayLike, name: str, *, panel: int = 0, series: int = 0,
        stroke: Stroke = _OF_SERIES, times: ArrayLike | None = None,
    ) -> None:
        """Draw a line through n points.

        times: (n,) of the points of a map [s], so that a dot follows the pointer in the figures
        over time.
        """
        xs, ys = _arrays(x, y)
        kept = _kept(xs, ys, is_function=times is None)
        self._add(name, panel, {
            'mode': 'lines', 'x': _numbers(xs[kept]), 'y': _numbers(ys[kept]), 'line': {
                'color': stroke.colour or palette.colour(series), 'width': stroke.width,
                'dash': stroke.dash or palette.dash(series)},
            **({} if times is None else {'racecarTimes': _numbers(_arrays(times)[0][kept])})})

    def dots(
        self, x: ArrayLike, y: ArrayLike, name: str, *, panel: int = 0, series: int = 0,
        colour: str = '', symbol: str = 'circle', size: float = 4.0,
    ) -> None:
        """Draw n points, for example of a g-g diagram; symbol: a name of plotly.js."""
        xs, ys = _arrays(x, y)
        kept = _spread(xs.size)
        self._add(name, panel, {
            'mode': 'markers', 'x': _numbers(xs[kept]), 'y': _numbers(ys[kept]), 'marker': {
                'color': colour or palette.colour(series), 'size': size, 'symbol': symbol,
                'opacity': 0.75 if xs.size > 50 else 1.0}})

    def coloured(
        self, x: ArrayLike, y: ArrayLike, values: ArrayLike, name: str, label: str,
        *, bounds: tuple[float, float] | None = None, times: ArrayLike | None = None,
    ) -> None:
        """Draw a path through n points, coloured by n values; label: what these are, with unit.

        bounds: values at both ends of the scale, by default the least and the largest. times: as
        in line().
        """
        xs, ys, colours = _arrays(x, y, values)
        kept = _spread(xs.size)
        low, high = np.nan_to_num(bounds or _bounds(colours)).tolist()
        at = {'x': _numbers(xs[kept]), 'y': _numbers(ys[kept])}
        self._add(name, 0, {
            **at, 'mode': 'lines', 'line': {'color': SOFT, 'width': 1}, 'hoverinfo': 'skip',
            **({} if times is None else {'racecarTimes': _numbers(_arrays(times)[0][kept])})})
        steps = [[index / (len(palette.VIRIDIS) - 1), colour]
                 for index, colour in enumerate(palette.VIRIDIS)]
        self._add(name, 0, {
            **at, 'mode': 'markers', 'showlegend': False, 'marker': {
                'color': _numbers(colours[kept]), 'colorscale': steps, 'cmin': low, 'cmax': high,
                'size': 5, 'colorbar': {
                    'title': {'text': label, 'side': 'right'}, 'thickness': 12, 'len': 0.9}},
            'hovertemplate': f'x %{{x}}<br>y %{{y}}<br>{label}: %{{marker.color}}<extra></extra>'})

    def cells(
        self, x: Sequence[str], y: Sequence[str], values: Array, label: str,
    ) -> None:
        """Draw a map of cells, coloured by the logarithm of positive values (len(y), len(x)).

        Cells without a positive value stay empty; label: what the values are, with unit.
        """
        rows, columns = np.nonzero(np.isfinite(values) & (values > 0.0))
        if not rows.size:
            return
        found = values[rows, columns]
        decades = np.log10(found)
        ticks = np.linspace(decades.min(), decades.max(), 5 if np.ptp(decades) > 0.0 else 1)
        steps = [[index / (len(palette.VIRIDIS) - 1), colour]
                 for index, colour in enumerate(reversed(palette.VIRIDIS))]
        self._traces.append({
            'type': 'scatter', 'mode': 'markers', 'name': label, 'xaxis': 'x', 'yaxis': 'y',
            'x': [x[column] for column in columns.tolist()],
            'y': [y[row] for row in rows.tolist()],
            'showlegend': False, 'customdata': _numbers(found), 'marker': {
                'symbol': 'square', 'size': min(_LARGEST_CELL, _CELLS_WIDE / max(values.shape)),
                'color': _numbers(decades), 'colorscale': steps, 'colorbar': {
                    'title': {'text': label, 'side': 'right'}, 'thickness': 12, 'len': 0.9,
                    'tickvals': _numbers(ticks),
                    'ticktext': [f'{10.0**tick:.3g}' for tick in ticks]}},
            'hovertemplate': f'%{{x}}, %{{y}}<br>{label}: %{{customdata}}<extra></extra>'})
        for axis, names in (('xaxis', x), ('yaxis', y)):
            self._axes[axis] |= {
                'type': 'category', 'categoryorder': 'array', 'categoryarray': [*names]}

    def mark(self, x: float | str, y: float | str, name: str) -> None:
        """Mark a point or a cell by a star."""
        self._traces.append({
            'type': 'scatter', 'name': name, 'mode': 'markers', 'x': [x], 'y': [y], 'xaxis': 'x',
            'yaxis': 'y', 'showlegend': True, 'marker': {
                'symbol': 'star', 'size': 16, 'color': palette.ORANGE,
                'line': {'color': INK, 'width': 1}}})

    def outlines(self, lines: Sequence[Array], name: str) -> None:
        """Draw lines (n, 2) [m] on a map, whole, as what stands around."""
        if not lines:
            return
        apart = [part for line in lines for part in (line, [[np.nan, np.nan]])]
        points = np.concatenate(apart[:-1])
        self._add(name, 0, {
            'mode': 'lines', 'x': _numbers(points[:, 0]), 'y': _numbers(points[:, 1]),
            'line': {'color': SOFT, 'width': 1.4}, 'hoverinfo': 'skip'})

    def bars(
        self, labels: Sequence[str], values: ArrayLike, name: str, *, panel: int = 0,
        series: int = 0, colour: str = '',
    ) -> None:
        """Draw a bar for each label, beside those of other series."""
        self._add(name, panel, {
            'type': 'bar', 'x': list(labels), 'y': _numbers(_arrays(values)[0]), 'marker': {
                'color': colour or palette.colour(series), 'line': {'color': INK, 'width': 1},
                'pattern': {'shape': palette.hatch(series), 'size': 7, 'solidity': 0.35,
                            'fillmode': 'overlay', 'fgcolor': '#ffffff'}}})

    def level(self, y: float, name: str, *, panel: int = 0, colour: str = INK) -> None:
        """Draw a dashed horizontal line across a panel, with its name at its end.

        A level that is not finite is left out.
        """
        if not math.isfinite(y):
            return
        place = _axis('y', panel)
        self._shapes.append({
            'type': 'line', 'xref': 'paper', 'x0': 0, 'x1': 1, 'yref': place, 'y0': y, 'y1': y,
            'line': {'color': colour, 'width': 1.2, 'dash': 'dash'}})
        self._annotations.append({
            'xref': 'paper', 'x': 1, 'xanchor': 'right', 'yref': place, 'y': y,
            'yanchor': 'bottom', 'text': name, 'showarrow': False})

    def name_x(self, names: Sequence[str]) -> None:
        """Write names at x = 0, 1, 2 and so on."""
        self._axes['xaxis'] |= {'tickvals': [*range(len(names))], 'ticktext': [*names],
                                'range': [-0.5, len(names) - 0.5]}

    def show_within(self, reach: float) -> None:
        """Show a map from -reach to reach along both axes; what lies beyond can be zoomed to."""
        reach = float(np.nan_to_num(reach, nan=_LARGEST, posinf=_LARGEST))
        for axis in ('xaxis', 'yaxis'):
            self._axes[axis]['range'] = [-reach, reach]
        self._extent = np.array([[-reach, -reach], [reach, reach]])

    def show_panel_within(self, panel: int, low: float, high: float) -> None:
        """Show a panel from low to high at first; what lies beyond can be zoomed to."""
        if math.isfinite(low) and math.isfinite(high) and low < high:
            self._axes[f'yaxis{_suffix(panel)}']['range'] = [low, high]

    def begin_above(self, panel: int) -> None:
        """Let the smallest value of a panel stand above, as the first place does."""
        self._axes[f'yaxis{_suffix(panel)}']['autorange'] = 'reversed'

    def as_json(self) -> str:
        """Figure for the script of the page; equal charts give equal texts."""
        with np.errstate(over='ignore'):
            width, height = (float(length) for length in self._extent[1] - self._extent[0])
        aspect = height / width if 0.0 < width < math.inf else 1.0
        aspect = aspect if math.isfinite(aspect) else 1.0
        layout: dict[str, object] = {
            **self._axes, 'hovermode': 'x unified' if self._height else 'closest',
            'barmode': 'group'}
        if self._own_legends:
            layout |= self._legends()
        if self._shapes:
            layout |= {'shapes': self._shapes, 'annotations': self._annotations}
        return json.dumps(
            {'data': self._traces, 'layout': layout, 'height': self._height,
             'aspect': aspect}, allow_nan=False, separators=(',', ':'))

    def _legends(self) -> dict[str, object]:
        """A legend above each panel with more than one curve."""
        counts = [sum(number == panel for number, _ in self._named)
                  for panel in range(self._panels)]
        for trace in self._traces:
            panel = int(str(trace['yaxis'])[1:] or 1) - 1
            trace['showlegend'] = bool(trace['showlegend']) and counts[panel] > 1
        return {_legend(panel): {'y': self._axes[f'yaxis{_suffix(panel)}']['domain'][1]}
                for panel, count in enumerate(counts) if count > 1}

    def _add(self, name: str, panel: int, trace: dict[str, object]) -> None:
        if not 0 <= panel < self._panels:
            raise ValueError(f'panel is {panel}, expected 0 to {self._panels - 1}')
        of_panel = panel if self._own_legends else 0
        self._traces.append({
            'type': 'scatter', 'name': name, 'legend': _legend(of_panel),
            'legendgroup': f'{name} {of_panel}' if of_panel else name, 'xaxis': 'x',
            'yaxis': _axis('y', panel), 'showlegend': (of_panel, name) not in self._named,
            **trace})
        self._named.add((of_panel, name))
        if self._height is None:
            points = np.array([trace['x'], trace['y']], dtype=np.float64)
            points = points[:, np.isfinite(points).all(axis=0)]
            if points.size:
                self._extent = np.array([
                    np.minimum(self._extent[0], points.min(axis=1)),
                    np.maximum(self._extent[1], points.max(axis=1))])


def _legend(panel: int) -> str:
    return f'legend{_suffix(panel)}'


def _axis(letter: str, panel: int) -> str:
    return f'{letter}{_suffix(panel)}'


def _suffix(panel: int) -> str:
    return str(panel + 1) if panel else ''


def _arrays(*columns: ArrayLike) -> list[Array]:
    arrays = [np.asarray(column, dtype=np.float64) for column in columns]
    if any(array.ndim != 1 or array.shape != arrays[0].shape for array in arrays):
        raise ValueError(
            f"columns have the shapes {', '.join(str(array.shape) for array in arrays)},"
            ' expected (n,)')
    return arrays


def _numbers(values: Array) -> list[float | None]:
    """Values with as many digits as a screen needs, None for those that are not finite."""
    finite = np.isfinite(values).tolist()
    return [float(f'{value:.7g}') if fine else None
            for value, fine in zip(values.tolist(), finite, strict=True)]


def _bounds(values: Array) -> tuple[float, float]:
    # The ends of the scale lie a little beyond.
    finite = np.clip(values[np.isfinite(values)], -_LARGEST, _LARGEST)
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    # A constant is no scale; and rounding of one would become all of it.
    room = 1e-3 * max(abs(low), abs(high), 1e-3)
    return (low - room, high + room) if high - low < room else (low, high)


def _spread(count: int) -> NDArray[np.int64]:
    """At most MOST_POINTS indices, evenly spaced, first and last among them."""
    if count <= MOST_POINTS:
        return np.arange(count)
    return np.unique(np.linspace(0, count - 1, MOST_POINTS).round().astype(np.int64))


def _kept(x: Array, y: Array, *, is_function: bool) -> NDArray[np.int64]:
    """Indices to keep; of a function the least and largest value of each stretch."""
    if y.size <= MOST_POINTS or not is_function:
        return _spread(y.size)
    edges = np.linspace(0, y.size, MOST_POINTS // 2 + 1).round().astype(np.int64)
    kept = {0, y.size - 1}
    for first, end in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        part = y[first:end]
        if np.isfinite(part).all():
            kept |= {first + int(np.argmin(part)), first + int(np.argmax(part))}
        else:
            # A gap stays one, and what stands beside it.
            kept |= {*range(first, end)} if end - first < 8 else {
                first, end - 1, first + int(np.argmin(np.isfinite(part)))}
    return np.array(sorted(kept), dtype=np.int64)
