# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Settings of Sphinx for the documentation site; docs/build.py runs it on the whole repository."""

from __future__ import annotations

from pathlib import Path
import re
import sys
from typing import Any
import xml.etree.ElementTree as ElementTree

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml

import racecar

# MyST-NB imports docs/notebook_reader.py by its name.
sys.path.insert(0, str(Path(__file__).parent))

project = 'racecar'
author = 'The racecar maintainers'
copyright = f'2026, {author}'
version = release = racecar.__version__

extensions = ['myst_nb', 'sphinx.ext.autodoc', 'sphinx_copybutton']
root_doc = 'docs/index'
include_patterns = ['README.md', 'CHANGELOG.rst', 'CONTRIBUTING.md', 'benchmarks/README.md',
                    'docs/**']

# It runs each notebook, and an error of one is an error of the site.
nb_custom_formats = {'.nb.py': 'notebook_reader.read'}
nb_execution_mode = 'off'
nb_merge_streams = True
nb_output_stderr = 'remove'  # that something is compiled for this machine

copybutton_prompt_text = r'>>> |\.\.\. |\$ '
copybutton_prompt_is_regexp = True

# Dollars for formulae and links to headings, as on code hosts.
myst_enable_extensions = ['dollarmath', 'amsmath']
myst_heading_anchors = 4

autodoc_member_order = 'bysource'
autodoc_typehints = 'signature'
python_use_unqualified_type_names = True
add_module_names = False

# Options and quotes stay as they are typed.
smartquotes = False
html_math_renderer = 'mathml'
html_theme = 'furo'
html_title = f'racecar {release}'
html_copy_source = False
html_show_sourcelink = False
html_static_path = ['static']
html_css_files = ['site.css']
templates_path: list[str] = []

_DOTS = '\u02d9\u00a8'


def _as_markup(*event: Any) -> None:
    """Write a docstring, which is plain text with names in backticks, in Sphinx's markup."""
    lines = event[-1]
    for number, line in enumerate(lines):
        parts = re.split('(`+[^`]+`+)', line)
        lines[number] = ''.join(
            f'``{part.strip("`")}``' if part.startswith('`')
            else re.sub(r'([*|\\])', r'\\\1', re.sub(r'(\w)_(?!\w)', r'\1\\_', part))
            for part in parts)


def _leave_out(*event: Any) -> bool | None:
    """Leave out fields of named tuples, which their class describes."""
    return True if type(event[3]).__name__ == '_tuplegetter' else None


def _as_tex(mathml: str) -> str:
    """Set functions apart from their arguments, and indices beside letters with dots."""
    tree = ElementTree.fromstring(mathml.replace('&ApplyFunction;', '\u2061'))
    space = tree.tag.removesuffix('math')
    ElementTree.register_namespace('', space.strip('{}'))
    for dotted in list(tree.iter(f'{space}munderover')):
        letter, index, dot = dotted
        if (dot.text or ' ') in _DOTS:
            dotted.tag = f'{space}msub'
            over = ElementTree.Element(f'{space}mover')
            over.extend((letter, dot))
            dotted[:] = (over, index)
    for row in list(tree.iter()):
        if row.tag.removeprefix(space) in ('math', 'mrow', 'mtd'):
            for function in [part for part in row if re.fullmatch('[a-z]{3,}', part.text or '')]:
                place = list(row).index(function)
                for here in (place, place + 2):
                    row.insert(here, ElementTree.Element(f'{space}mspace', width='0.17em'))
    return ElementTree.tostring(tree, encoding='unicode')


def _formula(translator: Any, node: Any) -> None:
    """Write a formula as MathML, which browsers draw without any script."""
    is_block = isinstance(node, nodes.math_block)
    text = _as_tex(tex2mathml(node.astext(), as_block=is_block))
    translator.body.append(f'<div class="math">{text}</div>' if is_block else text)
    raise nodes.SkipNode


def setup(app: Any) -> None:
    """Register what is done to docstrings."""
    app.add_html_math_renderer('mathml', (_formula, None), (_formula, None))
    app.connect('autodoc-process-docstring', _as_markup)
    app.connect('autodoc-skip-member', _leave_out)
