import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { call, openTestCadre } from 'cadre/testing';
import { expect, test } from 'vitest';

test('coder changes a file that it has read, and has the change reviewed', async () => {
  const cadre = await openTestCadre({
    files: { 'pay.js': 'if (amount >= 0) pay(amount);\n' },
    models: {
      coder: [
        call('read_file', { path: 'pay.js' }),
        call('edit_file', { path: 'pay.js', old_string: '>= 0', new_string: '> 0' }),
        call('call_agent', { agent: 'change-reviewer', task: 'Nobody pays 0 any more, in pay.js' }),
        ({ results }) => `Amounts of 0 are no longer paid. Review: ${results[0]}`,
      ],
      'change-reviewer': [call('read_file', { path: 'pay.js' }), 'No findings.'],
    },
  });
  const { content, run } = await cadre.run('coder', { prompt: 'Do not pay amounts of 0' });
  expect(content).toBe('Amounts of 0 are no longer paid. Review: No findings.');
  expect(await readFile(join(cadre.folder, 'pay.js'), 'utf8')).toBe('if (amount > 0) pay(amount);\n');
  expect((await cadre.calls(run.id)).filter(({ isError }) => isError)).toEqual([]);
  await cadre.close();
});

test('coder cannot read secrets', async () => {
  const cadre = await openTestCadre({
    files: { '.env': 'KEY=secret' },
    models: { coder: [call('read_file', { path: '.env' }), 'I may not read it.'] },
  });
  const { run } = await cadre.run('coder', { prompt: 'What is the key?' });
  expect(await cadre.calls(run.id)).toMatchObject([{ tool: 'read_file', isError: true }]);
  await cadre.close();
});

test('coder passes its evaluation with models that do what is expected', async () => {
  const cadre = await openTestCadre({
    models: {
      coder: [
        call('read_file', { path: 'pay.js' }),
        call('edit_file', { path: 'pay.js', old_string: '>= 0', new_string: '> 0' }),
        call('call_agent', { agent: 'change-reviewer', task: 'Nobody pays 0 any more, in pay.js' }),
        'Amounts of 0 are no longer paid.',
      ],
      'change-reviewer': ['No findings.'],
    },
  });
  const { passed, cases } = await cadre.evaluate('evals/coder.toml');
  expect(passed, JSON.stringify(cases)).toBe(true);
  await cadre.close();
});
