import { expect, test } from 'vitest';
import { conversationOf } from '../../../src/core/reports/conversation-report.ts';
import { call, openStage } from '../../fixtures/stage.ts';
import { loadOwnTools } from '../../../src/tools/load-own-tools.ts';

test("an agent's parameters reach its model at every turn, and no other agent", async () => {
  const { run, asked } = await openStage(
    { top: ({ turn }) => (turn === 1 ? [call('kid', 'look')] : 'done'), kid: () => 'gold' },
    { top: 'sub_agents = ["kid"]\n[params]\nreasoning_effort = "high"\napi = "responses"\n' },
  );
  expect((await run()).code).toBe(0);
  expect(asked.map(({ agent, request }) => [agent, request.reasoningEffort, request.api])).toEqual([
    ['top', 'high', 'responses'],
    ['kid', undefined, undefined],
    ['top', 'high', 'responses'],
  ]);
});

test('an answer is given back to the model as its provider wants to have it, and shown without that', async () => {
  const thoughts = [{ type: 'reasoning', encrypted_content: 'gAAAAB==', summary: [] }];
  const { run, asked, pipeline } = await openStage(
    {
      top: ({ turn }) => (turn === 1 ? { calls: [call('kid', 'look')], providerContent: thoughts } : 'done'),
      kid: () => 'gold',
    },
    { top: 'sub_agents = ["kid"]\n' },
  );
  const { run: ended } = await run();
  const answers = asked.at(-1)?.request.messages.filter(({ role }) => role === 'assistant');
  expect(answers).toMatchObject([{ providerContent: thoughts }]);
  const shown = await conversationOf(ended.id, pipeline.store, loadOwnTools);
  expect(shown.messages.filter((message) => 'providerContent' in message)).toEqual([]);
});
