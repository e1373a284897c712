// Copyright 2026 The racecar maintainers
// SPDX-License-Identifier: Apache-2.0
// The programs of the graphics card: solids with light and shadow, ground, lines on it, points,
// background.

const HEAD = `#version 300 es
precision highp float;
precision highp sampler2DShadow;
`;

// How much of the sun reaches a place, from the depth picture that the sun sees; four looks of
// which the card mixes four each.
const SHADOW = `
uniform sampler2DShadow shadowMap;
uniform float shadowStep;
float sunlight(vec4 place, float bias) {
  vec3 p = place.xyz * 0.5 + 0.5;
  if (any(lessThan(p, vec3(0.0))) || any(greaterThan(p, vec3(1.0)))) { return 1.0; }
  float sum = 0.0;
  for (int i = 0; i < 4; i++) {
    vec2 to = vec2(i & 1, i >> 1) * 1.5 - 0.75;
    sum += texture(shadowMap, vec3(p.xy + to * shadowStep, p.z - bias));
  }
  vec2 edge = smoothstep(vec2(0.5), vec2(0.42), abs(p.xy - 0.5));
  return mix(1.0, sum * 0.25, edge.x * edge.y);
}
`;

const HAZE = `
uniform vec3 eye;
uniform vec3 haze;
uniform float hazeDistance;
vec3 hazy(vec3 colour, vec3 place) {
  float far = distance(place, eye) / hazeDistance;
  return mix(colour, haze, 1.0 - exp(-far * far));
}
`;

export const SOLID = {
  vertex: `${HEAD}
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec4 colour;
uniform mat4 model, view, sun;
out vec3 place, facing;
out vec4 paint, seenBySun;
void main() {
  vec4 world = model * vec4(position, 1.0);
  place = world.xyz;
  facing = mat3(model) * normal;
  paint = colour;
  seenBySun = sun * vec4(world.xyz + 0.004 * normalize(facing), 1.0);
  gl_Position = view * world;
}`,
  fragment: `${HEAD}${SHADOW}${HAZE}
in vec3 place, facing;
in vec4 paint, seenBySun;
uniform vec3 toSun, sunColour, skyColour, groundColour;
uniform vec4 tint;
out vec4 result;
void main() {
  vec4 base = paint * tint;
  vec3 colour = pow(base.rgb, vec3(2.2));
  vec3 n = normalize(facing);
  vec3 toEye = normalize(eye - place);
  if (dot(n, toEye) < 0.0) { n = -n; }
  float direct = max(dot(n, toSun), 0.0) * sunlight(seenBySun, 0.0006);
  float gloss = pow(max(dot(n, normalize(toSun + toEye)), 0.0), 60.0) * 0.5 * direct;
  vec3 ambient = mix(groundColour, skyColour, n.z * 0.5 + 0.5);
  // Lacquer mirrors the sky, most at a flat angle (Schlick).
  float mirror = 0.04 + 0.5 * pow(1.0 - max(dot(n, toEye), 0.0), 5.0);
  vec3 mirrored = mix(groundColour, skyColour, smoothstep(-0.2, 0.5, reflect(-toEye, n).z));
  vec3 shaded = colour * (ambient + sunColour * direct) + gloss * sunColour + mirror * mirrored;
  // What is bright keeps its shades.
  shaded *= 1.18 / (1.0 + 0.22 * shaded);
  colour = pow(shaded, vec3(1.0 / 2.2));
  result = vec4(hazy(colour, place), base.a);
}`,
};

export const DEPTH = {
  vertex: `${HEAD}
layout(location = 0) in vec3 position;
uniform mat4 model, view;
void main() { gl_Position = view * model * vec4(position, 1.0); }`,
  fragment: `${HEAD}
void main() {}`,
};

// A plane with lines each step and each ten steps, which fade where they would flicker. It is
// lighter about its centre, and dark under what stands on it: `under` is the middle of that and
// the direction of its length, `half_length` and `half_width` its size.
export const GROUND = {
  vertex: `${HEAD}
layout(location = 0) in vec3 position;
uniform mat4 view, sun;
uniform vec3 centre;
uniform float extent;
out vec3 place;
out vec4 seenBySun;
void main() {
  place = vec3(centre.xy + position.xy * extent, 0.0);
  seenBySun = sun * vec4(place, 1.0);
  gl_Position = view * vec4(place, 1.0);
}`,
  fragment: `${HEAD}${SHADOW}${HAZE}
in vec3 place;
in vec4 seenBySun;
uniform vec3 floorColour, lineColour, shadeColour;
uniform vec4 under;
uniform float step, pool, halfLength, halfWidth;
out vec4 result;
float lines(vec2 at) {
  vec2 width = fwidth(at);
  vec2 near = abs(fract(at - 0.5) - 0.5) / max(width, vec2(1e-6));
  float line = 1.0 - min(min(near.x, near.y), 1.0);
  return line * (1.0 - smoothstep(0.15, 0.5, max(width.x, width.y)));
}
void main() {
  vec2 at = place.xy / step;
  float line = max(0.45 * lines(at), lines(at * 0.1));
  vec2 off = place.xy - under.xy;
  vec3 colour = mix(floorColour, lineColour, line)
    * (0.97 + 0.05 * exp(-dot(off, off) / (pool * pool)));
  // Light from all around does not reach there.
  vec2 own = abs(vec2(dot(off, under.zw), dot(off, vec2(-under.w, under.z))));
  vec2 beyond = max(own - 0.8 * vec2(halfLength, halfWidth), 0.0) / (0.55 * halfWidth);
  float open = 1.0 - 0.6 * exp(-1.5 * dot(beyond, beyond));
  colour = mix(shadeColour, colour, min(sunlight(seenBySun, 0.0), open));
  // Noise of half a step, so that soft edges have no rings.
  float noise = fract(sin(dot(gl_FragCoord.xy, vec2(12.9898, 78.233))) * 43758.5453) - 0.5;
  result = vec4(hazy(colour, place) + noise / 255.0, 1.0);
}`,
};

// A strip along a line on the ground, `halfWidth` to each side, which `normal` tells; never so
// narrow on the screen that it would flicker. `across`, `down`: pixels of half the picture.
export const RIBBON = {
  vertex: `${HEAD}
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec4 colour;
uniform mat4 view;
uniform float halfWidth, leastPixels, across, down;
out vec3 place;
out vec4 paint;
void main() {
  place = position + halfWidth * normal;
  paint = colour;
  vec4 middle = view * vec4(position, 1.0);
  gl_Position = view * vec4(place, 1.0);
  if (min(middle.w, gl_Position.w) > 1e-4) {
    vec2 screen = vec2(across, down);
    vec2 from = middle.xy / middle.w;
    vec2 way = (gl_Position.xy / gl_Position.w - from) * screen;
    float pixels = length(way);
    if (pixels < leastPixels && pixels > 1e-6) {
      gl_Position.xy = (from + way * (leastPixels / pixels) / screen) * gl_Position.w;
    }
  }
}`,
  fragment: `${HEAD}${HAZE}
in vec3 place;
in vec4 paint;
out vec4 result;
void main() { result = vec4(hazy(paint.rgb, place), paint.a); }`,
};

export const POINTS = {
  vertex: `${HEAD}
layout(location = 0) in vec3 position;
uniform mat4 view;
uniform float size, smallest, largest;
void main() {
  gl_Position = view * vec4(position, 1.0);
  // A little nearer, as points lie on what the laser has met.
  gl_Position.z -= 0.004 * gl_Position.w;
  gl_PointSize = clamp(size / gl_Position.w, smallest, largest);
}`,
  fragment: `${HEAD}
uniform vec4 tint;
uniform float glow;
out vec4 result;
void main() {
  float r = length(gl_PointCoord - 0.5) * 2.0;
  float solid = 1.0 - smoothstep(0.75, 1.0, r);
  float soft = pow(max(1.0 - r, 0.0), 2.2);
  result = vec4(tint.rgb, tint.a * mix(solid, soft, glow));
}`,
};

export const BACKGROUND = {
  vertex: `${HEAD}
out float height;
void main() {
  vec2 at = vec2((gl_VertexID << 1) & 2, gl_VertexID & 2) * 2.0 - 1.0;
  height = at.y;
  gl_Position = vec4(at, 0.0, 1.0);
}`,
  fragment: `${HEAD}
in float height;
uniform vec3 top, haze;
uniform float horizon;
out vec4 result;
void main() { result = vec4(mix(haze, top, smoothstep(horizon, 1.2, height)), 1.0); }`,
};
