// Copyright 2026 The racecar maintainers
// SPDX-License-Identifier: Apache-2.0
// The panel Run: choose a configuration and its options.

import {byId, make, show, words} from './dom.js';

const SHOWN_AT_ONCE = ['vehicle', 'trajectory', 'waypoints', 'world', 'sensors'];
const STORE = 'racecar-cockpit-setup';

function remembered() {
  try {
    return JSON.parse(sessionStorage.getItem(STORE)) || {};
  } catch {
    return {};
  }
}

export class Setup {
  constructor(box) {
    this.box = box;
    this.chosen = remembered();  // {name, options: {configuration: {option: value}}}
    this.chosen.options ||= {};
  }

  // name: of what runs, where another command has started it.
  show(configurations, mode, name = '') {
    this.configurations = configurations || [];
    if (mode !== 'cockpit' || !this.configurations.length) {
      const drive = ' To drive it, hold a key or use the panel Drive.';
      const [title, text] = {
        replay: ['Recording',
          'Play the recording with the bar below the scene, or drag its time.'],
        watch: ['Run', `This page shows ${words(name)}, and its result when it has ended.${drive}`],
      }[mode] || ['Running stack', `This page watches a stack that was started elsewhere.${drive}`];
      this.box.replaceChildren(make('h2', {text: title}), make('p', {class: 'lead', text}));
      return;
    }
    this.list = make('select', {id: 'configuration', onchange: () => this.choose()},
      ...this.configurations.map(({name}) => make('option', {value: name, text: words(name)})));
    if (this.configurations.some(({name}) => name === this.chosen.name)) {
      this.list.value = this.chosen.name;
    }
    this.summary = make('p', {class: 'lead', id: 'configuration-summary'});
    this.fields = make('div', {class: 'fields'});
    this.box.replaceChildren(
      make('h2', {text: 'Run'}),
      make('div', {class: 'field'}, make('label', {for: 'configuration', text: 'Configuration'}),
        this.list), this.summary, this.fields,
      make('p', {class: 'soft small', id: 'restart-hint', hidden: true,
        text: 'Start anew for changes here to take effect.'}));
    this.choose();
  }

  get configuration() {
    return this.configurations.find(({name}) => name === this.list.value);
  }

  // Whether a person drives in a configuration, as no trajectory is followed.
  isDriven(name) {
    return this.configurations.some((one) => one.name === name && !one.follows_trajectory);
  }

  choose(name = null) {
    if (name && this.configurations.some((one) => one.name === name)) { this.list.value = name; }
    const configuration = this.configuration;
    this.chosen.name = configuration.name;
    this.summary.textContent = configuration.summary;
    const values = this.chosen.options[configuration.name] ||= {};
    const isMain = ({name: option}) => SHOWN_AT_ONCE.includes(option);
    const rows = configuration.options.map((option) => [option, this.field(option, values)]);
    const more = rows.filter(([option]) => !isMain(option)).map(([, row]) => row);
    this.fields.replaceChildren(
      ...rows.filter(([option]) => isMain(option)).map(([, row]) => row),
      ...more.length ? [make('details', {class: 'more'},
        make('summary', {text: 'More options'}), ...more)] : []);
    this.keep();
  }

  // Show what runs, as another page may have started it.
  running(name, options) {
    if (!this.list || !name) { return; }
    if (options) { this.chosen.options[name] = {...options}; }
    this.choose(name);
  }

  keep() {
    try {
      sessionStorage.setItem(STORE, JSON.stringify(this.chosen));
    } catch { /* A browser that keeps nothing. */ }
    show(byId('restart-hint'), document.body.dataset.state === 'running');
  }

  // A track is a world and a line of waypoints with one name: who chooses the one wants both.
  pair(values, world) {
    const line = this.box.querySelector('#option-waypoints');
    if (!line || !['', values.world ?? ''].includes(line.value)) { return; }
    const found = [...line.options].some(({value}) => value && value === world);
    const chosen = found ? world : '';
    if (line.value !== chosen) {
      line.value = chosen;
      line.dispatchEvent(new Event('change'));
    }
  }

  field(option, values) {
    const id = `option-${option.name}`;
    const set = (value) => {
      if (option.name === 'world') { this.pair(values, value); }
      if (value === '' || value === null || value === Boolean(option.default)
          || Array.isArray(value) && !value.length) {
        delete values[option.name];
      } else {
        values[option.name] = value;
      }
      this.keep();
    };
    const now = values[option.name] ?? option.default;
    const label = make('label', {for: id, text: words(option.name)});
    const help = make('p', {class: 'help', id: `${id}-help`, text: option.help || '',
      hidden: !option.help});
    const common = {id, 'aria-describedby': `${id}-help`};
    if (option.kind === 'flag') {
      return make('div', {class: 'field flag'}, make('input', {...common, type: 'checkbox',
        checked: Boolean(now), onchange: (event) => set(event.target.checked)}), label, help);
    }
    if (option.kind === 'names') {
      const chosen = new Set(now || []);
      return make('fieldset', {class: 'field names'}, make('legend', {text: words(option.name)}),
        ...(option.choices || []).map((name) => make('label', {class: 'chip'},
          make('input', {type: 'checkbox', checked: chosen.has(name), name: id, value: name,
            onchange: (event) => {
              chosen[event.target.checked ? 'add' : 'delete'](name);
              set([...chosen]);
            }}), make('span', {text: words(name)}))), help);
    }
    let control;
    if (option.kind === 'number') {
      control = make('input', {...common, type: 'number', step: 'any', inputmode: 'decimal',
        value: now ?? '', placeholder: 'default',
        onchange: (event) => set(event.target.value === '' ? '' : Number(event.target.value))});
    } else {
      const choices = (option.choices || []).map(String);
      if (!choices.length) {
        control = make('input', {...common, type: 'text', value: now ?? '', placeholder: 'default',
          onchange: (event) => set(event.target.value)});
      } else {
        const none = option.default === null || option.default === undefined
          || option.default === '';
        control = make('select', {...common, onchange: (event) => set(event.target.value)},
          ...none ? [make('option', {value: '', text: 'default'})] : [],
          ...choices.map((name) => make('option', {value: name, text: words(name)})));
        control.value = now ?? '';
      }
    }
    return make('div', {class: 'field'}, label, control, help);
  }

  // What `start` sends.
  get request() {
    const {name} = this.configuration;
    const known = new Set(this.configuration.options.map((option) => option.name));
    const options = Object.fromEntries(Object.entries(this.chosen.options[name] || {})
      .filter(([option]) => known.has(option)));
    return {configuration: name, options};
  }
}
