// Copyright 2026 The racecar maintainers
// SPDX-License-Identifier: Apache-2.0
// The bar at the top, the clock, and the time bar of a recording.

import {byId, number, setText, show} from './dom.js';

const NAMES = {idle: 'idle', starting: 'starting', running: 'running', paused: 'paused',
  ended: 'ended', failed: 'failed', lost: 'ended', connecting: 'connecting', offline: 'offline'};

const FRACTIONS = {0.25: '¼', 0.5: '½'};

export class Transport {
  constructor(send, request) {
    this.send = send;
    this.state = 'connecting';
    this.mode = '';
    this.request = request;
    this.whenReset = () => {};
    byId('start').addEventListener('click', () => this.start());
    byId('stop').addEventListener('click', () => this.send('stop'));
    byId('reset').addEventListener('click', () => this.reset());
    byId('pause').addEventListener('click', () => this.pause());
    byId('step').addEventListener('click', () => this.step());
    byId('factor').addEventListener('change', (event) => {
      this.send('factor', {value: Number(event.target.value)});
    });
    byId('replay-play').addEventListener('click', () => {
      if (this.mode === 'replay') { this.pause(); }
    });
    byId('rate').addEventListener('change', (event) => {
      if (this.mode === 'replay') { this.send('rate', {value: Number(event.target.value)}); }
    });
    const seek = byId('seek');
    seek.addEventListener('input', () => {
      if (this.mode !== 'replay') { return; }
      this.sought = Number(seek.value);
      setText(byId('replay-time'), `${number(this.sought, 2)} s`);
      this.seekTimer ||= setTimeout(() => {
        this.seekTimer = 0;
        this.send('seek', {time: this.sought});
      }, 40);
    });
    seek.addEventListener('pointerdown', () => { this.scrubbing = true; });
    seek.addEventListener('pointerup', () => { this.scrubbing = false; });
    seek.addEventListener('pointercancel', () => { this.scrubbing = false; });
    seek.addEventListener('keydown', (event) => {
      const by = {ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10,
        PageDown: -10}[event.key];
      if (!by) { return; }
      event.preventDefault();
      const span = Number(seek.max) - Number(seek.min);
      seek.value = Number(seek.value) + by * span / 100;
      seek.dispatchEvent(new Event('input'));
    });
  }

  // Whether pages may drive and reset: a recording and what a program drives they only show.
  get isDrivable() { return !['replay', 'program'].includes(this.mode); }

  get runs() { return this.state === 'running' || this.state === 'paused'; }

  setMode(mode) {
    this.mode = mode;
    document.body.dataset.mode = mode;
    show(byId('timebar'), mode === 'replay');
    this.refresh();
  }

  setState(state) {
    this.state = state;
    this.paused = state === 'paused';
    document.body.dataset.state = state;
    setText(byId('state'), NAMES[state] || state);
    this.refresh();
  }

  refresh() {
    const starts = this.mode === 'cockpit';
    const busy = this.runs || this.state === 'starting';
    show(byId('start'), starts && !busy);
    byId('start').disabled = ['connecting', 'offline'].includes(this.state);
    show(byId('stop'), starts && busy);
    for (const id of ['pause', 'factor']) { byId(id).disabled = !this.runs; }
    byId('reset').disabled = !this.runs || !this.isDrivable;
    byId('step').disabled = this.state !== 'paused';
    if (!this.runs) { setText(byId('measured-factor'), ''); }
    const pause = byId('pause');
    setText(pause.querySelector('span'), this.paused ? 'Resume' : 'Pause');
    pause.querySelector('use').setAttribute('href', this.paused ? '#i-play' : '#i-pause');
  }

  // Start what is chosen; keys belong to the car from now on.
  start() {
    this.send('start', this.request());
    byId('scene').focus({preventScroll: true});
  }

  reset() {
    if (!this.runs || !this.isDrivable) { return; }
    this.send('reset');
    this.whenReset();
  }

  step() {
    if (this.state === 'paused') { this.send('step', {count: 1}); }
  }

  pause() {
    if (this.mode === 'replay') {
      this.send(this.playing ? 'pause' : 'play');
    } else if (this.runs) {
      this.send(this.paused ? 'resume' : 'pause');
    }
  }

  setClock({time, factor, wanted_factor: wanted, paused}) {
    setText(byId('time'), `${number(time, 2)} s`);
    const measured = this.runs && Number.isFinite(factor) && !paused
      ? `${number(factor, 2)}×` : '';
    setText(byId('measured-factor'), measured);
    const list = byId('factor');
    if (Number.isFinite(wanted) && document.activeElement !== list
        && Number(list.value) !== wanted) {
      if (![...list.options].some((option) => Number(option.value) === wanted)) {
        list.add(new Option(`${FRACTIONS[wanted] || wanted}×`, String(wanted)));
      }
      list.value = String([...list.options].map((option) => Number(option.value))
        .find((value) => value === wanted));
    }
    if (this.mode !== 'replay' && paused !== undefined && this.runs
        && paused !== (this.state === 'paused')) {
      this.setState(paused ? 'paused' : 'running');
    }
  }

  setReplay({begin, end, time, playing, rate}) {
    const seek = byId('seek');
    seek.min = begin;
    seek.max = end;
    this.playing = playing;
    if (!this.scrubbing && !this.seekTimer) {
      seek.value = time;
      setText(byId('replay-time'), `${number(time, 2)} s`);
      seek.setAttribute('aria-valuetext', `${number(time, 2)} s of ${number(end, 2)} s`);
    }
    setText(byId('replay-end'), `${number(end, 2)} s`);
    seek.style.setProperty('--share', String((seek.value - begin) / Math.max(end - begin, 1e-9)));
    const button = byId('replay-play');
    button.setAttribute('aria-label', playing ? 'Pause' : 'Play');
    button.querySelector('use').setAttribute('href', playing ? '#i-pause' : '#i-play');
    const list = byId('rate');
    if (rate && document.activeElement !== list) { list.value = String(rate); }
  }
}
