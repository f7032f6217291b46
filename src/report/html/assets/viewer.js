// One checkpoint: the ways to look at its pictures.

const VIEWS = {
  side: 'Side by side', slider: 'Slider', onion: 'Onion skin', blink: 'Blink',
  expected: 'Expected', actual: 'Actual', difference: 'Difference',
};

const SCALES = [['fit', 'Fit'], ['1', '100 %'], ['2', '200 %'], ['4', '400 %'], ['8', '800 %']];

/** How pictures are looked at; kept from one checkpoint to the next. */
const look = { scale: 'fit', marks: true, loupe: false };

const BLINK_MS = 700;
let blinking = null;

/** The views that the pictures of a checkpoint allow, the most telling first. */
function viewsOf(shot) {
  if (shot.baseline === 'equal' || !shot.actual) return [shot.actual && 'actual', !shot.actual && shot.expected && 'expected'].filter(Boolean);
  const both = shot.expected ? ['side', 'slider', 'onion', 'blink', 'expected'] : [];
  return [...both, 'actual', ...(shot.difference ? ['difference'] : [])];
}

function renderViewer(one, step) {
  const shot = step.checkpoint;
  const views = viewsOf(shot);
  const view = views.includes(state.view) ? state.view : views[0];
  clearInterval(blinking);
  const root = el('div', { class: 'viewer', 'data-view': view });
  if (views.length === 0) {
    root.append(el('p', { class: 'empty' }, 'Nothing was captured here.'));
    return root;
  }
  const marked = Boolean(shot.masks?.length || shot.finding?.regions?.length);
  root.append(el('div', { class: 'tools' },
    views.length > 1 ? viewChoice(views, view) : el('strong', {}, shot.baseline === 'equal' ? 'Expected and actual: the same pixels' : VIEWS[view]),
    el('span', { class: 'spring' }),
    marked && toggle('Regions', 'r', look.marks, () => { look.marks = !look.marks; renderDetail(); }),
    toggle('Pixels', 'i', look.loupe, () => { look.loupe = !look.loupe; renderDetail(); }),
    el('select', {
      'aria-label': 'Zoom', title: 'Zoom (+ and -)', value: look.scale, id: 'zoom',
      onchange: event => { look.scale = event.target.value; renderDetail(); },
    }, SCALES.map(([value, label]) => el('option', { value, selected: value === look.scale }, label)))));
  root.classList.toggle('unmarked', !look.marks);
  const built = BUILD[view](shot, look.scale === 'fit' ? 'fit' : Number(look.scale));
  root.append(...built.nodes);
  if (look.loupe) addLoupe(root, shot, built.frames);
  return root;
}

function toggle(label, key, pressed, onclick) {
  return el('button', { type: 'button', 'aria-pressed': String(pressed), 'aria-keyshortcuts': key, id: `toggle-${label}`, title: `${label} (${key})`, onclick }, label);
}

function viewChoice(views, current) {
  return el('fieldset', { class: 'views' }, el('legend', { class: 'unseen' }, 'View'),
    views.map(name => el('label', {},
      el('input', { type: 'radio', name: 'view', id: `view-${name}`, value: name, checked: name === current, onchange: () => go({ view: name }) }),
      el('span', {}, VIEWS[name]))));
}

function labelled(title, area) {
  return el('figure', { class: 'pane' }, el('figcaption', { class: 'quiet' }, title), area);
}

function single(name) {
  return (shot, scale) => {
    const node = frame(shot, VIEWS[name], [name], { plain: name === 'difference' });
    return { nodes: [scaled(node, scale)], frames: [node] };
  };
}

/** Two layers on one another with a control from 0 to 100; `apply` sets what the upper one shows. */
function layered(label, start, apply) {
  return (shot, scale) => {
    const node = frame(shot, label, ['expected', 'actual']);
    const upper = node.querySelector('[data-layer="actual"]');
    const range = el('input', {
      type: 'range', min: '0', max: '100', value: String(start), 'aria-label': label, class: 'range',
      oninput: () => apply(upper, Number(range.value), node),
    });
    apply(upper, start, node);
    node.range = range;
    const ends = el('div', { class: 'ends' }, el('span', { class: 'quiet' }, 'Expected'), range, el('span', { class: 'quiet' }, 'Actual'));
    return { nodes: [ends, scaled(node, scale)], frames: [node] };
  };
}

function slide(upper, value, node) {
  // The upper layer shows what lies right of the line; both layers share the frame's scale.
  const share = node.pixels.width / upperWidth(node);
  upper.style.clipPath = `inset(0 0 0 ${Math.min(100, value * share)}%)`;
  const lower = node.querySelector('[data-layer="expected"]');
  const lowerShare = node.pixels.width / lowerWidth(node);
  lower.style.clipPath = `inset(0 ${Math.max(0, 100 - value * lowerShare)}% 0 0)`;
  let line = node.querySelector('.line');
  if (!line) {
    line = el('div', { class: 'line', 'aria-hidden': 'true' });
    node.append(line);
    draggable(node);
  }
  line.style.left = `${value}%`;
}

const upperWidth = node => parseFloat(node.querySelector('[data-layer="actual"]').style.width) / 100 * node.pixels.width;
const lowerWidth = node => parseFloat(node.querySelector('[data-layer="expected"]').style.width) / 100 * node.pixels.width;

/** Lets the line be drawn with pointer or finger anywhere on the frame. */
function draggable(node) {
  node.classList.add('slides');
  const to = event => {
    const area = node.getBoundingClientRect();
    node.range.value = String((event.clientX - area.left) / area.width * 100);
    node.range.dispatchEvent(new Event('input'));
  };
  node.addEventListener('pointerdown', event => { node.setPointerCapture(event.pointerId); to(event); });
  node.addEventListener('pointermove', event => { if (node.hasPointerCapture(event.pointerId)) to(event); });
}

function blink(shot, scale) {
  const node = frame(shot, VIEWS.blink, ['expected', 'actual']);
  const layers = [...node.querySelectorAll('.layer')];
  const label = el('strong', { class: 'blink-name' });
  let upper = 1;
  const swap = () => {
    upper = 1 - upper;
    layers.forEach((layer, index) => { layer.style.visibility = index === upper ? 'visible' : 'hidden'; });
    label.textContent = VIEWS[layers[upper].dataset.layer];
  };
  swap();
  const run = el('button', { type: 'button', id: 'blink-run', onclick: () => (blinking ? stop() : start()) });
  const start = () => { blinking = setInterval(swap, BLINK_MS); run.textContent = 'Pause'; };
  const stop = () => { clearInterval(blinking); blinking = null; run.textContent = 'Play'; };
  stop();
  // Whoever asked for no motion turns the pictures by hand.
  if (!still.matches) start();
  const by = el('button', { type: 'button', id: 'blink-swap', onclick: () => { stop(); swap(); announce(label.textContent); } }, 'Swap');
  return { nodes: [el('div', { class: 'ends' }, label, el('span', { class: 'spring' }), run, by), scaled(node, scale)], frames: [node] };
}

const BUILD = {
  side: (shot, scale) => {
    const frames = ['expected', 'actual'].map(name => frame(shot, VIEWS[name], [name]));
    const areas = frames.map(node => scaled(node, scale));
    together(areas);
    return { nodes: [el('div', { class: 'pair' }, frames.map((node, index) => labelled(node.dataset.title, areas[index])))], frames };
  },
  slider: layered('Slider', 50, slide),
  onion: layered('Onion skin', 50, (upper, value) => { upper.style.opacity = String(value / 100); }),
  blink,
  expected: single('expected'),
  actual: single('actual'),
  difference: single('difference'),
};

/** The loupe under the pictures. The pictures that a view does not show are loaded for it alone. */
function addLoupe(root, shot, frames) {
  const pictures = {};
  for (const name of ['expected', 'actual']) {
    if (!shot[name]?.url || (shot.baseline === 'equal' && name === 'expected')) continue;
    pictures[name] = frames.map(each => each.images[name]).find(Boolean)
      || el('img', { src: resolved(shot[name].url), alt: '' });
  }
  const glass = loupe(shot, pictures, () => renderDetail());
  root.append(glass.panel);
  for (const each of frames) follow(each, glass);
  for (const image of Object.values(pictures)) image.addEventListener('load', () => glass.look(glass.point.x, glass.point.y));
  const first = shot.finding?.regions?.[0]?.region;
  if (first) Object.assign(glass.point, { x: Math.floor(first[0] + first[2] / 2), y: Math.floor(first[1] + first[3] / 2) });
  glass.look(glass.point.x, glass.point.y);
}
