// Copyright 2026 The racecar maintainers
// SPDX-License-Identifier: Apache-2.0
// Short ways to the elements of the page.

export const byId = (id) => document.getElementById(id);

// An element with attributes, listeners (on...) and children; `text`, `dataset` and properties
// that are no attributes are set as such.
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) { continue; }
    if (name.startsWith('on')) {
      element.addEventListener(name.slice(2), value);
    } else if (name === 'text') {
      element.textContent = value;
    } else if (name === 'dataset') {
      Object.assign(element.dataset, value);
    } else if (['value', 'checked', 'selected'].includes(name)) {
      element[name] = value;
    } else {
      element.setAttribute(name, value === true ? '' : value);
    }
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export function icon(name) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  const use = document.createElementNS('http://www.w3.org/2000/svg', 'use');
  use.setAttribute('href', `#${name}`);
  svg.append(use);
  return svg;
}

// Write a text only if it differs, as writing makes the browser lay out anew.
export function setText(element, text) {
  if (element.textContent !== text) { element.textContent = text; }
}

export function show(element, visible) {
  if (element.hidden === visible) { element.hidden = !visible; }
}

// Names that are not written in small letters.
const WRITTEN = {
  antifog: 'fog', fiala: 'Fiala', imu: 'IMU', ode: 'ODE', pacejka: 'Pacejka', laser: 'lidar'};

// A name of a part as people write it: ackermann_mux is ackermann mux. What may be chosen comes
// with a name for people.
export const words = (name) => name.split('_')
  .map((word) => Object.hasOwn(WRITTEN, word) ? WRITTEN[word] : word).join(' ');

// A number with so many digits behind the point; a dash where nothing is known, and a true minus.
export function number(value, digits = 2) {
  return Number.isFinite(value)
    ? (Math.abs(value) < 0.5 * 10 ** -digits ? 0 : value).toFixed(digits).replace('-', '\u2212')
    : '\u2013';
}

export const gearName = (gear) => gear < 0 ? 'R' : gear > 0 ? String(gear) : 'N';

// A number as short as it can be without loss that matters.
export const short = (value) => String(Number(value.toPrecision(6)));

// Whether keys belong to what has the focus, not to the car.
export function isTyping(target) {
  return target.isContentEditable || target.closest('dialog') !== null
    || ['INPUT', 'SELECT', 'TEXTAREA'].includes(target.tagName)
    && !['checkbox', 'radio', 'button'].includes(target.type);
}
