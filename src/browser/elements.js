// Functions that run in an isolated world of a frame, where the page's own changes to prototypes do not reach.
({
  // The elements that match `css` in this frame and its open shadow roots, in document order, with the child frames
  // (`owners`, their <iframe> elements) in between. Rectangles are [left, top, right, bottom] in CSS pixels of this
  // frame's viewport; `clip` is the part of the viewport that the frames around it leave visible.
  find(css, clip, ...owners) {
    try { document.createDocumentFragment().querySelector(css); } catch (error) { return { invalid: error.message }; }
    const found = [];
    this.walk(document, (element) => {
      const frame = owners.indexOf(element);
      const match = element.matches(css);
      if (frame < 0 && !match) return;
      const rect = element.getBoundingClientRect();
      if (rect.width <= 0 || rect.height <= 0 || !element.checkVisibility({ visibilityProperty: true })) return;
      if (match) {
        this.matches.push(element);
        found.push({ match: this.measure(element, clip) });
      }
      if (frame >= 0) found.push({ frame: { index: frame, ...this.content(element, clip) } });
    });
    return { found };
  },

  matches: [],

  walk(root, visit) {
    for (let node = root.firstElementChild; node; node = node.nextElementSibling) {
      visit(node);
      if (node.shadowRoot) this.walk(node.shadowRoot, visit);
      this.walk(node, visit);
    }
  },

  measure(element, clip) {
    const box = element.getBoundingClientRect();
    const whole = [box.left, box.top, box.right, box.bottom];
    const bounds = this.visible(element, clip);
    const visible = this.cut(whole, bounds);
    // An inline element that is broken into lines may not lie under the middle of its bounding box.
    const lines = [...element.getClientRects()].map((r) => this.cut([r.left, r.top, r.right, r.bottom], bounds));
    const middle = ([left, top, right, bottom]) => [(left + right) / 2, (top + bottom) / 2];
    const inside = (r, [x, y]) => x >= r[0] && x < r[2] && y >= r[1] && y < r[3];
    const area = (r) => Math.max(0, r[2] - r[0]) * Math.max(0, r[3] - r[1]);
    let point = middle(visible);
    if (lines.length > 1 && !lines.some((line) => inside(line, point))) {
      point = middle(lines.reduce((best, line) => (area(line) > area(best) ? line : best)));
    }
    const seen = visible[2] > visible[0] && visible[3] > visible[1];
    const cover = seen ? this.over(element, point) : null;
    return {
      whole, visible, point, seen,
      description: this.describe(element),
      obscured: cover && this.describe(cover),
    };
  },

  // What of `element`'s place its ancestors' overflow, the viewport and the frames around leave visible.
  visible(element, clip) {
    let bounds = this.cut([0, 0, innerWidth, innerHeight], clip);
    let position = getComputedStyle(element).position;
    for (let node = this.above(element); node && node !== document.documentElement; node = this.above(node)) {
      const style = getComputedStyle(node);
      const contains = style.transform !== 'none' || style.filter !== 'none' || style.perspective !== 'none' ||
        /paint|layout|strict|content/.test(style.contain);
      if (position === 'fixed' && !contains) continue;
      if (position === 'absolute' && style.position === 'static' && !contains) continue;
      position = style.position;
      const body = node === document.body && getComputedStyle(document.documentElement).overflow === 'visible';
      if (style.display === 'contents' || style.display === 'inline' || body) continue;
      const inner = this.padding(node, style);
      const cuts = (overflow) => overflow !== 'visible' || /paint|strict|content/.test(style.contain);
      if (cuts(style.overflowX)) bounds = this.cut(bounds, [inner[0], bounds[1], inner[2], bounds[3]]);
      if (cuts(style.overflowY)) bounds = this.cut(bounds, [bounds[0], inner[1], bounds[2], inner[3]]);
    }
    return bounds;
  },

  // A transform may scale what lies in a box.
  scale: (node) => (node.offsetWidth ? node.getBoundingClientRect().width / node.offsetWidth : 1),

  // The inside of a box's border and scroll bars. Borders are whole pixels of the screen, not of css.
  padding(node, style) {
    const box = node.getBoundingClientRect();
    const scale = this.scale(node);
    const border = (side) => parseFloat(style[`border${side}Width`]) || 0;
    const bar = (outer, inner, ...sides) => Math.max(0, Math.round(outer - inner - sides.reduce((a, b) => a + b)));
    const [left, top, right, bottom] = ['Left', 'Top', 'Right', 'Bottom'].map(border);
    return [
      box.left + left * scale,
      box.top + top * scale,
      box.right - (right + bar(node.offsetWidth, node.clientWidth, left, right)) * scale,
      box.bottom - (bottom + bar(node.offsetHeight, node.clientHeight, top, bottom)) * scale,
    ];
  },

  // Where a child frame's viewport lies: its origin, its scale, and its visible part in its own pixels.
  content(element, clip) {
    const scale = this.scale(element);
    const style = getComputedStyle(element);
    const pad = (side) => (parseFloat(style['padding' + side]) || 0) * scale;
    let [left, top, right, bottom] = this.padding(element, style);
    left += pad('Left');
    top += pad('Top');
    right -= pad('Right');
    bottom -= pad('Bottom');
    const seen = this.cut([left, top, right, bottom], this.visible(element, clip));
    return {
      origin: [left, top], scale,
      clip: [(seen[0] - left) / scale, (seen[1] - top) / scale, (seen[2] - left) / scale, (seen[3] - top) / scale],
    };
  },

  cut: (a, b) => [Math.max(a[0], b[0]), Math.max(a[1], b[1]), Math.min(a[2], b[2]), Math.min(a[3], b[3])],

  above: (node) => node.assignedSlot || node.parentElement || (node.getRootNode().host ?? null),

  // The element that lies over `element` at a point; null when it is itself, what it contains, or its label.
  over(element, [x, y]) {
    let hit = document.elementFromPoint(x, y);
    for (let inner = hit; inner; ) {
      hit = inner;
      inner = hit.shadowRoot ? hit.shadowRoot.elementFromPoint(x, y) : null;
      if (inner === hit) break;
    }
    if (!hit) return document.documentElement;
    // An icon in a button may leave the pointer to the button: the click arrives where it is meant to.
    const acting = element.closest('a, button, label, summary, [role=button], [role=link]');
    for (let node = hit; node; node = this.above(node)) {
      if (node === element || node === acting) return null;
      if (node instanceof HTMLLabelElement && node.control === element) return null;
    }
    return hit;
  },

  // For a child frame's elements: what lies over the frame at each point.
  cover(owner, points) {
    return points.map((point) => {
      const cover = this.over(owner, point);
      return cover && this.describe(cover);
    });
  },

  async scroll(index) {
    const element = this.matches[index];
    if (!element) return false;
    element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
    // The frames around may be in other processes: they scroll, and this frame learns its place, with the frame drawn.
    const drawn = new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    await Promise.race([drawn, new Promise((done) => setTimeout(done, 250))]);
    return true;
  },

  describe(element) {
    const short = (text) => {
      const line = text.replace(/\s+/g, ' ').trim();
      return [...line].length > 40 ? [...line].slice(0, 40).join('') + '…' : line;
    };
    let text = element.localName;
    if (element.id) text += '#' + element.id;
    else if (element.classList.length) text += '.' + [...element.classList].join('.');
    const secret = element.type === 'password';
    const said = element.getAttribute('aria-label') || (element.localName === 'iframe' ? '' : element.innerText) ||
      (secret ? '' : element.value) || element.placeholder || element.alt || element.title || '';
    return typeof said === 'string' && said.trim() ? `${text} "${short(said)}"` : text;
  },
})
