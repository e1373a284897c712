# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Outcomes of scenarios as lines, JSON and the JUnit XML that CI systems read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
import math
from pathlib import Path
from typing import NamedTuple
import xml.etree.ElementTree as ElementTree

from racecar.base.errors import ConfigurationError
from racecar.scenarios.expected import Finding, findings, Observed
from racecar.scenarios.scenario import Scenario


class Outcome(NamedTuple):
    """What came of a scenario.

    digest: SHA-256 of the motion of the car; wall_time: that it took [s]; bag: its folder, '' for
    none.
    """

    scenario: Scenario
    observed: Observed
    digest: str = ''
    wall_time: float = 0.0
    bag: str = ''

    @property
    def findings(self) -> list[Finding]:
        """Each expectation with what came of it."""
        return [*findings(self.scenario.expected, self.observed)]

    @property
    def holds(self) -> bool:
        """Whether all came as expected."""
        return all(finding.holds for finding in self.findings)

    def lines(self) -> Iterator[str]:
        """A line for each expectation, and one for the whole."""
        found = self.findings
        for finding in found:
            yield f"{'pass' if finding.holds else 'FAIL'}  {finding.text}"
        count = sum(finding.holds for finding in found)
        yield (f'{self.scenario.name}: {count} of {len(found)} as expected,'
               f' {self.scenario.duration:g} s in {self.wall_time:.1f} s')

    def failures(self) -> str:
        """What did not come as expected, a line each, and where the bag lies; '' for nothing."""
        lines = [finding.text for finding in self.findings if not finding.holds]
        return '\n'.join([*lines, *([f'Bag: {self.bag}'] if lines and self.bag else [])])

    def as_dict(self) -> dict[str, object]:
        """All of it by names, for JSON: None for what is not known."""
        observed = self.observed
        return {
            'scenario': self.scenario.name, 'holds': self.holds,
            'findings': [finding._asdict() for finding in self.findings],
            'measures': {name: _known(value) for name, value in observed.measures.items()},
            'position': [_known(value) for value in observed.position],
            'gone': dict(observed.gone), 'failure': observed.failure,
            'topics': {name: traffic._asdict() for name, traffic in observed.topics.items()},
            'digest': self.digest, 'wall_time': self.wall_time, 'bag': self.bag or None}


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None


def write_junit(path: Path, outcomes: Sequence[Outcome]) -> None:
    """Write outcomes as JUnit XML, a suite for each scenario and a case for each expectation.

    Raises ConfigurationError if the file cannot be written.
    """
    root = ElementTree.Element('testsuites', _counts(
        [finding for one in outcomes for finding in one.findings]))
    for outcome in outcomes:
        found = outcome.findings
        suite = ElementTree.SubElement(root, 'testsuite', {
            'name': outcome.scenario.name, **_counts(found), 'time': f'{outcome.wall_time:.3f}'})
        for finding in found:
            case = ElementTree.SubElement(suite, 'testcase', {
                'classname': outcome.scenario.name, 'name': finding.name, 'time': '0'})
            if not finding.holds:
                failure = ElementTree.SubElement(
                    case, 'failure', {'message': _allowed(finding.text)})
                failure.text = _allowed(outcome.failures())
    ElementTree.indent(root)
    try:
        ElementTree.ElementTree(root).write(path, encoding='utf-8', xml_declaration=True)
    except OSError as error:
        raise ConfigurationError(f"'{path}' cannot be written: {error.strerror}") from error


def _counts(found: Sequence[Finding]) -> dict[str, str]:
    return {'tests': str(len(found)), 'errors': '0',
            'failures': str(sum(not finding.holds for finding in found))}


def _allowed(text: str) -> str:
    """Text without the characters that XML cannot hold."""
    return ''.join(sign if sign.isprintable() or sign in '\n\t' else '?' for sign in text)
