import { expect, test } from 'vitest';
import { parseAgent } from '../../../src/authoring/loading/parse-agent.ts';
import { loadAgentGraph } from '../../../src/authoring/plan/agent-graph.ts';
import { dollarsOf } from '../../../src/authoring/plan/dollars.ts';
import { planAgent } from '../../../src/authoring/plan/plan.ts';
import { addUse, useOf, type Use } from '../../../src/authoring/plan/use.ts';
import { isExpress } from '../../../src/core/machine/express.ts';
import { createPrices } from '../../../src/core/spending/prices.ts';
import { call, openStage, use, type Role } from '../../fixtures/stage.ts';

/** Of a run of the typical day: a parent calls five sub-agents, and each of the six makes six turns. */
const SUB_AGENTS = 5;
const TURNS = 6;
/** Of each sub-agent. */
const TOOL_CALLS = 4;

/** State transitions, in real histories, of the Standard executions of such a run. */
async function transitionsOf(express: boolean): Promise<number> {
  const parent: Role = ({ turn }) => (turn <= SUB_AGENTS ? [call('kid', 'x')] : 'done');
  const kid: Role = ({ turn }) => {
    if (turn <= TOOL_CALLS) return [use('read_file', { path: 'a' })];
    return turn < TURNS ? [call('nobody', 'x')] : 'done';
  };
  const stage = await openStage(
    { top: parent, kid },
    {
      top: `sub_agents = ["kid"]\n[sub_agents_config]\nexpress = ${express}\n`,
      kid: 'tools = ["read_file"]\n',
    },
    { a: 'one' },
  );
  const { code, run, tree } = await stage.run();
  expect({ code, runs: tree.length }).toEqual({ code: 0, runs: 1 + SUB_AGENTS });
  const standard = tree.filter(({ execution }) => !isExpress(execution)).map(({ id }) => id);
  return [...stage.histories(run.id)]
    .filter(([name]) => standard.includes(name))
    .flatMap(([, events]) => events)
    .filter(({ type }) => type.endsWith('StateEntered')).length;
}

function plannedUse(express: boolean): Use {
  const conversation = { turns: TURNS, failed: 0, hasLargeTexts: false };
  const parent = useOf({
    ...conversation,
    calls: SUB_AGENTS,
    leafCalls: express ? SUB_AGENTS : 0,
    toolCalls: 0,
    isTop: true,
  });
  const kid = useOf({ ...conversation, calls: 0, toolCalls: TOOL_CALLS, isTop: false, isLeaf: express });
  return addUse(parent, kid, SUB_AGENTS);
}

test('1,000 runs of a typical day cost at most $3.2 with leaves in Express executions, and turns of 10 s', async () => {
  const dollars: Record<string, number> = {};
  const counted: Record<string, number> = {};
  for (const express of [false, true]) {
    const transitions = await transitionsOf(express);
    const planned = plannedUse(express);
    expect(transitions).toBeLessThanOrEqual(planned.transitions);
    counted[`${express}`] = transitions;
    dollars[`${express}`] = 1000 * dollarsOf(planned, { turn: 10 }).total;
  }
  // It was 194 before the last calls of a turn led straight to the next one.
  expect(counted).toEqual({ false: 134, true: 34 });
  expect(dollars).toEqual({ false: expect.closeTo(5.09, 2), true: expect.closeTo(2.8, 2) });
  expect(dollars['true']).toBeLessThanOrEqual(3.2);
});

test('the plan of an agent charges its leaves as Express executions: their turns last, and none of them is left out', async () => {
  const files: Record<string, string> = {
    top: 'sub_agents = ["kid"]\n[sub_agents_config]\nexpress = true\n',
    kid: '',
  };
  const graph = await loadAgentGraph(['top'], {
    list: async () => Object.keys(files),
    read: async (name) => {
      const text = `name = "${name}"\nmodel = "m/x"\n${files[name]}`;
      return parseAgent(name, { path: 'x.toml', root: '/', bytes: Buffer.from(text) });
    },
    readSkill: async () => undefined,
  });
  const { expected, leaves } = await planAgent('top', graph, 1_000, createPrices());
  const conversation = { failed: 0, toolCalls: 0, hasLargeTexts: false };
  const top = { ...conversation, turns: 2, calls: 1, isTop: true };
  const kid = { ...conversation, turns: 1, calls: 0, isTop: false };
  const express = addUse(useOf({ ...top, leafCalls: 1 }), useOf({ ...kid, isLeaf: true }));
  expect(expected.use).toEqual(express);
  expect(leaves).toEqual({
    agents: ['kid'],
    standard: expect.objectContaining({ use: addUse(useOf(top), useOf(kid)) }),
    express: expected,
  });
});
