// Copyright 2026 The racecar maintainers
// SPDX-License-Identifier: Apache-2.0
// Large numbers over the scene: speed, steering, gear and engine; laps; what is amiss.

import {byId, gearName, number, setText, show} from './dom.js';

const PERIOD = 80;     // ms, so that digits can be read
const KEEPS_UP = 0.95; // of the wanted real-time factor
const SLOW_FOR = 3000; // ms
const FULL_TURN = 0.6; // rad at the end of the gauge

export class Hud {
  constructor() {
    this.next = 0;
    this.rpmMax = this.collisions = 0;
    this.lap = this.slowSince = null;
  }

  setCar(car) { this.rpmMax = car && car.rpm_max || 0; }

  clear() {
    for (const id of ['hud', 'laps', 'crash', 'slow']) { show(byId(id), false); }
    this.lap = this.slowSince = null;
    this.collisions = 0;
  }

  // What there is to say of a run that has ended.
  summary(history) {
    if (!history || !history.length) { return ''; }
    if (this.summed !== history.changes) {
      this.summed = history.changes;
      this.drive = this.driveOf(history);
    }
    const {lap, collisions} = this;
    const many = (count, word) => `${count} ${word}${count === 1 ? '' : 's'}`;
    return [...this.drive,
      lap?.count ? `${many(lap.count, 'lap')}, best ${number(lap.best, 2)} s` : '',
      collisions ? many(collisions, 'collision') : ''].filter(Boolean).join(' \u00b7 ');
  }

  // How long, how far and how exactly: the latter two as long as the page has all of the run.
  driveOf(history) {
    const time = `${number(history.latestTime, 1)} s`;
    if (!history.isWhole) { return [time]; }
    const error = history.rms('error');
    return [time, `${number(history.distance, 1)} m`, Number.isFinite(error)
      ? `tracking error ${error < 0.1 ? `${number(1000 * error, 1)} mm` : `${number(error, 2)} m`
      } RMS` : ''];
  }

  // count, last, best, begun, wrong_way, off_track: as the message `laps` has them.
  setLaps(laps) {
    this.lap = laps;
    const amiss = laps.wrong_way ? ' · wrong way' : laps.off_track ? ' · off the track' : '';
    show(byId('laps'), laps.begun !== null || laps.count > 0 || amiss !== '');
    setText(byId('lap-number'),
      (laps.begun === null ? 'Lap –' : `Lap ${laps.count + 1}`) + amiss);
    setText(byId('lap-best'), laps.best === null ? ''
      : `last ${number(laps.last, 2)} s · best ${number(laps.best, 2)} s`);
  }

  // way: how who drives gets away, empty if nobody does.
  setCollisions({count, in_contact: touches}, way) {
    this.collisions = count;
    show(byId('crash'), count > 0);
    byId('crash').classList.toggle('now', touches);
    setText(byId('crash'), touches ? `Collision ${count}${way ? `: ${way}` : ''}`
      : count === 1 ? '1 collision' : `${count} collisions`);
  }

  // The clock of a run that does not keep up for some seconds.
  setClock({factor, wanted_factor: wanted, paused, time}, what) {
    const isSlow = wanted > 0 && !paused && time > 1 && factor < KEEPS_UP * wanted;
    const now = performance.now();
    this.slowSince = isSlow ? this.slowSince ?? now : null;
    const told = isSlow && now - this.slowSince > SLOW_FOR;
    show(byId('slow'), told);
    if (told) {
      setText(byId('slow'), `This computer is too slow for ${what}: real-time factor`
        + ` ${number(factor, 2)} of ${wanted}`);
    }
  }

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
    if (this.lap && this.lap.begun !== null) {
      setText(byId('lap-time'), `${number(history.latestTime - this.lap.begun, 1)} s`);
    }
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
