// Copyright 2026 The racecar maintainers
// SPDX-License-Identifier: Apache-2.0
// Where the scene is seen from: behind the car, from above, as the pointer turns it, or from so far
// above that the whole track is seen.

import {lookAt, multiply, perspective} from './matrices.js';

const FIELD = 42 * Math.PI / 180;
export const VIEWS = ['chase', 'top', 'free', 'track'];
// Around what the view of the whole track shows, a share of it.
const TRACK_MARGIN = 1.28;

export class Camera {
  constructor() {
    this.view = 'chase';
    this.still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.home();
  }

  // Back to the distances and angles of the beginning.
  home() {
    this.distance = {chase: 2.7, top: 12, free: 5};  // in lengths of the car
    this.turn = {chase: 0, free: 0.9};               // about the vertical [rad]
    this.rise = {chase: 0.3, free: 0.45};            // above the horizon [rad]
    this.shift = [0, 0];                             // of the point that is looked at [m]
    this.heading = null;
  }

  zoomBy(factor) {
    if (this.view === 'track') { return; }
    this.distance[this.view] = Math.min(Math.max(this.distance[this.view] * factor, 1.2), 400);
  }

  turnBy(angle, rise) {
    if (['top', 'track'].includes(this.view)) { return; }
    this.turn[this.view] += angle;
    this.rise[this.view] = Math.min(Math.max(this.rise[this.view] + rise, 0.05), 1.5);
  }

  // dx to the right and dy down, in shares of the height of the picture.
  shiftBy(dx, dy, size) {
    if (this.view === 'track') { return; }
    const scale = 2 * Math.tan(FIELD / 2) * this.distance[this.view] * size;
    const angle = this.view === 'top' ? Math.PI / 2 : this.turn[this.view];
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    this.shift[0] += (-dx * s + dy * c) * scale * (this.view === 'top' ? -1 : 1) * -1;
    this.shift[1] += (dx * c + dy * s) * scale * (this.view === 'top' ? -1 : 1) * -1;
  }

  // Follow a car at x, y with a yaw; size: its length [m], seconds: since the last call.
  follow([x, y, z], yaw, size, aspect, seconds) {
    if (this.heading === null) { this.heading = yaw; }
    const error = Math.atan2(Math.sin(yaw - this.heading), Math.cos(yaw - this.heading));
    this.heading += error * (this.still ? 1 : 1 - Math.exp(-Math.min(seconds, 0.2) * 4));
    const {view} = this;
    // A tall picture, as on a phone, is narrow: from farther away as much is in it.
    const distance = this.distance[view] * size * Math.max(1, 0.85 / aspect);
    const target = [x, y, z + 0.12 * size];
    let eye, up = [0, 0, 1];
    if (view === 'top') {
      target[0] += this.shift[0];
      target[1] += this.shift[1];
      eye = [target[0], target[1], z + distance];
      up = [0, 1, 0];
    } else {
      const rise = this.rise[view];
      let angle = this.turn[view];
      if (view === 'chase') {
        angle += this.heading + Math.PI;
        // Look ahead, so that the way is in the picture, not the car alone.
        target[0] += 0.3 * size * Math.cos(this.heading);
        target[1] += 0.3 * size * Math.sin(this.heading);
        target[2] += 0.18 * size;
      } else {
        target[0] += this.shift[0];
        target[1] += this.shift[1];
      }
      eye = [target[0] + distance * Math.cos(rise) * Math.cos(angle),
        target[1] + distance * Math.cos(rise) * Math.sin(angle),
        Math.max(target[2] + distance * Math.sin(rise), 0.05 * size)];
    }
    return this.looking(eye, target, up, distance, size, aspect);
  }

  // All of a place: {low: [x, y], high: [x, y]} [m]; its longer side lies along that of the picture.
  overlook({low, high}, size, aspect) {
    const [length, width] = [0, 1].map((axis) => Math.max(high[axis] - low[axis], 6 * size));
    const turned = length < width === aspect > 1;
    const [across, along] = turned ? [width, length] : [length, width];
    const distance = TRACK_MARGIN * Math.max(along, across / aspect) / (2 * Math.tan(FIELD / 2));
    const target = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, 0];
    return this.looking([target[0], target[1], distance], target,
      turned ? [-1, 0, 0] : [0, 1, 0], distance, size, aspect);
  }

  // A car that is looked at from all sides, in the upper part of the picture, above other things.
  present([x, y, z], angle, size, aspect) {
    const distance = 2.1 * size * Math.max(1, 1.1 / aspect), rise = 0.26;
    const target = [x, y, z - (aspect > 1.6 ? 0.36 : aspect > 1.2 ? 0.28 : 0.5) * size];
    const eye = [target[0] + distance * Math.cos(rise) * Math.cos(angle),
      target[1] + distance * Math.cos(rise) * Math.sin(angle), z + distance * Math.sin(rise)];
    return this.looking(eye, target, [0, 0, 1], distance, size, aspect);
  }

  looking(eye, target, up, distance, size, aspect) {
    const projection = perspective(FIELD, aspect, distance * 0.03, distance * 40 + 100 * size);
    const rise = Math.atan2(
      eye[2] - target[2], Math.hypot(eye[0] - target[0], eye[1] - target[1]));
    return {eye, target, zoom: 0.5 / Math.tan(FIELD / 2), distance,
      matrix: multiply(projection, lookAt(eye, target, up)),
      horizon: Math.tan(Math.min(rise, 1.5)) / Math.tan(FIELD / 2)};
  }
}

// Turn, shift and zoom by pointer, wheel and fingers on an element.
export function steerCamera(element, camera, {size, changed}) {
  const pointers = new Map();
  let spread = 0;
  const distance = () => {
    const [a, b] = [...pointers.values()];
    return Math.hypot(a.x - b.x, a.y - b.y);
  };
  element.addEventListener('pointerdown', (event) => {
    element.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, {x: event.clientX, y: event.clientY});
    if (pointers.size === 2) { spread = distance(); }
  });
  element.addEventListener('pointermove', (event) => {
    const last = pointers.get(event.pointerId);
    if (!last) { return; }
    const dx = event.clientX - last.x, dy = event.clientY - last.y;
    pointers.set(event.pointerId, {x: event.clientX, y: event.clientY});
    if (pointers.size === 2) {
      const now = distance();
      if (spread && now) { camera.zoomBy(spread / now); }
      spread = now;
    } else if (camera.view === 'top' || event.buttons === 2 || event.shiftKey) {
      camera.shiftBy(dx / element.clientHeight, dy / element.clientHeight, size());
    } else {
      camera.turnBy(-dx * 0.006, dy * 0.006);
    }
    changed();
  });
  const end = (event) => pointers.delete(event.pointerId);
  element.addEventListener('pointerup', end);
  element.addEventListener('pointercancel', end);
  element.addEventListener('contextmenu', (event) => event.preventDefault());
  element.addEventListener('wheel', (event) => {
    event.preventDefault();
    camera.zoomBy(Math.exp(event.deltaY * 0.0012));
    changed();
  }, {passive: false});
}
