// Copyright 2026 The racecar maintainers
// SPDX-License-Identifier: Apache-2.0
// The cars in a world: which one is followed, their colours, and the list to choose from.

import {make, number, setText, show} from './dom.js';

const PERIOD = 200;  // ms
// After Okabe and Ito, but for the blue of the only car.
const COLOURS = ['#e69f00', '#009e73', '#cc79a7', '#d55e00', '#56b4e9', '#f0e442'];
const NO_LAPS = {count: 0, last: null, best: null, begun: null};
const NO_COLLISIONS = {count: 0, in_contact: false, time: 0};

// A colour as #rrggbb, if a name is that of one.
function colourNamed(name) {
  if (!CSS.supports('color', name)) { return null; }
  const context = document.createElement('canvas').getContext('2d');
  context.fillStyle = name;
  return context.fillStyle.startsWith('#') ? context.fillStyle : null;
}

export class Cars {
  // box: of the list; followed(): called when another car is followed; coloured(number, colour):
  // called with the colour of each car, null for the only one.
  constructor(box, {followed, coloured}) {
    Object.assign(this, {box, whenFollowed: followed, coloured, next: 0});
    this.clear();
  }

  clear() {
    this.cars = new Map();  // number: {name, colour, laps, collisions, row}
    this.chosen = null;
    this.box.replaceChildren();
    show(this.box, false);
  }

  get numbers() { return [...this.cars.keys()].sort((one, other) => one - other); }
  get first() { return this.numbers[0]; }
  get followed() { return this.cars.has(this.chosen) ? this.chosen : this.first; }
  get isFirst() { return this.followed === this.first; }
  get lapsOfFollowed() { return this.cars.get(this.followed)?.laps ?? NO_LAPS; }
  get collisionsOfFollowed() { return this.cars.get(this.followed)?.collisions ?? NO_COLLISIONS; }

  // What is kept of a car, which may have laps before it is described.
  of(robot = 0) {
    if (!this.cars.has(robot)) {
      this.cars.set(robot, {
        name: '', colour: null, laps: NO_LAPS, collisions: NO_COLLISIONS, row: null});
    }
    return this.cars.get(robot);
  }

  set({robot, car, name}) {
    const known = this.of(robot);
    known.name = car || name;
    known.colour = colourNamed(known.name) ?? COLOURS[robot % COLOURS.length];
    const several = this.cars.size > 1;
    for (const [one, {colour}] of this.cars) { this.coloured(one, several ? colour : null); }
    this.list();
  }

  setLaps(message) { this.of(message.robot).laps = message; }

  setCollisions(message) { this.of(message.robot).collisions = message; }

  follow(robot) {
    if (robot === this.followed || !this.cars.has(robot)) { return; }
    this.chosen = robot;
    this.press();
    this.whenFollowed();
  }

  followNext() {
    const {numbers} = this;
    this.follow(numbers[(numbers.indexOf(this.followed) + 1) % numbers.length]);
  }

  list() {
    show(this.box, this.cars.size > 1);
    this.box.replaceChildren(...this.numbers.map((robot) => {
      const car = this.cars.get(robot);
      const dot = make('span', {class: 'dot', 'aria-hidden': 'true'});
      dot.style.background = car.colour;
      car.row = {speed: make('span'), laps: make('span'), collisions: make('span', {class: 'bad'})};
      car.button = make('button', {
        type: 'button', title: `Follow ${car.name} (N: the next)`,
        onclick: () => this.follow(robot)},
      dot, make('b', {text: car.name}), car.row.speed, car.row.laps, car.row.collisions);
      return car.button;
    }));
    this.press();
  }

  press() {
    for (const [robot, {button}] of this.cars) {
      button?.setAttribute('aria-pressed', String(robot === this.followed));
    }
  }

  draw(histories, now) {
    if (now < this.next || this.cars.size < 2) { return; }
    this.next = now + PERIOD;
    for (const [robot, {row, laps, collisions}] of this.cars) {
      const history = histories.get(robot);
      if (!row || !history?.length) { continue; }
      setText(row.speed, `${number(history.last('speed'), 1)} m/s`);
      setText(row.laps, laps.begun === null && !laps.count ? ''
        : `lap ${laps.count + 1}${laps.best === null ? '' : ` · ${number(laps.best, 2)} s`}`);
      setText(row.collisions, collisions.count ? `✕ ${collisions.count}` : '');
    }
  }
}
