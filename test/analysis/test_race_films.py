# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Films of contacts: where and when cars, walls and names are in an SVG drawing."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from racecar.analysis.palette import colour_named
from racecar.analysis.race_films import contact_film, film_caption, FilmedCar
from racecar.dynamics.vehicles.parameters import Footprint
from racecar.race.events import RaceEvent, WARNING

EVENT = RaceEvent(10.0, 'a<b', WARNING, 'ran into "c"', 1.0, 5.0, -3.0)
T = np.arange(0.0, 20.0, 0.01)


def car(x, y, yaw=0.0, *, gone_at=np.inf):
    path = np.array([T, np.broadcast_to(x, T.shape), np.broadcast_to(y, T.shape),
                     np.broadcast_to(yaw, T.shape)])
    path[1:, gone_at < T] = np.nan
    return FilmedCar('#123456', path, Footprint(0.4, 0.1, 0.15))


def drawing(cars, walls=()):
    return ElementTree.fromstring(contact_film(EVENT, cars, walls))


def values(element, kind):
    animation = next(row for row in element.iter() if row.get('type') == kind
                     or row.get('attributeName') == kind)
    return animation.get('values').split(';')


def test_a_car_is_where_it_was_with_the_contact_in_the_middle():
    film = drawing({'a<b': car(5.0 + (T - 10.0), -3.0, np.pi + 0.1 * (T - 10.0))})
    moved = [tuple(map(float, place.split())) for place in values(film, 'translate')]
    # The nearest samples: 25 pictures a second from 1.5 s before, 1 m/s, 4 m shown.
    assert moved[0] == (500.0, 2000.0)
    assert len(moved) in (62, 63)
    assert np.allclose(np.diff([x for x, _ in moved]), 40.0)
    turned = np.array([float(turn) for turn in values(film, 'rotate')])
    assert turned[0] == pytest.approx(-np.degrees(np.pi - 0.15), abs=0.1)
    assert np.all(np.diff(turned) < 0.0)
    assert film.find('.//{*}g/{*}title').text == 'a<b'
    assert 'a<b: ran into "c"' in film.get('aria-label')
    assert film_caption(EVENT).startswith('10.00 s, a<b: ran into "c"; from 1.5 s before')


def test_a_car_that_is_taken_off_is_hidden_and_one_far_away_is_not_drawn():
    film = drawing({'near': car(5.0, -3.0, gone_at=10.0), 'far': car(50.0, -3.0),
                    'none': car(np.nan, np.nan)})
    shown = values(film, 'visibility')
    assert shown.index('hidden') == pytest.approx(1.5 * 25, abs=1.0)
    assert set(shown[shown.index('hidden'):]) == {'hidden'}
    assert 'nan' not in ElementTree.tostring(film, encoding='unicode').replace(' name', '')
    assert [title.text for title in film.iter() if title.tag.endswith('title')] == ['near']


def test_walls_near_the_contact_are_drawn_and_others_left_out():
    long = np.column_stack([np.linspace(-100.0, 100.0, 2001), np.full(2001, -2.0)])
    film = drawing({}, [np.array([[4.0, -4.0], [6.0, -4.0]]), long,
                        np.array([[90.0, 0.0], [91.0, 0.0]])])
    lines = [[tuple(map(int, dot.split(','))) for dot in line.get('points').split()]
             for line in film.iter() if line.tag.endswith('polyline')]
    assert lines[0] == [(1000, 3000), (3000, 3000)]
    assert len(lines) == 2
    xs = [x for x, _ in lines[1]]
    assert min(xs) <= 0
    assert max(xs) >= 4000
    assert len(xs) < 100
    assert {y for _, y in lines[1]} == {1000}


def test_names_of_colours():
    assert re.fullmatch('#[0-9a-f]{6}', colour_named('Red'))
    assert colour_named('car1') == colour_named('white') == ''
