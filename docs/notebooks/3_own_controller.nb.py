# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# # Your own controller
#
# A controller is a function: it gets the odometry of the car and the reference, and returns speed
# and steering angle. You write a pure pursuit, see what is wrong with it, repair it, and compare
# it with the tracker that comes with the package.

# %%
import math

import matplotlib.pyplot as plt
import numpy as np

import racecar

vehicle = racecar.Vehicle('racecar')
WHEELBASE = vehicle['cog_to_front_axle'] + vehicle['cog_to_rear_axle']

# %% [markdown]
# ## Pure pursuit
#
# Steer along the circle that leads through a point ahead. `reference` is the point of the path
# where the car should be now, with its velocity; the point to steer for is where it will be in a
# time `ahead`. A circle through a point at the distance $d$, $\ell$ to the left, has the
# curvature $2\ell / d^2$.


# %%
def pursuit(odometry, reference, ahead=0.4):
    """Speed [m/s] and steering angle [rad] towards where the reference will be."""
    dx = reference.x + ahead * reference.vx - odometry.x
    dy = reference.y + ahead * reference.vy - odometry.y
    left = math.cos(odometry.yaw) * dy - math.sin(odometry.yaw) * dx
    distance = max(math.hypot(dx, dy), 0.05)
    speed = distance / ahead
    return speed, math.atan(WHEELBASE * 2.0 * left / distance**2)


def drive(controller=None):
    """One run on a figure eight; the package's own tracker if no controller is given."""
    return racecar.simulate(
        'kinematic_ode', controller=controller, trajectory='figure_eight', tyre_model='fiala',
        duration=70.0, skip=5.0)


first = drive(pursuit)
first

# %% [markdown]
# ## Find the fault
#
# The reference does not move straight on while the car drives towards it: it bends. Is the error
# on the inside or the outside of the bends?

# %%
def cross_track(run):
    """Distance to the left of the reference [m]."""
    table = run.table
    dx, dy = table['x'] - table['x_reference'], table['y'] - table['y_reference']
    heading = np.arctan2(np.gradient(table['y_reference']), np.gradient(table['x_reference']))
    return np.cos(heading) * dy - np.sin(heading) * dx


figure, axes = plt.subplots(figsize=(7.5, 3.2), layout='constrained')
axes.plot(first.table['time'], 1e3 * cross_track(first), label='error to the left [mm]')
axes.plot(first.table['time'], 20.0 * first.table['yaw_rate'], label='20 · yaw rate [rad/s]')
axes.set(xlabel='t [s]', xlim=(5.0, 70.0), ylim=(-15.0, 15.0))
axes.legend()
axes.grid(visible=True, alpha=0.3)
plt.show()

# %% [markdown]
# ## Repair it
#
# The reference also has an acceleration: to second order it will be at $p + t\,\dot p + t^2 \ddot
# p / 2$.


# %%
def better(odometry, reference, ahead=0.4):
    """As pursuit(), towards where a reference that bends will be."""
    dx = reference.x + ahead * reference.vx + ahead**2 / 2.0 * reference.ax - odometry.x
    dy = reference.y + ahead * reference.vy + ahead**2 / 2.0 * reference.ay - odometry.y
    left = math.cos(odometry.yaw) * dy - math.sin(odometry.yaw) * dx
    distance = max(math.hypot(dx, dy), 0.05)
    return distance / ahead, math.atan(WHEELBASE * 2.0 * left / distance**2)


runs = {'pursuit': first, 'better': drive(better), 'tracker': drive()}
figure, axes = plt.subplots(figsize=(7.5, 3.2), layout='constrained')
for name, run in runs.items():
    rmse = 1e3 * run.metrics().rmse
    axes.semilogy(run.table['time'], np.abs(cross_track(run)) + 1e-6, linewidth=0.9,
                  label=f'{name}: RMSE {rmse:.1f} mm')
axes.set(xlabel='t [s]', ylabel='cross-track error [m]', xlim=(5.0, 70.0), ylim=(1e-5, 1.0))
axes.legend()
plt.show()

# %% [markdown]
# ## Questions
#
# 1. Try `ahead` from 0.1 s to 1 s (`functools.partial(better, ahead=0.2)`). What happens at both
#    ends?
# 2. What does the tracker have that `better` has not? Its page in the documentation, *Control
#    laws*, has the equations.
# 3. Drive your controller in the 3-D world, with `'kinematic_world'` in place of
#    `'kinematic_ode'` (`pip install 'racecar-stack[world]'`), and on a race track:
#    `waypoints='racetrack'` in place of `trajectory`.
#
# A controller in a file also drives the commands and the ROS nodes: `racecar simulate
# --controller my_controller.py:pursuit`. With the form of `pure_pursuit.py` among the examples it
# is compiled, and drives sweeps at full speed.
