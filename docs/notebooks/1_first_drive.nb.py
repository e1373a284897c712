# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# # First drive
#
# A car follows a path, and you find out how well it does, and why it fails when it has to corner
# too fast. ROS is not needed. After each question, guess the answer before you run the cell below
# it.

# %%
import matplotlib.pyplot as plt
import numpy as np

import racecar

# %% [markdown]
# ## Drive a figure eight
#
# `kinematic_ode` is a *configuration*: a car, a tracker that follows a path, and a control law.
# The model of the car has tyres that slip (`fiala`), which the control law does not know of.
# `skip=8` leaves the first 8 s out of all results, in which the car still finds its path.

# %%
run = racecar.simulate(
    'kinematic_ode', trajectory='figure_eight', tyre_model='fiala', duration=60.0, skip=8.0,
    set={'trajectory_tracker.w': 0.4})  # angular rate of the figure [rad/s]
run

# %% [markdown]
# ## Look into it
#
# `run.table` has one value for each sample, in SI units. Where on the path is the error largest?

# %%
table = run.table
error = np.hypot(table['x'] - table['x_reference'], table['y'] - table['y_reference'])
acceleration = table['vx'] * table['yaw_rate']  # towards the centre of the bend
settled = table['time'] >= run.skip

figure, (left, right) = plt.subplots(1, 2, figsize=(9.0, 3.4), layout='constrained')
dots = left.scatter(table['x'][settled], table['y'][settled], c=1e3 * error[settled], s=4)
left.set(xlabel='x [m]', ylabel='y [m]', aspect='equal', title='Where')
figure.colorbar(dots, label='error [mm]')
right.plot(np.abs(acceleration[settled]), 1e3 * error[settled], '.', markersize=2)
right.set(xlabel='lateral acceleration [m/s²]', ylabel='error [mm]', title='And why')
plt.show()

# %% [markdown]
# The error follows the lateral acceleration: in a bend the tyres run at slip angles, so the car
# does not go exactly where its wheels point.
#
# ## How fast can it corner?
#
# On a circle of radius $R$ at the angular rate $W$ the lateral acceleration is $W^2 R$. With a
# friction coefficient of 1 the tyres can give at most $\mu g = 9.81\,\mathrm{m/s^2}$. A sweep
# drives many circles at once.

# %%
radius = 3.0
rates = np.linspace(0.3, 1.6, 27)
result = racecar.sweep(
    'kinematic_ode', trajectory='circle', tyre_model='fiala', duration=30.0, skip=15.0,
    set={'trajectory_tracker.R': radius}, grid={'trajectory_tracker.W': rates.tolist()})

figure, axes = plt.subplots(figsize=(6.5, 3.4), layout='constrained')
axes.semilogy(rates**2 * radius, result.rows['rmse'], 'o-')
axes.set(xlabel='lateral acceleration on the path [m/s²]', ylabel='RMSE [m]')
axes.grid(visible=True, alpha=0.3)
plt.show()

# %% [markdown]
# ## Questions
#
# 1. At which lateral acceleration does the error begin to grow without bounds? Is it below $\mu
#    g$, and which axle is to blame? (`run.plot()` of a run with `set={'trajectory_tracker.W':
#    ...}` shows steering and speed.)
# 2. Set `'vehicle.friction_coefficient': 0.5`, as on a wet road. What moves, and by how much?
# 3. Replace `tyre_model='fiala'` by `'linear'`. What is wrong with the answer, physically?
