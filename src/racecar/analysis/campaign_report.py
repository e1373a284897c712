# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A campaign of faults as one HTML file: what was survived, by kind and size, and the worst."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import math
from typing import NamedTuple, Protocol

import numpy as np

from racecar.analysis.chart import Chart
from racecar.analysis.html_page import HtmlPage
from racecar.metrics.survival import CONFIDENCE, Limits, Share

HEADS = ('Fault', 'Runs', 'Survived', 'Share [%]', f'{CONFIDENCE:.0%} interval [%]')

# Of a share [%]; lines along its ends are seen.
_SHOWN = -2.0, 102.0


class ShownBand(Protocol):
    """Runs of one kind of fault and of similar sizes, see racecar.facade.campaigns.Band."""

    @property
    def fault(self) -> str:
        """Kind and target."""

    @property
    def over(self) -> str:
        """What the size is."""

    @property
    def low(self) -> float:
        """Least size, NaN without one."""

    @property
    def high(self) -> float:
        """Largest size."""

    @property
    def share(self) -> Share:
        """What survived."""


class ShownRun(Protocol):
    """One of the worst runs, see racecar.facade.campaigns.WorstRun."""

    @property
    def run(self) -> int:
        """Number from 0."""

    @property
    def faults(self) -> str:
        """In one line."""

    @property
    def severity(self) -> float:
        """Share of a limit that it takes, infinite for one that diverged or failed."""

    @property
    def command(self) -> str:
        """What repeats it."""


class ShownCampaign(NamedTuple):
    """A campaign as a reader sees it; units: of the metrics in limits."""

    title: str
    shares: Mapping[str, Share]
    bands: Sequence[ShownBand]
    limits: Mapping[str, Limits]
    units: Mapping[str, str]
    worst: Sequence[ShownRun]


def row_of(name: str, share: Share) -> list[str]:
    """Texts of HEADS."""
    return [name, str(share.runs), str(share.survived), f'{100.0 * share.share:.1f}',
            f'{100.0 * share.low:.1f} to {100.0 * share.high:.1f}']


def expectation(limits: Mapping[str, Limits], units: Mapping[str, str]) -> str:
    """What a car that survives keeps to, in words."""
    parts = ['did not diverge, and its controller did not fail']
    parts += [f'{name} of {one.text(units[name])}' for name, one in limits.items() if one.text()]
    return '; '.join(parts)


def campaign_page(
    campaign: ShownCampaign, source: Sequence[tuple[str, str]],
) -> HtmlPage:
    """Page of a campaign; source: rows, name and text, that say how it was made."""
    total = sum(share.runs for share in campaign.shares.values())
    page = HtmlPage(campaign.title, f'{total} runs with faults. Survived: the car'
                    f' {expectation(campaign.limits, campaign.units)}.')
    page.heading('What was survived')
    page.table(HEADS, [row_of(name, share) for name, share in campaign.shares.items()],
               numbers=range(1, len(HEADS)))
    page.charts([_kinds(campaign.shares), *_sizes(campaign.bands)])
    if campaign.worst:
        page.heading(f'The {len(campaign.worst)} worst, each with the command that repeats it')
        page.paragraph('Severity is the largest share of a limit that the run takes; ∞ is a car'
                       ' that diverged, or a controller that failed, the earliest first.')
        page.table(['Run', 'Faults', 'Severity', 'Command'], [
            [str(one.run + 1), one.faults,
             '∞' if math.isinf(one.severity) else f'{one.severity:.3g}', one.command]
            for one in campaign.worst], numbers=[2], remarks=[1, 3])
    page.heading('Source')
    page.facts(source)
    return page


def _kinds(shares: Mapping[str, Share]) -> tuple[Chart, str]:
    chart = Chart('fault', ['survived [%]'], panel_height=320)
    chart.bars([*shares], [100.0 * share.share for share in shares.values()], 'survived')
    chart.show_panel_within(0, *_SHOWN)
    return chart, 'Share of the runs that survived, by kind of fault'


def _sizes(bands: Sequence[ShownBand]) -> list[tuple[Chart, str]]:
    found = []
    for name in dict.fromkeys(band.fault for band in bands):
        some = [band for band in bands if band.fault == name]
        if len(some) < 2:
            continue
        middle = [0.5 * (band.low + band.high) for band in some]
        chart = Chart(some[0].over, ['survived [%]'], panel_height=280)
        for label, values, series in (
                ('survived', [band.share.share for band in some], 0),
                (f'{CONFIDENCE:.0%} interval, low', [band.share.low for band in some], 1),
                ('high', [band.share.high for band in some], 1)):
            chart.line(middle, 100.0 * np.array(values), label, series=series)
        chart.show_panel_within(0, *_SHOWN)
        found.append((chart, f'{name}: share that survived, over {some[0].over}'))
    return found
