# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# # Tune a gain
#
# The tracker moves the car towards its reference with a proportional gain $K_p$: the farther it
# is, the faster the car returns. A larger gain means smaller errors, up to a point. You find that
# point, and what decides where it is.

# %%
import matplotlib.pyplot as plt
import numpy as np

import racecar

# %% [markdown]
# ## Errors over the gain
#
# All gains drive side by side, on all cores. `actuators` give the car a steering servo that
# answers 50 ms late, as real ones do.

# %%
gains = np.geomspace(0.5, 60.0, 30)


def swept(delay):
    """Figure eights with all gains, by a car whose steering is late by a delay [s]."""
    return racecar.sweep(
        'kinematic_ode', trajectory='figure_eight', tyre_model='fiala', duration=70.0, skip=10.0,
        set={'single_track_simulator.actuators.steering_delay': delay},
        grid={'trajectory_tracker.Kp': gains.tolist()})


result = swept(0.05)
result

# %%
best = result.best()
figure, axes = plt.subplots(figsize=(6.5, 3.6), layout='constrained')
for delay in (0.0, 0.02, 0.05, 0.1):
    errors = swept(delay).rows['rmse']
    axes.loglog(gains, 1e3 * errors, label=f'{1e3 * delay:.0f} ms')
axes.set(xlabel='$K_p$ [1/s]', ylabel='RMSE [mm]', ylim=(0.01, 1e3))
axes.legend(title='steering delay')
axes.grid(visible=True, which='both', alpha=0.2)
plt.show()

# %% [markdown]
# A gain acts on what was measured a delay ago. Where it corrects within that delay as much as it
# sees, the loop oscillates: the product of gain and delay decides, so twice the delay allows half
# the gain.
#
# ## Look at both sides
#
# Three runs: too hard, the best, and too soft. All start 45° off the path, so the first seconds
# say how fast each returns to it.

# %%
figure, (path, steering) = plt.subplots(1, 2, figsize=(9.0, 3.6), layout='constrained')
for gain in (25.0, best.parameters['trajectory_tracker.Kp'], 0.7):
    run = racecar.simulate(
        'kinematic_ode', trajectory='figure_eight', tyre_model='fiala', duration=25.0,
        set={'trajectory_tracker.Kp': gain,
             'single_track_simulator.actuators.steering_delay': 0.05})
    table = run.table
    error = np.hypot(table['x'] - table['x_reference'], table['y'] - table['y_reference'])
    path.semilogy(table['time'], error, label=f'$K_p$ = {gain:.2g}/s')
    steering.plot(table['time'], np.degrees(table['steering_command']))
path.set(xlabel='t [s]', ylabel='error [m]', ylim=(1e-5, 1.0))
steering.set(xlabel='t [s]', ylabel='steering command [°]', xlim=(10.0, 13.0))
path.legend()
plt.show()

# %% [markdown]
# ## Questions
#
# 1. Which gain would you choose for a car whose delay you know to be between 20 ms and 50 ms
#    only? Why not the best one?
# 2. Add noise to the measured pose: `noise={'x': 0.005, 'y': 0.005, 'yaw': 0.005}` in
#    `racecar.sweep`. How does the best gain move?
# 3. The integral gain `trajectory_tracker.Ki` removes constant errors. Sweep both gains at once,
#    and draw `result.plot()`.
