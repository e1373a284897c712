// Copyright 2026 The racecar maintainers
// SPDX-License-Identifier: Apache-2.0
// The time bar of a run that goes on: back through what the page still has of it, and live again.

import {byId, number, setText, show} from './dom.js';

const LEAST = 2;           // s that must be there to go back in
const STALE = 1;           // s, after which what was seen then is not shown any more
const MOST_BYTES = 32e6;   // of scans and pictures each

// What was seen at times, the oldest dropped beyond a size.
export class Moments {
  constructor(most = MOST_BYTES) {
    Object.assign(this, {most, list: [], bytes: 0});
  }

  clear() {
    this.list = [];
    this.bytes = 0;
  }

  add(time, value, bytes) {
    if (this.list.length && time < this.list.at(-1).time) { this.clear(); }
    this.list.push({time, value, bytes});
    this.bytes += bytes;
    while (this.bytes > this.most) { this.bytes -= this.list.shift().bytes; }
  }

  // The newest one at a time or before, null if there is none that is younger than `lasts`.
  at(time, lasts = STALE) {
    const found = this.list.findLast((one) => one.time <= time);
    return found && time - found.time <= lasts ? found.value : null;
  }
}

export class Rewind {
  // history: gives that of the robot shown; shown(time): called when another time is shown, null:
  // live.
  constructor({history, shown}) {
    Object.assign(this, {history, shown, at: null, isPlaying: false, isAllowed: false});
    this.box = byId('timebar');
    this.seek = byId('seek');
    this.seek.addEventListener('input', () => {
      if (this.isAllowed) { this.go(Number(this.seek.value)); }
    });
    byId('replay-play').addEventListener('click', () => {
      if (this.isAllowed) { this.play(!this.isPlaying); }
    });
    byId('live').addEventListener('click', () => this.live());
  }

  // isAllowed: whether this is no replay; runs: whether there are samples to come.
  allow(isAllowed, runs) {
    this.isAllowed = isAllowed;
    setText(byId('live').querySelector('span'), runs ? 'Live' : 'End');
  }

  get isBack() { return this.at !== null; }

  live() {
    if (this.isBack) { this.go(null); }
  }

  clear() {
    this.at = null;
    this.play(false);
    delete document.body.dataset.back;
  }

  go(time) {
    const history = this.history();
    this.at = time !== null && history && time < history.latestTime ? time : null;
    if (!this.isBack) { this.play(false); }
    document.body.toggleAttribute('data-back', this.isBack);
    this.shown(this.at);
  }

  play(isPlaying) {
    this.isPlaying = isPlaying;
    this.playedAt = performance.now();
    const button = byId('replay-play');
    button.setAttribute('aria-label', isPlaying ? 'Pause' : 'Play');
    button.querySelector('use').setAttribute('href', isPlaying ? '#i-pause' : '#i-play');
  }

  // To be called some times a second.
  draw(now) {
    if (!this.isAllowed) { return; }
    const history = this.history();
    const first = history?.length ? history.timeOf(history.first) : NaN;
    const last = history?.length ? history.latestTime : NaN;
    show(this.box, Number.isFinite(last));
    if (!Number.isFinite(last)) { return; }
    this.seek.disabled = last - first < LEAST;
    if (this.isBack) {
      const step = this.isPlaying ? Number(byId('rate').value) * (now - this.playedAt) / 1000 : 0;
      const time = Math.max(this.at + step, first);
      if (time !== this.at) { this.go(time); }
    }
    this.playedAt = now;
    const {seek, at} = this, time = at ?? last;
    seek.min = first;
    seek.max = last;
    seek.value = time;
    seek.style.setProperty('--share', String((time - first) / Math.max(last - first, 1e-9)));
    seek.setAttribute('aria-valuetext', at === null ? 'live'
      : `${number(time, 2)} s, ${number(last - time, 1)} s ago`);
    setText(byId('replay-time'), `${number(time, 2)} s`);
    setText(byId('replay-end'), at === null ? '' : `${number(time - last, 1)} s`);
    byId('live').setAttribute('aria-pressed', String(at === null));
  }
}
