import { expect, test } from 'vitest';
import { parseAgent } from '../../src/agent/parse-agent.ts';
import { MAX_EVENTS } from '../../src/plan/execution-cost.ts';
import { loadAgentGraph } from '../../src/plan/agent-graph.ts';
import { MAX_STATE_BYTES } from '../../src/plan/limits.ts';
import { planAgent } from '../../src/plan/plan.ts';

const RETRIED = 1_000;
const EVENTS_OF_RETRY = 3;

test('whatever an agent says, no run fills a history or a state, with a thousand retries to spare', async () => {
  const name = 'x'.repeat(64);
  const file = `name = "${name}"\nmodel = "m/x"\nsub_agents = ["${name}"]\n[sub_agents_config]\nmax_depth = 5\n`;
  const graph = await loadAgentGraph([name], {
    list: async () => [name],
    read: async () => parseAgent(name, { path: 'x.toml', root: '/', bytes: Buffer.from(file) }),
    readSkill: async () => undefined,
  });
  const { mostOfTree, depth, cycles } = planAgent(name, graph, 1_000);
  expect({ depth, cycles }).toEqual({ depth: 5, cycles: [[name, name]] });
  expect(mostOfTree.events).toBeLessThan(MAX_EVENTS - RETRIED * EVENTS_OF_RETRY);
  expect(mostOfTree.stateBytes).toBeLessThan(40 * 1024);
  expect(40 * 1024).toBeLessThan(MAX_STATE_BYTES);
});
