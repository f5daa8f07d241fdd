import { expect, test } from 'vitest';
import { showingOf } from '../../../src/core/attachments/showing.ts';
import type { KeptFile } from '../../../src/core/records/attachment.ts';
import { anOpened } from '../../fixtures/records.ts';

const HASH = 'a'.repeat(64);

test('a file is read from its tree, or from a tree that its messages come from', async () => {
  const files: Record<string, string[]> = { own: ['a', 'b'], first: ['b', 'c'], second: ['c', 'd'] };
  const asked: string[] = [];
  const file = (data: string): KeptFile => ({ data });
  const { read } = showingOf(
    { ...anOpened({ root: 'own' }), history: ['1', '2', 'gone', 'own'].map((run) => ({ run, to: 1 })) },
    {
      async attachment(root, name) {
        asked.push(`${root} ${name}`);
        return files[root]?.includes(name) === true ? file(`${name} of ${root}`) : undefined;
      },
      opened: async (run) => {
        const root = { 1: 'first', 2: 'second', own: 'own' }[run];
        return root === undefined ? undefined : anOpened({ root });
      },
    },
  );
  expect(await Promise.all(['a', 'b', 'c', 'd', 'e'].map(read))).toEqual([
    file('a of own'),
    file('b of own'),
    file('c of first'),
    file('d of second'),
    undefined,
  ]);
  expect(asked.filter((one) => one.endsWith(' e'))).toEqual(['own e', 'first e', 'second e']);
  await expect(read(HASH)).rejects.toThrow(`an attachment of this conversation has been deleted (${HASH})`);
});
