// The captures that a person ticked, and the command that makes them the new baselines.

const TICKS = `cu-run ticks ${data.run.id}`;

/** `case/checkpoint` of every capture that is ticked. */
const ticked = new Set(recalled());

function recalled() {
  try {
    const kept = JSON.parse(sessionStorage.getItem(TICKS) || '[]');
    const known = new Set(cases.flatMap(one => shotsOf(one).filter(step => step.checkpoint.acceptable)
      .map(step => tickName(one, step))));
    return kept.filter(name => known.has(name));
  } catch {
    // Some browsers give pages from disk no storage; then ticks last as long as the page.
    return [];
  }
}

function remember() {
  try {
    sessionStorage.setItem(TICKS, JSON.stringify([...ticked]));
  } catch {
    // As above.
  }
}

function tickName(one, step) {
  return `${one.id}/${step.checkpoint.name}`;
}

function setTick(name, wanted) {
  if (wanted) ticked.add(name);
  else ticked.delete(name);
  remember();
  renderAccept();
  for (const input of document.querySelectorAll('input[data-tick]')) {
    if (input.dataset.tick === name) input.checked = wanted;
  }
}

function tickBox(one, step, label) {
  const name = tickName(one, step);
  return el('label', { class: 'tick' },
    el('input', {
      type: 'checkbox', checked: ticked.has(name), 'data-tick': name, 'aria-keyshortcuts': 'x',
      onchange: event => setTick(name, event.target.checked),
    }), label);
}

/** `text` as one word of a POSIX shell. */
const quoted = text => `'${text.replaceAll("'", "'\\''")}'`;

function command() {
  const folder = /^[\w./+-]+$/.test(data.run.artifacts) ? data.run.artifacts : quoted(data.run.artifacts);
  return ['cu-run accept --artifacts', folder, ...[...ticked].sort().map(name => `--only ${quoted(name)}`)].join(' ');
}

function renderAccept() {
  const bar = byId('accept');
  bar.hidden = ticked.size === 0;
  document.body.classList.toggle('accepting', ticked.size > 0);
  if (ticked.size === 0) return;
  const field = el('textarea', { readonly: true, rows: '1', 'aria-label': 'Command that accepts them', spellcheck: 'false' });
  field.value = command();
  const button = el('button', {
    type: 'button', class: 'primary', 'aria-keyshortcuts': 'c',
    onclick: async () => {
      const done = await copy(field.value, field);
      button.textContent = done ? 'Copied' : 'Press Ctrl+C';
      announce(done ? 'Command copied' : 'Command selected, press Control C');
    },
  }, 'Copy command');
  bar.replaceChildren(
    el('strong', {}, `${plural(ticked.size, 'capture')} to accept`), field, button,
    el('button', { type: 'button', onclick: () => [...ticked].forEach(name => setTick(name, false)) }, 'Untick all'));
}

/** Ticks every capture that can be accepted in the cases of the list; unticks them when all were. */
function tickShown() {
  const names = shown.flatMap(one => shotsOf(one).filter(step => step.checkpoint.acceptable).map(step => tickName(one, step)));
  const wanted = !names.every(name => ticked.has(name));
  for (const name of names) {
    if (wanted) ticked.add(name);
    else ticked.delete(name);
  }
  remember();
  renderAccept();
  for (const input of document.querySelectorAll('input[data-tick]')) input.checked = ticked.has(input.dataset.tick);
  announce(`${plural(ticked.size, 'capture')} ticked`);
}
