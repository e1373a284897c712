// Copyright 2026 The racecar maintainers
// SPDX-License-Identifier: Apache-2.0
// Large numbers over the scene: speed, steering, gear and engine.

import {byId, gearName, number, setText, show} from './dom.js';

const PERIOD = 80;     // ms, so that digits can be read
const FULL_TURN = 0.6; // rad at the end of the gauge

export class Hud {
  constructor() {
    this.next = 0;
    this.rpmMax = 0;
  }

  setCar(car) { this.rpmMax = car && car.rpm_max || 0; }

  clear() { show(byId('hud'), false); }

  draw(history, now) {
    if (!history || !history.length || now < this.next) { return; }
    this.next = now + PERIOD;
    show(byId('hud'), true);
    setText(byId('hud-speed'), number(history.last('speed'), 2));
    const steering = history.last('steering'), command = history.last('command_steering');
    const angle = Number.isFinite(steering) ? steering : 0;
    const reach = (value) => 54 * Math.max(-1, Math.min(1, -value / FULL_TURN));
    const bar = byId('hud-steering');
    bar.setAttribute('x', Math.min(0, reach(angle)));
    bar.setAttribute('width', Math.abs(reach(angle)));
    byId('hud-command').setAttribute(
      'transform', `translate(${Number.isFinite(command) ? reach(command) : 0} 0)`);
    setText(byId('hud-angle'), `${number(angle * 180 / Math.PI, 0)}°`);
    const gear = history.last('gear');
    show(byId('hud-engine'), Number.isFinite(gear));
    if (Number.isFinite(gear)) {
      setText(byId('hud-gear'), gearName(gear));
      const rpm = history.last('rpm');
      byId('hud-rpm').max = this.rpmMax || 6000;
      byId('hud-rpm').value = Number.isFinite(rpm) ? rpm : 0;
      setText(byId('hud-rpm-text'), Number.isFinite(rpm) ? `${number(rpm, 0)} rpm` : '');
    }
  }
}
