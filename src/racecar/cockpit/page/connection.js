// Copyright 2026 The racecar maintainers
// SPDX-License-Identifier: Apache-2.0
// The WebSocket: gives messages to whoever listens, and comes back after a loss.

const STATE = 1, SCAN = 2, PICTURE = 3, MAP = 4;
const HEADER = 8;  // bytes

// A binary message as an object with a `type`, like those in JSON; null for one of a kind that is
// not known. Little endian, as every browser's computer is.
export function readBinary(buffer) {
  const view = new DataView(buffer);
  const kind = view.getUint8(0), robot = view.getUint8(1), rows = view.getUint16(2, true);
  const count = view.getUint32(4, true);
  switch (kind) {
    case STATE: {
      const start = HEADER + 8 * rows;
      // Numbers of 4 or of 8 bytes.
      const Numbers = buffer.byteLength - start === 8 * rows * count ? Float64Array : Float32Array;
      return {type: 'state', robot, rows, columns: count,
        times: new Float64Array(buffer, HEADER, rows),
        values: new Numbers(buffer, start, rows * count)};
    }
    case SCAN:
      return {type: 'scan', robot, time: view.getFloat64(8, true),
        first: view.getFloat32(16, true), step: view.getFloat32(20, true),
        ranges: new Float32Array(buffer, 24, count)};
    case PICTURE:
      return {type: 'picture', robot, time: view.getFloat64(8, true),
        blob: new Blob([new Uint8Array(buffer, 16)], {type: 'image/jpeg'})};
    case MAP:
      return {type: 'map', x: view.getFloat64(8, true), y: view.getFloat64(16, true),
        resolution: view.getFloat64(24, true),
        blob: new Blob([new Uint8Array(buffer, 32)], {type: 'image/png'})};
    default:
      return null;
  }
}

export class Connection {
  constructor() {
    this.listeners = new Map();
    this.counts = {};  // of messages received, by type
    this.wait = 250;   // ms
    this.isOver = false;  // there is nothing to come back to
  }

  // Listen to messages of a type; also 'connected' and 'disconnected'.
  on(type, listener) {
    const list = this.listeners.get(type) || [];
    list.push(listener);
    this.listeners.set(type, list);
    return this;
  }

  emit(message) {
    this.counts[message.type] = (this.counts[message.type] || 0) + 1;
    for (const listener of this.listeners.get(message.type) || []) { listener(message); }
  }

  open() {
    const secure = location.protocol === 'https:' ? 'wss' : 'ws';
    this.socket = new WebSocket(`${secure}://${location.host}/ws${location.search}`);
    this.socket.binaryType = 'arraybuffer';
    this.socket.onopen = () => {
      this.wait = 250;
      this.emit({type: 'connected'});
    };
    this.socket.onmessage = ({data}) => {
      const message = typeof data === 'string' ? JSON.parse(data) : readBinary(data);
      if (message) { this.emit(message); }
    };
    this.socket.onclose = () => {
      this.emit({type: 'disconnected'});
      if (this.isOver) { return; }
      setTimeout(() => this.open(), this.wait);
      this.wait = Math.min(this.wait * 1.6, 4000);
    };
    return this;
  }

  get isOpen() { return this.socket && this.socket.readyState === WebSocket.OPEN; }

  // Nothing is kept for later: what was meant for a moment must not come afterwards.
  send(type, fields = {}) {
    if (!this.isOpen) { return false; }
    this.socket.send(JSON.stringify({type, ...fields}));
    return true;
  }
}
