import { expect, test } from 'vitest';
import { usageOf } from '../../../src/core/records/turn.ts';
import { inHeldTime } from '../../fixtures/held-time.ts';
import { call, openStage, use, type Role } from '../../fixtures/stage.ts';

const BACKGROUND =
  'sub_agents = ["kid", "other"]\ntools = ["wait", "kill", "mail"]\n[sub_agents_config]\nbackground = true\n';

const beside = (agent: string, task: string) => use('call_agent', { agent, task, background: true });

const play = (top: Role, kid: Role = () => 'found', other: Role = () => 'seen', extra = '') =>
  openStage({ top, kid, other }, { top: extra + BACKGROUND });

test('an agent in the background is started at once, and its end is told once, after its caller has answered', async () => {
  const stage = await play(({ turn, told, results }) => {
    if (turn === 1) return [beside('kid', 'look')];
    return turn === 2 ? `started ${results}` : `told ${told}`;
  });
  const { code, out, run, tree } = await stage.run();
  const [, kid] = tree;
  const id = kid?.id ?? '';
  expect({ code, out, status: run.status, turns: run.usage.turns }).toEqual({
    code: 0,
    out: `told [Agent "kid" (${id}) has finished: succeeded]\n\nfound`,
    status: 'succeeded',
    turns: 3,
  });
  expect(kid).toMatchObject({ agent: 'kid', name: 'kid', beside: true, depth: 1, status: 'idle', holder: 1 });
  expect(kid?.derivedBy).toBe(undefined);
  const turns = await stage.environment.records.turns(run.id);
  expect(turns[1]?.received).toEqual([
    {
      role: 'tool',
      results: [
        {
          callId: expect.any(String),
          name: 'call_agent',
          text: JSON.stringify({ agent_id: id, name: 'kid' }),
          isError: false,
        },
      ],
    },
  ]);
  void usageOf;
  void inHeldTime;
  void call;
});
