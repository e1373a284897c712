// Copyright 2026 The racecar maintainers
// SPDX-License-Identifier: Apache-2.0
// Things of the scene that move by themselves: where they are follows from the time.

import {translation} from './matrices.js';
import {box, cylinder} from './shapes.js';

// Place [x, y, yaw] of a thing of the message `scene` at a time of the page [s].
export function placeAt({legs, begin, end, repeats}, time) {
  let moment = Math.max(time + begin, 0);
  if (repeats) { moment %= end; }
  let low = 0, high = legs.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (legs[middle][0] <= moment) { low = middle; } else { high = middle; }
  }
  const [start, x, y, yaw, vx, vy, turn] = legs[low], gone = moment - start;
  return [x + vx * gone, y + vy * gone, yaw + turn * gone];
}

// A thing at the origin as arguments of Batch.add().
export function thingParts({size: [length, width, height], round, colour}) {
  const solid = round ? cylinder(length / 2, length / 2, height, 32) : box([length, width, height]);
  return [solid, translation(0, 0, height / 2), colour];
}
