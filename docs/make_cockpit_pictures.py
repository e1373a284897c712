#!/usr/bin/env python3
# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Make the pictures of docs/cockpit.md with a browser that nobody sees.

    ./run python docs/make_cockpit_pictures.py              # all
    ./run python docs/make_cockpit_pictures.py film

It starts the cockpit, does on its page what a person would do, and takes pictures. It needs
Playwright, which `./run` installs, and Chromium.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
import contextlib
import io
import itertools
import json
from pathlib import Path
import shutil
import signal
import subprocess
import sys
import time
from typing import Any, Literal

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright, ViewportSize

Scheme = Literal['light', 'dark']

PICTURES = Path(__file__).resolve().parent / 'pictures'
BROWSERS = ('chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome')
ARGUMENTS = ['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
             '--no-sandbox']
COMMAND = 'import sys; from racecar.executables import command; sys.exit(command())'
LAPTOP = {'viewport': {'width': 1366, 'height': 768}}
PHONE = {'viewport': {'width': 390, 'height': 780}, 'device_scale_factor': 1.5, 'has_touch': True,
         'is_mobile': True}
TRACK = {'world': 'racetrack', 'waypoints': 'racetrack'}

_PATIENCE = 180.0  # [s]
_PHONES_SIZE = (1200, 790)
_FILM_VIEW: ViewportSize = {'width': 1200, 'height': 675}
_FILM_START = 57.0  # [s]
_CARS_SHOWN_AT = 12.0  # [s]
_FILM_FRAMES = 90
_FILM_PLOTS = {'speed': False}
_FILM_PERIOD = 100  # [ms]
_FILM_SLOWDOWN = 12.0  # [s], for the change of pace before it
_FILM_QUALITY = 60


@contextlib.contextmanager
def cockpit() -> Iterator[str]:
    """Run `racecar cockpit` and give its address."""
    with subprocess.Popen([sys.executable, '-c', COMMAND, 'cockpit'], text=True,
                          stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().split()[1]
        finally:
            process.send_signal(signal.SIGINT)


def wait(page: Page, condition: str, patience: float = _PATIENCE) -> None:
    """Wait until a JavaScript expression is true; the page's policy forbids Playwright's own.

    patience: for how long [s]; exits with a message after that.
    """
    end = time.monotonic() + patience
    while not page.evaluate(condition):
        if time.monotonic() > end:
            sys.exit(f'{condition} did not become true within {patience:.0f} s')
        page.wait_for_timeout(50)


def start(page: Page, configuration: str, sensors: tuple[str, ...] = (), **options: str) -> None:
    """Start a configuration with options, as a person does."""
    page.get_by_role('tab', name='Run').click()
    if page.locator('#stop').is_visible():
        page.locator('#stop').click()
        wait(page, "document.body.dataset.state === 'ended'")
    page.locator('#configuration').select_option(configuration)
    for name, value in options.items():
        page.locator(f'#option-{name}').select_option(value)
    for sensor in sensors:
        page.locator(f'label.chip:has(input[value={sensor}])').click()
    page.locator('#start').click()
    wait(page, "document.body.dataset.state === 'starting'")
    wait(page, "document.body.dataset.state === 'running' && racecarCockpit.samples > 20")


def save(page: Page, name: str) -> None:
    """Write a picture of the page."""
    with Image.open(io.BytesIO(page.screenshot())) as picture:
        write(picture.convert('RGB'), name)


def write(picture: Image.Image, name: str) -> None:
    """Write a PNG and say where."""
    path = PICTURES / name
    picture.save(path, optimize=True)
    print(f'Picture: {path}, {path.stat().st_size / 1000:.0f} kB')


def new_page(browser: Browser, address: str, scheme: Scheme, settings: dict[str, Any]) -> Page:
    """Open the page in light or dark."""
    page = browser.new_context(color_scheme=scheme, **settings).new_page()
    # With shadows and all pixels, though no graphics card draws.
    page.add_init_script("localStorage.setItem('racecar-cockpit-scene', 'full')")
    page.goto(address)
    wait(page, "document.body.dataset.state !== 'connecting'")
    return page


def tracking(browser: Browser, address: str) -> None:
    """Show a car that follows a track, with laser, on a laptop in light."""
    page = new_page(browser, address, 'light', LAPTOP)
    start(page, 'kinematic_ode', ('laser',), **TRACK)
    page.get_by_role('tab', name='Tune').click()
    page.wait_for_timeout(14_000)
    save(page, 'cockpit_tracking.png')
    page.get_by_role('button', name='Top', exact=True).click()
    page.locator('#scene').hover()
    for _ in range(6):
        page.keyboard.press('-')
    page.wait_for_timeout(1500)
    # A machine that is busy for a moment makes nodes complain.
    wait(page, "document.querySelector('#banner').hidden")
    save(page, 'cockpit_top.png')
    page.context.close()


def driver(browser: Browser, address: str) -> None:
    """Show a car with its gears and lamps on a laptop in dark."""
    page = new_page(browser, address, 'dark', LAPTOP)
    start(page, 'driver', vehicle='bmw_x5')
    page.get_by_role('tab', name='Drive').click()
    page.get_by_role('button', name='dipped beams').click()
    page.get_by_role('button', name='Gear 1').click()
    page.get_by_role('button', name='Hazard').click()
    page.keyboard.down('w')
    page.wait_for_timeout(4000)
    page.keyboard.down('a')
    wait(page, "document.querySelector('[data-indicator=left]').classList.contains('lit')")
    page.wait_for_timeout(150)
    save(page, 'cockpit_driver.png')
    page.keyboard.up('w')
    page.keyboard.up('a')
    page.context.close()


def cars(browser: Browser, address: str) -> None:
    """Show five cars on the race track, and follow the second."""
    page = new_page(browser, address, 'light', LAPTOP)
    page.get_by_role('tab', name='Run').click()
    page.locator('#configuration').select_option('gap_ode')
    page.locator('#option-cars').fill('5')
    start(page, 'gap_ode', world='racetrack')
    page.keyboard.press('n')
    page.get_by_role('tab', name='Run').click()
    wait(page, f'racecarCockpit.time > {_CARS_SHOWN_AT}')
    save(page, 'cockpit_cars.png')
    page.context.close()


def phones(browser: Browser, address: str) -> None:
    """Show three panels on a phone, side by side."""
    page = new_page(browser, address, 'light', PHONE)
    start(page, 'kinematic_ode', (), **TRACK)
    page.wait_for_timeout(9000)
    shots = []
    views: tuple[tuple[str, Scheme], ...] = (
        ('Drive', 'light'), ('Plots', 'dark'), ('Tune', 'light'))
    for tab, scheme in views:
        page.emulate_media(color_scheme=scheme)
        page.get_by_role('tab', name=tab).click()
        page.wait_for_timeout(1500)
        shots.append(Image.open(io.BytesIO(page.screenshot())).convert('RGB'))
    gap = 24
    width, height = shots[0].size
    together = Image.new('RGB', (3 * width + 4 * gap, height + 2 * gap), '#9aa3ad')
    for index, shot in enumerate(shots):
        together.paste(shot, (gap + index * (width + gap), gap))
    write(together.resize(_PHONES_SIZE, Image.Resampling.LANCZOS), 'cockpit_phone.png')
    page.context.close()


def film(browser: Browser, address: str) -> None:
    """Film, in slow motion, how a car goes over the line on its race track and on."""
    page = new_page(browser, address, 'light', {'viewport': _FILM_VIEW})
    page.evaluate('([key, value]) => localStorage.setItem(key, value)',
                  ['racecar-cockpit-plots', json.dumps(_FILM_PLOTS)])
    page.reload()
    start(page, 'kinematic_ode', ('laser',), **TRACK)
    page.get_by_role('tab', name='Tune').click()
    # Pictures wait for the page, and would come late at this pace.
    page.locator('#factor').select_option('10')
    wait(page, f'racecarCockpit.time > {_FILM_START - _FILM_SLOWDOWN}', patience=600.0)
    page.locator('#factor').select_option('1')
    wait(page, f'racecarCockpit.time > {_FILM_START}')
    page.locator('#factor').select_option('0.1')
    # The film is shown at the pace of the car, not at this one.
    page.evaluate("""() => {
      for (const part of document.querySelectorAll('.factor, #measured-factor')) {
        part.style.display = 'none';
      }
    }""")
    shots: list[Image.Image] = []
    times: list[float] = []
    due = page.evaluate('racecarCockpit.time')
    while len(shots) < _FILM_FRAMES:
        wait(page, f'racecarCockpit.time >= {due}')
        times.append(page.evaluate('racecarCockpit.time'))
        due = times[-1] + _FILM_PERIOD / 1000.0
        with Image.open(io.BytesIO(page.screenshot())) as shot:
            shots.append(shot.convert('RGB'))
    page.context.close()
    path = PICTURES / 'cockpit.webp'
    # A slow computer takes longer for some pictures; the car goes at its pace nevertheless.
    durations = [round(1000.0 * (after - time)) for time, after in itertools.pairwise(times)]
    shots[0].save(path, save_all=True, append_images=shots[1:],
                  duration=[*durations, _FILM_PERIOD], loop=0,
                  quality=_FILM_QUALITY, method=6)
    print(f'Film: {path}, {path.stat().st_size / 1000:.0f} kB')


PARTS: dict[str, Callable[[Browser, str], None]] = {
    'tracking': tracking, 'driver': driver, 'cars': cars, 'phones': phones, 'film': film}


def main(wanted: list[str]) -> None:
    """Make the pictures of these names; of all if there are none."""
    unknown = [name for name in wanted if name not in PARTS]
    if unknown:
        sys.exit(f"{unknown[0]!r} is no picture, expected one of {', '.join(PARTS)}")
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        sys.exit(f"needs a browser, one of {', '.join(BROWSERS)}: apt-get install chromium")
    with sync_playwright() as playwright, cockpit() as address:
        browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        for name in wanted or PARTS:
            PARTS[name](browser, address)
        browser.close()


if __name__ == '__main__':
    main(sys.argv[1:])
