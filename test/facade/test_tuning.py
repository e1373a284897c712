# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""racecar.tune(): the search is repeatable, goes on, and finds what is better than the start."""

import csv
import json
import re
from typing import Any

from full_disk import growing_no_further_than
import numpy as np
import pytest

import racecar
from racecar.base.errors import ConfigurationError
from racecar.base.share import find_vehicle
from racecar.cli.main import main
from racecar.facade.chunks import Cores, Lost
from racecar.facade.tuning import TuneRun
from racecar.facade.tuning_file import make_tuning, OBJECTIVES, read_tuning

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
    # In the middle of a batch, of the first that cover the space and of those proposed later.
    for trials in (7, 24):
        broken = f"sqlite:///{tmp_path / f'broken{trials}.db'}"
        assert tuned(trials=trials, storage=broken).trials == whole.trials[:trials]
        assert tuned(trials=30, storage=broken).trials == whole.trials
    # Nothing is left to do.
    assert tuned(trials=30, storage=storage).trials == whole.trials


def test_another_search_does_not_go_on_in_the_same_storage(tmp_path):
    storage = f"sqlite:///{tmp_path / 'study.db'}"
    tuned(trials=2, storage=storage)
    with pytest.raises(racecar.ConfigurationError, match='search of another file'):
        tuned(trials=2, storage=storage, duration=5.0)


def test_a_search_does_not_go_on_with_an_edited_vehicle(tmp_path):
    storage, vehicle = f"sqlite:///{tmp_path / 'study.db'}", tmp_path / 'vehicle.yaml'
    vehicle.write_text(find_vehicle('f1tenth').read_text())
    tuned(trials=2, storage=storage, vehicle=vehicle)
    assert len(tuned(trials=3, storage=storage, vehicle=vehicle)) == 3
    vehicle.write_text(vehicle.read_text().replace('mass: 3.74', 'mass: 3.75'))
    with pytest.raises(racecar.ConfigurationError, match='files that they name have changed'):
        tuned(trials=4, storage=storage, vehicle=vehicle)


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


def test_a_gain_that_is_best_switched_off_is_found_at_the_end_of_its_range():
    found = racecar.tune('kinematic_ode', trials=24, trajectory='figure_eight', duration=8.0,
                         skip=4.0, set={**LATE, 'trajectory_tracker.Kp': 2.3}, seed=1,
                         tune={'trajectory_tracker.Ki': {'range': [0.0, 2.0]}})
    assert found.trials[0].parameters == {'trajectory_tracker.Ki': 0.0}
    values = {trial.parameters['trajectory_tracker.Ki'] for trial in found.trials[1:]}
    assert {0.0, 2.0} < values
    assert found.best[0].parameters == {'trajectory_tracker.Ki': 0.0}


def test_trials_are_pruned_that_could_not_become_the_best():
    cases = [{'trajectory': 'circle'}, {'trajectory': 'figure_eight'}]
    found = tuned(cases=cases, trials=40)
    pruned = [trial for trial in found.trials if trial.state == 'pruned']
    assert pruned
    for trial in pruned:
        before = [other.values[0] for other in found.trials[:trial.number // 10 * 10]
                  if other.is_complete]
        run = racecar.simulate('kinematic_ode', duration=4.0, trajectory='circle', skip=1.0,
                               set={**LATE, **trial.parameters})
        assert trial.values == (run.metrics().rmse,)
        assert trial.values[0] / len(cases) >= min(before)
    assert found.best[0].is_complete


PURSUIT = 'docs/examples/tuned_pursuit.py:TunedPursuit'
KINDS: dict[str, Any] = {
    'tune': {'controller': {'choices': [None, PURSUIT]},
             'vehicle': {'choices': ['racecar', 'f1tenth']}, **GAIN,
             'controller.preview': {'range': [0.2, 1.0]}}}


def test_controllers_and_vehicles_are_sought_with_the_settings_that_they_have(tmp_path):
    storage = f"sqlite:///{tmp_path / 'study.db'}"
    found = tuned(**KINDS, trials=90, storage=storage)
    kinds = {(trial.parameters['controller'], trial.parameters['vehicle'])
             for trial in found.trials}
    assert len(kinds) == 4
    for trial in found.trials:
        assert ('controller.preview' in trial.parameters) == (
            trial.parameters['controller'] == PURSUIT)
    # What is kept is what a search goes on with.
    assert tuned(**KINDS, trials=90, storage=storage).trials == found.trials
    best, = found.best
    options = {name: best.parameters[name] for name in ('controller', 'vehicle')}
    settings = {name: value for name, value in best.parameters.items() if name not in options}
    run = racecar.simulate('kinematic_ode', trajectory='circle', duration=4.0, skip=1.0,
                           set={**LATE, **settings}, **options)
    assert run.metrics().rmse == best.values[0]


def test_vehicles_alone_are_compared():
    found = tuned(tune={'vehicle': {'choices': ['racecar', 'f1tenth']}}, trials=6,
                  set={'trajectory_tracker.Kp': 3.0})
    for trial in found.trials[:2]:
        run = racecar.simulate('kinematic_ode', trajectory='circle', duration=4.0, skip=1.0,
                               set={'trajectory_tracker.Kp': 3.0}, **trial.parameters)
        assert trial.values == (run.metrics().rmse,)
    assert {trial.parameters['vehicle'] for trial in found.trials} == {'racecar', 'f1tenth'}


class Losing(Cores):
    """Loses the points of which a test says so."""

    def __init__(self, lost):
        super().__init__(1)
        self.lost = lost

    def run(self, task, ranges):
        for first, count in ranges:
            for point in range(first, first + count):
                if point in self.lost:
                    yield Lost(point, 1, 'it took longer than 1 s')
                else:
                    yield from super().run(task, [(point, 1)])


def test_a_trial_that_hangs_counts_as_lost_and_says_why():
    tuning = make_tuning('kinematic_ode', {
        'tune': GAIN, 'trajectory': 'circle', 'duration': 1.0, 'trials': 4})
    found = TuneRun(tuning, cores=Losing({1, 3})).run()
    assert [trial.state for trial in found.trials] == ['complete', 'lost', 'complete', 'lost']
    assert found.trials[1].why == 'it took longer than 1 s'
    assert ('diverged or failed', '2', '') in found.as_rows()
    with pytest.raises(racecar.RunError, match='it took longer than 1 s'):
        TuneRun(tuning, cores=Losing(range(10))).run()


def test_a_full_disk_keeps_the_trials_that_were_stored(tmp_path):
    storage = tmp_path / 'study.db'
    first = tuned(trials=2, storage=f'sqlite:///{storage}')
    with growing_no_further_than(1), pytest.raises(
            racecar.ConfigurationError, match='cannot be written.*resume') as info:
        tuned(trials=6, storage=f'sqlite:///{storage}')
    assert '\n' not in str(info.value)
    assert tuned(trials=6, storage=f'sqlite:///{storage}').trials[:2] == first.trials


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
    ({'tune': {'vehicle': {'range': [1, 2]}}}, r"'vehicle' is .*expected \{choices: \[values\]\}"),
    ({'tune': {'vehicle': {'choices': ['racecra', 'f1tenth']}}}, 'racecra'),
    ({'tune': {'vehicle': {'choices': ['racecar']}}, 'cases': [{'vehicle': 'f1tenth'}]},
     "case .* has 'vehicle'"),
    ({'tune': {'controller': {'choices': [None]}, 'controller.gain': {'range': [0, 1]}}},
     "'controller.gain' changes nothing with any of None"),
    ({'controller': PURSUIT}, "'trajectory_tracker.Kp' changes nothing: .*TunedPursuit drives"),
    ({'tune': {'controller': {'choices': [PURSUIT]}, **GAIN}},
     "'trajectory_tracker.Kp' changes nothing with any of docs/examples/tuned_pursuit.py"),
    ({'trials': 0}, 'trials is 0, expected a whole number from 1'),
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


def test_one_controller_of_a_choice_drives_with_the_settings_that_it_has():
    whole = read_tuning('kinematic_ode', 'config/tuning/league.yaml')
    assert {'controller', 'controller.gain', 'controller.look_ahead'} < {*whole.space}
    alone = read_tuning('kinematic_ode', 'config/tuning/league.yaml', 'lqr')
    assert [*alone.space] == [
        'controller.heading_weight', 'controller.rate_weight', 'controller.steering_weight']
    assert len(alone.variants) == 1
    assert alone.digest != whole.digest


def test_settings_that_no_controller_of_a_choice_has_are_refused(tmp_path):
    file = tmp_path / 'tuning.yaml'
    file.write_text("""
tune:
  controller: {choices: [lqr, stanley]}
  controller.gain: {range: [0.5, 30.0]}
  controller.gian: {range: [0.5, 30.0]}
trajectory: raceline
set: {trajectory_tracker.raceline_file: racetrack_f1tenth_curvature}
""")
    with pytest.raises(racecar.RacecarError, match=r'gian'):
        read_tuning('kinematic_ode', file, 'stanley')


FILE = """
tune:
  trajectory_tracker.Kp: {range: [0.3, 30.0], log: true}
trajectory: circle
duration: 2
trials: 25
"""


def test_a_search_that_cannot_begin_leaves_no_folder(tmp_path, capsys, monkeypatch):
    def refuse(*_, **__):
        raise ConfigurationError('not installed')

    monkeypatch.setattr('racecar.cli.tune.TuneRun', refuse)
    file, folder = tmp_path / 'tuning.yaml', tmp_path / 'found'
    file.write_text(FILE)
    assert main(['tune', 'kinematic_ode', str(file), '-o', str(folder)]) == 1
    assert 'not installed' in capsys.readouterr().err
    assert not folder.exists()


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
    assert run.metrics().rmse == best
    page = (folder / 'report.html').read_text()
    assert f"racecar simulate --from {folder / 'best.run.yaml'}" in page
    capsys.readouterr()
    assert main(['simulate', '--from', str(folder / 'best.run.yaml'), '--json']) == 0
    assert json.loads(capsys.readouterr().out)['rmse'] == best


def test_files_of_a_front_are_of_ten_at_most_and_drive_as_their_trials(tmp_path, capsys):
    file, folder = tmp_path / 'tuning.yaml', tmp_path / 'found'
    file.write_text(FILE + 'objectives: [rmse, control_effort]\n')
    assert main(['tune', 'kinematic_ode', str(file), '-o', str(folder), '--json']) == 0
    said = json.loads(capsys.readouterr().out)
    assert len(said['run_files']) == min(len(said['best']), 10)
    ends = said['best'][0], said['best'][-1]
    for trial, run_file in zip(ends, (said['run_files'][0], said['run_files'][-1]), strict=True):
        assert main(['simulate', '--from', run_file, '--json']) == 0
        assert json.loads(capsys.readouterr().out)['rmse'] == trial['rmse']
    assert set(said['importances']) == {'rmse', 'control_effort'}


def test_effort_is_for_cars():
    with pytest.raises(racecar.ConfigurationError, match='control_effort.*differential_wheels'):
        racecar.tune('differential_wheels', objectives=['control_effort'], tune=GAIN, trials=1)
