# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The page of the cockpit in a browser, before a feed without nodes."""

import hashlib
import io
import math
import re

from example_feed import NODE
import numpy as np
from PIL import Image
from playwright.sync_api import expect
import pytest
from waiting import numbers, sent, wait_for, wait_for_car

from racecar.cockpit.frames import state_frame
from racecar.cockpit.page_files import FOLDER

LARGEST_PAGE = 1_000_000  # [B]
# What others have written, by the SHA-256 of what they published: uplot 1.6.32 on npm.
OF_OTHERS = {
    'uPlot.LICENSE': '8f989229699b4fe2f1a0432d0e9edc338a8a911e250e2d1b01ecd770a5f5b1bd',
    'uPlot.iife.min.js': '19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f',
    'uPlot.min.css': 'df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04',
}


def test_page_loads_all_from_its_own_server_and_stays_below_a_megabyte(serve, open_page):
    served = serve()
    page = open_page(scene=True)
    requests, responses, policy = [], [], []
    page.on('request', lambda request: requests.append(request.url))
    page.on('response', lambda response: responses.append(response))
    page.on('console', lambda message: policy.append(message.text)
            if 'Content Security Policy' in message.text else None)
    page.goto(served.address)
    wait_for_car(page)
    outside = [url for url in requests
               if not url.startswith((served.address, f'blob:{served.address}'))]
    assert outside == []
    assert len(requests) > 15
    got = sum(len(response.body()) for response in [*responses] if response.status == 200)
    assert 50_000 < got < LARGEST_PAGE
    assert page.faults == []
    assert policy == []


def test_the_files_of_the_page_name_no_other_host():
    # The first comment of what others have written says where it comes from.
    texts = {path.name: re.sub(r'^/\*!.*?\*/', '', path.read_text())
             for path in sorted(FOLDER.iterdir())}
    found = [(name, url) for name, text in texts.items()
             for url in re.findall(r'(?:https?:)?//[\w.-]+\.[a-z]{2,}[^\s"\']*', text)
             if not url.startswith('http://www.w3.org/')]
    assert found == []


def test_every_file_of_the_page_has_the_licence_or_is_what_others_published():
    assert {path.name: hashlib.sha256(path.read_bytes()).hexdigest()
            for path in FOLDER.iterdir()
            if 'SPDX-License-Identifier: Apache-2.0' not in path.read_text()[:200]} == OF_OTHERS
    assert 'MIT License' in (FOLDER / 'uPlot.LICENSE').read_text()


def scene_picture(page):
    # The canvas itself, as no element may lie over it.
    return np.asarray(Image.open(io.BytesIO(page.locator('#scene').screenshot())).convert('RGB'),
                      dtype=int)


def test_car_moves_in_the_scene_and_in_the_plots(serve, open_page):
    page = open_page(serve().address, scene=True)
    wait_for_car(page)
    # With it the scene has its size.
    page.locator('#timebar').wait_for()
    before, picture = numbers(page), scene_picture(page)
    # The body of the car is blue, as nothing else in this scene.
    assert ((picture[..., 2] > picture[..., 0] + 60) & (picture[..., 1] < 80)).sum() > 50
    wait_for(page, lambda: math.dist(
        [before['x'], before['y']], [numbers(page)['x'], numbers(page)['y']]) > 0.5)
    assert (np.abs(scene_picture(page) - picture).sum(-1) > 30).mean() > 0.005
    assert page.locator('.plot:visible').count() == 3
    expect(page.locator('#plot-speed canvas')).to_have_attribute(
        'aria-label', re.compile(r'Speed over time \[m/s\]: car \d'))


def test_page_is_painted_before_the_graphics_card_is_asked_and_rounded_after_its_picture(
        serve, open_page):
    served = serve()
    page = open_page(scene=True, script="""
      const original = HTMLCanvasElement.prototype.getContext;
      const painted = () => performance.getEntriesByName('first-contentful-paint').length;
      window.asked = [];
      HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
        if (kind === 'webgl2') { window.asked.push(painted()); }
        return original.call(this, kind, ...more);
      };""")
    meshes = []
    page.on('request', lambda request: meshes.append(request.url)
            if '/mesh/' in request.url else None)
    page.goto(served.address)
    wait_for(page, lambda: page.evaluate('!document.documentElement.classList.length'))
    assert page.evaluate('window.asked') == [1]
    assert page.evaluate('window.racecarCockpit.frames') > 0
    # Wheels share theirs.
    assert len(meshes) == len(set(meshes)) > 0


def test_views_and_layers_change_the_picture(serve, open_page):
    served = serve()
    page = open_page(served.address, scene=True)
    wait_for_car(page)
    page.get_by_role('button', name='Lidar').wait_for()
    served.call(setattr, served.feed, '_paused', True)
    page.wait_for_timeout(100)
    last = scene_picture(page)
    for name in ('Top', 'Lidar', 'Reference'):
        page.get_by_role('button', name=name, exact=True).click()
        page.mouse.move(0, 0)
        # Beside the buttons, which change their colours anyway.
        wait_for(page, lambda last=last: (
            np.abs(scene_picture(page) - last)[60:].sum(-1) > 60).any(), what=name)
        last = scene_picture(page)


def test_slider_changes_a_gain_and_a_refused_value_is_put_back(serve, open_page):
    served = serve()
    page = open_page(served.address)
    page.get_by_role('tab', name='Tune').click()
    slider = page.get_by_role('slider', name='Kp')
    slider.focus()
    page.keyboard.press('ArrowRight')
    wait_for(page, lambda: sent(served.feed, 'set_parameter'))
    message = sent(served.feed, 'set_parameter')[-1]
    assert (message['node'], message['name']) == (NODE, 'Kp')
    assert 5.0 < message['value'] < 10.0
    box = page.get_by_role('spinbutton', name='Kp')
    expect(box).to_have_value(f"{message['value']:g}")
    box.fill('-3')
    box.press('Enter')
    expect(page.locator('.parameter.refused .state')).to_contain_text('Kp')
    expect(box).to_have_value(f"{message['value']:g}")
    # What another page changes is shown, too.
    served.call(served.feed.say, 'parameter', node=NODE, name='Kp', value=7.25)
    expect(box).to_have_value('7.25')
    expect(page.get_by_label('tracked_point')).to_have_count(1)
    expect(page.get_by_label('tracked_point')).to_be_hidden()


def tuned(serve, open_page):
    """Return a server and a page of it with the panel Tune."""
    served = serve()
    page = open_page(served.address)
    page.get_by_role('tab', name='Tune').click()
    return served, page


def test_slider_reaches_from_a_fifth_to_five_times_the_default_which_is_marked(serve, open_page):
    served, page = tuned(serve, open_page)
    expect(page.locator('[data-parameter$=".Kp"]')).to_contain_text('Kp [1/s]')
    slider = page.get_by_role('slider', name='Kp')
    slider.focus()
    for key, count, value in (('PageUp', 12, 25.0), ('PageDown', 25, 1.0)):
        for _ in range(count):
            page.keyboard.press(key)
        wait_for(page, lambda value=value: (
            sent(served.feed, 'set_parameter')[-1:] or [{}])[0].get('value') == value)
    mark = page.locator('[data-parameter$=".Kp"] .mark').bounding_box()
    box = slider.bounding_box()
    assert mark['x'] + 0.5 * mark['width'] == pytest.approx(box['x'] + 0.5 * box['width'], abs=1.5)
    # Any allowed value can be typed.
    typed = page.get_by_role('spinbutton', name='Kp')
    typed.fill('300')
    typed.press('Enter')
    wait_for(page, lambda: sent(served.feed, 'set_parameter')[-1]['value'] == 300)


def test_changes_are_undone_and_values_go_back_to_those_of_the_start(serve, open_page):
    _, page = tuned(serve, open_page)
    gain, switch = (page.get_by_role('spinbutton', name='Kp'),
                    page.get_by_role('switch', name='FFWD'))
    undo = page.get_by_role('button', name='Undo', exact=True)
    expect(undo).to_be_disabled()
    back = page.get_by_role('button', name='Kp: Back to 5')
    expect(back).to_be_hidden()
    for value in ('7', '9'):
        gain.fill(value)
        gain.press('Enter')
        # Later is another change.
        page.wait_for_timeout(1100)
    switch.uncheck()
    page.keyboard.press('Control+z')
    expect(switch).to_be_checked()
    undo.click()
    expect(gain).to_have_value('7')
    back.click()
    expect(gain).to_have_value('5')
    expect(back).to_be_hidden()
    undo.click()
    expect(gain).to_have_value('7')
    switch.uncheck()
    page.get_by_role('button', name='All to defaults').click()
    expect(gain).to_have_value('5')
    expect(switch).to_be_checked()
    expect(page.get_by_role('button', name='All to defaults')).to_be_disabled()
    undo.click()
    expect(gain).to_have_value('7')
    expect(switch).not_to_be_checked()


def test_refusal_is_over_with_the_next_value_that_is_taken_or_a_reset(serve, open_page):
    served, page = tuned(serve, open_page)
    gain, refused = page.get_by_role('spinbutton', name='Kp'), page.locator('.parameter.refused')
    for over in (lambda: page.get_by_role('switch', name='FFWD').uncheck(),
                 lambda: page.get_by_role('button', name='Reset', exact=True).click()):
        gain.fill('-3')
        gain.press('Enter')
        expect(refused).to_have_count(1)
        over()
        expect(refused).to_have_count(0)
    # What was refused is nothing to undo: the last change is the switch.
    page.get_by_role('button', name='Undo', exact=True).click()
    expect(page.get_by_role('switch', name='FFWD')).to_be_checked()
    assert sent(served.feed, 'set_parameter')[-1]['name'] == 'FFWD'


def test_only_parameters_of_the_present_shape_are_listed(serve, open_page):
    _, page = tuned(serve, open_page)
    expect(page.get_by_role('spinbutton', name='a', exact=True)).to_be_visible()
    expect(page.get_by_role('spinbutton', name='R', exact=True)).to_be_hidden()
    shape = page.locator(f'[id="{NODE}.trajectory"]')
    assert shape.locator('option').all_text_contents() == ['line', 'circle', 'figure eight']
    shape.select_option('circle')
    expect(page.get_by_role('spinbutton', name='R', exact=True)).to_be_visible()
    expect(page.get_by_role('spinbutton', name='a', exact=True)).to_be_hidden()
    # What is read-only is shown on demand, and as such.
    expect(page.get_by_label('tracked_point')).to_be_hidden()
    page.get_by_label('show read-only').check()
    expect(page.get_by_label('tracked_point')).to_be_disabled()


def test_configuration_is_chosen_started_and_stopped(serve, open_page):
    served = serve(starts=False)
    page = open_page(served.address)
    expect(page.locator('#hint')).to_contain_text('Pick a demo')
    page.get_by_label('vehicle').select_option('f1tenth')
    page.get_by_label('Lidar').check()
    page.get_by_text('More options').click()
    page.get_by_label('end time').fill('30')
    page.get_by_role('button', name='Start').click()
    expect(page.get_by_test_id('state')).to_have_text('running')
    assert sent(served.feed, 'start') == [{
        'type': 'start', 'configuration': 'kinematic_ode',
        'options': {'vehicle': 'f1tenth', 'sensors': ['laser'], 'end_time': 30}}]
    wait_for_car(page)
    page.keyboard.press('p')
    expect(page.get_by_test_id('state')).to_have_text('paused')
    time = page.evaluate('window.racecarCockpit.time')
    page.get_by_role('button', name='Step').click()
    wait_for(page, lambda: page.evaluate('window.racecarCockpit.time') > time)
    page.get_by_role('button', name='Stop').click()
    expect(page.get_by_test_id('state')).to_have_text('ended')
    expect(page.get_by_role('button', name='Start')).to_be_visible()


def test_configuration_that_cannot_run_here_is_grey_and_says_why(serve, open_page):
    page = open_page(serve(starts=False).address)
    option = page.locator('#configuration option[value=teleop_world]')
    expect(option).to_be_disabled()
    expect(option).to_contain_text('needs mujoco: pip install mujoco')
    expect(page.locator('#configuration option[value=driver]')).to_be_enabled()


def test_empty_scene_offers_the_runs_that_the_server_has(serve, open_page):
    served = serve(starts=False)
    page = open_page(served.address)
    runs = page.locator('#hint').get_by_role('button')
    # The example has neither a race track nor road cars.
    expect(runs).to_have_count(1)
    runs.click()
    expect(page.get_by_test_id('state')).to_have_text('running')
    assert sent(served.feed, 'start') == [
        {'type': 'start', 'configuration': 'kinematic_ode', 'options': {}}]
    expect(page.locator('#hint')).to_be_hidden()


def test_log_counts_what_repeats_and_a_closed_problem_stays_closed(serve, open_page):
    served = serve()
    page = open_page(served.address)
    wait_for_car(page)
    for age in (0.3, 0.5):
        served.call(served.feed.say, 'log', level='error', node=NODE, text=f'{age} s too old')
    expect(page.locator('.log .error')).to_have_count(1)
    expect(page.locator('.log .error')).to_contain_text('2×')
    expect(page.locator('.log .error')).to_contain_text('0.5 s too old')
    page.get_by_role('alert').get_by_role('button').click()
    served.call(served.feed.say, 'log', level='error', node=NODE, text='0.7 s too old')
    expect(page.locator('.log .error')).to_contain_text('3×')
    expect(page.get_by_role('alert')).to_be_hidden()


def test_lost_simulation_is_said_and_so_are_errors_of_nodes(serve, open_page):
    served = serve()
    page = open_page(served.address)
    wait_for_car(page)
    served.call(served.feed.say, 'log', level='error', node=NODE, text='gain is NaN')
    expect(page.get_by_role('alert')).to_contain_text('gain is NaN')
    served.call(served.feed.session, 'lost', text='racecar up was ended by SIGKILL')
    ended = page.get_by_role('alert').filter(has_text='The run has ended')
    expect(ended).to_contain_text('SIGKILL')
    page.keyboard.down('w')
    page.wait_for_timeout(100)
    assert sent(served.feed, 'drive') == []


def test_page_says_that_its_server_is_gone_and_goes_on_when_it_is_back(serve, open_page):
    served = serve()
    page = open_page(served.address)
    wait_for_car(page)
    page.keyboard.down('w')
    wait_for(page, lambda: sent(served.feed, 'drive'))
    served.stop()
    expect(page.get_by_role('alert')).to_contain_text('No connection')
    expect(page.get_by_test_id('state')).to_have_text('offline')
    again = serve(port=served.port)
    expect(page.get_by_test_id('state')).to_have_text('running')
    expect(page.get_by_role('alert')).to_be_hidden()
    wait_for(page, lambda: page.evaluate('window.racecarCockpit.samples') > 5)
    # The key that was held before drives no car of another server.
    page.wait_for_timeout(100)
    assert sent(again.feed, 'drive') == []


def test_run_of_a_command_ends_calmly_with_its_result(serve, open_page):
    served = serve(mode='watch')
    page = open_page(served.address)
    wait_for_car(page)
    expect(page.locator('#run')).to_contain_text('kinematic ODE')
    expect(page.locator('#run')).not_to_contain_text('elsewhere')
    served.call(served.feed.session, 'ended', 'kinematic_ode', text='80 s driven, RMSE 7.2 mm',
                result={'text': '80 s driven, RMSE 7.2 mm', 'files': ['/tmp/report.html'],
                        'links': [{'text': 'Report', 'address': '/report'}]})
    expect(page.locator('.result')).to_contain_text('80 s driven, RMSE 7.2 mm')
    expect(page.get_by_role('link', name='Report')).to_have_attribute('href', '/report')
    expect(page.get_by_test_id('state')).to_have_text('ended')
    served.stop()
    # What nobody serves any more is no link, and nobody looks for the server for ever.
    expect(page.locator('.result')).to_contain_text('/tmp/report.html')
    expect(page.get_by_role('link', name='Report')).to_have_count(0)
    expect(page.get_by_test_id('state')).to_have_text('ended')
    expect(page.get_by_role('alert')).to_be_hidden()
    sockets = []
    page.on('websocket', lambda socket: sockets.append(socket.url))
    page.wait_for_timeout(600)
    assert sockets == []


def test_run_is_recorded_by_a_button_and_its_files_are_offered(serve, open_page):
    served = serve()
    page = open_page(served.address, viewport={'width': 1366, 'height': 768})
    wait_for_car(page)
    button = page.locator('#record')
    expect(button).to_have_text('Record')
    button.click()
    expect(button).to_have_text('0:01')
    expect(button).to_have_attribute('aria-pressed', 'true')
    button.click()
    wait_for(page, lambda: len(sent(served.feed, 'record')) == 2)
    assert [one['on'] for one in sent(served.feed, 'record')] == [True, False]
    alert, listed = page.get_by_role('alert'), page.locator('#recordings')
    for place in (alert, listed):
        expect(place).to_contain_text('6.0 s')
        expect(place.get_by_role('link', name='Report')).to_have_count(0)
        expect(place).to_contain_text('report is being made')
    served.call(served.feed.say_recorded, is_ready=True)
    for place in (alert, listed):
        expect(place.get_by_role('link', name='Report')).to_have_attribute(
            'href', '/recordings/1/report')
        expect(place.get_by_role('link', name='CSV')).to_have_attribute('download', '')
    # A page that comes later finds them, and is not told as of news.
    other = open_page(served.address)
    expect(other.locator('#recordings').get_by_role('link', name='Replay')).to_be_visible()
    expect(other.get_by_role('alert')).to_be_hidden()
    page.get_by_role('button', name='Stop').click()
    expect(button).to_be_disabled()
    assert page.faults == []


def test_recording_is_paused_and_scrubbed(serve, open_page):
    served = serve(mode='replay')
    page = open_page(served.address)
    wait_for_car(page)
    expect(page.get_by_role('button', name='Start')).to_be_hidden()
    expect(page.get_by_role('tab', name='Drive')).to_be_hidden()
    page.get_by_role('button', name='Pause').click()
    wait_for(page, lambda: sent(served.feed, 'pause'))
    slider = page.get_by_role('slider', name='Time')
    slider.fill('40')
    wait_for(page, lambda: sent(served.feed, 'seek'))
    assert sent(served.feed, 'seek')[-1]['time'] == 40.0
    wait_for(page, lambda: page.evaluate('window.racecarCockpit.time') > 39.9)
    slider.fill('10')
    # Backwards in time begins the plots anew.
    wait_for(page, lambda: page.evaluate('window.racecarCockpit.samples') < 5)


def shown_time(page):
    """Return the time that scene, numbers and plots show [s]."""
    return page.evaluate('window.racecarCockpit.shownTime')


def go_back_to(page, time):
    """Move the slider to a time [s], as soon as the page has what was then; return the slider."""
    slider = page.get_by_role('slider', name='Time', exact=True)
    # A slider does not go beyond its end.
    wait_for(page, lambda: float(slider.get_attribute('max') or 0.0) >= time)
    slider.fill(str(time))
    return slider


def test_run_that_goes_on_is_gone_back_in_played_and_live_again(serve, open_page):
    served = serve()
    page = open_page(served.address, scene=True)
    wait_for_car(page)
    served.call(served.feed.advance, 2000)
    expect(page.locator('#timebar')).to_be_visible()
    expect(page.get_by_role('button', name='Live')).to_have_attribute('aria-pressed', 'true')
    slider = go_back_to(page, 12.5)
    wait_for(page, lambda: shown_time(page) == pytest.approx(12.5, abs=0.02))
    before = page.evaluate('window.racecarCockpit.time')
    place = 5.0 * math.sin(0.3 * 12.5), 2.5 * math.sin(0.6 * 12.5)

    def away():
        shown = numbers(page)
        return math.dist((shown['x'], shown['y']), place)

    # Numbers are written more seldom than the time.
    wait_for(page, lambda: away() < 0.1)
    # The run goes on meanwhile, and is not asked for anything.
    wait_for(page, lambda: page.evaluate('window.racecarCockpit.time') > before + 0.3)
    assert shown_time(page) == pytest.approx(12.5, abs=0.02)
    assert sent(served.feed, 'seek') == sent(served.feed, 'pause') == []
    page.get_by_role('button', name='Play', exact=True).click()
    wait_for(page, lambda: 12.8 < shown_time(page) < before - 1.0)
    page.locator('#timebar').get_by_role('button', name='Pause').click()
    page.get_by_role('button', name='Live').click()
    wait_for(page, lambda: shown_time(page) >= before)
    # Who drives looks at now.
    slider.fill('12.5')
    wait_for(page, lambda: shown_time(page) == pytest.approx(12.5, abs=0.02))
    page.locator('#scene').focus()
    page.keyboard.down('w')
    wait_for(page, lambda: shown_time(page) > 13.0)
    page.keyboard.up('w')
    assert page.faults == []


def test_plots_end_at_the_time_that_was_gone_back_to(serve, open_page):
    served = serve()
    page = open_page(served.address)
    wait_for_car(page)
    served.call(served.feed.advance, 3000)
    go_back_to(page, 9.0)
    label = page.locator('#plot-speed canvas')
    a = 0.3 * 9.0
    speed = 5.0 * 0.3 * math.hypot(math.cos(a), math.cos(2 * a))

    def told():
        """Return the speed that the plot tells [m/s]."""
        found = re.search(r'car ([\d.]+)', label.get_attribute('aria-label') or '')
        return float(found[1]) if found else 0.0

    wait_for(page, lambda: told() == pytest.approx(speed, abs=0.02))


def test_plots_show_what_comes_after_a_seek_in_a_pause(serve, open_page):
    served = serve(mode='replay')
    page = open_page(served.address)
    wait_for_car(page)
    page.get_by_role('button', name='Pause').click()
    wait_for(page, lambda: sent(served.feed, 'pause'))

    def blue():
        """Return how many pixels the line of the car has."""
        return page.locator('#plot-speed canvas').evaluate("""(canvas) => {
          const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
          let count = 0;
          for (let i = 0; i < data.length; i += 4) {
            if (data[i + 2] > data[i] + 80 && data[i + 3] > 100) { count++; }
          }
          return count;
        }""")

    # Of a time first what is shown in the scene, then what was before it.
    served.call(give_rows, served.feed, 40.0, 1)
    wait_for(page, lambda: page.evaluate('window.racecarCockpit.time') == 40.0)
    wait_for(page, lambda: blue() < 50, what='an empty plot')
    served.call(give_rows, served.feed, 40.0, 400)
    wait_for(page, lambda: blue() > 200, what='a line')


@pytest.fixture
def page_of_modules(serve, open_page):
    return open_page(serve(starts=False).address)


def times(page):
    """Return the first and the last time that each plot shows [s]."""
    return page.evaluate("""() => [...document.querySelectorAll('.plot:not([hidden])')].map(
      (figure) => window.shownTimes(figure))""")


@pytest.fixture
def paused(serve, open_page):
    """Return a page in a pause whose plots show a speed of t / 20 m/s from 20 s to 40 s."""
    served = serve(mode='replay')
    page = open_page(served.address, viewport={'width': 2400, 'height': 768}, script="""
      // The numbers of the axis come from uPlot itself, through what it writes.
      const write = CanvasRenderingContext2D.prototype.fillText;
      window.written = new Map();
      CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
        const {canvas} = this;
        if (!window.written.has(canvas)) { window.written.set(canvas, []); }
        if (/ s$/.test(text)) { window.written.get(canvas).push([parseFloat(text), x]); }
        return write.call(this, text, x, y);
      };
      const clear = CanvasRenderingContext2D.prototype.clearRect;
      CanvasRenderingContext2D.prototype.clearRect = function (...box) {
        window.written.set(this.canvas, []);
        return clear.apply(this, box);
      };
      window.shownTimes = (figure) => {
        const labels = window.written.get(figure.querySelector('canvas')) || [];
        if (labels.length < 2) { return null; }
        const [[t0, x0], [t1, x1]] = [labels[0], labels.at(-1)];
        const over = figure.querySelector('.u-over'), slope = (t1 - t0) / (x1 - x0);
        return [0, over.clientWidth].map((x) => t0 + (over.offsetLeft + x - x0) * slope);
      };""")
    wait_for_car(page)
    page.get_by_role('button', name='Pause').click()
    wait_for(page, lambda: sent(served.feed, 'pause'))
    served.call(give_rows, served.feed, 40.0, 801)
    wait_for(page, lambda: shows(page, 20.0, 40.0), what='the last 20 s')
    page.served = served
    return page


def shows(page, first, last):
    """Tell whether all plots show these times, but for a pixel and the digits of labels."""
    found = times(page)
    return len(found) == 3 and all(
        ends and abs(ends[0] - first) < 0.15 and abs(ends[1] - last) < 0.15 for ends in found)


def drag(page, plot, begin, end):
    """Drag with the mouse from one share of the width of a plot to another."""
    box = page.locator(f'#plot-{plot} .u-over').bounding_box()
    y = box['y'] + 0.5 * box['height']
    page.mouse.move(box['x'] + begin * box['width'], y)
    page.mouse.down()
    page.mouse.move(box['x'] + 0.5 * (begin + end) * box['width'], y)
    page.mouse.move(box['x'] + end * box['width'], y)
    page.mouse.up()


def test_drag_in_one_plot_zooms_all_and_a_double_click_or_the_button_ends_it(paused):
    drag(paused, 'speed', 0.25, 0.5)
    wait_for(paused, lambda: shows(paused, 25.0, 30.0), what='the time that was dragged over')
    expect(paused.get_by_label('Last')).to_be_hidden()
    paused.locator('#plot-error .u-over').dblclick()
    wait_for(paused, lambda: shows(paused, 20.0, 40.0), what='the last 20 s')
    drag(paused, 'error', 0.5, 1.0)
    wait_for(paused, lambda: shows(paused, 30.0, 40.0), what='the time that was dragged over')
    paused.get_by_role('button', name='Reset zoom').click()
    wait_for(paused, lambda: shows(paused, 20.0, 40.0), what='the last 20 s')
    expect(paused.get_by_role('button', name='Reset zoom')).to_be_hidden()
    expect(paused.get_by_label('Last')).to_be_visible()
    assert paused.faults == []


def test_drag_with_shift_moves_the_time_but_not_beyond_the_samples(paused):
    drag(paused, 'speed', 0.25, 0.5)
    wait_for(paused, lambda: shows(paused, 25.0, 30.0), what='the time that was dragged over')
    paused.keyboard.down('Shift')
    drag(paused, 'steering', 0.8, 0.4)
    wait_for(paused, lambda: shows(paused, 27.0, 32.0), what='2 s later')
    for _ in range(4):
        drag(paused, 'steering', 0.9, 0.1)
    wait_for(paused, lambda: shows(paused, 35.0, 40.0), what='the last samples')
    paused.keyboard.up('Shift')


def test_zoomed_plots_stay_while_samples_arrive_and_follow_again_after_a_jump(paused):
    served = paused.served
    drag(paused, 'speed', 0.25, 0.5)
    wait_for(paused, lambda: shows(paused, 25.0, 30.0), what='the time that was dragged over')
    value = paused.locator('#plot-speed .key.measured .value')
    paused.mouse.move(5, 5)
    expect(value).to_have_text('1.00')
    served.call(give_rows, served.feed, 42.0, 40)
    # The value of now, which is that of the new samples.
    wait_for(paused, lambda: paused.evaluate('window.racecarCockpit.time') == 42.0)
    served.call(give_rows, served.feed, 42.5, 1)
    expect(value).to_have_text('0.00')
    assert shows(paused, 25.0, 30.0)
    served.call(give_rows, served.feed, 10.0, 100)
    expect(paused.get_by_role('button', name='Reset zoom')).to_be_hidden()
    wait_for(paused, lambda: shows(paused, 5.0, 10.0), what='the time jumped to')


def test_pointer_shows_the_values_at_its_time_in_all_plots(paused):
    box = paused.locator('#plot-error .u-over').bounding_box()
    paused.mouse.move(box['x'] + 0.25 * box['width'], box['y'] + 10)
    value = paused.locator('#plot-speed .key.measured .value')
    wait_for(paused, lambda: abs(float(value.text_content()) - 0.25) < 0.02, what='a quarter')
    line = paused.locator('#plot-speed .u-cursor-x').bounding_box()
    over = paused.locator('#plot-speed .u-over').bounding_box()
    assert line['x'] - over['x'] == pytest.approx(0.25 * over['width'], abs=2.0)
    paused.mouse.move(5, 5)
    expect(value).to_have_text('1.00')
    # Also while a time to zoom in on is chosen, when the lines hold still.
    paused.mouse.move(box['x'] + 0.75 * box['width'], box['y'] + 10)
    paused.mouse.down()
    paused.mouse.move(box['x'] + 0.5 * box['width'], box['y'] + 10)
    wait_for(paused, lambda: abs(float(value.text_content()) - 0.5) < 0.02, what='a half')
    paused.served.call(give_rows, paused.served.feed, 42.0, 40)
    wait_for(paused, lambda: paused.evaluate('window.racecarCockpit.time') == 42.0)
    paused.mouse.move(box['x'] + 0.25 * box['width'], box['y'] + 10)
    wait_for(paused, lambda: abs(float(value.text_content()) - 0.25) < 0.02, what='a quarter')
    assert shows(paused, 20.0, 40.0)
    paused.mouse.up()
    wait_for(paused, lambda: shows(paused, 25.0, 35.0), what='the time that was dragged over')


def test_lines_of_plots_are_drawn_by_the_processor(serve, open_page):
    page = open_page(serve().address)
    wait_for_car(page)
    assert page.evaluate("""() => [...document.querySelectorAll('.plot canvas')].map(
      (canvas) => canvas.getContext('2d').getContextAttributes().willReadFrequently)
    """) == [True] * 6


def coloured(page, plot):
    """Return how many pixels of a plot are drawn in a saturated colour."""
    return page.locator(f'#plot-{plot} canvas').evaluate("""(canvas) => {
      const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      let count = 0;
      for (let i = 0; i < data.length; i += 4) {
        if (Math.abs(data[i + 2] - data[i]) > 60 && data[i + 3] > 100) { count++; }
      }
      return count;
    }""")


def test_any_quantity_and_a_plan_can_be_plotted_and_are_remembered(serve, open_page):
    served = serve()
    page = open_page(served.address, viewport={'width': 1366, 'height': 768})
    wait_for_car(page)
    served.call(served.feed.advance, 2000)
    page.get_by_role('button', name='Plots', exact=True).click()
    dialog = page.get_by_role('dialog')
    for name in ('Path (plan view)', 'Yaw rate', 'qw'):
        dialog.get_by_label(name).check()
    # More have no room.
    expect(dialog.get_by_label('Left front wheel joint')).to_be_disabled()
    dialog.get_by_label('qw').uncheck()
    dialog.get_by_label('Speed').uncheck()
    page.keyboard.press('Escape')
    expect(page.locator('.plot:visible')).to_have_count(4)
    expect(page.locator('#plot-speed')).to_be_hidden()
    wait_for(page, lambda: coloured(page, 'plan') > 200, what='a path')
    wait_for(page, lambda: coloured(page, 'yaw_rate') > 200, what='a line')
    expect(page.locator('#plot-yaw_rate')).to_contain_text('rad/s')
    page.reload()
    expect(page.locator('#plot-yaw_rate')).to_be_visible()
    expect(page.locator('#plot-speed')).to_be_hidden()
    assert page.faults == []


def test_plan_has_one_scale_in_both_directions(page_of_modules):
    places = page_of_modules.evaluate("""async () => {
      const {Plan} = await import('/static/plan.js');
      const box = document.createElement('div');
      Object.assign(box.style, {width: '400px', height: '150px'});
      document.body.append(box);
      let plan = null;
      await new Promise((resolve) => {
        plan = new Plan(box, {stepOf: (span) => span, digitsOf: () => 0, number: String,
          colours: {}, redraw: resolve});
      });
      const place = plan.axes(plan.context, [[-10, 0], [10, 4]]);
      return [[-10, 0], [10, 0], [0, 0], [0, 4]].map(place);
    }""")
    (left, _), (right, _), (_, bottom), (_, top) = places
    assert (right - left) / 20.0 == pytest.approx((bottom - top) / 4.0)
    assert 0.0 <= left < right <= 400.0
    assert 0.0 <= top < bottom <= 150.0


def test_plot_is_saved_as_table_and_as_picture(paused):
    paused.get_by_label('Save Speed').click()
    with paused.expect_download() as download:
        paused.get_by_role('button', name='CSV').click()
    assert download.value.suggested_filename == 'speed-40.0s.csv'
    head, *rows = download.value.path().read_text().splitlines()
    assert head == 'time [s],speed [m/s],command_speed [m/s],reference_speed [m/s]'
    numbers = np.array([[float(text) for text in row.split(',')] for row in rows])
    assert len(numbers) == 801
    np.testing.assert_allclose(numbers[:, 1], (numbers[:, 0] - 20.0) / 20.0, atol=1e-5)
    paused.get_by_label('Save Speed').click()
    with paused.expect_download() as download:
        paused.get_by_role('button', name='PNG').click()
    picture = np.asarray(Image.open(download.value.path()).convert('RGB'), int)
    assert ((picture[..., 2] > picture[..., 0] + 80).sum()) > 200
    # With its own ground, whatever shows it.
    assert (picture == 255).all(-1).mean() > 0.5


def give_rows(feed, end, count):
    names = list(feed.columns)
    rows = np.zeros((count, len(names)))
    rows[:, names.index('speed')] = np.linspace(0.0, 1.0, count)
    step = 0.05 if count < 800 else 0.025
    feed.outlet.publish(state_frame(0, end - step * np.arange(count)[::-1], rows))


def test_lamps_shine_in_the_scene_while_they_are_lit(serve, open_page):
    served = serve(driver=True)
    # So large that nothing lies over the car.
    page = open_page(served.address, scene=True, viewport={'width': 1100, 'height': 900})
    wait_for_car(page)
    served.call(setattr, served.feed, '_paused', True)
    page.mouse.move(0, 0)

    def amber():
        red, green, blue = np.moveaxis(scene_picture(page)[60:], -1, 0)
        return int(((red > 180) & (green > 90) & (green < red - 30) & (blue < 110)).sum())

    dark = amber()
    served.call(served.feed.say, 'lamps', lamps={'left_indicator': True, 'right_indicator': True})
    wait_for(page, lambda: amber() > dark + 20, what='light of the indicators')


def test_camera_is_asked_for_only_while_it_is_shown(serve, open_page):
    page = open_page(serve().address)
    wait_for_car(page)
    counts = page.evaluate('window.racecarCockpit.counts')
    assert 'picture' not in counts
    page.get_by_role('button', name='Camera').click()
    wait_for(page, lambda: page.evaluate(
        "document.getElementById('picture').naturalWidth") == 64)


def test_every_control_has_a_name_and_the_keyboard_reaches_them(serve, open_page):
    page = open_page(serve(driver=True).address)
    wait_for_car(page)
    nameless = page.evaluate("""() => [...document.querySelectorAll(
        'button, input, select, [role=tab], [role=img], canvas, img')].filter((one) => {
      const label = one.getAttribute('aria-label') || one.textContent.trim() || one.title
        || one.alt || [...(one.labels || [])].map((label) => label.textContent.trim()).join('');
      return !label;
    }).map((one) => one.outerHTML)""")
    assert nameless == []
    page.keyboard.press('Tab')
    expect(page.get_by_role('link', name='Skip')).to_be_focused()
    reached = []
    for _ in range(14):
        page.keyboard.press('Tab')
        reached.append(page.evaluate('document.activeElement.id || document.activeElement.dataset.'
                                     'view || document.activeElement.dataset.layer'))
        assert page.evaluate(
            'getComputedStyle(document.activeElement).outlineStyle') != 'none', reached
    assert {'stop', 'pause', 'theme', 'scene', 'top'} <= set(reached)
    page.get_by_role('tab', name='Run').focus()
    page.keyboard.press('ArrowRight')
    expect(page.get_by_role('tab', name='Drive')).to_have_attribute('aria-selected', 'true')
    page.keyboard.press('?')
    expect(page.get_by_role('dialog')).to_be_visible()
    page.keyboard.press('Escape')
    expect(page.get_by_role('dialog')).to_be_hidden()


def _luminance(text):
    shares = np.array([int(text[i:i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


def test_texts_and_lines_stand_out_as_wcag_asks(serve, open_page):
    page = open_page(serve(starts=False).address)
    for scheme in ('light', 'dark'):
        page.emulate_media(color_scheme=scheme)
        check_contrasts(page, scheme)


def check_contrasts(page, scheme):
    colours = page.evaluate("""() => Object.fromEntries(['surface', 'raised', 'page', 'ink',
      'soft', 'accent', 'on-accent', 'bad', 'bad-soft', 'measured', 'command', 'reference',
      'laser', 'floor', 'accent-soft'].map((name) => [name, getComputedStyle(
        document.documentElement).getPropertyValue('--' + name).trim()]))""")
    assert (_luminance(colours['surface']) < 0.1) == (scheme == 'dark')

    def contrast(one, other):
        low, high = sorted(_luminance(colours[name]) for name in (one, other))
        return (high + 0.05) / (low + 0.05)

    texts = [('ink', 'surface'), ('ink', 'raised'), ('soft', 'surface'), ('soft', 'raised'),
             ('soft', 'page'), ('on-accent', 'accent'), ('bad', 'bad-soft'), ('bad', 'surface'),
             ('ink', 'accent-soft')]
    assert {pair: contrast(*pair) for pair in texts if contrast(*pair) < 4.5} == {}
    lines = [(name, 'surface') for name in ('measured', 'command', 'reference')]
    lines += [(name, 'floor') for name in ('measured', 'laser', 'reference')]
    assert {pair: contrast(*pair) for pair in lines if contrast(*pair) < 3.0} == {}


def test_other_origins_get_no_connection(serve, open_page):
    served, other = serve(), serve(starts=False)
    page = open_page(other.address)
    answer = page.evaluate("""(port) => new Promise((resolve) => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`);
      socket.onopen = () => resolve('opened');
      socket.onerror = () => resolve('refused');
    })""", served.port)
    assert answer == 'refused'


@pytest.mark.parametrize('size', [(390, 780), (780, 390), (320, 568)])
def test_no_button_over_the_scene_is_covered_or_off_the_screen_on_a_phone(
        serve, open_page, size):
    page = open_page(serve().address, viewport={'width': size[0], 'height': size[1]},
                     has_touch=True, is_mobile=True)
    wait_for_car(page)
    # As with laser, map and camera, whose picture is shown; Teleoperation is the longest name.
    page.evaluate("""() => {
      for (const one of document.querySelectorAll('.layers button')) { one.hidden = false; }
      for (const id of ['camera', 'drives']) { document.getElementById(id).hidden = false; }
      document.getElementById('who').textContent = 'Teleoperation';
    }""")
    covered = page.evaluate("""() => [...document.querySelectorAll('.overlay button')].filter(
      (button) => {
        const {left, right, top, bottom} = button.getBoundingClientRect();
        return [left + 2, (left + right) / 2, right - 2].some(
          (x) => !button.contains(document.elementFromPoint(x, (top + bottom) / 2)));
      }).map((button) => button.textContent)""")
    assert covered == []


def test_all_runs_to_begin_with_are_in_sight_on_a_phone(serve, open_page):
    page = open_page(serve(starts=False).address, viewport={'width': 390, 'height': 780},
                     has_touch=True, is_mobile=True)
    runs = page.locator('#hint .runs')
    expect(runs.get_by_role('button')).to_have_count(1)
    # The example has one of the four.
    page.evaluate("""() => {
      const runs = document.querySelector('#hint .runs');
      for (let count = 1; count < 4; count++) {
        runs.append(runs.firstElementChild.cloneNode(true));
      }
    }""")
    assert page.evaluate("""() => {
      const hint = document.getElementById('hint');
      return hint.scrollHeight - hint.clientHeight;
    }""") <= 0


def test_the_longest_choice_of_a_parameter_is_shown_whole(serve, open_page):
    page = open_page(serve().address)
    page.get_by_role('tab', name='Tune').click()
    page.get_by_label('show read-only').check()
    choices = page.get_by_label('tracked_point')
    expect(choices).to_be_visible()
    cut = choices.evaluate("""(list) => {
      list.options[0].text = 'fiala unsaturated and more';
      const needed = list.cloneNode(true);
      needed.style.width = 'max-content';
      document.body.append(needed);
      return needed.getBoundingClientRect().width - list.getBoundingClientRect().width;
    }""")
    assert cut <= 1.0


@pytest.mark.parametrize(('width', 'driver'), [
    (1000, True), (1366, False), (1366, True), (1440, False)])
def test_titles_of_plots_are_shown_whole_beside_the_choice_of_the_time(
        serve, open_page, width, driver):
    page = open_page(serve(driver=driver).address, viewport={'width': width, 'height': 800})
    wait_for_car(page)
    cut = page.evaluate("""() => {
      const head = document.querySelector('.plots-head').getBoundingClientRect();
      return [...document.querySelectorAll('.plot:not([hidden]) .title > *')].filter((part) => {
        const {left, right, top, bottom} = part.getBoundingClientRect();
        return part.scrollWidth > part.clientWidth + 1 && part.tagName !== 'DETAILS'
          || right > head.left && left < head.right && top < head.bottom && bottom > head.top;
      }).map((part) => part.textContent);
    }""")
    assert cut == []


def test_measured_factor_and_muxes_are_shown_only_while_something_runs(serve, open_page):
    served = serve()
    page = open_page(served.address, viewport={'width': 1366, 'height': 768})
    wait_for_car(page)
    page.get_by_role('tab', name='Drive').click()
    expect(page.locator('#measured-factor')).to_have_text('1.00×')
    expect(page.get_by_role('heading', name='Command sources')).to_be_visible()
    page.get_by_role('button', name='Stop').click()
    expect(page.get_by_test_id('state')).to_have_text('ended')
    served.call(served.feed.say, 'clock', time=3.0, factor=0.08, wanted_factor=1.0, paused=False)
    served.call(served.feed.say, 'muxes', muxes=[])
    expect(page.get_by_role('heading', name='Command sources')).to_be_hidden()
    expect(page.locator('#measured-factor')).to_have_text('')
