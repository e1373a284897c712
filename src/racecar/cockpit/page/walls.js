// Copyright 2026 The racecar maintainers
// SPDX-License-Identifier: Apache-2.0
// Walls of a map: its picture, where dark cells are occupied, becomes solids with smooth sides
// (marching squares).

const OCCUPIED = 90;  // Darker is occupied; ROS writes 0 for it, 205 for unknown, 254 for free.
const MOST_PIXELS = 1500 * 1500;

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

// How occupied each cell and its neighbours are, 0 to 1, with a free border; rows from below.
function density({grey, width, height}) {
  const w = width + 4, h = height + 4;
  let field = new Float32Array(w * h);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      field[(y + 2) * w + x + 2] = grey[(height - 1 - y) * width + x] < OCCUPIED ? 1 : 0;
    }
  }
  for (const step of [1, w]) {
    const blurred = new Float32Array(w * h);
    for (let i = w; i < field.length - w; i++) {
      blurred[i] = 0.25 * field[i - step] + 0.5 * field[i] + 0.25 * field[i + step];
    }
    // What is thin stays: a blurred line of one cell would vanish.
    for (let i = 0; i < field.length; i++) { blurred[i] = Math.max(blurred[i], 0.6 * field[i]); }
    field = blurred;
  }
  return {field, w, h};
}

// {positions, normals} of walls as high as `height` [m] on a map; x, y: its lower left corner.
export function wallsOf(picture, {x: left, y: below, resolution}, height) {
  const {field, w, h} = density(picture);
  const positions = [], normals = [];
  const stepX = resolution * picture.scaleX, stepY = resolution * picture.scaleY;
  const toX = (i) => left + (i - 1.5) * stepX, toY = (j) => below + (j - 1.5) * stepY;
  const LEVEL = 0.5;
  const top = (corners) => {
    for (let k = 1; k + 1 < corners.length; k++) {
      for (const [u, v] of [corners[0], corners[k], corners[k + 1]]) {
        positions.push(toX(u), toY(v), height);
        normals.push(0, 0, 1);
      }
    }
  };
  for (let j = 0; j + 1 < h; j++) {
    let run = -1;  // Where a row of cells that are occupied throughout begins.
    for (let i = 0; i < w; i++) {
      const at = j * w + i;
      const values = i + 1 < w ? [field[at], field[at + 1], field[at + w + 1], field[at + w]]
        : [0, 0, 0, 0];
      const inside = values.filter((value) => value > LEVEL).length;
      if (inside === 4) {
        if (run < 0) { run = i; }
        continue;
      }
      if (run >= 0) {
        top([[run, j], [i, j], [i, j + 1], [run, j + 1]]);
        run = -1;
      }
      if (!inside) { continue; }
      // Around the cell: its occupied corners, and where its edges cross the level.
      const corners = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]];
      const outline = [], crossings = [];
      for (let k = 0; k < 4; k++) {
        const a = values[k], b = values[(k + 1) % 4];
        if (a > LEVEL) { outline.push(corners[k]); }
        if ((a > LEVEL) !== (b > LEVEL)) {
          const share = (LEVEL - a) / (b - a), c = corners[k], d = corners[(k + 1) % 4];
          const point = [c[0] + share * (d[0] - c[0]), c[1] + share * (d[1] - c[1])];
          outline.push(point);
          crossings.push(point);
        }
      }
      top(outline);
      const slopeX = values[1] + values[2] - values[0] - values[3];
      const slopeY = values[2] + values[3] - values[0] - values[1];
      const length = Math.hypot(slopeX, slopeY) || 1;
      for (let k = 0; k + 1 < crossings.length; k += 2) {
        const [a, b] = [crossings[k], crossings[k + 1]];
        for (const [[u, v], z] of [
          [a, 0], [b, 0], [b, height], [a, 0], [b, height], [a, height]]) {
          positions.push(toX(u), toY(v), z);
          normals.push(-slopeX / length, -slopeY / length, 0);
        }
      }
    }
  }
  return {positions, normals};
}
