// The case that is looked at.

/** What the detail shows, so that a change of view keeps the place and the focus. */
let shownCase = null;

function renderDetail() {
  const main = byId('detail');
  const one = selected();
  document.body.classList.toggle('opened', state.case !== null);
  clearInterval(blinking);
  blinking = null;
  if (!one) {
    main.replaceChildren();
    shownCase = null;
    return;
  }
  const focus = main.contains(document.activeElement) ? document.activeElement.id : null;
  const top = shownCase === one.id ? main.scrollTop : 0;
  const step = currentShot(one);
  main.replaceChildren(...[
    renderCaseHead(one),
    step && renderCheckpoints(one, step),
    renderSteps(one),
    renderLogs(one),
    renderEnvironment(one),
  ].filter(Boolean));
  main.scrollTop = top;
  shownCase = one.id;
  // Everything that can be operated was made anew; whoever operates it by keyboard stays on it.
  if (focus) byId(focus)?.focus({ preventScroll: true });
}

/** The checkpoint that was chosen, or else the first that went wrong, or else the first. */
function currentShot(one) {
  const steps = shotsOf(one);
  return steps.find(step => step.checkpoint.name === state.shot)
    || steps.find(step => isWrong(step.verdict.word)) || steps[0] || null;
}

function renderCaseHead(one) {
  const chip = (text, label) => el('span', { class: 'fact', title: label }, text);
  const acceptable = shotsOf(one).filter(step => step.checkpoint.acceptable);
  return el('header', { class: 'case-head' },
    el('a', { class: 'back', href: address({ case: null, shot: null }), onclick: event => { event.preventDefault(); go({ case: null, shot: null }); } }, '‹ All cases'),
    el('h2', { id: 'case-title', tabindex: '-1' }, icon(one.verdict.word), el('span', {}, one.name)),
    el('p', { class: 'case-facts' },
      chip(one.id, 'Case'), chip(one.file, 'Scenario'), chip(seconds(one.duration_s), 'Duration'), chip(one.display.join('×'), 'Screen'),
      (one.matrix || []).map(([name, value]) => chip(`${name}: ${value}`, 'Matrix')),
      (one.tags || []).map(tag => el('a', { class: 'fact tag', href: address({ tag }), title: 'Show only cases with this tag' }, tag))),
    renderVerdict(one),
    acceptable.length > 1 && el('p', {}, el('button', { type: 'button', id: 'tick-case', onclick: () => {
      const names = acceptable.map(step => tickName(one, step));
      const wanted = !names.every(name => ticked.has(name));
      names.forEach(name => setTick(name, wanted));
    } }, `Tick all ${acceptable.length} captures of this case`)));
}

function renderVerdict(one) {
  const { word, kind, message, details } = one.verdict;
  if (word === 'passed') return null;
  const title = { failed: 'Failed', errored: 'Fault of the harness', flaky: 'Passed only when tried again', skipped: 'Skipped' }[word];
  return el('div', { class: `verdict is-${word}` },
    el('p', {}, el('strong', {}, title), kind && el('span', { class: 'quiet' }, spoken(kind))),
    message && el('p', { class: 'said' }, message),
    details?.length > 0 && el('ul', {}, details.map(line => el('li', {}, line))));
}

/** Why a checkpoint went wrong, unless the case has just said so; then the number that decided is news enough. */
function renderReason(one, step) {
  const message = step.verdict.message;
  if (!message) return null;
  const gate = step.checkpoint.finding?.gate;
  const said = one.verdict.message && message.startsWith(one.verdict.message);
  if (!said) return el('p', { class: 'said' }, message);
  return gate && !one.verdict.message.includes(gate) && el('p', { class: 'said mono quiet' }, gate);
}

function renderCheckpoints(one, step) {
  const steps = shotsOf(one);
  const shot = step.checkpoint;
  return el('section', { class: 'block', 'aria-labelledby': 'shots-title' },
    el('h3', { id: 'shots-title' }, 'Checkpoints', el('span', { class: 'quiet' }, String(steps.length))),
    steps.length > 1 && el('nav', { class: 'shots', 'aria-label': 'Checkpoints' }, steps.map(each => el('a', {
      href: address({ case: one.id, shot: each.checkpoint.name }), 'aria-current': each === step ? 'true' : null,
      id: `shot-${each.number}`,
      onclick: event => { event.preventDefault(); go({ case: one.id, shot: each.checkpoint.name }); },
    }, icon(each.verdict.word), each.checkpoint.name))),
    el('div', { class: 'shot-head' },
      el('h4', {}, icon(step.verdict.word), shot.name, el('span', { class: 'quiet' }, `step ${step.number}`)),
      shot.acceptable && tickBox(one, step, shot.baseline !== 'none' ? 'Accept the capture as the new baseline' : 'Accept the capture as the first baseline')),
    renderReason(one, step),
    renderViewer(one, step),
    renderFinding(step));
}
