# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""How much of the source is beyond what mypy checks."""

from pathlib import Path
import tokenize

SOURCES = Path(__file__).parents[2] / 'src'

MOST_UNCHECKED = 200
"""Times that the name Any may stand in src, imports included."""


def test_any_is_rare():
    found = {}
    for path in sorted(SOURCES.rglob('*.py')):
        # Most have none, which takes no tokens to see.
        if 'Any' not in path.read_text(encoding='utf-8'):
            continue
        with tokenize.open(path) as file:
            count = sum(token.type == tokenize.NAME and token.string == 'Any'
                        for token in tokenize.generate_tokens(file.readline))
        if count:
            found[path.relative_to(SOURCES).as_posix()] = count
    # A search that finds nothing would not be one.
    assert found
    assert sum(found.values()) < MOST_UNCHECKED, sorted(found.items(), key=lambda item: -item[1])
