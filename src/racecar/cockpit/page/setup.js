// Copyright 2026 The racecar maintainers
// SPDX-License-Identifier: Apache-2.0
// The panel Run: choose a configuration and its options.

import {byId, make, show, words} from './dom.js';

const SHOWN_AT_ONCE = ['vehicle', 'cars', 'trajectory', 'waypoints', 'world', 'sensors'];
const STORE = 'racecar-cockpit-setup';
const PICTURED = ['vehicle', 'trajectory', 'waypoints', 'world'];
const NO_SHAPE = 'waypoints';  // a trajectory without one of its own

function remembered() {
  try {
    return JSON.parse(sessionStorage.getItem(STORE)) || {};
  } catch {
    return {};
  }
}

// A choice by its name for people, and the one for programs in grey; with its picture where the
// browser shows more than text in a list.
const choice = (value, title, picture, id = value) => make('option', {value, text: ''},
  picture ? make('img', {src: picture, alt: '', loading: 'lazy', width: 72, height: 40}) : null,
  make('span', {text: title}), id && id !== title ? make('small', {text: ` ${id}`}) : null);

const rich = (select) => {
  select.prepend(make('button', {}, document.createElement('selectedcontent')));
  return select;
};

const pictureOf = (option, name) => PICTURED.includes(option) && name
  && !(option === 'trajectory' && name === NO_SHAPE)
  ? `/picture/${option}/${encodeURIComponent(name)}${location.search}` : '';

export class Setup {
  // chosenVehicle(name): called with the vehicle of what is chosen.
  constructor(box, chosenVehicle = () => {}) {
    this.box = box;
    this.chosenVehicle = chosenVehicle;
    this.chosen = remembered();  // {name, options: {configuration: {option: value}}}
    this.chosen.options ||= {};
  }

  // name: of what runs, where another command has started it; domain: of ROS.
  show(configurations, mode, {name = '', domain = ''} = {}) {
    this.configurations = configurations || [];
    if (mode !== 'cockpit' || !this.configurations.length) {
      const [title, text] = mode === 'replay'
        ? ['Recording', 'Play the recording with the bar below the scene, or drag its time.']
        : ['Watching', `${name ? this.titleOf(name) : 'A running stack'}${
          domain ? ` (ROS domain ${domain})` : ''}. ${mode === 'program'
          ? 'A Python program drives.' : 'Hold a key to take over.'}`];
      this.box.replaceChildren(make('h2', {text: title}), make('p', {class: 'lead', text}));
      return;
    }
    this.list = rich(make('select', {id: 'configuration', class: 'rich',
      onchange: () => this.choose()},
    ...this.configurations.map(({name, title, unavailable}) => unavailable
      ? make('option', {value: name, disabled: true},
        make('span', {text: title}), make('small', {text: ` ${unavailable}`}))
      : choice(name, title || words(name)))));
    if (this.configurations.some(({name, unavailable}) => name === this.chosen.name
        && !unavailable)) {
      this.list.value = this.chosen.name;
    }
    this.summary = make('p', {class: 'lead', id: 'configuration-summary'});
    this.fields = make('div', {class: 'fields'});
    this.box.replaceChildren(
      make('h2', {text: 'Run'}),
      make('div', {class: 'field'}, make('label', {for: 'configuration'}, 'Configuration',
        this.id = make('span', {class: 'id'})), this.list), this.summary, this.fields,
      make('p', {class: 'soft small', id: 'restart-hint', hidden: true,
        text: 'Start anew for changes here to take effect.'}));
    this.choose();
  }

  get configuration() {
    return this.configurations.find(({name}) => name === this.list.value);
  }

  // What people call a configuration.
  titleOf(name) {
    return this.configurations?.find((one) => one.name === name)?.title || words(name);
  }

  // The vehicle of what is chosen, or of a run that may be.
  vehicleOf(name = this.list?.value, options = this.chosen.options[name] || {}) {
    const option = this.configurations?.find((one) => one.name === name)?.options.find(
      (one) => one.name === 'vehicle');
    return option && (options.vehicle || option.usual);
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
    this.id.textContent = configuration.name;
    const values = this.chosen.options[configuration.name] ||= {};
    const isMain = ({name: option}) => SHOWN_AT_ONCE.includes(option);
    const rows = configuration.options.map((option) => [option, this.field(option, values)]);
    const more = rows.filter(([option]) => !isMain(option)).map(([, row]) => row);
    this.fields.replaceChildren(
      ...rows.filter(([option]) => isMain(option)).map(([, row]) => row),
      ...more.length ? [make('details', {class: 'more'},
        make('summary', {text: 'More options'}), ...more)] : []);
    this.settle(values);
    this.keep();
    this.chosenVehicle(this.vehicleOf());
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

  // The trajectory is that of the waypoints, if there are any.
  settle(values) {
    const shape = this.box.querySelector('#option-trajectory');
    if (!shape) { return; }
    shape.disabled = Boolean(values.waypoints);
    shape.title = shape.disabled ? 'The waypoints are followed instead' : '';
    shape.closest('.field').classList.toggle('unused', shape.disabled);
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
      this.settle(values);
      if (option.name === 'vehicle') { this.chosenVehicle(this.vehicleOf()); }
    };
    const titleOf = (name) => option.titles?.[name] || words(String(name));
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
            }}), make('span', {text: titleOf(name)}))), help);
    }
    let control, picture = null;
    if (option.kind === 'number' || option.kind === 'count') {
      const isCount = option.kind === 'count';
      control = make('input', {...common, type: 'number', step: isCount ? 1 : 'any',
        min: isCount ? 1 : null, inputmode: isCount ? 'numeric' : 'decimal',
        value: now ?? '', placeholder: option.usual ? `default (${option.usual})` : 'default',
        onchange: (event) => set(event.target.value === '' ? '' : Number(event.target.value))});
    } else {
      const choices = (option.choices || []).map(String);
      if (!choices.length) {
        control = make('input', {...common, type: 'text', value: now ?? '', placeholder: 'default',
          onchange: (event) => set(event.target.value)});
      } else {
        const {usual} = option, none = (option.default ?? '') === '';
        const draw = (name) => {
          const address = pictureOf(option.name, name || usual);
          show(picture, Boolean(address));
          if (address && picture.getAttribute('src') !== address) { picture.src = address; }
        };
        picture = make('img', {class: 'preview', alt: '', hidden: true});
        control = rich(make('select', {...common, class: 'rich', onchange: (event) => {
          set(event.target.value);
          draw(event.target.value);
        }},
        ...none ? [choice('', usual ? `Default (${titleOf(usual)})` : 'none',
          pictureOf(option.name, usual), usual)] : [],
        ...choices.map((name) => choice(name, titleOf(name), pictureOf(option.name, name)))));
        control.value = now ?? '';
        draw(now);
      }
    }
    return make('div', {class: 'field'}, label, control, picture, help);
  }

  // What `start` sends.
  get request() {
    const {name} = this.configuration;
    const known = new Set(this.configuration.options.map((option) => option.name));
    const chosen = this.chosen.options[name] || {};
    if (chosen.waypoints) { known.delete('trajectory'); }
    const options = Object.fromEntries(Object.entries(chosen)
      .filter(([option]) => known.has(option)));
    return {configuration: name, options};
  }
}
