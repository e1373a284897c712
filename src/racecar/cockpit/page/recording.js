// Copyright 2026 The racecar maintainers
// SPDX-License-Identifier: Apache-2.0
// The button that records what runs, and the recordings with their links.

import {byId, make, number, setText, show} from './dom.js';

const TEXTS = {off: 'Record', starting: 'Starting \u2026', saving: 'Saving \u2026'};

// Minutes and seconds.
const clock = (seconds) => `${Math.floor(seconds / 60)}:${
  String(Math.floor(seconds % 60)).padStart(2, '0')}`;

const linksOf = ({links, is_ready: isReady}) => [
  ...isReady ? [] : [make('span', {class: 'soft', text: 'report is being made \u2026'})],
  ...links.map(({text, address}) => make('a', {href: address + location.search, text,
    ...text === 'CSV' || text === 'Bag' ? {download: ''} : {target: '_blank', rel: 'noopener'}}))];

export class Recording {
  // tell(title, text, links): called with a recording that is new, and with its links to come.
  constructor(send, tell) {
    Object.assign(this, {tell, state: 'off', told: null});
    this.button = byId('record');
    this.box = byId('recordings');
    this.button.addEventListener('click', () => send('record', {on: this.state === 'off'}));
  }

  // mayRecord: whether something runs.
  allow(mayRecord) {
    this.mayRecord = mayRecord;
    this.refresh();
  }

  refresh() {
    const {button, state} = this, on = state === 'on';
    button.disabled = !(on || state === 'off' && this.mayRecord);
    button.setAttribute('aria-pressed', String(on));
    button.title = on ? 'End the recording' : 'Record what runs';
    setText(button.querySelector('span'), on
      ? clock((performance.now() - this.began) / 1000) : TEXTS[state]);
    clearTimeout(this.timer);
    if (on) { this.timer = setTimeout(() => this.refresh(), 250); }
  }

  // What the server says: {state, seconds, list}.
  take({state, seconds, list}) {
    this.state = state;
    this.began = performance.now() - 1000 * seconds;
    show(this.button, true);
    this.refresh();
    show(this.box, list.length > 0);
    this.box.replaceChildren(make('h3', {text: 'Recordings'}), ...[...list].reverse().map(
      (one) => make('div', {class: 'recording'}, make('b', {text: one.name, title: one.folder}),
        make('span', {class: 'soft', text: ` ${number(one.seconds, 1)} s`}),
        make('p', {class: 'files'}, ...linksOf(one)),
        one.problem ? make('p', {class: 'help', text: `No report: ${one.problem}`}) : null)));
    const last = list.at(-1);
    // Not those that were there when the page came.
    if (this.told !== null && last && (last.number > this.told.number
        || last.is_ready && !this.told.is_ready)) {
      this.tell(`Recorded ${number(last.seconds, 1)} s`, last.folder, linksOf(last));
    }
    this.told = last || {number: 0};
  }
}
