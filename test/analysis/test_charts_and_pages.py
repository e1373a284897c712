# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Figures and pages of reports: what the browser gets is what was drawn, and nothing else."""

import base64
import gzip
import hashlib
from html.parser import HTMLParser
import json
import re

from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
import numpy as np
import pytest

from racecar.analysis.chart import Chart, MOST_POINTS
from racecar.analysis.html_page import HtmlPage
from racecar.analysis.palette import colour, COLOURS, dash, DASHES
from racecar.base.errors import ConfigurationError

PNG = b'\x89PNG'
# Of plotly-basic.min.js as published in plotly.js-basic-dist-min 4.1.1.
PLOTLY = '99784e3abfb07b142a15e521a439e6d9addceadb3f79553fd24c72774f0649ba'


class Page(HTMLParser):
    """The tags of a page, the texts of its scripts by id, and whatever would be loaded."""

    def __init__(self, text):
        super().__init__()
        self.open, self.loaded, self.scripts, self._id = [], [], {}, None
        self.policy = ''
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag not in ('meta', 'img', 'br'):
            self.open.append(tag)
        if given.get('http-equiv') == 'Content-Security-Policy':
            self.policy = given['content']
        self.loaded += [value for name, value in attributes if name in ('src', 'href')]
        self._id = given.get('id') if tag == 'script' else None

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self._id is not None:
            self.scripts[self._id] = self.scripts.get(self._id, '') + data


def unpacked(text):
    return gzip.decompress(base64.b64decode(text)).decode()


def figure(chart):
    return json.loads(chart.as_json())


def test_a_page_holds_its_figures_and_the_library_that_draws_them():
    chart = Chart('t [s]', ['a [m]', 'b [m]'])
    chart.line([0.0, 1.0, 2.0], [0.5, np.nan, -0.25], 'one', panel=1)
    page = HtmlPage('Title <&>')
    page.charts([(chart, 'A <caption>')], over_time=True)
    found = Page(page.text())
    assert found.open == []
    library = unpacked(found.scripts['plotly']).encode()
    assert hashlib.sha256(library).hexdigest() == PLOTLY
    drawn = json.loads(unpacked(found.scripts['chart-1-data']))
    line, = drawn['data']
    assert (line['x'], line['y'], line['yaxis']) == ([0.0, 1.0, 2.0], [0.5, None, -0.25], 'y2')
    assert 'A &lt;caption&gt;' in page.text()
    assert 'Title &lt;&amp;&gt;' in page.text()


def test_a_page_loads_nothing_and_its_policy_forbids_it():
    page = HtmlPage('Title')
    page.charts([(Chart('x', ['y']), 'caption')])
    page.picture(PNG, 'picture')
    found = Page(page.text())
    picture, = found.loaded
    assert picture == f'data:image/png;base64,{base64.b64encode(PNG).decode()}'
    assert found.policy.startswith("default-src 'none';")
    assert not re.search('https?:|connect-src', found.policy)
    assert not re.search(r'https?://|@import|url\(', page.text())


def test_a_page_without_figures_is_small_and_equal_pages_are_equal_files():
    def made(with_chart):
        page = HtmlPage('Title', 'lead')
        if with_chart:
            chart = Chart('x', ['y'])
            chart.line([0.0], [1.0], 'one')
            page.charts([(chart, 'caption')])
        return page.text()

    assert made(True) == made(True)
    assert len(made(False)) < 10_000
    assert len(made(True)) < 600_000


def test_tables_mark_numbers_remarks_and_the_best():
    page = HtmlPage('Title')
    page.table(['name', 'value', 'remark'], [['a<', '1', 'm^2'], ['b', '2', '']], numbers=[1],
               remarks=[2], best=[(0, 1)])
    page.facts([('key', '<text>')])
    page.warning('this & that')
    page.details('more', 'a: <b>')
    text = page.text()
    assert Page(text).open == []
    assert '<th scope="row">a&lt;</th><td class="number best">1</td><td class="meaning">m²</td>' \
        in text
    assert '<td class="number">2</td>' in text
    assert '<td class="fact">&lt;text&gt;</td>' in text
    assert '<p class="warning">this &amp; that</p>' in text
    assert '<pre>a: &lt;b&gt;</pre>' in text


def test_a_page_that_cannot_be_written_is_an_error_of_one_line(tmp_path):
    (tmp_path / 'file').write_text('')
    with pytest.raises(ConfigurationError, match=r"^report '.*' cannot be written: .*folder$"):
        HtmlPage('Title').write(tmp_path / 'file' / 'report.html')


@given(st.integers(MOST_POINTS + 1, 9_000), st.integers(0, 2**32 - 1))
@settings(max_examples=12)
def test_of_a_long_function_the_extremes_stay_and_few_points_are_kept(count, seed):
    values = np.random.default_rng(seed).normal(size=count)
    chart = Chart('t', ['y'])
    chart.line(np.arange(count), values, 'one')
    line, = figure(chart)['data']
    assert len(line['x']) <= MOST_POINTS + 2
    assert line['x'] == sorted(set(line['x']))
    assert (line['x'][0], line['x'][-1]) == (0, count - 1)
    for extreme in (values.min(), values.max()):
        assert any(value == pytest.approx(extreme, rel=1e-6) for value in line['y'])
    for x, y in zip(line['x'], line['y'], strict=True):
        assert y == pytest.approx(values[int(x)], rel=1e-6)


@given(arrays.arrays(np.float64, st.integers(0, 40), elements=st.floats(width=64)))
@example(np.array([1.7e308]))
@example(np.array([-1.7e308, 1.7e308]))
def test_whatever_the_values_are_the_figure_is_json(values):
    chart = Chart('x', ['y'], is_map=True)
    chart.coloured(values, values, values, 'path', 'v')
    chart.dots(values, values, 'dots')
    for trace in figure(chart)['data']:
        assert [value is None for value in trace['x']] == (~np.isfinite(values)).tolist()


def test_a_gap_in_a_long_function_stays_one():
    values = np.sin(np.arange(50_000) / 100.0)
    values[20_000:30_000] = np.nan
    chart = Chart('t', ['y'])
    chart.line(np.arange(50_000), values, 'one')
    line, = figure(chart)['data']
    assert None in line['y']
    assert all(value is None or not 20_000 <= x < 30_000
               for x, value in zip(line['x'], line['y'], strict=True))


def test_a_map_has_one_scale_and_the_aspect_of_what_is_drawn():
    chart = Chart('x [m]', ['y [m]'], is_map=True)
    chart.line([0.0, 4.0], [0.0, 1.0], 'one')
    drawn = figure(chart)
    assert drawn['layout']['yaxis']['scaleanchor'] == 'x'
    assert (drawn['height'], drawn['aspect']) == (None, 0.25)
    chart.show_within(3.0)
    assert figure(chart)['aspect'] == 1.0
    assert figure(chart)['layout']['xaxis']['range'] == [-3.0, 3.0]


def test_a_name_stands_in_the_legend_once():
    chart = Chart('t', ['a', 'b'])
    for panel in (0, 1):
        chart.line([0.0], [1.0], 'run', panel=panel, series=2)
    assert [trace['showlegend'] for trace in figure(chart)['data']] == [True, False]


def test_bars_of_different_series_have_different_hatches():
    chart = Chart('', ['error [m]'])
    for series in range(3):
        chart.bars(['a', 'b'], [1.0, np.nan], f'run {series}', series=series)
    marks = [trace['marker'] for trace in figure(chart)['data']]
    assert len({mark['color'] for mark in marks}) == 3
    assert len({mark['pattern']['shape'] for mark in marks}) == 3


def test_series_differ_by_more_than_their_colour():
    count = len(COLOURS) * len(DASHES)
    assert len({(colour(series), dash(series)) for series in range(count)}) == count
    assert all(dash(series) != dash(series + 1) for series in range(count))


def test_a_constant_has_a_scale_of_colours():
    chart = Chart('x', ['y'], is_map=True)
    chart.coloured([0.0, 1.0], [0.0, 1.0], [2.0, 2.0], 'path', 'v')
    marker = figure(chart)['data'][1]['marker']
    assert marker['cmin'] < 2.0 < marker['cmax']


def test_columns_of_different_lengths_and_panels_that_are_not_there_are_refused():
    chart = Chart('t', ['a'])
    with pytest.raises(ValueError, match=r'shapes \(2,\), \(1,\), expected \(n,\)'):
        chart.line([0.0, 1.0], [1.0], 'one')
    with pytest.raises(ValueError, match='panel is 1, expected 0 to 0'):
        chart.line([0.0], [1.0], 'one', panel=1)
