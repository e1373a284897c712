# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Networks of policies, their ONNX files and contracts, held against other implementations."""

import contextlib
import math
import random

import numpy as np
import pytest

from racecar.base.errors import ConfigurationError
from racecar.control.policy.contract import (
    ActionChannel,
    load_policy,
    PolicyContract,
    read_contract,
    save_policy,
)
from racecar.control.policy.features import channels_of, FeatureSettings, part_numbers
from racecar.control.policy.network import (
    CLIP,
    ELU,
    exponential,
    hyperbolic_tangent,
    LEAKY_RELU,
    multilayer,
    network_of,
    SCALE,
    SIGMOID,
    Step,
)
from racecar.control.policy.onnx_file import onnx_bytes, parse_onnx, with_metadata

RANDOM = np.random.default_rng(1)
LAYERS = [(RANDOM.normal(size=shape), RANDOM.normal(size=shape[1]))
          for shape in ((5, 8), (8, 8), (8, 2))]
FEATURES = FeatureSettings(line_points=1)
CONTRACT = PolicyContract(
    ('velocity', 'frenet'), FEATURES, channels_of(('velocity', 'frenet'), FEATURES, 8.0, 0.4),
    (ActionChannel('speed', 'm/s', 0.0, 8.0), ActionChannel('angle', 'rad', -0.4, 0.4)), True,
    20.0, 'racetrack', 'f1tenth')


def everything():
    """Network with each operation."""
    steps = multilayer(LAYERS, 'relu', 'sigmoid').operations()
    return network_of([
        Step(SCALE, 5, 5, np.concatenate([np.full(5, 0.5), np.arange(5.0)])), *steps,
        Step(CLIP, 2, 2, np.array([0.2, 0.7])), Step(ELU, 2, 2, np.array([0.7])),
        Step(SCALE, 2, 2, np.array([-2.0, 3.0, 0.0, -1.0])),
        Step(LEAKY_RELU, 2, 2, np.array([0.2])), Step(SIGMOID, 2, 2, np.empty(0))])


def test_elementary_functions_are_those_of_the_c_library():
    numbers = [-30.0, -1.0, -1e-9, 0.0, 1e-17, 0.17, 0.18, 0.34, 0.35, 5.0, 19.9, 21.0,
               *RANDOM.normal(size=300)]
    for x in numbers:
        assert exponential(x) == pytest.approx(math.exp(x), rel=3e-16, abs=0.0)
        assert hyperbolic_tangent(x) == pytest.approx(math.tanh(x), rel=1e-15, abs=0.0)
        assert hyperbolic_tangent(-x) == -hyperbolic_tangent(x)
    assert hyperbolic_tangent(math.inf) == 1.0


def test_perceptron_is_that_of_numpy_and_has_the_same_bits_alone_and_among_others():
    network, seen = multilayer(LAYERS, 'tanh'), RANDOM.normal(size=(40, 5))
    expected = seen
    for k, (weights, biases) in enumerate(LAYERS):
        expected = expected @ weights + biases
        expected = np.tanh(expected) if k < 2 else expected
    found = network.answer(seen)
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert all((network.answer(row) == found[k]).all() for k, row in enumerate(seen))


def test_file_gives_the_network_again_in_single_precision():
    network, seen = everything(), RANDOM.normal(size=(20, 5))
    model = parse_onnx(onnx_bytes(network, {'a': 'b'}))
    assert model.metadata == {'a': 'b'}
    assert model.network.answer(seen) == pytest.approx(network.answer(seen), abs=1e-5)
    again = parse_onnx(with_metadata(onnx_bytes(network, {'a': 'b', 'c': 'd'}), {'a': 'new'}))
    assert again.metadata == {'a': 'new', 'c': 'd'}


def test_files_are_those_of_the_onnx_package():
    onnx = pytest.importorskip('onnx', reason='the package onnx is not installed')
    from onnx.reference import ReferenceEvaluator

    network, seen = everything(), RANDOM.normal(size=(20, 5)).astype(np.float32)
    model = onnx.load_from_string(onnx_bytes(network, {}))
    onnx.checker.check_model(model, full_check=True)
    found, = ReferenceEvaluator(model).run(None, {'observation': seen})
    assert network.answer(seen) == pytest.approx(found, abs=1e-5)


def test_damaged_files_raise_configuration_errors_only():
    whole, damage = onnx_bytes(everything(), {'a': 'b'}), random.Random(3)
    for _ in range(400):
        content = bytearray(whole)
        for _ in range(damage.randrange(1, 4)):
            content[damage.randrange(len(content))] = damage.randrange(256)
        cut = bytes(content[:damage.randrange(len(content))])
        for given in (bytes(content), cut):
            with contextlib.suppress(ConfigurationError):
                parse_onnx(given)


def test_policy_of_a_file_has_network_and_contract(tmp_path):
    file = tmp_path / 'driver.onnx'
    save_policy(file, multilayer(LAYERS), CONTRACT)
    policy = load_policy(file)
    assert policy.contract == CONTRACT
    assert [file.name] == [path.name for path in tmp_path.iterdir()]
    # An exported file gets a contract without another word.
    file.write_bytes(onnx_bytes(multilayer(LAYERS), {'producer': 'x'}))
    with pytest.raises(ConfigurationError, match='does not say what its numbers mean'):
        load_policy(file)
    save_policy(file, file.read_bytes(), CONTRACT)
    assert load_policy(file).contract == CONTRACT
    assert parse_onnx(file.read_bytes()).metadata['producer'] == 'x'


@pytest.mark.parametrize(('change', 'said'), [
    ({'rate': 0.0}, 'no positive number'),
    ({'parts': ('velocity', 'nonsense')}, 'there is no part'),
    ({'action': CONTRACT.action[::-1]}, 'expected one of speed, acceleration'),
])
def test_contract_that_cannot_be_is_refused(change, said):
    with pytest.raises(ConfigurationError, match=said):
        read_contract(CONTRACT._replace(**change).text())


def test_errors_say_what_was_expected(tmp_path):
    with pytest.raises(ConfigurationError, match='makes 2 numbers of 5, expected 2 of 6'):
        save_policy(tmp_path / 'a.onnx', multilayer(LAYERS), CONTRACT._replace(
            observation=(*CONTRACT.observation, CONTRACT.observation[0])))
    with pytest.raises(ConfigurationError, match='expected 5 numbers each'):
        multilayer(LAYERS).answer(np.zeros(4))
    with pytest.raises(ConfigurationError, match='cannot be read'):
        load_policy(tmp_path / 'missing.onnx')
    with pytest.raises(ConfigurationError, match='twice'):
        part_numbers(('scan', 'scan'))
    with pytest.raises(ConfigurationError, match='no ONNX model'):
        parse_onnx(b'')
    for text in ('', '[]', '{"format": 2}', '{"format": 1}'):
        with pytest.raises(ConfigurationError):
            read_contract(text)
