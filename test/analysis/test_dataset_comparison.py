# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sweeps side by side: the rows of a metric have one unit."""

import numpy as np
import pytest

from racecar.analysis.dataset_report import compared_columns, SweptColumns


def swept(title, values):
    return SweptColumns(title, (), (), {'max_error': 'm', 'heading_rmse': 'rad'}, {
        'max_error': np.asarray(values), 'heading_rmse': np.full(len(values), 0.1)}.__getitem__,
        np.zeros(len(values), dtype=bool))


@pytest.mark.parametrize(('largest', 'unit', 'median'), [
    (0.4, 'm', '0.002000'), (0.05, 'mm', '2.00')])
def test_rows_of_a_metric_have_the_unit_of_its_largest_value(largest, unit, median):
    rows = compared_columns([
        swept('one', [0.001, 0.002, 0.003]), swept('other', [0.002, 0.003, largest])])
    of_metric = [row for row in rows if row.name.startswith('max_error')]
    assert {row.texts()[1] for row in of_metric} == {unit}
    # Rows of other metrics have units of their own.
    assert {row.texts()[1] for row in rows if row.name.startswith('heading')} == {'deg'}
    assert of_metric[0].texts()[0][0] == median
    assert float(of_metric[-1].texts()[0][1]) == largest * (1000.0 if unit == 'mm' else 1.0)
