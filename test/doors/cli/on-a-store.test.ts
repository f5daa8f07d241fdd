import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { projectOf } from '../../fixtures/earlier-release.ts';
import { typed } from '../../fixtures/typed.ts';

// What commands print of the runs of a folder, all of it: after a change that is meant, `-u` writes `accepted/` anew.

/** An earlier release has left them, at times that stay. */
const RELEASE = 'late-before-0.1.0';
const MANY = [
  'runs',
  'costs',
  'questions',
  'agents',
  'agents list',
  'memory',
  'workspace',
  'skills',
  'trust --list',
];
/** With the id of a run. */
const OF_ONE = ['show', 'watch', 'replay', 'stop', 'kill', 'send', 'answer', 'agents diff', 'fork --turn 99'];
/** With the name of an agent. */
const OF_AN_AGENT = ['agents show', 'memory show', 'run', 'chat', 'agents check'];

test('commands tell of the runs of a folder, and of what they lack', async () => {
  const cwd = await projectOf(RELEASE);
  vi.useFakeTimers({ now: Date.parse('2026-12-01T00:00:00Z'), toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  vi.stubEnv('TZ', 'UTC');
  const { out } = await typed(['runs', '--json'], cwd);
  const runs: { run_id: string; agent: string }[] = JSON.parse(out);
  const lines = [
    ...MANY,
    'runs --status failed',
    'runs --agent finished --limit 1',
    'runs --text words',
    'runs --tag a=b',
    'runs --limit 0',
    'runs --status odd',
    'runs --since x',
    'costs --by day',
    'costs --by agent --since 30d',
    'costs --by odd',
    ...OF_ONE.flatMap((command) => [
      command,
      `${command} nothing-00000000000000`,
      ...(['show', 'watch', 'agents diff'].includes(command)
        ? runs.map(({ run_id: id }) => `${command} ${id}`)
        : []),
    ]),
    ...runs.map(({ run_id: id }) => `show ${id} --json`),
    ...OF_AN_AGENT.flatMap((command) => [command, `${command} nobody`]),
    ...runs.map(({ agent }) => `agents show ${agent}`),
    'shw',
    'run --odd',
    'gc --older-than x',
    'completion',
    'completion tcsh',
  ];
  const told: string[] = [];
  for (const line of lines) {
    const { code, out: printed, err } = await typed(line.split(' '), cwd);
    const text = [
      ...printed.trimEnd().split('\n'),
      ...err
        .trimEnd()
        .split('\n')
        .map((each) => `! ${each}`),
    ];
    told.push(`$ cadre ${line}`, ...text.filter((each) => each !== '' && each !== '! '), `(${code})`);
  }
  const text = `${told.join('\n')}\n`.replaceAll(cwd, 'ROOT');
  await expect(text).toMatchFileSnapshot(join(import.meta.dirname, 'accepted', 'on-a-store.txt'));
});
