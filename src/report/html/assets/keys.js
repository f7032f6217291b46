// The keyboard. Single keys work wherever no text is being typed and no control of its own needs them.

const KEYS = [
  ['j  k', 'next and previous case'],
  ['n  p', 'next and previous checkpoint of the case'],
  ['←  →', 'next and previous view; 1 to 7 choose one'],
  ['+  -', 'zoom'],
  ['r', 'show or hide regions and masks'],
  ['i', 'pixels: magnified, with their colours'],
  ['s', 'swap the pictures of the blink view'],
  ['x', 'tick the capture to accept it'],
  ['X', 'tick every capture of the cases in the list'],
  ['c', 'copy the command that accepts what is ticked'],
  ['f  /', 'filter'],
  ['Esc', 'leave the filter; back to the list'],
  ['?', 'this help'],
];

function move(by) {
  const here = shown.indexOf(selected());
  const next = shown[Math.max(0, Math.min(shown.length - 1, here + by))];
  if (!next) return;
  go({ case: next.id, shot: null });
  revealRow(next)?.focus({ preventScroll: true });
}

function moveShot(by) {
  const one = selected();
  const steps = one ? shotsOf(one) : [];
  if (steps.length < 2) return;
  const next = steps[(steps.indexOf(currentShot(one)) + by + steps.length) % steps.length];
  go({ case: one.id, shot: next.checkpoint.name });
  announce(`Checkpoint ${next.checkpoint.name}, ${next.verdict.word}`);
}

function moveView(by, place = null) {
  const one = selected();
  const step = one && currentShot(one);
  const views = step ? viewsOf(step.checkpoint) : [];
  if (views.length < 2) return;
  const here = Math.max(0, views.indexOf(state.view));
  const view = place === null ? views[(here + by + views.length) % views.length] : views[place];
  if (!view) return;
  go({ view });
  announce(VIEWS[view]);
}

function zoom(by) {
  const here = SCALES.findIndex(([value]) => value === look.scale);
  const next = SCALES[Math.max(0, Math.min(SCALES.length - 1, here + by))];
  look.scale = next[0];
  renderDetail();
  announce(`Zoom ${next[1]}`);
}

const press = id => byId(id)?.click();

const ACTIONS = {
  j: () => move(1), k: () => move(-1), n: () => moveShot(1), p: () => moveShot(-1),
  ArrowRight: () => moveView(1), ArrowLeft: () => moveView(-1),
  '+': () => zoom(1), '=': () => zoom(1), '-': () => zoom(-1),
  r: () => press('toggle-Regions'), i: () => press('toggle-Pixels'), s: () => press('blink-swap'),
  x: () => byId('detail').querySelector('.shot-head input[data-tick]')?.click(), X: tickShown,
  c: () => byId('accept').querySelector('button.primary')?.click(),
  f: () => byId('query').focus(), '/': () => byId('query').focus(),
  '?': openHelp,
  Escape: () => go({ case: null, shot: null }),
};

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || byId('help').open) return;
  const at = event.target;
  if (at.matches('textarea, select, input[type=search]')) {
    if (event.key === 'Escape') at.blur();
    return;
  }
  // Radio buttons and ranges have arrows of their own; a scrolled picture needs them to be scrolled.
  if (event.key.startsWith('Arrow') && at.closest('input, .scrolls, pre, .wide')) return;
  const digit = /^[1-7]$/.test(event.key) ? Number(event.key) - 1 : null;
  const action = digit === null ? ACTIONS[event.key] : () => moveView(0, digit);
  if (!action) return;
  event.preventDefault();
  action();
}

function openHelp() {
  const dialog = byId('help');
  if (!dialog.firstChild) {
    dialog.append(el('h2', { id: 'help-title' }, 'Keyboard'),
      el('dl', {}, KEYS.map(([keys, what]) => [el('dt', {}, keys.split('  ').map(key => el('kbd', {}, key))), el('dd', {}, what)])),
      el('form', { method: 'dialog' }, el('button', { class: 'primary', autofocus: true, type: 'button', onclick: () => dialog.close() }, 'Close')));
  }
  dialog.showModal();
}
