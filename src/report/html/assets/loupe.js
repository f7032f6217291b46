// The loupe: the same few pixels of expected and actual, magnified, with their colours. It follows the pointer, or the
// arrow keys while a picture has the focus.

const SPAN = 15;
const PATCH = 105;

/** A loupe over `frames`; `pictures` are the expected and the actual image by name. */
function loupe(shot, pictures, redo) {
  const size = spanOf(shot);
  const patches = Object.keys(pictures).map(name => ({
    name,
    canvas: el('canvas', { width: PATCH, height: PATCH, 'aria-hidden': 'true' }),
    text: el('span', { class: 'mono' }),
    chip: el('span', { class: 'swatch', 'aria-hidden': 'true' }),
  }));
  const where = el('output', { class: 'mono', 'aria-live': 'polite' });
  const hint = el('p', { class: 'quiet' });
  const panel = el('div', { class: 'loupe', role: 'group', 'aria-label': 'Pixels' },
    patches.map(patch => el('figure', {}, patch.canvas,
      el('figcaption', {}, el('strong', {}, patch.name), patch.chip, patch.text))),
    el('div', { class: 'loupe-words' }, where, hint));
  const point = { x: Math.floor(size.width / 2), y: Math.floor(size.height / 2) };
  let unreadable = false;

  function look(x, y) {
    point.x = Math.max(0, Math.min(size.width - 1, x));
    point.y = Math.max(0, Math.min(size.height - 1, y));
    const colours = {};
    for (const patch of patches) {
      const image = pictures[patch.name];
      magnify(patch.canvas, image, point.x, point.y, SPAN);
      mark(patch.canvas);
      patch.chip.hidden = true;
      if (!image.complete || image.naturalWidth === 0) {
        // It is on its way, or not there at all; its frame says so.
        patch.text.textContent = '';
        continue;
      }
      const colour = colourAt(image, point.x, point.y);
      colours[patch.name] = colour;
      patch.text.textContent = colour ? `${hex(colour)} (${colour.join(', ')})` : colour === null ? 'outside' : '';
      patch.chip.hidden = !colour;
      if (colour) patch.chip.style.backgroundColor = hex(colour);
      if (colour === undefined) unreadable = true;
    }
    where.value = `(${point.x}, ${point.y})${apart(colours.expected, colours.actual)}`;
    for (const cross of document.querySelectorAll('.crosshair')) {
      cross.style.left = `${(point.x + 0.5) / size.width * 100}%`;
      cross.style.top = `${(point.y + 0.5) / size.height * 100}%`;
    }
    explain();
  }

  function explain() {
    if (!unreadable) {
      hint.textContent = 'Move the pointer over a picture, or focus it and use the arrow keys (Shift: 10 pixels).';
    } else if (!hint.querySelector('button')) {
      hint.replaceChildren('Browsers do not let a page from disk read colours. Hand over the artifacts folder (it stays in this browser) or open the report from a server. ',
        ...folderButton('Choose the artifacts folder', redo));
    }
  }

  return { panel, look, point };
}

/** The pixel in the middle of a patch, framed. */
function mark(canvas) {
  const pen = canvas.getContext('2d');
  const side = canvas.width / SPAN;
  const at = (canvas.width - side) / 2;
  pen.strokeStyle = '#000';
  pen.strokeRect(at - 0.5, at - 0.5, side + 1, side + 1);
  pen.strokeStyle = '#fff';
  pen.strokeRect(at - 1.5, at - 1.5, side + 3, side + 3);
}

function apart(expected, actual) {
  if (!expected || !actual) return '';
  const levels = Math.max(...expected.map((level, channel) => Math.abs(level - actual[channel])));
  return levels === 0 ? ' · equal' : ` · ${plural(levels, 'level')} apart`;
}

/** Lets the loupe follow the pointer and the arrow keys over `frame`. */
function follow(frame, glass) {
  frame.append(el('div', { class: 'crosshair', 'aria-hidden': 'true' }));
  frame.tabIndex = 0;
  frame.setAttribute('role', 'application');
  frame.setAttribute('aria-label', `${frame.dataset.title}: arrow keys move the loupe`);
  frame.addEventListener('pointermove', event => {
    const area = frame.getBoundingClientRect();
    const { width, height } = frame.pixels;
    glass.look(Math.floor((event.clientX - area.left) / area.width * width),
      Math.floor((event.clientY - area.top) / area.height * height));
  });
  frame.addEventListener('keydown', event => {
    const step = event.shiftKey ? 10 : 1;
    const [dx, dy] = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[event.key] || [];
    if (dx === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    glass.look(glass.point.x + dx, glass.point.y + dy);
  });
}
