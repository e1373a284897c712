// Copyright 2026 The racecar maintainers
// SPDX-License-Identifier: Apache-2.0
// Solids as triangles: {positions, normals}, three corners of three numbers for each triangle.

import {cross, dot, normalized, subtract, transformed} from './matrices.js';

const SMOOTH = Math.cos(40 * Math.PI / 180);  // Edges sharper than this stay visible.
export const FLOATS = 7;  // Of a vertex in a batch: position, normal, colour in 4 bytes.

export function box([length, width, height]) {
  const positions = [], normals = [];
  for (let axis = 0; axis < 3; axis++) {
    for (const side of [-1, 1]) {
      const corner = (u, v) => {
        const point = [0, 0, 0];
        point[axis] = side; point[(axis + 1) % 3] = u * side; point[(axis + 2) % 3] = v;
        return [point[0] * length / 2, point[1] * width / 2, point[2] * height / 2];
      };
      const normal = [0, 0, 0];
      normal[axis] = side;
      for (const [u, v] of [[-1, -1], [1, -1], [1, 1], [-1, -1], [1, 1], [-1, 1]]) {
        positions.push(...corner(u, v));
        normals.push(...normal);
      }
    }
  }
  return {positions, normals};
}

// Along z, its middle at the origin; a cone with radius 0 at the top.
export function cylinder(bottom, top, height, corners = 24) {
  const positions = [], normals = [];
  const slope = (bottom - top) / height;
  const add = (radius, z, angle, normal) => {
    positions.push(radius * Math.cos(angle), radius * Math.sin(angle), z);
    normals.push(...(normal || normalized([Math.cos(angle), Math.sin(angle), slope])));
  };
  for (let i = 0; i < corners; i++) {
    const a = 2 * Math.PI * i / corners, b = 2 * Math.PI * (i + 1) / corners, h = height / 2;
    add(bottom, -h, a); add(bottom, -h, b); add(top, h, b);
    add(bottom, -h, a); add(top, h, b); add(top, h, a);
    for (const [radius, z] of [[bottom, -h], [top, h]]) {
      const up = [0, 0, Math.sign(z)];
      add(0, z, 0, up); add(radius, z, z > 0 ? a : b, up); add(radius, z, z > 0 ? b : a, up);
    }
  }
  return {positions, normals};
}

export function sphere(radius, rows = 10, columns = 16) {
  const positions = [], normals = [];
  const add = (row, column) => {
    const a = Math.PI * row / rows, b = 2 * Math.PI * column / columns;
    const n = [Math.sin(a) * Math.cos(b), Math.sin(a) * Math.sin(b), Math.cos(a)];
    positions.push(...n.map((value) => value * radius));
    normals.push(...n);
  };
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      add(row, column); add(row + 1, column); add(row + 1, column + 1);
      add(row, column); add(row + 1, column + 1); add(row, column + 1);
    }
  }
  return {positions, normals};
}

// Of the answer of /mesh/<key>: counts, points, each once, corners of triangles. Blunt edges become
// smooth.
export function readMesh(buffer, scale = [1, 1, 1]) {
  const view = new DataView(buffer);
  const pointCount = view.getUint32(0, true), triangleCount = view.getUint32(4, true);
  const xyz = new Float32Array(buffer, 8, 3 * pointCount);
  const corners = new Uint32Array(buffer, 8 + 12 * pointCount, 3 * triangleCount);
  const at = (i) => [xyz[3 * i] * scale[0], xyz[3 * i + 1] * scale[1], xyz[3 * i + 2] * scale[2]];
  const positions = new Float32Array(9 * triangleCount);
  const normals = new Float32Array(9 * triangleCount);
  const faces = [], around = Array.from({length: pointCount}, () => []);
  for (let t = 0; t < triangleCount; t++) {
    const points = [0, 1, 2].map((i) => at(corners[3 * t + i]));
    faces.push(cross(subtract(points[1], points[0]), subtract(points[2], points[0])));
    points.forEach((point, i) => {
      positions.set(point, 9 * t + 3 * i);
      around[corners[3 * t + i]].push(t);
    });
  }
  const units = faces.map(normalized);
  for (let t = 0; t < triangleCount; t++) {
    for (let i = 0; i < 3; i++) {
      const sum = [0, 0, 0];
      for (const other of around[corners[3 * t + i]]) {
        if (dot(units[other], units[t]) > SMOOTH) {
          faces[other].forEach((value, axis) => { sum[axis] += value; });
        }
      }
      normals.set(normalized(sum), 9 * t + 3 * i);
    }
  }
  return {positions, normals};
}

// Solids in one buffer, as one call of WebGL draws them.
export class Batch {
  constructor() {
    this.parts = [];
    this.vertices = 0;
  }

  // matrix: where, or null. colour: red, green, blue and opacity, each from 0 to 1.
  add(solid, matrix, colour) {
    this.parts.push({solid, matrix, colour});
    this.vertices += solid.positions.length / 3;
    return this;
  }

  build() {
    const data = new Float32Array(this.vertices * FLOATS);
    const bytes = new Uint8Array(data.buffer);
    let vertex = 0;
    for (const {solid: {positions, normals}, matrix, colour} of this.parts) {
      const paint = [0, 1, 2, 3].map((i) => Math.round(255 * (colour[i] ?? 1)));
      for (let i = 0; i < positions.length; i += 3, vertex++) {
        let point = [positions[i], positions[i + 1], positions[i + 2]];
        let normal = [normals[i], normals[i + 1], normals[i + 2]];
        if (matrix) {
          point = transformed(matrix, point);
          normal = [0, 1, 2].map((row) => matrix[row] * normal[0] + matrix[4 + row] * normal[1]
            + matrix[8 + row] * normal[2]);
        }
        data.set(point, vertex * FLOATS);
        data.set(normal, vertex * FLOATS + 3);
        bytes.set(paint, (vertex * FLOATS + 6) * 4);
      }
    }
    return data;
  }
}

// Smallest box around vertices of a batch: {low, high}.
export function bounds(data, into = {low: [1e9, 1e9, 1e9], high: [-1e9, -1e9, -1e9]}) {
  for (let i = 0; i < data.length; i += FLOATS) {
    for (let axis = 0; axis < 3; axis++) {
      into.low[axis] = Math.min(into.low[axis], data[i + axis]);
      into.high[axis] = Math.max(into.high[axis], data[i + axis]);
    }
  }
  return into;
}
