import { expect, test } from 'vitest';
import { runAgent } from '../../../src/doors/cli/commands/run.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { typed } from '../../fixtures/typed.ts';

const scripted = (...turns: object[]) => JSON.stringify({ conversations: [{ turns }] });

test('a run is made anew from a turn, with other words and another model', async () => {
  const cwd = await tempFolder({
    'agents/a.toml': 'name = "a"\nmodel = "scripted/one.json"\n',
    'one.json': scripted({ text: 'first' }, { text: 'next' }),
    'two.json': scripted({ text: 'other' }),
  });
  const begun = recordedIo(cwd);
  await runAgent('a', { prompt: 'go' }, begun);
  const { out: list } = await typed(['runs', '--json'], cwd);
  const [{ run_id: id }] = JSON.parse(list);

  const other = await typed(
    ['fork', id, 'go', 'elsewhere', '--turn', '1', '--model', 'scripted/two.json'],
    cwd,
  );
  expect([other.code, other.out]).toEqual([0, 'other']);
  expect((await typed(['fork', id, 'and then?'], cwd)).out).toBe('next');

  const { out } = await typed(['runs', '--json', '--limit', '1'], cwd);
  const [{ run_id: copy, forked_from: origin, task }] = JSON.parse(out);
  expect([origin, task]).toEqual([{ root: id, run_id: id, turn: 2 }, 'and then?']);
  expect((await typed(['show', copy], cwd)).out).toContain(`\nforked from turn 2 of ${id}\n`);
  expect((await typed(['fork', id, '--turn', '7'], cwd)).err).toContain('has no turn 7 to fork from');
});
