# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The object of a run: figures, report, files, notebooks; simulated or loaded."""

import base64
import io
import math
import re
import sys
from typing import Any
import xml.etree.ElementTree as ElementTree

from matplotlib.figure import Figure
import matplotlib.image
import numpy as np
from presence import present
import pytest

import racecar
from racecar.base.errors import ConfigurationError, ParameterError, RunError
from racecar.cli.main import main
from racecar.metrics.run_table import COLUMNS


@pytest.fixture(scope='module')
def run():
    return racecar.simulate(trajectory='circle', tyre_model='fiala', duration=8.0, skip=2.0)


@pytest.fixture(scope='module')
def without_reference(tmp_path_factory):
    """A circle of 2 m radius at 1 m/s in 10 s, whose CSV has neither reference nor command."""
    path = tmp_path_factory.mktemp('drives') / 'drive.csv'
    lines = [','.join(COLUMNS)]
    for tick in range(101):
        t = 0.1 * tick
        lines.append(f'{t!r},{2.0 * math.sin(0.5 * t)!r},{2.0 - 2.0 * math.cos(0.5 * t)!r},'
                     f'{0.5 * t!r},1.0,0.0,0.5,,,,')
    path.write_text('\n'.join(lines) + '\n')
    return racecar.load(path)


def pictures_in(html):
    return [matplotlib.image.imread(io.BytesIO(base64.b64decode(text)), format='png')
            for text in re.findall(r'data:image/png;base64,([^"]+)"', html)]


def cells_in(html):
    """Return the texts of the rows of all tables; the HTML is also read as XML, so it is whole."""
    tree = ElementTree.fromstring(html.replace('<br>', '<br/>').replace(
        'height:auto">', 'height:auto"/>'))
    return [[''.join(cell.itertext()) for cell in row] for row in tree.iter('tr')]


def test_columns_have_names(run):
    assert len(run.table) == 801
    assert run.table['time'][-1] == 8.0
    with pytest.raises(ParameterError, match="column 'speed' is unknown"):
        run.table['speed']


def test_it_says_in_one_line_what_it_is(run, without_reference):
    assert re.fullmatch(
        r'<Run kinematic_ode, circle: 6 s driven, RMSE [\d.]+ mm without the first 2 s,'
        r' 601 samples>', repr(run))
    # Chords between the samples make 10 m a little shorter.
    assert repr(without_reference) == (
        '<Run drive: 10 s driven, 9.999 m, no reference, 101 samples>')


def test_a_notebook_shows_metrics_and_path(run):
    html = run._repr_html_()
    shown = {row[0]: row[1:] for row in cells_in(html)}
    for name, value, unit in run.metrics().as_rows():
        assert shown[name] == [value, unit.replace('^2', '²')]
    picture, = pictures_in(html)
    assert picture.std() > 0.05


def test_a_notebook_shows_a_drive_without_reference(without_reference):
    html = without_reference._repr_html_()
    assert ['mean speed', '0.9999', 'm/s'] in cells_in(html)
    assert len(pictures_in(html)) == 1


def test_names_of_files_do_no_harm_in_a_notebook(tmp_path):
    path = tmp_path / '<script>alert(1)<!--.csv'
    racecar.simulate(duration=0.5).save(path)
    html = racecar.load(path)._repr_html_()
    assert '<script>' not in html
    assert cells_in(html)


@pytest.mark.parametrize('kind', [None, 'overview', 'path', 'x', 'y', 'error'])
def test_figures_are_those_of_matplotlib_and_show_themselves(run, kind):
    figure = run.plot(kind)
    assert isinstance(figure, Figure)
    shown: Any = figure
    assert shown._repr_png_().startswith(b'\x89PNG')


def test_a_figure_shows_what_metrics_count(run):
    line, *_ = run.plot('error').axes[0].lines
    assert len(line.get_ydata()) == run.metrics().samples == 601
    assert max(line.get_ydata()) == pytest.approx(1e3 * run.metrics().max_error)
    line, *_ = run.plot('error', skip=5.0).axes[0].lines
    assert len(line.get_ydata()) == 301


def test_a_run_without_reference_is_drawn_but_has_no_error(without_reference):
    path, speed = without_reference.plot().axes
    assert path.lines[0].get_xdata().max() == pytest.approx(2.0, abs=1e-3)
    assert speed.lines[0].get_ydata() == pytest.approx(1.0)
    with pytest.raises(RunError, match='has no reference, so there is no error against it; run.m'):
        without_reference.metrics()
    with pytest.raises(ConfigurationError, match="kind is 'path', expected one of drive"):
        without_reference.plot('path')
    assert np.isnan(without_reference.table['x_reference']).all()


def test_an_unknown_figure_is_refused_with_the_names_there_are(run):
    with pytest.raises(ConfigurationError, match=(
            "kind is 'eror', expected one of overview, path, x, y, error; did you mean error")):
        run.plot('eror')


@pytest.mark.parametrize(('skip', 'message'), [
    (-1.0, 'skip is -1.0, expected seconds of at least 0'),
    (math.nan, 'skip is nan, expected seconds'), (100.0, 'skip less')])
def test_a_skip_that_cannot_be_is_refused(run, skip, message):
    for use in (run.metrics, run.plot):
        with pytest.raises(ConfigurationError, match=message):
            use(skip=skip)


def test_the_report_is_one_file_with_the_metrics(run, without_reference, tmp_path):
    path = run.report(tmp_path / 'new' / 'report.html')
    text = path.read_text()
    assert f'RMSE {1e3 * run.metrics().rmse:.2f} mm' in text
    assert 'racecar.simulate(' in text
    assert '10.0 m in 10.0 s' in without_reference.report(tmp_path / 'drive.html').read_text()
    with pytest.raises(ConfigurationError, match='is a folder, expected a file'):
        run.report(tmp_path)


@pytest.mark.parametrize('name', ['run', 'run.csv'])
def test_what_is_saved_is_loaded_as_it_was(run, tmp_path, name):
    place = run.save(tmp_path / name)
    again = racecar.load(place)
    assert again.table.rows.tobytes() == run.table.rows.tobytes()
    assert again.metrics() == run.metrics()
    assert again.parameters == run.parameters
    assert again.provenance == run.provenance
    with pytest.raises(ConfigurationError, match='exists already, not overwriting it'):
        run.save(place)


def test_a_run_whose_tracked_point_is_ahead_has_its_metrics_again(tmp_path):
    run = racecar.simulate('dynamic_ode', trajectory='circle', duration=2.0)
    assert run.table.tracked_ahead > 0.1
    again = racecar.load(run.save(tmp_path / 'run'))
    assert again.table.tracked_ahead == run.table.tracked_ahead
    assert again.metrics() == run.metrics()


def test_a_place_that_cannot_be_written_is_refused_in_one_line(run, tmp_path):
    (tmp_path / 'file').write_text('')
    with pytest.raises(ConfigurationError, match='cannot be made: .*; give another place'):
        run.save(tmp_path / 'file' / 'run')


def test_what_is_no_run_is_refused(tmp_path):
    with pytest.raises(RunError, match='does not exist; check the path'):
        racecar.load(tmp_path / 'nothing')
    with pytest.raises(ConfigurationError, match=r"load\(\) has no argument 'topic'"):
        racecar.load(tmp_path, topic='/odom')  # type: ignore[call-overload]


def test_a_bag_gives_the_same_object_as_the_command_that_analyses_it(bag, tmp_path, capsys):
    run = racecar.load(bag)
    assert main(['analyze', str(bag), '-o', str(tmp_path / 'out')]) == 0
    printed = capsys.readouterr().out
    for name, value, _ in run.metrics().as_rows():
        assert re.search(rf'^{name} +{re.escape(value)}\b', printed, re.MULTILINE), name
    table = run.table
    assert len(table) == len(run.motion.t)
    assert table['x'].tolist() == run.motion.x.tolist()
    known = np.isfinite(table['x_reference'])
    assert known.sum() >= run.metrics().samples
    expected = present(run.tracking).merged()
    shared = np.isin(table['time'], expected.t) & known
    assert shared.any()
    assert table['x_reference'][shared].tolist() == expected.reference_x[
        np.isin(expected.t, table['time'][shared])].tolist()


def test_without_pandas_it_is_said_what_to_install(run, monkeypatch):
    monkeypatch.setitem(sys.modules, 'pandas', None)
    with pytest.raises(ConfigurationError, match='pandas, which is not installed: pip install'):
        run.to_pandas()


def test_a_data_frame_has_the_columns_of_the_table(run):
    pandas = pytest.importorskip('pandas', reason='pandas is not installed')
    frame = run.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert tuple(frame.columns) == COLUMNS
    assert frame.to_numpy().tobytes() == run.table.rows.tobytes()
