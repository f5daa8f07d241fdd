// Fails if two places in src/ share more than ten lines of code, or two files export types of the same name. The
// entries of repetitions.json are older than the rule. The list has to shrink, so an entry that is no longer needed
// fails, too.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

const root = join(import.meta.dirname, '..');
const MOST_SHARED_LINES = 10;
/** Each command says what it takes in the words that all commands use. */
const BOILERPLATE = '/cli/usage/';

const listed = JSON.parse(readFileSync(join(import.meta.dirname, 'repetitions.json'), 'utf8'));
const sources = new Map(
  readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
    .sort()
    .map((file) => [file, readFileSync(join(root, file), 'utf8')]),
);
report(sharedLines(), listed.sharedLines, `share more than ${MOST_SHARED_LINES} lines`);
report(typesOfOneName(), listed.typeNames, 'is the name of two exported types');

/** @param {Map<string, string>} found where each repetition is, by what the list calls it */
function report(found, known, fault) {
  for (const [key, places] of found) {
    if (!known.includes(key)) fail(`${key} ${fault}: ${places}`);
  }
  for (const key of known) {
    if (!found.has(key)) fail(`${key} no longer ${fault}: remove it from scripts/repetitions.json`);
  }
}

function fail(message) {
  console.error(message);
  process.exitCode = 1;
}

function typesOfOneName() {
  const files = new Map();
  for (const [file, text] of sources) {
    for (const [, name] of text.matchAll(/^export (?:abstract )?(?:class|enum|interface|type) (\w+)/gm)) {
      files.set(name, [...(files.get(name) ?? []), file]);
    }
  }
  return new Map([...files].filter(([, { length }]) => length > 1));
}

/** Pairs of files, or a file twice, with the lines at which each repetition begins. */
function sharedLines() {
  const code = new Map([...sources].filter(([file]) => !file.includes(BOILERPLATE)).map(linesOfCode));
  const firsts = new Map();
  const found = new Map();
  for (const [file, lines] of code) {
    for (let start = 0; start + MOST_SHARED_LINES < lines.length; start += 1) {
      const window = lines.slice(start, start + MOST_SHARED_LINES + 1);
      const text = window.map((line) => line.text).join('\n');
      const first = firsts.get(text);
      const place = { file, end: start + MOST_SHARED_LINES, at: `${file}:${window[0].number}` };
      if (first === undefined) firsts.set(text, place);
      // A list whose lines are all alike shares none with itself.
      else if (first.file !== file || first.end < start) {
        const pair = `${first.file} ${file}`;
        if (!found.has(pair)) found.set(pair, `${first.at} and ${place.at}`);
      }
    }
  }
  return found;
}

/** The code of a file, without imports, comments and empty lines. */
function linesOfCode([file, text]) {
  const code = text.replace(/^import\s[^;]*;$|^\s*\/\*[^]*?\*\//gm, (all) => all.replace(/[^\n]/g, ''));
  const lines = code
    .split('\n')
    .map((line, index) => ({ text: line.trim(), number: index + 1 }))
    .filter((line) => line.text !== '' && !line.text.startsWith('//'));
  return [file, lines];
}
