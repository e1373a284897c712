# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Transitions in a second of other environments on our world racetrack; gym.py runs it.

gym_peer.py f1tenth_gym SECONDS, with f1tenth_gym 1.0.0 (branch v1.0.0) and Pillow importable, or
gym_peer.py f1tenth_gym_jax SECONDS, with f1tenth_gym_jax and its jax_pf importable. Prints one
line of JSON: transitions in a second of process time by case and worlds.

Both drive the commands of our random drivers: 2.8 to 5.2 m/s, up to 0.12 rad to either side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
import json
import os
from pathlib import Path
import sys
import tempfile
import time
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
NAME, RESOLUTION, ORIGIN = 'racetrack', 0.05, (-12.0, -3.0, 0.0)
SLOW, FAST, TURN = 2.8, 5.2, 0.12

# Cases of f1tenth_gym_jax: name, its id, its parameters, worlds side by side: those that were the
# fastest of 16 to 16384. Its step is 10 ms, by Runge and Kutta, in single precision.
_ONE = f'{NAME}_1_{{}}_progress_velocity+steeringangle_5_v0'
_JAX_CASES: tuple[tuple[str, str, dict[str, Any], tuple[int, ...]], ...] = (
    ('no laser', _ONE.format('noscan_collision'), {}, (256, 1024)),
    ('no laser, no contacts', _ONE.format('noscan_nocollision'), {}, (1024, 4096)),
    ('108 beams', _ONE.format('scan_collision'), {'num_beams': 108}, (16, 64)),
    ('1080 beams', _ONE.format('scan_collision'), {'num_beams': 1080}, (1, 16)),
    ('two cars, 1080 beams, 100 Hz, 10 ms steps',
     f'{NAME}_2_scan_collision_progress_velocity+steeringangle_1_v0', {'num_beams': 1080},
     (1, 16)),
)


def centre_line() -> np.ndarray:
    """x, y of the line [m], (points, 2), without the last point, which repeats the first."""
    return np.loadtxt(ROOT / 'config' / 'tracks' / f'{NAME}.csv', delimiter=',', skiprows=4)[:-1]


def per_process_second(drive: Callable[[], int], seconds: float) -> float:
    """Transitions of drive(), which returns how many it made, in a second of process time."""
    # The second call compiles anew where types of the first state are weak, as in JAX.
    drive()
    drive()
    start, done = time.process_time(), 0
    while time.process_time() - start < seconds:
        done += drive()
    return done / (time.process_time() - start)


def numpy_cases(seconds: float) -> Iterator[tuple[str, float]]:
    """Cases of f1tenth_gym, which has 1080 beams at each of its steps of 10 ms."""
    from f1tenth_gym.envs.track import Raceline, Track
    import gymnasium
    from PIL import Image

    class Spec:
        """What its Track asks of a map."""

        name, resolution, origin = NAME, RESOLUTION, ORIGIN

    image = np.array(Image.open(ROOT / 'worlds' / f'{NAME}.png').transpose(
        Image.Transpose.FLIP_TOP_BOTTOM))
    line = centre_line()
    raceline = Raceline(xs=line[:, 0], ys=line[:, 1], velxs=np.ones(len(line)))
    random = np.random.default_rng(0)
    ahead = np.roll(line, -1, axis=0) - line
    places = np.column_stack([line, np.arctan2(ahead[:, 1], ahead[:, 0])])
    for name, agents, steps in (
            ('1080 beams', 1, 5), ('two cars, 1080 beams, 100 Hz, 10 ms steps', 2, 1)):
        track = Track(Spec(), np.where(image > 128, 255.0, 0.0), centerline=raceline,
                      raceline=raceline)
        env = gymnasium.make('f1tenth_gym:f1tenth-v0', config={
            'map': track, 'num_agents': agents, 'timestep': 0.01}).unwrapped
        commands = np.stack([random.uniform(-TURN, TURN, (16, agents)),
                             random.uniform(SLOW, FAST, (16, agents))], axis=2)

        def start(env: Any = env, agents: int = agents) -> None:
            first = random.integers(len(places))
            # Points are 0.25 m apart: the cars 1.5 m.
            chosen = (first + 6 * np.arange(agents)) % len(places)
            env.reset(options={'poses': places[chosen]})

        def drive(env: Any = env, steps: int = steps, commands: np.ndarray = commands) -> int:
            for action in commands:
                for _ in range(steps):
                    if env.step(action)[2]:
                        start(env, commands.shape[1])
                        break
            return len(commands)

        start()
        yield f'{name}, 1 worlds', per_process_second(drive, seconds)


def write_track(folder: Path) -> None:
    """Write the world as f1tenth_gym_jax has it."""
    place = folder / NAME
    place.mkdir()
    (place / f'{NAME}.png').write_bytes((ROOT / 'worlds' / f'{NAME}.png').read_bytes())
    (place / f'{NAME}.yaml').write_text(
        f'image: {NAME}.png\nresolution: {RESOLUTION}\norigin: {list(ORIGIN)}\n')
    line = centre_line()
    np.savetxt(place / f'{NAME}_centerline.csv',
               np.column_stack([line, np.full((len(line), 2), 1.0)]), delimiter=',')


def jax_cases(seconds: float) -> Iterator[tuple[str, float]]:
    """Cases of f1tenth_gym_jax: 16 steps in one compiled call, vectorised over worlds."""
    # Its compiler makes as many threads as there are cores for it.
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as folder:
        write_track(Path(folder))
        os.environ['F1TENTH_GYM_JAX_MAP_DIR'] = folder
        import chex
        import f1tenth_gym_jax
        import jax

        for name, env_id, parameters, batches in _JAX_CASES:
            env = f1tenth_gym_jax.make(env_id, **parameters)
            for worlds in batches:
                yield f'{name}, {worlds} worlds', per_process_second(
                    _jax_drive(jax, env, worlds), seconds)
                chex.clear_trace_counter()
                jax.clear_caches()


def _jax_drive(jax: Any, env: Any, worlds: int) -> Callable[[], int]:
    """Drive some worlds for 16 steps, with observations, rewards, ends and resets."""
    numbers, length = jax.numpy, 16

    def step(carry: Any, key: Any) -> Any:
        state, _ = carry
        drawn, stepped = jax.random.split(key)
        commands = jax.random.uniform(
            drawn, (env.num_agents, worlds, 2), minval=numbers.array([-TURN, SLOW]),
            maxval=numbers.array([TURN, FAST]))
        seen, state, rewards, ended, _ = jax.vmap(env.step)(
            jax.random.split(stepped, worlds), state, dict(zip(env.agents, commands, strict=True)))
        # All observations are needed as those of the next step are to be.
        return (state, seen), (rewards, ended)

    rollout = jax.jit(lambda carry, key: jax.lax.scan(step, carry, jax.random.split(key, length)))
    seen, state = jax.jit(jax.vmap(env.reset))(jax.random.split(jax.random.key(0), worlds))
    kept = [(state, seen), jax.random.key(1)]

    def drive() -> int:
        kept[1], key = jax.random.split(kept[1])
        kept[0], found = rollout(kept[0], key)
        jax.block_until_ready((kept[0], found))
        return worlds * length

    return drive


if __name__ == '__main__':
    PEERS = {'f1tenth_gym': numpy_cases, 'f1tenth_gym_jax': jax_cases}
    found = {}
    for case, speed in PEERS[sys.argv[1]](float(sys.argv[2])):
        found[case] = speed
        print(f'{case}: {speed:,.0f}', file=sys.stderr, flush=True)
    print(json.dumps(found))
