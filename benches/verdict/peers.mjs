// Judges the pairs of a corpus by pixelmatch and odiff, found in the working folder's node_modules, and prints
// `{"tool": [{"differs": true, "hits": true}, ...]}` in the order of the corpus.
// A pixel "hits" when it lies in the box of the changed element.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(join(process.cwd(), 'anything.js'));
const load = async (name) => import(pathToFileURL(require.resolve(name)));
const { default: pixelmatch } = await load('pixelmatch');
const { PNG } = require('pngjs');
const { compare } = require('odiff-bin');

const index = process.argv[2];
const folder = dirname(index);
const scratch = mkdtempSync(join(tmpdir(), 'verdict-peers-'));

const inside = (mask, width, box) => {
  if (!box) return false;
  for (let y = box[1]; y < box[1] + box[3]; y += 1) {
    for (let x = box[0]; x < box[0] + box[2]; x += 1) if (mask[(y * width + x) * 4 + 3] !== 0) return true;
  }
  return false;
};

const pictures = new Map();
const read = (file) => {
  if (!pictures.has(file)) pictures.set(file, PNG.sync.read(readFileSync(file)));
  return pictures.get(file);
};

const said = { 'pixelmatch 0.1': [], 'pixelmatch 0.2 (Playwright)': [], 'pixelmatch 0.01': [], odiff: [] };
for (const pair of JSON.parse(readFileSync(index, 'utf8'))) {
  const [a, b] = [join(folder, pair.expected), join(folder, pair.actual)];
  const expected = read(a);
  const actual = PNG.sync.read(readFileSync(b));
  const { width, height } = expected;
  for (const [tool, threshold] of [['pixelmatch 0.1', 0.1], ['pixelmatch 0.2 (Playwright)', 0.2], ['pixelmatch 0.01', 0.01]]) {
    const mask = new Uint8Array(width * height * 4);
    const count = pixelmatch(expected.data, actual.data, mask, width, height, { threshold, diffMask: true });
    said[tool].push({ differs: count > 0, hits: count > 0 && inside(mask, width, pair.changed) });
  }
  const file = join(scratch, 'difference.png');
  const found = await compare(a, b, file, { outputDiffMask: true });
  const hits = !found.match && inside(PNG.sync.read(readFileSync(file)).data, width, pair.changed);
  said.odiff.push({ differs: !found.match, hits });
}
rmSync(scratch, { recursive: true });
process.stdout.write(JSON.stringify(said));
