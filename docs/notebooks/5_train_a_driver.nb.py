# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# # Train a driver
#
# A small network learns to race in half a minute, on one core and without a library for
# learning: an evolution strategy changes its weights at random and keeps what drives further.
# `pip install 'racecar-stack[gym]'` brings what is needed.

# %%
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import racecar
from racecar.gym import load_policy, multilayer, save_policy

WORLDS, HIDDEN = 128, 16
# Tyres that let go, a motor that needs its time, and steps that are long enough to be quick.
CAR: dict[str, Any] = {
    'vehicle': 'f1tenth', 'fastest': 6.0, 'tyre_model': 'fiala', 'actuators.speed_lag': 0.2,
    'step': 0.005, 'low_speed_threshold': 0.5}

env = racecar.make_env(
    'racetrack', worlds=WORLDS, time_limit=20.0, reward={'progress': 1.0, 'contact': -5.0},
    copy=False, **CAR)
env.single_observation_space.shape, env.single_action_space.shape

# %% [markdown]
# ## What it sees
#
# Each of the 128 worlds has one car. It sees its speeds, its last command, where it is on the
# track, and ten points of the centre line ahead. It commands speed and steering angle 20 times a
# second, both scaled to -1 to 1.

# %%
for channel in env.contract.observation[:9]:
    print(f'{channel.name:20} [{channel.unit}] is 1 at {channel.scale:g}')

# %% [markdown]
# ## A network for each world
#
# All worlds are driven at once, each by a network of its own: the weights have the worlds as
# their first axis.

# %%
SHAPES = (env.single_observation_space.shape[0], HIDDEN), (HIDDEN,), (HIDDEN, 2), (2,)
SIZES = [int(np.prod(shape)) for shape in SHAPES]


def weights_of(rows):
    """Arrays of the layers, (worlds, ...), of rows of numbers, (worlds, numbers)."""
    parts = np.split(rows, np.cumsum(SIZES)[:-1], axis=-1)
    return [part.reshape(*rows.shape[:-1], *shape)
            for part, shape in zip(parts, SHAPES, strict=True)]


def drive(rows, seeds, steps=400):
    """Sum of the rewards of each world up to its first contact."""
    first, bias_1, second, bias_2 = weights_of(rows)
    seen, _ = env.reset(seed=seeds)
    total, drives = np.zeros(WORLDS), np.ones(WORLDS, dtype=bool)
    for _ in range(steps):
        hidden = np.tanh(np.matmul(seen[:, None], first)[:, 0] + bias_1)
        action = np.tanh(np.matmul(hidden[:, None], second)[:, 0] + bias_2)
        seen, reward, ended, _, _ = env.step(action)
        total += reward * drives
        drives &= ~ended
        if not drives.any():
            break
    return total


# %% [markdown]
# ## Evolution
#
# Half of the worlds get random changes, the other half their opposites. The mean moves towards
# what drove further, by rank, with a momentum and a step as in Adam.

# %%
random = np.random.default_rng(0)
mean, speed, square = (np.zeros(sum(SIZES)) for _ in range(3))
SPREAD, RATE, GENERATIONS = 0.15, 0.06, 40
driven = []
for generation in range(GENERATIONS):
    change = random.normal(size=(WORLDS // 2, len(mean)))
    change = np.concatenate([change, -change])
    # All start at the same place, so that they can be compared.
    total = drive(mean + SPREAD * change, [1000 + generation] * WORLDS)
    driven.append((total.mean(), total.max()))
    rank = np.argsort(np.argsort(total)) / (WORLDS - 1) - 0.5
    slope = rank @ change / (WORLDS * SPREAD)
    speed, square = 0.9 * speed + 0.1 * slope, 0.99 * square + 0.01 * slope**2
    step = speed / (1 - 0.9 ** (generation + 1)) / (
        np.sqrt(square / (1 - 0.99 ** (generation + 1))) + 1e-8)
    mean += RATE * (1 - 0.7 * generation / GENERATIONS) * step

plt.figure(figsize=(7, 3.5))
plt.plot(driven, label=['mean of 128', 'best'])
plt.xlabel('generation')
plt.ylabel('way in 20 s [m]')
plt.legend()
plt.grid(alpha=0.3)

# %% [markdown]
# ## Where does it crash?
#
# 128 starts that it has not seen: anywhere on the track, turned and off the line.

# %%
total = drive(np.tile(mean, (WORLDS, 1)), 0)
print(f'{total.mean():.1f} m in 20 s, at least {total.min():.1f} m')

# %% [markdown]
# ## Its laps
#
# The policy becomes a file: an ONNX model that says what its numbers mean. `racecar simulate
# kinematic_ode --policy driver.onnx` drives by it, so do `sweep`, `up` and the nodes over ROS,
# with the same commands.

# %%
first, bias_1, second, bias_2 = weights_of(mean)
save_policy('driver.onnx', env, multilayer([(first, bias_1), (second, bias_2)], last='tanh'))
policy = load_policy('driver.onnx')

one = racecar.make_env(
    'racetrack', time_limit=50.0, start='grid', start_offset=0.0, **CAR)
seen, info = one.reset(seed=0)
way, over = [], False
while not over:
    seen, _, ended, truncated, info = one.step(policy.network.answer(seen))
    reading = one.racing.batch.readings
    way.append([float(reading[name][0, 0]) for name in ('x', 'y', 'vx')])
    over = ended or truncated
print(f"{info['laps']:.0f} laps, the last in {info['last_lap']:.2f} s")

# %%
x, y, v = np.array(way).T
plt.figure(figsize=(7, 5.5))
plt.plot(*one.options.tracks[0].course.points.T, ':', color='0.6', label='centre line')
plt.scatter(x, y, c=v, s=8)
plt.colorbar(label='speed [m/s]')
plt.axis('equal')
plt.legend()

# %% [markdown]
# ## Go on
#
# - Let the car see by its laser: `observation=('scan', 'velocity', 'command')`.
# - Let every car be another one: `randomise={'vehicle.mass': (3.0, 5.0),
#   'vehicle.friction_coefficient': (0.6, 1.1)}`. Does it get slower?
# - Let it race: `cars=2`, and an opponent that follows the line, or this driver: `opponents`.
