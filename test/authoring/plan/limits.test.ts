import { expect, test } from 'vitest';
import { checkQuotas } from '../../../src/authoring/doctor/check-quotas.ts';
import { parseAgent } from '../../../src/authoring/loading/parse-agent.ts';
import { MAX_EVENTS } from '../../../src/core/machine/costs.ts';
import { loadAgentGraph } from '../../../src/authoring/plan/agent-graph.ts';
import { MAX_STATE_BYTES } from '../../../src/authoring/plan/limits.ts';
import { planAgent, type AgentPlan, type Amount } from '../../../src/authoring/plan/plan.ts';
import { createPrices } from '../../../src/core/spending/prices.ts';

const RETRIED = 1_000;
const EVENTS_OF_RETRY = 3;

test.each([[], ['fork']])(
  'no run fills a history or a state, with a thousand retries to spare, for any answers of its agent: %j',
  async (...tools) => {
    const name = 'x'.repeat(64);
    const file = `name = "${name}"\nmodel = "m/x"\ntools = ${JSON.stringify(tools)}\nsub_agents = ["${name}"]\n[sub_agents_config]\nmax_depth = 5\n`;
    const graph = await loadAgentGraph([name], {
      list: async () => [name],
      read: async () => parseAgent(name, { path: 'x.toml', root: '/', bytes: Buffer.from(file) }),
      readSkill: async () => undefined,
    });
    const { mostOfTree, depth, cycles } = await planAgent(name, graph, 1_000, createPrices());
    expect({ depth, cycles }).toEqual({ depth: 5, cycles: [[name, name]] });
    expect(mostOfTree.events).toBeLessThan(MAX_EVENTS - RETRIED * EVENTS_OF_RETRY);
    expect(mostOfTree.stateBytes).toBeLessThan(40 * 1024);
    expect(40 * 1024).toBeLessThan(MAX_STATE_BYTES);
  },
);

const SPAWNS = 'tools = ["files", "sub_agent", "spawn_agent", "delegate_task", "ask_user"]\n';

test.each([
  ['', 'a copy that spawns'],
  ['sub_agent = { hard_stop_at = 0, max_concurrent = 9 }\n', 'a copy without a limit of calls'],
  ['sub_agent = { hard_stop_at = 3, max_concurrent = 2 }\n', 'a copy with few calls'],
  ['mode = "plan"\n', 'a copy that only reads'],
  ['[sub_agents_config]\nparallel = false\nmax_depth = 1\n', 'a copy alone'],
  ['', 'forks', 'tools = ["fork"]\n'],
])('nothing is expected above its maximum with %j: %s', async (more, _, tools = SPAWNS) => {
  const graph = await loadAgentGraph(['top'], {
    list: async () => [],
    read: async (name) => {
      const text = `name = "${name}"\nmodel = "m/x"\n${tools}${more}`;
      return parseAgent(name, { path: 'x.toml', root: '/', bytes: Buffer.from(text) });
    },
    readSkill: async () => undefined,
  });
  expectNothingAbove(await planAgent('top', graph, 1_000, createPrices()));
});

test('the most that a run can come to includes the turn that corrects its answer', async () => {
  const turnsWith = async (more: string) => {
    const graph = await loadAgentGraph(['top'], {
      list: async () => [],
      read: async (name) =>
        parseAgent(name, {
          path: 'x.toml',
          root: '/',
          bytes: Buffer.from(`name = "${name}"\nmodel = "m/x"\n${more}`),
        }),
      readSkill: async () => undefined,
    });
    const { expected, mostOfTree } = await planAgent('top', graph, 1_000, createPrices());
    return [expected.use.turns, mostOfTree.use.turns];
  };
  expect(await turnsWith('')).toEqual([1, 1]);
  expect(await turnsWith('[output.schema]\ntype = "object"\n')).toEqual([1, 2]);
});

test.each([
  { top: [] },
  { top: ['leaf'], leaf: [] },
  { top: ['leaf', 'mid'], leaf: [], mid: ['leaf'] },
  { top: ['a', 'b', 'c'], a: ['top'], b: [], c: ['b'] },
])('nothing is expected above its maximum in %o', async (subAgents: Record<string, string[]>) => {
  const graph = await loadAgentGraph(['top'], {
    list: async () => [],
    read: async (name) => {
      const text = `name = "${name}"\nmodel = "m/x"\nsub_agents = ${JSON.stringify(subAgents[name])}\n`;
      return parseAgent(name, { path: 'x.toml', root: '/', bytes: Buffer.from(text) });
    },
    readSkill: async () => undefined,
  });
  expectNothingAbove(await planAgent('top', graph, 1_000, createPrices()));
});

function expectNothingAbove({ expected, mostOfTree, turnsAtOnce }: AgentPlan): void {
  const figures = ({ use, events, stateBytes, dollars }: Amount) => ({
    ...use,
    ...dollars,
    events,
    stateBytes,
  });
  const most = new Map(Object.entries(figures(mostOfTree)));
  const above = Object.entries(figures(expected)).filter(([name, value]) => value > (most.get(name) ?? 0));
  expect(above).toEqual([]);
  expect(turnsAtOnce.expected).toBeLessThanOrEqual(turnsAtOnce.most);
}

test('leaves in Express executions take none of the quotas of Standard ones', async () => {
  const files: Record<string, string> = {
    top: 'sub_agents = ["leaf", "mid"]\n[sub_agents_config]\nexpress = true\n',
    mid: 'sub_agents = ["leaf"]\n',
    leaf: 'timeout = 60\n',
  };
  const graph = await loadAgentGraph(['top'], {
    list: async () => [],
    read: async (name) => {
      const text = `name = "${name}"\nmodel = "m/x"\n${files[name]}`;
      return parseAgent(name, { path: 'x.toml', root: '/', bytes: Buffer.from(text) });
    },
    readSkill: async () => undefined,
  });
  const plan = await planAgent('top', graph, 1_000, createPrices());
  const needs = Promise.resolve({ plans: [plan], schedules: 0 });
  const findings = await checkQuotas('eu-north-1', needs, async () => new Map());
  const { executions, leafRuns } = plan.expected.use;
  expect({ executions, leafRuns }).toEqual({ executions: 4, leafRuns: 1 });
  expect(findings.flatMap(({ found }) => /(?:takes|has) \d+(?= \()/.exec(found) ?? [])).toEqual([
    'takes 3',
    'has 3',
  ]);
});
