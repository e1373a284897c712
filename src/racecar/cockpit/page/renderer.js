// Copyright 2026 The racecar maintainers
// SPDX-License-Identifier: Apache-2.0
// Draws meshes, ground and points with WebGL 2. Knows nothing of cars.

import {lookAt, multiply, normalized, orthographic} from './matrices.js';
import {BACKGROUND, DEPTH, GROUND, POINTS, RIBBON, SOLID} from './shaders.js';
import {FLOATS} from './shapes.js';

const SHADOW_PIXELS = 1536;
const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;
const TO_SUN = normalized([-0.45, 0.35, 0.9]);

class Program {
  constructor(gl, {vertex, fragment}) {
    this.gl = gl;
    this.program = gl.createProgram();
    this.shaders = [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]].map(
      ([kind, source]) => {
        const shader = gl.createShader(kind);
        gl.shaderSource(shader, source);
        gl.compileShader(shader);
        gl.attachShader(this.program, shader);
        return shader;
      });
    gl.linkProgram(this.program);
    this.places = new Map();
  }

  // Raises an Error if the card does not take it. Waits for the card, so ask after all are begun.
  check() {
    const {gl, program} = this;
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
      throw new Error([gl.getProgramInfoLog(program), ...this.shaders.map(
        (shader) => gl.getShaderInfoLog(shader))].filter(Boolean).join('; '));
    }
  }

  use() { this.gl.useProgram(this.program); return this; }

  // Numbers, arrays of 3 or 4 numbers, matrices.
  set(values) {
    const {gl} = this;
    for (const [name, value] of Object.entries(values)) {
      if (!this.places.has(name)) {
        this.places.set(name, gl.getUniformLocation(this.program, name));
      }
      const place = this.places.get(name);
      if (typeof value === 'number') {
        gl.uniform1f(place, value);
      } else if (value.length === 16) {
        gl.uniformMatrix4fv(place, false, value);
      } else if (value.length === 4) {
        gl.uniform4fv(place, value);
      } else {
        gl.uniform3fv(place, value);
      }
    }
    return this;
  }
}

// Vertices on the graphics card; `data` stays, for a card that is not there yet or loses them.
export class Mesh {
  constructor(renderer, data, {perVertex = FLOATS, strip = false} = {}) {
    Object.assign(this, {renderer, data, perVertex, strip, count: data.length / perVertex});
    renderer.meshes.add(this);
    this.upload();
  }

  upload() {
    const {gl} = this.renderer;
    if (!gl) { return; }
    this.array = gl.createVertexArray();
    this.buffer = gl.createBuffer();
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, this.data, gl.DYNAMIC_DRAW);
    const bytes = 4 * this.perVertex;
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, bytes, 0);
    if (this.perVertex === FLOATS) {
      gl.enableVertexAttribArray(1);
      gl.vertexAttribPointer(1, 3, gl.FLOAT, false, bytes, 12);
      gl.enableVertexAttribArray(2);
      gl.vertexAttribPointer(2, 4, gl.UNSIGNED_BYTE, true, bytes, 24);
    }
    gl.bindVertexArray(null);
  }

  // Write `data` again from one number to another, and draw so many vertices.
  update(count, from = 0, to = count * this.perVertex) {
    const {gl} = this.renderer;
    this.count = count;
    if (!gl) { return; }
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.bufferSubData(gl.ARRAY_BUFFER, 4 * from, this.data.subarray(from, to));
  }

  draw() {
    const {gl} = this.renderer;
    gl.bindVertexArray(this.array);
    gl.drawArrays(this.strip ? gl.TRIANGLE_STRIP : gl.TRIANGLES, 0, this.count);
  }

  remove() {
    const {gl, meshes} = this.renderer;
    gl?.deleteBuffer(this.buffer);
    gl?.deleteVertexArray(this.array);
    meshes.delete(this);
  }
}

export class Renderer {
  constructor(canvas) {
    this.canvas = canvas;
    this.meshes = new Set();
    this.gl = null;
    this.groundMesh = new Mesh(this, new Float32Array(
      [-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, -1, 0, 1, 1, 0, -1, 1, 0]), {perVertex: 3});
  }

  // Get hold of the graphics card. Raises an Error where there is no WebGL 2.
  open(whenRestored) {
    const {canvas} = this;
    this.gl = canvas.getContext('webgl2', {antialias: true, alpha: false});
    if (!this.gl) {
      throw new Error('this browser has no WebGL 2');
    }
    this.prepare();
    canvas.addEventListener('webglcontextlost', (event) => event.preventDefault());
    canvas.addEventListener('webglcontextrestored', () => {
      this.prepare();
      whenRestored();
    });
  }

  // What draws, as the browser tells it; and whether that is the processor.
  get name() {
    const {gl} = this, more = gl?.getExtension('WEBGL_debug_renderer_info');
    return !gl ? 'not known' : String(gl.getParameter(more ? more.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  }

  get isSoftware() { return SOFTWARE.test(this.name); }

  // Whether the card has its programs; the page need not stand still meanwhile. Raises an Error
  // for one that it does not take.
  get isReady() {
    const {gl, parallel} = this;
    if (!gl) { return false; }
    const programs = Object.values(this.programs);
    if (!this.isChecked && (!parallel || programs.every(({program}) => gl.getProgramParameter(
      program, parallel.COMPLETION_STATUS_KHR)))) {
      programs.forEach((program) => program.check());
      this.isChecked = true;
    }
    return this.isChecked;
  }

  prepare() {
    const {gl} = this;
    this.isChecked = false;
    this.parallel = gl.getExtension('KHR_parallel_shader_compile');
    this.programs = Object.fromEntries(Object.entries(
      {solid: SOLID, depth: DEPTH, ground: GROUND, ribbon: RIBBON, points: POINTS,
        background: BACKGROUND},
    ).map(([name, sources]) => [name, new Program(gl, sources)]));
    this.shadow = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.shadow);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, SHADOW_PIXELS, SHADOW_PIXELS);
    for (const [name, value] of [
      [gl.TEXTURE_MIN_FILTER, gl.LINEAR], [gl.TEXTURE_MAG_FILTER, gl.LINEAR],
      [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE], [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE],
      [gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE]]) {
      gl.texParameteri(gl.TEXTURE_2D, name, value);
    }
    this.shadowFrame = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowFrame);
    gl.framebufferTexture2D(
      gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.shadow, 0);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    this.meshes.forEach((mesh) => mesh.upload());
  }

  // As many pixels as the page has for it, times `detail`.
  resize(detail) {
    const ratio = Math.min(window.devicePixelRatio || 1, 2) * detail;
    const width = Math.max(1, Math.round(this.canvas.clientWidth * ratio));
    const height = Math.max(1, Math.round(this.canvas.clientHeight * ratio));
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
    }
    return ratio;
  }

  // camera: {eye, matrix, horizon}; focus, reach: where shadows are, and how far [m]; look: the
  // colours; under: {yaw, length, width} of what stands at the focus; paint: like items, without
  // height; ribbons: [{mesh, halfWidth}]; items: [{mesh, matrix, tint, shadow}]; points: [{mesh,
  // tint, size, glow}]; shadows: whether anything throws one.
  draw({camera, focus, reach, look, gridStep, hazeDistance, under, paint, ribbons, items,
    points, shadows}) {
    const {gl, programs} = this;
    const middle = [0, 1, 2].map((i) => focus[i] + TO_SUN[i] * reach * 4);
    const sun = multiply(
      orthographic(reach, reach, reach, reach * 6), lookAt(middle, focus, [0, 0, 1]));
    gl.enable(gl.DEPTH_TEST);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowFrame);
    gl.viewport(0, 0, SHADOW_PIXELS, SHADOW_PIXELS);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    programs.depth.use().set({view: sun});
    for (const item of items) {
      if (shadows && item.shadow && item.mesh.count) {
        programs.depth.set({model: item.matrix});
        item.mesh.draw();
      }
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.disable(gl.DEPTH_TEST);
    gl.bindVertexArray(null);
    programs.background.use().set({top: look.sky, haze: look.haze, horizon: camera.horizon});
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    gl.bindTexture(gl.TEXTURE_2D, this.shadow);
    const common = {view: camera.matrix, sun, eye: camera.eye, haze: look.haze, hazeDistance,
      shadowStep: 1 / SHADOW_PIXELS};
    programs.ground.use().set({...common, centre: focus, extent: hazeDistance * 2.5,
      floorColour: look.floor, lineColour: look.line, shadeColour: look.shade, step: gridStep,
      under: [focus[0], focus[1], Math.cos(under.yaw), Math.sin(under.yaw)], pool: reach * 0.6,
      halfLength: under.length / 2, halfWidth: under.width / 2});
    this.groundMesh.draw();
    // What lies on the ground is drawn in its order, and all that stands on it later, so that
    // heights of a millimetre need not be told apart.
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    const solids = (list) => {
      programs.solid.use().set({...common, toSun: TO_SUN, sunColour: look.sun,
        skyColour: look.ambient, groundColour: look.bounce});
      for (const {mesh, matrix, tint = [1, 1, 1, 1]} of list) {
        if (mesh.count) {
          programs.solid.set({model: matrix, tint});
          mesh.draw();
        }
      }
    };
    solids(paint);
    programs.ribbon.use().set({view: camera.matrix, eye: camera.eye, haze: look.haze,
      hazeDistance, across: this.canvas.width / 2, down: this.canvas.height / 2});
    for (const {mesh, halfWidth, leastPixels} of ribbons) {
      if (mesh.count) {
        programs.ribbon.set({halfWidth, leastPixels});
        mesh.draw();
      }
    }
    gl.enable(gl.DEPTH_TEST);
    solids(items);
    gl.depthMask(false);
    programs.points.use().set({view: camera.matrix});
    for (const {mesh, tint, size, glow = 0, smallest = 2, largest = 14} of points) {
      gl.blendFunc(gl.SRC_ALPHA, glow ? gl.ONE : gl.ONE_MINUS_SRC_ALPHA);
      programs.points.set({tint, glow, smallest, largest,
        size: size * this.canvas.height * camera.zoom});
      gl.bindVertexArray(mesh.array);
      gl.drawArrays(gl.POINTS, 0, mesh.count);
    }
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }
}
