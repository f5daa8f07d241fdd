import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { hrefOf, parseRoute, type PageRoute } from '../../../src/doors/console/route.ts';
import { visible } from '../../../src/doors/console/shared/visible.ts';

const FOLDER = join(import.meta.dirname, '../../../dist/console');

/** Kilobytes of a file, compressed. */
const size = (file: string) => gzipSync(readFileSync(join(FOLDER, file))).length / 1024;

/** A script with all that it imports at once, by their paths. */
function loadedWith(file: string, loaded = new Set<string>()): Set<string> {
  if (loaded.has(file)) return loaded;
  loaded.add(file);
  const code = readFileSync(join(FOLDER, file), 'utf8');
  for (const [, path = ''] of code.matchAll(/(?:from|import)"(\.[^"]+)"/g)) {
    loadedWith(join(dirname(file), path), loaded);
  }
  return loaded;
}

test('the page starts with at most 60 KB, compressed, and no chunk that is loaded later has more', () => {
  const start = ['index.html', 'console.css', ...loadedWith('console.js')];
  const late = readdirSync(join(FOLDER, 'chunks'))
    .map((file) => join('chunks', file))
    .filter((file) => !start.includes(file));
  const list = (files: string[]) => files.map((file) => `${size(file).toFixed(1)} KB ${file}`);
  const sum = start.reduce((total, file) => total + size(file), 0);
  expect({
    start: sum <= 60 || list(start),
    late: late.every((file) => size(file) <= 60) || list(late),
  }).toEqual({
    start: true,
    late: true,
  });
});

test('an address leads to one view or nowhere, and never out of the page', () => {
  for (const hash of ['', '#', '#/', '#/?x=y']) expect(parseRoute(hash)).toEqual({ view: 'home' });
  const views: Record<string, PageRoute> = {
    '#/': { view: 'home' },
    '#/runs': { view: 'runs', filter: {} },
    '#/runs?agent=a%26b&status=failed&text=x+y&since=7d&version=0f3a&tag=k%3Dv&tag=team%3Dred': {
      view: 'runs',
      filter: {
        agent: 'a&b',
        status: 'failed',
        text: 'x y',
        since: '7d',
        version: '0f3a',
        tag: ['k=v', 'team=red'],
      },
    },
    '#/servers': { view: 'servers' },
    '#/runs/a-1': { view: 'run', top: 'a-1', selected: 'a-1' },
    '#/runs/a-1/t3': { view: 'run', top: 'a-1', selected: 'a-1', at: { turn: 3 } },
    '#/runs/a-1/agents/b_2': { view: 'run', top: 'a-1', selected: 'b_2' },
    '#/runs/a-1/agents/b_2/t3c12': { view: 'run', top: 'a-1', selected: 'b_2', at: { turn: 3, call: 12 } },
    '#/compare/a-1/b_2': { view: 'compare', left: 'a-1', right: 'b_2' },
    '#/agents': { view: 'agents' },
    '#/agents/lead_2': { view: 'agent', name: 'lead_2' },
  };
  for (const [hash, view] of Object.entries(views)) {
    const route = parseRoute(hash);
    expect(route).toEqual(view);
    expect(route.view === 'nowhere' ? '' : hrefOf(route)).toBe(hash);
  }
  // What somebody is sent back with is good for once, and no address of the view.
  expect(parseRoute('#/servers?code=x')).toEqual({ view: 'servers' });
  expect(parseRoute('#/servers?state=s&code=c%26d&iss=https%3A%2F%2Fa.example&other=x')).toEqual({
    view: 'servers',
    cameBack: { state: 's', code: 'c&d', iss: 'https://a.example' },
  });
  // Addresses of earlier releases.
  expect(parseRoute('#/?agent=a%26b&x=y')).toEqual({ view: 'runs', filter: { agent: 'a&b' } });
  expect(parseRoute('#/?text=%E0%A4%A')).toEqual({ view: 'runs', filter: { text: '\ufffd%A' } });
  const others = [
    '%E0%A4%A',
    '..',
    '..%2Fagents%3F',
    'a/agents/..',
    'a/agents/',
    'javascript:alert(1)',
    'a?b',
    'a/t0',
    'a/c1',
    'a/t1c',
  ];
  for (const other of others) expect(parseRoute(`#/runs/${other}`)).toEqual({ view: 'nowhere' });
});

test('hidden parts of a text are shown, and colours of a terminal are left out', () => {
  expect(visible('\u001b[1;31mred\u001b[0m\t\u{1f468}\u200d\u{1f469} h\u00e9\n')).toBe(
    'red\t\u{1f468}\u200d\u{1f469} h\u00e9\n',
  );
  expect(visible('rm \u202efdp.x\u202c \u0000\u001b]0;t\u0007 a\u200bb \u{e0041}\u0085')).toBe(
    'rm [U+202E]fdp.x[U+202C] \u2400\u241b]0;t\u2407 a[U+200B]b [U+E0041][U+0085]',
  );
});
