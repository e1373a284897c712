# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Drive a Khepera about a table without running into anything: a controller as for Webots.

Only the import differs: there it reads `from controller import DifferentialWheels`.
"""

from racecar.differential.khepera import DifferentialWheels

TIME_STEP = 64      # ms
SPEED = 30.0        # units of speed
# How much each of the sensors ds0 to ds5, from left to right, slows the right wheel down; the left
# one is slowed by the same numbers in reverse.
WEIGHTS = [-0.3, -0.5, -0.6, 1.2, 1.0, 0.6]

robot = DifferentialWheels()
sensors = [robot.getDistanceSensor(f'ds{i}') for i in range(6)]
for sensor in sensors:
    sensor.enable(TIME_STEP)
robot.enableEncoders(TIME_STEP)

escape = 0
bumps = 0
before = (0.0, 0.0)
while robot.step(TIME_STEP) != -1 and robot.getTime() < 60.0:
    near = [sensor.getValue() / 1023.0 for sensor in sensors]
    left = SPEED * (1.0 - 2.0 * sum(w * n for w, n in zip(WEIGHTS, near, strict=True)))
    right = SPEED * (1.0 - 2.0 * sum(w * n for w, n in zip(WEIGHTS[::-1], near, strict=True)))
    # Encoders that stand tell of an obstacle that the sensors have missed.
    now = (robot.getLeftEncoder(), robot.getRightEncoder())
    if escape == 0 and robot.getTime() > 1.0 and now == before:
        escape = 10
        bumps += 1
    before = now
    if escape > 0:
        escape -= 1
        left, right = -0.7 * SPEED, -0.3 * SPEED
    robot.setSpeed(max(-SPEED, min(SPEED, left)), max(-SPEED, min(SPEED, right)))
    if round(robot.getTime() * 1000) % 6400 == 0:
        print(f'{robot.getTime():5.1f} s  encoders {now[0]:8.0f} {now[1]:8.0f}'
              f'  nearest {max(near):.2f}  bumps {bumps}')
