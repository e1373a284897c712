// Copyright 2026 The racecar maintainers
// SPDX-License-Identifier: Apache-2.0
// The panel Log, newest first, and the banner for what must not be missed.

import {byId, make, setText, show} from './dom.js';

const MOST = 400;
const SEVERE = ['error', 'fatal'];
const LOOKED_BACK = 6;  // messages, for one that is the same but for its numbers

// A text that breaks behind the parts of a path or name.
const breakable = (text) => text.split(/(?<=[/._])/).flatMap(
  (part, i) => i ? [document.createElement('wbr'), part] : [part]);

export class Log {
  constructor(box) {
    this.list = make('ol', {class: 'log', 'aria-live': 'off'});
    this.level = make('select', {id: 'level', onchange: () => this.filter()},
      make('option', {value: 'info', text: 'all'}),
      make('option', {value: 'warn', text: 'warnings'}),
      make('option', {value: 'error', text: 'errors'}));
    this.nothing = make('p', {class: 'lead', text: 'No messages yet.'});
    box.append(make('h2', {text: 'Log'}), make('div', {class: 'filter'},
      make('label', {}, 'Show ', this.level),
      make('button', {type: 'button', text: 'Clear', onclick: () => this.clear()})),
    this.nothing, this.list);
    this.unread = 0;
    const banner = byId('banner');
    banner.querySelector('button').addEventListener('click', () => {
      this.dismissed = this.told;
      this.hideBanner();
    });
    this.banner = banner;
  }

  clear() {
    this.list.replaceChildren();
    show(this.nothing, true);
    this.seen();
  }

  add({level = 'info', node = '', text}) {
    const grade = level.toLowerCase().replace('warning', 'warn');
    const kind = `${grade} ${node} ${text.replace(/[\d.]+/g, '#')}`;
    const last = [...this.list.children].slice(0, LOOKED_BACK).find(
      (row) => row.dataset.kind === kind);
    const times = last ? Number(last.dataset.times) + 1 : 1;
    if (last) { last.remove(); }
    this.list.prepend(make('li', {class: grade, hidden: !this.fits(grade), dataset: {kind, times}},
      make('time', {text: new Date().toTimeString().slice(0, 8)}),
      make('b', {}, ...breakable(node.replace(/^\//, ''))),
      times > 1 ? make('i', {class: 'times', text: `${times}×`, title: 'times'}) : null,
      make('span', {}, ...breakable(text))));
    while (this.list.childElementCount > MOST) { this.list.lastElementChild.remove(); }
    show(this.nothing, false);
    if (!last && document.body.dataset.tab !== 'log' && !['info', 'debug'].includes(grade)) {
      this.unread++;
      setText(byId('log-count'), String(this.unread));
      show(byId('log-count'), true);
    }
    if (SEVERE.includes(grade) && this.dismissed !== kind) {
      this.tell(node.replace(/^\//, '') || 'Error', text, {seconds: 12});
      this.told = kind;
    }
  }

  fits(grade) {
    const grades = ['debug', 'info', 'warn', 'error', 'fatal'];
    return this.level.value === 'info'
      || grades.indexOf(grade) >= grades.indexOf(this.level.value);
  }

  filter() {
    for (const row of this.list.children) { row.hidden = !this.fits(row.className); }
  }

  seen() {
    this.unread = 0;
    show(byId('log-count'), false);
  }

  // Until closed, or for some seconds where it is only of the moment.
  tell(title, text, {seconds = 0, kind = 'error', links = []} = {}) {
    clearTimeout(this.timer);
    this.told = null;
    setText(this.banner.querySelector('b'), title);
    setText(this.banner.querySelector('span'), text);
    this.banner.querySelector('.files').replaceChildren(...links);
    this.banner.dataset.kind = kind;
    show(this.banner, true);
    if (seconds) { this.timer = setTimeout(() => this.hideBanner(), seconds * 1000); }
  }

  hideBanner(kind = null) {
    if (!kind || this.banner.dataset.kind === kind) { show(this.banner, false); }
  }
}
