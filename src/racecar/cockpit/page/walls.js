// Copyright 2026 The racecar maintainers
// SPDX-License-Identifier: Apache-2.0
// Walls of a map: its picture, where dark cells are occupied, becomes solids whose sides are the
// outline of the cells without their steps, as `racecar.rendering.contours` draws it.

const OCCUPIED = 90;  // Darker is occupied; ROS writes 0 for it, 205 for unknown, 254 for free.
const MOST_PIXELS = 1500 * 1500;
// The smooth outline may leave that of the cells by so much [cells], so that corners stay.
const BAND = 0.75;
const ROUNDS = 20, REACH = 4;
// Corners of cells inside follow the outline, less from ring to ring, lest they stick out.
const RINGS = 3, FOLLOWS = 0.6;

// Grey values of a picture, made smaller if it is large: {grey, width, height, scale}.
export async function greyOf(blob) {
  const picture = await createImageBitmap(blob);
  const scale = Math.min(1, Math.sqrt(MOST_PIXELS / (picture.width * picture.height)));
  const width = Math.max(1, Math.round(picture.width * scale));
  const height = Math.max(1, Math.round(picture.height * scale));
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d', {willReadFrequently: true});
  context.drawImage(picture, 0, 0, width, height);
  const pixels = context.getImageData(0, 0, width, height).data;
  const grey = new Uint8Array(width * height);
  for (let i = 0; i < grey.length; i++) { grey[i] = pixels[4 * i]; }
  return {grey, width, height, scaleX: picture.width / width, scaleY: picture.height / height};
}

// The occupied cells as a picture in one colour, transparent elsewhere.
export function pictureOf({grey, width, height}, colour) {
  const canvas = new OffscreenCanvas(width, height), context = canvas.getContext('2d');
  context.fillStyle = colour;
  context.fillRect(0, 0, width, height);
  const picture = context.getImageData(0, 0, width, height);
  for (let i = 0; i < grey.length; i++) { picture.data[4 * i + 3] = grey[i] < OCCUPIED ? 255 : 0; }
  context.putImageData(picture, 0, 0);
  return canvas;
}

// Which cells are occupied, 0 or 1, with a free border of two; rows from below.
function cellsOf({grey, width, height}) {
  const w = width + 4, h = height + 4, cells = new Uint8Array(w * h);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      cells[(y + 2) * w + x + 2] = grey[(height - 1 - y) * width + x] < OCCUPIED ? 1 : 0;
    }
  }
  return {cells, w, h};
}

// Squares are between the middles of four cells. Their corners counter-clockwise, and the edges
// from each to the next: twice the cell at the lower left end, one more if the edge is upright.
const cornersOf = (at, w) => [at, at + 1, at + w + 1, at + w];
const edgesOf = (at, w) => [2 * at, 2 * (at + 1) + 1, 2 * (at + w), 2 * at + 1];

// The edge that the outline crosses after each edge that it crosses, with the walls to its left.
function crossingsOf({cells, w, h}) {
  const next = new Map();
  for (let at = 0; at < w * (h - 1) - 1; at++) {
    const sum = cells[at] + cells[at + 1] + cells[at + w] + cells[at + w + 1];
    if (sum === 0 || sum === 4) { continue; }
    const inside = cornersOf(at, w).map((corner) => cells[corner]), edges = edgesOf(at, w);
    for (let k = 0; k < 4; k++) {
      if (!inside[k] || inside[(k + 1) % 4]) { continue; }
      let m = k + 1;
      while (inside[m % 4] || !inside[(m + 1) % 4]) { m++; }
      next.set(edges[k], edges[m % 4]);
    }
  }
  return next;
}

// Closed lines of edges.
function linesOf(next) {
  const lines = [], left = new Set(next.keys());
  for (const start of left) {
    const line = [];
    for (let edge = start; left.delete(edge); edge = next.get(edge)) { line.push(edge); }
    lines.push(line);
  }
  return lines;
}

// Weighted means of a closed row of numbers, by the bell curve of a width.
function averaged(values, width) {
  const n = values.length, reach = Math.floor(3 * width + 0.5), taps = 2 * reach + 1;
  const weights = Float64Array.from({length: taps},
    (_, k) => Math.exp(-0.5 * ((k - reach) / width) ** 2));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const around = new Float64Array(n + 2 * reach), means = new Float64Array(n);
  for (let i = 0; i < around.length; i++) { around[i] = values[(i + reach * (n - 1)) % n]; }
  for (let i = 0; i < n; i++) {
    let sum = 0;
    for (let k = 0; k < taps; k++) { sum += weights[k] * around[i + k]; }
    means[i] = sum / total;
  }
  return means;
}

// Coordinates of a closed line without the steps of the cells: [xs, ys].
function smoothed(xs, ys) {
  const n = xs.length, width = Math.min(REACH, n / 8);
  const x = xs.slice(), y = ys.slice();
  for (let round = 0; round < ROUNDS; round++) {
    const onceX = averaged(x, width), onceY = averaged(y, width);
    // Without these circles would shrink.
    const twiceX = averaged(onceX, width), twiceY = averaged(onceY, width);
    for (let i = 0; i < n; i++) {
      const offX = 2 * onceX[i] - twiceX[i] - xs[i], offY = 2 * onceY[i] - twiceY[i] - ys[i];
      const scale = 1 / Math.max(1, Math.hypot(offX, offY) / BAND);
      x[i] = xs[i] + scale * offX;
      y[i] = ys[i] + scale * offY;
    }
  }
  return [x, y];
}

// By edge: the point where the smooth outline crosses it, how far that was moved, and the normal.
function outlineOf(next, w) {
  const points = new Map();
  for (const line of linesOf(next)) {
    const xs = Float64Array.from(line, (edge) => (edge >> 1) % w + (edge & 1 ? 0 : 0.5));
    const ys = Float64Array.from(line, (edge) => Math.floor((edge >> 1) / w)
      + (edge & 1 ? 0.5 : 0));
    const [x, y] = smoothed(xs, ys), n = line.length;
    line.forEach((edge, i) => {
      const before = (i + n - 1) % n, after = (i + 1) % n;
      const alongX = x[after] - x[before], alongY = y[after] - y[before];
      const length = Math.hypot(alongX, alongY) || 1;
      points.set(edge, {at: [x[i], y[i]], moved: [x[i] - xs[i], y[i] - ys[i]],
        normal: [alongY / length, -alongX / length]});
    });
  }
  return points;
}

// How far the middles of occupied cells near the outline are moved, by cell.
function shiftsOf({cells, w}, points) {
  const shifts = new Map();
  const mean = (rows) => [0, 1].map(
    (axis) => rows.reduce((sum, row) => sum + row[axis], 0) / rows.length);
  let ring = new Map();
  const meet = (cell, moved) => {
    if (!cells[cell] || shifts.has(cell)) { return; }
    if (!ring.has(cell)) { ring.set(cell, []); }
    ring.get(cell).push(moved);
  };
  for (const [edge, {moved}] of points) {
    meet(edge >> 1, moved);
    meet((edge >> 1) + (edge & 1 ? w : 1), moved);
  }
  for (let count = 0; count < RINGS; count++) {
    const settled = [...ring].map(([cell, rows]) => [cell, mean(rows)]);
    for (const [cell, shift] of settled) { shifts.set(cell, shift); }
    ring = new Map();
    for (const [cell, shift] of settled) {
      const less = shift.map((value) => FOLLOWS * value);
      for (const step of [-1, 1, -w, w]) { meet(cell + step, less); }
    }
  }
  return shifts;
}

// What does not depend on the height of the walls, by picture.
const shapes = new WeakMap();

function shapeOf(picture) {
  if (!shapes.has(picture)) {
    const grid = cellsOf(picture), next = crossingsOf(grid), points = outlineOf(next, grid.w);
    shapes.set(picture, {...grid, next, points, shifts: shiftsOf(grid, points)});
  }
  return shapes.get(picture);
}

// {positions, normals} of walls as high as `height` [m] on a map; x, y: its lower left corner.
export function wallsOf(picture, {x: left, y: below, resolution}, height) {
  const {cells, w, h, next, points, shifts} = shapeOf(picture);
  const positions = [], normals = [];
  const stepX = resolution * picture.scaleX, stepY = resolution * picture.scaleY;
  const toX = (i) => left + (i - 1.5) * stepX, toY = (j) => below + (j - 1.5) * stepY;
  const middle = (cell) => {
    const [x, y] = shifts.get(cell) || [0, 0];
    return [cell % w + x, Math.floor(cell / w) + y];
  };
  const top = (corners) => {
    for (let k = 1; k + 1 < corners.length; k++) {
      for (const [u, v] of [corners[0], corners[k], corners[k + 1]]) {
        positions.push(toX(u), toY(v), height);
        normals.push(0, 0, 1);
      }
    }
  };
  for (let j = 0; j + 1 < h; j++) {
    let run = -1;  // Where a row of squares that are occupied throughout, and not moved, begins.
    for (let i = 0; i < w; i++) {
      const corners = cornersOf(j * w + i, w);
      const inside = i + 1 < w ? corners.map((corner) => cells[corner]) : [0, 0, 0, 0];
      if (inside.every(Boolean) && !corners.some((corner) => shifts.has(corner))) {
        if (run < 0) { run = i; }
        continue;
      }
      if (run >= 0) {
        top([[run, j], [i, j], [i, j + 1], [run, j + 1]]);
        run = -1;
      }
      if (!inside.some(Boolean)) { continue; }
      const edges = edgesOf(j * w + i, w), around = [];
      for (let k = 0; k < 4; k++) {
        if (inside[k]) { around.push(middle(corners[k])); }
        if (inside[k] !== inside[(k + 1) % 4]) { around.push(points.get(edges[k]).at); }
      }
      top(around);
    }
  }
  for (const [edge, following] of next) {
    const a = points.get(edge), b = points.get(following);
    for (const [{at: [u, v], normal}, z] of [
      [a, 0], [b, 0], [b, height], [a, 0], [b, height], [a, height]]) {
      positions.push(toX(u), toY(v), z);
      normals.push(...normal, 0);
    }
  }
  return {positions, normals};
}
