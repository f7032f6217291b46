// Words and tables: what was found at a checkpoint, the steps, the logs, the environment.

const KINDS = { moved: 'moved', recoloured: 'recoloured', appeared: 'appeared', disappeared: 'disappeared', content_changed: 'content' };

function renderFinding(step) {
  const shot = step.checkpoint;
  const found = shot.finding;
  return el('div', { class: 'finding' },
    shot.baseline === 'written' && el('p', { class: 'note' }, 'This run wrote the capture as the baseline. The picture before it is in your version control.'),
    shot.baseline === 'none' && shot.actual && el('p', { class: 'note' }, 'There is no baseline yet. Look at the capture and accept it if it is right.'),
    found?.words && el('p', { class: 'note' }, found.words),
    renderEnvironmentChanges(shot),
    renderRegions(found),
    el('details', { class: 'numbers' }, el('summary', {}, 'Numbers and rules', found?.gate && el('span', { class: 'mono quiet' }, found.gate)),
      terms(numbersOf(shot))));
}

function numbersOf(shot) {
  const { finding, rules } = shot;
  const measured = finding?.numbers;
  return [
    ['Decided by', finding?.gate],
    ['Worst local SSIM', measured && score(measured.worst_ssim)],
    ['Mean SSIM', measured && score(measured.mean_ssim)],
    ['Changed', measured && `${plural(measured.changed_px, 'pixel')}, greatest difference ${plural(measured.max_delta, 'level')}`],
    ['Rules', `${rules.method}, min_ssim ${rules.min_ssim}, max_delta ${rules.max_delta}, max_pixels ${rules.max_pixels}`],
    ['Part of the screen', box(shot.region)],
    ['Expected size', shot.expected && `${shot.expected.width}×${shot.expected.height}`],
    ['Actual size', shot.actual && `${shot.actual.width}×${shot.actual.height}`],
    ['Masks', shot.masks?.length && shot.masks.map(box).join('; ')],
    ['Still after', seconds(shot.still_after_s)],
    ['Matched after', shot.matched_after_s > 0 && seconds(shot.matched_after_s)],
  ].map(([name, value]) => [name, value || null]);
}

function renderEnvironmentChanges(shot) {
  return shot.environment_changes?.length > 0 && el('div', { class: 'note warn' },
    el('strong', {}, 'The environment is not the one this baseline was accepted in:'),
    el('ul', {}, shot.environment_changes.map(change => el('li', {}, change))));
}

function renderRegions(found) {
  if (!found?.regions?.length) return null;
  return el('section', { 'aria-label': 'Regions that differ' },
    el('h4', {}, `${plural(found.regions.length + (found.more_regions || 0), 'region')} differ${found.regions.length === 1 ? 's' : ''}`),
    el('ol', { class: 'regions' }, found.regions.map((one, index) => el('li', {},
      el('button', { type: 'button', onclick: () => showRegion(index) },
        el('span', { class: 'region-number' }, String(index + 1)),
        el('span', { class: `kind kind-${one.kind}` }, KINDS[one.kind] || spoken(one.kind)),
        el('span', { class: 'region-words' }, one.words),
        el('span', { class: 'quiet mono' }, box(one.region)),
        el('span', { class: 'quiet' }, `SSIM ${score(one.worst_ssim)} · ${plural(one.changed_px, 'pixel')} · Δ ${one.max_delta}`))))),
    found.more_regions > 0 && el('p', { class: 'quiet' }, `and ${plural(found.more_regions, 'more region')}, drawn in the difference picture`));
}

function renderSteps(one) {
  if (one.steps.length === 0) return null;
  const span = Math.max(one.duration_s, ...one.steps.map(step => step.at_s + step.duration_s), 0.001);
  return el('section', { class: 'block', 'aria-labelledby': 'steps-title' },
    el('h3', { id: 'steps-title' }, 'Steps', el('span', { class: 'quiet' }, String(one.steps.length))),
    el('div', { class: 'wide' }, el('table', { class: 'steps' },
      el('thead', {}, el('tr', {}, ['', '#', 'Step', 'Began', 'Took', ''].map((name, index) =>
        el('th', { scope: 'col' }, name || el('span', { class: 'unseen' }, index === 0 ? 'Verdict' : 'When'))))),
      el('tbody', {}, one.steps.map(step => stepRow(one, step, span))))));
}

function stepRow(one, step, span) {
  const bar = el('span', { class: `bar is-${step.verdict.word}` });
  bar.style.left = `${Math.min(99, step.at_s / span * 100)}%`;
  bar.style.width = `${Math.max(0.7, step.duration_s / span * 100)}%`;
  const title = step.checkpoint
    ? el('a', { href: address({ case: one.id, shot: step.checkpoint.name }) }, step.title)
    : step.title;
  const skipped = step.verdict.word === 'skipped';
  const extra = [
    step.aimed_at && `at (${step.aimed_at.join(', ')})`,
    step.retries > 0 && plural(step.retries, 'retry', 'retries'),
    step.source.replace(one.file, '').replace(/^:/, 'line '),
  ].filter(Boolean).join(' · ');
  return el('tr', { class: `step was-${step.verdict.word}` },
    el('td', {}, icon(step.verdict.word)),
    el('td', { class: 'quiet' }, String(step.number)),
    el('td', { class: 'step-what' }, el('span', { class: 'step-title' }, title), el('span', { class: 'quiet' }, extra),
      step.verdict.message && !(skipped && one.verdict.message === step.verdict.message)
        && el('span', { class: 'step-why' }, step.verdict.message)),
    el('td', { class: 'number' }, skipped ? '' : seconds(step.at_s)),
    el('td', { class: 'number' }, skipped ? '' : seconds(step.duration_s)),
    el('td', { class: 'lane', 'aria-hidden': 'true' }, !skipped && bar));
}

/** `service-api.log` as `Service api`. */
function logTitle(name) {
  const stem = name.replace(/\.log$/, '');
  const known = [
    [/^browser(?:-(\d+))?$/, 'Browser and its console'], [/^console(?:-(\d+))?$/, 'Browser console'],
    [/^service-(.+)$/, 'Service'], [/^app-(.+)$/, 'Program'], [/^xvfb$/, 'Display server'], [/^openbox$/, 'Window manager'],
  ];
  for (const [pattern, title] of known) {
    const match = pattern.exec(stem);
    if (match) return match[1] ? `${title} ${match[1]}` : title;
  }
  return stem;
}

/** Logs that tell more about the application stand first and open. */
const telling = log => /^(service|app|browser|console)/.test(log.name);

function renderLogs(one) {
  if (!one.logs?.length) return null;
  const logs = [...one.logs].sort((a, b) => telling(b) - telling(a));
  return el('section', { class: 'block', 'aria-labelledby': 'logs-title' },
    el('h3', { id: 'logs-title' }, 'Logs', el('span', { class: 'quiet' }, String(logs.length))),
    logs.map(log => {
      const link = el('a', { href: resolved(log.url), target: '_blank', rel: 'noopener' }, log.name);
      if (log.tail === undefined) return el('p', { class: 'log-link' }, logTitle(log.name), ' ', link);
      return el('details', { class: 'log', open: telling(log) },
        el('summary', {}, logTitle(log.name), el('span', { class: 'quiet' }, link)),
        log.hidden_bytes > 0 && el('p', { class: 'quiet' }, `The end of it; ${plural(log.hidden_bytes, 'byte')} before it are in the file.`),
        el('pre', { tabindex: '0', 'aria-label': `End of ${log.name}` }, log.tail || '(only white space)'));
    }));
}

function renderEnvironment(one) {
  const facts = Object.entries({ ...data.run.facts, ...one.fingerprint });
  return el('section', { class: 'block', 'aria-labelledby': 'environment-title' },
    el('h3', { id: 'environment-title' }, 'Environment'),
    terms([...facts, ['screen', one.display.join('×')], ['jobs', String(data.run.jobs)], ['baselines', data.run.baselines]]));
}
