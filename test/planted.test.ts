import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PLANTED } from '../simulate/planted.mjs';

test('each fault that can be planted has its place in the code', () => {
  const places = Object.entries(PLANTED).map(([name, { file, from }]) => {
    const code = readFileSync(join(import.meta.dirname, '..', file), 'utf8');
    return [name, code.split(from).length - 1];
  });
  expect(places).toEqual(Object.keys(PLANTED).map((name) => [name, 1]));
});
