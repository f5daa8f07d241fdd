import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, openTestCadre, type Script } from 'cadre/testing';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '..');
const PATHS = ['package.json', 'pay.js', 'pay.test.js'];
const files = Object.fromEntries(
  PATHS.map((path) => [path, readFileSync(join(folder, 'evals/pay', path), 'utf8')]),
);
// Where commands cannot be isolated, the agent is refused.
const isRefused = !existsSync('/usr/bin/bwrap');
const env = { PATH: process.env['PATH'] ?? '' };

const edit = (path: string, before: string, after: string) =>
  call('edit_file', { path, old_string: before, new_string: after });
const read = (path: string) => call('read_file', { path });
const tests = call('run_command', { command: 'node --test' });

/** What models do that hold to their prompts. */
const models: Record<string, Script> = {
  migrate: [
    [tests, read('package.json')],
    edit('package.json', '"commonjs"', '"module"'),
    [
      call('call_agent', { agent: 'mover', task: 'pay.js: exports' }),
      call('call_agent', { agent: 'mover', task: 'pay.test.js: imports' }),
    ],
    tests,
    ({ results }) => (results[0]?.includes('pass 1') ? 'The tests pass.' : `They fail: ${results[0]}`),
  ],
  mover: ({ prompt, turn }) => {
    const path = prompt.includes('pay.js') ? 'pay.js' : 'pay.test.js';
    if (turn === 1) return read(path);
    if (turn > 2) return 'done';
    if (path === 'pay.js') return edit('pay.js', 'module.exports = { round };', 'export { round };');
    return [
      edit('pay.test.js', "const assert = require('node:assert')", "import assert from 'node:assert'"),
      edit('pay.test.js', "const { test } = require('node:test')", "import { test } from 'node:test'"),
      edit('pay.test.js', "const { round } = require('./pay.js')", "import { round } from './pay.js'"),
    ];
  },
};

test.skipIf(isRefused)(
  'migrate has each file changed by an agent of its own, and the tests pass before and after',
  async () => {
    const cadre = await openTestCadre({ folder, models, files, env });
    const { content, run } = await cadre.run('migrate', { prompt: 'From CommonJS to ES modules' });
    expect(content).toBe('The tests pass.');
    const calls = await cadre.calls(run.id);
    expect(calls.filter(({ isError }) => isError)).toEqual([]);
    const commands = calls.filter(({ tool }) => tool === 'run_command');
    expect(commands.map(({ result }) => /pass \d/.exec(result)?.[0])).toEqual(['pass 1', 'pass 1']);
    await cadre.close();
  },
);

test.skipIf(isRefused)('migrate passes its evaluation with models that do what is expected', async () => {
  const cadre = await openTestCadre({ folder, models, env });
  const { cases } = await cadre.evaluate('evals/migrate.toml');
  expect(cases.filter(({ passed }) => passed < 1)).toEqual([]);
  await cadre.close();
});
