// Uses the report as a person does and tells what happened, as the promise `driven`; runs right after the page's own script.
// Whatever the policy refuses and every exception is noted.

const seen = { refused: [], exceptions: [] };
document.addEventListener('securitypolicyviolation', event => seen.refused.push(`${event.effectiveDirective} ${event.blockedURI}`));
addEventListener('error', event => { if (event.message) seen.exceptions.push(event.message); });
addEventListener('unhandledrejection', event => seen.exceptions.push(String(event.reason)));

const all = selector => [...document.querySelectorAll(selector)];
const one = selector => document.querySelector(selector);
const wait = ms => new Promise(done => setTimeout(done, ms));
const key = async (name, at = document.body) => {
  at.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true }));
  await wait(50);
};
const place = async hash => {
  location.hash = hash;
  await wait(300);
};
const view = () => one('.viewer').dataset.view;
const pictures = async () => {
  await Promise.all(all('.layer img').map(image => { image.loading = 'eager'; return image.decode().catch(() => {}); }));
  return all('.layer').map(layer => {
    const image = layer.querySelector('img');
    return `${layer.dataset.layer} ${image ? image.naturalWidth : layer.textContent}`;
  });
};

async function drive() {
  seen.rows = all('.row').length;
  seen.groups = all('.group').map(group => group.firstChild.textContent);

  await place('#case=shop/checkout');
  seen.views = all('.views input').map(input => input.value);
  seen.pictures = await pictures();
  seen.regions = all('.regions .region-words').map(words => words.textContent);
  seen.marks = all('[data-title="Actual"] .region').map(mark => mark.style.left);
  seen.changes = all('.note.warn li').map(item => item.textContent);
  seen.log = one('.log pre[aria-label*="service-api"]').textContent.split('\n')[0];
  seen.walk = [];
  for (let step = 0; step < 7; step += 1) {
    seen.walk.push(view());
    await key('ArrowRight');
  }
  await key('2');
  one('.range').value = '25';
  one('.range').dispatchEvent(new Event('input'));
  seen.slider = [...all('.layer').map(layer => layer.style.clipPath), one('.line').style.left];
  await key('r');
  seen.unmarked = one('.viewer').classList.contains('unmarked');
  await key('r');
  await key('+');
  await key('+');
  seen.zoomed = one('.frame').style.width;
  await key('-');
  await key('-');
  await key('i');
  await key('ArrowDown', one('.frame'));
  seen.loupe = one('.loupe output').value;
  seen.fromDisk = one('.loupe-words button').textContent;
  await key('i');

  await key('x');
  await key('j');
  await key('x');
  seen.next = location.hash;
  await key('n');
  await key('k');
  seen.back = location.hash;
  seen.command = one('#accept textarea').value;

  await key('f');
  seen.focus = document.activeElement.id;
  document.activeElement.value = 'theme dark';
  document.activeElement.dispatchEvent(new Event('input'));
  await wait(100);
  seen.found = all('.row-name').map(name => name.textContent);
  await place('#verdict=flaky,skipped');
  seen.filtered = all('.row-name').map(name => name.textContent);
  await place('#tag=shop&q=nothing-like-this');
  seen.nothing = one('#list .empty').firstChild.textContent;

  await place('#case=shop/home');
  seen.equal = await pictures();
  await place('#case=shop/banner&view=slider');
  seen.sizes = all('.layer').map(layer => parseFloat(layer.style.height).toFixed(2));
  await place('#case=odd/names');
  await wait(200);
  seen.odd = [one('#case-title').textContent, all('main script, main img[src="x"]').length];
  await key('?');
  seen.help = one('#help').open;
  one('#help').close();
  seen.title = document.title;
}

/** What was seen, once everything is done. */
const driven = drive().catch(error => seen.exceptions.push(String(error.stack || error))).then(() => seen);
