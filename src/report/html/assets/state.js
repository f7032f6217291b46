// The run, what of it is wanted, and which case, checkpoint and view are looked at. The address holds all of it, so that
// a link leads a colleague to the same picture and the browser's back button works.

const data = JSON.parse(byId('data').textContent);

/** The worst first. */
const VERDICTS = ['failed', 'errored', 'flaky', 'skipped', 'passed'];

const cases = data.cases
  .map((one, index) => ({ ...one, index }))
  .sort((a, b) => VERDICTS.indexOf(a.verdict.word) - VERDICTS.indexOf(b.verdict.word) || a.index - b.index);

const byCase = new Map(cases.map(one => [one.id, one]));

const tags = [...new Set(cases.flatMap(one => one.tags || []))].sort();

/** The checkpoints of a case with their steps. */
const shotsOf = one => one.steps.filter(step => step.checkpoint);

const isWrong = word => word === 'failed' || word === 'errored';

const state = { query: '', tag: '', verdicts: new Set(), case: null, shot: null, view: null };

function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  state.query = given.get('q') || '';
  state.tag = tags.includes(given.get('tag')) ? given.get('tag') : '';
  state.verdicts = new Set((given.get('verdict') || '').split(',').filter(word => VERDICTS.includes(word)));
  state.case = byCase.has(given.get('case')) ? given.get('case') : null;
  state.shot = given.get('shot');
  state.view = given.get('view');
}

function address(change = {}) {
  const wanted = { ...state, ...change };
  const parts = [
    ['case', wanted.case],
    ['shot', wanted.shot],
    ['view', wanted.view],
    ['q', wanted.query],
    ['tag', wanted.tag],
    ['verdict', [...wanted.verdicts].join(',')],
  ];
  // Slashes and commas stay readable; everything that means something in an address is encoded.
  const text = parts
    .filter(([, value]) => value)
    .map(([name, value]) => `${name}=${encodeURIComponent(value).replaceAll('%2F', '/').replaceAll('%2C', ',')}`);
  return `#${text.join('&')}`;
}

/** Goes to what `change` says; a new case is a place to come back from, anything else replaces the place. */
function go(change) {
  const target = address(change);
  if (target === (location.hash || '#')) return;
  if ('case' in change && change.case !== state.case) location.hash = target;
  else location.replace(target);
}

/** What a search looks through, made once per case. */
const haystacks = new Map();

function haystack(one) {
  let text = haystacks.get(one.id);
  if (text === undefined) {
    const matrix = (one.matrix || []).map(pair => pair.join('='));
    const steps = one.steps.flatMap(step => [step.title, step.action, step.verdict.message, step.checkpoint?.name]);
    text = [one.id, one.name, one.file, one.verdict.message, one.verdict.kind, one.tags, matrix, steps]
      .flat()
      .filter(Boolean)
      .join('\n')
      .toLowerCase();
    haystacks.set(one.id, text);
  }
  return text;
}

/** The cases that fit text and tag, whatever their verdict. */
function found() {
  const words = state.query.toLowerCase().split(/\s+/).filter(Boolean);
  return cases.filter(one =>
    (!state.tag || (one.tags || []).includes(state.tag)) && words.every(word => haystack(one).includes(word)));
}

/** The case that is looked at: the one that was chosen, or else the first. */
function selected() {
  return byCase.get(state.case) || shown[0] || null;
}

/** The cases in the list. */
let shown = cases;
