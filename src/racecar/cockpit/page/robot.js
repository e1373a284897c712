// Copyright 2026 The racecar maintainers
// SPDX-License-Identifier: Apache-2.0
// A robot from its message `robot`: its shapes, and where they are for given joint positions.

import {fromPose, identity, multiply, rotation, transformed, translation}
  from './matrices.js';
import {Mesh} from './renderer.js';
import {Batch, bounds, box, cylinder, readMesh, sphere} from './shapes.js';

const GREY = [0.6, 0.62, 0.65, 1];
const GLOW = 0.16;  // of the length of the car, of a lamp's light
const AMBER = [1, 0.6, 0.05], RED = [1, 0.08, 0.05], WHITE = [1, 0.97, 0.85];
// Where the lamps are: colour, ends of the car (1 front, -1 rear), sides (1 left, -1 right), share
// of the height, size.
const LAMPS = {
  left_indicator: [AMBER, [1, -1], [1], 0.45, 1],
  right_indicator: [AMBER, [1, -1], [-1], 0.45, 1],
  front: [WHITE, [1], [0.75, -0.75], 0.4, 1.3],
  rear: [RED, [-1], [0.75, -0.75], 0.45, 0.7],
  brake: [RED, [-1], [0.7, -0.7, 0], 0.5, 1.4],
  backwards: [WHITE, [-1], [0.45, -0.45], 0.4, 0.9],
  antifog: [WHITE, [1], [0.6, -0.6], 0.25, 0.8],
};

async function fetchMesh(address, scale) {
  const answer = await fetch(address);
  if (!answer.ok) { throw new Error(`${address}: ${answer.status}`); }
  return readMesh(await answer.arrayBuffer(), scale);
}

function solidOf(visual, meshOf) {
  switch (visual.shape) {
    case 'box': return box(visual.size);
    case 'cylinder': return cylinder(visual.size[0], visual.size[0], visual.size[1], 28);
    case 'sphere': return sphere(visual.size[0]);
    default: return meshOf(visual.mesh, visual.scale);
  }
}

export class Robot {
  // message: of type `robot`; column: {name: index in a row of state}.
  constructor(message, column) {
    this.message = message;
    this.column = column;
    this.bodies = [];  // {link, mesh, shadow}
    this.poses = new Map();
    this.lamps = [];
    this.size = 0.5;
    this.footprint = {length: 0.5, width: 0.3};
    this.middle = [0, 0];  // of it, seen from the root
    this.childrenOf = new Map();
    for (const joint of message.joints) {
      const list = this.childrenOf.get(joint.parent) || [];
      list.push({...joint, still: fromPose(joint.origin),
        column: column[`joint:${joint.name}`] ?? -1});
      this.childrenOf.set(joint.parent, list);
    }
    this.place(identity(), () => 0);
    this.atRest = new Map(this.poses);
  }

  // Fetch the shapes; a shape that cannot be fetched is left out and returned as a problem.
  async load(renderer, meshUrl) {
    const problems = [], meshes = new Map();
    // Wheels share theirs.
    const meshOf = (key, scale) => {
      const name = `${key} ${scale}`;
      if (!meshes.has(name)) { meshes.set(name, fetchMesh(meshUrl(key), scale)); }
      return meshes.get(name);
    };
    const extent = {low: [1e9, 1e9, 1e9], high: [-1e9, -1e9, -1e9]};
    await Promise.all(this.message.links.map(async (link) => {
      const batch = new Batch();
      let opaque = true;
      await Promise.all(link.visuals.map(async (visual) => {
        try {
          const colour = visual.colour || GREY;
          opaque = opaque && (colour[3] ?? 1) > 0.99;
          batch.add(await solidOf(visual, meshOf), fromPose(visual.origin), colour);
        } catch (problem) {
          problems.push(String(problem.message || problem));
        }
      }));
      if (!batch.vertices) { return; }
      const mesh = new Mesh(renderer, batch.build());
      this.bodies.push({link: link.name, mesh, shadow: opaque});
      const pose = this.atRest.get(link.name) || identity();
      const own = bounds(mesh.data);
      for (let corner = 0; corner < 8; corner++) {
        const point = transformed(pose, [0, 1, 2].map(
          (axis) => (corner >> axis & 1 ? own.high : own.low)[axis]));
        point.forEach((value, axis) => {
          extent.low[axis] = Math.min(extent.low[axis], value);
          extent.high[axis] = Math.max(extent.high[axis], value);
        });
      }
    }));
    // What can be seen through comes last.
    this.bodies.sort((one, other) => Number(other.shadow) - Number(one.shadow));
    if (this.bodies.length) {
      this.extent = extent;
      const [length, width] = [0, 1].map((axis) => extent.high[axis] - extent.low[axis]);
      this.footprint = {length, width};
      this.middle = [0, 1].map((axis) => (extent.high[axis] + extent.low[axis]) / 2);
      this.size = Math.hypot(length, width);
      this.makeLamps(renderer);
    }
    return problems;
  }

  // Where the description has lamps, else where cars have them.
  makeLamps(renderer) {
    const add = (name, link, places) => {
      const [colour, , , , size] = LAMPS[name];
      this.lamps.push({name, link, tint: [...colour, 1], size: size * GLOW * this.size,
        local: places, mesh: new Mesh(renderer, new Float32Array(places), {perVertex: 3})});
    };
    const own = (this.message.lamps || []).filter((lamp) => LAMPS[lamp.function]);
    for (const lamp of own) {
      const link = this.message.links.find((one) => one.name === lamp.link);
      const visual = link && link.visuals.find((one) => one.name === lamp.visual);
      if (visual) { add(lamp.function, lamp.link, visual.origin.slice(0, 3)); }
    }
    if (own.length) { return; }
    const {low, high} = this.extent;
    for (const [name, [, ends, sides, up]] of Object.entries(LAMPS)) {
      add(name, this.message.root, ends.flatMap((end) => sides.flatMap((side) => [
        end > 0 ? high[0] : low[0], (high[1] + low[1]) / 2 + side * 0.4 * (high[1] - low[1]),
        low[2] + up * (high[2] - low[2])])));
    }
  }

  // root: matrix of the root link; position: of a joint, by its column.
  place(root, position) {
    const walk = (link, matrix) => {
      this.poses.set(link, matrix);
      for (const joint of this.childrenOf.get(link) || []) {
        let child = multiply(matrix, joint.still);
        if (joint.column >= 0) {
          const value = position(joint.column) || 0;  // NaN: not known
          child = multiply(child, joint.kind === 'prismatic'
            ? translation(...joint.axis.map((part) => part * value))
            : rotation(joint.axis, value));
        }
        walk(joint.child, child);
      }
    };
    walk(this.message.root, root);
  }

  placeRow(row) {
    const {column} = this;
    const at = ['x', 'y', 'z', 'qx', 'qy', 'qz', 'qw'].map((name) => row[column[name]] || 0);
    if (!at[3] && !at[4] && !at[5] && !at[6]) { at[6] = 1; }
    this.place(fromPose(at), (index) => row[index]);
  }

  get laser() {
    return this.poses.get(this.message.laser_frame) || this.poses.get(this.message.root);
  }

  items() {
    return this.bodies.map(({link, mesh, shadow}) => ({
      mesh, matrix: this.poses.get(link) || identity(), shadow}));
  }

  // Lamps that are on, as points that glow.
  lampPoints(lit) {
    const shining = this.lamps.filter(({name}) => lit[name]);
    for (const {link, local, mesh} of shining) {
      const pose = this.poses.get(link) || identity();
      for (let i = 0; i < local.length; i += 3) {
        mesh.data.set(transformed(pose, local.slice(i, i + 3)), i);
      }
      mesh.update(local.length / 3);
    }
    // The lamp itself, which light surroundings show, and its shine, which dark ones show.
    return shining.flatMap(({mesh, tint, size}) => [
      {mesh, tint, size: 0.3 * size, smallest: 4, largest: 70},
      {mesh, tint, size, glow: 1, smallest: 8, largest: 220}]);
  }

  remove() {
    for (const {mesh} of [...this.bodies, ...this.lamps]) { mesh.remove(); }
  }
}

// Parts of a scene as arguments of Batch.add().
export function sceneBox({pose, size: [length, width, height], colour}, highest) {
  const cut = Math.min(height, highest);
  const [x, y, z, ...turn] = pose;
  return [box([length, width, cut]), fromPose([x, y, z - (height - cut) / 2, ...turn]),
    colour || GREY];
}
export const sceneCone = ({x, y, radius, height, colour}) =>
  [cylinder(radius, radius * 0.12, height, 20), translation(x, y, height / 2), colour || AMBER];
// Paint on the ground.
export const scenePatch = ({pose, size: [length, width], colour}) =>
  [box([length, width, 0.004]), fromPose(pose), colour || GREY];

// A board with its marker: cells from above, seen from the front, its +x side.
export function sceneBoard({pose, size: [thickness, width, height], marker, cells = [], colour}) {
  const board = fromPose(pose);
  const found = [[box([thickness, width, height]), board, colour || GREY]];
  const side = marker / (cells.length || 1);
  cells.forEach((row, i) => row.forEach((cell, k) => {
    const shade = cell ? 1 : 0.02;
    found.push([box([0.002, side, side]), multiply(board, translation(
      thickness / 2 + 0.001, (row.length / 2 - k - 0.5) * side,
      (cells.length / 2 - i - 0.5) * side)), [shade, shade, shade, 1]]);
  }));
  return found;
}
