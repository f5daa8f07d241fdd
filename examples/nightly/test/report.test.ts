import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { call, openTestCadre, type Script } from 'cadre/testing';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '..');
const notes = {
  'inbox/backup.md': 'Backup failed: volume 7 is full',
  'inbox/release.md': 'Release 4.2 is out',
};

/** What models do that hold to their prompts. */
const models: Record<string, Script> = {
  report: ({ turn, results }) => {
    if (turn === 1) return call('list_directory', { path: 'inbox' });
    const names = [...(results[0] ?? '').matchAll(/[a-z]+\.md/g)].map(([name]) => name);
    if (turn === 2) {
      return names.length === 0
        ? 'There are no notes.'
        : names.map((name) => call('call_agent', { agent: 'note', task: `inbox/${name}` }));
    }
    if (turn === 3) return call('write_file', { path: 'reports/today.md', content: results.join('\n') });
    return 'Volume 7 needs attention: volume 7 is full.';
  },
  note: [
    ({ prompt }) => call('read_file', { path: /inbox\/\S+/.exec(prompt)?.[0] ?? '' }),
    ({ prompt, results }) => `${/inbox\/\S+/.exec(prompt)?.[0]}: ${results[0]}`,
  ],
};

test('report has each note read by an agent of its own, and writes what they found', async () => {
  const cadre = await openTestCadre({ folder, models, files: notes });
  const { run } = await cadre.run('report', { prompt: 'Report on today' });
  expect((await cadre.calls(run.id)).map(({ agent, tool, isError }) => [agent, tool, isError])).toEqual([
    ['report', 'list_directory', false],
    ['report', 'call_agent', false],
    ['report', 'call_agent', false],
    ['note', 'read_file', false],
    ['note', 'read_file', false],
    ['report', 'write_file', false],
  ]);
  const report = await readFile(join(cadre.folder, 'reports/today.md'), 'utf8');
  for (const text of [...Object.keys(notes), ...Object.values(notes)]) expect(report).toContain(text);
  await cadre.close();
});

test('report passes its evaluation with models that do what is expected', async () => {
  const cadre = await openTestCadre({ folder, models });
  const { cases } = await cadre.evaluate('evals/report.toml');
  expect(cases.filter(({ passed }) => passed < 1)).toEqual([]);
  await cadre.close();
});
