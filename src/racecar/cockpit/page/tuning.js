// Copyright 2026 The racecar maintainers
// SPDX-License-Identifier: Apache-2.0
// The panel Tune: run-time parameters of the nodes, with the ranges of their tables.

import {make, setText, short, show, words} from './dom.js';

const STEPS = 1000;       // of a slider
const SETTLE = 40;        // ms between messages while a slider is dragged
const FAVOURITES = ['active', 'Kp', 'Ki', 'Kd', 'FFWD'];   // first in their node
const RARE = ['use_sim_time'];                             // last
const FIRST = [/tracker/, /linearizer|follower|bridge/];  // what people tune most

const isFinitePair = (one) => Number.isFinite(one.minimum) && Number.isFinite(one.maximum);

// A slider from 0 to STEPS for a range; where the range is much larger than the value, small
// values get more of the way.
function scaleOf({minimum, maximum, value}) {
  const span = maximum - minimum;
  const share = Math.abs(value - minimum) / span;
  const power = share >= 0.1 ? 1 : share > 0 ? Math.min(Math.log(share) / Math.log(0.4), 6)
    : span > 10 ? 3 : 1;
  return {
    value: (place) => minimum + span * (place / STEPS) ** power,
    place: (x) => STEPS * (Math.min(Math.max(x - minimum, 0), span) / span) ** (1 / power),
  };
}

// Two or three digits that matter, as nobody means more with a slider.
const rounded = (value, span) => {
  const digits = Math.max(0, Math.ceil(2 - Math.log10(Math.max(Math.abs(value), span * 1e-4))));
  return Number(value.toFixed(Math.min(digits, 9)));
};

class Row {
  constructor(node, parameter, send) {
    Object.assign(this, {node, parameter, send, confirmed: parameter.value, waiting: 0});
    const id = `${node}.${parameter.name}`;
    const help = `${id}-help`;
    const common = {id, 'aria-describedby': help, disabled: parameter.read_only};
    this.controls = [];
    const {type, choices} = parameter;
    if (choices && choices.length) {
      this.add(make('select', {...common, onchange: (event) => this.set(
        typeof parameter.value === 'number' ? Number(event.target.value) : event.target.value)},
      ...choices.map(String).map(
        (choice) => make('option', {value: choice, text: words(choice)}))));
    } else if (type === 'bool') {
      this.add(make('input', {...common, type: 'checkbox', class: 'switch', role: 'switch',
        onchange: (event) => this.set(event.target.checked)}));
    } else if (type === 'int' || type === 'float' || type === 'double' || type === 'integer') {
      this.addNumbers(common);
    } else {
      this.add(make('input', {...common, type: 'text',
        onchange: (event) => this.setText(event.target.value)}));
    }
    this.state = make('span', {class: 'state', role: 'status'});
    const name = make('label', {for: id, class: 'name', text: parameter.name});
    this.element = make('div', {class: `parameter ${this.slider ? 'with-slider' : ''}`,
      dataset: {parameter: id}}, name, ...this.controls, this.state,
    make('p', {class: 'help', id: help, text: parameter.description || ''}));
    this.element.classList.toggle('fixed', Boolean(parameter.read_only));
    this.write(parameter.value);
  }

  // What is being typed is not overwritten by a value that comes meanwhile.
  add(control) {
    this.controls.push(control);
    this.control = control;
    control.addEventListener('input', () => { this.isEdited = true; });
    control.addEventListener('change', () => { this.isEdited = false; });
  }

  addNumbers(common) {
    const {parameter} = this;
    const whole = parameter.type === 'int' || parameter.type === 'integer';
    if (isFinitePair(parameter) && !parameter.read_only) {
      this.scale = scaleOf(parameter);
      this.slider = make('input', {type: 'range', min: 0, max: STEPS, step: 'any',
        class: 'slider', 'aria-label': parameter.name,
        'aria-describedby': common['aria-describedby'],
        oninput: (event) => {
          const value = this.scale.value(Number(event.target.value));
          this.slide(whole ? Math.round(value)
            : rounded(value, parameter.maximum - parameter.minimum));
        },
        onkeydown: (event) => this.nudge(event, whole)});
      this.controls.push(this.slider);
    }
    this.add(make('input', {...common, type: 'number', step: whole ? 1 : 'any',
      min: Number.isFinite(parameter.minimum) ? parameter.minimum : null,
      max: Number.isFinite(parameter.maximum) ? parameter.maximum : null,
      onchange: (event) => {
        if (event.target.value !== '') { this.set(Number(event.target.value)); }
      }}));
  }

  // Arrow keys: a hundredth of the way, not of the range.
  nudge(event, whole) {
    const by = {ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10,
      PageDown: -10}[event.key];
    if (!by) { return; }
    event.preventDefault();
    const place = Math.min(Math.max(Number(this.slider.value) + by * STEPS / 100, 0), STEPS);
    const value = this.scale.value(place);
    const span = this.parameter.maximum - this.parameter.minimum;
    this.set(whole ? Math.round(value) + (Math.round(value) === this.confirmed ? Math.sign(by) : 0)
      : rounded(value, span));
  }

  // While dragged, the last value wins.
  slide(value) {
    this.control.value = short(value);
    this.later = value;
    this.timer ||= setTimeout(() => {
      this.timer = 0;
      this.set(this.later);
    }, SETTLE);
  }

  setText(text) {
    if (typeof this.parameter.value === 'string') { this.set(text); return; }
    try {
      this.set(JSON.parse(text));
    } catch {
      this.refuse(`${text || 'nothing'} is no value; a list is written as [1, 2]`);
    }
  }

  set(value) {
    this.waiting++;
    this.element.classList.remove('refused');
    setText(this.state, '');
    if (!this.send(this.node, this.parameter.name, value)) { this.refuse('not connected'); }
  }

  // The node has it.
  confirm(value) {
    this.confirmed = value;
    this.waiting = 0;
    this.element.classList.remove('refused');
    if (this.timer || this.isEdited) { return; }
    this.write(value);
  }

  refuse(text) {
    this.waiting = 0;
    this.isEdited = false;
    this.element.classList.add('refused');
    setText(this.state, text);
    this.write(this.confirmed);
  }

  write(value) {
    const {control} = this;
    if (control.type === 'checkbox') {
      control.checked = Boolean(value);
    } else if (typeof value === 'number') {
      control.value = control.tagName === 'SELECT' ? String(value) : short(value);
    } else {
      control.value = typeof value === 'string' ? value : JSON.stringify(value);
    }
    if (this.slider) {
      this.slider.value = this.scale.place(value);
      this.slider.setAttribute('aria-valuetext', short(value));
    }
  }
}

export class Tuning {
  constructor(box, send) {
    Object.assign(this, {box, send});
    this.rows = new Map();
    this.open = new Set();
    this.filter = make('input', {type: 'search', id: 'filter', placeholder: 'Filter parameters',
      'aria-label': 'Filter parameters', oninput: () => this.applyFilter()});
    this.fixed = make('input', {type: 'checkbox', id: 'show-fixed',
      onchange: () => this.applyFilter()});
    this.list = make('div', {class: 'nodes'});
    this.nothing = make('p', {class: 'lead', text: 'Parameters appear here once something runs.'});
    box.append(make('h2', {text: 'Tune'}), make('div', {class: 'filter'}, this.filter,
      make('label', {class: 'check'}, this.fixed, 'read-only too')), this.nothing, this.list);
  }

  show(nodes) {
    this.rows.clear();
    const rank = ({node}) => (FIRST.findIndex((one) => one.test(node)) + 9) % 9;
    const sorted = [...nodes].sort((a, b) => rank(a) - rank(b) || a.node.localeCompare(b.node));
    this.groups = sorted.filter(({parameters}) => parameters.length).map(
      ({node, parameters}, index) => {
        const place = ({name}) => RARE.includes(name) ? 99
          : FAVOURITES.includes(name) ? FAVOURITES.indexOf(name) : 50;
        const ordered = [...parameters].sort((a, b) => place(a) - place(b));
        const rows = ordered.map((parameter) => {
          const row = new Row(node, parameter, this.send);
          this.rows.set(`${node} ${parameter.name}`, row);
          return row;
        });
        const count = make('span', {class: 'count'});
        const details = make('details', {open: this.open.has(node) || index === 0,
          dataset: {node}, ontoggle: () => {
            if (!this.filter.value) { this.open[details.open ? 'add' : 'delete'](node); }
          }},
        make('summary', {}, make('span', {text: node.replace(/^\//, '')}), count),
        ...rows.map((row) => row.element));
        return {details, rows, count};
      });
    this.list.replaceChildren(...this.groups.map(({details}) => details));
    show(this.nothing, !this.groups.length);
    this.applyFilter();
  }

  applyFilter() {
    const text = this.filter.value.trim().toLowerCase();
    for (const {details, rows, count} of this.groups || []) {
      let shown = 0;
      for (const {element, parameter} of rows) {
        const fits = (!parameter.read_only || this.fixed.checked) && (!text
          || `${parameter.name} ${parameter.description}`.toLowerCase().includes(text));
        show(element, fits);
        shown += fits;
      }
      show(details, shown > 0);
      setText(count, String(shown));
      if (text) { details.open = true; }
    }
  }

  changed({node, name, value}) {
    const row = this.rows.get(`${node} ${name}`);
    if (row) { row.confirm(value); }
  }

  // An answer that says no; true if it was to a parameter.
  refused({node, name, text}) {
    const row = this.rows.get(`${node} ${name}`)
      || [...this.rows.values()].find((one) => one.waiting > 0);
    if (!row) { return false; }
    row.refuse(text);
    return true;
  }
}
