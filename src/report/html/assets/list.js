// The header with its filters and the list of cases. Rows are made as they are needed and then, a part at a time, while
// the browser has nothing better to do, so that its own search finds every one of them.

const FIRST_ROWS = 60;
const MORE_ROWS = 250;

/** Rows by case id; the order is that of `shown`. */
let rows = new Map();
let groups = new Map();
let filling = 0;

function renderHeader() {
  const { run } = data;
  const begun = new Date(run.started);
  const time = el('time', { datetime: run.started, title: run.started }, Number.isNaN(+begun) ? run.started
    : begun.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' }));
  byId('facts').replaceChildren();
  add(byId('facts'), [
    run.interrupted !== undefined && el('strong', { class: 'is-errored' }, `ended early by signal ${run.interrupted} · `),
    `${plural(run.totals.cases, 'case')}, ${plural(run.totals.checkpoints, 'checkpoint')} in ${seconds(run.duration_s)} · `,
    time, ` · cu-run ${run.version}`,
    run.totals.accepted > 0 && ` · ${plural(run.totals.accepted, 'baseline')} written`,
  ]);
  const select = byId('tag');
  select.hidden = tags.length === 0;
  select.append(el('option', { value: '' }, 'All tags'), ...tags.map(tag => el('option', { value: tag }, tag)));
  select.addEventListener('change', () => go({ tag: select.value }));
  byId('query').addEventListener('input', event => go({ query: event.target.value.trimStart() }));
  byId('filters').addEventListener('submit', event => event.preventDefault());
}

/** The verdict buttons, each with how many of the found cases it holds. */
function renderVerdicts(candidates) {
  const group = byId('verdicts');
  const active = group.contains(document.activeElement) ? document.activeElement.dataset.word : null;
  const present = VERDICTS.filter(word => cases.some(one => one.verdict.word === word));
  group.replaceChildren(...present.map(word => {
    const count = candidates.filter(one => one.verdict.word === word).length;
    return el('button', {
      type: 'button', class: `chip is-${word}`, 'data-word': word, 'aria-pressed': String(state.verdicts.has(word)),
      onclick: () => {
        const verdicts = new Set(state.verdicts);
        if (!verdicts.delete(word)) verdicts.add(word);
        go({ verdicts });
      },
    }, icon(word), `${count.toLocaleString('en')} ${word}`);
  }));
  if (active) group.querySelector(`[data-word="${active}"]`)?.focus();
}

function renderList() {
  const candidates = found();
  shown = candidates.filter(one => state.verdicts.size === 0 || state.verdicts.has(one.verdict.word));
  renderVerdicts(candidates);
  if (byId('query').value.trimStart() !== state.query) byId('query').value = state.query;
  byId('tag').value = state.tag;
  rows = new Map();
  groups = new Map();
  byId('list').replaceChildren();
  if (shown.length === 0) {
    const clear = el('button', { type: 'button', onclick: () => go({ query: '', tag: '', verdicts: new Set() }) }, 'Show all');
    add(byId('list'), [cases.length === 0 ? el('p', { class: 'empty' }, 'No case ran.')
      : el('p', { class: 'empty' }, 'No case fits the filter. ', clear)]);
  }
  makeRows(FIRST_ROWS);
  fillLater();
}

/** Makes rows until there are `count`. */
function makeRows(count) {
  for (let next = rows.size; next < Math.min(count, shown.length); next += 1) {
    const one = shown[next];
    const row = el('li', {}, rowOf(one));
    rows.set(one.id, row.firstChild);
    groupOf(one.verdict.word).append(row);
  }
}

function groupOf(word) {
  let list = groups.get(word);
  if (!list) {
    const count = shown.filter(one => one.verdict.word === word).length;
    list = el('ul', {});
    groups.set(word, list);
    byId('list').append(el('section', { 'aria-label': `${plural(count, 'case')} ${word}` },
      el('h2', { class: `group is-${word}`, 'aria-hidden': 'true' }, word, el('span', { class: 'quiet' }, count.toLocaleString('en'))),
      list));
  }
  return list;
}

function fillLater() {
  filling += 1;
  const mine = filling;
  const soon = window.requestIdleCallback || (work => setTimeout(work, 30));
  const more = () => {
    if (mine !== filling) return;
    makeRows(rows.size + MORE_ROWS);
    markSelected();
    if (rows.size < shown.length) soon(more);
  };
  if (rows.size < shown.length) soon(more);
}

function rowOf(one) {
  const shots = shotsOf(one);
  const wrong = shots.filter(step => isWrong(step.verdict.word)).length;
  const count = shots.length > 1 && (wrong > 0 ? `${wrong} of ${shots.length} checkpoints` : plural(shots.length, 'checkpoint'));
  return el('a', {
    class: 'row', href: address({ case: one.id, shot: null, view: null }),
    onclick: event => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      openCase(one);
    },
  },
  icon(one.verdict.word),
  el('span', { class: 'row-name' }, one.id),
  el('span', { class: 'row-time quiet' }, seconds(one.duration_s)),
  one.verdict.message && el('span', { class: 'row-why' }, one.verdict.message.split('\n')[0]),
  count && one.verdict.word !== 'passed' && el('span', { class: 'row-count quiet' }, count));
}

/** Opens a case; choosing the one that is shown opens it too where only the list was seen. */
function openCase(one) {
  go({ case: one.id, shot: null, view: state.view });
}

function markSelected() {
  byId('list').querySelector('[aria-current]')?.removeAttribute('aria-current');
  const one = selected();
  if (!one) return;
  rows.get(one.id)?.setAttribute('aria-current', 'true');
}

/** The row of a case, made when it was not there yet, scrolled into sight. */
function revealRow(one) {
  const place = shown.indexOf(one);
  if (place < 0) return null;
  makeRows(place + 20);
  markSelected();
  const row = rows.get(one.id);
  row.scrollIntoView({ block: 'nearest' });
  return row;
}
