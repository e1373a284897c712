# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Change to the right lane and back at 50 km/h, indicating: a controller as written for Webots.

Only the import differs: there it reads `from vehicle import Driver`.
"""

import math

from racecar.driver import Driver

SPEED = 50.0        # km/h
SWING = 0.064       # rad, to the right first
DURATION = 3.0      # s, of one lane change
STARTS = {10.0: +1, 18.0: -1}   # s: side

driver = Driver()
driver.setCruisingSpeed(SPEED)
driver.setDippedBeams(True)

steps = 0
while driver.step() != -1:
    time = driver.getTime()
    angle = 0.0
    for start, side in STARTS.items():
        if start - 2.0 <= time < start:
            driver.setIndicator(
                Driver.INDICATOR_RIGHT if side > 0 else Driver.INDICATOR_LEFT)
        elif start <= time < start + DURATION:
            angle = side * SWING * math.sin(2.0 * math.pi * (time - start) / DURATION)
        elif start + DURATION <= time < start + DURATION + 0.1:
            driver.setIndicator(Driver.INDICATOR_OFF)
    driver.setSteeringAngle(angle)
    steps += 1
    if steps % 100 == 0:
        lamps = {Driver.INDICATOR_OFF: '', Driver.INDICATOR_RIGHT: 'indicating right',
                 Driver.INDICATOR_LEFT: 'indicating left'}[driver.getIndicator()]
        print(f'{time:5.1f} s  {driver.getCurrentSpeed():5.1f} km/h  {lamps}')
    if time >= 24.0:
        break
