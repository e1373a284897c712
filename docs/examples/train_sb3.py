# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Train a driver with stable-baselines3, and save it as a policy file.

pip install 'racecar-stack[gym]' stable-baselines3
python train_sb3.py --steps 300000
racecar simulate kinematic_ode --vehicle f1tenth --world racetrack --waypoints racetrack \
        --policy driver.onnx
"""

import argparse
from typing import Any

import numpy as np
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecEnv

import racecar
from racecar.gym import multilayer, save_policy


class Worlds(VecEnv):
    """A native vector environment as stable-baselines3 takes it."""

    def __init__(self, worlds, **options):
        """Make so many worlds."""
        self.env = racecar.make_env(worlds=worlds, autoreset_mode='same_step', **options)
        super().__init__(worlds, self.env.single_observation_space,
                         self.env.single_action_space)
        self.returns, self.lengths = np.zeros(worlds), np.zeros(worlds, dtype=int)

    def reset(self):
        """Begin in all worlds."""
        self.returns[:], self.lengths[:] = 0.0, 0
        return self.env.reset(seed=0)[0]

    def step_async(self, actions):
        """Keep the actions."""
        self.actions = actions

    def step_wait(self):
        """Drive for a period."""
        seen, rewards, ended, truncated, info = self.env.step(self.actions)
        self.returns += rewards
        self.lengths += 1
        infos: list[dict[str, object]] = [{} for _ in range(self.num_envs)]
        for world in np.flatnonzero(over := ended | truncated):
            infos[world] = {
                'terminal_observation': info['final_obs'][world],
                'TimeLimit.truncated': bool(truncated[world] and not ended[world]),
                'episode': {'r': self.returns[world], 'l': self.lengths[world], 't': 0.0}}
        self.returns[over], self.lengths[over] = 0.0, 0
        return seen, rewards.astype(np.float32), over, infos

    def close(self):
        """Close the environment."""
        self.env.close()

    def get_attr(self, attr_name, indices=None):
        """Value of an attribute, the same for all worlds."""
        return [getattr(self.env, attr_name)] * self.num_envs

    def set_attr(self, attr_name, value, indices=None):
        """Set an attribute of the environment."""
        setattr(self.env, attr_name, value)

    def env_method(self, method_name, *arguments, indices=None, **named):
        """Call a method of the environment."""
        return [getattr(self.env, method_name)(*arguments, **named)] * self.num_envs

    def env_is_wrapped(self, wrapper_class, indices=None):
        """No world is wrapped."""
        return [False] * self.num_envs


def network_of(model):
    """Network of the mean action of a model, cut to -1 to 1 as the environment does it."""
    layers = [*model.policy.mlp_extractor.policy_net, model.policy.action_net]
    return multilayer([
        (layer.weight.detach().numpy().T, layer.bias.detach().numpy())
        for layer in layers if hasattr(layer, 'weight')], 'tanh')


def main():
    """Train, save, and drive a lap."""
    parser = argparse.ArgumentParser()
    parser.add_argument('--steps', type=int, default=300_000)
    parser.add_argument('--output', default='driver.onnx')
    arguments = parser.parse_args()
    options: dict[str, Any] = {
        'vehicle': 'f1tenth', 'fastest': 5.0, 'time_limit': 20.0, 'step': 0.005,
        'low_speed_threshold': 0.5}
    worlds = Worlds(64, **options)
    model = PPO('MlpPolicy', worlds, n_steps=64, batch_size=1024, n_epochs=5, gamma=0.98,
                learning_rate=1e-3, device='cpu', verbose=1,
                policy_kwargs={'net_arch': [32, 32]}, seed=0)
    model.learn(arguments.steps)
    file = save_policy(arguments.output, worlds.env, network_of(model))
    env = racecar.make_env(**{**options, 'start': 'grid', 'time_limit': 60.0})
    seen, info = env.reset(seed=1)
    over = False
    while not over:
        seen, _, ended, truncated, info = env.step(model.predict(seen, deterministic=True)[0])
        over = ended or truncated
    print(f"{info['driven']:.1f} m, {info['laps']:.0f} laps, the last in {info['last_lap']:.2f} s")
    print(f'Policy: {file}')


if __name__ == '__main__':
    main()
