import { expect, test } from 'vitest';
import { newRunId } from '../../../src/core/records/run-id.ts';
import { followRun } from '../../../src/doors/cli/commands/follow-run.ts';
import type { Environment } from '../../../src/places/environment.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { openStage } from '../../fixtures/stage.ts';

test('a link to the execution comes ahead of what it has done, however fast it was', async () => {
  const stage = await openStage({ top: () => 'done' });
  let heard = () => {};
  const turned = new Promise<void>((resolve) => (heard = resolve));
  const id = newRunId('top', Date.now());
  const start = async () => {
    const run = await stage.environment.start({ id, request: { agent: 'top', prompt: 'go' } });
    await turned;
    return run;
  };
  const environment: Environment = {
    ...stage.environment,
    link: () => 'https://console.example',
    async *follow(...of) {
      for await (const told of stage.environment.follow(...of)) {
        yield told;
        if (told.event.type === 'turn_started') heard();
      }
    },
  };
  const io = recordedIo(stage.cwd);
  expect(await followRun(id, start, environment, { verbose: true, json: false }, io)).toBe(0);
  expect(io.err.split('\n').slice(0, 2)).toEqual([
    'https://console.example',
    '[turn 1] Sending request (1 messages, 0 tool calls pending)',
  ]);
  expect(io.err).toMatch(
    /\nDuration: \d+ms\nTokens: {3}\d+ input, \d+ output \(cumulative\)\nStop: {5}end\n/,
  );
});
