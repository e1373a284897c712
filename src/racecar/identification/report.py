# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The report of an identification as one HTML page: estimates, profiles, replay, residuals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from racecar.analysis.chart import Chart
from racecar.analysis.html_page import HtmlPage
from racecar.identification.drive import Drive
from racecar.identification.evaluation import Evaluation, HORIZON, predict_windows, ratios
from racecar.identification.identifiability import UNIDENTIFIABLE
from racecar.identification.identify import FITTED, Identification
from racecar.identification.prediction import cut_windows

_REPLAY = 1.0
_EVERY = 0.2


def identification_page(result: Identification, title: str) -> HtmlPage:
    """Return the report of a result."""
    estimates = result.estimates.values()
    identified = sum(row.status.word == 'identified' for row in estimates)
    page = HtmlPage(title, f'Model {result.kind}, {len(result.drives)} drives,'
                           f' {sum(drive.duration for drive in result.drives):.0f} s;'
                           f' {identified} of {len(result.estimates)} values identified')
    for drive in result.drives:
        for note in drive.notes:
            page.warning(note)
    for warning in result.warnings:
        page.warning(warning)
    for row in estimates:
        if row.status.word == UNIDENTIFIABLE:
            page.warning(f'{row.name} cannot be told: {row.status.reason}')
    _estimates(page, result)
    _baselines(page, f'Errors after {HORIZON:g} s, open loop, within the drives',
               result.evaluations)
    if result.left_out:
        _baselines(page, 'Leave one out: each drive by the fit of the others', result.left_out)
    page.heading('Replay')
    page.paragraph(f'Each prediction starts in the measured state and runs for {_REPLAY:g} s on'
                   ' commands and wheel speed alone.')
    scales = {row.drive: row.scores[FITTED].scale for row in result.evaluations}
    for drive in result.drives:
        if drive.name in scales:
            page.charts(_replay(result, drive, scales[drive.name]), over_time=True)
    page.heading('Profiles')
    page.paragraph('Rise of the cost when one value is held and the others find their best again,'
                   ' in units in which a parabola reads 2 at two standard errors. A profile that'
                   ' stays below 1.35 on a side is open: the drives do not tell the value.')
    page.charts(_profiles(result))
    page.heading('Stages')
    page.table(['Stage', 'What', 'Fit'],
               [[row.stage.name, row.stage.text, row.text] for row in result.stages],
               remarks=[1, 2])
    weakest = sorted(result.final.weakest.items(), key=lambda item: -abs(item[1]))[:4]
    page.paragraph(
        'Singular values of the scaled Jacobian: '
        + ', '.join(f'{value:.3g}' for value in result.final.singular_values)
        + '. The data tell least about the direction '
        + ', '.join(f'{share:+.2f} {name}' for name, share in weakest) + '.')
    page.heading('Drives')
    page.facts([(drive.name, f'{drive.duration:.1f} s, {drive.valid.mean():.0%} used, wheelspin'
                             f' in {result.wheelspin[drive.name]:.0%} of the moving time;'
                             f' {drive.source}')
                for drive in result.drives])
    return page


def _estimates(page: HtmlPage, result: Identification) -> None:
    page.heading('Estimates')
    page.table(
        ['Quantity', 'Value', 'Unit', '90 % interval', 'Between sessions', 'Verdict', 'Why',
         'Source'],
        [[row.name, f'{row.value:.4g}', row.unit,
          '' if row.interval is None else '{:.4g} to {:.4g}'.format(*row.interval),
          '' if row.spread is None else f'{row.spread:.2g}', row.status.word,
          row.status.reason, row.source] for row in result.estimates.values()],
        numbers=[1, 3, 4], remarks=[6, 7])


def _profiles(result: Identification) -> list[tuple[Chart, str]]:
    charts = []
    for name, profile in result.profiles.items():
        if ':' in name:
            continue
        value = result.final.values[name]
        order = np.argsort([*profile.values, value])
        chart = Chart(f'{name} [{result.estimates[name].unit}]', ['scaled rise'])
        chart.line(np.array([*profile.values, value])[order],
                   np.array([*profile.rises, 0.0])[order], 'profile')
        chart.level(1.35, '90 %')
        charts.append((chart, f'{name}: {result.estimates[name].status.word}'))
    return charts


def _baselines(page: HtmlPage, title: str, evaluations: Sequence[Evaluation]) -> None:
    page.heading(title)
    rows = []
    for row in evaluations:
        after = f', after {row.adaptation:g} s' if row.adaptation else ''
        rows += [[f'{row.drive}{after}', name, f'{score.heading:.4f}', f'{score.position:.3f}',
                  f'{score.heading_median:.4f}', f'{score.position_median:.3f}',
                  f'{score.path_position:.3f}', f'{score.scale:.3f}', f'{score.windows}']
                 for name, score in row.scores.items()]
    page.table(['Drive', 'Model', 'Heading RMS [rad]', 'Position RMS [m]',
                'Heading median [rad]', 'Position median [m]', 'Of localisation alone [m]',
                'Wheel scale', 'Windows'],
               rows, numbers=[2, 3, 4, 5, 6, 7, 8])
    page.paragraph('Heading of the fitted model over that of '
                   + ', '.join(f'{name}: {ratio:.2f}'
                               for name, ratio in ratios(evaluations, FITTED).items()) + '.')


def _replay(
    result: Identification, drive: Drive, scale: float,
) -> list[tuple[Chart, str]]:
    windows = cut_windows(drive, length=_REPLAY, every=_REPLAY, horizons=10)
    predicted = predict_windows(drive, result.candidate, result.vehicle, windows, scale)
    starts = windows.starts
    cosine, sine = np.cos(drive.yaw[starts])[:, None], np.sin(drive.yaw[starts])[:, None]
    gap = np.full((len(starts), 1), np.nan)
    x = drive.x[starts][:, None] + cosine * predicted[:, :, 0] - sine * predicted[:, :, 1]
    y = drive.y[starts][:, None] + sine * predicted[:, :, 0] + cosine * predicted[:, :, 1]
    path = Chart('x [m]', ['y [m]'], is_map=True)
    path.line(drive.x, drive.y, 'measured', times=drive.t)
    if not np.array_equal(drive.x, drive.path_x):
        path.line(drive.path_x, drive.path_y, 'localisation', times=drive.t, series=2)
    path.line(np.hstack([x, gap]).ravel(), np.hstack([y, gap]).ravel(), 'predicted', series=1)
    short = cut_windows(drive, length=HORIZON, every=_EVERY, horizons=1)
    error = (predict_windows(drive, result.candidate, result.vehicle, short, scale)
             - short.measured)[:, 0]
    times = short.starts * drive.period
    residuals = Chart('time [s]', ['heading [rad]', 'along [m]', 'across [m]', 'speed [m/s]'],
                      panel_height=130)
    for panel, column in enumerate((2, 0, 1)):
        residuals.line(times, error[:, column], f'error after {HORIZON:g} s', panel=panel)
    residuals.line(drive.t, drive.vx, 'over ground', panel=3, series=2)
    residuals.line(drive.t, scale * drive.wheel_speed, 'wheels, scaled', panel=3, series=3)
    return [(path, f'{drive.name}: path'), (residuals, f'{drive.name}: residuals')]
