import { Validator } from '@cfworker/json-schema';
import { transformSync } from 'esbuild';
import { parse } from 'smol-toml';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import schema from '../../schemas/agent.schema.json' with { type: 'json' };
import project from '../../package.json' with { type: 'json' };
import { codeBlocksIn } from '../../scripts/documents/markdown.ts';
import { loadGlobalConfig } from '../../src/authoring/config/global-config.ts';
import { evalSchema } from '../../src/authoring/eval/eval-schema.ts';
import { parseScript } from '../../src/places/testing/scripted/script.ts';
import { DOCUMENTS } from './documents.ts';

const BLOCKS = [...DOCUMENTS].flatMap(([path, text]) =>
  codeBlocksIn(text).map(({ line, ...block }) => ({ ...block, where: `${path}:${line}` })),
);
const blocks = (language: string) => BLOCKS.filter((block) => block.language === language);

/** What is done with blocks in each language; those of TypeScript are compiled by documents.nightly.test.ts. */
const CHECKED = ['json', 'sh', 'toml', 'ts', 'js', 'tsx', 'yaml'];
/** Texts, and plain output: there is nothing to check. */
const SHOWN = ['', 'markdown', 'text'];

test('every block of code is in a language that is checked, or is only shown', () => {
  expect(BLOCKS.filter(({ language }) => ![...CHECKED, ...SHOWN].includes(language))).toEqual([]);
});

test('every block of JSON can be read, with what stands around it', () => {
  const read = (code: string) => JSON.parse(/^\s*"/.test(code) ? `{${code}}` : code) as unknown;
  expect(faultsOf('json', read)).toEqual([]);
  expect(blocks('json').length).toBeGreaterThan(10);
});

test('every block of YAML, and of TSX, can be read', () => {
  expect(faultsOf('yaml', (code) => parseYaml(code) as unknown)).toEqual([]);
  expect(faultsOf('tsx', (code) => transformSync(code, { loader: 'tsx' }))).toEqual([]);
  expect(blocks('yaml').length + blocks('tsx').length).toBeGreaterThan(1);
});

test('every block of TOML is part of an agent, an evaluation, a script or the configuration', async () => {
  const agent = new Validator(v.parse(v.record(v.string(), v.unknown()), schema), '7');
  const isOne = async (read: () => unknown) => {
    try {
      await read();
      return true;
    } catch {
      return false;
    }
  };
  const unknown: string[] = [];
  for (const { where, code } of blocks('toml')) {
    const table = parse(code);
    const bytes = new TextEncoder().encode(code);
    const isKnown =
      agent.validate({ name: 'a', model: 'a/b', ...table }).valid ||
      v.is(evalSchema, table) ||
      (await isOne(() => parseScript('script.toml', code))) ||
      (await isOne(() => loadGlobalConfig({ env: {}, readFile: () => Promise.resolve(bytes) })));
    if (!isKnown) unknown.push(where);
  }
  expect(unknown).toEqual([]);
  expect(blocks('toml').length).toBeGreaterThan(30);
});

test('every command of a shell block is there, with its options', () => {
  const helps = new Map(
    codeBlocksIn(DOCUMENTS.get('docs/reference/commands.md') ?? '').map(({ code }) => {
      const [, words = ''] = /^Usage: ((?:[a-z][\w-]* ?)+)/.exec(code) ?? [];
      return [words.trim(), code];
    }),
  );
  const faults = blocks('sh').flatMap(({ where, code }) =>
    commandsIn(code).flatMap((words) => fault(words, helps).map((what) => `${where}: ${what}`)),
  );
  expect(faults).toEqual([]);
  expect(helps.size).toBeGreaterThan(40);
});

/** The commands of a block, each as its words. */
function commandsIn(code: string): string[][] {
  const lines = code
    .replaceAll(/\\\n/g, ' ')
    .replaceAll(/(^|\s)#.*$/gm, '')
    .replaceAll(/"[^"]*"|'[^']*'/g, 'quoted');
  return lines
    .split(/\n|&&|[|;(]/)
    .map((command) => command.trim().split(/\s+/))
    .filter(([first]) => first !== '');
}

function fault([first = '', ...rest]: readonly string[], helps: ReadonlyMap<string, string>): string[] {
  if (first === 'npx') return fault(rest, helps);
  if (first === 'npm' && rest[0] === 'run') {
    return rest[1] === undefined || rest[1] in { ...project.scripts, check: '' }
      ? []
      : [`npm run ${rest[1]}`];
  }
  if (!/^cadre(@latest)?$/.test(first)) return [];
  const names = [2, 1, 0].map((count) => ['cadre', ...rest.slice(0, count)].join(' '));
  const name = names.find((each) => helps.has(each)) ?? 'cadre';
  const help = helps.get(name) ?? '';
  const hasBelow = help.includes('\nCommands:\n');
  const unknown = rest
    .filter((word) => /^--[a-z]/.test(word))
    .filter((word) => !help.includes(word.split('=')[0] ?? ''));
  const isGroup = hasBelow && rest.length > 0 && !help.includes('Serve') && name === names.at(-1);
  return [
    ...(isGroup ? [`no command ${rest[0]}`] : []),
    ...unknown.map((word) => `${name} has no option ${word}`),
  ];
}

function faultsOf(language: string, read: (code: string) => unknown): string[] {
  return blocks(language).flatMap(({ where, code }) => {
    try {
      read(code);
      return [];
    } catch (thrown) {
      return [`${where}: ${String(thrown)}`];
    }
  });
}
