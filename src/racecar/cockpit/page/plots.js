// Copyright 2026 The racecar maintainers
// SPDX-License-Identifier: Apache-2.0
// Quantities over time, with every sample that arrived, drawn by uPlot.

import {byId, gearName, make, number, setText, show, words} from './dom.js';
import {Plan, PLAN} from './plan.js';
import {savePicture, saveTable} from './saving.js';

const {uPlot} = window;  // of a script that is no module

const DEGREES = 180 / Math.PI;
const measured = 'measured', command = 'command', reference = 'reference';

// The first series is drawn last. dash: so that lines differ not by colour alone. floor: the least
// span of the axis. steps: round steps of the axis, where powers of ten are not what one expects.
// marks: a column whose changes are marked with its new value. small: what the plot is in while
// no value of what is shown is as large as `below`.
export const PLOTS = [
  {id: 'speed', title: 'Speed', unit: 'm/s', digits: 2, floor: 0.5, series: [
    {column: 'speed', label: 'car', colour: measured},
    {column: 'command_speed', label: 'command', colour: command, dash: [2, 2]},
    {column: 'reference_speed', label: 'reference', colour: reference, dash: [6, 3]}]},
  {id: 'steering', title: 'Steering', unit: '\u00b0', digits: 1, floor: 10, factor: DEGREES,
    steps: [1, 2, 5, 10, 15, 30, 45, 90, 180], series: [
    {column: 'steering', label: 'car', colour: measured},
    {column: 'command_steering', label: 'command', colour: command, dash: [2, 2]}]},
  {id: 'error', title: 'Tracking error', unit: 'm', digits: 3, floor: 0.02,
    small: {below: 0.1, unit: 'mm', factor: 1000, digits: 1, floor: 2}, series: [
    {column: 'error', label: 'total', colour: measured},
    {column: 'lateral_error', label: 'across', colour: command, dash: [2, 2]},
    {column: 'longitudinal_error', label: 'along', colour: reference, dash: [6, 3]}]},
  {id: 'engine', title: 'Engine', unit: 'rev/min, gear', digits: 0, floor: 1000, marks: 'gear',
    series: [{column: 'rpm', label: 'engine', colour: measured},
      {column: 'gear', label: 'gear', text: gearName}]},
  {id: 'pedals', title: 'Pedals', unit: '%', digits: 0, floor: 100, factor: 100, series: [
    {column: 'throttle', label: 'throttle', colour: reference},
    {column: 'brake', label: 'brake', colour: command, dash: [2, 2]}]},
];

const MOST = 6;  // plots at once
const STORE = 'racecar-cockpit-plots';

// The plot of one column, where no other has it.
function plotOf(name, unit) {
  const title = name.length < 3 ? name : words(name.replace(/^joint:/, ''));
  const isAngle = unit === 'rad';
  return {id: name.replace(/\W/g, '-'),
    title: name.length < 3 ? name : title[0].toUpperCase() + title.slice(1),
    unit: isAngle ? '\u00b0' : unit || '', digits: isAngle ? 1 : 3, floor: isAngle ? 10 : 0.02,
    factor: isAngle ? DEGREES : 1, series: [{column: name, label: 'value', colour: measured}]};
}

function remembered() {
  try {
    return JSON.parse(localStorage.getItem(STORE)) || {};
  } catch {
    return {};
  }
}

const LEAST_SPAN = 5;  // s
const LEAST_ZOOM = 0.02;  // s
const LEAST_DRAG = 4;  // px
const LEFT = 44, RIGHT = 8, TOP = 6, BOTTOM = 18;  // px, around the lines
const LABEL = 13;  // px, the height that one needs
const LABEL_WIDTH = 60;  // px, of a time with the room around it
const FONT = '11px system-ui, sans-serif';
const STEPS = [-4, -3, -2, -1, 0, 1, 2, 3, 4].flatMap(
  (power) => [1, 2, 5].map((part) => Number(`${part}e${power}`)));

// Round steps for an axis: about `count` of them in a span; of a list, if it has one so large.
function stepOf(span, count, steps = []) {
  const rough = span / count, power = 10 ** Math.floor(Math.log10(rough));
  const least = rough * 0.999;
  const listed = rough >= steps[0] ? steps.find((step) => step >= least) : undefined;
  return listed ?? power * [1, 2, 5, 10].find((part) => part * power >= least);
}

const digitsOf = (step) => Math.max(0, -Math.floor(Math.log10(step) + 1e-9));

// A plot whose lines the processor draws, which uPlot has no option for: the graphics card has
// enough to do with the scene, and one that is emulated takes 20 times as long.
function makePlot(options, target) {
  const canvas = HTMLCanvasElement.prototype, {getContext} = canvas;
  canvas.getContext = function (kind) {
    return getContext.call(this, kind, {willReadFrequently: true});
  };
  try {
    return new uPlot(options, null, target);
  } finally {
    canvas.getContext = getContext;
  }
}

// What plots over time and the plan have in common.
class Panel {
  // shared: the Plots, for what all plots have in common.
  constructor(description, shared) {
    this.description = description;
    this.shared = shared;
    this.scale = description;  // with its unit, factor, digits and floor, or small with its own
    this.low = this.high = NaN;
    this.values = new Map();
    const legend = description.series.map((series) => {
      const value = make('b', {class: 'value', text: '\u2013'});
      this.values.set(series, value);
      const line = series.colour ? ` ${series.colour}${series.dash ? ' dashed' : ''}` : ' textual';
      return make('span', {class: `key${line}`}, make('span', {text: series.label}), value);
    });
    this.chart = make('div', {class: 'chart'});
    this.figure = make('figure', {class: 'plot', id: `plot-${description.id}`, hidden: true},
      make('figcaption', {}, make('span', {class: 'title'}, make('h3', {text: description.title}),
        this.unit = make('span', {class: 'unit', text: description.unit}), this.menu()),
      make('span', {class: 'legend'}, ...legend)), this.chart);
  }

  get columns() {
    return this.description.columns || this.description.series.map(({column}) => column);
  }

  isKnown(history) { return this.description.series.some(({column}) => history.has(column)); }

  // Buttons that save what is shown.
  menu() {
    const {title} = this.description;
    const button = (text, save) => make('button', {type: 'button', text, onclick: () => {
      if (this.history) { save(`${this.description.id}-${number(this.history.timeOf(
        this.end - 1), 1)}s`); }
      menu.open = false;
    }});
    const menu = make('details', {class: 'save'},
      make('summary', {text: '\u2913', title: `Save ${title}`, 'aria-label': `Save ${title}`}),
      make('span', {}, button('PNG', (name) => this.savePicture(name)),
        button('CSV', (name) => saveTable(
          name, this.history, this.columns.filter((one) => this.history.has(one)), this.begin,
          this.end))));
    menu.addEventListener('focusout', ({relatedTarget}) => {
      if (!menu.contains(relatedTarget)) { menu.open = false; }
    });
    return menu;
  }

  savePicture(name) {
    const {title, series} = this.description, {unit} = this.scale, {colours} = this.shared;
    savePicture(this.canvas, {name, title: unit ? `${title} [${unit}]` : title, colours,
      keys: series.filter(({column, colour}) => colour && this.history.has(column)).map(
        ({label, colour}) => ({text: label, colour}))});
  }

  // The values of a row, as texts.
  label(history, row) {
    const {scale} = this;
    const texts = [];
    for (const [series, element] of this.values) {
      const known = history.has(series.column);
      element.parentElement.hidden = !known;
      if (!known) { continue; }
      const value = history.value(row, history.column[series.column]) * (scale.factor || 1);
      const text = (series.text || number)(value, scale.digits);
      setText(element, text);
      texts.push(`${series.label} ${text}`);
    }
    return texts.join(', ');
  }
}

class PlanPlot extends Panel {
  constructor(shared) {
    super(PLAN, shared);
    this.plan = new Plan(this.chart, {stepOf, digitsOf, number,
      colours: shared.colours, redraw: () => shared.refresh()});
    this.canvas = this.plan.canvas;
    this.canvas.setAttribute('role', 'img');
    this.canvas.setAttribute('aria-label', PLAN.title);
  }

  draw(history, {begin, end}, row) {
    Object.assign(this, {history, begin, end});
    this.plan.colours = this.shared.colours;
    this.plan.draw(history, {begin, end, row});
  }
}

class Plot extends Panel {
  constructor(description, shared) {
    super(description, shared);
    this.lines = description.series.filter(({colour}) => colour).reverse();
    this.uplot = makePlot(this.options(), this.chart);
    this.canvas = this.uplot.ctx.canvas;
    this.canvas.setAttribute('role', 'img');
    this.canvas.setAttribute('aria-label', description.title);
    new ResizeObserver(([{contentRect: {width, height}}]) => {
      this.uplot.setSize({width: Math.floor(width), height: Math.floor(height)});
    }).observe(this.chart);
  }

  options() {
    const {shared} = this;
    const colour = (name) => () => shared.colours[name];
    const axis = {font: FONT, stroke: colour('soft'), ticks: {show: false}};
    const grid = {stroke: colour('grid'), width: 1};
    return {
      width: 0, height: 0, padding: [TOP, RIGHT, 0, 0], legend: {show: false},
      scales: {x: {time: false}, y: {range: (_, low, high) => this.range(low, high)}},
      series: [{}, ...this.lines.map((line) => ({
        stroke: colour(line.colour), width: line.dash ? 1.25 : 1.6, pxAlign: 0,
        points: {show: false}}))],
      axes: [
        {...axis, size: BOTTOM, gap: 4, space: LABEL_WIDTH, incrs: STEPS,
          grid: {...grid, filter: (_, times) => times.map((time) => time < 0 ? null : time)},
          filter: (uplot, times) => times.map((time) => this.hasRoom(uplot, time) ? time : null),
          values: (_, times, index, space, step) => times.map(
            (time) => time === null ? null : `${number(time, digitsOf(step))} s`)},
        {...axis, size: LEFT, gap: 6, space: LABEL, incrs: this.description.steps || STEPS, grid,
          values: (_, values, index, space, step) => values.map(
            (value) => number(value, digitsOf(step)))},
      ],
      cursor: {
        y: false, move: (uplot, left, top) => [shared.place(uplot, left), top],
        points: {size: 6}, drag: {setScale: false, dist: LEAST_DRAG},
        sync: {key: 'plots', scales: ['x', null]}, bind: shared.bindings},
      hooks: {
        setSize: [(uplot) => this.scaleDashes(uplot)],
        setSelect: [(uplot) => shared.zoomToSelection(uplot)],
        drawAxes: [(uplot) => this.drawMarks(uplot)]}};
  }

  // Dashes are in pixels of the screen.
  scaleDashes(uplot) {
    this.lines.forEach(({dash}, index) => {
      uplot.series[index + 1].dash = dash?.map((part) => part * window.devicePixelRatio);
    });
  }

  // The axis grows at once and shrinks when there is much room.
  range(low, high) {
    if (low === null) { low = high = 0; }
    const {scale: {floor}, description: {steps}} = this;
    if (high - low < floor) {
      const middle = (low + high) / 2;
      // A quantity that is never below zero does not need an axis that is.
      [low, high] = low >= 0 && middle < floor / 2 ? [0, floor]
        : [middle - floor / 2, middle + floor / 2];
    }
    const step = stepOf(high - low, 3, steps);
    low = Math.floor(low / step + 1e-6) * step;
    high = Math.ceil(high / step - 1e-6) * step;
    const span = this.high - this.low;
    if (!(low >= this.low && high <= this.high && high - low > 0.45 * span)) {
      Object.assign(this, {low, high});
    }
    return [this.low, this.high];
  }

  // Whether the label of a time stays between the ends of the axis.
  hasRoom(uplot, time) {
    const x = uplot.valToPos(time, 'x', true) - uplot.bbox.left;
    const room = 8 * window.devicePixelRatio;
    return time >= 0 && x >= room && x <= uplot.bbox.width - room;
  }

  // Millimetres while all is small, metres when it is not.
  rescale(history, begin, end) {
    const {description, description: {small}} = this;
    if (!small) { return; }
    const isSmall = this.lines.every(({column}) => history.valuesOf(column, begin, end).every(
      (value) => value === null || Math.abs(value) < small.below));
    const scale = isSmall ? small : description;
    if (scale === this.scale) { return; }
    Object.assign(this, {scale, low: NaN, high: NaN});
    setText(this.unit, scale.unit);
  }

  draw(history, {begin, end, left, right, times}) {
    this.rescale(history, begin, end);
    const {factor} = this.scale;
    const data = [times, ...this.lines.map(
      ({column}) => history.valuesOf(column, begin, end, factor))];
    this.history = history;
    this.begin = begin;
    this.end = end;
    this.uplot.batch(() => {
      this.uplot.setData(data);
      this.uplot.setScale('x', {min: left, max: right});
    });
  }

  // Zero, and where a quantity changes, with its new value.
  drawMarks(uplot) {
    const {description: {marks}, history, shared: {colours}} = this;
    const {ctx, bbox: {left, top, width, height}} = uplot, ratio = window.devicePixelRatio;
    const line = (x, y, toX, toY) => {
      ctx.beginPath();
      ctx.moveTo(x, y);
      ctx.lineTo(toX, toY);
      ctx.stroke();
    };
    ctx.save();
    ctx.lineWidth = Math.round(ratio);
    const crisp = 0.5 * (ctx.lineWidth % 2);
    if (this.low < 0 && this.high > 0) {
      const y = Math.round(uplot.valToPos(0, 'y', true)) + crisp;
      ctx.strokeStyle = colours.axis;
      line(left, y, left + width, y);
    }
    if (history?.has(marks)) {
      ctx.fillStyle = ctx.strokeStyle = colours.soft;
      ctx.textAlign = 'left';
      ctx.textBaseline = 'top';
      ctx.setLineDash([ratio, 3 * ratio]);
      const values = history.valuesOf(marks, this.begin, this.end);
      values.forEach((value, index) => {
        const last = values[index - 1];
        if (!index || value === last || value === null || last === null) { return; }
        const time = history.timeOf(this.begin + index);
        const x = Math.round(uplot.valToPos(time, 'x', true)) + crisp;
        if (x <= left || x > left + width) { return; }
        line(x, top, x, top + height);
        ctx.fillText(gearName(value), x + 3 * ratio, top);
      });
    }
    ctx.restore();
  }
}

export class Plots {
  // box: element that the figures go into.
  constructor(box) {
    this.box = box;
    this.span = 20;
    this.at = null;    // s, the time under the pointer
    this.zoom = null;  // [s, s], of the plots that do not follow the time
    this.held = false; // while a button of the mouse is pressed
    this.readColours();
    this.chosen = remembered();  // whether a plot is shown, by id, where that was chosen
    this.plan = new PlanPlot(this);
    this.plots = [...PLOTS.map((description) => new Plot(description, this)), this.plan];
    this.usual = PLOTS.map(({id}) => id);
    box.append(...this.plots.map((plot) => plot.figure));
    byId('choose').addEventListener('click', () => this.choose());
    byId('span').addEventListener('change', (event) => {
      this.span = Number(event.target.value);
      this.refresh();
    });
    byId('unzoom').addEventListener('click', () => this.setZoom(null));
    this.spoken = 0;
  }

  // Draw all of it anew next time.
  refresh() {
    this.drawn = NaN;
    this.extent = '';
  }

  readColours() {
    const style = getComputedStyle(document.documentElement);
    this.colours = Object.fromEntries(
      ['measured', 'command', 'reference', 'soft', 'grid', 'axis', 'surface', 'ink'].map(
        (name) => [name, style.getPropertyValue(`--${name}`).trim()]));
    this.refresh();
  }

  // What the mouse does over a plot: before uPlot's own handlers, or instead of them.
  get bindings() {
    return {
      mousemove: (uplot, target, handle) => (event) => {
        this.point(uplot, event);
        handle(event);
      },
      mouseleave: (uplot, target, handle) => (event) => {
        this.at = null;
        this.drawn = NaN;
        handle(event);
      },
      mousedown: (uplot, target, handle) => (event) => {
        if (event.button !== 0) { return; }
        if (event.shiftKey) {
          this.pan(uplot, event);
        } else {
          this.point(uplot, event);
          this.held = true;
          handle(event);
        }
      },
      mouseup: (uplot, target, handle) => (event) => {
        if (event.button !== 0) { return; }
        this.held = false;
        handle(event);
      },
      dblclick: () => () => this.setZoom(null),
    };
  }

  point(uplot, event) {
    this.at = uplot.posToVal(event.clientX - uplot.rect.left, 'x');
    this.drawn = NaN;
  }

  // The line stays at the time that was pointed at.
  place(uplot, left) {
    return this.at === null ? left : uplot.valToPos(this.at, 'x');
  }

  zoomToSelection(uplot) {
    const {left, width} = uplot.select;
    if (!width) { return; }
    this.setZoom([uplot.posToVal(left, 'x'), uplot.posToVal(left + width, 'x')]);
    uplot.setSelect({left: 0, width: 0}, false);
  }

  // Show the time between two ends, or follow it again: null.
  setZoom(ends) {
    if (ends && ends[1] - ends[0] < LEAST_ZOOM) { return; }
    this.zoom = ends;
    show(byId('unzoom'), ends !== null);
    show(byId('last'), ends === null);
    this.refresh();
  }

  pan(uplot, {clientX}) {
    const {min, max} = uplot.scales.x, perPixel = (max - min) / uplot.rect.width;
    const move = (event) => {
      const {history} = this;
      if (!history) { return; }
      const by = Math.max(Math.min((clientX - event.clientX) * perPixel,
        history.latestTime - max), Math.min(history.timeOf(history.first) - min, 0));
      this.setZoom([min + by, max + by]);
    };
    document.addEventListener('mousemove', move);
    document.addEventListener('mouseup', () => {
      document.removeEventListener('mousemove', move);
    }, {once: true});
  }

  // The ends of the time that is shown.
  ends(history) {
    const first = history.timeOf(history.first), latest = history.timeOf(history.end - 1);
    if (this.zoom && (this.zoom[0] >= latest || this.zoom[1] <= first)) { this.setZoom(null); }
    // A run that has only begun fills the plots nevertheless.
    const span = Math.min(this.span, Math.max(LEAST_SPAN, latest - first));
    return this.zoom || [latest - span, latest];
  }

  draw(history) {
    if (!history || !history.length || (history === this.history
        && this.drawn === history.changes)) { return; }
    if (history !== this.history) {
      this.refresh();
      this.setColumns(history);
    }
    this.history = history;
    const [left, right] = this.ends(history);
    // After a seek in a pause what was before comes, up to the same time.
    this.drawn = history.changes;
    const begin = Math.max(history.from(left) - 1, history.first);
    const end = this.zoom ? Math.min(history.from(right) + 1, history.next) : history.end;
    const row = this.at === null ? history.end - 1
      : Math.min(history.from(this.at), history.next - 1);
    const speaks = performance.now() - this.spoken > 1000;
    if (speaks) { this.spoken = performance.now(); }
    // Values change with the pointer, lines do not, nor with samples after what is zoomed; and
    // they hold still while a time is chosen.
    const extent = [left, right, begin, end, this.zoom ? '' : history.changes].join(' ');
    const times = this.held || extent === this.extent ? null : history.timesOf(begin, end);
    if (times) { this.extent = extent; }
    let room = MOST;
    for (const plot of this.plots) {
      const isShown = room > 0 && this.isChosen(plot) && plot.isKnown(history);
      room -= isShown;
      if (plot.figure.hidden === isShown) {
        plot.figure.hidden = !isShown;
        if (isShown) { this.refresh(); }
      }
      if (!isShown) { continue; }
      // The plan has marks, which move with the pointer.
      if (times || plot === this.plan) {
        plot.draw(history, {begin, end, left, right, times}, row);
      }
      const text = plot.label(history, row);
      if (speaks) {
        const {description: {title}, scale: {unit}} = plot;
        plot.canvas.setAttribute('aria-label',
          `${title}${plot === this.plan ? '' : ' over time'} [${unit}]: ${text}`);
      }
    }
    const shown = this.plots.filter((plot) => !plot.figure.hidden);
    if (this.box.dataset.count !== String(shown.length)) {
      this.box.dataset.count = shown.length;
      // The choice of the time lies over the last of the first row: of five, which fill two rows,
      // the second; of four, which fill two where it is narrow, this or the last.
      const corner = {6: 2, 5: 1}[shown.length] ?? shown.length - 1;
      shown.forEach(({figure}, index) => {
        figure.classList.toggle('wide', shown.length === 5 && index < 2);
        figure.classList.toggle('corner', index === corner);
        figure.classList.toggle('upper', shown.length === 4 && index === 1);
      });
    }
  }

  isChosen({description: {id}}) { return this.chosen[id] ?? this.usual.includes(id); }

  // The reference as a whole, for the plan.
  setPath(points) {
    this.plan.plan.setPath(points);
    this.refresh();
  }

  // Plots of columns that no other shows; those of a robot that was there before go.
  setColumns(history) {
    for (const plot of this.plots.splice(PLOTS.length + 1)) { plot.figure.remove(); }
    const shown = new Set(this.plots.flatMap(({columns}) => columns));
    this.singles = history.names.filter((name) => !shown.has(name) || ['x', 'y'].includes(name))
      .map((name) => plotOf(name, history.units[name]));
    for (const description of this.singles) {
      if (this.chosen[description.id]) { this.addPlot(description); }
    }
  }

  addPlot(description) {
    const plot = new Plot(description, this);
    this.plots.push(plot);
    this.box.append(plot.figure);
  }

  // Ask which plots are to be shown.
  choose() {
    const {history} = this;
    if (!history) { return; }
    const all = [...this.plots.slice(0, PLOTS.length + 1).filter((plot) => plot.isKnown(history))
      .map(({description}) => description),
    ...this.singles.filter(({series: [{column}]}) => history.has(column))];
    const list = byId('choices');
    const boxes = all.map((description) => make('input', {type: 'checkbox',
      checked: this.isChosen({description}), onchange: ({target}) => {
        this.set(description, target.checked);
        limit();
      }}));
    const limit = () => {
      const count = boxes.filter(({checked}) => checked).length;
      for (const box of boxes) { box.disabled = !box.checked && count >= MOST; }
    };
    limit();
    list.replaceChildren(...all.map(({title, unit, id}, i) => make('label', {class: 'check'},
      boxes[i], id === PLAN.id ? 'Path (plan view)' : title,
      unit ? make('span', {class: 'soft', text: `[${unit}]`}) : null)));
    byId('choose-plots').showModal();
  }

  set(description, isShown) {
    this.chosen[description.id] = isShown;
    if (isShown && !this.plots.some((plot) => plot.description.id === description.id)) {
      this.addPlot(description);
    }
    try {
      localStorage.setItem(STORE, JSON.stringify(this.chosen));
    } catch { /* A browser that keeps nothing. */ }
    this.refresh();
  }

  clear() {
    this.history = null;
    this.plan.plan.setPath([]);
    this.setZoom(null);
    for (const plot of this.plots) {
      plot.figure.hidden = true;
      plot.low = plot.high = NaN;
    }
    this.box.dataset.count = 0;
  }
}
