// Copyright 2026 The racecar maintainers
// SPDX-License-Identifier: Apache-2.0
// The panel Tune: run-time parameters of the nodes, with the ranges of their tables.

import {make, setText, short, show, words} from './dom.js';

const STEPS = 1000;       // of a slider
const REACH = 5;          // of a slider: a fifth of the default to five times as much
const REACH_OF_ZERO = 10; // of a slider whose default is 0
const SETTLE = 40;        // ms between messages while a slider is dragged
const ANSWER = 500;       // ms, in which answers to earlier values may come
const ONE_CHANGE = 1000;  // ms; what is changed again within that is undone at once
const MOST_CHANGES = 200; // that can be undone
const FAVOURITES = ['active', 'trajectory', 'Kp', 'Ki', 'Kd', 'FFWD'];  // first in their node
const FIRST = [/tracker/, /linearizer|follower|bridge/];  // what people tune most
const SHAPE = 'trajectory';
const SWITCHES = ['active'];  // what drives, not how: "All to defaults" leaves it

const isNumber = ({type}) => ['int', 'float', 'double', 'integer'].includes(type);

// The range of a slider about a default, within what is allowed; ratio: whether equal ways
// multiply by equal factors. Null where nothing says how large values are.
export function rangeOf({minimum, maximum, default: usual, range = ''}) {
  if (!Number.isFinite(usual)) { return null; }
  const least = Number.isFinite(minimum) ? minimum : -Infinity;
  const most = Number.isFinite(maximum) ? maximum : Infinity;
  const clamp = (low, high, ratio = false) => ({
    low: Math.max(low, least), high: Math.min(high, most), ratio});
  if (usual === 0) {
    return Number.isFinite(least) || Number.isFinite(most)
      ? clamp(least < 0 ? -REACH_OF_ZERO : 0, most > 0 ? REACH_OF_ZERO : 0) : null;
  }
  if (usual < 0 || least < 0) {
    return clamp(-REACH * Math.abs(usual), REACH * Math.abs(usual));
  }
  // An open end, as in (0, 1], is none that can be set.
  return most <= REACH * usual ? clamp(range.startsWith('(') ? most / 100 : 0, most)
    : clamp(usual / REACH, REACH * usual, true);
}

// A slider from 0 to STEPS for a range.
function scaleOf({low, high, ratio}) {
  const inside = (x) => Math.min(Math.max(x, low), high);
  return ratio ? {
    value: (place) => low * (high / low) ** (place / STEPS),
    place: (x) => STEPS * Math.log(inside(x) / low) / Math.log(high / low),
  } : {
    value: (place) => low + (high - low) * place / STEPS,
    place: (x) => STEPS * (inside(x) - low) / (high - low),
  };
}

// Two or three digits that matter, as nobody means more with a slider.
const rounded = (value, span) => {
  const digits = Math.max(0, Math.ceil(2 - Math.log10(Math.max(Math.abs(value), span * 1e-3))));
  return Number(value.toFixed(Math.min(digits, 9)));
};

const shown = (value) => typeof value === 'number' ? short(value)
  : typeof value === 'boolean' ? (value ? 'on' : 'off') : words(String(value));

class Row {
  // changes: the Changes that its values are noted in; heard: called when a value has come.
  constructor(node, parameter, {send, changes, heard}) {
    Object.assign(this, {node, parameter, send, changes, heard, confirmed: parameter.value,
      waiting: 0});
    this.usual = parameter.default ?? parameter.value;
    this.key = `${node} ${parameter.name}`;
    const id = `${node}.${parameter.name}`;
    const help = `${id}-help`;
    const common = {id, 'aria-describedby': help, disabled: parameter.read_only};
    this.controls = [];
    const {type, choices, unit, description = ''} = parameter;
    if (choices && choices.length) {
      // The report's numbers of the shapes stand for names that are there, too.
      const names = choices.map(String).filter(
        (one) => !/^\d+$/.test(one) || one === String(parameter.value));
      this.add(make('select', {...common, onchange: (event) => this.set(
        typeof parameter.value === 'number' ? Number(event.target.value) : event.target.value)},
      ...names.map((choice) => make('option', {value: choice, text: words(choice)}))));
    } else if (type === 'bool') {
      this.add(make('input', {...common, type: 'checkbox', class: 'switch', role: 'switch',
        onchange: (event) => this.set(event.target.checked)}));
    } else if (isNumber(parameter)) {
      this.addNumbers(common);
    } else {
      this.add(make('input', {...common, type: 'text',
        onchange: (event) => this.setText(event.target.value)}));
    }
    this.state = make('span', {class: 'state', role: 'status'});
    const {usual} = this, title = `Back to ${shown(usual)}, the value at the start`;
    this.back = parameter.read_only ? null : make('button', {type: 'button', title,
      class: 'quiet back', text: '\u21ba', 'aria-label': `${parameter.name}: ${title}`,
      onclick: () => this.set(usual)});
    const name = make('span', {class: 'name'}, make('label', {for: id, text: parameter.name}),
      unit && unit !== '-' ? make('span', {class: 'unit', text: ` [${unit}]`}) : null,
      parameter.read_only ? make('span', {class: 'unit', text: ' read-only'}) : null);
    this.element = make('div', {class: `parameter ${this.slider ? 'with-slider' : ''}`,
      dataset: {parameter: id}}, name, this.back, ...this.controls, this.state,
    make('p', {class: 'help', id: help, text: parameter.only_with || parameter.name === SHAPE
      ? `${description}; takes effect with the next Reset` : description}));
    this.element.classList.toggle('fixed', Boolean(parameter.read_only));
    this.write(parameter.value);
  }

  get isUsual() { return this.confirmed === this.usual; }

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
    const range = parameter.read_only ? null : rangeOf({...parameter, default: this.usual});
    if (range && range.high > range.low) {
      this.range = range;
      this.scale = scaleOf(range);
      const mark = make('span', {class: 'mark', title: `at the start: ${short(this.usual)}`});
      mark.style.setProperty('--place', String(this.scale.place(this.usual) / STEPS));
      this.slider = make('input', {type: 'range', min: 0, max: STEPS, step: 'any',
        'aria-label': parameter.name, 'aria-describedby': common['aria-describedby'],
        onpointerdown: () => { this.isHeld = true; },
        onpointerup: () => { this.isHeld = false; },
        onpointercancel: () => { this.isHeld = false; },
        oninput: (event) => this.slide(this.round(this.scale.value(Number(event.target.value)))),
        onkeydown: (event) => this.nudge(event)});
      this.controls.push(make('div', {class: 'slider'}, this.slider, mark));
    }
    this.whole = whole;
    this.add(make('input', {...common, type: 'number', step: whole ? 1 : 'any',
      min: Number.isFinite(parameter.minimum) ? parameter.minimum : null,
      max: Number.isFinite(parameter.maximum) ? parameter.maximum : null,
      onchange: (event) => {
        if (event.target.value !== '') { this.set(Number(event.target.value)); }
      }}));
  }

  round(value) {
    const {low, high} = this.range;
    return this.whole ? Math.round(value)
      : Math.min(Math.max(rounded(value, high - low), low), high);
  }

  // Arrow keys: a hundredth of the way.
  nudge(event) {
    const by = {ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10,
      PageDown: -10}[event.key];
    if (!by) { return; }
    event.preventDefault();
    const place = Math.min(Math.max(Number(this.slider.value) + by * STEPS / 100, 0), STEPS);
    const value = this.round(this.scale.value(place));
    this.slider.value = place;
    this.set(this.whole && value === this.confirmed ? value + Math.sign(by) : value);
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

  // isNoted: whether it can be undone.
  set(value, isNoted = true) {
    if (isNoted) { this.changes.note(this); }
    this.waiting++;
    Object.assign(this, {sent: value, sentAt: performance.now()});
    this.calm();
    if (!this.send(this.node, this.parameter.name, value)) { this.refuse('not connected'); }
  }

  // Forget what was refused.
  calm() {
    this.element.classList.remove('refused');
    setText(this.state, '');
  }

  // The node has it.
  confirm(value) {
    this.confirmed = value;
    this.waiting = 0;
    this.heard(this);
    clearTimeout(this.settling);
    const left = value === this.sent ? 0 : ANSWER - (performance.now() - this.sentAt || ANSWER);
    if (left > 0) {
      this.settling = setTimeout(() => this.writeConfirmed(), left);
    } else {
      this.writeConfirmed();
    }
  }

  writeConfirmed() {
    if (!this.timer && !this.isEdited) { this.write(this.confirmed); }
  }

  refuse(text) {
    this.waiting = 0;
    this.isEdited = false;
    this.changes.drop(this);
    this.element.classList.add('refused');
    setText(this.state, text);
    this.write(this.confirmed);
  }

  write(value) {
    const {control} = this;
    this.back?.classList.toggle('needed', !this.isUsual);
    if (control.type === 'checkbox') {
      control.checked = Boolean(value);
    } else if (typeof value === 'number') {
      control.value = control.tagName === 'SELECT' ? String(value) : short(value);
      control.dataset.sent = control.value;
    } else {
      control.value = typeof value === 'string' ? value : JSON.stringify(value);
    }
    if (this.slider) {
      this.slider.value = this.scale.place(value);
      this.slider.setAttribute('aria-valuetext', short(value));
    }
  }
}

// What was changed in the panel, to be undone; each change is a list of rows' keys and values.
class Changes {
  constructor(changed) {
    Object.assign(this, {list: [], changed});
  }

  // Before a row is set; what goes on is one change.
  note(row) {
    const last = this.list.at(-1), now = performance.now();
    if (last && last.rows.length === 1 && last.rows[0].key === row.key
        && (row.isHeld || now - last.time < ONE_CHANGE)) {
      last.time = now;
    } else {
      this.add([row]);
    }
  }

  // Before several rows are set together.
  add(rows) {
    this.list.push({time: performance.now(),
      rows: rows.map(({key, confirmed}) => ({key, value: confirmed}))});
    this.list.splice(0, this.list.length - MOST_CHANGES);
    this.changed();
  }

  // A value that was refused has changed nothing.
  drop(row) {
    const last = this.list.at(-1);
    if (last && last.rows.length === 1 && last.rows[0].key === row.key
        && last.rows[0].value === row.confirmed) { this.take(); }
  }

  take() {
    const last = this.list.pop();
    this.changed();
    return last;
  }

  clear() {
    this.list.length = 0;
    this.changed();
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
    this.undoButton = make('button', {type: 'button', text: 'Undo', onclick: () => this.undo(),
      'aria-keyshortcuts': 'Control+Z'});
    this.allButton = make('button', {type: 'button', text: 'All to defaults',
      title: 'All values as at the start of the run', onclick: () => this.resetAll()});
    this.changes = new Changes(() => this.showButtons());
    box.append(make('h2', {text: 'Tune'}), make('div', {class: 'filter'}, this.filter,
      make('label', {class: 'check'}, this.fixed, 'show read-only'), this.undoButton,
      this.allButton), this.nothing, this.list);
    this.showButtons();
    document.addEventListener('keydown', (event) => {
      const {ctrlKey, metaKey, shiftKey, key, target} = event;
      const types = target.matches?.('input[type=number], input[type=text], input[type=search]');
      if (key.toLowerCase() !== 'z' || !(ctrlKey || metaKey) || shiftKey
          || document.body.dataset.tab !== 'tune' || types && target.value !== target.dataset.sent
          || !this.changes.list.length) { return; }
      event.preventDefault();
      this.undo();
    });
  }

  // Something else runs now.
  clear() {
    this.changes.clear();
    this.show([]);
  }

  show(nodes) {
    this.rows.clear();
    const rank = ({node}) => (FIRST.findIndex((one) => one.test(node)) + 9) % 9;
    const sorted = [...nodes].sort((a, b) => rank(a) - rank(b) || a.node.localeCompare(b.node));
    const options = {send: this.send, changes: this.changes, heard: (row) => this.heard(row)};
    this.groups = sorted.filter(({parameters}) => parameters.length).map(
      ({node, parameters}, index) => {
        const place = ({name}) => FAVOURITES.includes(name) ? FAVOURITES.indexOf(name) : 50;
        const ordered = [...parameters].sort((a, b) => place(a) - place(b));
        const rows = ordered.map((parameter) => {
          const row = new Row(node, parameter, options);
          this.rows.set(row.key, row);
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
    this.showButtons();
  }

  // Whether a parameter means anything with the others as they are.
  counts({node, parameter: {only_with: condition}}) {
    const other = condition && this.rows.get(`${node} ${condition.name}`);
    return !other || condition.values.includes(other.confirmed);
  }

  applyFilter() {
    const text = this.filter.value.trim().toLowerCase();
    for (const {details, rows, count} of this.groups || []) {
      let shown = 0;
      for (const row of rows) {
        const {element, parameter} = row;
        const fits = (!parameter.read_only || this.fixed.checked) && this.counts(row) && (!text
          || `${parameter.name} ${parameter.description}`.toLowerCase().includes(text));
        show(element, fits);
        shown += fits;
      }
      show(details, shown > 0);
      setText(count, String(shown));
      if (text) { details.open = true; }
    }
  }

  showButtons() {
    const {list} = this.changes, last = list.at(-1);
    this.undoButton.disabled = !last;
    this.undoButton.title = !last ? 'Nothing to undo' : last.rows.length > 1
      ? `Undo ${last.rows.length} changes` : `${last.rows[0].key.split(' ')[1]} back to ${
        shown(last.rows[0].value)} (Ctrl+Z)`;
    this.allButton.disabled = !this.changed.length;
  }

  // Rows that have another value than at the start.
  get changed() {
    return [...this.rows.values()].filter(({isUsual, parameter}) => !isUsual
      && !parameter.read_only && !SWITCHES.includes(parameter.name));
  }

  undo() {
    const change = this.changes.list.length && this.changes.take();
    for (const {key, value} of change ? change.rows : []) {
      this.rows.get(key)?.set(value, false);
    }
  }

  resetAll() {
    const rows = this.changed;
    this.changes.add(rows);
    for (const row of rows) { row.set(row.usual, false); }
  }

  // A value has come, so what was refused before is over.
  heard(row) {
    this.calm();
    this.showButtons();
    if (FAVOURITES.includes(row.parameter.name)) { this.applyFilter(); }
  }

  // Forget what was refused.
  calm() {
    for (const row of this.rows.values()) { row.calm(); }
  }

  take({node, name, value}) {
    this.rows.get(`${node} ${name}`)?.confirm(value);
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
