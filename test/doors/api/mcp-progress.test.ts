import { expect, test } from 'vitest';
import type { RunEvent } from '../../../src/core/events/event.ts';
import { createProgress } from '../../../src/doors/api/mcp/progress.ts';
import { call, openStage, use } from '../../fixtures/stage.ts';

/** What a client hears of a tree that does all that there is to be told of. */
async function heard(progressToken: string | undefined) {
  const stage = await openStage(
    {
      top: ({ turn }) => [[call('kid', 'look at a')], [use('list_directory', {})]][turn - 1] ?? 'done',
      kid: () => 'so',
    },
    { top: 'sub_agents = ["kid"]\ntools = ["list_directory"]\n' },
  );
  const notified: unknown[] = [];
  const notify = async (notification: unknown) => {
    notified.push(notification);
    throw new Error('the client has left');
  };
  const _meta = progressToken === undefined ? {} : { progressToken };
  const tell = createProgress({ mcpReq: { _meta, notify } });
  const waits = { type: 'turn_waiting', turn: 1, delayMs: 1_001, reason: 'rate_limit' } as const;
  stage.onEvent((event: RunEvent) => {
    tell(event);
    if (event.type === 'turn_started' && event.depth > 0) tell({ ...event, ...waits });
  });
  await stage.run();
  return notified;
}

test('a client that asked for progress hears, numbered, what agents do', async () => {
  const lines = [
    'top: turn 1',
    'kid: look at a',
    'kid: turn 1',
    'kid: waits 2 s (rate_limit)',
    'kid: succeeded',
    'top: turn 2',
    'top: list_directory .',
    'top: turn 3',
  ];
  expect(await heard('a token')).toEqual(
    lines.map((message, index) => ({
      method: 'notifications/progress',
      params: { progressToken: 'a token', progress: index + 1, message },
    })),
  );
});

test('a client that asked for none hears nothing', async () => {
  expect(await heard(undefined)).toEqual([]);
});
