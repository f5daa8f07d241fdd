import { expect, test } from 'vitest';
import { createTableLogins, forgetLogins } from '../../../src/places/store/logins.ts';
import { createSeal } from '../../../src/places/store/seal.ts';
import type { Item, Table } from '../../../src/places/store/table.ts';
import { openLateTable } from '../../fixtures/late-table.ts';

const URL = 'https://wiki.example.org/mcp';
const SECRET = { tokens: { access_token: 'a-token-of-ada' } };
const BEGUN = { state: 'of-ada', redirectUrl: 'https://page.example.org/oauth/callback', verifier: 'v' };

/** What several processes see of one table, with this key. */
function world(key = 'a key') {
  const table = openLateTable();
  let time = 1_000_000;
  return {
    table,
    pass: (ms: number) => void (time += ms),
    of: (owner: string | undefined, own = key) =>
      createTableLogins({ table, owner, seal: createSeal(own), howTo: () => 'how', now: () => time }),
  };
}

async function itemsOf(table: Table, partition: string): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of table.query(partition, '')) items.push(item);
  return items;
}

test('a sign-in is its owner’s, and nobody reads it without the key, or in another’s place', async () => {
  const { table, of } = world();
  await of('ada').update(URL, async () => SECRET);
  expect(await of('ada').read(URL)).toEqual(SECRET);
  expect(await Promise.all(['bob', undefined].map((owner) => of(owner).read(URL)))).toEqual([
    undefined,
    undefined,
  ]);
  expect(await of('ada', 'another key').read(URL)).toBeUndefined();
  const [item = expect.fail()] = await itemsOf(table, 'login@ada');
  expect(JSON.stringify(item)).not.toContain('token');
  // Whoever may write to the table cannot make another's of it.
  await table.putIfAbsent({ ...item.key, partition: 'login@bob' }, item.value);
  expect(await of('bob').read(URL)).toBeUndefined();
  await of('ada').remove(URL);
  expect(await of('ada').read(URL)).toBeUndefined();
});

test('of several that would renew a sign-in one does, and the others get what it has got', async () => {
  const { of } = world();
  await of('ada').update(URL, async () => ({ tokens: 0 }));
  let renewals = 0;
  let goOn = () => {};
  const allAsk = new Promise<void>((resolve) => (goOn = resolve));
  const renew = () =>
    of('ada').update(URL, async (login) => {
      if (login?.tokens !== 0) return undefined;
      renewals += 1;
      await allAsk;
      return { tokens: 1 };
    });
  const all = [renew(), renew(), renew()];
  setImmediate(goOn);
  await Promise.all(all);
  expect([renewals, await of('ada').read(URL)]).toEqual([1, { tokens: 1 }]);
});

test('a renewal that fails leaves what was there, and whoever died in one is waited for a minute', async () => {
  const { of, pass } = world();
  await of('ada').update(URL, async () => SECRET);
  const failing = of('ada').update(URL, () => Promise.reject(new Error('no')));
  await expect(failing).rejects.toThrow('no');
  expect(await of('ada').read(URL)).toEqual(SECRET);
  let goOn = () => {};
  const late = of('ada').update(URL, async () => {
    await new Promise<void>((resolve) => (goOn = resolve));
    return { tokens: 'late' };
  });
  await expect.poll(() => of('ada').read(URL)).toEqual(SECRET);
  pass(60_000);
  await of('ada').update(URL, async () => ({ tokens: 'in time' }));
  goOn();
  await expect(late).rejects.toThrow('was renewed by another meanwhile');
  expect(await of('ada').read(URL)).toEqual({ tokens: 'in time' });
});

test('a sign-in that was begun is taken up once, within ten minutes, by whoever began it', async () => {
  const { of, pass } = world();
  await of('ada').keep(URL, BEGUN);
  expect(await of('bob').take('of-ada')).toBeUndefined();
  expect(await of('ada').take('of-bob')).toBeUndefined();
  const taken = await Promise.all([of('ada').take('of-ada'), of('ada').take('of-ada')]);
  expect(taken.filter((each) => each !== undefined)).toEqual([{ url: URL, begun: BEGUN }]);
  expect(await of('ada').take('of-ada')).toBeUndefined();
  await of('ada').keep(URL, { ...BEGUN, state: 'late' });
  pass(600_000);
  expect(await of('ada').take('late')).toBeUndefined();
});

test('an owner’s sign-ins are forgotten at once, those that were begun among them, and nobody else’s', async () => {
  const { table, of } = world();
  for (const owner of ['ada', 'bob']) await of(owner).update(URL, async () => SECRET);
  await of('ada').update('https://other.example.org', async () => SECRET);
  await of('ada').keep(URL, BEGUN);
  expect(await forgetLogins(table, 'ada')).toBe(2);
  expect([await itemsOf(table, 'login@ada'), await of('bob').read(URL)]).toEqual([[], SECRET]);
  expect(await forgetLogins(table, 'ada')).toBe(0);
});
