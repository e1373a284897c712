# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Programs of the graphics card, in GLSL: bright daylight with soft shadows, a pale floor, haze.

The same light as in the cockpit. Colours are linearized with the exponent 2, whose root is cheap
in software.
"""

from __future__ import annotations

_HEAD = '#version 330\n'

_HAZE = """
uniform vec3 eye;
const vec3 HAZE = vec3(0.933, 0.949, 0.965);
vec3 hazy(vec3 colour, vec3 place) {
  // From high above it is clear.
  float far = distance(place, eye) / (130.0 + 8.0 * max(eye.z, 0.0));
  return mix(HAZE, colour, exp(-far * far));
}
"""

_SUN = """
const vec3 TO_SUN = normalize(vec3(-0.45, 0.35, 0.9));
"""

# How much of the sun reaches a place: sixteen looks at the picture of depths that the sun sees,
# four by four mixed by the card; beyond its edges all of it.
_SHADOW = """
#ifdef SHADOWS
uniform sampler2DShadow depths;
uniform float texel;
float sunlight(vec4 seen, float bias) {
  vec3 p = seen.xyz * 0.5 + 0.5;
  if (any(lessThan(p, vec3(0.0))) || any(greaterThan(p, vec3(1.0)))) { return 1.0; }
  float sum = 0.0;
  for (int i = 0; i < 4; i++) {
    vec2 to = vec2(i & 1, i >> 1) * 1.5 - 0.75;
    sum += texture(depths, vec3(p.xy + to * texel, p.z - bias));
  }
  vec2 edge = smoothstep(vec2(0.5), vec2(0.4), abs(p.xy - 0.5));
  return mix(1.0, 0.25 * sum, edge.x * edge.y);
}
#else
float sunlight(vec4 seen, float bias) { return 1.0; }
#endif
"""

SOLID_VERTEX = _HEAD + """
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 pattern;
layout(location = 3) in vec4 colour;
uniform mat4 model, view, sun;
uniform float lift;
out vec3 place, facing;
out vec2 at;
out vec4 paint, seen;
void main() {
  vec4 world = model * vec4(position, 1.0);
  place = world.xyz;
  facing = mat3(model) * normal;
  at = pattern;
  paint = colour;
  seen = sun * vec4(world.xyz + lift * normalize(facing), 1.0);
  gl_Position = view * world;
}
"""

SOLID_FRAGMENT = _HEAD + _SUN + _SHADOW + _HAZE + """
in vec3 place, facing;
in vec2 at;
in vec4 paint, seen;
uniform sampler2D picture;
uniform vec4 tint;
uniform float gloss, glow;
out vec4 result;
const vec3 SUN = vec3(0.902, 0.867, 0.8), SKY = vec3(0.639, 0.706, 0.784);
const vec3 BOUNCE = vec3(0.455, 0.467, 0.486);
void main() {
  vec4 base = paint * tint;
  if (glow > 0.0) { result = base; return; }
  vec3 n = normalize(facing), to_eye = normalize(eye - place);
  if (dot(n, to_eye) < 0.0) { n = -n; }
  float direct = max(dot(n, TO_SUN), 0.0);
  if (direct > 0.0) { direct *= sunlight(seen, 0.0004); }
  vec3 shaded = base.rgb * base.rgb * texture(picture, at).r
    * (mix(BOUNCE, SKY, n.z * 0.5 + 0.5) + SUN * direct);
  if (gloss > 0.0) {
    // Lacquer mirrors the sun, and the sky most at a flat angle (Schlick).
    float shine = max(dot(n, normalize(TO_SUN + to_eye)), 0.0);
    float flat_angle = 1.0 - max(dot(n, to_eye), 0.0), square = flat_angle * flat_angle;
    float mirror = 0.025 + 0.5 * square * square * flat_angle;
    vec3 mirrored = mix(BOUNCE, SKY, smoothstep(-0.2, 0.5, reflect(-to_eye, n).z));
    shaded += gloss * (0.5 * direct * pow(shine, 60.0) * SUN + mirror * mirrored);
  }
  // What is bright keeps its shades.
  shaded *= 1.18 / (1.0 + 0.22 * shaded);
  result = vec4(hazy(sqrt(shaded), place), base.a);
}
"""

DEPTH_VERTEX = _HEAD + """
layout(location = 0) in vec3 position;
uniform mat4 model, view;
void main() { gl_Position = view * model * vec4(position, 1.0); }
"""

DEPTH_FRAGMENT = _HEAD + 'void main() {}\n'

# The floor is mottled and has slabs, whose joints fade where they would flicker. It is dark under
# the robot: light from all around does not reach there.
GROUND_VERTEX = _HEAD + """
layout(location = 0) in vec3 position;
uniform mat4 view, sun;
out vec3 place;
out vec4 seen;
void main() {
  place = position;
  seen = sun * vec4(position, 1.0);
  gl_Position = view * vec4(position, 1.0);
}
"""

GROUND_FRAGMENT = _HEAD + _SHADOW + _HAZE + """
in vec3 place;
in vec4 seen;
uniform sampler2D picture;
uniform vec3 colour;
uniform vec4 under;
uniform vec2 size;
uniform float slab, tile;
out vec4 result;
float joints(vec2 at) {
  vec2 width = fwidth(at);
  vec2 near = abs(fract(at - 0.5) - 0.5) / max(width, vec2(0.004));
  return (1.0 - min(min(near.x, near.y), 1.0))
    * (1.0 - smoothstep(0.15, 0.5, max(width.x, width.y)));
}
void main() {
  vec3 shaded = colour * texture(picture, place.xy / tile).r
    * (1.0 - 0.11 * joints(place.xy / slab));
  float open = 1.0;
#ifdef SHADOWS
  vec2 off = place.xy - under.xy;
  vec2 own = abs(vec2(dot(off, under.zw), dot(off, vec2(-under.w, under.z))));
  vec2 beyond = max(own - 0.8 * size, 0.0) / (0.55 * size.y);
  open = 1.0 - 0.6 * exp(-1.5 * dot(beyond, beyond));
#endif
  shaded *= mix(vec3(0.79, 0.815, 0.845), vec3(1.0), min(sunlight(seen, 0.0), open));
  result = vec4(hazy(shaded, place), 1.0);
}
"""

# A strip along a line, `half_width` to each side, where `normal` points; never so narrow on the
# picture that it would flicker. half_size: of the picture [pixels].
RIBBON_VERTEX = _HEAD + """
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
uniform mat4 view;
uniform float half_width;
uniform vec2 half_size;
out vec3 place;
void main() {
  place = position + half_width * normal;
  vec4 middle = view * vec4(position, 1.0);
  gl_Position = view * vec4(place, 1.0);
  if (min(middle.w, gl_Position.w) > 1e-4) {
    vec2 from = middle.xy / middle.w;
    vec2 way = (gl_Position.xy / gl_Position.w - from) * half_size;
    float pixels = length(way);
    if (pixels < 0.9 && pixels > 1e-6) {
      gl_Position.xy = (from + way * (0.9 / pixels) / half_size) * gl_Position.w;
    }
  }
}
"""

RIBBON_FRAGMENT = _HEAD + _HAZE + """
in vec3 place;
uniform vec4 tint;
out vec4 result;
void main() { result = vec4(hazy(tint.rgb, place), tint.a); }
"""

# Round points. `size`: of one metre at a distance of 1 m [pixels].
POINT_VERTEX = _HEAD + """
layout(location = 0) in vec3 position;
uniform mat4 view;
uniform float size;
void main() {
  gl_Position = view * vec4(position, 1.0);
  gl_PointSize = clamp(size / gl_Position.w, 2.2, 9.0);
  // A little nearer, as they lie on what the laser has met.
  gl_Position.z -= 0.003 * gl_Position.w;
}
"""

POINT_FRAGMENT = _HEAD + """
uniform vec4 tint;
out vec4 result;
void main() {
  float r = 2.0 * length(gl_PointCoord - 0.5);
  result = vec4(tint.rgb, tint.a * (1.0 - smoothstep(0.7, 1.0, r)));
}
"""

SKY_VERTEX = _HEAD + """
layout(location = 0) in vec3 position;
uniform mat3 rays;
out vec3 direction;
void main() {
  direction = rays * vec3(position.xy, 1.0);
  gl_Position = vec4(position.xy, 0.0, 1.0);
}
"""

SKY_FRAGMENT = _HEAD + _HAZE + """
in vec3 direction;
out vec4 result;
void main() {
  float up = normalize(direction).z;
  result = vec4(mix(HAZE, vec3(0.62, 0.76, 0.89), smoothstep(0.0, 0.6, up)), 1.0);
}
"""
