// Copyright 2026 The racecar maintainers
// SPDX-License-Identifier: Apache-2.0
// The scene: what stands around, the robots, the reference, the way driven, the laser's points.

import {Camera, steerCamera} from './cameras.js';
import {History} from './history.js';
import {identity, multiply, rotation, transformed, translation, yawOf} from './matrices.js';
import {placeAt, thingParts} from './moving.js';
import {Mesh, Renderer} from './renderer.js';
import {Robot, sceneBoard, sceneBox, sceneCone, scenePatch} from './robot.js';
import {Batch, bounds, FLOATS} from './shapes.js';
import {greyOf, wallsOf} from './walls.js';

const TRAIL_POINTS = 6000;
const SLOW_FRAME = 45;  // ms
const LEAST_DETAIL = 0.5;
const TIME_TO_JUDGE = 2500, FRAMES_TO_JUDGE = 5;  // ms of frames, and how many at least
const LONGEST_FRAME = 2000;  // ms; a longer one comes of a window that was hidden
const TURN = 0.35, TURN_PERIOD = 30;  // of a car on show [rad/s], and between its pictures [ms]
const MOST_CRASHES = 50;
const AT_REST = 250;    // ms without a change
const CUT = 0.36;        // height of walls that are cut, in lengths of the car
const MAP_HEIGHT = 1;    // m, of walls of a map, which does not say it
const WALL = [0.62, 0.65, 0.69, 1];
// Half the widths of lines on the ground and the radius of the marker, in lengths of the car; and
// the least of the widths in pixels of the page.
const PATH = 0.022, TRAIL = 0.011, RING = 0.3;
const LEAST_PIXELS = 0.9;
const CIRCLE = Array.from({length: 65}, (_, i) => [
  Math.cos(i * Math.PI / 32), Math.sin(i * Math.PI / 32)]);

function linear(text) {
  const [r, g, b] = text.match(/\w\w/g).map((pair) => parseInt(pair, 16) / 255);
  return [r, g, b];
}

// A line on the ground as a strip: its points twice, with the direction to the one and the other
// side.
function ribbon(points, colour) {
  const data = new Float32Array(points.length * 2 * FLOATS);
  const bytes = new Uint8Array(data.buffer);
  points.forEach((point, i) => {
    const [a, b] = [points[Math.max(i - 1, 0)], points[Math.min(i + 1, points.length - 1)]];
    writeEdge(data, bytes, i, point, Math.atan2(b[1] - a[1], b[0] - a[0]), colour);
  });
  return data;
}

function writeEdge(data, bytes, i, [x, y], yaw, colour) {
  for (const side of [0, 1]) {
    const half = 2 * side - 1, start = (2 * i + side) * FLOATS;
    data.set([x, y, 0, -half * Math.sin(yaw), half * Math.cos(yaw), 0], start);
    bytes.set(colour.map((part) => Math.round(part * 255)), (start + 6) * 4);
  }
}

export class Stage {
  // options.meshUrl: address of a mesh by its key; options.report: called with a problem's text;
  // options.lightened: called when the scene becomes light or full.
  constructor(canvas, {meshUrl, report, lightened = () => {}}) {
    Object.assign(this, {canvas, meshUrl, report, lightened});
    this.renderer = new Renderer(canvas);
    this.camera = new Camera();
    this.robots = new Map();   // number: {robot, history, trail, ring, colour}
    this.followed = null;      // number; null: the lowest
    this.layers = {laser: true, path: true, trail: true, walls: false};
    this.lamps = {};
    this.crashes = [];         // {time, number, mesh, point}
    this.version = 0;          // of what stands still
    this.onShow = null;        // ring around a car that nobody drives yet
    this.detail = 1;
    this.isLight = false;
    this.isChosen = false;     // by a person: nothing adapts any more
    this.frames = 0;
    this.dirty = true;
    this.pathPoints = [];
    this.moving = [];          // {thing, mesh}: what moves by itself
    this.place = new Mesh(this.renderer, new Float32Array(3), {perVertex: 3});
    this.readColours();
    steerCamera(canvas, this.camera, {
      size: () => this.size, changed: () => { this.dirty = true; }});
    new ResizeObserver(() => { this.dirty = true; }).observe(canvas);
    requestAnimationFrame((now) => this.frame(now));
  }

  // Begin to draw; whenDrawn: called after the first picture, with a robot if there is one. Raises
  // an Error where there is no WebGL 2.
  open(whenDrawn) {
    this.renderer.open(() => { this.dirty = true; });
    this.whenDrawn = whenDrawn;
    if (!this.isChosen && this.renderer.isSoftware) { this.lighten(true); }
    this.dirty = true;
  }

  // A light scene has no shadows and, while it moves, fewer pixels.
  lighten(light, chosen = false) {
    this.isLight = light;
    this.isChosen ||= chosen;
    this.detail = light ? LEAST_DETAIL : 1;
    this.pace = this.judged = this.judgedTime = 0;
    this.dirty = true;
    this.lightened();
  }

  readColours() {
    const style = getComputedStyle(document.documentElement);
    const of = (name) => linear(style.getPropertyValue(`--${name}`).trim().slice(1));
    this.look = {floor: of('floor'), line: of('floor-line'), shade: of('floor-shade'),
      haze: of('haze'), sky: of('sky'), sun: of('sun'), ambient: of('ambient'),
      bounce: of('bounce')};
    this.colours = {measured: of('measured'), reference: of('reference'), laser: of('laser'),
      bad: of('bad'), accent: of('accent')};
    this.drawPath();
    for (const entry of this.robots.values()) { this.restartTrail(entry, true); }
    this.dirty = true;
  }

  get main() {
    return this.robots.get(this.followed)
      ?? this.robots.get([...this.robots.keys()].sort((a, b) => a - b)[0]);
  }

  follow(number) {
    this.followed = number;
    this.dirty = true;
  }

  // Draw a car's trail in a colour, #rrggbb, and a ring around it unless it is followed; null: as
  // the only one.
  colour(number, colour) {
    const entry = this.robots.get(number);
    if (!entry || entry.name === colour) { return; }
    entry.name = colour;
    entry.colour = colour && linear(colour.slice(1));
    entry.ring?.remove();
    entry.ring = colour && new Mesh(
      this.renderer, ribbon(CIRCLE, [...entry.colour, 1]), {strip: true});
    this.restartTrail(entry, true);
    this.dirty = true;
  }

  get hasTrack() { return this.pathPoints.length > 0 || Boolean(this.surroundings); }
  get size() { return this.main ? this.main.robot.size : 0.5; }

  // Drop everything: something else is shown now.
  clear() {
    for (const {robot, trail, ring} of this.robots.values()) {
      robot.remove();
      trail.mesh.remove();
      ring?.remove();
    }
    this.robots.clear();
    this.followed = null;
    for (const {mesh} of this.crashes) { mesh?.remove(); }
    this.crashes = [];
    for (const name of ['surroundings', 'paint', 'pathMesh', 'scanMesh', 'marker', 'onShow']) {
      if (this[name]) { this[name].remove(); }
      this[name] = null;
    }
    this.pathPoints = [];
    this.sceneMessage = this.map = null;
    this.hasWalls = false;
    this.lamps = {};
    this.camera.home();
    this.dirty = true;
  }

  async setRobot(message, history) {
    const old = this.robots.get(message.robot);
    const robot = new Robot(message, history.column);
    const trail = {mesh: new Mesh(
      this.renderer, new Float32Array(TRAIL_POINTS * 2 * FLOATS), {strip: true}), points: 0};
    trail.bytes = new Uint8Array(trail.mesh.data.buffer);
    trail.mesh.count = 0;
    const entry = {robot, history, trail, seen: 0, ring: null, name: null, colour: null};
    this.robots.set(message.robot, entry);
    if (old) {
      old.robot.remove();
      old.trail.mesh.remove();
      old.ring?.remove();
    }
    for (const problem of await robot.load(this.renderer, this.meshUrl)) { this.report(problem); }
    if (this.robots.get(message.robot) !== entry) { robot.remove(); }
    this.build();
    this.drawPath();
    this.dirty = true;
  }

  // Show a car that nobody drives yet, from all sides.
  async present(message) {
    this.clear();
    await this.setRobot(message, new History(message.columns));
    const entry = this.robots.get(message.robot);
    if (!entry || entry.robot.message !== message) { return; }
    const {size, middle} = entry.robot, radius = 0.62 * size;
    this.onShow = new Mesh(this.renderer, ribbon(CIRCLE.map(
      ([c, s]) => [middle[0] + radius * c, middle[1] + radius * s]),
    [...this.colours.accent, 0.9]), {strip: true});
    this.dirty = true;
  }

  // Mark where a car was at a time, once that is known.
  addCrash(time, number) {
    if (this.crashes.length < MOST_CRASHES) { this.crashes.push({time, number, mesh: null}); }
    this.dirty = true;
  }

  removeCrashes(number) {
    for (const crash of this.crashes) {
      if (crash.number === number) { crash.mesh?.remove(); }
    }
    this.crashes = this.crashes.filter((crash) => crash.number !== number);
    this.dirty = true;
  }

  // Rings and points of crashes that have a place by now.
  crashMarks() {
    for (const crash of this.crashes) {
      const entry = this.robots.get(crash.number);
      if (crash.mesh || !entry?.history.length || entry.history.latestTime < crash.time) {
        continue;
      }
      const {history} = entry, {x, y} = history.column;
      const number = Math.min(history.from(crash.time - 1e-6), history.next - 1);
      const [px, py] = [history.value(number, x), history.value(number, y)];
      const radius = 0.62 * entry.robot.size;
      crash.point = [px, py];
      crash.mesh = new Mesh(this.renderer, ribbon(CIRCLE.map(
        ([c, s]) => [px + radius * c, py + radius * s]), [...this.colours.bad, 1]), {strip: true});
    }
    return this.crashes.filter(({mesh}) => mesh);
  }

  // The whole track: reference, surroundings and the way driven; {low, high} [m].
  get bounds() {
    const low = [Infinity, Infinity], high = [-Infinity, -Infinity];
    const add = (x, y) => {
      low[0] = Math.min(low[0], x);
      low[1] = Math.min(low[1], y);
      high[0] = Math.max(high[0], x);
      high[1] = Math.max(high[1], y);
    };
    for (const [x, y] of this.pathPoints) { add(x, y); }
    if (this.surroundings) {
      add(...this.extent.low);
      add(...this.extent.high);
    }
    for (const {trail} of this.robots.values()) {
      for (let i = 0; i < trail.points; i++) {
        add(trail.mesh.data[2 * i * FLOATS], trail.mesh.data[2 * i * FLOATS + 1]);
      }
    }
    const [x, y] = this.focus || [0, 0];
    add(x, y);
    return {low, high};
  }

  setScene(message) {
    this.sceneMessage = message;
    this.build();
  }

  async setMap(message) {
    this.map = {...message, picture: await greyOf(message.blob)};
    this.build();
  }

  // Time of what is shown of the main robot [s].
  get time() {
    const history = this.main?.history;
    return history?.end > history?.first ? history.timeOf(history.end - 1) : 0;
  }

  // Walls as high as they are, or cut so low that one sees over them.
  get wallHeight() { return this.layers.walls ? Infinity : CUT * this.size; }

  build() {
    const {boxes = [], cones = [], patches = [], boards = [], moving = []} =
      this.sceneMessage || {};
    const height = this.wallHeight;
    const batch = new Batch(), paint = new Batch();
    for (const one of boxes) { batch.add(...sceneBox(one, height)); }
    for (const one of cones) { batch.add(...sceneCone(one)); }
    for (const one of patches) { paint.add(...scenePatch(one)); }
    for (const part of boards.flatMap(sceneBoard)) { batch.add(...part); }
    if (this.map) {
      const solid = wallsOf(this.map.picture, this.map, Math.min(MAP_HEIGHT, height));
      if (solid.positions.length) { batch.add(solid, null, WALL); }
    }
    for (const [name, parts] of Object.entries({surroundings: batch, paint})) {
      if (this[name]) { this[name].remove(); }
      this[name] = parts.vertices ? new Mesh(this.renderer, parts.build()) : null;
    }
    for (const {mesh} of this.moving) { mesh.remove(); }
    this.moving = moving.map((thing) => ({
      thing, mesh: new Mesh(this.renderer, new Batch().add(...thingParts(thing)).build())}));
    this.version++;
    this.extent = this.surroundings && bounds(this.surroundings.data);
    this.hasWalls = boxes.some(({size}) => size[2] > CUT * this.size)
      || Boolean(this.map);
    this.dirty = true;
  }

  setPath(points) {
    this.pathPoints = points;
    this.drawPath();
    this.dirty = true;
  }

  drawPath() {
    this.version++;
    if (this.pathMesh) { this.pathMesh.remove(); }
    if (this.marker) { this.marker.remove(); }
    const line = ribbon(this.pathPoints, [...this.colours.reference, 0.9]);
    this.pathMesh = line.length ? new Mesh(this.renderer, line, {strip: true}) : null;
    this.marker = new Mesh(this.renderer, ribbon(
      CIRCLE, [...this.colours.reference, 1]), {strip: true});
  }

  // What the laser saw; null: nothing.
  setScan(message) {
    if (!message) {
      this.scanMesh?.update(0);
      this.dirty = true;
      return;
    }
    const {robot, time, first, step, ranges} = message;
    const entry = this.robots.get(robot);
    if (!entry || !entry.history.length) { return; }
    const {history} = entry;
    // Where the car was when it looked.
    const number = Math.min(history.from(time - 1e-6), history.next - 1);
    entry.robot.placeRow(history.row(number));
    const laser = entry.robot.laser;
    if (!this.scanMesh || this.scanMesh.data.length < 3 * ranges.length) {
      if (this.scanMesh) { this.scanMesh.remove(); }
      this.scanMesh = new Mesh(
        this.renderer, new Float32Array(3 * ranges.length), {perVertex: 3});
    }
    const {data} = this.scanMesh;
    let count = 0;
    for (let i = 0; i < ranges.length; i++) {
      const range = ranges[i];
      if (!(range > 0 && range < Infinity)) { continue; }
      const angle = first + i * step;
      data.set(transformed(
        laser, [range * Math.cos(angle), range * Math.sin(angle), 0]), 3 * count++);
    }
    this.scanMesh.update(count);
    this.scanTime = time;
    this.dirty = true;
  }

  restartTrail(entry, again = false) {
    entry.trail.points = 0;
    entry.trail.mesh.count = 0;
    entry.seen = again ? entry.history.first : entry.history.next;
  }

  // Lengthen the line behind a car by the samples that are new.
  lengthenTrail(entry) {
    const {history, trail, robot} = entry, {end} = history;
    if (entry.seen > end) { this.restartTrail(entry, true); }
    const {x, y} = history.column;
    const colour = [...entry.colour ?? this.colours.measured, 0.95], gap = 0.06 * robot.size;
    const begin = trail.points;
    let restarted = false;
    for (let n = Math.max(entry.seen, history.first); n < end; n++) {
      const point = [history.value(n, x), history.value(n, y)];
      if (!(point[0] === point[0])) {
        trail.points = 0;  // a gap in time
        restarted = true;
        continue;
      }
      const way = trail.last
        ? Math.hypot(point[0] - trail.last[0], point[1] - trail.last[1]) : Infinity;
      if (trail.points && way < gap) { continue; }
      if (trail.points && way > 20 * robot.size) {
        trail.points = 0;  // put elsewhere
        restarted = true;
      } else if (trail.points === TRAIL_POINTS) {
        trail.points = TRAIL_POINTS / 2;
        trail.mesh.data.copyWithin(0, TRAIL_POINTS * FLOATS);
        restarted = true;
      }
      const yaw = trail.points
        ? Math.atan2(point[1] - trail.last[1], point[0] - trail.last[0]) : 0;
      writeEdge(trail.mesh.data, trail.bytes, trail.points, point, yaw, colour);
      trail.points++;
      trail.last = point;
    }
    entry.seen = end;
    if (trail.points !== begin || restarted) {
      const from = restarted ? 0 : begin * 2 * FLOATS;
      trail.mesh.update(trail.points * 2, from);
    }
  }

  // Let a circle lie on the ground.
  placeRing(mesh, x, y, radius) {
    const {data} = mesh;
    CIRCLE.forEach(([c, s], i) => {
      for (const start of [2 * i * FLOATS, (2 * i + 1) * FLOATS]) {
        data[start] = x + radius * c;
        data[start + 1] = y + radius * s;
      }
    });
    mesh.update(mesh.count);
  }

  frame(now) {
    try {
      if (!this.renderer.isReady) {
        requestAnimationFrame((next) => this.frame(next));
        return;
      }
    } catch (problem) {
      this.report(`no 3-D scene: ${problem.message}`);
      return;
    }
    requestAnimationFrame((next) => this.frame(next));
    if (this.onShow && !this.isLight && !this.camera.still && now - (this.shownAt ?? 0) > TURN_PERIOD) {
      this.dirty = true;
    }
    const milliseconds = now - (this.lastFrame || now), seconds = milliseconds / 1000;
    // With fewer pixels while it moves, a picture at rest has them all.
    const refines = this.drawnDetail < 1 && now - this.lastChange > AT_REST;
    this.lastFrame = now;
    if (!(this.dirty || refines) || !this.canvas.clientWidth || this.renderer.gl.isContextLost()) {
      this.wasDrawn = false;
      return;
    }
    if (this.dirty) { this.lastChange = now; }
    this.dirty = false;
    this.drawnDetail = refines ? 1 : this.detail;
    this.draw(seconds, this.renderer.resize(this.drawnDetail));
    this.frames++;
    if (this.whenDrawn && (!this.main || this.main.robot.bodies.length)) {
      this.whenDrawn();
      this.whenDrawn = null;
    }
    // The time since the frame before is that of drawing only if that was drawn, too.
    if (!refines && this.wasDrawn) { this.adapt(milliseconds); }
    this.wasDrawn = true;
  }

  // Where frames are slow draw no shadows, and fewer pixels.
  adapt(milliseconds) {
    if (this.isChosen || milliseconds > LONGEST_FRAME || milliseconds <= 0) { return; }
    this.pace = (this.pace || 16) * 0.9 + milliseconds * 0.1;
    this.judged = (this.judged || 0) + 1;
    this.judgedTime = (this.judgedTime || 0) + milliseconds;
    if (this.pace > SLOW_FRAME && this.judged >= FRAMES_TO_JUDGE
        && this.judgedTime > TIME_TO_JUDGE && !this.isLight) { this.lighten(true); }
  }

  draw(seconds, ratio) {
    const paint = [], ribbons = [], items = [], points = [], still = identity();
    const leastPixels = LEAST_PIXELS * ratio;
    if (this.surroundings) { items.push({mesh: this.surroundings, matrix: still, shadow: true}); }
    if (this.paint) { paint.push({mesh: this.paint, matrix: still}); }
    for (const {thing, mesh} of this.moving) {
      const [x, y, yaw] = placeAt(thing, this.time);
      items.push({mesh, shadow: true,
        matrix: multiply(translation(x, y, 0), rotation([0, 0, 1], yaw))});
    }
    if (this.layers.path && this.pathMesh) {
      ribbons.push({mesh: this.pathMesh, halfWidth: PATH * this.size, leastPixels});
    }
    if (this.onShow) {
      ribbons.push({mesh: this.onShow, halfWidth: 0.6 * TRAIL * this.size, leastPixels});
    }
    let focus = [0, 0, 0], yaw = 0;
    for (const entry of this.robots.values()) {
      const {robot, history, trail} = entry;
      const row = history.latest;
      if (row) {
        robot.placeRow(row);
        this.lengthenTrail(entry);
      }
      if (row && entry.ring && entry !== this.main) {
        const [x, y] = transformed(
          robot.poses.get(robot.message.root), [...robot.middle, 0]);
        this.placeRing(entry.ring, x, y, 0.62 * robot.size);
        ribbons.push({mesh: entry.ring, halfWidth: PATH * robot.size, leastPixels});
      }
      if (this.layers.trail) {
        ribbons.push({mesh: trail.mesh, halfWidth: TRAIL * robot.size, leastPixels});
      }
      if (entry === this.main) {
        focus = transformed(robot.poses.get(robot.message.root), [...robot.middle, 0]);
      }
      if (row && entry === this.main) {
        const {qx, qy, qz, qw, reference_x: rx, reference_y: ry} = history.column;
        yaw = yawOf(row[qx] || 0, row[qy] || 0, row[qz] || 0, row[qw] || 1);
        if (this.layers.path && rx !== undefined && row[rx] === row[rx]) {
          this.placeRing(this.marker, row[rx], row[ry], RING * this.size);
          ribbons.push({mesh: this.marker, halfWidth: PATH * robot.size, leastPixels});
        }
      }
      items.push(...robot.items());
      points.push(...robot.lampPoints(entry === this.main ? this.lamps : {}));
    }
    if (this.scanMesh && this.layers.laser) {
      points.unshift({mesh: this.scanMesh, tint: [...this.colours.laser, 0.95],
        size: 0.045 * this.size, smallest: 2.2 * ratio, largest: 6 * ratio});
    }
    const size = this.size;
    this.focus = focus;
    for (const {mesh} of this.crashMarks()) {
      ribbons.push({mesh, halfWidth: 1.6 * PATH * size, leastPixels: 2 * leastPixels});
    }
    const aspect = this.canvas.width / this.canvas.height;
    let camera;
    if (this.onShow) {
      const since = Math.min((this.lastFrame - (this.shownAt ?? this.lastFrame)) / 1000, 0.1);
      this.shownAt = this.lastFrame;
      this.angle = (this.angle ?? 0.7) + TURN * since;
      camera = this.camera.present(focus, this.angle, size, aspect);
    } else if (this.camera.view === 'track' && this.main) {
      camera = this.camera.overlook(this.bounds, size, aspect);
      this.place.data.set([focus[0], focus[1], 0.3 * size]);
      this.place.update(1);
      points.unshift({mesh: this.place, size: 0.5 * size,
        tint: [...this.main.colour ?? this.colours.measured, 1],
        smallest: 11 * ratio, largest: 16 * ratio});
    } else {
      camera = this.camera.follow(focus, yaw, size, aspect, seconds);
    }
    const gridStep = 10 ** Math.round(Math.log10(size * 1.5));
    this.renderer.draw({
      camera, focus, reach: Math.max(6 * size, camera.distance * 1.1), look: this.look, gridStep,
      hazeDistance: Math.max(60 * size, camera.distance * 4), paint, ribbons, items, points,
      shadows: !this.isLight,
      under: {yaw, ...this.main ? this.main.robot.footprint : {length: 0, width: 0}}});
  }
}
