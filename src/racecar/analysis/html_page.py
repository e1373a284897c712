# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""HTML pages of one file: text, tables, pictures, and figures that can be zoomed.

    page = HtmlPage('Steering response', 'Vehicle racecar')
    page.heading('Fit')
    page.table(['Quantity', 'Value', 'Unit'], [['time constant', '0.12', 's']], numbers=[1])
    page.charts([(chart, 'Measured and fitted')])
    page.write('report.html')

A page is readable on a desktop and a phone, light and dark, and asks no server for anything: its
own security policy forbids it. plotly.js (its bundle for lines and bars) is in each page with a
figure, compressed (0.5 MB).
"""

from __future__ import annotations

import base64
from collections.abc import Collection, Sequence
from functools import cache
import gzip
from html import escape
from pathlib import Path

from racecar.analysis.chart import Chart
from racecar.base.errors import ConfigurationError

_FOLDER = Path(__file__).with_name('page')

_POLICY = ("default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline';"
           ' img-src data: blob:')


class HtmlPage:
    """A page that is put together from top to bottom; all texts are plain, not HTML."""

    def __init__(self, title: str, lead: str = '') -> None:
        """lead: a sentence below the title."""
        self._title = title
        self._parts = [f'<h1>{escape(title)}</h1>\n']
        if lead:
            self._parts.append(f'<p class="lead">{escape(lead)}</p>\n')
        self._charts = 0

    def warning(self, text: str) -> None:
        """Add something that the reader must know."""
        self._parts.append(f'<p class="warning">{escape(text)}</p>\n')

    def heading(self, text: str) -> None:
        """Begin a section."""
        self._parts.append(f'<h2>{escape(text)}</h2>\n')

    def paragraph(self, text: str) -> None:
        """Add a paragraph."""
        self._parts.append(f'<p>{escape(text)}</p>\n')

    def table(
        self, header: Sequence[str], rows: Sequence[Sequence[str]], *,
        numbers: Collection[int] = (), remarks: Collection[int] = (),
        best: Collection[tuple[int, int]] = (),
    ) -> None:
        """Add a table; the first column names the rows.

        numbers, remarks: columns of numbers, and of explanations; best: (row, column) of cells
        that stand out.
        """
        kinds = {**{column: 'unit' for column, text in enumerate(header) if text == 'Unit'},
                 **dict.fromkeys(remarks, 'meaning'), **dict.fromkeys(numbers, 'number')}

        def of_class(*names: str) -> str:
            text = ' '.join(filter(None, names))
            return f' class="{text}"' if text else ''

        heads = ''.join(
            f'<th scope="col"{of_class(kinds.get(column, ""))}>{escape(text)}</th>'
            for column, text in enumerate(header))
        # On a phone there is room for either.
        many = of_class('many' if len(numbers) > 1 else '')
        lines = []
        for number, (name, *cells) in enumerate(rows):
            shown = ''.join(
                f'<td{of_class(kinds.get(column, ""), "best" * ((number, column) in best))}>'
                f'{escape(_with_powers(text))}</td>'
                for column, text in enumerate(cells, start=1))
            lines.append(f'<tr><th scope="row">{escape(name)}</th>{shown}</tr>\n')
        self._parts.append(
            f'<div class="wide"><table{many}>\n<thead><tr>{heads}</tr></thead>\n<tbody>\n'
            f'{"".join(lines)}</tbody></table></div>\n')

    def facts(self, rows: Sequence[tuple[str, str]]) -> None:
        """Add a table of names and texts without a header."""
        lines = ''.join(
            f'<tr><th scope="row">{escape(name)}</th><td class="fact">{escape(text)}</td></tr>\n'
            for name, text in rows)
        self._parts.append(f'<div class="wide"><table><tbody>\n{lines}</tbody></table></div>\n')

    def details(self, summary: str, text: str) -> None:
        """Add a long text, such as a file, that the reader may open."""
        self._parts.append(
            f'<details><summary>{escape(summary)}</summary>'
            f'<pre>{escape(text)}</pre></details>\n')

    def charts(self, charts: Sequence[tuple[Chart, str]], *, over_time: bool = False) -> None:
        """Add figures with captions, beside each other where the screen is wide.

        over_time: their x is the time [s] of the paths that were drawn with times: a dot on these
        follows the pointer.
        """
        figures = []
        for chart, caption in charts:
            self._charts += 1
            name = f'chart-{self._charts}'
            timed = ' timed' if over_time else ''
            figures.append(
                f'<figure><figcaption>{escape(caption)}</figcaption>'
                f'<div class="chart{timed}" id="{name}"><noscript>Figures need JavaScript.'
                f'</noscript></div>'
                f'<script type="text/plain" id="{name}-data">{_packed(chart.as_json())}</script>'
                '</figure>\n')
        self._parts.append(f'<div class="figures">\n{"".join(figures)}</div>\n')

    def picture(self, data: bytes, caption: str) -> None:
        """Add a PNG picture with a caption."""
        text = base64.b64encode(data).decode('ascii')
        caption = escape(caption)
        self._parts.append(
            f'<figure><img src="data:image/png;base64,{text}" alt="{caption}">'
            f'<figcaption>{caption}</figcaption></figure>\n')

    def drawings(self, drawings: Sequence[tuple[str, str]]) -> None:
        """Add SVG elements with captions, beside each other; they are not looked at."""
        figures = ''.join(
            f'<figure>{drawing}<figcaption>{escape(caption)}</figcaption></figure>\n'
            for drawing, caption in drawings)
        self._parts.append(f'<div class="films">\n{figures}</div>\n')

    def text(self) -> str:
        """Page."""
        scripts = ''
        if self._charts:
            scripts = (f'<script type="text/plain" id="plotly">{_plotly()}</script>\n'
                       f'<script>{_asset("page.js")}</script>\n')
        return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<title>{escape(self._title)}</title>
<style>{_asset('page.css')}</style>
</head>
<body>
{''.join(self._parts)}{scripts}</body>
</html>
"""

    def write(self, path: Path | str) -> None:
        """Write the page, making its folder. Raises ConfigurationError if that fails."""
        try:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_text(self.text(), encoding='utf-8')
        except OSError as error:
            raise ConfigurationError(
                f"report '{path}' cannot be written: {error.strerror}; give another folder"
            ) from error


def _asset(name: str) -> str:
    return (_FOLDER / name).read_text(encoding='utf-8')


@cache
def _plotly() -> str:
    """Library, packed."""
    return _packed(_asset('plotly-basic.min.js'))


def _packed(text: str) -> str:
    # Without the time, so that equal pages are equal files.
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode('ascii')


def _with_powers(text: str) -> str:
    return text.replace('^2', '²')
