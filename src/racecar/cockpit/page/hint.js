// Copyright 2026 The racecar maintainers
// SPDX-License-Identifier: Apache-2.0
// What a person should know or do, over the scene: runs to begin with at one press, and what came
// of the one before.

import {make, setText, show} from './dom.js';

// Drawings of 48 x 28: a figure eight, a track with its laser, keys, a gear lever.
const RUNS = [
  {title: 'Follow a figure eight', text: 'a trajectory tracker steers the car',
    configuration: 'kinematic_ode', options: {},
    drawing: ['M24 14C30 4 44 3 44 14S30 24 24 14 4 3 4 14 18 24 24 14z']},
  {title: 'Follow a race track', text: 'between walls, with a lidar',
    configuration: 'kinematic_ode',
    options: {world: 'racetrack', waypoints: 'racetrack', sensors: ['laser']},
    drawing: ['M12 3h24c12 0 12 10 3 11s-3 11-13 11H12C0 25 0 3 12 3z',
      'M13 9h21c4 0 4 2 1 2.500-8 1.500-4 7.500-10 7.500H13c-5 0-5-10 0-10z']},
  {title: 'Drive by yourself', text: 'hold W A S D on the race track', configuration: 'teleop',
    options: {world: 'racetrack', sensors: ['laser']},
    drawing: ['M19 2h10v10H19zM8 15h10v10H8zM19 15h10v10H19zM30 15h10v10H30z',
      'M24 9V5m-2 2 2-2 2 2M15 20h-4m2-2-2 2 2 2M33 20h4m-2-2 2 2-2 2M24 18v4m-2-2 2 2 2-2']},
  {title: 'Drive a road car', text: 'with pedals, gears and lamps', configuration: 'driver',
    options: {vehicle: 'tesla_model3'},
    drawing: ['M4 20v-5l5-2 5-7c1-1 2-2 4-2h11c2 0 3 1 4 2l6 7c4 1 5 2 5 5v2h-4m-20 0h15M8 20H4',
      'M10 20a4 4 0 1 0 8 0 4 4 0 1 0-8 0zM32 20a4 4 0 1 0 8 0 4 4 0 1 0-8 0z']},
];

function drawingOf(paths) {
  const name = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(name, 'svg');
  svg.setAttribute('viewBox', '0 0 48 28');
  svg.setAttribute('aria-hidden', 'true');
  for (const d of paths) {
    const path = document.createElementNS(name, 'path');
    path.setAttribute('d', d);
    svg.append(path);
  }
  return svg;
}

// Whether a server has a configuration with these options.
function isKnown({configuration, options}, configurations) {
  const found = configurations.find(({name}) => name === configuration);
  return found && !found.unavailable && Object.entries(options).every(([name, value]) => {
    const option = found.options.find((one) => one.name === name);
    return option && [value].flat().every((one) => (option.choices || []).includes(one));
  });
}

export class Hint {
  // start(configuration, options): called by a press on one of the runs; look(configuration,
  // options): while the pointer is over it, and without arguments when it leaves.
  constructor(box, {start, look}) {
    Object.assign(this, {box, start, look, files: null});
    this.title = make('h2');
    this.text = make('p');
    this.links = make('div', {class: 'links'});
    this.runs = make('div', {class: 'runs'});
    this.close = make('button', {type: 'button', class: 'quiet close', 'aria-label': 'Close',
      text: '\u2715', onclick: () => this.hide()});
    box.append(this.close, this.title, this.text, this.links, this.runs);
  }

  // kind: `start` with nothing in the scene, `result` beside the car, or neither.
  say(title, text = '', kind = '') {
    show(this.box, Boolean(title));
    setText(this.title, title);
    setText(this.text, text);
    this.box.className = `hint ${kind}`;
    this.box.removeAttribute('role');
    this.files = null;
    this.lacksText = false;
    this.links.replaceChildren();
    this.runs.replaceChildren();
  }

  hide() { this.say(''); }

  // A run has ended; result: {text, links: [{text, address}], files} if it has left something;
  // isBad: not as it should.
  result(title, text, {result, configurations, isBad}) {
    this.say(title, result?.text || text, isBad ? 'result bad' : 'result');
    this.box.setAttribute('role', isBad ? 'alert' : 'status');
    this.files = result?.files;
    this.lacksText = !result && !isBad;
    this.links.replaceChildren(...(result?.links || []).map(({text: name, address}) => make('a', {
      href: address, target: '_blank', rel: 'noopener', text: name})));
    this.offerRuns(configurations);
  }

  // Of a run that has left nothing to speak of it.
  setSummary(text) {
    if (this.lacksText && text) { setText(this.text, text); }
  }

  // Nobody serves what the links of a result lead to any more.
  withoutLinks() {
    if (!this.files) { return; }
    this.links.replaceChildren(...this.files.map((file) => make('code', {text: file})));
  }

  // Nothing runs: offer what these configurations can.
  offer(configurations) {
    this.say('Pick a demo', 'Or set up a run in the panel and press Start.', 'start');
    this.offerRuns(configurations);
  }

  offerRuns(configurations) {
    this.runs.replaceChildren(...RUNS.filter((run) => isKnown(run, configurations)).map(
      ({title, text, configuration, options, drawing}) => make('button', {type: 'button',
        onclick: () => this.start(configuration, options),
        onpointerenter: () => this.look(configuration, options), onpointerleave: () => this.look()},
      drawingOf(drawing), make('b', {text: title}), make('span', {text}))));
  }
}
