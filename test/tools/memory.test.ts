import { expect, test } from 'vitest';
import { toEntry } from '../../src/core/memory/entry.ts';
import { openStage, use, type Asked, type Role } from '../fixtures/stage.ts';

const SEARCHES = '[memory]\nsearch = true\n';

/** Makes calls one after another, each of which may know the results before, and answers with the last. */
function calls(...next: ((results: readonly string[]) => ReturnType<typeof use>)[]): Role {
  const all: string[] = [];
  return ({ turn, results }: Asked) => {
    all.push(...results);
    const call = next[turn - 1];
    return call === undefined ? all.join('\n') : [call(all)];
  };
}

const save = (text: unknown) => () => use('memory_save', { text });
const search = (query: unknown, limit?: unknown) => () =>
  use('memory_search', { query, ...(limit !== undefined && { limit }) });
const idIn = (result = '') => result.replace('Saved: ', '');

test('an agent saves, finds and forgets', async () => {
  const stage = await openStage(
    {
      top: calls(
        save('The customer Ada prefers\nmetric units.'),
        save('Invoices go out on Mondays.'),
        search('ADA units'),
        ([saved]) => use('memory_forget', { id: idIn(saved) }),
        ([saved]) => use('memory_forget', { id: idIn(saved) }),
        search('ada monday'),
      ),
    },
    { top: SEARCHES },
  );
  const { out, run } = await stage.run();
  const [first, second] = (await stage.pipeline.store.turns(run.id)).map(({ at }) => `${at.slice(0, 19)}Z`);
  const [one = '', other = ''] = out.split('\n').map(idIn);
  expect(out.trimEnd().split('\n')).toEqual([
    `Saved: ${one}`,
    `Saved: ${other}`,
    `${one}  ${first}  The customer Ada prefers metric units.`,
    `Forgotten: ${one}`,
    `There is no entry ${one}.`,
    `${other}  ${second}  Invoices go out on Mondays.`,
  ]);
  expect([one, other].every((id) => /^[0-9a-f]{12}$/.test(id))).toBe(true);
});

test('what earlier runs remembered is found, the best first and no more than asked for', async () => {
  const stage = await openStage(
    { top: calls(search('blue whale', 1), search('blue whale'), search('zebra')) },
    { top: SEARCHES },
  );
  const { memories } = stage.pipeline.local;
  const at = (minute: number) => `2026-01-31T10:0${minute}:00Z`;
  await memories.append('top', 'a-1', toEntry(at(1), 'What is the largest animal?', 'The blue whale.'));
  await memories.append('top', 'a-2', toEntry(at(2), 'Which colour?', 'Blue.'));
  await memories.append('top', 'a-3', toEntry(at(3), 'Which day?', 'Monday.'));
  const { out } = await stage.run();
  const found = out.trimEnd().split('\n');
  expect(found.map((line) => line.replace(/^[0-9a-f]{12}  /, ''))).toEqual([
    `${at(1)}  What is the largest animal? The blue whale.`,
    `${at(1)}  What is the largest animal? The blue whale.`,
    `${at(2)}  Which colour? Blue.`,
    '(nothing found)',
  ]);
});

test.each([
  [save(' '), 'Error: there is nothing to save: the text is empty'],
  [save(undefined), 'Error: argument "text" is required'],
  [save('x'.repeat(4_001)), 'Error: argument "text" has 4001 characters, at most 4000 are allowed'],
  [search('x', 0), 'Error: argument "limit" must be a whole number of at least 1, not 0'],
  [search('x'.repeat(1_001)), 'Error: argument "query" has 1001 characters, at most 1000 are allowed'],
])('a call that makes no sense is refused: %#', async (call, text) => {
  const stage = await openStage({ top: calls(call) }, { top: SEARCHES });
  expect((await stage.run()).out.trimEnd()).toBe(text);
  expect(await stage.pipeline.local.memories.entries('top', 0)).toEqual([]);
});

test('a fork reaches the memory of its agent, and an agent without tools for it has none', async () => {
  const stage = await openStage(
    {
      top({ turn, told, results, request: { messages } }: Asked) {
        if (told.startsWith('[You are agent')) return [save('from the fork')()];
        if (results[0]?.startsWith('Saved')) return 'forked';
        if (turn === 1) return [use('fork', { prompt: 'save it' })];
        return messages.length > 3 ? results.join('\n') : [use('wait', {})];
      },
      plain: ({ request }: Asked) => (request.tools ?? []).map(({ name }) => name).join(' ') || 'none',
    },
    { top: `tools = ["fork"]\n${SEARCHES}`, plain: '[memory]\nenabled = true\n' },
  );
  expect((await stage.run({ agent: 'plain' })).out.trimEnd()).toBe('none');
  await stage.run();
  const entries = await stage.pipeline.local.memories.entries('top', 0);
  expect(entries.map(({ result }) => result)).toEqual(['from the fork']);
});

test('a function of the same name, which is older, takes the place of the tool', async () => {
  const stage = await openStage(
    { top: ({ request }: Asked) => (request.tools ?? []).map(({ description }) => description).join('\n') },
    {
      top: `${SEARCHES}[[functions]]\nname = "memory_save"\ndescription = "mine"\nfunction = "mine"\n`,
    },
  );
  const { out } = await stage.run();
  expect(out.trimEnd().split('\n')).toEqual([
    'Remove an entry from your memory, for good.',
    'mine',
    expect.stringMatching(/^Search your memory/),
  ]);
});
