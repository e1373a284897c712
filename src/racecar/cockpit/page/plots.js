// Copyright 2026 The racecar maintainers
// SPDX-License-Identifier: Apache-2.0
// Quantities over time, with every sample that arrived.

import {byId, gearName, make, number, setText} from './dom.js';

const DEGREES = 180 / Math.PI;
const measured = 'measured', command = 'command', reference = 'reference';

// The first series is drawn last. dash: so that lines differ not by colour alone. floor: the least
// span of the axis. steps: round steps of the axis, where powers of ten are not what one expects.
// marks: a column whose changes are marked with its new value.
export const PLOTS = [
  {id: 'speed', title: 'Speed', unit: 'm/s', digits: 2, floor: 0.5, series: [
    {column: 'speed', label: 'car', colour: measured},
    {column: 'command_speed', label: 'command', colour: command, dash: [2, 2]},
    {column: 'reference_speed', label: 'reference', colour: reference, dash: [6, 3]}]},
  {id: 'steering', title: 'Steering', unit: '\u00b0', digits: 1, floor: 10, factor: DEGREES,
    steps: [1, 2, 5, 10, 15, 30, 45, 90, 180], series: [
    {column: 'steering', label: 'car', colour: measured},
    {column: 'command_steering', label: 'command', colour: command, dash: [2, 2]}]},
  {id: 'error', title: 'Tracking error', unit: 'm', digits: 3, floor: 0.02, series: [
    {column: 'error', label: 'total', colour: measured},
    {column: 'lateral_error', label: 'across', colour: command, dash: [2, 2]},
    {column: 'longitudinal_error', label: 'along', colour: reference, dash: [6, 3]}]},
  {id: 'engine', title: 'Engine', unit: 'rev/min, gear', digits: 0, floor: 1000, marks: 'gear',
    series: [{column: 'rpm', label: 'engine', colour: measured},
      {column: 'gear', label: 'gear', text: gearName}]},
  {id: 'pedals', title: 'Pedals', unit: '%', digits: 0, floor: 100, factor: 100, series: [
    {column: 'throttle', label: 'throttle', colour: reference},
    {column: 'brake', label: 'brake', colour: command, dash: [2, 2]}]},
];

const LEAST_SPAN = 5;  // s
const LEFT = 44, RIGHT = 8, TOP = 6, BOTTOM = 18;  // px, around the lines
const LABEL = 13;  // px, the height that one needs

// Round steps for an axis: about `count` of them in a span; of a list, if it has one so large.
export function stepOf(span, count, steps = []) {
  const rough = span / count, power = 10 ** Math.floor(Math.log10(rough));
  const least = rough * 0.999;
  const listed = rough >= steps[0] ? steps.find((step) => step >= least) : undefined;
  return listed ?? power * [1, 2, 5, 10].find((part) => part * power >= least);
}

class Plot {
  constructor(description) {
    this.description = description;
    this.canvas = make('canvas', {role: 'img', 'aria-label': description.title});
    this.values = new Map();
    const legend = description.series.map((series) => {
      const value = make('b', {class: 'value', text: '\u2013'});
      this.values.set(series, value);
      const line = series.colour ? ` ${series.colour}${series.dash ? ' dashed' : ''}` : ' textual';
      return make('span', {class: `key${line}`}, make('span', {text: series.label}), value);
    });
    this.figure = make('figure', {class: 'plot', id: `plot-${description.id}`, hidden: true},
      make('figcaption', {}, make('span', {class: 'title'}, make('h3', {text: description.title}),
        make('span', {class: 'unit', text: description.unit})),
      make('span', {class: 'legend'}, ...legend)), this.canvas);
    this.low = this.high = NaN;
  }

  // Smallest and largest of each column of pixels: [x, first, low, high, last, ...].
  column(history, index, begin, end, width, toX) {
    const {factor = 1} = this.description;
    const points = [];
    let x = -1, group = null;
    for (let n = begin; n < end; n++) {
      const value = history.value(n, index) * factor;
      if (value !== value) {
        if (group) { points.push(group); group = null; }
        points.push(null);
        x = -1;
        continue;
      }
      const here = Math.round(toX(history.timeOf(n)) * 2) / 2;
      if (here === x && group) {
        group.low = Math.min(group.low, value);
        group.high = Math.max(group.high, value);
        group.last = value;
      } else {
        if (group) { points.push(group); }
        group = {x: here, first: value, low: value, high: value, last: value};
        x = here;
      }
    }
    if (group) { points.push(group); }
    return points;
  }

  draw(history, {begin, end, span, colours, at}) {
    const {canvas, description} = this;
    const ratio = window.devicePixelRatio || 1;
    const width = canvas.clientWidth, height = canvas.clientHeight;
    if (!width || !height) { return; }
    const pixels = [Math.round(width * ratio), Math.round(height * ratio)];
    if (canvas.width !== pixels[0] || canvas.height !== pixels[1]) {
      [canvas.width, canvas.height] = pixels;
    }
    // By the processor: the graphics card has enough to prepare for the scene.
    const context = canvas.getContext('2d', {willReadFrequently: true});
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const right = history.latestTime, left = right - span;
    const toX = (time) => LEFT + (time - left) / span * (width - LEFT - RIGHT);
    const lines = description.series.filter(
      ({column, colour}) => colour && history.has(column)).map((series) => ({
      series, points: this.column(
        history, history.column[series.column], begin, end, width, toX)}));
    this.scale(lines);
    const toY = (value) => TOP + (this.high - value) / (this.high - this.low)
      * (height - TOP - BOTTOM);
    this.drawAxes(context, {width, height, left, right, toX, toY, colours});
    if (history.has(description.marks)) {
      this.drawMarks(context, history, {begin, end, toX, height, colours});
    }
    context.save();
    context.beginPath();
    context.rect(LEFT, 0, width - LEFT - RIGHT + 2, height);
    context.clip();
    for (const {series, points} of lines.reverse()) {
      context.strokeStyle = colours[series.colour];
      context.lineWidth = series.dash ? 1.25 : 1.6;
      context.lineJoin = 'round';
      context.setLineDash(series.dash || []);
      context.beginPath();
      let last = null;
      for (const group of points) {
        if (!group) { last = null; continue; }
        if (last) {
          context.lineTo(group.x, toY(group.first));
        } else {
          context.moveTo(group.x, toY(group.first));
        }
        if (group.low !== group.high) {
          context.lineTo(group.x, toY(group.low));
          context.lineTo(group.x, toY(group.high));
          context.lineTo(group.x, toY(group.last));
        }
        last = group;
      }
      context.stroke();
    }
    context.setLineDash([]);
    if (at !== null && at >= left) {
      context.strokeStyle = colours.soft;
      context.lineWidth = 1;
      context.beginPath();
      context.moveTo(toX(at), TOP);
      context.lineTo(toX(at), height - BOTTOM);
      context.stroke();
    }
    context.restore();
  }

  // The axis grows at once and shrinks when there is much room.
  scale(lines) {
    let low = Infinity, high = -Infinity;
    for (const {points} of lines) {
      for (const group of points) {
        if (group) { low = Math.min(low, group.low); high = Math.max(high, group.high); }
      }
    }
    if (low > high) { low = high = 0; }
    const {floor} = this.description;
    if (high - low < floor) {
      const middle = (low + high) / 2;
      // A quantity that is never below zero does not need an axis that is.
      [low, high] = low >= 0 && middle < floor / 2 ? [0, floor]
        : [middle - floor / 2, middle + floor / 2];
    }
    const step = stepOf(high - low, 3, this.description.steps);
    low = Math.floor(low / step + 1e-6) * step;
    high = Math.ceil(high / step - 1e-6) * step;
    const span = this.high - this.low;
    if (!(low >= this.low && high <= this.high && high - low > 0.45 * span)) {
      Object.assign(this, {low, high, step});
    }
  }

  drawAxes(context, {width, height, left, right, toX, toY, colours}) {
    context.font = '11px system-ui, sans-serif';
    context.fillStyle = colours.soft;
    context.lineWidth = 1;
    context.textBaseline = 'middle';
    context.textAlign = 'right';
    const {step} = this;
    const every = Math.ceil(LABEL * (this.high - this.low) / (step * (height - TOP - BOTTOM)));
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    for (let value = Math.ceil(this.low / step - 1e-6) * step; value <= this.high + step * 1e-6;
      value += step) {
      const y = Math.round(toY(value)) + 0.5;
      context.strokeStyle = Math.abs(value) < step * 1e-6 ? colours.axis : colours.grid;
      context.beginPath();
      context.moveTo(LEFT, y);
      context.lineTo(width - RIGHT, y);
      context.stroke();
      if (Math.round(value / step) % every === 0) {
        context.fillText(number(value, digits), LEFT - 6, y);
      }
    }
    if (!(right === right)) { return; }
    context.textAlign = 'center';
    context.textBaseline = 'alphabetic';
    const stepT = stepOf(right - left, Math.max(3, Math.min(8, width / 60)));
    for (let t = Math.ceil(Math.max(left, 0) / stepT) * stepT; t <= right; t += stepT) {
      const x = Math.round(toX(t)) + 0.5;
      if (x < LEFT + 8 || x > width - RIGHT - 8) { continue; }
      context.strokeStyle = colours.grid;
      context.beginPath();
      context.moveTo(x, TOP);
      context.lineTo(x, height - BOTTOM);
      context.stroke();
      context.fillText(`${number(t, stepT < 1 ? 1 : 0)} s`, x, height - 5);
    }
  }

  // Where a quantity changes, with its new value.
  drawMarks(context, history, {begin, end, toX, height, colours}) {
    const column = history.column[this.description.marks];
    let last = NaN;
    context.fillStyle = context.strokeStyle = colours.soft;
    context.textAlign = 'left';
    context.textBaseline = 'top';
    context.setLineDash([1, 3]);
    for (let n = begin; n < end; n++) {
      const value = history.value(n, column);
      const changes = value !== last && last === last && value === value;
      last = value;
      if (!changes) { continue; }
      const x = Math.round(toX(history.timeOf(n))) + 0.5;
      if (x > LEFT) {
        context.beginPath();
        context.moveTo(x, TOP);
        context.lineTo(x, height - BOTTOM);
        context.stroke();
        context.fillText(gearName(value), x + 3, TOP);
      }
    }
    context.setLineDash([]);
  }

  label(history, row) {
    const {description} = this;
    const texts = [];
    for (const [series, element] of this.values) {
      const known = history.has(series.column);
      element.parentElement.hidden = !known;
      if (!known) { continue; }
      const value = history.value(row, history.column[series.column]) * (description.factor || 1);
      const text = (series.text || number)(value, description.digits);
      setText(element, text);
      texts.push(`${series.label} ${text}`);
    }
    return texts.join(', ');
  }
}

export class Plots {
  // box: element that the figures go into. frozen(): the time under the pointer, or null.
  constructor(box) {
    this.box = box;
    this.plots = PLOTS.map((description) => new Plot(description));
    box.append(...this.plots.map((plot) => plot.figure));
    this.span = 20;
    this.at = null;
    this.readColours();
    box.addEventListener('pointermove', (event) => this.point(event));
    box.addEventListener('pointerleave', () => { this.at = null; this.drawn = NaN; });
    byId('span').addEventListener('change', (event) => {
      this.span = Number(event.target.value);
      this.drawn = NaN;
    });
    new ResizeObserver(() => { this.drawn = NaN; }).observe(box);
    this.spoken = 0;
  }

  readColours() {
    const style = getComputedStyle(document.documentElement);
    this.colours = Object.fromEntries(
      ['measured', 'command', 'reference', 'soft', 'grid', 'axis'].map(
        (name) => [name, style.getPropertyValue(`--${name}`).trim()]));
    this.drawn = NaN;
  }

  point(event) {
    const canvas = event.target.closest('canvas');
    if (!canvas || !this.history) { this.at = null; return; }
    const share = (event.offsetX - LEFT) / (canvas.clientWidth - LEFT - RIGHT);
    this.at = share >= 0 && share <= 1
      ? this.history.latestTime - (1 - share) * this.shownSpan : null;
    this.drawn = NaN;
  }

  draw(history) {
    if (!history || !history.length || (history === this.history
        && this.drawn === history.changes)) { return; }
    this.history = history;
    // After a seek in a pause what was before comes, up to the same time.
    this.drawn = history.changes;
    // A run that has only begun fills the plots nevertheless.
    const span = Math.min(this.span, Math.max(
      LEAST_SPAN, history.latestTime - history.timeOf(history.first)));
    this.shownSpan = span;
    const begin = Math.max(history.from(history.latestTime - span) - 1, history.first);
    const end = history.next;
    const row = this.at === null ? end - 1 : Math.min(history.from(this.at), end - 1);
    const speaks = performance.now() - this.spoken > 1000;
    if (speaks) { this.spoken = performance.now(); }
    for (const plot of this.plots) {
      const known = plot.description.series.some(({column}) => history.has(column));
      if (plot.figure.hidden === known) { plot.figure.hidden = !known; }
      if (!known) { continue; }
      const text = plot.label(history, row);
      plot.draw(history, {begin, end, span, colours: this.colours, at: this.at});
      if (speaks) {
        const {title, unit} = plot.description;
        plot.canvas.setAttribute('aria-label', `${title} over time [${unit}]: ${text}`);
      }
    }
    const shown = this.plots.filter((plot) => !plot.figure.hidden);
    if (this.box.dataset.count !== String(shown.length)) {
      this.box.dataset.count = shown.length;
      // The choice of the time lies over the last of the first row: of five, which fill two rows,
      // the second; of four, which fill two where it is narrow, this or the last.
      const corners = {5: [1], 4: [1, 3]}[shown.length] || [shown.length - 1];
      shown.forEach(({figure}, index) => {
        figure.classList.toggle('wide', shown.length === 5 && index < 2);
        figure.classList.toggle('corner', corners.includes(index));
      });
    }
  }

  clear() {
    this.history = null;
    for (const plot of this.plots) {
      plot.figure.hidden = true;
      plot.low = plot.high = NaN;
    }
    this.box.dataset.count = 0;
  }
}
