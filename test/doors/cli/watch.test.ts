import { expect, test } from 'vitest';
import { showRun } from '../../../src/doors/cli/commands/show.ts';
import { watchRun, type WatchOptions } from '../../../src/doors/cli/commands/watch.ts';
import { withEnvironment } from '../../../src/doors/cli/shared-options.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { answer, openQuestions } from '../../fixtures/questions.ts';
import { call, openStage, use } from '../../fixtures/stage.ts';

async function watch(cwd: string, word: string, options: WatchOptions = {}) {
  const io = recordedIo(cwd);
  const code = await withEnvironment(io, {}, (environment) => watchRun(word, options, environment, io));
  return { code, out: io.out, err: io.err };
}

/** Without what differs from run to run. */
const plain = (text: string) =>
  text
    .replaceAll(/\d\d:\d\d:\d\d\.\d{3}Z/g, 'WHEN')
    .replaceAll(/\d+\.\ds/g, 'TIME')
    .replaceAll(/-\w{14}/g, '-KEY')
    .trimEnd()
    .split('\n');

async function afterOneRun() {
  const stage = await openStage(
    {
      top: ({ turn }) => (turn === 1 ? { text: 'let me see', calls: [call('kid', 'look')] } : 'done'),
      kid: ({ turn }) =>
        turn === 1 ? [{ id: 'c', name: 'read_file', arguments: { path: 'f' } }] : 'it says\u001b[2J: a line',
    },
    { top: 'sub_agents = ["kid"]\n', kid: 'tools = ["read_file"]\nfiles = ["f"]\n' },
    { f: 'a line\n' },
  );
  const { run } = await stage.run();
  return { cwd: stage.cwd, id: run.id };
}

test('watch --events lists what happened, as deep as it happened, and nothing that could pass for more', async () => {
  const { cwd, id } = await afterOneRun();
  const { code, out, err } = await watch(cwd, 'last', { events: true });
  expect([code, err]).toEqual([0, `run "${id}" has ended: succeeded\n`]);
  expect(plain(out)).toEqual([
    'WHEN top: run top-KEY opened: go',
    'WHEN top: turn 1 began with 1 message',
    'WHEN top: turn 1 ended with 1 call (10 tokens in, 1 out, TIME): let me see',
    'WHEN top: call 1.1 made: call_agent kid',
    'WHEN   kid: run kid-KEY-t1c1 opened: look',
    'WHEN   kid: 1 context file: f',
    'WHEN   kid: turn 1 began with 1 message',
    'WHEN   kid: turn 1 ended with 1 call (10 tokens in, 1 out, TIME)',
    'WHEN   kid: call 1.1 made: read_file f',
    'WHEN   kid: call 1.1 ended: read_file f (9 characters, TIME)',
    'WHEN   kid: turn 2 began with 3 messages',
    'WHEN   kid: turn 2 ended with 0 calls (20 tokens in, 1 out, TIME): it says\u{fffd}[2J: a line',
    'WHEN   kid: run kid-KEY-t1c1 succeeded (TIME)',
    'WHEN top: call 1.1 ended: call_agent kid (19 characters, TIME)',
    'WHEN top: turn 2 began with 3 messages',
    'WHEN top: turn 2 ended with 0 calls (20 tokens in, 1 out, TIME): done',
    'WHEN top: run top-KEY succeeded (TIME)',
  ]);
});

test('watch --json prints one event a line, as the API sends them', async () => {
  const { cwd, id } = await afterOneRun();
  const { out } = await watch(cwd, id, { json: true });
  const events = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(events.at(0)).toMatchObject({ type: 'RUN_STARTED', runId: id });
  expect(events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', runId: id, result: 'done' });
  expect(events.filter(({ type }) => type === 'SUBAGENT_STARTED')).toHaveLength(1);
});

test('watching what has ended writes nothing, and says again what run said', async () => {
  const { cwd, id } = await afterOneRun();
  expect(await watch(cwd, id)).toMatchObject({
    code: 0,
    out: '',
    err: expect.stringContaining('[sub-agent] "kid" completed in'),
  });
});

test('watch says how to answer a question that is open, and show who approved what anywhere in the tree', async () => {
  const stage = await openStage(
    {
      top: ({ turn, results }) => (turn === 1 ? [call('kid', 'write')] : results.join()),
      kid: ({ turn, results }) =>
        turn < 3 ? [use('write_file', { path: `f${turn}`, content: 'x' })] : results.join(),
    },
    { top: 'sub_agents = ["kid"]\n', kid: 'tools = ["files"]\nmode = "ask"\n' },
  );
  const { cwd, pipeline } = stage;
  const ended = stage.run();
  const [first] = await openQuestions(pipeline.store, 1);
  const { run = '', root = '' } = first?.question ?? {};
  if (first !== undefined) await answer(cwd, first, 'approve', 'ann');
  const [second] = await openQuestions(pipeline.store, 1);
  const watching = recordedIo(cwd);
  const watched = withEnvironment(watching, {}, (environment) => watchRun(root, {}, environment, watching));
  await expect.poll(() => watching.err).toContain('kid needs approval: Allow write_file: f2?');
  const left = recordedIo(cwd);
  left.interrupt();
  const code = await withEnvironment(left, {}, (environment) => watchRun(root, {}, environment, left));
  expect([code, left.err]).toEqual([0, `run "${root}" is running\n`]);
  if (second !== undefined) await answer(cwd, second, 'deny', 'bob');
  await watched;
  expect(watching.err).toContain(`  cadre answer ${run} t2c1 approve | deny [reason] | always\n`);
  // The first question had been answered.
  expect(watching.err).not.toContain(`cadre answer ${run} t1c1`);
  await ended;
  const shown = recordedIo(cwd);
  const options = { json: false, messages: false };
  await withEnvironment(shown, {}, (environment) => showRun(root, environment, options, shown));
  expect(shown.out).toContain(
    `\nt1c1 of kid (${run}) write_file: approved by ann\nt2c1 of kid (${run}) write_file: denied by bob\n`,
  );
});
