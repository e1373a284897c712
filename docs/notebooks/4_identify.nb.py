# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# # Identify a car
#
# Two numbers decide how a car turns in: the cornering stiffnesses of its axles. They are in no
# data sheet. You find them from drives, as one does with a real car: first their balance from
# steady bends, then both by comparing predictions with a measured drive.

# %%
import matplotlib.pyplot as plt
import numpy as np

import racecar

vehicle = racecar.Vehicle('racecar')
WHEELBASE = vehicle['cog_to_front_axle'] + vehicle['cog_to_rear_axle']

# %% [markdown]
# ## The understeer gradient
#
# In a steady bend a car with linear tyres needs the steering angle
#
# $$\delta = L \kappa + K a_y$$
#
# with the curvature $\kappa$ of its path and the lateral acceleration $a_y$. The *understeer
# gradient* $K$ says how much more it must steer as it gets faster. Real tyres give way the more,
# the harder they are pressed, so a second term, $c\,a_y^2$, is fitted with it. The trajectory
# `skidpad` holds several speeds on one circle.

# %%
run = racecar.simulate('kinematic_ode', trajectory='skidpad', tyre_model='fiala', duration=45.0)
table = run.table
speed = np.hypot(table['vx'], table['vy'])
# Steady: nothing has changed within half a second.
state = np.column_stack([speed, table['yaw_rate'], table['steering_command']])
steady = np.zeros(len(speed), bool)
steady[50:] = np.all(np.abs(state[50:] - state[:-50]) < 1e-3, axis=1) & (speed[50:] > 0.5)
curvature = table['yaw_rate'][steady] / speed[steady]
lateral = table['yaw_rate'][steady] * speed[steady]
extra = table['steering_command'][steady] - np.arctan(WHEELBASE * curvature)
(gradient, more), *_ = np.linalg.lstsq(np.column_stack([lateral, lateral**2]), extra)

figure, axes = plt.subplots(figsize=(6.5, 3.2), layout='constrained')
axes.plot(lateral, np.degrees(extra), '.', label='steady samples')
line = np.linspace(0.0, lateral.max(), 50)
axes.plot(line, np.degrees(gradient * line + more * line**2), label='fit')
axes.plot(line, np.degrees(gradient * line), '--', label=f'its K = {gradient:.4f} rad s²/m')
axes.set(xlabel='lateral acceleration [m/s²]', ylabel='steering beyond L κ [°]')
axes.legend()
plt.show()

# %% [markdown]
# The vehicle file has the stiffnesses, from which the same follows
# (`vehicle.figures()['Steering']`):

# %%
load = vehicle['mass'] / WHEELBASE
expected = load * (vehicle['cog_to_rear_axle'] / vehicle['front.cornering_stiffness']
                   - vehicle['cog_to_front_axle'] / vehicle['rear.cornering_stiffness'])
print(f'from the drive {gradient:.4f} rad s²/m, from the file {expected:.4f} rad s²/m')

# %% [markdown]
# ## Both stiffnesses
#
# The gradient is one number, so it cannot give two. A drive with quick steering can: it shows how
# fast the car turns in, which depends on both. This is "the log of the real car": yaw rate with
# the noise of a gyroscope.

# %%
rng = np.random.default_rng(1)
period, count = 0.02, 300
inputs = np.empty((count, 2))
inputs[:, 0] = 2.0  # speed [m/s]
inputs[:, 1] = 0.12 * np.sign(np.sin(2.0 * np.pi * 0.8 * period * np.arange(count)))
real = racecar.rollouts('single_track', inputs, period=period)
measured = real['yaw_rate'][0] + rng.normal(0.0, 0.02, count + 1)

# %% [markdown]
# Now 1600 cars with other stiffnesses are driven by the same inputs, all at once, and compared
# with it.

# %%
front, rear = np.meshgrid(np.linspace(60.0, 160.0, 40), np.linspace(120.0, 420.0, 40))
cars = racecar.rollouts(
    'single_track', inputs, period=period,
    vary={'front.cornering_stiffness': front.ravel(), 'rear.cornering_stiffness': rear.ravel()})
error = np.sqrt(np.mean((cars['yaw_rate'] - measured)**2, axis=1)).reshape(front.shape)
at = np.unravel_index(error.argmin(), error.shape)

figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.6), layout='constrained')
drawn = left.contourf(front, rear, error, levels=30, cmap='viridis_r')
left.plot(front[at], rear[at], 'o', color='white', markeredgecolor='black', label='best')
left.plot(vehicle['front.cornering_stiffness'], vehicle['rear.cornering_stiffness'], '+',
          color='red', markersize=12, markeredgewidth=2, label='true')
left.set(xlabel='front [N/rad]', ylabel='rear [N/rad]', title='Error of the yaw rate [rad/s]')
left.legend()
figure.colorbar(drawn)
t = period * np.arange(count + 1)
right.plot(t, measured, '.', markersize=2, label='measured')
right.plot(t, cars['yaw_rate'][at[0] * 40 + at[1]], label='best prediction')
right.set(xlabel='t [s]', ylabel='yaw rate [rad/s]', xlim=(0.0, 3.0), ylim=(-1.1, 0.9))
right.legend(loc='lower right')
plt.show()

# %% [markdown]
# The valley is long: along it the balance of the axles hardly changes, and that is what the yaw
# rate tells best. How far the best car is off along the valley says how uncertain the single
# stiffness is.
#
# ## Questions
#
# 1. Double the noise, and try a few seeds: how do the two stiffnesses scatter, and how does their
#    balance?
# 2. Steer twice as slowly. Why does the valley get longer?
# 3. `racecar identify` does this for logs of real drives, with actuators, friction and intervals
#    (`pip install 'racecar-stack[identify]'`). Try it with the two logs of the examples: `racecar
#    identify ../logs/identify_fast.csv ../logs/identify_slow.csv`.
