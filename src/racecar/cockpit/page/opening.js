// Copyright 2026 The racecar maintainers
// SPDX-License-Identifier: Apache-2.0
// How the page opens: what the browser has to prepare for its first pictures comes in turns.

const LONGEST = 10000;  // ms, for a browser that says that it tells of pictures and never does
const LATER = 400;      // ms after the first picture

// Resolves when the browser has shown the first text of the page, not when that is drawn; at once
// where it will not tell: as of a page in a hidden tab, which is not shown at all.
export function firstPaint() {
  return new Promise((resolve) => {
    const resolveHidden = () => { if (document.hidden) { resolve(); } };
    if (!PerformanceObserver.supportedEntryTypes.includes('paint')) { resolve(); }
    document.addEventListener('visibilitychange', resolveHidden);
    resolveHidden();
    const observer = new PerformanceObserver((list) => {
      if (list.getEntriesByName('first-contentful-paint').length) { resolve(); }
    });
    observer.observe({type: 'paint', buffered: true});
    setTimeout(resolve, LONGEST);
  });
}

// The first picture is there: round corners, plain until now, as each kind of edge is one more
// program for the browser to prepare.
export function decorate() {
  setTimeout(() => document.documentElement.classList.remove('opening'), LATER);
}
