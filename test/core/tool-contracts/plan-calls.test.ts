import { describe, expect, test } from 'vitest';
import type { DelegationLimits } from '../../../src/core/records/plan.ts';
import { planCalls } from '../../../src/core/tool-contracts/plan-calls.ts';
import { loadTools } from '../../../src/core/tool-contracts/toolbox.ts';
import { loadOwnTools } from '../../../src/tools/load-own-tools.ts';

const delegation: DelegationLimits = {
  subAgents: ['kid'],
  depth: 0,
  maxDepth: 3,
  parallel: true,
  timeout: 0,
};
const offer = { agent: 'top', model: 'm/x', delegation, tools: [] };
const tools = await loadTools(offer, loadOwnTools);
const calls = (count: number, name = 'call_agent') =>
  Array.from({ length: count }, (_, index) => ({
    id: `${index}`,
    name,
    arguments: { agent: 'kid', task: `${index}` },
  }));
const delegate = (index: number) => ({ kind: 'delegate', agent: 'kid', task: `${index}`, context: '' });
const refusal = (text: string) => ({ kind: 'done', text, isError: true });

describe('the calls of an answer', () => {
  test('are planned in call order, each by its tool', async () => {
    expect(await planCalls([...calls(1), ...calls(1, 'x'), ...calls(1)], offer, tools)).toEqual([
      delegate(0),
      refusal('Unknown tool: "x"'),
      delegate(0),
    ]);
  });

  test('are a hundred at most, unknown ones counted', async () => {
    const plans = await planCalls([...calls(99, 'x'), ...calls(3)], offer, tools);
    const tooMany = refusal('Error: too many tool calls in one answer (102); only the first 100 ran');
    expect(plans.slice(98)).toEqual([refusal('Unknown tool: "x"'), delegate(0), tooMany, tooMany]);
  });
});
