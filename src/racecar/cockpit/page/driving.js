// Copyright 2026 The racecar maintainers
// SPDX-License-Identifier: Apache-2.0
// Keys, gamepad and touch pad become commands, as long as something is held. A held control is a
// heartbeat; letting go of all, leaving the page or losing the connection releases the car.

import {isTyping} from './dom.js';

const PERIOD = 1000 / 30;   // ms
const DEAD_ZONE = 0.12;     // of a stick
const STEERING_RATE = 4.5;  // 1/s: a key turns the wheels no faster
const FIRST_TURN = 0.3;     // of the lock, at once

export const DIRECTIONS = {
  KeyW: 'ahead', ArrowUp: 'ahead', KeyS: 'back', ArrowDown: 'back',
  KeyA: 'left', ArrowLeft: 'left', KeyD: 'right', ArrowRight: 'right',
};

const beyond = (value) => Math.abs(value) <= DEAD_ZONE ? 0
  : Math.sign(value) * (Math.abs(value) - DEAD_ZONE) / (1 - DEAD_ZONE);

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
    this.steering = 0;
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
    // Arrows move within lists of tabs and choices.
    if (event.code.startsWith('Arrow') && event.target.closest('[role=tablist], [role=group]')) {
      return;
    }
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

  // Of the touch pad: shares from -1 to 1, or null when it is let go.
  touch(value) {
    this.pad = value;
    this.tick(true);
  }

  setManual(manual) {
    if (manual === this.manual) { return; }
    this.manual = manual;
    this.send(manual ? 'take_wheel' : 'release_wheel', manual ? {manual: true} : {});
    this.changed();
  }

  letGo() {
    this.keys.clear();
    this.pad = null;
    this.manual = false;
    this.blocked = this.readGamepad();  // until its sticks are at rest
    this.release();
  }

  release() {
    this.steering = 0;
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
    this.steering = 0;
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
    const {ahead, left} = this.gamepad || this.pad || this.wantedByKeys();
    // A brake pedal is never held back.
    const brakes = this.usesPedals && ahead < 0;
    return {ahead: ahead * (this.fast || brakes ? 1 : this.most.ahead),
      left: left * this.most.left};
  }

  wantedByKeys() {
    const has = (direction) => [...this.keys].some((code) => DIRECTIONS[code] === direction);
    const target = Number(has('left')) - Number(has('right'));
    const now = performance.now(), seconds = Math.min((now - (this.turnedAt || now)) / 1000, 0.1);
    this.turnedAt = now;
    if (!target) {
      this.steering = 0;
    } else {
      const from = Math.sign(this.steering) === target ? this.steering : target * FIRST_TURN;
      this.steering = target * Math.min(1, Math.abs(from) + STEERING_RATE * seconds);
    }
    return {ahead: Number(has('ahead')) - Number(has('back')), left: this.steering};
  }

  sendCommand(ahead, left) {
    const round = (value) => Math.round(value * 1000) / 1000 || 0;
    if (this.contested) { return; }
    if (this.usesPedals) {
      this.send('pedals', {throttle: round(Math.max(ahead, 0)),
        brake: round(Math.max(-ahead, 0)), steering: round(left)});
    } else {
      this.send('drive', {speed: round(ahead), steering: round(left)});
    }
  }
}
