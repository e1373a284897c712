# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Short films of contacts in a race, from above: SVG drawings that move by themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import NamedTuple

import numpy as np

from racecar.base.columns import Array
from racecar.dynamics.vehicles.parameters import Footprint
from racecar.race.events import RaceEvent

# What is shown before a contact and after it [s], around it [m], and so many times slower.
_BEFORE, _AFTER, _AROUND, _SLOWER = 1.5, 1.0, 2.0, 2.0
# Pictures a second of the race; in between the browser draws a straight way.
_RATE = 25.0
# Size of a dot of the drawing [m]: places are written to the millimetre.
_DOT = 0.001


class FilmedCar(NamedTuple):
    """A car: its colour; path: time, x, y, yaw, (4, samples) [SI], NaN off the track."""

    colour: str
    path: Array
    footprint: Footprint


def contact_film(
    event: RaceEvent, cars: Mapping[str, FilmedCar], walls: Sequence[Array],
) -> str:
    """SVG element that shows an event with a place again and again.

    walls: lines (n, 2) [m] of what stands around.
    """
    times = np.arange(event.time - _BEFORE, event.time + _AFTER, 1.0 / _RATE)
    seconds = f'{_SLOWER * (_BEFORE + _AFTER):g}s'
    side = round(2.0 * _AROUND / _DOT)
    parts = [
        f'<svg viewBox="0 0 {side} {side}" role="img" aria-label="{escape(_title(event))}"'
        ' class="film"><g class="walls">', *_walls(walls, event), '</g>']
    for name, car in cars.items():
        parts += _car(name, car, times, event, seconds)
    # How far the film is.
    parts.append(f'<rect x="0" y="{side - 40}" height="40" width="0" class="time">'
                 f'<animate attributeName="width" from="0" to="{side}" dur="{seconds}"'
                 ' repeatCount="indefinite"/></rect></svg>')
    return ''.join(parts)


def film_caption(event: RaceEvent) -> str:
    """What a film shows."""
    return (f'{_title(event)}; from {_BEFORE:g} s before to {_AFTER:g} s after,'
            f' {_SLOWER:g} times slower, {2.0 * _AROUND:g} m wide')


def _title(event: RaceEvent) -> str:
    return f'{event.time:.2f} s, {event.car}: {event.text}'


def _dots(x: Array, y: Array, event: RaceEvent) -> tuple[Array, Array]:
    """Places in the drawing, whose y goes down."""
    return np.round((x - event.x + _AROUND) / _DOT), np.round((event.y + _AROUND - y) / _DOT)


def _walls(walls: Sequence[Array], event: RaceEvent) -> Iterator[str]:
    for line in walls:
        x, y = line.T
        if (x.min() > event.x + _AROUND or x.max() < event.x - _AROUND
                or y.min() > event.y + _AROUND or y.max() < event.y - _AROUND):
            continue
        # Of a long line the pieces that are seen, each with its ends.
        near = (np.abs(x - event.x) <= 2.0 * _AROUND) & (np.abs(y - event.y) <= 2.0 * _AROUND)
        piece = near[:-1] | near[1:] | (len(x) < 3)
        for first in np.flatnonzero(piece & ~np.r_[False, piece[:-1]]).tolist():
            last = first + int(np.argmin(np.r_[piece[first:], False]))
            dots = zip(*_dots(x[first:last + 1], y[first:last + 1], event), strict=True)
            yield f'<polyline points="{" ".join(f"{a:.0f},{b:.0f}" for a, b in dots)}"/>'


def _car(
    name: str, car: FilmedCar, times: Array, event: RaceEvent, seconds: str,
) -> Iterator[str]:
    t, x, y, yaw = car.path
    # The sample before each picture: none between one on the track and one off it.
    at = np.clip(np.searchsorted(t, times + 1e-9, side='right') - 1, 0, len(t) - 1)
    seen = np.isfinite(x[at]) & (times >= t[0]) & (times <= t[-1] + 1.0 / _RATE)
    reach = _AROUND + car.footprint.front + car.footprint.rear
    close = np.hypot(x[at] - event.x, y[at] - event.y) < 2.0 * reach
    if not (seen & close).any():
        return
    shown = np.where(seen, at, at[np.flatnonzero(seen)[0]])
    turns = np.degrees(np.unwrap(yaw[shown]))
    dots = [*zip(*_dots(x[shown], y[shown], event), strict=True)]
    front, rear, side = (round(length / _DOT) for length in car.footprint)
    corners = (f'{-rear},{-side} {round(0.6 * front)},{-side} {front},0'
               f' {round(0.6 * front)},{side} {-rear},{side}')
    repeated = f'dur="{seconds}" repeatCount="indefinite"'
    yield f'<g fill="{escape(car.colour)}"><title>{escape(name)}</title>'
    yield (f'<animateTransform attributeName="transform" type="translate" {repeated} values="'
           f'{";".join(f"{a:.0f} {b:.0f}" for a, b in dots)}"/>')
    if not seen.all():
        yield (f'<animate attributeName="visibility" calcMode="discrete" {repeated} values="'
               f'{";".join("visible" if here else "hidden" for here in seen)}"/>')
    yield f'<polygon points="{corners}"><animateTransform attributeName="transform"'
    yield (f' type="rotate" {repeated} values="'
           f'{";".join(f"{-turn:.1f}" for turn in turns)}"/></polygon>')
    yield f'<text x="{front + 60}" y="0">{escape(name)}</text></g>'
