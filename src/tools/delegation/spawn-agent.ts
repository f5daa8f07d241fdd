import { toSeconds } from '../../runs/deadline.ts';
import { refused, type Spawning } from '../../runs/plan.ts';
import { preview } from '../../runs/preview.ts';
import { resultOf } from '../../runs/run.ts';
import type { SpawnedResult } from '../../runs/message.ts';
import { anyText, integerArgument, RefusedCall } from '../arguments.ts';
import {
  callsMade,
  durationOfEnded,
  type Delegation,
  type EndedSubAgent,
  type Offering,
} from './delegation.ts';

/**
 * `spawn_agent`: a copy of the agent for one focused task, with a budget of its own that it cannot exceed: tool calls,
 * tokens that its conversation may grow by, and time. Reaching one of them is a normal end.
 */
export const spawnAgent: Delegation = {
  name: 'spawn_agent',

  define: (asking) =>
    maySpawn(asking, 'spawn_agent')
      ? {
          name: 'spawn_agent',
          description:
            'Spawn a sub-agent to perform a focused task independently. The sub-agent has its own context window and returns a result summary. Use for: parallel investigation, focused code search, isolated analysis. Do NOT use for trivial tasks a single tool call can handle.',
          parameters: {
            type: 'object',
            properties: {
              task: {
                type: 'string',
                description:
                  'Clear task description for the sub-agent. Be specific about what files to look at and what to report back.',
              },
              scope: {
                type: 'string',
                description: 'Optional: directory or file path to focus on (relative to cwd)',
              },
              max_tool_calls: {
                type: 'number',
                description: `Max tool calls the sub-agent can make (default: ${asking.delegation.spawning?.budget.maxToolCalls})`,
              },
              mode: {
                type: 'string',
                enum: ['plan', 'auto'],
                description: 'Permission mode for sub-agent. "plan" = read-only, "auto" = can edit files.',
              },
            },
            required: ['task'],
          },
        }
      : undefined,

  plan({ arguments: args }, asking) {
    const { spawning } = asking.delegation;
    const task = anyText(args['task']);
    if (task.trim() === '') return refused('Error: task is required for spawn_agent');
    const tooDeep = depthExceeded(asking);
    if (spawning === undefined || tooDeep !== undefined) return refused(tooDeep ?? 'Error: nothing to spawn');
    const mode = anyText(args['mode']).trim();
    if (mode !== '' && mode !== 'plan' && mode !== 'auto') return refused('Error: mode must be plan or auto');
    let maxToolCalls: number;
    try {
      maxToolCalls = callsOf(args, spawning);
    } catch (thrown) {
      if (!(thrown instanceof RefusedCall)) throw thrown;
      return refused(`Error: ${thrown.message}`);
    }
    if (maxToolCalls < 1) return refused('Error: maxToolCalls must be positive');
    const { maxTokens, timeoutMs } = spawning.budget;
    const seconds = Math.ceil(timeoutMs / 1000);
    const scope = anyText(args['scope']);
    return {
      kind: 'delegate',
      agent: asking.agent,
      task,
      context: '',
      derived: {
        ...(spawning.model !== undefined && { model: spawning.model }),
        system: systemPrompt(task, scope, asking.workdir ?? '.', [
          `${maxToolCalls} tool calls`,
          `${maxTokens} tokens`,
          `${seconds} seconds`,
        ]),
        tools: (spawning.tools ?? asking.tools.map(({ name }) => name)).filter((name) => name !== 'ask_user'),
        mode: mode || (spawning.inheritMode ? (asking.rules?.mode ?? 'auto') : 'ask'),
        isSilent: true,
        caps: { toolCalls: maxToolCalls, tokens: maxTokens, warnAt: 0, pauseAt: 0 },
        seconds,
        atOnce: spawning.maxConcurrent,
      },
    };
  },

  async toResult(ended) {
    const { run, turns, isForComputed } = ended;
    const spawned = { ...endOf(ended), toolCalls: callsMade(turns), durationMs: durationOfEnded(run) };
    const { status, toolCalls, durationMs, response } = { ...spawned, response: responseOf(ended) };
    const isError = status === 'error';
    if (isForComputed) return { text: response, isError, spawned };
    const files = await filesOf(ended);
    const head = `${PREFIXES[status]}Sub-agent result (${toolCalls} tool calls, ${toSeconds(durationMs)}):`;
    return { text: [head, response, ...files].join('\n\n'), isError };
  },
};

const PREFIXES: Record<SpawnedResult['status'], string> = {
  completed: '',
  budget_exceeded: '[BUDGET EXCEEDED] ',
  timeout: '[TIMEOUT] ',
  error: '[ERROR] ',
};

/** Whether a conversation is offered one of the two tools that start sub-agents with a budget. */
export function maySpawn(asking: Offering, tool: string): boolean {
  const { ways = [], spawning } = asking.delegation;
  return ways.includes(tool) && spawning !== undefined && depthExceeded(asking) === undefined;
}

export function depthExceeded({ delegation }: Offering): string | undefined {
  const { depth, maxDepth, spawning } = delegation;
  const max = Math.min(maxDepth, spawning?.maxDepth ?? maxDepth);
  return depth >= max ? `Error: Maximum sub-agent depth (${max}) exceeded` : undefined;
}

/** @throws {RefusedCall} if it is no number */
function callsOf(args: Record<string, unknown>, { budget, hardStopAt }: Spawning): number {
  const asked = integerArgument(args, 'max_tool_calls', { fallback: budget.maxToolCalls });
  return Math.min(asked, hardStopAt || Infinity);
}

function systemPrompt(task: string, scope: string, workdir: string, budget: readonly string[]): string {
  return [
    'You are a sub-agent that works on one task for another agent.',
    '',
    `Task: ${preview(task)}`,
    ...(scope.trim() === '' ? [] : [`Scope: ${scope}`]),
    `Working directory: ${workdir}`,
    `Budget: ${budget.join(', ')}`,
    '',
    'Do this task and nothing else, and stay within the budget. Be concise. End with a summary of what you found and what you changed: it is all that the other agent gets to read.',
  ].join('\n');
}

function endOf({ run, reason }: EndedSubAgent): Pick<SpawnedResult, 'status'> {
  if (run?.status === 'budget_exceeded') return { status: 'budget_exceeded' };
  if (run?.status === 'timed_out') return { status: 'timeout' };
  return { status: reason === '' ? 'completed' : 'error' };
}

/** What it had when it ended: its answer, or the newest text before a limit, or why there is none. */
function responseOf({ run, turns, reason }: EndedSubAgent): string {
  const status = run?.status === 'timed_out' ? 'budget_exceeded' : run?.status;
  const text = status === undefined ? '' : resultOf({ status }, turns);
  return text === '' ? (run?.exceeded ?? reason) : text;
}

/** The files that its calls read and modified, by what the tools themselves kept. */
async function filesOf({ run, turns, store }: EndedSubAgent): Promise<string[]> {
  if (run === undefined) return [];
  const keys = turns.flatMap(({ number, plans }) =>
    plans.flatMap(({ kind }, index) =>
      kind === 'invoke' ? [{ run: run.id, turn: number, call: index + 1 }] : [],
    ),
  );
  const results = await Promise.all(keys.map((key) => store.callResult(key)));
  const list = (label: string, paths: readonly (string | undefined)[]) => {
    const known = [...new Set(paths.filter((path) => path !== undefined))].sort();
    return known.length === 0 ? [] : [`${label}: ${known.join(', ')}`];
  };
  return [
    ...list(
      'Files read',
      results.flatMap((result) => result?.filesRead ?? []),
    ),
    ...list(
      'Files modified',
      results.flatMap((result) => result?.filesModified ?? []),
    ),
  ];
}
