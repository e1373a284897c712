// Copyright 2026 The racecar maintainers
// SPDX-License-Identifier: Apache-2.0
// The last samples of a robot, every one of them, in a ring.

const ROWS = 24000;
const GAP = 1;  // s

export class History {
  // units: SI, by column.
  constructor(columns, units = {}) {
    this.names = columns;
    this.units = units;
    this.column = Object.fromEntries(columns.map((name, index) => [name, index]));
    this.times = new Float64Array(ROWS);
    this.values = new Float32Array(ROWS * columns.length);
    this.clear();
  }

  clear() {
    this.first = 0;   // number of the oldest row that is kept
    this.next = 0;    // number of the row to come
    this.changes = (this.changes || 0) + 1;
    this.known = new Uint8Array(this.names.length);
    this.at = null;   // s, the time that is shown; null: the newest
  }

  // Show a time that has been; null: always the newest.
  show(time) {
    this.at = time;
    this.changes++;
  }

  // Number after the row that is shown.
  get end() {
    if (this.at === null) { return this.next; }
    let end = Math.max(this.from(this.at + 1e-9), this.first + 1);
    while (end > this.first + 1 && !this.names.some((_, i) => this.isKnown(end - 1, i))) { end--; }
    return Math.min(end, this.next);
  }

  isKnown(number, index) { return !Number.isNaN(this.value(number, index)); }

  // A time before the last one begins anew: a reset, or a jump backwards in a bag. True if so.
  add({times, values, rows, columns}) {
    this.changes++;
    const back = rows > 0 && this.next > 0 && times[0] < this.latestTime - 1e-9;
    if (back) { this.clear(); }
    // Lines are not drawn across what is missing.
    if (rows > 0 && this.next > 0 && times[0] - this.latestTime > GAP) {
      const place = this.next % ROWS;
      this.times[place] = this.latestTime;
      this.values.fill(NaN, place * columns, (place + 1) * columns);
      this.next++;
    }
    for (let row = 0; row < rows; row++) {
      const place = this.next % ROWS;
      this.times[place] = times[row];
      const start = place * columns;
      for (let i = 0; i < columns; i++) {
        const value = values[row * columns + i];
        this.values[start + i] = value;
        if (value === value) { this.known[i] = 1; }
      }
      this.next++;
    }
    this.first = Math.max(this.first, this.next - ROWS);
    return back;
  }

  get length() { return this.next - this.first; }
  get latestTime() { return this.next ? this.times[(this.next - 1) % ROWS] : NaN; }
  timeOf(number) { return this.times[number % ROWS]; }
  value(number, index) { return this.values[(number % ROWS) * this.names.length + index]; }

  row(number) {
    const start = (number % ROWS) * this.names.length;
    return this.values.subarray(start, start + this.names.length);
  }

  timesOf(begin, end) {
    const times = [];
    for (let n = begin; n < end; n++) { times.push(this.times[n % ROWS]); }
    return times;
  }

  // The values of a column, times a factor; null where there is none.
  valuesOf(name, begin, end, factor = 1) {
    const found = [];
    if (!this.has(name)) { return found; }
    const {values, names: {length: columns}} = this, index = this.column[name];
    for (let n = begin; n < end; n++) {
      const value = values[(n % ROWS) * columns + index];
      found.push(value === value ? value * factor : null);
    }
    return found;
  }

  // The row that is shown.
  get latest() { return this.next ? this.row(this.end - 1) : null; }

  has(name) { return Boolean(this.known[this.column[name]]); }

  // The value of a column that is shown; NaN if there is none.
  last(name) {
    const index = this.column[name];
    return index === undefined || !this.next ? NaN : this.value(this.end - 1, index);
  }

  // Whether every sample of a run is here, none of which made room for others.
  get isWhole() { return this.first === 0; }

  // Length of the way through all samples [m].
  get distance() {
    const {x, y} = this.column;
    let sum = 0;
    for (let n = this.first + 1; n < this.next; n++) {
      const step = Math.hypot(
        this.value(n, x) - this.value(n - 1, x), this.value(n, y) - this.value(n - 1, y));
      if (step === step) { sum += step; }
    }
    return sum;
  }

  // Root of the mean square of a column; NaN if it has no values.
  rms(name) {
    let sum = 0, count = 0;
    for (let n = this.first; n < this.next; n++) {
      const value = this.value(n, this.column[name]);
      if (value === value) {
        sum += value * value;
        count++;
      }
    }
    return Math.sqrt(sum / count);
  }

  // Number of the first row at a time or later.
  from(time) {
    let low = this.first, high = this.next;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.timeOf(middle) < time) { low = middle + 1; } else { high = middle; }
    }
    return low;
  }
}
