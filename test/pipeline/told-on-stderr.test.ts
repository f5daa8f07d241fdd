import { expect, test } from 'vitest';
import { runAgent } from '../../src/cli/commands/run.ts';
import { verboseLine } from '../../src/cli/terminal/verbose.ts';
import { recordedIo } from '../fixtures/recorded-io.ts';
import { call, openStage, silence } from '../fixtures/stage.ts';
import { tempFolder } from '../fixtures/temp-folder.ts';

test('each sub-agent that fails is told as called, and as failed in the words that its parent reads', async () => {
  const stage = await openStage(
    {
      top: ({ turn, results }) => (turn === 1 ? [call('gone', 'a'), call('slow', 'b')] : results.join('\n')),
      slow: silence,
    },
    { top: 'sub_agents = ["gone", "slow"]\n[sub_agents_config]\nparallel = false\n', slow: 'timeout = 1\n' },
  );
  const lines: string[] = [];
  stage.pipeline.onEvent((event) => {
    const line = event.depth === 0 ? undefined : verboseLine(event, '');
    if (line?.startsWith('[sub-agent]')) lines.push(line);
  });
  const { out } = await stage.run();
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
