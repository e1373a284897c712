# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Policy files: a network with what its numbers mean, so that any program can drive by it.

A file is an ONNX model whose metadata has, under the key `racecar.policy`, a JSON object of the
fields of PolicyContract; docs/gym.md shows one.
"""

from __future__ import annotations

from collections.abc import Mapping
import json
import math
import os
from pathlib import Path
from typing import Any, NamedTuple

from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.parameter_fields import made_of, table_of
from racecar.control.policy.features import (
    Channel,
    FeatureSettings,
    part_numbers,
)
from racecar.control.policy.network import Network
from racecar.control.policy.onnx_file import onnx_bytes, parse_onnx, read_onnx, with_metadata

KEY = 'racecar.policy'
"""Key of the contract in the metadata of a file."""

FORMAT = 1
"""Version of the contract."""

LONGITUDINAL = ('speed', 'acceleration')
STEERING = ('angle', 'rate')
"""What the two numbers of an action command, in this order."""

FEATURE_PARAMETERS = table_of(FeatureSettings, '')


class ActionChannel(NamedTuple):
    """One number of an action: low, high: values [unit] that -1 and 1 stand for, if scaled."""

    name: str
    unit: str
    low: float
    high: float


class PolicyContract(NamedTuple):
    """What goes into a policy and comes out of it.

    parts: of an observation, in order; features: how they are made; observation: each number;
    action: both numbers, longitudinal first; scaled: whether numbers are scaled or in SI units;
    rate: of actions [Hz]; line: name or file of the line along which it was trained, '' if none;
    vehicle: name of its vehicle.
    """

    parts: tuple[str, ...]
    features: FeatureSettings
    observation: tuple[Channel, ...]
    action: tuple[ActionChannel, ...]
    scaled: bool
    rate: float
    line: str = ''
    vehicle: str = ''

    def text(self) -> str:
        """JSON of the contract."""
        return json.dumps({
            'format': FORMAT, 'parts': self.parts, 'features': self.features._asdict(),
            'observation': [channel._asdict() for channel in self.observation],
            'action': [channel._asdict() for channel in self.action], 'scaled': self.scaled,
            'rate': self.rate, 'line': self.line, 'vehicle': self.vehicle})


class Policy(NamedTuple):
    """A network and its contract."""

    network: Network
    contract: PolicyContract


def read_contract(text: str) -> PolicyContract:
    """Contract of a text that PolicyContract.text() writes.

    Raises ConfigurationError for what is none, and for one of another format.
    """
    try:
        given = json.loads(text)
    except ValueError as error:
        raise ConfigurationError(f'its {KEY} is no JSON: {error}') from None
    if not isinstance(given, dict) or given.get('format') != FORMAT:
        found = given.get('format') if isinstance(given, dict) else given
        raise ConfigurationError(
            f'its {KEY} has the format {excerpt(found)}, expected {FORMAT}: save it by this'
            ' version')
    try:
        contract = _contract_of(given)
    except (KeyError, TypeError, ValueError) as error:
        raise ConfigurationError(
            f'its {KEY} is not complete: {type(error).__name__}: {error}; save it anew') from None
    _check(contract)
    return contract


def _contract_of(given: Mapping[str, Any]) -> PolicyContract:
    features = made_of(FeatureSettings, '', FEATURE_PARAMETERS.resolve(given['features']))
    return PolicyContract(
        tuple(map(str, given['parts'])), features,
        tuple(Channel(str(row['name']), str(row['unit']), float(row['scale']))
              for row in given['observation']),
        tuple(ActionChannel(str(row['name']), str(row['unit']), float(row['low']),
                            float(row['high'])) for row in given['action']),
        bool(given['scaled']), float(given['rate']), str(given['line']), str(given['vehicle']))


def _check(contract: PolicyContract) -> None:
    part_numbers(contract.parts)
    names = tuple(channel.name for channel in contract.action)
    if len(names) != 2 or names[0] not in LONGITUDINAL or names[1] not in STEERING:
        raise ConfigurationError(
            f'its actions are {", ".join(names)}, expected one of {", ".join(LONGITUDINAL)}, then'
            f' one of {", ".join(STEERING)}')
    numbers = [contract.rate, *(channel.scale for channel in contract.observation)]
    if not all(math.isfinite(number) and number > 0.0 for number in numbers):
        raise ConfigurationError('its rate or a scale is no positive number')
    if not all(math.isfinite(row.low) and row.low < row.high < math.inf
               for row in contract.action):
        raise ConfigurationError('its actions have limits that are no range')


def load_policy(path: str | Path) -> Policy:
    """Policy of a file. Raises ConfigurationError for what is none."""
    file = Path(path).expanduser()
    model = read_onnx(file)
    if KEY not in model.metadata:
        raise ConfigurationError(
            f'policy {excerpt(str(file))} does not say what its numbers mean: give it a contract'
            ' by racecar.gym.save_policy(file, env)')
    try:
        contract = read_contract(model.metadata[KEY])
        _check_sizes(model.network, contract)
    except ConfigurationError as error:
        raise ConfigurationError(f'policy {excerpt(str(file))}: {error}') from None
    return Policy(model.network, contract)


def save_policy(path: str | Path, network: Network | bytes, contract: PolicyContract) -> None:
    """Write a network, or the bytes of an ONNX file, with its contract.

    A file that is there is replaced. Raises ConfigurationError if they do not fit to each other or
    the file cannot be written.
    """
    file = Path(path).expanduser()
    metadata = {KEY: contract.text()}
    if isinstance(network, bytes):
        content = with_metadata(network, metadata)
        _check_sizes(parse_onnx(content).network, contract)
    else:
        _check_sizes(network, contract)
        content = onnx_bytes(network, metadata)
    try:
        draft = file.with_name(f'{file.name}.part')
        draft.write_bytes(content)
        os.replace(draft, file)
    except OSError as error:
        raise ConfigurationError(
            f'policy {excerpt(str(file))} cannot be written: {error.strerror}') from error


def _check_sizes(network: Network, contract: PolicyContract) -> None:
    if network.inputs != len(contract.observation) or network.outputs != len(contract.action):
        raise ConfigurationError(
            f'its network makes {network.outputs} numbers of {network.inputs}, expected'
            f' {len(contract.action)} of {len(contract.observation)} as its contract says')
