# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The notebooks run as `racecar examples` writes them, and draw something."""

import pytest

from racecar.cli.examples import copy_examples, EXAMPLES

nbclient = pytest.importorskip('nbclient', reason='nbclient is not installed')
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
    nbclient.NotebookClient(
        notebook, timeout=250, kernel_name='python3',
        resources={'metadata': {'path': str((tmp_path / name).parent)}}).execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == 'code'
               for output in cell.outputs]
    assert sum('image/png' in output.get('data', {}) for output in outputs) >= FEWEST_PICTURES
    told = [output.text for output in outputs
            if output.output_type == 'stream' and output.name == 'stderr']
    # The first run of a machine compiles, and says so.
    assert [text for text in told if 'compiling the simulation' not in text] == []
