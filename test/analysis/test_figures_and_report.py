# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
from html.parser import HTMLParser
import re

import matplotlib.colors
import numpy as np
import pytest

from racecar.analysis.figures import draw_figures, path_figure, render_figures, write_figures
from racecar.analysis.html_report import tracking_report, write_report
from racecar.analysis.palette import BLUE, ORANGE
from racecar.analysis.run_data import TrackingRun
from racecar.base.errors import ConfigurationError
from racecar.metrics.tracking_error import compute_metrics

PNG = b'\x89PNG\r\n\x1a\n'
VOID = {'meta', 'img', 'br'}
DATE_NS = 1_700_000_000 * 10**9


def make_run(name='run', laps=3.0, **options):
    t = np.arange(0, 20 * laps, 0.05)
    angle = 2 * np.pi * t / 20
    return TrackingRun(
        name=name, t=t, x=np.cos(angle), y=np.sin(angle), reference_t=t,
        reference_x=1.1 * np.cos(angle), reference_y=1.1 * np.sin(angle), **options)


@pytest.fixture(scope='module')
def drawn():
    run = make_run('a <b> & $c$')
    track = run.merged(1.0)
    metrics = compute_metrics(track)
    return run, track, metrics, draw_figures(run.name, track, metrics)


def test_figures_are_as_the_report_draws_them(drawn):
    run, track, _, figures = drawn
    assert list(figures) == ['path', 'x', 'y', 'error']
    (axes,) = figures['path'].axes
    actual = axes.lines[0]
    assert matplotlib.colors.same_color(actual.get_color(), BLUE)
    assert actual.get_linestyle() == '-'
    assert np.array_equal(actual.get_xdata(), track.x)
    assert axes.get_aspect() == 1.0
    assert (axes.get_xlabel(), axes.get_ylabel()) == ('x [m]', 'y [m]')
    upper, lower = figures['x'].axes
    assert matplotlib.colors.same_color(upper.lines[1].get_color(), ORANGE)
    assert upper.lines[1].get_linestyle() == ':'
    assert (upper.get_ylabel(), lower.get_xlabel()) == ('x [m]', 'time since the start [s]')
    for figure in figures.values():
        (title,) = figure.texts
        assert run.name in title.get_text()
        assert 'RMSE 0.1000 m' in title.get_text()


def test_desired_path_stays_dotted_over_many_laps():
    run = make_run(laps=20)
    track = run.merged()
    (axes,) = path_figure('run', track, compute_metrics(track)).axes
    dots = np.asarray(axes.collections[0].get_offsets())
    distances = np.linalg.norm(dots[:, None] - dots[None], axis=2)
    np.fill_diagonal(distances, np.inf)
    assert distances.min() >= 2.2 / 71
    # Still no hole between neighbours wider than two spacings.
    assert distances.min(axis=0).max() < 2 * 2.2 / 69


@pytest.mark.parametrize('end', [0.0, 1e-9, 3.0, 1e4])
def test_narrow_and_standing_paths(tmp_path, end):
    t = np.linspace(0, 1, 5)
    run = TrackingRun(name='line', t=t, x=end * t, y=0 * t, reference_t=t, reference_x=end * t,
                      reference_y=0 * t)
    track = run.merged()
    pictures = render_figures(draw_figures('line', track, compute_metrics(track)))
    write_figures(pictures, tmp_path / 'new' / 'out')
    for key in ('path', 'x', 'y', 'error'):
        assert (tmp_path / 'new' / 'out' / f'{key}.png').read_bytes().startswith(PNG)


def test_one_sample_can_be_drawn():
    run = TrackingRun(
        name='one', t=np.zeros(1), x=np.zeros(1), y=np.zeros(1), reference_t=np.zeros(1),
        reference_x=np.ones(1), reference_y=np.zeros(1))
    track = run.merged()
    metrics = compute_metrics(track)
    assert len(render_figures(draw_figures('one', track, metrics))) == 4
    assert '1 samples' in tracking_report(run, track, metrics).text()


class Structure(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open = []
        self.tags = []
        self.sources = []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attributes:
            if name in ('src', 'href'):
                self.sources.append(value)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_report_is_one_well_formed_file(drawn):
    run, track, metrics, _ = drawn
    text = tracking_report(run, track, metrics, skip=1.0).text()
    page = Structure()
    page.feed(text)
    assert page.open == []
    assert page.sources == []
    assert not re.search(r'https?://|@import|url\(', text)
    assert 'a &lt;b&gt; &amp; $c$' in text
    assert '<b>' not in text
    assert 'prefers-color-scheme: dark' in text
    assert '>0.1000</td><td class="unit">m</td>' in text
    assert 'm² s' in text
    for name, unit in (('cross-track RMSE', 'm'), ('maximum cross-track error', 'm'),
                       ('heading RMSE', 'deg'), ('speed RMSE', 'mm/s')):
        assert re.search(f'>{name}</th><td class="number">[0-9.]+</td><td class="unit">{unit}<',
                         text)
    assert 'at most 3 s before and after' in text


def test_report_says_where_the_run_came_from():
    run = make_run(odometry_name='/vesc/odom', reference_name='/reference', origin_ns=DATE_NS)
    track = run.merged()
    metrics = compute_metrics(track)
    text = tracking_report(
        run, track, metrics, source=[('Bag', 'a <b>'), ('Storage', 'mcap')]).text()
    assert re.search('a &lt;b&gt;.*mcap.*/vesc/odom, 1200 samples, 20.0 Hz.*/reference, 1200',
                     text, re.DOTALL)
    assert '2023-11-14 22:13:20 UTC' in text
    assert 'simulation' not in text
    assert 'simulation' in tracking_report(run, track, metrics).text()


def test_report_shows_warnings():
    run = make_run(warnings=('this & that',))
    track = run.merged()
    assert '<p class="warning">this &amp; that</p>' in tracking_report(
        run, track, compute_metrics(track)).text()


def test_folder_that_cannot_be_written(tmp_path, drawn):
    (tmp_path / 'file').write_text('')
    with pytest.raises(ConfigurationError, match='another folder'):
        write_figures({'x': PNG}, tmp_path / 'file')
    with pytest.raises(ConfigurationError, match='another folder'):
        write_report(tmp_path / 'file' / 'report.html', *drawn[:3])
