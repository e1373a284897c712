# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""HTML for the cell of a notebook: small tables, and parts side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

# Notebooks have styles of their own for tables, in light and dark.
_SIDE_BY_SIDE = 'display:flex;flex-wrap:wrap;gap:1.5em;align-items:flex-start'
_NAME = 'text-align:left;padding:0.1em 0.5em'
_NUMBER = 'text-align:right;padding:0.1em 0.5em;font-variant-numeric:tabular-nums'


def page_part(title: str, *parts: str) -> str:
    """A title above parts, HTML each, that stand side by side where there is room."""
    return (f'<div><p><strong>{escape(title)}</strong></p>\n<div style="{_SIDE_BY_SIDE}">\n'
            + '\n'.join(f'<div>{part}</div>' for part in parts) + '\n</div></div>')


def facts_table(sections: Mapping[str, Sequence[tuple[str, str]]]) -> str:
    """A table of names and texts, in sections by their titles."""
    bodies = []
    for title, rows in sections.items():
        lines = ''.join(
            f'<tr><td style="{_NAME}">{escape(name)}</td>'
            f'<td style="{_NAME}">{escape(text)}</td></tr>' for name, text in rows)
        bodies.append(f'<tbody><tr><th style="{_NAME}" colspan="2">{escape(title)}</th></tr>'
                      f'{lines}</tbody>')
    return f"<table>{''.join(bodies)}</table>"


def numbers_table(
    header: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[int],
) -> str:
    """A table with a header; numbers: the columns that are aligned to the right."""
    def cells(kind: str, row: Sequence[str]) -> str:
        return ''.join(
            f'<{kind} style="{_NUMBER if column in numbers else _NAME}">'
            f'{escape(text.replace("^2", "²"))}</{kind}>'
            for column, text in enumerate(row))

    lines = ''.join(f'<tr>{cells("td", row)}</tr>' for row in rows)
    return (f'<table><thead><tr>{cells("th", header)}</tr></thead>'
            f'<tbody>{lines}</tbody></table>')


def warnings_list(texts: Sequence[str]) -> str:
    """Warnings one below the other; empty if there are none."""
    return ''.join(f'<p>⚠ {escape(text)}</p>' for text in texts)


def value_text(value: object) -> str:
    """A value for people: numbers with six digits."""
    return f'{value:.6g}' if isinstance(value, float) else str(value)
