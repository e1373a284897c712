// Copyright 2026 The racecar maintainers
// SPDX-License-Identifier: Apache-2.0
// The way of the car against its reference, from above, to one scale in both directions.

const LEFT = 44, RIGHT = 8, TOP = 6, BOTTOM = 18;  // px, around the lines
const FONT = '11px system-ui, sans-serif';
const LEAST = 1;      // m, the least that is shown
const FAR = 30;       // px between two lines of the grid, at least
const LABEL = 46;     // px, the width that a label needs
const JUMP = 1;       // m, over which the car was put, not driven

export const PLAN = {id: 'plan', title: 'Path', unit: 'm', digits: 2, series: [
  {column: 'x', label: 'x', colour: 'measured'}, {column: 'y', label: 'y', textual: true},
  {column: 'reference_x', label: 'reference', colour: 'reference', dash: [6, 3],
    text: () => ''}],
columns: ['x', 'y', 'reference_x', 'reference_y']};

// Draws on a canvas of its own, of the size of its box.
export class Plan {
  // stepOf, digitsOf: of the axes of plots; colours: gives them by name.
  constructor(box, {stepOf, digitsOf, number, colours, redraw}) {
    Object.assign(this, {stepOf, digitsOf, number, colours});
    this.path = [];
    this.canvas = document.createElement('canvas');
    this.canvas.className = 'plan';
    box.append(this.canvas);
    // The processor draws it, as it draws the other plots.
    this.context = this.canvas.getContext('2d', {willReadFrequently: true});
    new ResizeObserver(([{contentRect: {width, height}}]) => {
      Object.assign(this, {width: Math.floor(width), height: Math.floor(height)});
      redraw();
    }).observe(box);
  }

  // The reference as a whole: [[x, y], ...].
  setPath(points) { this.path = points; }

  // begin, end: of the samples that are shown; row: that of the marks.
  draw(history, {begin, end, row}) {
    const {width, height, canvas} = this, ratio = window.devicePixelRatio;
    if (!width || !height) { return; }
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      Object.assign(canvas.style, {width: `${width}px`, height: `${height}px`});
    }
    const {context} = this;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const way = this.points(history, 'x', 'y', begin, end);
    const reference = this.path.length ? this.path
      : this.points(history, 'reference_x', 'reference_y', begin, end);
    const place = this.axes(context, [...way, ...reference]);
    const {colours} = this;
    this.line(context, reference, place, colours.reference, 1.25, [6, 3]);
    this.line(context, way, place, colours.measured, 1.8, []);
    const dot = (names, colour, radius) => {
      const [x, y] = names.map((name) => history.value(row, history.column[name]));
      if (Number.isNaN(x) || x === undefined) { return; }
      context.beginPath();
      context.arc(...place([x, y]), radius, 0, 2 * Math.PI);
      context.fillStyle = colour;
      context.fill();
    };
    dot(['reference_x', 'reference_y'], colours.reference, 5);
    dot(['x', 'y'], colours.measured, 3.5);
  }

  points(history, x, y, begin, end) {
    const xs = history.valuesOf(x, begin, end), ys = history.valuesOf(y, begin, end);
    return xs.map((value, i) => [value, ys[i]]).filter(([value]) => value !== null);
  }

  line(context, points, place, colour, thickness, dash) {
    context.beginPath();
    points.forEach((point, i) => {
      const [x, y] = place(point), last = points[i - 1];
      const jumps = !last || thickness > 1.5
        && Math.hypot(point[0] - last[0], point[1] - last[1]) > JUMP;
      context[jumps ? 'moveTo' : 'lineTo'](x, y);
    });
    Object.assign(context, {strokeStyle: colour, lineWidth: thickness, lineJoin: 'round'});
    context.setLineDash(dash);
    context.stroke();
    context.setLineDash([]);
  }

  // Draw grid and labels; return what gives the pixels of a point.
  axes(context, points) {
    const {width, height, colours, number} = this;
    let [low, high] = [[Infinity, Infinity], [-Infinity, -Infinity]];
    for (const point of points) {
      low = low.map((value, i) => Math.min(value, point[i]));
      high = high.map((value, i) => Math.max(value, point[i]));
    }
    if (!points.length) { [low, high] = [[0, 0], [0, 0]]; }
    const room = [width - LEFT - RIGHT, height - TOP - BOTTOM];
    const middle = low.map((value, i) => (value + high[i]) / 2);
    const scale = Math.min(...room.map(
      (size, i) => size / (1.08 * Math.max(high[i] - low[i], LEAST))));
    const centre = [LEFT + room[0] / 2, TOP + room[1] / 2];
    const place = ([x, y]) => [centre[0] + (x - middle[0]) * scale,
      centre[1] - (y - middle[1]) * scale];
    const step = this.stepOf(FAR / scale, 1), every = Math.ceil(LABEL / (step * scale)), digits = this.digitsOf(step);
    Object.assign(context, {font: FONT, lineWidth: 1, strokeStyle: colours.grid,
      fillStyle: colours.soft});
    const ticks = (i) => {
      const half = room[i] / scale / 2, found = [];
      for (let at = Math.ceil((middle[i] - half) / step) * step; at <= middle[i] + half;
        at += step) { found.push(at); }
      return found;
    };
    context.beginPath();
    context.textAlign = 'center';
    context.textBaseline = 'alphabetic';
    for (const x of ticks(0)) {
      const at = Math.round(place([x, 0])[0]) + 0.5;
      context.moveTo(at, TOP);
      context.lineTo(at, TOP + room[1]);
      if (at > LEFT + 10 && at < width - RIGHT - 14 && Math.round(x / step) % every === 0) {
        context.fillText(`${number(x, digits)} m`, at, height - 5);
      }
    }
    context.textAlign = 'right';
    context.textBaseline = 'middle';
    for (const y of ticks(1)) {
      const at = Math.round(place([0, y])[1]) + 0.5;
      context.moveTo(LEFT, at);
      context.lineTo(width - RIGHT, at);
      context.fillText(number(y, digits), LEFT - 6, at);
    }
    context.stroke();
    return place;
  }
}
