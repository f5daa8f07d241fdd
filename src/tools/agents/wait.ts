import { LONGEST_TIMEOUT } from '../../core/records/deadline.ts';
import { seconds } from '../../core/records/times.ts';
import { planOrRefuse } from '../../core/tool-contracts/delegation.ts';
import type { PlannedTool } from '../../core/tool-contracts/planned-tool.ts';
import { anyText, RefusedCall } from '../../core/tool-contracts/arguments.ts';
import { integerArgument } from '../typed-arguments.ts';

const DEFAULT_SECONDS = 60;
const MAX_AGENTS = 100;

/** `wait`: does nothing, at no cost, until another agent has written or ended. */
export const wait: PlannedTool = {
  name: 'wait',

  define: ({ delegation: { ways = [] } }) =>
    ways.includes('wait')
      ? {
          name: 'wait',
          description:
            'Wait until a message from another agent arrives, and return it; or, with from_agents, until each of them has written, is idle or is dead.',
          parameters: {
            type: 'object',
            properties: {
              timeout: { type: 'integer', description: 'Seconds to wait at most' },
              from_agents: {
                type: 'array',
                items: { type: 'string' },
                description: 'Uuids of the agents to wait for (default: any agent)',
              },
            },
            required: ['timeout'],
          },
        }
      : undefined,

  plan: ({ arguments: args }) =>
    planOrRefuse(() => {
      const asked = integerArgument(args, 'timeout', { least: 0, fallback: DEFAULT_SECONDS });
      const from = toAgents(args['from_agents']);
      return {
        kind: 'wait',
        seconds: seconds(Math.min(LONGEST_TIMEOUT, asked)),
        ...(from.length > 0 && { from }),
      };
    }),
};

/** The different agents that are named; models write lists as text, too. */
function toAgents(given: unknown): string[] {
  const all = Array.isArray(given)
    ? given.map(anyText)
    : anyText(given)
        .replace(/[[\]"']/g, '')
        .split(',');
  const agents = [...new Set(all.map((each) => each.trim()))].filter((each) => each !== '');
  if (agents.length <= MAX_AGENTS) return agents;
  throw new RefusedCall(`wait takes at most ${MAX_AGENTS} agents at once, not ${agents.length}`);
}
