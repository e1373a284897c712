// Copyright 2026 The racecar maintainers
// SPDX-License-Identifier: Apache-2.0
// Keys, gamepad and touch pad become commands, as long as something is held. A held control is a
// heartbeat; letting go of all, leaving the page or losing the connection releases the car.

import {isTyping} from './dom.js';

const PERIOD = 1000 / 30;   // ms
const DEAD_ZONE = 0.12;     // of a stick
// A key is pressed or not, a car is steered by degrees: what keys want changes no faster than this
// [1/s], away from rest and back to it, and begins with a part at once.
const STEERING = {away: 4.5, back: 9, first: 0.3};
const SPEED = {away: 2, back: 5, first: 0.2};
const FAST_TURN = 0.6;      // of the steering, for keys at full speed

export const DIRECTIONS = {
  KeyW: 'ahead', ArrowUp: 'ahead', KeyS: 'back', ArrowDown: 'back',
  KeyA: 'left', ArrowLeft: 'left', KeyD: 'right', ArrowRight: 'right',
};

const beyond = (value) => Math.abs(value) <= DEAD_ZONE ? 0
  : Math.sign(value) * (Math.abs(value) - DEAD_ZONE) / (1 - DEAD_ZONE);

// A value from -1 to 1 on its way to a target of -1, 0 or 1, some seconds later.
function approach(value, target, seconds, {away, back, first}) {
  if (!target || value * target < 0) {
    const left = Math.max(0, Math.abs(value) - back * seconds);
    if (left || !target) { return Math.sign(value) * left; }
    value = 0;
  }
  return target * Math.min(1, Math.max(first, Math.abs(value) + away * seconds));
}

export class Driving {
  // send(type, fields): to the server. mayDrive(): whether there is something to drive.
  constructor({send, mayDrive, changed}) {
    Object.assign(this, {send, mayDrive, changed});
    this.keys = new Set();
    this.pad = null;           // {ahead, left} of the touch pad while touched
    this.gamepad = null;       // the same of a gamepad
    this.usesPedals = false;
    this.manual = false;
    this.most = {ahead: 0.5, left: 0.4};  // of the car's speed or pedals, and of its lock
    this.ahead = this.steering = 0;  // what keys want by now
    this.holding = false;
    this.contested = false;    // another page has the wheel
    this.gear = null;          // called with 1 or -1 by buttons of a gamepad
    document.addEventListener('keydown', (event) => this.keyDown(event));
    document.addEventListener('keyup', (event) => this.keyUp(event));
    window.addEventListener('blur', () => this.letGo());
    window.addEventListener('pagehide', () => this.letGo());
    document.addEventListener('visibilitychange', () => {
      if (document.hidden) { this.letGo(); }
    });
    document.addEventListener('focusin', (event) => {
      if (isTyping(event.target)) { this.releaseKeys(); }
    });
    setInterval(() => this.tick(), PERIOD);
  }

  keyDown(event) {
    this.fast = event.shiftKey;
    const direction = DIRECTIONS[event.code];
    if (!direction || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)
        || !this.mayDrive()) { return; }
    // Arrows go from tab to tab there.
    if (event.code.startsWith('Arrow') && event.target.closest('[role=tablist]')) { return; }
    event.preventDefault();
    if (event.repeat) { return; }
    this.keys.add(event.code);
    this.tick(true);
  }

  keyUp(event) {
    this.fast = event.shiftKey;
    if (this.keys.delete(event.code)) { this.tick(true); }
  }

  releaseKeys() {
    if (this.keys.size) {
      this.keys.clear();
      this.tick(true);
    }
  }

  // Of the touch pads: shares from -1 to 1, or null for what is let go; the rest stays.
  touch(shares) {
    const held = Object.entries({...this.pad, ...shares}).filter(([, share]) => share !== null);
    this.pad = held.length ? Object.fromEntries(held) : null;
    this.tick(true);
  }

  setManual(manual) {
    if (manual === this.manual) { return; }
    this.manual = manual;
    this.send(manual ? 'take_wheel' : 'release_wheel', manual ? {manual: true} : {});
    this.changed();
  }

  // Gears, indicators and lamps are for who holds the wheel: take it for them, if need be.
  withWheel(type, fields) {
    const borrows = !this.holding && !this.manual;
    if (borrows) { this.send('take_wheel'); }
    this.send(type, fields);
    if (borrows) { this.send('release_wheel'); }
  }

  letGo() {
    const {manual} = this;
    this.keys.clear();
    this.pad = null;
    this.blocked = this.readGamepad();  // until its sticks are at rest
    this.manual = false;
    if (manual && !this.holding) { this.send('release_wheel'); }
    this.release();
  }

  release() {
    this.ahead = this.steering = 0;
    if (this.holding) {
      this.holding = false;
      this.sendCommand(0, 0);
      if (!this.manual) { this.send('release_wheel'); }
    }
    this.changed();
  }

  // The connection is gone, and with it what the server knew of this page.
  disconnected() {
    this.keys.clear();
    this.pad = null;
    this.manual = this.holding = this.contested = false;
    this.ahead = this.steering = 0;
    this.changed();
  }

  readGamepad() {
    const pads = navigator.getGamepads ? [...navigator.getGamepads()].filter(Boolean) : [];
    const found = pads.find((one) => one.mapping === 'standard') || pads[0];
    const name = found ? found.id : '';
    if (name !== this.gamepadName) {
      this.gamepadName = name;
      this.changed();
    }
    if (!found || !document.hasFocus()) { return null; }
    const pressed = (index) => found.buttons[index] ? found.buttons[index].value : 0;
    const [up, down] = [found.buttons[5]?.pressed, found.buttons[4]?.pressed];
    if (this.gear && (up && !this.wasUp || down && !this.wasDown)) { this.gear(up ? 1 : -1); }
    this.wasUp = up;
    this.wasDown = down;
    const ahead = pressed(7) - pressed(6) || beyond(-(found.axes[1] || 0));
    const left = beyond(-(found.axes[0] || 0));
    return ahead || left ? {ahead, left} : null;
  }

  tick(atOnce = false) {
    this.gamepad = this.readGamepad();
    if (this.blocked && !this.gamepad) { this.blocked = null; }
    if (this.blocked) { this.gamepad = null; }
    const held = this.mayDrive()
      && (this.keys.size > 0 || this.pad !== null || this.gamepad !== null);
    if (!held) {
      if (this.holding) { this.release(); }
      if (this.manual && !atOnce) { this.sendCommand(0, 0); }
      return;
    }
    const {ahead, left} = this.wanted();
    if (!this.holding) {
      this.holding = true;
      if (!this.manual) { this.send('take_wheel'); }
      this.changed();
    }
    this.sendCommand(ahead, left);
  }

  wanted() {
    const {ahead = 0, left = 0} = this.gamepad || this.pad || this.wantedByKeys();
    // A brake pedal is never held back.
    const brakes = this.usesPedals && ahead < 0;
    return {ahead: ahead * (this.fast || brakes ? 1 : this.most.ahead),
      left: left * this.most.left};
  }

  wantedByKeys() {
    const has = (direction) => [...this.keys].some((code) => DIRECTIONS[code] === direction);
    const now = performance.now(), seconds = Math.min((now - (this.changedAt || now)) / 1000, 0.1);
    this.changedAt = now;
    const target = Number(has('left')) - Number(has('right'));
    this.steering = approach(this.steering, target, seconds, STEERING);
    const speed = Number(has('ahead')) - Number(has('back'));
    // A car with pedals takes its time by itself, and brakes at once.
    this.ahead = this.usesPedals ? speed : approach(this.ahead, speed, seconds, SPEED);
    // The faster, the finer.
    const share = Math.abs(this.ahead) * (this.fast ? 1 : this.most.ahead);
    return {ahead: this.ahead, left: this.steering * (1 - (1 - FAST_TURN) * share)};
  }

  sendCommand(ahead, left) {
    const round = (value) => Math.round(value * 1000) / 1000 || 0;
    if (this.contested) { return; }
    // The server does not obey what was held up on its way. This clock also goes on in sleep.
    const sent = Date.now() / 1000;
    if (this.usesPedals) {
      this.send('pedals', {throttle: round(Math.max(ahead, 0)),
        brake: round(Math.max(-ahead, 0)), steering: round(left), sent});
    } else {
      this.send('drive', {speed: round(ahead), steering: round(left), sent});
    }
  }
}
