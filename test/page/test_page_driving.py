# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Driving by keys, gamepad and touch, in a browser before a feed without nodes."""

from playwright.sync_api import expect
from waiting import sent, wait_for, wait_for_car

LEAVING = {
    'blur': "window.dispatchEvent(new Event('blur'))",
    'typing': "document.querySelector('details.more').open = true;"
              "document.getElementById('option-end_time').focus()",
    'hidden tab': "document.activeElement.blur();"
                  "Object.defineProperty(document, 'hidden', {value: true});"
                  "document.dispatchEvent(new Event('visibilitychange'))"}

GAMEPAD = """
window.stick = 0; window.trigger = 0;
navigator.getGamepads = () => [{id: 'Test pad', mapping: 'standard', axes: [window.stick, 0, 0, 0],
  buttons: [0, 0, 0, 0, 0, 0, 0, window.trigger].map((value) => ({value, pressed: value > 0.5}))}];
"""


def test_held_keys_drive_and_release_stops(serve, open_page):
    served = serve()
    page = open_page(served.address)
    wait_for_car(page)
    # Without WebGL, too.
    expect(page.locator('#no-webgl')).to_contain_text('WebGL 2')
    page.keyboard.down('w')
    page.keyboard.down('ArrowLeft')
    wait_for(page, lambda: [one for one in sent(served.feed, 'drive') if one['speed'] == 0.5])
    assert sent(served.feed, 'take_wheel')
    assert 0.1 < sent(served.feed, 'drive')[-1]['steering'] <= 0.4
    expect(page.locator('#who')).to_have_text('you')
    page.keyboard.up('ArrowLeft')
    page.keyboard.up('w')
    wait_for(page, lambda: sent(served.feed, 'release_wheel'))
    assert sent(served.feed, 'drive')[-1] == {'type': 'drive', 'speed': 0.0, 'steering': 0.0}
    count = len(served.feed.received)
    page.wait_for_timeout(150)
    assert len(served.feed.received) == count


def test_keys_change_speed_and_steering_by_degrees(serve, open_page):
    served = serve()
    page = open_page(served.address)
    wait_for_car(page)
    page.keyboard.down('w')
    page.keyboard.down('a')
    # At half of the speed keys steer 0.8 of what they do at rest, 0.4 of the lock.
    wait_for(page, lambda: sent(served.feed, 'drive')[-1:] == [
        {'type': 'drive', 'speed': 0.5, 'steering': 0.32}])
    speeds = [one['speed'] for one in sent(served.feed, 'drive')]
    assert speeds[0] == 0.1
    assert speeds == sorted(speeds)
    assert len(set(speeds)) > 3
    served.feed.received.clear()
    page.keyboard.up('a')
    wait_for(page, lambda: sent(served.feed, 'drive')[-1:] == [
        {'type': 'drive', 'speed': 0.5, 'steering': 0.0}])
    angles = [one['steering'] for one in sent(served.feed, 'drive')]
    assert 0.0 < angles[0] <= 0.32
    assert angles == sorted(angles, reverse=True)
    page.keyboard.up('w')


def test_leaving_the_page_or_typing_releases_the_car(serve, open_page):
    served = serve()
    page = open_page(served.address)
    wait_for_car(page)
    for way, event in LEAVING.items():
        served.feed.received.clear()
        page.locator('#scene').focus()
        page.keyboard.down('w')
        wait_for(page, lambda: len(sent(served.feed, 'drive')) > 2, what=way)
        page.evaluate(event)
        wait_for(page, lambda: sent(served.feed, 'release_wheel'), what=way)
        assert sent(served.feed, 'drive')[-1]['speed'] == 0.0, way
        assert not page.evaluate('window.racecarCockpit.holding'), way
        page.keyboard.up('w')


def test_typing_in_a_field_does_not_drive(serve, open_page):
    served = serve()
    page = open_page(served.address)
    wait_for_car(page)
    page.get_by_role('tab', name='Tune').click()
    page.get_by_role('searchbox', name='Filter').press_sequentially('wasd')
    expect(page.get_by_role('searchbox')).to_have_value('wasd')
    assert sent(served.feed, 'drive') == []


def test_manual_mode_holds_the_wheel_until_it_is_switched_off_or_left(serve, open_page):
    served = serve()
    page = open_page(served.address)
    wait_for_car(page)
    for end in ("document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape',"
                "bubbles: true}))", "window.dispatchEvent(new Event('blur'))"):
        served.feed.received.clear()
        page.keyboard.press('m')
        wait_for(page, lambda: len(sent(served.feed, 'drive')) > 5)
        assert sent(served.feed, 'take_wheel') == [{'type': 'take_wheel', 'manual': True}]
        page.evaluate(end)
        wait_for(page, lambda: sent(served.feed, 'release_wheel'))


def test_gamepad_drives_in_proportion_and_at_rest_not_at_all(serve, open_page):
    served = serve()
    page = open_page(served.address, script=GAMEPAD)
    wait_for_car(page)
    page.wait_for_timeout(100)
    assert sent(served.feed, 'drive') == []
    page.evaluate('window.trigger = 0.6; window.stick = 0.56;')
    wait_for(page, lambda: sent(served.feed, 'drive'))
    assert sent(served.feed, 'drive')[-1] == {'type': 'drive', 'speed': 0.3, 'steering': -0.2}
    page.evaluate('window.trigger = 0; window.stick = 0.05;')
    wait_for(page, lambda: sent(served.feed, 'release_wheel'))


def test_touch_pad_drives_on_a_phone_and_its_release_stops(serve, open_page):
    served = serve()
    page = open_page(served.address, viewport={'width': 390, 'height': 844}, has_touch=True,
                     is_mobile=True)
    wait_for_car(page)
    box = page.locator('#touch').bounding_box()
    x, y = box['x'] + box['width'] / 2, box['y'] + box['height'] / 2
    touch = page.context.new_cdp_session(page)
    touch.send('Input.dispatchTouchEvent', {
        'type': 'touchStart', 'touchPoints': [{'x': x, 'y': y}]})
    touch.send('Input.dispatchTouchEvent', {
        'type': 'touchMove', 'touchPoints': [{'x': x, 'y': y - 0.4 * box['height']}]})
    wait_for(page, lambda: [one for one in sent(served.feed, 'drive') if one['speed'] > 0.45])
    touch.send('Input.dispatchTouchEvent', {'type': 'touchEnd', 'touchPoints': []})
    wait_for(page, lambda: sent(served.feed, 'release_wheel'))
    assert sent(served.feed, 'drive')[-1]['speed'] == 0.0
    # Nothing is wider than the screen.
    assert page.evaluate('document.documentElement.scrollWidth') <= 390


def test_driver_has_pedals_gears_indicators_and_lamps(serve, open_page):
    served = serve(driver=True)
    page = open_page(served.address)
    wait_for_car(page)
    page.keyboard.down('s')
    wait_for(page, lambda: sent(served.feed, 'pedals'))
    assert sent(served.feed, 'pedals')[-1] == {
        'type': 'pedals', 'throttle': 0.0, 'brake': 1.0, 'steering': 0.0}
    page.keyboard.up('s')
    page.keyboard.press('e')
    wait_for(page, lambda: sent(served.feed, 'gear') == [{'type': 'gear', 'value': 2}])
    page.get_by_role('tab', name='Drive').click()
    expect(page.get_by_role('button', name='Gear 2')).to_have_attribute('aria-pressed', 'true')
    page.get_by_role('button', name='Hazard').click()
    page.keyboard.press('l')
    expect(page.get_by_role('button', name='dipped beams')).to_have_attribute(
        'aria-pressed', 'true')
    assert sent(served.feed, 'indicator') == [{'type': 'indicator', 'value': 'hazard'}]
    assert sent(served.feed, 'lamp') == [{'type': 'lamp', 'name': 'dipped_beams', 'on': True}]
    expect(page.locator('#plot-engine')).to_contain_text('gear2')
