// Pictures by URL and the colours of their pixels.
//
// A page from disk may show the pictures beside it but not read them: to a browser each file is a stranger. So colours
// are read where the page comes from a server, or after the person has handed over the artifacts folder, which stays in
// this browser. The magnified pixels themselves are shown in any case.

/** Files of a folder that was handed over, by their path below it and below its parents. */
const handed = new Map();

function takeFolder(files) {
  for (const file of files) {
    if (!/\.(png|log|txt)$/i.test(file.name)) continue;
    const parts = file.webkitRelativePath.split('/');
    // The folder may be the artifacts, the baselines beside them, or a folder that holds both.
    for (let skip = 0; skip < Math.min(parts.length, 3); skip += 1) {
      const path = parts.slice(skip).join('/');
      if (!handed.has(path)) handed.set(path, { file, url: null });
    }
  }
}

/** The URL to load a picture from: the handed file where there is one. */
function resolved(url) {
  const entry = handed.size > 0 && handed.get(decodePath(url).replace(/^(\.\.\/)+/, ''));
  if (!entry) return url;
  entry.url ||= URL.createObjectURL(entry.file);
  return entry.url;
}

function decodePath(url) {
  try {
    return decodeURIComponent(url);
  } catch {
    // A file name that is not UTF-8.
    return url;
  }
}

/** A button that asks for the folder; `then` runs once it is there. */
function folderButton(label, then) {
  const input = el('input', { type: 'file', webkitdirectory: true, hidden: true, onchange: () => {
    takeFolder(input.files);
    then();
  } });
  return [el('button', { type: 'button', onclick: () => input.click() }, label), input];
}

/** Draws the square of `span` pixels around (`x`, `y`) of `image` on `canvas`; pixels outside stay clear. */
function magnify(canvas, image, x, y, span) {
  const pen = canvas.getContext('2d');
  const half = (span - 1) / 2;
  const scale = canvas.width / span;
  pen.imageSmoothingEnabled = false;
  pen.clearRect(0, 0, canvas.width, canvas.height);
  if (!image?.complete || image.naturalWidth === 0) return;
  // Only the part inside of the picture: browsers disagree about sources that reach over the edge.
  const left = Math.max(0, x - half);
  const top = Math.max(0, y - half);
  const width = Math.min(image.naturalWidth, x + half + 1) - left;
  const height = Math.min(image.naturalHeight, y + half + 1) - top;
  if (width <= 0 || height <= 0) return;
  pen.drawImage(image, left, top, width, height,
    (left - x + half) * scale, (top - y + half) * scale, width * scale, height * scale);
}

const probe = document.createElement('canvas');
probe.width = 1;
probe.height = 1;

/** `[r, g, b]` of a pixel of a loaded picture; `null` outside of it, `undefined` when the browser does not tell. */
function colourAt(image, x, y) {
  if (x < 0 || y < 0 || x >= image.naturalWidth || y >= image.naturalHeight) return null;
  // A canvas that once took a stranger's picture never tells again, so each look has a fresh one.
  const canvas = probe.cloneNode();
  const pen = canvas.getContext('2d', { willReadFrequently: true });
  pen.drawImage(image, x, y, 1, 1, 0, 0, 1, 1);
  try {
    return [...pen.getImageData(0, 0, 1, 1).data.slice(0, 3)];
  } catch {
    return undefined;
  }
}

const hex = colour => `#${colour.map(level => level.toString(16).padStart(2, '0')).join('')}`;
