# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the page shows before, during and after a run, on large and small screens."""

import io
import itertools
import math
import re

from example_feed import figure_eight
import numpy as np
from PIL import Image
from playwright.sync_api import expect
import pytest
from waiting import numbers, sent, wait_for, wait_for_car

from racecar.api import describe_vehicle, find_config, VehicleParameters
from racecar.cockpit.frames import state_frame
from racecar.cockpit.robot_message import robot_frames

LANDSCAPE = {'viewport': {'width': 844, 'height': 390}, 'has_touch': True, 'is_mobile': True}
REFERENCE = (0, 149, 109)
BAD = (179, 38, 30)


def near(page, colour, tolerance=30):
    """Return rows and columns of the pixels of the scene that have about a colour."""
    screenshot = Image.open(io.BytesIO(page.locator('#scene').screenshot()))
    picture = np.asarray(screenshot.convert('RGB'), dtype=int)
    return np.nonzero((np.abs(picture - colour) < tolerance).all(axis=-1)), picture.shape[:2]


def pause(served, page):
    page.get_by_role('button', name='Pause').click()
    expect(page.get_by_test_id('state')).to_have_text('paused')
    time = None
    while time != (time := page.evaluate('window.racecarCockpit.time')):
        page.wait_for_timeout(100)


def test_start_page_shows_the_vehicle_that_is_chosen(serve, open_page):
    asked = []
    page = open_page(scene=True)
    page.on('request', lambda request: asked.append(request.url.rpartition('/')[2])
            if '/picture/' not in request.url and '/vehicle/' in request.url else None)
    page.goto(serve(starts=False).address)
    # Its body is blue.
    wait_for(page, lambda: len(near(page, (30, 45, 160), 60)[0][0]) > 500, what='a car')
    page.get_by_label('vehicle').select_option('f1tenth')
    wait_for(page, lambda: asked == ['racecar', 'f1tenth'])
    page.get_by_role('button', name='Start').click()
    wait_for_car(page)
    assert asked == ['racecar', 'f1tenth']
    assert page.faults == []


def test_choices_have_names_for_people_and_pictures(serve, open_page):
    page = open_page(serve(starts=False).address)
    vehicle = page.get_by_label('vehicle')
    assert vehicle.evaluate('(list) => [...list.options].map((one) => one.textContent)') == [
        'Default (MIT RACECAR) racecar', 'MIT RACECAR racecar', 'F1TENTH f1tenth']
    preview = page.locator('.field:has(#option-vehicle) .preview')
    wait_for(page, lambda: preview.evaluate('(image) => image.naturalWidth') == 224)
    vehicle.select_option('f1tenth')
    expect(preview).to_have_attribute('src', '/picture/vehicle/f1tenth')
    wait_for(page, lambda: preview.evaluate('(image) => image.naturalWidth') == 224)
    page.get_by_role('button', name='Start').click()
    expect(page.locator('#session-name')).to_have_text('Follow a path, planar')


def test_after_a_run_the_demos_are_offered_again_with_what_came_of_it(serve, open_page):
    served = serve()
    page = open_page(served.address)
    wait_for_car(page)
    served.call(served.feed.say, 'laps', count=2, last=9.5, best=9.25, begun=0.5)
    served.call(served.feed.say, 'collisions', count=1, in_contact=False, time=0.1)
    page.get_by_role('button', name='Stop').click()
    hint = page.locator('#hint')
    expect(hint).to_contain_text('The run has ended')
    expect(hint).to_contain_text('2 laps, best 9.25 s · 1 collision')
    (seconds, metres, error), = (map(float, found) for found in re.findall(
        r'^([\d.]+) s · ([\d.]+) m · tracking error ([\d.]+) mm RMS · ',
        hint.locator('p').text_content()))
    # All until a time that is rounded to 0.1 s; the car is beside the path by this sine.
    drives = [np.arange(0.01, end + 0.005, 0.01) for end in seconds + np.linspace(-0.06, 0.06, 13)]
    ways = [np.hypot(*np.diff([figure_eight(time)[:2] for time in times], axis=0).T).sum()
            for times in drives]
    assert 0.98 * min(ways) - 0.1 < metres < 1.02 * max(ways) + 0.1
    errors = [20.0 * math.sqrt(np.mean(np.sin(times)**2)) for times in drives]
    assert min(errors) - 0.1 < error < max(errors) + 0.1
    hint.get_by_role('button', name='Follow a figure eight').click()
    expect(page.get_by_test_id('state')).to_have_text('running')
    expect(hint).to_be_hidden()
    expect(page.locator('#laps')).to_be_hidden()
    expect(page.locator('#crash')).to_be_hidden()
    page.get_by_role('button', name='Stop').click()
    hint.get_by_role('button', name='Close').click()
    expect(hint).to_be_hidden()


def test_tracking_error_is_in_millimetres_until_it_is_large(serve, open_page):
    served = serve()
    page = open_page(served.address)
    wait_for_car(page)
    plot = page.locator('#plot-error')
    pause(served, page)
    expect(plot.locator('.unit')).to_have_text('mm')
    error = 1000 * numbers(page)['error']
    expect(plot.locator('.key.measured .value')).to_have_text(f'{error:.1f}')
    page.get_by_role('button', name='Resume').click()
    expect(page.get_by_test_id('state')).to_have_text('running')
    page.keyboard.down('w')
    wait_for(page, lambda: plot.locator('.unit').text_content() == 'm', what='metres')
    assert numbers(page)['error'] > 0.05
    page.keyboard.up('w')
    assert page.faults == []


def test_waypoints_take_the_place_of_a_trajectory(serve, open_page):
    served = serve(starts=False)
    page = open_page(served.address)
    trajectory = page.locator('#option-trajectory')
    trajectory.select_option('circle')
    page.get_by_label('waypoints').select_option('racetrack')
    expect(trajectory).to_be_disabled()
    page.get_by_role('button', name='Start').click()
    wait_for(page, lambda: sent(served.feed, 'start'))
    assert sent(served.feed, 'start')[0]['options'] == {'waypoints': 'racetrack'}
    page.reload()
    expect(trajectory).to_be_disabled()
    page.get_by_label('waypoints').select_option('')
    expect(trajectory).to_be_enabled()


@pytest.mark.parametrize('way', ['paused', 'ended'])
def test_page_that_comes_later_shows_what_runs_or_ran_and_where_the_car_is(
        serve, open_page, way):
    served = serve(starts=False)
    page = open_page(served.address)
    page.get_by_label('vehicle').select_option('f1tenth')
    page.get_by_role('button', name='Start').click()
    wait_for(page, lambda: numbers(page).get('x', 0.0) > 1.0)
    if way == 'paused':
        pause(served, page)
    else:
        page.get_by_role('button', name='Stop').click()
        expect(page.get_by_test_id('state')).to_have_text('ended')
    before, samples = numbers(page), page.evaluate('window.racecarCockpit.samples')
    page.reload()
    other = open_page(served.address, scene=True)
    for late in (page, other):
        expect(late.get_by_test_id('state')).to_have_text(way)
        wait_for(late, lambda late=late: numbers(late) == before, what='the last pose')
        assert late.evaluate('window.racecarCockpit.samples') == samples
        expect(late.get_by_label('configuration')).to_have_value('kinematic_ode')
        expect(late.get_by_label('vehicle')).to_have_value('f1tenth')
        expect(late.locator('#plot-speed .key.measured .value')).not_to_have_text('–')
        shown = expect(late.locator('#hint'))
        (shown.to_contain_text('The run has ended') if way == 'ended' else shown.to_be_hidden())
    # The way that it has driven is behind it.
    wait_for(other, lambda: len(near(other, (0, 114, 178), 40)[0][0]) > 50, what='the way driven')


def test_collision_is_said_and_marked_until_the_next_reset(serve, open_page):
    served = serve()
    page = open_page(served.address, scene=True)
    wait_for_car(page)
    pause(served, page)
    time = page.evaluate('window.racecarCockpit.time')
    assert len(near(page, BAD)[0][0]) == 0
    page.keyboard.press('p')
    expect(page.get_by_test_id('state')).to_have_text('running')
    served.call(served.feed.say, 'collisions', count=1, in_contact=True, time=time)
    expect(page.locator('#crash')).to_have_text('Collision 1: back with S')
    served.call(served.feed.say, 'collisions', count=1, in_contact=False, time=time)
    expect(page.locator('#crash')).to_have_text('1 collision')
    pause(served, page)
    wait_for(page, lambda: len(near(page, BAD)[0][0]) > 30, what='a red ring')
    served.call(served.feed.say, 'collisions', count=0, in_contact=False, time=0.0)
    expect(page.locator('#crash')).to_be_hidden()
    wait_for(page, lambda: not len(near(page, BAD)[0][0]), what='no ring')


def test_of_several_cars_the_one_that_is_chosen_is_followed(serve, open_page):
    served = serve()
    page = open_page(served.address)
    wait_for_car(page)
    cars = page.locator('#cars')
    expect(cars).to_be_hidden()
    vehicle = VehicleParameters.from_file(find_config('vehicles/racecar'))
    frames, columns, _ = robot_frames(1, describe_vehicle(vehicle).tree, car='blue')
    rows = np.zeros((2, len(columns)))
    rows[:, columns.index('speed')] = 4.5
    for frame in (*frames, state_frame(1, np.array([0.0, 0.01]), rows)):
        served.call(served.feed.outlet.publish, frame)
    served.call(served.feed.say, 'laps', robot=1, count=2, last=9.0, best=8.5, begun=0.0)
    served.call(served.feed.say, 'collisions', robot=1, count=3, in_contact=False, time=0.0)
    first, blue = (cars.get_by_role('button').nth(number) for number in (0, 1))
    for text in ('blue', '4.5 m/s', 'lap 3 · 8.50 s', '✕ 3'):
        expect(blue).to_contain_text(text)
    expect(first).to_have_attribute('aria-pressed', 'true')
    expect(page.locator('#crash')).to_be_hidden()
    assert page.evaluate('racecarCockpit.state.speed') != 4.5
    blue.click()
    expect(blue).to_have_attribute('aria-pressed', 'true')
    expect(page.locator('#crash')).to_have_text('3 collisions')
    expect(page.locator('#lap-number')).to_have_text('Lap 3')
    expect(page.locator('#hud-speed')).to_have_text('4.50')
    assert page.evaluate('racecarCockpit.state.speed') == 4.5
    page.keyboard.press('n')
    expect(first).to_have_attribute('aria-pressed', 'true')
    expect(page.locator('#crash')).to_be_hidden()
    assert page.faults == []


def test_collision_is_said_beside_the_touch_pad_of_a_phone(serve, open_page):
    served = serve()
    page = open_page(served.address, viewport={'width': 390, 'height': 844}, has_touch=True,
                     is_mobile=True)
    wait_for_car(page)
    served.call(served.feed.say, 'collisions', count=1, in_contact=True, time=0.0)
    crash, pad = page.locator('#crash'), page.locator('#touch')
    expect(crash).to_have_text('Collision 1: drag down to go back')
    expect(pad).to_be_visible()
    said, held = crash.bounding_box(), pad.bounding_box()
    assert said['x'] + said['width'] <= held['x']


def test_laps_are_timed(serve, open_page):
    served = serve()
    page = open_page(served.address)
    # The car of the example begins at the start of its figure eight.
    expect(page.locator('#laps')).to_contain_text('Lap 1')
    # Empty until the first sample has come.
    wait_for(page, lambda: float(
        ['0', *page.locator('#lap-time').text_content().split()[:1]][-1]) > 0.5)
    served.call(served.feed.say, 'laps', count=3, last=21.04, best=20.91, begun=0.25)
    expect(page.locator('#laps')).to_contain_text('Lap 4')
    expect(page.locator('#lap-best')).to_have_text('last 21.04 s · best 20.91 s')
    # They are those of now, not of a time that is gone back to.
    served.call(served.feed.advance, 500)
    page.get_by_role('slider', name='Time', exact=True).fill('1.0')
    expect(page.locator('#laps')).to_be_hidden()
    page.get_by_role('button', name='Live').click()
    expect(page.locator('#laps')).to_be_visible()


def test_whole_track_is_in_sight_by_key_and_by_the_small_map(serve, open_page):
    served = serve()
    page = open_page(served.address, scene=True, viewport={'width': 1200, 'height': 800})
    wait_for_car(page)
    map_button = page.get_by_role('button', name='Map')
    expect(map_button).to_be_visible()
    drawn = map_button.locator('canvas').evaluate("""(canvas) => {
      const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      let count = 0;
      for (let i = 0; i < data.length; i += 4) { count += data[i + 3] > 200 && data[i + 1] > 120; }
      return count;
    }""")
    assert drawn > 100
    map_button.click()
    track = page.get_by_role('button', name='Track', exact=True)
    expect(track).to_have_attribute('aria-pressed', 'true')
    expect(map_button).to_be_hidden()
    page.keyboard.press('1')
    page.keyboard.press('4')
    expect(track).to_have_attribute('aria-pressed', 'true')
    pause(served, page)

    def whole():
        (rows, columns), (height, width) = near(page, REFERENCE, 50)
        # Without what lies over the scene and has green dots, too.
        inner = (rows > 60) & (rows < height - 90)
        rows, columns = rows[inner], columns[inner]
        # The eight is 10 m by 5 m.
        return len(rows) and 0.45 * width < np.ptp(columns) < 0.9 * width \
            and columns.min() > 0.05 * width and abs(np.ptp(columns) / np.ptp(rows) - 2.0) < 0.2

    wait_for(page, whole, what='the whole eight')


def test_phone_held_across_has_the_scene_alone_and_nothing_overlaps(serve, open_page):
    served = serve()
    page = open_page(served.address, **LANDSCAPE)
    wait_for_car(page)
    page.evaluate("""() => {
      for (const one of document.querySelectorAll('.layers button')) { one.hidden = false; }
    }""")
    for hidden in ('.plots-area', '#panel', '.tabs'):
        expect(page.locator(hidden)).to_be_hidden()
    boxes = {name: page.locator(name).bounding_box() for name in (
        '.top-left .segments', '.layers', '#minimap', '#drives', '#hud', '#touch', '#throttle')}
    for (one, a), (other, b) in itertools.combinations(boxes.items(), 2):
        apart = (a['x'] + a['width'] <= b['x'] or b['x'] + b['width'] <= a['x']
                 or a['y'] + a['height'] <= b['y'] or b['y'] + b['height'] <= a['y'])
        assert apart, (one, other)
    for name, box in boxes.items():
        assert 0 <= box['x'] <= 844 - box['width'], name
        assert 0 <= box['y'] <= 390 - box['height'], name
    assert page.evaluate('document.documentElement.scrollWidth') <= 844
    page.get_by_role('button', name='Panels').tap()
    expect(page.get_by_label('configuration')).to_be_visible()
    page.get_by_role('button', name='Panels').tap()
    expect(page.locator('#panel')).to_be_hidden()


def test_two_thumbs_steer_and_drive(serve, open_page):
    served = serve()
    page = open_page(served.address, **LANDSCAPE)
    wait_for_car(page)
    touch = page.context.new_cdp_session(page)

    def place(name, right, down, number):
        box = page.locator(name).bounding_box()
        return {'x': box['x'] + (0.5 + 0.4 * right) * box['width'],
                'y': box['y'] + (0.5 + 0.4 * down) * box['height'], 'id': number}

    def put(kind, *points):
        touch.send('Input.dispatchTouchEvent', {'type': kind, 'touchPoints': [*points]})

    def wanted(speed, steering):
        found = sent(served.feed, 'drive')[-1:]
        return found and abs(found[0]['speed'] - speed) < 0.03 \
            and abs(found[0]['steering'] - steering) < 0.03

    speed, left = place('#throttle', 0.0, -1.0, 1), place('#touch', -1.0, 0.0, 2)
    put('touchStart', speed)
    wait_for(page, lambda: wanted(0.5, 0.0), what='straight ahead')
    put('touchStart', speed, left)
    wait_for(page, lambda: wanted(0.5, 0.4), what='to the left')
    put('touchEnd')
    wait_for(page, lambda: sent(served.feed, 'release_wheel'))
    assert wanted(0.0, 0.0)


def test_scene_is_light_without_a_graphics_card_unless_somebody_wants_it_full(serve, open_page):
    served = serve()
    page = open_page(served.address, scene=True)
    wait_for_car(page)
    button = page.get_by_role('button', name='Light scene')
    expect(button).to_have_attribute('aria-pressed', 'true')
    assert 'SwiftShader' in button.get_attribute('title')
    pause(served, page)

    def seen():
        return np.asarray(Image.open(io.BytesIO(
            page.locator('#scene').screenshot())).convert('L'), dtype=int)

    light = seen()

    def is_still():
        # The camera follows for a while yet.
        nonlocal light
        before, light = light, seen()
        return (before == light).all()

    wait_for(page, is_still, what='a picture that stays')
    button.click()
    expect(button).to_have_attribute('aria-pressed', 'false')
    wait_for(page, lambda: ((light - seen()) > 15).sum() > 500, what='shadows')
    page.reload()
    wait_for(page, lambda: numbers(page), what='a car')
    expect(button).to_have_attribute('aria-pressed', 'false')


def test_computer_that_does_not_keep_up_is_said(serve, open_page):
    served = serve()
    page = open_page(served.address)
    wait_for_car(page)
    slow = page.locator('#slow')

    def tell(factor):
        served.call(served.feed.say, 'clock', time=9.0, factor=factor, wanted_factor=1.0,
                    paused=False)

    served.call(setattr, served.feed, '_paused', True)
    wait_for(page, lambda: tell(0.62) or slow.is_visible(), what='that it is slow')
    expect(slow).to_have_text(
        'This computer is too slow for Follow a path, planar: real-time factor 0.62 of 1')
    tell(0.99)
    expect(slow).to_be_hidden()


@pytest.mark.parametrize('motion', ['no-preference', 'reduce'])
def test_vehicle_on_show_turns_unless_less_motion_is_wanted(serve, open_page, motion):
    page = open_page(serve(starts=False).address, scene=True, reduced_motion=motion, script="""
      localStorage.setItem('racecar-cockpit-scene', 'full');""",
                     viewport={'width': 500, 'height': 500})
    wait_for(page, lambda: len(near(page, (30, 45, 160), 60)[0][0]) > 300, what='a car')
    frames = page.evaluate('window.racecarCockpit.frames')
    if motion == 'reduce':
        page.wait_for_timeout(1500)
        assert page.evaluate('window.racecarCockpit.frames') <= frames + 2
    else:
        wait_for(page, lambda: page.evaluate('window.racecarCockpit.frames') > frames + 5)
