# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""One HTML file that holds everything about a tracking run: numbers, figures, provenance."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, UTC
from html import escape
from pathlib import Path

from racecar.core.analysis.metrics import Array, MergedTrack, Metrics
from racecar.core.analysis.path_kernels import SLOWEST_COURSE
from racecar.core.analysis.path_metrics import PATH_WINDOW
from racecar.core.analysis.run_data import EPOCH_FROM_NS, TrackingRun
from racecar.core.errors import ConfigurationError
from racecar.core.types import NANOSECONDS

_CAPTIONS = {
    'path': 'Actual and desired path',
    'x': 'x over time, and its error',
    'y': 'y over time, and its error',
    'error': 'Distance from the desired position over time',
    'fx': 'Longitudinal force of each tyre against its longitudinal slip, positive when braking',
    'fy': 'Lateral force of each tyre against its slip angle, both positive to the left',
}
_TYRE_METHOD = """
<p>Slip and force of a wheel carry no stamp. Where both have equally many samples, the n-th slip
goes with the n-th force, else each slip with the force recorded nearest to it, at most half a step
apart.</p>"""
SIMULATED = (('Source', 'simulation'),)
_MEANINGS = {
    'RMSE': 'square root of the mean squared distance over the samples',
    'ISE': 'integral of the squared distance over time, trapezoid rule on the stamps',
    'sum of squared errors': 'plain sum over the samples; grows with the odometry rate',
    'maximum error': 'largest distance of a sample',
    'samples': 'odometry samples compared',
    'duration': 'from the first to the last of them',
    'cross-track RMSE': 'of the distance to the nearest point of the path',
    'maximum cross-track error': 'largest distance to the nearest point of the path',
    'heading RMSE': 'of the course against the direction of the path at the nearest point',
    'speed RMSE': 'of the speed against that of the reference at the same time',
    'collisions': 'contacts with what stands around, from the first message to the last',
}
_STYLE = """
:root { color-scheme: light dark; --line: #d8dce2; --soft: #5b6470; --card: #f5f7fa;
  --warn: #fff3d6; --warn-line: #d99a00; }
@media (prefers-color-scheme: dark) { :root { --line: #3a4048; --soft: #a3acb8;
  --card: #22262c; --warn: #3a2f12; --warn-line: #d99a00; } }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; padding: 2rem 1.2rem;
  max-width: 64rem; }
@media (prefers-color-scheme: dark) { body { background: #16181c; color: #e6e9ee; } }
h1 { font-size: 1.6rem; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2rem 0 .6rem; }
p.lead { color: var(--soft); margin: .2rem 0 0; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .4rem .9rem .4rem 0; border-bottom: 1px solid var(--line);
  vertical-align: top; overflow-wrap: break-word; }
thead th { color: var(--soft); font-weight: 600; }
tbody th { font-weight: 600; white-space: nowrap; }
thead th.number { text-align: right; }
td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.unit { white-space: nowrap; }
td.meaning { color: var(--soft); }
td.fact { overflow-wrap: anywhere; }
@media (max-width: 40rem) { table { font-size: .85rem; } th, td { padding-right: .6rem; }
  tbody th { white-space: normal; } }
figure { margin: 0 0 1rem; max-width: 52rem; background: var(--card);
  border: 1px solid var(--line); border-radius: 8px; padding: .7rem; }
figure img { display: block; width: 100%; height: auto; background: #fff; border-radius: 4px; }
figcaption { color: var(--soft); font-size: .9rem; margin-top: .5rem; }
.warning { background: var(--warn); border-left: 4px solid var(--warn-line); padding: .6rem .9rem;
  margin: 1rem 0 0; overflow-wrap: anywhere; }
code { font: .92em ui-monospace, monospace; }
"""


def render_report(
    run: TrackingRun, track: MergedTrack, metrics: Metrics, pictures: Mapping[str, bytes],
    skip: float = 0.0, source: Sequence[tuple[str, str]] = SIMULATED,
) -> str:
    """Return the report as one HTML page without outside references.

    track, metrics: of the run without its first `skip` seconds. pictures: of `render_figures`.
    source: rows, name and text, that say where the run comes from.
    """
    values = _rows(
        (name, value, unit, _MEANINGS[name]) for name, value, unit in metrics.as_rows())
    facts = ''.join(
        f'<tr><th scope="row">{escape(name)}</th><td class="fact">{escape(value)}</td></tr>\n'
        for name, value in (*source, *_facts(run, track, skip)))
    warnings = ''.join(
        f'<p class="warning">{escape(text)}</p>\n' for text in run.warnings)
    images = ''.join(_image(key, data) for key, data in pictures.items())
    tyre_method = _TYRE_METHOD if {'fx', 'fy'} & set(pictures) else ''
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(run.name)}: tracking report</title>
<style>{_STYLE}</style>
</head>
<body>
<h1>{escape(run.name)}</h1>
<p class="lead">Tracking report: RMSE {metrics.rmse:.4f} m over {metrics.duration:.1f} s</p>
{warnings}
<h2>Tracking error</h2>
<table>
<thead><tr><th scope="col">Quantity</th><th scope="col" class="number">Value</th>
<th scope="col">Unit</th><th scope="col">Meaning</th></tr></thead>
<tbody>
{values}</tbody>
</table>
<h2>Figures</h2>
{images}<h2>Source</h2>
<table><tbody>
{facts}</tbody></table>
<h2>How it was computed</h2>
<p>The error of an odometry sample is its position minus the desired position at the same
stamp. The desired position is the reference sample with that very stamp, else
interpolated linearly in time between its two neighbours. Odometry before the first or after the
last reference sample is left out; of several samples with one stamp the last recorded counts.
Both positions are taken as they are given, in one frame.</p>
<p>The path is the polyline of the desired positions. Its nearest point is sought at most
{PATH_WINDOW:g} s before and after the sample. Course and speeds are those of the difference
between the positions before and after the sample; below {SLOWEST_COURSE:g} m/s there is no
course. Where the path turns back on itself within that time, the heading error is modulo
π.</p>{tyre_method}
</body>
</html>
"""


def write_report(
    path: Path | str, run: TrackingRun, track: MergedTrack, metrics: Metrics,
    pictures: Mapping[str, bytes], skip: float = 0.0,
    source: Sequence[tuple[str, str]] = SIMULATED,
) -> None:
    """Write `render_report` to a file. Raises ConfigurationError if it cannot be written."""
    text = render_report(run, track, metrics, pictures, skip, source)
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text, encoding='utf-8')
    except OSError as error:
        raise ConfigurationError(
            f"report '{path}' cannot be written: {error.strerror}; give another folder"
        ) from error


def _rows(rows: Iterable[tuple[str, str, str, str]]) -> str:
    return ''.join(
        f'<tr><th scope="row">{escape(name)}</th><td class="number">{escape(value)}</td>'
        f'<td class="unit">{escape(unit.replace("^2", "²"))}</td>'
        f'<td class="meaning">{escape(meaning)}</td></tr>\n'
        for name, value, unit, meaning in rows)


def _facts(run: TrackingRun, track: MergedTrack, skip: float) -> list[tuple[str, str]]:
    return [
        ('Odometry', _samples(run.odometry_name, run.t)),
        ('Reference', _samples(run.reference_name, run.reference_t)),
        ('Compared', f'{track.t[0]:.3f} s to {track.t[-1]:.3f} s; 0 s is the first stamp,'
                     f' {_instant(run.origin_ns)}'),
        ('Left out at the start', f'{skip:g} s'),
    ]


def _samples(name: str, t: Array) -> str:
    before = f'{name}, ' if name else ''
    duration = float(t.max() - t.min())
    rate = f', {(t.size - 1) / duration:.1f} Hz' if duration > 0.0 else ''
    return f'{before}{t.size} samples{rate}'


def _instant(stamp_ns: int) -> str:
    seconds = f'{stamp_ns / NANOSECONDS:.3f} s'
    if stamp_ns < EPOCH_FROM_NS:
        return seconds
    date = datetime.fromtimestamp(stamp_ns // NANOSECONDS, tz=UTC)
    return f'{date:%Y-%m-%d %H:%M:%S} UTC'


def _image(key: str, data: bytes) -> str:
    text = base64.b64encode(data).decode('ascii')
    caption = escape(_CAPTIONS.get(key, key))
    return (
        f'<figure><img src="data:image/png;base64,{text}" alt="{caption}">'
        f'<figcaption>{caption}</figcaption></figure>\n')
