// Copyright 2026 The racecar maintainers
// SPDX-License-Identifier: Apache-2.0
// Vectors (arrays of 3), poses (x, y, z, qx, qy, qz, qw) and matrices (Float32Array(16), columns
// one after the other, as WebGL reads them).

export const subtract = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a, b) => [
  a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

export function normalized(a) {
  const length = Math.hypot(...a) || 1;
  return [a[0] / length, a[1] / length, a[2] / length];
}

export function identity() {
  const m = new Float32Array(16);
  m[0] = m[5] = m[10] = m[15] = 1;
  return m;
}

export function multiply(a, b, out = new Float32Array(16)) {
  for (let column = 0; column < 16; column += 4) {
    for (let row = 0; row < 4; row++) {
      out[column + row] = a[row] * b[column] + a[4 + row] * b[column + 1]
        + a[8 + row] * b[column + 2] + a[12 + row] * b[column + 3];
    }
  }
  return out;
}

export function fromPose([x, y, z, qx, qy, qz, qw]) {
  return new Float32Array([
    1 - 2 * (qy * qy + qz * qz), 2 * (qx * qy + qz * qw), 2 * (qx * qz - qy * qw), 0,
    2 * (qx * qy - qz * qw), 1 - 2 * (qx * qx + qz * qz), 2 * (qy * qz + qx * qw), 0,
    2 * (qx * qz + qy * qw), 2 * (qy * qz - qx * qw), 1 - 2 * (qx * qx + qy * qy), 0,
    x, y, z, 1]);
}

// Turned by an angle about a unit axis.
export function rotation([x, y, z], angle) {
  const s = Math.sin(angle / 2);
  return fromPose([0, 0, 0, x * s, y * s, z * s, Math.cos(angle / 2)]);
}

export function translation(x, y, z) {
  return fromPose([x, y, z, 0, 0, 0, 1]);
}

export function transformed(m, [x, y, z]) {
  return [m[0] * x + m[4] * y + m[8] * z + m[12], m[1] * x + m[5] * y + m[9] * z + m[13],
    m[2] * x + m[6] * y + m[10] * z + m[14]];
}

// Yaw of a quaternion [rad].
export const yawOf = (qx, qy, qz, qw) =>
  Math.atan2(2 * (qw * qz + qx * qy), 1 - 2 * (qy * qy + qz * qz));

export function perspective(fieldOfView, aspect, near, far) {
  const f = 1 / Math.tan(fieldOfView / 2);
  const m = new Float32Array(16);
  m[0] = f / aspect; m[5] = f; m[10] = (far + near) / (near - far); m[11] = -1;
  m[14] = 2 * far * near / (near - far);
  return m;
}

export function orthographic(halfWidth, halfHeight, near, far) {
  const m = identity();
  m[0] = 1 / halfWidth; m[5] = 1 / halfHeight; m[10] = 2 / (near - far);
  m[14] = (far + near) / (near - far);
  return m;
}

export function lookAt(eye, target, up) {
  const back = normalized(subtract(eye, target));
  const right = normalized(cross(up, back));
  const above = cross(back, right);
  return new Float32Array([
    right[0], above[0], back[0], 0, right[1], above[1], back[1], 0, right[2], above[2], back[2], 0,
    -dot(right, eye), -dot(above, eye), -dot(back, eye), 1]);
}
