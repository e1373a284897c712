// Copyright 2026 The racecar maintainers
// SPDX-License-Identifier: Apache-2.0
// A plot as a picture or as a table, saved by the browser.

import {make} from './dom.js';

const HEAD = 26;  // px above the lines, for title and legend
const FONT = '13px system-ui, sans-serif';

function save(blob, name) {
  const address = URL.createObjectURL(blob);
  make('a', {href: address, download: name}).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

// canvas: with the lines; title: text; keys: [{text, colour}]; colours: of surface and ink.
export function savePicture(canvas, {name, title, keys, colours}) {
  const ratio = window.devicePixelRatio;
  const picture = make('canvas', {width: canvas.width, height: canvas.height + HEAD * ratio});
  const context = picture.getContext('2d');
  context.fillStyle = colours.surface;
  context.fillRect(0, 0, picture.width, picture.height);
  context.drawImage(canvas, 0, HEAD * ratio);
  context.scale(ratio, ratio);
  context.textBaseline = 'middle';
  context.font = `600 ${FONT}`;
  context.fillStyle = colours.ink;
  context.fillText(title, 8, HEAD / 2);
  let x = 8 + context.measureText(title).width + 16;
  context.font = FONT;
  for (const {text, colour} of keys) {
    context.fillStyle = colours[colour];
    context.fillRect(x, HEAD / 2 - 1.5, 14, 3);
    context.fillStyle = colours.ink;
    context.fillText(text, x + 20, HEAD / 2);
    x += 36 + context.measureText(text).width;
  }
  picture.toBlob((blob) => save(blob, `${name}.png`));
}

// One row for each sample of some columns, SI; empty where nothing is known.
export function tableOf(history, columns, begin, end) {
  const head = ['time [s]', ...columns.map((name) => {
    const unit = history.units[name];
    return unit ? `${name} [${unit}]` : name;
  })];
  const rows = [head.join(',')];
  for (let n = begin; n < end; n++) {
    const values = columns.map((name) => history.value(n, history.column[name]));
    if (values.every(Number.isNaN)) { continue; }
    rows.push([Number(history.timeOf(n).toFixed(6)), ...values.map(
      (value) => Number.isNaN(value) ? '' : Number(value.toPrecision(7)))].join(','));
  }
  return `${rows.join('\n')}\n`;
}

export function saveTable(name, ...table) {
  save(new Blob([tableOf(...table)], {type: 'text/csv'}), `${name}.csv`);
}
