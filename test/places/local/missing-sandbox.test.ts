import { expect, onTestFinished, test, vi } from 'vitest';
import { call, openStage } from '../../fixtures/stage.ts';
import { typed } from '../../fixtures/typed.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

const ISOLATED = 'tools = ["run_command"]\n[sandbox]\nkind = "isolated"';
const WHY = 'its commands cannot be isolated: install bubblewrap';

async function withoutPrograms(): Promise<void> {
  vi.stubEnv('PATH', await tempFolder());
  onTestFinished(() => void vi.unstubAllEnvs());
}

test('where bubblewrap is missing, an agent that demands it is refused before its model is asked', async () => {
  await withoutPrograms();
  const stage = await openStage({ top: () => 'asked' }, { top: ISOLATED });
  const { code, err } = await stage.run();
  expect({ code, err, asked: stage.asked }).toEqual({ code: 2, err: `Error: ${WHY}\n`, asked: [] });
});

test('its caller reads why, if another agent calls it', async () => {
  await withoutPrograms();
  const stage = await openStage(
    {
      top: ({ turn, results }) => (turn === 1 ? [call('sub', 'go')] : results.join('\n')),
      sub: () => 'asked',
    },
    { top: 'sub_agents = ["sub"]', sub: ISOLATED },
  );
  expect((await stage.run()).out).toBe(
    `Error: sub-agent "sub" failed - failed to start agent "sub": ${WHY}. You may retry or proceed without this result.`,
  );
});

test('agents check warns of it', async () => {
  await withoutPrograms();
  const cwd = await tempFolder({
    'agents/top.toml': `name = "top"\nmodel = "offline/extractive"\n${ISOLATED}\n`,
  });
  const { code, out, err } = await typed(['agents', 'check'], cwd);
  expect({ code, said: out + err }).toEqual({
    code: 0,
    said: expect.stringContaining('agents/top.toml:5:8: commands cannot be isolated: install bubblewrap'),
  });
});
