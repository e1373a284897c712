// Copyright 2026 The racecar maintainers
// SPDX-License-Identifier: Apache-2.0
// Joins the parts of the page.

import {VIEWS} from './cameras.js';
import {Connection} from './connection.js';
import {byId, isTyping, setText, show, words} from './dom.js';
import {Driving} from './driving.js';
import {Hint} from './hint.js';
import {History} from './history.js';
import {Hud} from './hud.js';
import {Log} from './log.js';
import {decorate, firstPaint} from './opening.js';
import {Plots} from './plots.js';
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
const setup = new Setup(byId('run'));
const transport = new Transport(send, () => setup.request);
const tuning = new Tuning(byId('tune'), (node, name, value) => send(
  'set_parameter', {node, name, value}));
let wheel = null;
const driving = new Driving({send, changed: () => wheel?.refresh(),
  mayDrive: () => transport.mode !== 'replay' && transport.state === 'running'});
wheel = new Wheel(byId('drive'), driving);
const plots = new Plots(byId('plots'));
const hud = new Hud();

const stage = new Stage(byId('scene'), {
  meshUrl: (key) => `/mesh/${encodeURIComponent(key)}${location.search}`,
  report: (text) => log.add({level: 'warn', node: 'page', text})});
const mainHistory = () => histories.get([...histories.keys()].sort((a, b) => a - b)[0]);

const hint = new Hint(byId('hint'), (configuration, options) => {
  setup.running(configuration, options);
  transport.start();
});

function clear() {
  histories.clear();
  stage.clear();
  plots.clear();
  hud.clear();
  wheel.setCar(null);
  wheel.setMuxes([]);
  tuning.show([]);
  for (const button of document.querySelectorAll('[data-layer], #camera-button')) {
    show(button, false);
  }
  show(byId('camera'), false);
  byId('camera-button').setAttribute('aria-pressed', 'false');
  setText(byId('time'), '–');
  setText(byId('measured-factor'), '');
}

const reveal = (layer) => show(document.querySelector(`[data-layer=${layer}]`), true);

let shownSession = 0;
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
    if (['connecting', 'offline'].includes(transport.state)) {
      transport.setState(message.mode === 'cockpit' ? 'idle' : 'running');
    }
    setup.show(message.configurations, message.mode, message.name);
    document.querySelector('.bar h1').title = `racecar ${message.version || ''}`;
    if (message.mode !== 'cockpit') { hint.hide(); }
  })
  .on('session', (message) => {
    const {state, name, options, text} = message;
    if (state === 'starting') { clear(); }
    transport.setState(state);
    setText(byId('session-name'), name ? words(name) : '');
    document.title = name ? `${words(name)} – racecar cockpit` : 'racecar cockpit';
    if (state === 'starting' && document.body.dataset.tab === 'run' && setup.isDriven(name)) {
      openTab('drive');
    }
    if (['starting', 'running', 'paused'].includes(state)) {
      log.hideBanner('session');
      if (shownSession !== `${name} ${JSON.stringify(options)}`) { setup.running(name, options); }
      shownSession = `${name} ${JSON.stringify(options)}`;
      const title = ['attach', 'watch'].includes(transport.mode) ? 'Waiting for a robot' : 'Starting …';
      hint.say(state === 'starting' ? title : '', text);
    } else {
      driving.letGo();
      hint.hide();
      if (state === 'idle') { hint.offer(setup.configurations); }
      if (state === 'ended' && message.result) { hint.result(message.result); }
    }
    if (state === 'failed' || state === 'lost') {
      const again = transport.mode === 'cockpit' ? ' – Start runs it again.' : '';
      log.tell(state === 'lost' ? 'The simulation is gone' : 'The run failed',
        `${text || ''}${again}`, {kind: 'session'});
    }
    if (text && state !== 'starting') {
      const level = ['failed', 'lost'].includes(state) ? 'warn' : 'info';
      log.add({level, node: 'cockpit', text});
    }
    byId('restart-hint') && show(byId('restart-hint'), false);
    wheel.refresh();
  })
  .on('robot', (message) => {
    const history = new History(message.columns);
    histories.set(message.robot, history);
    stage.setRobot(message, history);
    hint.hide();
    reveal('trail');
    show(byId('camera-button'), true);
  })
  .on('state', (message) => {
    const history = histories.get(message.robot);
    if (!history || message.columns !== history.names.length) { return; }
    const again = history.add(message);
    if (again && stage.robots.has(message.robot)) {
      stage.restartTrail(stage.robots.get(message.robot), true);
    }
    stage.dirty = true;
  })
  .on('scene', (message) => stage.setScene(message))
  .on('path', ({points}) => {
    stage.setPath(points);
    reveal('path');
  })
  .on('map', (message) => stage.setMap(message).catch(
    (problem) => log.add({level: 'warn', node: 'page', text: `map: ${problem.message}`})))
  .on('scan', (message) => {
    stage.setScan(message);
    reveal('laser');
  })
  .on('picture', ({blob, time}) => {
    if (byId('camera').hidden) { return; }
    show(byId('picture'), true);
    show(byId('no-picture'), false);
    const image = byId('picture'), old = image.src;
    image.src = URL.createObjectURL(blob);
    if (old.startsWith('blob:')) { setTimeout(() => URL.revokeObjectURL(old), 500); }
    setText(byId('picture-time'), `${time.toFixed(2)} s`);
  })
  .on('clock', (message) => transport.setClock(message))
  .on('parameters', ({nodes}) => tuning.show(nodes))
  .on('parameter', (message) => tuning.changed(message))
  .on('muxes', (message) => wheel.setMuxes(message.muxes || message.list || []))
  .on('driver', (message) => wheel.setDriver(message))
  .on('lamps', ({lamps}) => {
    stage.lamps = lamps;
    stage.dirty = true;
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
  0: () => {
    stage.camera.home();
    stage.dirty = true;
  },
  '+': () => zoom(0.85), '-': () => zoom(1 / 0.85), p: () => transport.pause(),
  '.': () => transport.step(), Backspace: () => transport.reset(),
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
  if (stage.hasWalls) { reveal('walls'); }
  if (now >= nextPlot) {
    nextPlot = now + PLOT_PERIOD;
    plots.draw(history);
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
  get time() { return mainHistory()?.latestTime ?? null; },
  get samples() { return mainHistory()?.next ?? 0; },
  get holding() { return driving.holding; },
};
