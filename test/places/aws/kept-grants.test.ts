import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { forgetGrants, keepGrants, type KeptGrants } from '../../../src/places/aws/kept-grants.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

const NONE: KeptGrants = { models: [], functions: [], guardrails: [] };
const open = async () => join(await tempFolder({}), 'cadre.grants.json');
const read = async (path: string) => JSON.parse(await readFile(path, 'utf8'));

test('grants stay with the day since which no agent names them, and are forgotten after a day', async () => {
  const path = await open();
  const keep = (day: string, models: string[], environment = 'dev') =>
    keepGrants(path, environment, { ...NONE, models, functions: ['f'] }, day);
  expect(keep('2026-01-01', ['b', 'a'])).toEqual({ ...NONE, models: ['a', 'b'], functions: ['f'] });
  expect(keep('2026-01-02', ['c'])).toEqual({ ...NONE, models: ['a', 'b', 'c'], functions: ['f'] });
  expect(keep('2026-01-03', ['b'])).toEqual({ ...NONE, models: ['a', 'b', 'c'], functions: ['f'] });
  keep('2026-01-03', ['x'], 'prod');
  const others = { functions: { f: 'named' }, guardrails: {} };
  const kept = { models: { a: '2026-01-02', b: 'named', c: '2026-01-03' }, ...others };
  const prod = { models: { x: 'named' }, ...others };
  expect(await read(path)).toEqual({ dev: kept, prod });
  expect([
    forgetGrants(path, 'dev', '2026-01-02', false),
    forgetGrants(path, 'dev', '2026-01-03', true),
    forgetGrants(path, 'none', '2027-01-01', false),
  ]).toEqual([[], ['a'], []]);
  expect(await read(path)).toEqual({ dev: kept, prod });
  expect(forgetGrants(path, 'dev', '2026-01-03', false)).toEqual(['a']);
  expect(await read(path)).toEqual({
    dev: { models: { b: 'named', c: '2026-01-03' }, ...others },
    prod,
  });
});

test('nothing is written where nothing is granted, nothing has changed, or nothing is remembered', async () => {
  const path = await open();
  expect(keepGrants(path, 'dev', NONE, '2026-01-01')).toEqual(NONE);
  await expect(readFile(path)).rejects.toThrow('ENOENT');
  const some = { ...NONE, models: ['a'] };
  expect(keepGrants(undefined, 'dev', some, '2026-01-01')).toEqual(some);
  keepGrants(path, 'dev', some, '2026-01-01');
  const text = `${await readFile(path, 'utf8')}\n`;
  await writeFile(path, text);
  keepGrants(path, 'dev', some, '2026-01-02');
  expect(await readFile(path, 'utf8')).toBe(text);
  expect(text.startsWith('{\n  "dev": {')).toBe(true);
});

test.each(['', 'x', '{"dev": {"models": {"a": "yesterday"}}}'])(
  'a file of another form is no list of grants: %s',
  async (text) => {
    const path = await open();
    await writeFile(path, text);
    const message = `${path} is not what a synthesis writes, {"dev": {"models": {…}, "functions": {…}}}: mend it, or take it from version control`;
    expect(() => forgetGrants(path, 'dev', '2026-01-01', true)).toThrow(message);
  },
);
