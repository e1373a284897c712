/* Copyright 2026 The racecar maintainers
   SPDX-License-Identifier: Apache-2.0 */
'use strict';
(async () => {
  const NARROW = 520;  // px
  const MODEBAR = ['zoom2d', 'pan2d', 'zoomIn2d', 'zoomOut2d', 'resetScale2d', 'toImage'];

  async function unpacked(text) {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    return new Response(stream).text();
  }

  function colours() {
    const style = getComputedStyle(document.documentElement);
    const of = (name) => style.getPropertyValue('--' + name).trim();
    return {paper: of('card'), ink: of('ink'), soft: of('soft'), line: of('line')};
  }

  // A figure in the colours and the width that the page has now.
  function figureOf(text, box) {
    const now = colours();
    const figure = JSON.parse(text.replaceAll('"@ink"', JSON.stringify(now.ink))
      .replaceAll('"@soft"', JSON.stringify(now.soft)));
    const narrow = box.clientWidth < NARROW;
    const isMap = figure.height === null;
    const layout = figure.layout;
    const hasScale = figure.data.some((trace) => trace.marker && trace.marker.colorbar);
    Object.assign(layout, {
      paper_bgcolor: now.paper, plot_bgcolor: now.paper, uirevision: 'kept',
      font: {family: 'system-ui, sans-serif', size: narrow ? 11 : 12, color: now.ink},
      margin: {l: narrow ? 46 : 58, r: hasScale ? 0 : 12, t: 34, b: narrow ? 40 : 44},
      showlegend: figure.data.filter((trace) => trace.showlegend).length > 1,
      modebar: {orientation: 'h', color: now.soft, activecolor: now.ink,
        bgcolor: 'rgba(0,0,0,0)'},
      hoverlabel: {bgcolor: now.paper, bordercolor: now.line, font: {color: now.ink}},
      dragmode: matchMedia('(pointer: coarse)').matches ? false : 'zoom',
    });
    const aside = {orientation: 'h', x: 0, xanchor: 'left', yanchor: 'bottom',
      bgcolor: 'rgba(0,0,0,0)'};
    const legends = Object.keys(layout).filter((key) => key.startsWith('legend'));
    for (const key of legends) { Object.assign(layout[key], aside); }
    if (!legends.length) {
      // On a phone there is no room beside the buttons.
      layout.legend = {...aside, ...(narrow ? {yref: 'container', y: 0.005} : {y: 1.01})};
    }
    for (const [key, axis] of Object.entries(layout)) {
      if (/^[xy]axis/.test(key)) {
        Object.assign(axis, {gridcolor: now.line, zerolinecolor: now.soft, linecolor: now.soft,
          showline: true, automargin: true, exponentformat: 'power', hoverformat: '.4~g'});
        axis.title.standoff = 8;
      }
    }
    // Of a map the height that its width gives, with room for axes, legend and buttons.
    const aspect = isMap && isBeside(box) ? highest.get(box.closest('.figures')) : figure.aspect;
    layout.height = !isMap ? figure.height : Math.round(Math.min(
      Math.max((box.clientWidth - 90) * aspect * 1.05, 200), 620) + 100);
    return figure;
  }

  // Whether a figure stands beside others, which are as high then.
  function isBeside(box) {
    const {gridTemplateColumns} = getComputedStyle(box.closest('.figures'));
    return gridTemplateColumns.split(' ').length > 1;
  }

  // A dot on the paths where the runs were at the time under the pointer.
  function follow(source, targets) {
    let waiting = null;
    const show = (time) => {
      waiting = null;
      for (const target of targets) {
        const paths = target.data.filter((trace) => trace.racecarTimes);
        const x = [], y = [];
        for (const path of paths) {
          const times = path.racecarTimes;
          let low = 0, high = times.length - 1;
          while (low < high) {
            const middle = (low + high) >> 1;
            if (times[middle] < time) { low = middle + 1; } else { high = middle; }
          }
          x.push(path.x[low]);
          y.push(path.y[low]);
        }
        Plotly.restyle(target, {x: [x], y: [y], visible: true}, [target.data.length - 1]);
      }
    };
    source.on('plotly_hover', (event) => {
      const time = event.points[0].x;
      if (waiting === null && typeof time === 'number') {
        requestAnimationFrame(() => show(waiting));
      }
      waiting = time;
    });
  }

  // Largest aspect of the maps of each group of figures.
  const highest = new Map();
  const boxes = [...document.querySelectorAll('.chart')];
  if (!boxes.length) { return; }
  try {
    const library = document.createElement('script');
    library.textContent = await unpacked(document.getElementById('plotly').textContent);
    document.head.append(library);
    const texts = await Promise.all(boxes.map(
      (box) => unpacked(document.getElementById(box.id + '-data').textContent)));
    for (const [index, box] of boxes.entries()) {
      const {aspect, height} = JSON.parse(texts[index]);
      const group = box.closest('.figures');
      if (height === null) { highest.set(group, Math.max(highest.get(group) || 0, aspect)); }
    }
    const draw = async (box, text, how) => {
      const {data, layout, height} = figureOf(text, box);
      if (data.some((trace) => trace.racecarTimes)) {
        data.push({type: 'scatter', mode: 'markers', x: [null], y: [null], visible: false,
          showlegend: false, hoverinfo: 'skip', marker: {size: 12, color: 'rgba(0,0,0,0)',
            line: {width: 3, color: colours().ink}}});
      }
      box.dataset.isMap = height === null;
      layout.width = box.clientWidth;
      await how(box, data, layout, {displaylogo: false,
        displayModeBar: matchMedia('(pointer: coarse)').matches || 'hover',
        modeBarButtons: [MODEBAR]});
    };
    for (const [index, box] of boxes.entries()) {
      await draw(box, texts[index], Plotly.newPlot);
    }
    const maps = boxes.filter((box) => box.data.some((trace) => trace.racecarTimes));
    for (const box of boxes) {
      if (box.dataset.isMap === 'false' && box.classList.contains('timed')) { follow(box, maps); }
    }
    const again = (box) => draw(box, texts[boxes.indexOf(box)], Plotly.react);
    matchMedia('(prefers-color-scheme: dark)').addEventListener(
      'change', () => boxes.forEach(again));
    const widths = new ResizeObserver((entries) => {
      for (const {target} of entries) {
        if (target.clientWidth !== target.layout.width) { again(target); }
      }
    });
    boxes.forEach((box) => widths.observe(box));
    document.documentElement.dataset.drawn = 'true';
  } catch (error) {
    for (const box of boxes) {
      box.textContent = `The figure cannot be drawn in this browser (${error}); one of 2023 or`
        + ' newer is needed.';
    }
  }
})();
