// Elements, icons and numbers in words. Text reaches the page only as text nodes.

const SVG = 'http://www.w3.org/2000/svg';

/** An element with properties, listeners (`onclick: f`), attributes and children; empty children are left out. */
function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (name === 'class') node.className = value;
    else if (name === 'value' || name === 'checked') node[name] = value;
    else node.setAttribute(name, value === true ? '' : value);
  }
  add(node, children);
  return node;
}

function add(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) node.append(child);
  }
}

const byId = id => document.getElementById(id);

/** Each verdict has a shape of its own: colour alone tells nothing to many people. */
const SHAPES = {
  passed: 'M4.2 8.4l2.5 2.5 5-5.6',
  failed: 'M5 5l6 6M11 5l-6 6',
  errored: 'M8 4.2v4.6M8 11.4v.4',
  flaky: 'M4 9.2c1.3-2.8 2.7-2.8 4-1.2s2.7 1.6 4-1.2',
  skipped: 'M5 8h6',
};

function icon(word) {
  const svg = document.createElementNS(SVG, 'svg');
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', SHAPES[word] || SHAPES.skipped);
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('class', `icon is-${word}`);
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', word);
  svg.append(path);
  return svg;
}

const plural = (count, word, words = `${word}s`) => `${count.toLocaleString('en')} ${count === 1 ? word : words}`;

/** `0.42 s`, `12.3 s`, `3 min 12 s`. */
function seconds(value) {
  if (value < 0.0005) return '0 s';
  if (value < 10) return `${value.toFixed(value < 1 ? 3 : 2)} s`;
  if (value < 60) return `${value.toFixed(1)} s`;
  const whole = Math.round(value);
  const minutes = Math.floor(whole / 60);
  return minutes < 60 ? `${minutes} min ${whole % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A measured value: four decimals, more where they would round to 1. */
function score(value) {
  if (typeof value !== 'number') return 'not a number';
  const short = value.toFixed(4);
  return value < 1 && short === '1.0000' ? value.toPrecision(8) : short;
}

const box = ([x, y, width, height]) => `${width}×${height} at (${x}, ${y})`;

/** `environment_changed` as people say it. */
const spoken = word => word.replaceAll('_', ' ');

/** Says `text` to a screen reader. */
function announce(text) {
  byId('live').textContent = text;
}

/** Whether the person asked for no motion. */
const still = matchMedia('(prefers-reduced-motion: reduce)');

/** A list of terms and descriptions; pairs without description are left out. */
function terms(pairs, className = 'terms') {
  const rows = pairs.filter(([, value]) => value !== null && value !== undefined && value !== '');
  return el('dl', { class: className }, rows.map(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]));
}

/** Copies `text`; pages from disk may not use the clipboard in every browser, so a selection is the other way. */
async function copy(text, field) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    field.focus();
    field.select();
    return document.execCommand('copy');
  }
}
