// Copyright 2026 The racecar maintainers
// SPDX-License-Identifier: Apache-2.0
// A small map over the scene: surroundings, reference, crashes and the car, north up.

import {show} from './dom.js';
import {placeAt} from './moving.js';
import {pictureOf} from './walls.js';

const PERIOD = 100;               // ms
const LONGEST = 172, HIGHEST = 124;  // px
const MARGIN = 8;                 // px
const LEAST = 8;                  // lengths of the car; of less there is no map to be made

const narrow = matchMedia('(max-width: 820px), (max-height: 500px)');

export class MiniMap {
  constructor(button, stage) {
    Object.assign(this, {button, stage, next: 0, drawn: null});
    this.canvas = button.querySelector('canvas');
    this.still = document.createElement('canvas');
  }

  draw(now) {
    if (now < this.next) { return; }
    this.next = now + PERIOD;
    const {stage} = this, {low, high} = stage.bounds;
    const [length, width] = [high[0] - low[0], high[1] - low[1]];
    const visible = Boolean(stage.main?.history.length) && stage.hasTrack
      && Math.max(length, width) > LEAST * stage.size && stage.camera.view !== 'track';
    show(this.button, visible);
    if (!visible) { return; }
    const small = narrow.matches ? 0.62 : 1;
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const scale = Math.min((small * LONGEST - 2 * MARGIN) / length,
      (small * HIGHEST - 2 * MARGIN) / width);
    const size = [length, width].map((side) => Math.round(side * scale + 2 * MARGIN));
    const place = ([x, y]) => [(x - low[0]) * scale + MARGIN, (high[1] - y) * scale + MARGIN];
    const {canvas, still} = this;
    const key = [size, scale, ratio, low, high, stage.version].join();
    if (key !== this.drawn) {
      this.drawn = key;
      for (const one of [canvas, still]) {
        [one.width, one.height] = size.map((side) => side * ratio);
      }
      [canvas.style.width, canvas.style.height] = size.map((side) => `${side}px`);
      const context = still.getContext('2d');
      context.scale(ratio, ratio);
      this.drawStill(context, place, scale);
    }
    const context = canvas.getContext('2d');
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.drawImage(still, 0, 0);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.drawCar(context, place);
  }

  drawStill(context, place, scale) {
    const {stage} = this, {sceneMessage, map, pathPoints} = stage;
    const style = getComputedStyle(this.button);
    context.fillStyle = style.getPropertyValue('--soft');
    if (map) {
      const {picture, resolution} = map;
      const length = picture.width * picture.scaleX * resolution;
      const width = picture.height * picture.scaleY * resolution;
      context.drawImage(pictureOf(picture, context.fillStyle), ...place([map.x, map.y + width]),
        length * scale, width * scale);
    }
    for (const {pose, size} of sceneMessage?.boxes || []) {
      const yaw = 2 * Math.atan2(pose[5], pose[6]), [x, y] = place(pose);
      context.save();
      context.translate(x, y);
      context.rotate(-yaw);
      const sides = size.slice(0, 2).map((side) => Math.max(side * scale, 1.2));
      context.fillRect(-sides[0] / 2, -sides[1] / 2, ...sides);
      context.restore();
    }
    context.fillStyle = style.getPropertyValue('--command');
    for (const {x, y} of sceneMessage?.cones || []) { dot(context, place([x, y]), 1.6); }
    if (pathPoints.length) {
      context.strokeStyle = style.getPropertyValue('--reference');
      context.lineWidth = 1.6;
      context.lineJoin = 'round';
      context.beginPath();
      for (const point of pathPoints) { context.lineTo(...place(point)); }
      context.stroke();
    }
  }

  drawCar(context, place) {
    const {stage} = this, style = getComputedStyle(this.button);
    context.fillStyle = style.getPropertyValue('--command');
    for (const {thing} of stage.moving) { dot(context, place(placeAt(thing, stage.time)), 2.4); }
    context.fillStyle = style.getPropertyValue('--bad');
    for (const {point} of stage.crashMarks()) { dot(context, place(point), 2.6); }
    for (const entry of stage.robots.values()) {
      if (entry !== stage.main) { this.drawArrow(context, place, entry, style, 0.7); }
    }
    this.drawArrow(context, place, stage.main, style, 1);
  }

  drawArrow(context, place, {history, name}, style, scale) {
    const row = history.latest, {x, y, qz, qw} = history.column;
    if (!row) { return; }
    const [u, v] = place([row[x], row[y]]), yaw = 2 * Math.atan2(row[qz], row[qw]);
    context.save();
    context.translate(u, v);
    context.rotate(-yaw);
    context.scale(scale, scale);
    context.fillStyle = name ?? style.getPropertyValue('--measured');
    context.strokeStyle = style.getPropertyValue('--surface');
    context.lineWidth = 1.5;
    context.beginPath();
    for (const point of [[8, 0], [-5, 4.6], [-2.6, 0], [-5, -4.6]]) { context.lineTo(...point); }
    context.closePath();
    context.stroke();
    context.fill();
    context.restore();
  }
}

function dot(context, [x, y], radius) {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fill();
}
