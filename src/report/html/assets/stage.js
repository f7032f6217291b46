// Frames: pictures one over the other at the same scale from the same corner, with regions and masks drawn on top. A
// picture is never stretched to fit another: where sizes differ, the smaller one ends earlier.

/** The size that holds every picture of a checkpoint. */
function spanOf(shot) {
  const pictures = [shot.expected, shot.actual].filter(Boolean);
  const most = side => Math.max(1, ...pictures.map(picture => picture[side]));
  return { width: most('width'), height: most('height') };
}

/** A frame named `title` with `layers`, each a name of a picture of `shot`. */
function frame(shot, title, layers, options = {}) {
  const size = spanOf(shot);
  const node = el('div', { class: 'frame', 'data-title': title });
  node.pixels = size;
  node.images = {};
  node.style.aspectRatio = `${size.width} / ${size.height}`;
  for (const name of layers) {
    const layer = picture(shot, name, size);
    node.images[name] = layer.querySelector('img');
    node.append(layer);
  }
  if (!options.plain) node.append(overlay(shot, size));
  return node;
}

/** One picture as a layer of a frame; a text in its place when it cannot be shown. */
function picture(shot, name, size) {
  const image = shot[name];
  const layer = el('div', { class: 'layer', 'data-layer': name });
  layer.style.width = `${image.width / size.width * 100}%`;
  layer.style.height = `${image.height / size.height * 100}%`;
  const missing = () => layer.replaceChildren(missingNote(image, name));
  if (image.url === null) {
    missing();
  } else {
    layer.append(el('img', {
      src: resolved(image.url), alt: `${spokenLayer(shot, name)} picture of ${shot.name}, ${image.width} by ${image.height} pixels`,
      loading: 'lazy', decoding: 'async', draggable: 'false', onerror: missing,
    }));
  }
  return layer;
}

const spokenLayer = (shot, name) => (shot.baseline === 'equal' && name === 'actual' ? 'expected and actual' : name);

function missingNote(image, name) {
  const words = image.outside
    ? 'This picture lies in the baselines folder, which is not where it was when the report was written. A checkpoint that matches keeps no copy of it.'
    : 'This picture is not beside the report. It lies in the artifacts folder of the run.';
  return el('div', { class: 'missing', role: 'note' },
    el('p', {}, el('strong', {}, `The ${name} picture is not here. `), words,
      image.url && [' ', el('code', {}, decodePath(image.url))]),
    el('p', {}, folderButton(image.outside ? 'Choose the baselines folder' : 'Choose the artifacts folder', () => renderDetail())));
}

function overlay(shot, size) {
  const place = (className, [x, y, width, height], label) => {
    const mark = el('div', { class: className }, label && el('span', {}, label));
    mark.style.left = `${x / size.width * 100}%`;
    mark.style.top = `${y / size.height * 100}%`;
    mark.style.width = `${width / size.width * 100}%`;
    mark.style.height = `${height / size.height * 100}%`;
    return mark;
  };
  return el('div', { class: 'overlay', 'aria-hidden': 'true' },
    (shot.masks || []).map(mask => place('mask', mask)),
    (shot.finding?.regions || []).map((found, index) => place('region', found.region, String(index + 1))));
}

/** A frame in its scroll area; `scale` is a number of screen pixels per picture pixel or `fit`. */
function scaled(node, scale) {
  const area = el('div', { class: 'area' }, node);
  if (scale === 'fit') {
    // Small pictures are not blown up unasked.
    node.style.width = '100%';
    // Those that are not much taller than wide fit the window whole.
    const { width, height } = node.pixels;
    node.style.maxWidth = height < width * 1.25 ? `min(${width}px, ${(72 * width / height).toFixed(3)}vh)` : `${width}px`;
  } else {
    node.style.width = `${node.pixels.width * scale}px`;
    area.classList.add('scrolls');
    area.tabIndex = 0;
    area.setAttribute('role', 'region');
    area.setAttribute('aria-label', `${node.dataset.title}, ${scale * 100} percent`);
  }
  node.classList.toggle('crisp', scale !== 'fit' && scale > 1);
  return area;
}

/** Scrolls several areas together. */
function together(areas) {
  for (const area of areas) {
    area.addEventListener('scroll', () => {
      for (const other of areas) {
        if (other === area) continue;
        if (other.scrollTop !== area.scrollTop) other.scrollTop = area.scrollTop;
        if (other.scrollLeft !== area.scrollLeft) other.scrollLeft = area.scrollLeft;
      }
    }, { passive: true });
  }
}

/** Shows region `index` of every frame: scrolled into sight and marked for a moment. */
function showRegion(index) {
  for (const each of document.querySelectorAll('.frame')) {
    const mark = each.querySelectorAll('.region')[index];
    if (!mark) continue;
    for (const other of each.querySelectorAll('.region.now')) other.classList.remove('now');
    mark.classList.add('now');
    const area = each.closest('.scrolls');
    if (area) {
      area.scrollTop = mark.offsetTop + mark.offsetHeight / 2 - area.clientHeight / 2;
      area.scrollLeft = mark.offsetLeft + mark.offsetWidth / 2 - area.clientWidth / 2;
    }
  }
  document.querySelector('.region.now')?.scrollIntoView({ block: 'nearest', behavior: still.matches ? 'auto' : 'smooth' });
}
