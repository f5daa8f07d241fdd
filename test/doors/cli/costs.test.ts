import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { typed } from '../../fixtures/typed.ts';
import { call, openStage } from '../../fixtures/stage.ts';

async function afterRuns() {
  const stage = await openStage(
    { top: ({ turn, results }) => (turn === 1 ? [call('kid', 'x')] : results.join()), kid: () => 'y' },
    { top: 'sub_agents = ["kid"]\n' },
  );
  await stage.run({ tags: { customer: 'acme' } });
  await stage.run({ tags: { customer: '=danger, "1"' } });
  await stage.run({ tags: { customer: 'acme', team: 'ops' } });
  await stage.run();
  return stage;
}

const rowsOf = async (cwd: string, ...words: string[]) => {
  const { out } = await typed(['costs', '--json', ...words], cwd);
  const rows: Record<string, unknown>[] = JSON.parse(out);
  return rows;
};

test('costs are listed by day, by agent, and by the values of a tag with whole trees', async () => {
  const { cwd } = await afterRuns();
  const today = new Date().toISOString().slice(0, 10);
  expect(await rowsOf(cwd)).toMatchObject([{ day: today, runs: 8, trees: 4, succeeded: 8, failed: 0 }]);
  const byAgent = await rowsOf(cwd, '--by', 'agent');
  expect(Object.fromEntries(byAgent.map(({ agent, runs }) => [agent, runs]))).toEqual({ kid: 4, top: 4 });
  const [all] = await rowsOf(cwd);
  const byTag = await rowsOf(cwd, '--by', 'tag:customer', '--since', '1d');
  expect(byTag).toMatchObject([
    { 'tag:customer': 'acme', runs: 4, trees: 2, succeeded: 4, failed: 0, usd: 0, unpriced: 4 },
    { 'tag:customer': '=danger, "1"', runs: 2, trees: 1 },
  ]);
  expect(byTag.reduce((sum, { tokens }) => sum + Number(tokens), 0) * 4).toBe(Number(all?.['tokens']) * 3);
  expect(await rowsOf(cwd, '--by', 'tag:nothing')).toEqual([]);
});

test('where nothing was run yet, nothing is made by looking', async () => {
  const cwd = await tempFolder();
  const said = await Promise.all(
    [['costs'], ['costs', '--by', 'agent', '--since', '40d', '--json'], ['costs', '--by', 'tag:team']].map(
      async (words) => {
        const { code, out, err } = await typed(words, cwd);
        return [code, out, err.replace(/\d{4}-\d\d-\d\d/, 'DAY')];
      },
    ),
  );
  expect([said, readdirSync(cwd)]).toEqual([
    [
      [0, '', 'nothing was spent since DAY\n'],
      [0, '[]\n', ''],
      [0, '', 'nothing was spent since DAY\n'],
    ],
    [],
  ]);
});

test('costs are a table for people, and values that no spreadsheet takes for formulas', async () => {
  const { cwd } = await afterRuns();
  const table = (await typed(['costs', '--by', 'tag:customer'], cwd)).out;
  expect(table.replaceAll(/\d+ tokens/g, 'N tokens').replaceAll(/ +/g, ' ')).toBe(
    'acme 4 runs N tokens $0\n=danger, "1" 2 runs N tokens $0\nwithout 6 runs whose model has no known price\n',
  );
  const csv = (await typed(['costs', '--by', 'tag:customer', '--csv'], cwd)).out;
  expect(csv.replaceAll(/,\d+,0,(\d)\r/g, ',N,0,$1\r')).toBe(
    'tag:customer,runs,trees,succeeded,failed,tokens,usd,unpriced\r\n' +
      'acme,4,2,4,0,N,0,4\r\n' +
      `"'=danger, ""1""",2,1,2,0,N,0,2\r\n`,
  );
});

test('what is named twice is one column', async () => {
  const { cwd } = await afterRuns();
  const csv = (await typed(['costs', '--by', 'agent,agent', '--csv'], cwd)).out;
  expect(csv).toMatch(/^agent,runs,/);
});

test.each([
  ['hour', 'It must be some of day,agent,model,owner,issuer,version,pack, or tag:<key> alone'],
  ['day,tag:team', 'or tag:<key> alone'],
])('--by %s is refused', async (by, fault) => {
  const { cwd } = await openStage({});
  expect(await typed(['costs', '--by', by], cwd)).toMatchObject({
    code: 2,
    err: expect.stringContaining(fault),
  });
});

test('where nothing was spent, that is said', async () => {
  const { cwd } = await openStage({});
  const { out, err } = await typed(['costs', '--since', '2026-01-01'], cwd);
  expect([out, err]).toEqual(['', 'nothing was spent since 2026-01-01\n']);
});
