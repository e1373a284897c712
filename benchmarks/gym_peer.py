# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Steps in a second of f1tenth_gym 1.0.0 on our map berlin; run by gym.py --peer PYTHON.

Needs f1tenth_gym (branch v1.0.0) to be importable, and Pillow.
"""

import json
from pathlib import Path
import sys
import time

from f1tenth_gym.envs.track import Raceline, Track
import gymnasium
import numpy as np
from PIL import Image

WORLD = Path(__file__).resolve().parents[1] / 'worlds' / 'berlin.png'


class Spec:
    """What its Track asks of a map."""

    name, resolution, origin = 'berlin', 0.05, (-11.60654, -26.520793, 0.0)


def measured(agents: int, seconds: float) -> float:
    """Environment steps per second of process time, each of 10 ms and 1080 beams."""
    image = np.array(Image.open(WORLD).transpose(Image.Transpose.FLIP_TOP_BOTTOM))
    line = Raceline(xs=np.cos(np.linspace(0.0, 6.0, 50)), ys=np.sin(np.linspace(0.0, 6.0, 50)),
                    velxs=np.ones(50))
    track = Track(Spec(), np.where(image > 128, 255.0, 0.0), centerline=line, raceline=line)
    env = gymnasium.make('f1tenth_gym:f1tenth-v0', config={
        'map': track, 'num_agents': agents, 'timestep': 0.01}).unwrapped
    poses = {'poses': np.array([[0.8 * k, 0.1 * k, 0.15] for k in range(agents)])}
    env.reset(options=poses)
    actions, steps = np.tile([0.05, 2.0], (agents, 1)), 0
    env.step(actions)
    start, wall = time.process_time(), time.perf_counter()
    while time.perf_counter() - wall < seconds:
        if env.step(actions)[2]:
            env.reset(options=poses)
        steps += 1
    return steps / (time.process_time() - start)


if __name__ == '__main__':
    print(json.dumps({f'{agents} cars, 1080 beams, 10 ms steps': measured(
        agents, float(sys.argv[1])) for agents in (1, 2)}))
