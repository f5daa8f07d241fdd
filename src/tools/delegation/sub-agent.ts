import { seconds } from '../../core/records/times.ts';
import { refused } from '../../core/records/plan.ts';
import { resultsIn } from '../../core/records/message.ts';
import type { Run } from '../../core/records/run.ts';
import type { Turn } from '../../core/records/turn.ts';
import { anyText } from '../../core/tool-contracts/arguments.ts';
import { isQuiet, quietText } from '../../core/records/deadline.ts';
import type { Delegation } from '../../core/tool-contracts/planned-tool.ts';
import { failedResult, answerText } from '../../core/tool-contracts/delegation.ts';

/** A sub-agent of which nothing is heard for so long is taken for dead, in seconds. */
const QUIET = seconds(120);

/** Characters of a result, and of an error, that the tool log shows. */
const LOGGED_RESULT = 500;
const LOGGED_ERROR = 200;

/**
 * `sub_agent`: a copy of the agent itself for one task, with another model, system prompt or fewer tools if the call
 * says so. One level only: the copy has no such tool.
 */
export const subAgent: Delegation = {
  name: 'sub_agent',

  define({ model, delegation: { ways = [], depth, maxDepth, models = [] } }) {
    if (!ways.includes('sub_agent') || depth >= maxDepth) return undefined;
    return {
      name: 'sub_agent',
      description:
        'Hand a task to a sub-agent: a copy of yourself with an empty conversation, which works on the task and returns its answer with a log of the tools that it used. Use it for work that would fill your conversation with details.',
      parameters: {
        type: 'object',
        properties: {
          prompt: {
            type: 'string',
            description: 'The task, with everything that the sub-agent needs to know',
          },
          tools: {
            type: 'array',
            items: { type: 'string' },
            description: 'Names of those of your tools that the sub-agent may use (default: all of them)',
          },
          model: {
            type: 'string',
            enum: [...new Set([model, ...models])],
            description: `Another model for the sub-agent (default: ${model})`,
          },
          system_prompt: {
            type: 'string',
            description: "A system prompt in place of your own for the sub-agent's conversation",
          },
        },
        required: ['prompt'],
      },
    };
  },

  plan({ arguments: args }, { agent, model, tools, delegation: { depth, maxDepth, models = [] } }) {
    const prompt = anyText(args['prompt']);
    if (prompt.trim() === '') return refused('Missing required parameter: prompt');
    if (depth >= maxDepth) return refused(`Error: Maximum sub-agent depth (${maxDepth}) exceeded`);
    const chosen = anyText(args['model']).trim();
    const mayChoose = [...new Set([model, ...models])];
    if (chosen !== '' && !mayChoose.includes(chosen)) {
      return refused(`Error: model "${chosen}" is not one that you may choose: ${mayChoose.join(', ')}`);
    }
    const system = anyText(args['system_prompt']);
    const wanted = toNames(args['tools']);
    const own = tools.map(({ name }) => name).filter((name) => name !== 'sub_agent');
    const known = [...own, 'sub_agent', 'ask_user'];
    const unknown = wanted?.find((name) => !known.includes(name));
    if (unknown !== undefined) {
      return refused(`Error: tool "${unknown}" is not one that you may choose: ${own.join(', ')}`);
    }
    const kept = wanted === undefined ? own : own.filter((name) => wanted.includes(name));
    return {
      kind: 'delegate',
      agent,
      task: prompt,
      context: '',
      derived: {
        ...(chosen !== '' && { model: chosen }),
        ...(system.trim() !== '' && { system }),
        tools: [...new Set([...kept, 'ask_user'])],
        quietSeconds: QUIET,
      },
    };
  },

  toResult(ended) {
    const { run, turns, reason } = ended;
    if (run === undefined || reason !== '') {
      if (run?.failure === undefined || !isQuiet(run.failure.message)) return failedResult(ended);
      return { text: `Error: sub-agent timed out after ${quietText(QUIET)}`, isError: true };
    }
    return { text: withLog(run, turns), isError: false };
  },
};

function withLog(run: Run, turns: readonly Turn[]): string {
  const response = answerText(run, turns);
  const log = turns.flatMap(({ answer }, index) => {
    const results = resultsIn(turns[index + 1]?.received ?? []);
    return answer.calls.map(({ name, arguments: args }, call) => {
      const { text = '', isError = false } = results[call] ?? {};
      const shown = isError ? `ERROR: ${cut(text, LOGGED_ERROR)}` : cut(text, LOGGED_RESULT);
      return `- ${name}(${JSON.stringify(args)}): ${shown}`;
    });
  });
  if (log.length === 0) return response;
  return `## Sub-agent tool log\n\n${log.join('\n')}\n\n## Sub-agent response\n\n${response}`;
}

function cut(text: string, most: number): string {
  return text.slice(0, most).toWellFormed();
}

/** Undefined for all. Models write lists as JSON, or with commas. */
function toNames(value: unknown): string[] | undefined {
  if (Array.isArray(value)) return value.map((each) => anyText(each).trim());
  const text = anyText(value).trim();
  if (text === '') return undefined;
  return text
    .replace(/[[\]"']/g, '')
    .split(',')
    .map((name) => name.trim());
}
