// Changes one thing on the page it is included by, as `?mutate=NUMBER&seed=NUMBER` asks, or disturbs the page and puts
// everything back, as `?disturb=NAME&seed=NUMBER` asks. The document's title then tells what was done:
// `verdict {"kind": "word", "what": "span: deploy -> signal", "box": [x, y, width, height]}`, or `verdict null` when the
// page has nothing of the kind. The box encloses what was changed, before and after, and what had to give way next to it,
// in pixels of the viewport.
(() => {
  'use strict';
  const asked = new URLSearchParams(location.search);
  if (!asked.has('mutate') && !asked.has('disturb')) return;

  // Mulberry32: the same seed gives the same choices everywhere.
  let state = Number(asked.get('seed')) >>> 0;
  const random = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const one = (list) => list[Math.floor(random() * list.length)];
  for (let warm = 0; warm < 4; warm += 1) random();

  const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const pause = (time) => new Promise((done) => setTimeout(done, time));

  // What may be chosen.

  const shown = (rect) => rect.width >= 2 && rect.height >= 2 && rect.left >= 0 && rect.top >= 0 &&
    rect.right <= innerWidth && rect.bottom <= innerHeight;
  const seen = (element) => {
    if (element.closest('.time-since') || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
    const rect = element.getBoundingClientRect();
    if (!shown(rect)) return false;
    const top = document.elementFromPoint(rect.left + rect.width / 2, rect.top + rect.height / 2);
    return top !== null && (element.contains(top) || top.contains(element));
  };
  const all = (css) => [...document.body.querySelectorAll(css)].filter(seen);
  const styled = (test) => all('*').filter((element) => !(element instanceof SVGElement) && test(getComputedStyle(element), element));
  const own = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '');
  const texts = (pattern) => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (!pattern.test(node.data) || !node.parentElement || !seen(node.parentElement)) continue;
      if (node.parentElement instanceof SVGElement || node.parentElement.closest('script,style,select,textarea')) continue;
      if (shown(rectOf(node))) found.push(node);
    }
    return found;
  };
  const rectOf = (node) => {
    if (node.nodeType === 1) return node.getBoundingClientRect();
    const range = document.createRange();
    range.selectNode(node);
    return range.getBoundingClientRect();
  };
  const name = (node) => {
    const element = node.nodeType === 1 ? node : node.parentElement;
    return element.tagName.toLowerCase() + (element.id ? `#${element.id}` : '') + (typeof element.className === 'string' && element.className ? `.${element.className.split(/\s+/)[0]}` : '');
  };

  // Colours, as [red, green, blue] of 0 to 255.

  const parse = (text) => {
    const canvas = parse.canvas ??= Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d', { willReadFrequently: true });
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const write = ([red, green, blue]) => `rgb(${red} ${green} ${blue})`;
  const nudge = (colour, by) => {
    const sum = colour[0] + colour[1] + colour[2];
    return colour.slice(0, 3).map((level) => Math.max(0, Math.min(255, level + (sum > 384 ? -by : by))));
  };
  /** Another hue of the same luma (ITU-R BT.601, as pixel comparers weigh it): red and green change places. */
  const sameLuma = ([red, green, blue]) => {
    const luma = 0.299 * red + 0.587 * green + 0.114 * blue;
    const other = [Math.min(255, green), Math.min(255, Math.round((red + blue) / 2)), red];
    const scale = luma / Math.max(1, 0.299 * other[0] + 0.587 * other[1] + 0.114 * other[2]);
    return other.map((level) => Math.max(0, Math.min(255, Math.round(level * scale))));
  };
  const filled = (least) => styled((style, element) => {
    const [, , , alpha] = parse(style.backgroundColor);
    const rect = element.getBoundingClientRect();
    return alpha === 255 && rect.width * rect.height >= least;
  });

  const set = (property, value) => (element) => {
    const before = getComputedStyle(element).getPropertyValue(property);
    const wanted = typeof value === 'function' ? value(element, getComputedStyle(element)) : value;
    element.style.setProperty(property, wanted, 'important');
    return `${property}: ${before} -> ${wanted}`;
  };
  const replace = (pattern, by) => (node) => {
    const before = node.data.trim();
    node.data = node.data.replace(pattern, by);
    return `"${before.slice(0, 30)}" -> "${node.data.trim().slice(0, 30)}"`;
  };
  const matchingCase = (word) => {
    const other = one(['signal', 'ballast', 'draft', 'window', 'number', 'anchor', 'before', 'second']);
    return /^[A-Z]/.test(word) ? other[0].toUpperCase() + other.slice(1) : other;
  };

  const leaves = () => styled((style, element) => own(element));
  const bordered = () => styled((style) => parseFloat(style.borderBottomWidth) >= 1 && parse(style.borderBottomColor)[3] > 0);
  const rows = () => all('tr, li, dl > div, .issue, .repo, .job, .field, section').filter((row) => row.parentElement.children.length > 2);
  const icons = () => all('.icon, svg, .dot, .avatar, .badge > i');
  const small = () => styled((style, element) => {
    const rect = element.getBoundingClientRect();
    return rect.width * rect.height < 60000 && rect.width > 6 && rect.height > 6 && style.display !== 'contents';
  });

  // [name, what may be changed, how]. The order is part of the corpus: a number picks the kind.
  const KINDS = [
    ['word', () => texts(/[A-Za-z]{5,}/), (node) => replace(/[A-Za-z]{5,}/, matchingCase)(node)],
    ['subtle fill', () => filled(20000), set('background-color', (element, style) => write(nudge(parse(style.backgroundColor), one([2, 3, 4]))))],
    ['moved 1 px down', small, set('translate', '0 1px')],
    ['digit', () => texts(/[0-8]/), replace(/[0-8]/, (digit) => String(Number(digit) + 1))],
    ['missing element', () => small().filter((element) => own(element) || element.matches('.icon, img, svg')), set('visibility', 'hidden')],
    ['text colour', leaves, set('color', () => one(['#b3261e', '#1c7a45', '#6b45b0', '#1a66a8']))],
    ['missing row', rows, set('display', 'none')],
    ['border colour', bordered, set('border-color', (element, style) => write(nudge(parse(style.borderBottomColor), one([6, 12, 30]))))],
    ['equal-luma fill', () => filled(150), set('background-color', (element, style) => write(sameLuma(parse(style.backgroundColor))))],
    ['letter case', () => texts(/[a-z]{3,}/), replace(/[A-Za-z]/, (letter) => (letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase()))],
    ['font weight', leaves, set('font-weight', (element, style) => (Number(style.fontWeight) >= 600 ? '400' : '700'))],
    ['icon colour', icons, set('filter', () => one(['hue-rotate(40deg) saturate(1.5)', 'brightness(1.15)', 'invert(.4)']))],
    ['missing icon', icons, set('visibility', 'hidden')],
    ['1 px more space', small, set('margin-bottom', (element, style) => `${parseFloat(style.marginBottom) + 1}px`)],
    ['2 px more space', small, set('padding-left', (element, style) => `${parseFloat(style.paddingLeft) + 2}px`)],
    ['truncated text', () => texts(/\S{3,}.{4,}/), replace(/.{3}\s*$/, '…')],
    ['number format', () => texts(/\d[.,: ]\d|\d{1,2} [A-Z][a-z]+ \d{4}/), replace(/(\d{1,2}) ([A-Z][a-z]+) (\d{4})|(\d)([.,: ])(\d)/, (whole, day, month, year, left, mark, right) =>
      (day ? `${month} ${day}, ${year}` : left + ({ '.': ',', ',': '.', ':': '.', ' ': ',' })[mark] + right))],
    ['dark leak', () => filled(600).filter((element) => parse(getComputedStyle(element).backgroundColor)[0] > 200), set('color-scheme', 'dark')],
    ['one-pixel line', small, set('box-shadow', '0 1px 0 rgb(0 0 0 / 14%)')],
    ['opacity', () => small().filter((element) => own(element) || element.matches('img, svg, .icon')), set('opacity', () => one(['.9', '.94', '.97']))],
    ['border radius', () => styled((style) => parseFloat(style.borderTopLeftRadius) >= 2 && parseFloat(style.borderBottomWidth) >= 1), set('border-radius', (element, style) => `${Math.max(0, parseFloat(style.borderTopLeftRadius) - one([1, 2]))}px`)],
    ['alignment', () => leaves().filter((element) => ['block', 'table-cell'].includes(getComputedStyle(element).display)), set('text-align', (element, style) => (/right|end|center/.test(style.textAlign) ? 'left' : 'right'))],
    ['swapped order', rows, (row) => {
      const other = row.nextElementSibling ?? row.previousElementSibling;
      if (row.nextElementSibling) other.after(row); else other.before(row);
      return 'swapped with its neighbour';
    }],
    ['underline', () => all('a, b, th, label, h2').filter(own), set('text-decoration-line', (element, style) => (style.textDecorationLine.includes('underline') ? 'none' : 'underline'))],
    ['text shade', leaves, set('color', (element, style) => write(nudge(parse(style.color), one([-12, -24, 16]))))],
    ['broken image', () => all('img'), (image) => {
      image.src = 'missing.png';
      return 'an address that does not exist';
    }],
    ['overlap', small, set('translate', () => one(['-9px 0', '0 -7px', '14px 5px']))],
    ['behind', () => filled(200), (element) => {
      const cover = element.appendChild(document.createElement('div'));
      if (getComputedStyle(element).position === 'static') element.style.position = 'relative';
      cover.style.cssText = `position:absolute;inset:0;z-index:3;border-radius:inherit;background:${getComputedStyle(element).backgroundColor}`;
      return 'its background covers its content';
    }],
    ['missing border', bordered, set('border-color', 'transparent')],
    ['page shade', () => [document.documentElement], (root) => {
      const by = one([2, 3, 4]);
      root.style.setProperty('background-color', write(nudge(parse(getComputedStyle(root).backgroundColor), by)), 'important');
      return `the page's background ${by} levels off`;
    }],
    ['letter spacing', leaves, set('letter-spacing', () => one(['.1px', '.2px', '.4px']))],
    ['font size', leaves, set('font-size', (element, style) => `${parseFloat(style.fontSize) + one([-1, 0.5, 1])}px`)],
    ['italic', leaves, set('font-style', 'italic')],
    ['punctuation', () => texts(/[.,:;·()]|[a-z]\s*$/), (node) => (/[.,:;·()]/.test(node.data) ? replace(/[.,:;·()]/, '') : replace(/([a-z])(\s*)$/, '$1.$2'))(node)],
    ['image shade', () => all('img, svg, .meter, .spark, .bars'), set('filter', () => one(['brightness(.97)', 'saturate(.85)', 'blur(.4px)', 'contrast(.95)']))],
    ['missing shadow', () => styled((style) => style.boxShadow !== 'none'), set('box-shadow', 'none')],
    ['duplicate', rows, (row) => {
      row.after(row.cloneNode(true));
      return 'shown twice';
    }],
    ['line height', () => leaves().filter((element) => element.getBoundingClientRect().height < 200), set('line-height', (element, style) => `${(parseFloat(style.lineHeight) || 20) + 1}px`)],
    ['half-pixel shift', small, set('translate', () => one(['.5px 0', '0 .5px', '.3px 0']))],
    ['font family', leaves, set('font-family', 'serif')],
    ['control state', () => all('input[type=checkbox], input[type=radio], button, .button, input.input'), (element) => {
      if (element.type === 'checkbox' || element.type === 'radio') {
        element.checked = !element.checked;
        return 'checked or not';
      }
      if (element instanceof HTMLInputElement) {
        element.value += '1';
        return 'another value';
      }
      element.style.setProperty('background-color', write(nudge(parse(getComputedStyle(element).backgroundColor), 8)), 'important');
      return 'looks hovered';
    }],
    ['narrower', small, set('max-width', (element) => `${element.getBoundingClientRect().width - one([1, 2, 4])}px`)],
    ['svg stroke', () => all('svg path, svg rect, svg circle, svg line, svg polyline').filter((shape) => shape.getBoundingClientRect().width > 4), (shape) => {
      const what = one([['stroke-width', '2.5px'], ['stroke-width', '1px'], ['opacity', '.85'], ['display', 'none']]);
      shape.style.setProperty(what[0], what[1], 'important');
      return what.join(': ');
    }],
    ['placeholder', () => all('input[placeholder], textarea[placeholder]'), (field) => {
      field.placeholder = field.placeholder.replace(/\S+$/, 'name');
      return 'another placeholder';
    }],
  ];

  // Shadows, outlines and collapsed borders are drawn around an element's own box.
  const AROUND = 2;
  const regionOf = (rects) => {
    const left = Math.floor(Math.max(0, Math.min(...rects.map((rect) => rect.left)) - AROUND));
    const top = Math.floor(Math.max(0, Math.min(...rects.map((rect) => rect.top)) - AROUND));
    const right = Math.ceil(Math.min(innerWidth, Math.max(...rects.map((rect) => rect.right)) + AROUND));
    const bottom = Math.ceil(Math.min(innerHeight, Math.max(...rects.map((rect) => rect.bottom)) + AROUND));
    return [left, top, Math.max(1, right - left), Math.max(1, bottom - top)];
  };

  const mutate = () => {
    const [kind, candidates, apply] = KINDS[Number(asked.get('mutate')) % KINDS.length];
    const target = one(candidates());
    if (!target) return null;
    const element = target.nodeType === 1 ? target : target.parentElement;
    const before = rectOf(target);
    // Where it is the last one, what comes after its container gives way.
    let holder = element;
    while (!holder.nextElementSibling && holder.parentElement && holder.parentElement !== document.body) holder = holder.parentElement;
    const next = holder.nextElementSibling;
    const nextBefore = next?.getBoundingClientRect();
    const what = `${name(target)}: ${apply(target)}`;
    const after = target.isConnected ? rectOf(target) : before;
    const rects = after.width > 0 && after.height > 0 ? [before, after] : [before];
    // Space and size change nothing within the element: what had to give way shows them.
    const follows = holder.isConnected ? holder.nextElementSibling : next;
    if (follows) {
      const now = follows.getBoundingClientRect();
      const moved = follows !== next || now.left !== nextBefore.left || now.top !== nextBefore.top || now.width !== nextBefore.width;
      if (moved && now.width > 0) rects.push(now);
    }
    return { kind, what, box: regionOf(rects) };
  };

  // Each disturbs the page, lets it be painted, and puts it back.
  const shownFor = async (change, back) => {
    const undo = change();
    await frame();
    await pause(120);
    (back ?? undo)();
  };
  const kept = (element, property, value) => () => {
    const before = element.getAttribute('style');
    element.style.setProperty(property, value, 'important');
    return () => (before === null ? element.removeAttribute('style') : element.setAttribute('style', before));
  };
  const DISTURBANCES = {
    text: async () => {
      const node = one(texts(/[A-Za-z]{4,}/));
      const before = node.data;
      await shownFor(() => { node.data = 'Something else that is longer'; }, () => { node.data = before; });
    },
    theme: async () => {
      const root = document.documentElement;
      const scheme = root.style.colorScheme;
      await shownFor(() => { root.style.colorScheme = 'dark'; }, () => { root.style.colorScheme = scheme; });
    },
    focus: async () => {
      const field = one(all('a, button, input, select, textarea, summary'));
      await shownFor(() => field.focus({ focusVisible: true, preventScroll: true }), () => field.blur());
    },
    hidden: async () => shownFor(kept(one(rows()), 'display', 'none')),
    faded: async () => shownFor(kept(one(small()), 'opacity', '.5')),
    rounded: async () => shownFor(kept(one(filled(300)), 'background-color', '#c0392b')),
    layer: async () => shownFor(kept(one(small()), 'transform', 'translateX(40px) rotate(3deg)')),
    scroll: async () => {
      await shownFor(() => scrollTo(0, 137), () => scrollTo(0, 0));
    },
    toast: async () => {
      const toast = document.createElement('div');
      toast.style.cssText = 'position:fixed;right:40px;bottom:40px;width:380px;height:130px;border-radius:12px;background:#234;box-shadow:0 4px 30px #0008;z-index:99';
      await shownFor(() => { document.body.append(toast); }, () => toast.remove());
    },
    selection: async () => shownFor(() => getSelection().selectAllChildren(one(rows())), () => getSelection().removeAllRanges()),
    resize: async () => shownFor(kept(document.body, 'width', '1100px')),
    late: async () => {
      const element = one(rows());
      const marker = document.createComment('');
      await shownFor(() => { element.replaceWith(marker); }, () => marker.replaceWith(element));
    },
  };

  const tell = (told) => { document.title = `verdict ${JSON.stringify(told)}`; };
  addEventListener('load', async () => {
    await document.fonts.ready;
    await frame();
    if (asked.has('mutate')) {
      const done = mutate();
      await frame();
      tell(done);
      return;
    }
    const disturb = DISTURBANCES[asked.get('disturb')];
    try {
      await disturb();
      await frame();
      tell({ kind: asked.get('disturb'), what: 'put back', box: [0, 0, innerWidth, innerHeight] });
    } catch {
      tell(null);
    }
  });
})();
