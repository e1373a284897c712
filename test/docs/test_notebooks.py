# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The notebooks run as `racecar examples` writes them, and draw something."""

import pytest
from scripts import load_script

from racecar.cli.examples import copy_examples, EXAMPLES

pytest.importorskip('nbclient', reason='nbclient is not installed')
nbformat = pytest.importorskip('nbformat', reason='nbformat is not installed')
NOTEBOOKS = [example.target for example in EXAMPLES if example.target.endswith('.ipynb')]
FEWEST_PICTURES = 2


def test_there_are_notebooks():
    assert len(NOTEBOOKS) == 5


@pytest.mark.parametrize('name', NOTEBOOKS)
def test_a_notebook_runs_and_draws(name, tmp_path):
    copy_examples(tmp_path)
    notebook = nbformat.read(tmp_path / name, as_version=4)
    nbformat.validate(notebook)
    notebook = load_script('docs/notebook_reader.py').executed(notebook)
    outputs = [output for cell in notebook.cells if cell.cell_type == 'code'
               for output in cell.outputs]
    assert sum('image/png' in output.get('data', {}) for output in outputs) >= FEWEST_PICTURES
    told = [output.text for output in outputs
            if output.output_type == 'stream' and output.name == 'stderr']
    # The first run of a machine compiles, and says so.
    assert [text for text in told if 'compiling the simulation' not in text] == []


def test_a_notebook_runs_anew_when_it_or_a_file_that_it_may_use_has_changed(tmp_path):
    def outcome():
        reader = load_script('docs/notebook_reader.py')
        text = cell.read_text(encoding='utf-8')
        notebook = nbformat.from_dict(reader.notebook_of(text))
        return reader.executed(notebook, tmp_path).cells[0].outputs[0].text

    cell, vehicle = tmp_path / 'draw.nb.py', tmp_path / 'config' / 'vehicles' / 'car.yaml'
    vehicle.parent.mkdir(parents=True)
    vehicle.write_text('mass: 1.0\n', encoding='utf-8')
    cell.write_text('# %%\nimport uuid\nprint(uuid.uuid4())\n', encoding='utf-8')
    first = outcome()
    assert outcome() == first
    vehicle.write_text('mass: 2.0\n', encoding='utf-8')
    second = outcome()
    assert second not in ('', first)
    assert len(list((tmp_path / 'build' / 'notebooks').iterdir())) == 1
    cell.write_text('# %%\nimport uuid\n\nprint(uuid.uuid4())\n', encoding='utf-8')
    assert outcome() not in (first, second)


def test_an_error_of_a_notebook_is_one_and_nothing_is_kept(tmp_path):
    reader = load_script('docs/notebook_reader.py')
    notebook = nbformat.from_dict(reader.notebook_of('# %%\n1 / 0\n'))
    with pytest.raises(Exception, match='ZeroDivisionError'):
        reader.executed(notebook, tmp_path)
    assert not (tmp_path / 'build').exists()
