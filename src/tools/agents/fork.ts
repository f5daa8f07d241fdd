import { MAX_FORKS } from '../../core/lifecycle/fork.ts';
import { refused } from '../../core/records/plan.ts';
import { anyText } from '../../core/tool-contracts/arguments.ts';
import type { PlannedTool } from '../../core/tool-contracts/planned-tool.ts';

const MAX_NAME = 64;

/** `fork`: a copy of the agent that has its whole conversation and works beside it. */
export const fork: PlannedTool = {
  name: 'fork',

  define: ({ delegation: { ways = [] } }) =>
    ways.includes('fork')
      ? {
          name: 'fork',
          description:
            'Start a copy of yourself that knows your whole conversation so far and works on the prompt while you go on. Returns its uuid and its name. It writes to you with mail when it is done, and goes on when you write to it.',
          parameters: {
            type: 'object',
            properties: {
              prompt: { type: 'string', description: 'What the copy is to do' },
              name: {
                type: 'string',
                description: 'What to call it; a number is added where the name is taken',
              },
            },
            required: ['prompt'],
          },
        }
      : undefined,

  plan({ arguments: args }, { agent, forks = 0 }) {
    const prompt = anyText(args['prompt']);
    if (prompt.trim() === '') return refused('Missing required parameter: prompt');
    if (forks >= MAX_FORKS) return refused(`Error: Maximum fork depth (${MAX_FORKS}) exceeded`);
    return { kind: 'start', agent, name: toName(anyText(args['name'])) || `${agent}-fork`, task: prompt };
  },
};

/** A name that is safe to show and to write to, made from any text of a model. */
function toName(text: string): string {
  return text
    .trim()
    .slice(0, MAX_NAME) // first: what is left of a character that is cut in two becomes a hyphen
    .replace(/[^\p{L}\p{N}_.-]+/gu, '-')
    .replace(/^-+|-+$/g, '');
}
