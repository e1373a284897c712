// Copyright 2026 The racecar maintainers
// SPDX-License-Identifier: Apache-2.0
// The panel Drive: who drives, taking the wheel, and for a car with a driver its gears and lamps.

import {byId, gearName, make, setText, show, words} from './dom.js';

const INDICATORS = [['left', '◀', 'Left'], ['hazard', '▲', 'Hazard'], ['right', '▶', 'Right'],
  ['off', '○', 'Off']];

// A phone that is held across has a pad for each thumb.
const twoThumbs = matchMedia('(orientation: landscape) and (max-height: 500px)');

// way: `steering` or `speed` of a pad for one thumb of two; else both.
function touchPad(element, driving, way) {
  const stick = element.querySelector('.stick');
  const clamp = (value) => Math.min(Math.max(value, -1), 1);
  const soft = (value) => Math.sign(value) * value * value;
  const move = (event) => {
    const {left, top, width, height} = element.getBoundingClientRect();
    const axes = {x: way() !== 'speed', y: way() !== 'steering'};
    const x = axes.x ? clamp((event.clientX - left - width / 2) / (width * 0.4)) : 0;
    const y = axes.y ? clamp((event.clientY - top - height / 2) / (height * 0.4)) : 0;
    stick.style.transform = `translate(${x * 0.36 * width}px, ${y * 0.36 * height}px)`;
    driving.touch({...axes.y ? {ahead: -soft(y)} : {}, ...axes.x ? {left: -soft(x)} : {}});
  };
  const end = () => {
    stick.style.transform = '';
    driving.touch({...way() === 'steering' ? {} : {ahead: null},
      ...way() === 'speed' ? {} : {left: null}});
  };
  element.addEventListener('pointerdown', (event) => {
    if (!driving.mayDrive()) { return; }
    event.preventDefault();
    element.setPointerCapture(event.pointerId);
    move(event);
  });
  element.addEventListener('pointermove', (event) => {
    if (element.hasPointerCapture(event.pointerId)) { move(event); }
  });
  for (const type of ['pointerup', 'pointercancel', 'lostpointercapture']) {
    element.addEventListener(type, end);
  }
}

// Sources of command muxes, as people call them.
const SOURCES = {Teleoperation: 'manual control', Safety: 'safety stop', Driver: 'driver'};

// A slider for a share in `values[name]`.
function share(id, label, values, name) {
  const percent = () => `${Math.round(values[name] * 100)} %`;
  const text = make('output', {for: id, text: percent()});
  return make('div', {class: 'field slider-field'}, make('label', {for: id, text: label}),
    make('input', {type: 'range', id, min: 10, max: 100, step: 5, value: values[name] * 100,
      oninput: (event) => {
        values[name] = Number(event.target.value) / 100;
        setText(text, percent());
      }}), text);
}

// What tells the names of muxes apart: the parts of their paths that not all of them have.
function headings(names) {
  const parts = names.map((name) => name.split(/[/.]/).filter(Boolean));
  return parts.map((own, i) => own.filter(
    (part) => names.length === 1 || !parts.every((other) => other.includes(part))).join(' ')
    || names[i]).map(words);
}

export class Wheel {
  constructor(box, driving) {
    this.driving = driving;
    this.car = null;
    this.lamps = {};
    this.gear = 0;
    this.indicator = 'off';
    this.manual = make('input', {type: 'checkbox', class: 'switch', role: 'switch', id: 'manual',
      'aria-describedby': 'manual-help', onchange: (event) => {
        driving.setManual(event.target.checked);
      }});
    this.manualHelp = make('p', {class: 'help', id: 'manual-help',
      text: 'You hold the wheel all the time, also with no key held; the controller rests. Off'
        + ' with Esc, and by itself when you leave the page.'});
    this.touchSwitch = make('input', {type: 'checkbox', class: 'switch', role: 'switch',
      id: 'show-touch', checked: matchMedia('(pointer: coarse)').matches,
      onchange: () => this.refresh()});
    this.state = make('p', {class: 'wheel-state', role: 'status'});
    this.gamepad = make('p', {class: 'soft small'});
    this.carBox = make('div', {class: 'car', hidden: true});
    this.muxTitle = make('h3', {text: 'Command sources', hidden: true});
    this.muxBox = make('div', {class: 'muxes'});
    box.append(make('h2', {text: 'Drive'}), this.state,
      make('div', {class: 'field flag'}, this.manual,
        make('label', {for: 'manual', text: 'Manual mode'}), this.manualHelp),
      share('most-speed', 'Maximum speed (throttle)', driving.most, 'ahead'),
      share('most-steering', 'Maximum steering angle', driving.most, 'left'),
      make('div', {class: 'field flag'}, this.touchSwitch,
        make('label', {for: 'show-touch', text: 'Touch pad in the scene'})),
      this.gamepad, this.carBox, this.muxTitle, this.muxBox);
    touchPad(byId('touch'), driving, () => twoThumbs.matches ? 'steering' : 'both');
    touchPad(byId('throttle'), driving, () => 'speed');
    twoThumbs.addEventListener('change', () => this.refresh());
    driving.gear = (step) => this.shift(step);
    this.text = '';
  }

  refresh() {
    const {driving} = this;
    const may = driving.mayDrive();
    this.manual.checked = driving.manual;
    this.manual.disabled = !may;
    show(byId('touch'), may && this.touchSwitch.checked);
    show(byId('throttle'), may && this.touchSwitch.checked && twoThumbs.matches);
    const held = driving.holding || driving.manual;
    document.body.classList.toggle('holding', held);
    setText(this.state, !may ? 'Nothing to drive yet.'
      : driving.contested ? 'Another page drives.'
        : driving.holding ? 'You drive.'
          : driving.manual ? 'You have the wheel.'
            : this.touchSwitch.checked ? 'Drag the touch pad, or hold W A S D, to drive.'
              : 'Hold W A S D or the arrow keys to drive.');
    const own = driving.holding && (driving.usesPedals ? /driver/i : /teleop/i).test(this.text);
    setText(byId('who'), own ? 'you' : this.text ? this.sourceName(this.text) : 'nobody');
    setText(this.gamepad, driving.gamepadName ? `Gamepad: ${driving.gamepadName}` : '');
  }

  // The source of a mux as people call it; what navigates follows a path where there is one.
  sourceName(name) {
    return name === 'Navigation' ? this.hasPath ? 'tracker' : 'controller' : SOURCES[name] || name;
  }

  setPath(has) {
    this.hasPath = has;
    this.refresh();
  }

  // driving: whether this page drives, as the server sees it; by: who does.
  setDriver({driving, by}) {
    this.driving.contested = !driving && by === 'another page';
    this.refresh();
  }

  setCar(car) {
    this.car = car && (car.gears || car.gears === 0) ? car : null;
    this.driving.usesPedals = Boolean(this.car);
    show(this.carBox, Boolean(this.car));
    document.body.classList.toggle('with-driver', Boolean(this.car));
    if (!this.car) { return; }
    if (!this.gearButtons || this.gears !== car.gears) { this.build(car); }
    this.setGear(car.gear ?? this.gear);
    this.indicator = car.indicator ?? this.indicator;
    this.refreshCar();
  }

  build(car) {
    this.gears = car.gears;
    // gears: how many forwards, or all of them by number.
    const numbers = Array.isArray(car.gears) ? car.gears
      : [-1, 0, ...Array.from({length: car.gears}, (_, index) => index + 1)];
    this.gearNumbers = numbers;
    const spoken = (gear) => gear < 0 ? 'Reverse' : gear ? `Gear ${gear}` : 'Neutral';
    this.gearButtons = numbers.map((gear) => make('button', {type: 'button', dataset: {gear},
      'aria-pressed': 'false', 'aria-label': spoken(gear),
      text: gearName(gear),
      onclick: () => this.driving.withWheel('gear', {value: gear})}));
    this.indicatorButtons = INDICATORS.map(([value, sign, label]) => make('button', {
      type: 'button', dataset: {indicator: value}, 'aria-pressed': 'false', title: label,
      'aria-label': `Indicator: ${label}`, text: sign,
      onclick: () => this.indicate(value)}));
    this.lampButtons = ['dipped_beams', 'antifog_lights'].map((name) => make('button', {
      type: 'button', dataset: {lamp: name}, 'aria-pressed': 'false', text: words(name),
      onclick: () => this.toggleLamp(name)}));
    this.carBox.replaceChildren(make('h3', {text: 'Car'}),
      make('div', {class: 'segments gears', role: 'group', 'aria-label': 'Gear'},
        ...this.gearButtons),
      make('div', {class: 'segments', role: 'group', 'aria-label': 'Indicators'},
        ...this.indicatorButtons),
      make('div', {class: 'segments', role: 'group', 'aria-label': 'Lamps'},
        ...this.lampButtons));
  }

  setGear(gear) {
    this.gear = gear;
    for (const button of this.gearButtons || []) {
      button.setAttribute('aria-pressed', String(Number(button.dataset.gear) === gear));
    }
  }

  shift(step) {
    if (!this.car || !this.driving.mayDrive()) { return; }
    const numbers = this.gearNumbers, index = numbers.indexOf(this.gear);
    const next = numbers[Math.min(Math.max(index + step, 0), numbers.length - 1)];
    if (next !== undefined && next !== this.gear) { this.driving.withWheel('gear', {value: next}); }
  }

  indicate(value) {
    if (!this.car) { return; }
    this.driving.withWheel('indicator', {value: value === this.indicator ? 'off' : value});
  }

  toggleLamp(name) {
    if (!this.car) { return; }
    const lit = {dipped_beams: 'front', antifog_lights: 'antifog'}[name];
    this.driving.withWheel('lamp', {name, on: !this.lamps[lit]});
  }

  setLamps(lamps) {
    this.lamps = lamps;
    this.refreshCar();
  }

  refreshCar() {
    for (const button of this.indicatorButtons || []) {
      const {indicator} = button.dataset;
      button.setAttribute('aria-pressed', String(indicator === this.indicator));
      button.classList.toggle('lit', indicator === 'left' ? Boolean(this.lamps.left_indicator)
        : indicator === 'right' ? Boolean(this.lamps.right_indicator) : false);
    }
    for (const button of this.lampButtons || []) {
      const lit = button.dataset.lamp === 'dipped_beams' ? this.lamps.front : this.lamps.antifog;
      button.setAttribute('aria-pressed', String(Boolean(lit)));
    }
  }

  setMuxes(muxes) {
    const titles = headings(muxes.map(({name}) => name));
    const boxOf = ({active, inputs}, index) => make(
      'div', {class: 'mux'}, make('h4', {text: titles[index]}),
      make('ul', {}, ...[...inputs].sort((a, b) => b.priority - a.priority).map((input) => make(
        'li', {class: input.name === active ? 'active' : input.alive ? 'alive' : '',
          'aria-current': input.name === active ? 'true' : null},
        make('span', {class: 'dot'}), make('span', {class: 'name', text: this.sourceName(input.name), title: input.name}),
        make('span', {class: 'what', text: input.name === active ? 'in control'
          : input.alive ? 'waits' : ''}),
        make('span', {class: 'priority', title: 'priority', text: String(input.priority)})))));
    this.muxBox.replaceChildren(...muxes.map(boxOf));
    const byHand = ({inputs}) => inputs.some(({name}) => /teleop/i.test(name));
    const mux = muxes.find(byHand) || muxes[0];
    this.text = mux && mux.inputs.some(({name}) => name === mux.active) ? mux.active : '';
    show(this.muxTitle, muxes.length > 0);
    show(byId('drives'), muxes.length > 0);
    byId('drives').classList.toggle('someone', Boolean(this.text));
    this.refresh();
  }
}
