import { expect, test } from 'vitest';
import { runAgent } from '../../../src/doors/cli/commands/run.ts';
import { createVerbose } from '../../../src/doors/cli/terminal/verbose.ts';
import { inHeldTime, until } from '../../fixtures/held-time.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { call, openStage, silence, use } from '../../fixtures/stage.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

test('each sub-agent that fails is told as called, and as failed in the words that its parent reads', async () => {
  const stage = await openStage(
    {
      top: ({ turn, results }) => (turn === 1 ? [call('gone', 'a'), call('slow', 'b')] : results.join('\n')),
      slow: silence,
    },
    { top: 'sub_agents = ["gone", "slow"]\n[sub_agents_config]\nparallel = false\n', slow: 'timeout = 1\n' },
  );
  const lines: string[] = [];
  stage.onEvent((event) => {
    const line = event.depth === 0 ? undefined : createVerbose('')(event);
    if (line?.startsWith('[sub-agent]')) lines.push(line);
  });
  const { out } = await inHeldTime(async (pass) => {
    const running = stage.run();
    await until(() => stage.asked.some(({ agent }) => agent === 'slow'));
    pass(1_000);
    return running;
  });
  expect(lines).toEqual([
    '[sub-agent] Calling "gone" (depth 1) with task: a...',
    '[sub-agent] "gone" failed: failed to load agent "gone": agent config not found: gone',
    '[sub-agent] Calling "slow" (depth 1) with task: b...',
    '[sub-agent] "slow" failed: timeout after 1s',
  ]);
  for (const line of lines.filter((one) => one.includes(' failed: '))) {
    expect(out).toContain(line.replace(/^.+? failed: /, ' failed - '));
  }
});

test('one that goes on beside its caller is told as completed once it has answered', async () => {
  const stage = await openStage(
    { top: ({ turn }) => (turn === 1 ? [call('kid', 'a')] : 'done'), kid: () => 'found' },
    { top: 'sub_agents = ["kid"]\n[sub_agents_config]\nbackground = "always"\n' },
  );
  const lines: string[] = [];
  stage.onEvent((event) => {
    const line = createVerbose(event.root)(event);
    if (line?.startsWith('[sub-agent]')) lines.push(line.replace(/\d+ms/, 'Nms'));
  });
  await stage.run();
  expect(lines).toEqual([
    '[sub-agent] Calling "kid" (depth 1) with task: a...',
    '[sub-agent] "kid" completed in Nms (5 chars returned)',
  ]);
});

test('copies of an agent are told apart by the tool that made them', async () => {
  const stage = await openStage(
    {
      top: ({ message, turn }) =>
        message === 'go' && turn === 1
          ? [use('delegate_task', { plan: 'p', subtasks: [{ task: 'x' }] })]
          : message,
    },
    { top: 'tools = ["delegate_task"]\n' },
  );
  const lines: string[] = [];
  stage.onEvent((event) => {
    const line = createVerbose(event.root)(event);
    if (line?.startsWith('[sub-agent]')) lines.push(line.replace(/\d+ms \(\d+/, 'Nms (M'));
  });
  await stage.run();
  expect(lines).toEqual([
    '[sub-agent] Calling "top (delegate_task)" (depth 0) with task: p...',
    '[sub-agent] Calling "top (spawn_agent)" (depth 1) with task: x...',
    '[sub-agent] "top (spawn_agent)" completed in Nms (M chars returned)',
    '[sub-agent] "top (delegate_task)" completed in Nms (M chars returned)',
  ]);
});

test('each call that is not made is told with what the model reads', async () => {
  const calls = [
    call('nobody', 'a'),
    { id: 'c1', name: 'read_file', arguments: { path: '.env' } },
    { id: 'c2', name: 'bash', arguments: {} },
  ];
  const stage = await openStage(
    {
      top: ({ turn, results }) => (turn === 1 ? [call('kid', 'x')] : results.join()),
      kid: ({ turn, results }) => (turn === 1 ? calls : results.join('\n')),
    },
    {
      top: 'sub_agents = ["kid"]\n',
      kid: 'tools = ["read_file"]\npermissions.deny = ["read_file(.env)"]\nsub_agents = ["top"]\n',
    },
  );
  const lines: string[] = [];
  stage.onEvent((event) => {
    const line = createVerbose('')(event);
    if (line?.startsWith('[tool]')) lines.push(...line.split('\n'));
  });
  const { out } = await stage.run();
  const words = out.split('\n');
  expect(words[1]).toBe('Permission denied: "read_file" is denied by the rule read_file(.env).');
  expect(lines).toEqual([
    `[tool] call_agent was not called: ${words[0]}`,
    `[tool] read_file was not called: ${words[1]}`,
    `[tool] bash was not called: ${words[2]}`,
  ]);
});

test('a run that did not succeed says which it was and how to go on', async () => {
  const io = recordedIo(await tempFolder({ 'a/top.toml': 'name = "top"\nmodel = "scripted/gone.json"\n' }));
  const options = { prompt: 'go', agentsDir: 'a', json: true, verbose: true };
  const code = await runAgent('top', options, io);
  const report: { run_id: string; error: string } = JSON.parse(io.out);
  expect({ code, last: io.err.split('\n').slice(-3) }).toEqual({
    code: 2,
    last: [
      `Error: ${report.error}`,
      expect.stringMatching(
        `^run ${report.run_id} failed in .+, 1 run, 0 tokens; continue it with: cadre resume ${report.run_id} --agents-dir a$`,
      ),
      '',
    ],
  });
});
