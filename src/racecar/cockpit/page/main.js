// Copyright 2026 The racecar maintainers
// SPDX-License-Identifier: Apache-2.0
// Joins the parts of the page.

import {VIEWS} from './cameras.js';
import {Cars} from './cars.js';
import {Connection} from './connection.js';
import {byId, isTyping, setText, show, words} from './dom.js';
import {Driving} from './driving.js';
import {Hint} from './hint.js';
import {History} from './history.js';
import {Hud} from './hud.js';
import {Log} from './log.js';
import {MiniMap} from './minimap.js';
import {decorate, firstPaint} from './opening.js';
import {Plots} from './plots.js';
import {Recording} from './recording.js';
import {Moments, Rewind} from './rewind.js';
import {Setup} from './setup.js';
import {Stage} from './stage.js';
import {Transport} from './transport.js';
import {Tuning} from './tuning.js';
import {Wheel} from './wheel.js';

const PLOT_PERIOD = 50;  // ms

const connection = new Connection();
const send = (type, fields) => connection.send(type, fields);
const histories = new Map();
const log = new Log(byId('log'));
const setup = new Setup(byId('setup'), (name) => present(name));
const transport = new Transport(send, () => setup.request);
const tuning = new Tuning(byId('tune'), (node, name, value) => send(
  'set_parameter', {node, name, value}));
transport.whenReset = () => tuning.calm();
const recording = new Recording(send, (title, text, links) => {
  // The card of a run that has ended has them, too.
  if (transport.runs) { log.tell(title, text, {kind: 'good', links}); }
});
let wheel = null, cars = null;
const driving = new Driving({send, changed: () => {
  wheel?.refresh();
  // Who drives looks at now.
  if (driving.holding) { rewind.live(); }
},
  // Commands go to the first car.
  mayDrive: () => transport.isDrivable && transport.state === 'running'
    && (cars?.isFirst ?? true)});
wheel = new Wheel(byId('drive'), driving);
const plots = new Plots(byId('plots'));
const hud = new Hud();

const stage = new Stage(byId('scene'), {
  meshUrl: (key) => `/mesh/${encodeURIComponent(key)}${location.search}`,
  report: (text) => log.add({level: 'warn', node: 'page', text}), lightened: () => showLight()});
const minimap = new MiniMap(byId('minimap'), stage);
cars = new Cars(byId('cars'), {
  followed: () => {
    stage.follow(cars.followed);
    stage.setScan(null);
    seen.scan.clear();
    hud.setLaps(cars.lapsOfFollowed);
    hud.setCollisions(cars.collisionsOfFollowed, wayBack());
    driving.letGo();
    wheel.refresh();
  },
  coloured: (robot, colour) => stage.colour(robot, colour)});
const mainHistory = () => histories.get(cars.followed);

// Of scans, pictures and lamps what was seen of late.
const seen = {scan: new Moments(), picture: new Moments(), lamps: new Moments()};
const rewind = new Rewind({history: mainHistory, shown: (time) => {
  for (const history of histories.values()) { history.show(time); }
  const at = time ?? Infinity;
  stage.setScan(seen.scan.at(at, time === null ? Infinity : undefined));
  showPicture(seen.picture.at(at, Infinity));
  showLamps(seen.lamps.at(at, Infinity) || {});
  stage.dirty = true;
}});

// A replay goes back by itself.
const keep = (kind, time, value, bytes) => {
  if (rewind.isAllowed) { seen[kind].add(time, value, bytes); }
};

const hint = new Hint(byId('hint'), {
  start: (configuration, options) => {
    setup.running(configuration, options);
    transport.start();
  },
  look: (configuration, options) => present(setup.vehicleOf(configuration, options)),
});

// Show a vehicle on its stand while nothing has run.
let presented = '';
async function present(name) {
  const wanted = transport.state === 'idle' && name || '';
  if (wanted === presented) { return; }
  presented = wanted;
  if (!wanted) { return; }
  try {
    const answer = await fetch(`/vehicle/${encodeURIComponent(name)}${location.search}`);
    const message = answer.ok && await answer.json();
    if (message && presented === name) { stage.present(message); }
  } catch { /* The connection is gone, which is said elsewhere. */ }
}

function clear() {
  histories.clear();
  cars.clear();
  rewind.clear();
  for (const moments of Object.values(seen)) { moments.clear(); }
  stage.clear();
  plots.clear();
  hud.clear();
  wheel.setCar(null);
  wheel.setMuxes([]);
  wheel.setPath(false);
  tuning.clear();
  for (const button of document.querySelectorAll('[data-layer], #camera-button')) {
    show(button, false);
  }
  show(byId('camera'), false);
  byId('camera-button').setAttribute('aria-pressed', 'false');
  presented = '';
  setText(byId('time'), '–');
  setText(byId('measured-factor'), '');
}

const reveal = (layer) => show(document.querySelector(`[data-layer=${layer}]`), true);

function showPicture(message) {
  if (!message) { return; }
  show(byId('picture'), true);
  show(byId('no-picture'), false);
  const image = byId('picture'), old = image.src;
  image.src = URL.createObjectURL(message.blob);
  if (old.startsWith('blob:')) { setTimeout(() => URL.revokeObjectURL(old), 500); }
  setText(byId('picture-time'), `${message.time.toFixed(2)} s`);
}

function showLamps(lamps) {
  stage.lamps = lamps;
  stage.dirty = true;
}

let shownSession = '';
// How one gets away from what one has run into.
const wayBack = () => !driving.mayDrive() ? ''
  : matchMedia('(pointer: coarse)').matches ? 'drag down to go back'
    : driving.usesPedals ? 'reverse gear with Q, then W' : 'back with S';
connection
  .on('connected', () => log.hideBanner('offline'))
  .on('disconnected', () => {
    driving.disconnected();
    if (transport.mode === 'watch' && transport.state === 'ended') {
      // The command has ended as well, and its server with it.
      connection.isOver = true;
      hint.withoutLinks();
      return;
    }
    if (transport.state !== 'offline') {
      transport.setState('offline');
      log.tell('No connection', 'The server of this page does not answer. Trying again …',
        {kind: 'offline'});
    }
  })
  .on('welcome', (message) => {
    clear();
    transport.setMode(message.mode);
    rewind.allow(message.mode !== 'replay', false);
    if (['connecting', 'offline'].includes(transport.state)) {
      transport.setState(message.mode === 'cockpit' ? 'idle' : 'running');
    }
    setup.show(message.configurations, message.mode, message);
    document.querySelector('.bar h1').title = `racecar ${message.version || ''}`;
    if (message.mode !== 'cockpit') { hint.hide(); }
  })
  .on('session', (message) => {
    const {state, name, options, text} = message, isBad = ['failed', 'lost'].includes(state);
    if (state === 'starting') { clear(); }
    transport.setState(state);
    recording.allow(transport.runs);
    rewind.allow(transport.mode !== 'replay', transport.runs);
    setText(byId('session-name'), name ? setup.titleOf(name) : '');
    byId('session-name').title = name || '';
    document.title = name ? `${setup.titleOf(name)} – racecar cockpit` : 'racecar cockpit';
    // What runs or ran, as another page may have started it.
    const shown = `${name} ${JSON.stringify(options)}`;
    if (name && shownSession !== shown) { setup.running(name, options); }
    shownSession = shown;
    if (state === 'starting' && document.body.dataset.tab === 'run' && setup.isDriven(name)) {
      openTab('drive');
    }
    if (['starting', 'running', 'paused'].includes(state)) {
      log.hideBanner('session');
      const title = ['attach', 'watch'].includes(transport.mode) ? 'Waiting for a robot' : 'Starting …';
      hint.say(state === 'starting' ? title : '', text);
    } else {
      driving.letGo();
      hint.hide();
      log.hideBanner('good');
      if (state === 'idle') {
        hint.offer(setup.configurations);
        present(setup.vehicleOf());
      } else if (transport.mode === 'cockpit' || message.result) {
        hint.result(state === 'failed' ? 'The run failed' : 'The run has ended', text,
          {result: message.result, configurations: setup.configurations, isBad});
      } else if (isBad) {
        log.tell(state === 'failed' ? 'The run failed' : 'The run has ended', text || '',
          {kind: 'session'});
      }
    }
    if (text && state !== 'starting') {
      log.add({level: isBad ? 'warn' : 'info', node: 'cockpit', text});
    }
    byId('restart-hint') && show(byId('restart-hint'), false);
    wheel.refresh();
  })
  .on('robot', (message) => {
    const history = new History(message.columns, message.units);
    histories.set(message.robot, history);
    stage.setRobot(message, history);
    cars.set(message);
    if (transport.runs || transport.state === 'starting') { hint.hide(); }
    reveal('trail');
    show(byId('camera-button'), true);
  })
  .on('state', (message) => {
    const history = histories.get(message.robot);
    if (!history || message.columns !== history.names.length) { return; }
    const again = history.add(message);
    if (again && message.robot === cars.followed) { rewind.clear(); }
    if (again && stage.robots.has(message.robot)) {
      stage.restartTrail(stage.robots.get(message.robot), true);
    }
    stage.dirty = true;
  })
  .on('scene', (message) => stage.setScene(message))
  .on('path', ({points}) => {
    stage.setPath(points);
    plots.setPath(points);
    wheel.setPath(true);
    reveal('path');
  })
  .on('map', (message) => stage.setMap(message).catch(
    (problem) => log.add({level: 'warn', node: 'page', text: `map: ${problem.message}`})))
  .on('scan', (message) => {
    if (message.robot !== cars.followed) { return; }
    keep('scan', message.time, message, message.ranges.byteLength);
    if (!rewind.isBack) { stage.setScan(message); }
    reveal('laser');
  })
  .on('picture', (message) => {
    if (byId('camera').hidden) { return; }
    keep('picture', message.time, message, message.blob.size);
    if (!rewind.isBack) { showPicture(message); }
  })
  .on('clock', (message) => {
    transport.setClock(message);
    hud.setClock(transport.runs && transport.mode !== 'replay' ? message : {},
      byId('session-name').textContent);
  })
  .on('laps', (message) => {
    cars.setLaps(message);
    if ((message.robot ?? 0) === cars.followed) { hud.setLaps(message); }
  })
  .on('collisions', (message) => {
    const {robot = 0, count, time} = message, before = cars.of(robot).collisions.count;
    // After a reset, or a step back in a recording, those before are not known.
    if (count < before) { stage.removeCrashes(robot); }
    if (count && count !== before) { stage.addCrash(time, robot); }
    cars.setCollisions(message);
    if (robot === cars.followed) { hud.setCollisions(message, wayBack()); }
  })
  .on('recordings', (message) => recording.take(message))
  .on('parameters', ({nodes}) => tuning.show(nodes))
  .on('parameter', (message) => tuning.take(message))
  .on('muxes', (message) => wheel.setMuxes(message.muxes || message.list || []))
  .on('driver', (message) => wheel.setDriver(message))
  .on('lamps', ({lamps}) => {
    keep('lamps', mainHistory()?.latestTime || 0, lamps, 100);
    if (!rewind.isBack) { showLamps(lamps); }
    wheel.setLamps(lamps);
  })
  .on('car', (car) => {
    wheel.setCar(car);
    hud.setCar(car);
  })
  .on('log', (message) => log.add(message))
  .on('error', (message) => {
    log.add({level: 'warn', node: 'cockpit', text: message.text});
    if (!tuning.refused(message)) {
      log.tell('Not possible', message.text, {kind: 'error', seconds: 10});
    }
  })
  .on('replay', (message) => transport.setReplay(message));

// ---- Tabs, views, layers, theme, keys ----

const tabs = [...document.querySelectorAll('[role=tab]')];
function openTab(name, focus = false) {
  document.body.dataset.tab = name;
  for (const tab of tabs) {
    const selected = tab.dataset.tab === name;
    tab.setAttribute('aria-selected', String(selected));
    tab.tabIndex = selected ? 0 : -1;
    if (selected && focus) { tab.focus(); }
  }
  for (const page of document.querySelectorAll('.panel > .page')) {
    show(page, page.id === name);
  }
  byId('panel').setAttribute('aria-labelledby', `tab-${name}`);
  if (name === 'log') { log.seen(); }
}
for (const tab of tabs) {
  tab.addEventListener('click', () => openTab(tab.dataset.tab));
  tab.addEventListener('keydown', (event) => {
    const shown = tabs.filter((one) => one.offsetParent !== null);
    const by = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!by) { return; }
    event.preventDefault();
    openTab(shown[(shown.indexOf(tab) + by + shown.length) % shown.length].dataset.tab, true);
  });
}
// On a large window the plots are always there.
const narrow = matchMedia('(max-width: 820px)');
narrow.addEventListener('change', () => {
  if (!narrow.matches && document.body.dataset.tab === 'plots') { openTab('run'); }
});

function chooseView(view) {
  stage.camera.view = view;
  stage.dirty = true;
  for (const button of document.querySelectorAll('[data-view]')) {
    button.setAttribute('aria-pressed', String(button.dataset.view === view));
  }
}
for (const button of document.querySelectorAll('[data-view]')) {
  button.addEventListener('click', () => chooseView(button.dataset.view));
}
const toggle = (button) => {
  const on = button.getAttribute('aria-pressed') !== 'true';
  button.setAttribute('aria-pressed', String(on));
  return on;
};
for (const button of document.querySelectorAll('[data-layer]')) {
  button.addEventListener('click', () => {
    const on = toggle(button);
    stage.layers[button.dataset.layer] = on;
    stage.dirty = true;
    if (button.dataset.layer === 'walls') { stage.build(); }
  });
}
byId('minimap').addEventListener('click', () => chooseView('track'));

function showLight() {
  const button = byId('light'), {isLight, renderer} = stage;
  if (isLight) { show(button, true); }
  button.setAttribute('aria-pressed', String(isLight));
  button.title = isLight
    ? `Drawn without shadows and, in motion, with fewer pixels, as this computer draws slowly (${
      renderer.name}). Press for the full scene.`
    : 'Drawn with shadows and all pixels. Press for the light scene, which is faster.';
}
byId('light').addEventListener('click', () => {
  stage.lighten(!stage.isLight, true);
  try {
    localStorage.setItem('racecar-cockpit-scene', stage.isLight ? 'light' : 'full');
  } catch { /* A browser that keeps nothing. */ }
});
byId('drawer').addEventListener('click', () => byId('drawer').setAttribute(
  'aria-expanded', String(document.body.classList.toggle('drawer'))));
byId('camera-button').addEventListener('click', (event) => {
  const wanted = toggle(event.currentTarget);
  show(byId('camera'), wanted);
  show(byId('picture'), false);
  show(byId('no-picture'), true);
  send('camera', {wanted});
});

function recolour() {
  stage.readColours();
  plots.readColours();
}
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', recolour);
try {
  const scene = localStorage.getItem('racecar-cockpit-scene');
  if (scene) {
    stage.lighten(scene === 'light', true);
    show(byId('light'), true);
  }
  document.documentElement.dataset.theme = localStorage.getItem('racecar-cockpit-theme') || '';
} catch { /* A browser that keeps nothing. */ }
recolour();
byId('theme').addEventListener('click', () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === 'dark'
    : matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset.theme = dark ? 'light' : 'dark';
  try {
    localStorage.setItem('racecar-cockpit-theme', root.dataset.theme);
  } catch { /* A browser that keeps nothing. */ }
  recolour();
});
byId('help').addEventListener('click', () => byId('keys').showModal());

const zoom = (factor) => {
  stage.camera.zoomBy(factor);
  stage.dirty = true;
};
const KEYS = {
  1: () => chooseView(VIEWS[0]), 2: () => chooseView(VIEWS[1]), 3: () => chooseView(VIEWS[2]),
  4: () => chooseView(VIEWS[3]),
  0: () => {
    stage.camera.home();
    stage.dirty = true;
  },
  '+': () => zoom(0.85), '-': () => zoom(1 / 0.85), p: () => transport.pause(),
  '.': () => transport.step(), Backspace: () => transport.reset(),
  n: () => cars.followNext(),
  m: () => { if (driving.mayDrive()) { driving.setManual(!driving.manual); } },
  Escape: () => {
    if (driving.manual) { driving.setManual(false); }
    driving.letGo();
  },
  e: () => wheel.shift(1), q: () => wheel.shift(-1), z: () => wheel.indicate('left'),
  c: () => wheel.indicate('right'), x: () => wheel.indicate('hazard'),
  l: () => wheel.toggleLamp('dipped_beams'), '?': () => byId('keys').showModal(),
};
document.addEventListener('keydown', (event) => {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || isTyping(event.target)
      || !KEYS[key]) { return; }
  event.preventDefault();
  KEYS[key]();
});

// ---- The loop that draws what is not the scene ----

let nextPlot = 0;
function draw(now) {
  requestAnimationFrame(draw);
  const history = mainHistory();
  hud.draw(history, now);
  cars.draw(histories, now);
  if (stage.hasWalls) { reveal('walls'); }
  if (now >= nextPlot) {
    nextPlot = now + PLOT_PERIOD;
    plots.draw(history);
    rewind.draw(now);
    minimap.draw(now);
    // Samples and laps may come after the message that the run has ended.
    if (transport.state === 'ended') { hint.setSummary(hud.summary(history)); }
  }
}
requestAnimationFrame(draw);

connection.open();
// A graphics card takes its time to begin, and the browser shows nothing meanwhile.
firstPaint().then(() => {
  try {
    stage.open(decorate);
  } catch (problem) {
    setText(byId('no-webgl'), `No 3-D scene: ${problem.message}. All else works.`);
    show(byId('no-webgl'), true);
    decorate();
  }
});

// For tests and the curious: numbers, nothing to command with.
window.racecarCockpit = {
  get counts() { return {...connection.counts}; },
  get frames() { return stage.frames; },
  get state() {
    const history = mainHistory();
    return history && history.latest
      ? Object.fromEntries(history.names.map((name, i) => [name, history.latest[i]])) : null;
  },
  get shownTime() {
    const history = mainHistory();
    return history?.next ? history.timeOf(history.end - 1) : null;
  },
  get time() { return mainHistory()?.latestTime ?? null; },
  get samples() { return mainHistory()?.next ?? 0; },
  get holding() { return driving.holding; },
};
