# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""racecar.tune(): the search is repeatable, goes on, and finds what is better than the start."""

import csv
import re
from typing import Any

import numpy as np
import pytest

import racecar
from racecar.cli.main import main
from racecar.facade.tuning_file import OBJECTIVES

pytest.importorskip('optuna')

LATE = {'single_track_simulator.actuators.steering_delay': 0.05}
GAIN = {'trajectory_tracker.Kp': {'range': [0.3, 30.0], 'log': True}}
SHORT: dict[str, Any] = {'trajectory': 'circle', 'duration': 4.0, 'skip': 1.0, 'set': LATE}


def tuned(**more: Any):
    return racecar.tune('kinematic_ode', **{'tune': GAIN, 'trials': 24, **SHORT, **more})


def test_the_best_is_a_run_like_others_and_better_than_the_default():
    found = tuned()
    best, = found.best
    run = racecar.simulate(
        'kinematic_ode', trajectory='circle', duration=4.0, skip=1.0,
        set={**LATE, **best.parameters})
    assert run.metrics().rmse == best.values[0]
    assert best.values[0] < racecar.simulate(
        'kinematic_ode', trajectory='circle', duration=4.0, skip=1.0, set=LATE).metrics().rmse
    assert best.values[0] == min(trial.values[0] for trial in found.trials)
    assert len(found) == 24
    # The first trial is what there is already.
    default = racecar.TRACKER_PARAMETERS.default('Kp')
    assert found.trials[0].parameters == {'trajectory_tracker.Kp': default}
    assert found.columns()['trial'] == [*range(24)]


def test_later_trials_are_nearer_to_the_best_than_the_first_ones():
    values = np.array([trial.values[0] for trial in tuned(trials=60).trials])
    assert np.median(values[40:]) < np.median(values[:20])


def test_a_search_is_the_same_on_any_number_of_cores_and_after_an_interruption(tmp_path):
    whole = tuned(trials=30, jobs=1)
    storage = f"sqlite:///{tmp_path / 'study.db'}"
    first = tuned(trials=10, storage=storage)
    assert first.trials == whole.trials[:10]
    assert tuned(trials=30, storage=storage, jobs=2).trials == whole.trials
    # Nothing is left to do.
    assert tuned(trials=30, storage=storage).trials == whole.trials


def test_another_search_does_not_go_on_in_the_same_storage(tmp_path):
    storage = f"sqlite:///{tmp_path / 'study.db'}"
    tuned(trials=2, storage=storage)
    with pytest.raises(racecar.ConfigurationError, match='search of another file'):
        tuned(trials=2, storage=storage, duration=5.0)


def test_cars_that_diverge_count_as_infinite_and_do_not_drive_other_cases():
    # A rear axle that hardly holds the car: it turns round.
    rear = 'single_track_simulator.vehicle.rear.cornering_stiffness'
    fast: dict[str, Any] = {
        'tyre_model': 'linear', 'duration': 10.0, 'set': {'trajectory_tracker.W': 2.0}}
    found = racecar.tune(
        'kinematic_ode', tune={rear: {'range': [1.0, 250.0], 'log': True}}, trials=20,
        cases=[{'trajectory': 'circle'}, {'trajectory': 'figure_eight'}], **fast)
    assert 0 < sum(trial.is_complete for trial in found.trials) < 20
    assert found.best[0].is_complete
    with pytest.raises(racecar.RunError, match='none of 3 trials'):
        racecar.tune('kinematic_ode', tune={rear: {'range': [1.0, 1.1]}}, trials=3,
                     trajectory='circle', **fast)


@pytest.mark.parametrize('across', ['mean', 'worst'])
def test_cases_count_by_their_mean_or_the_worst(across):
    cases: list[dict[str, Any]] = [
        {'trajectory': 'circle'}, {'trajectory': 'figure_eight', 'skip': 0.5}]
    trial = racecar.tune('kinematic_ode', tune=GAIN, cases=cases, across=across, trials=1,
                         duration=3.0).trials[0]
    each = [racecar.simulate('kinematic_ode', duration=3.0, set=trial.parameters,
                             trajectory=case['trajectory'], skip=case.get('skip', 0.0)
                             ).metrics().rmse for case in cases]
    expected = np.mean(each) if across == 'mean' else max(each)
    assert trial.values[0] == pytest.approx(expected, rel=1e-12)


def test_of_several_objectives_nobody_is_better_than_the_best_in_all():
    found = tuned(objectives=['rmse', 'max_error'], trials=40, tune={
        **GAIN, 'trajectory_tracker.Kd': {'range': [0.0, 1.0]}})
    values = np.array([trial.values for trial in found.trials])
    for trial in found.best:
        assert not ((values <= trial.values).all(axis=1)
                    & (values < trial.values).any(axis=1)).any()
    others = {trial.number for trial in found.trials} - {trial.number for trial in found.best}
    for number in others:
        assert any(np.all(trial.values <= values[number]) for trial in found.best)


def test_settings_of_a_controller_and_choices_are_sought(tmp_path):
    found = racecar.tune(
        'kinematic_ode', controller='docs/examples/tuned_pursuit.py:TunedPursuit', trials=12,
        tune={'controller.preview': {'range': [0.2, 1.0]}}, **SHORT)
    assert 0.2 <= found.best[0].parameters['controller.preview'] <= 1.0
    assert '# --set controller.preview=' in found.parameter_file(found.best[0])
    kinds = racecar.tune('kinematic_ode', trials=8, tune={
        'single_track_simulator.tyre_model': {'choices': ['linear', 'fiala']}}, **SHORT)
    assert {trial.parameters['single_track_simulator.tyre_model'] for trial in kinds.trials} == {
        'linear', 'fiala'}


@pytest.mark.parametrize(('more', 'message'), [
    ({'tune': {}}, "'tune' is .*expected node.parameter"),
    ({'tune': {'trajectory_tracker.Kq': {'range': [1, 2]}}}, 'Kq.*did you mean'),
    ({'tune': {'trajectory_tracker.Kp': [1, 2]}}, r'expected \{range: \[lowest, highest\]\}'),
    ({'tune': {'trajectory_tracker.Kp': {'range': [1, 2], 'lag': True}}}, 'expected .range'),
    ({'tune': {'trajectory_tracker.Kp': {'range': [2, 1]}}}, 'lowest <= highest'),
    ({'tune': {'trajectory_tracker.Kp': {'range': [0, 1], 'log': True}}}, 'above 0'),
    ({'tune': {'trajectory_tracker.Kp': {'range': [-1, 1]}}}, 'Kp.*-1'),
    ({'tune': {'single_track_simulator.tyre_model': {'range': ['linear', 'fiala']}}},
     'only numbers have a range'),
    ({'objectives': ['rmsee']}, "'objectives' is .*did you mean rmse"),
    ({'objectives': []}, "'objectives' is .*rmse"),
    ({'across': 'median'}, 'expected one of mean, worst'),
    ({'cases': [{'grid': {}}]}, "case .* has 'grid'"),
    ({'cases': {}}, "'cases' is"),
    ({'trials': 0}, "'trials' is 0, expected a whole number from 1"),
    ({'storage': 'mysterious://x'}, 'storage .*mysterious.* cannot be used'),
])
def test_bad_input_is_refused_in_one_line(more, message):
    with pytest.raises(racecar.RacecarError, match=message) as info:
        tuned(**more)
    assert '\n' not in str(info.value)


def test_every_objective_is_a_metric_of_a_sweep():
    found = tuned(objectives=[*OBJECTIVES], trials=1, duration=70.0)
    values = dict(zip(OBJECTIVES, found.trials[0].values, strict=True))
    run = racecar.simulate('kinematic_ode', **{
        **SHORT, 'duration': 70.0, 'set': {**LATE, **found.trials[0].parameters}})
    metrics = {**run.metrics().as_dict(), **run.motion.without_start(1.0).as_dict()}
    for name, value in values.items():
        assert value == pytest.approx(metrics[name], rel=1e-9)


FILE = """
tune:
  trajectory_tracker.Kp: {range: [0.3, 30.0], log: true}
trajectory: circle
duration: 2
trials: 25
"""


def test_command_writes_what_simulate_takes_and_goes_on(tmp_path, capsys):
    file, folder = tmp_path / 'tuning.yaml', tmp_path / 'found'
    file.write_text(FILE)
    words = ['tune', 'kinematic_ode', str(file), '-o', str(folder)]
    assert main([*words, '--trials', '4']) == 0
    said = capsys.readouterr().out
    assert re.search(r'best +trial \d  rmse .* mm? with trajectory_tracker.Kp=', said)
    assert main(words) == 1
    assert 'go on there with --resume' in capsys.readouterr().err
    assert main([*words, '--resume']) == 0
    rows = [*csv.DictReader((folder / 'trials.csv').open())]
    assert len(rows) == 25
    assert (folder / 'tune.png').read_bytes().startswith(b'\x89PNG')
    best = min(float(row['rmse']) for row in rows)
    run = racecar.simulate('kinematic_ode', trajectory='circle', duration=2.0,
                           params_file=folder / 'best.yaml')
    assert run.metrics().rmse == pytest.approx(best, rel=1e-12)
