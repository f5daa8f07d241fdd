import { seconds } from '../../core/records/times.ts';
import { INCOMPLETE } from '../../core/records/run.ts';
import { toSeconds } from '../../core/records/deadline.ts';
import type { Plan, Spawning } from '../../core/records/plan.ts';
import { preview } from '../../core/records/preview.ts';
import { callsMade, resultOf } from '../../core/records/turn.ts';
import type { SpawnedResult } from '../../core/records/message.ts';
import { anyText, RefusedCall } from '../../core/tool-contracts/arguments.ts';
import { integerArgument } from '../typed-arguments.ts';
import type { ToolArguments } from '../../core/tool-contracts/tool.ts';
import type { Asking, Delegation, EndedSubAgent, Offering } from '../../core/tool-contracts/planned-tool.ts';
import { durationOfEnded, planOrRefuse, withReason } from '../../core/tool-contracts/delegation.ts';
import { defined } from '../../defined.ts';

/**
 * `spawn_agent`: a copy of the agent for one focused task, with a budget of its own that it cannot exceed: tool calls,
 * tokens that its conversation may grow by, and time. Reaching one of them is a normal end.
 */
export const spawnAgent: Delegation = {
  name: 'spawn_agent',
  showsFiles: true,

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

  plan: ({ arguments: args }, asking) => planOrRefuse(() => planSpawn(args, asking)),

  toResult(ended) {
    const { run, turns, isForComputed } = ended;
    const status = statusOf(ended);
    const toolCalls = callsMade(turns);
    const durationMs = durationOfEnded(run);
    const response = responseOf(ended);
    const isError = status === 'error';
    if (isForComputed) return { text: response, isError, spawned: { status, toolCalls, durationMs } };
    const files = filesOf(ended);
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
  return ways.includes(tool) && spawning !== undefined && !isTooDeep(asking);
}

/** The tools and limits of a conversation's sub-agents. @throws {RefusedCall} if it may spawn none */
export function spawningFor(asking: Offering): Spawning {
  const { spawning } = asking.delegation;
  if (isTooDeep(asking)) throw new RefusedCall(`Maximum sub-agent depth (${deepest(asking)}) exceeded`);
  if (spawning === undefined) throw new RefusedCall('nothing to spawn');
  return spawning;
}

function isTooDeep(asking: Offering): boolean {
  return asking.delegation.depth >= deepest(asking);
}

function deepest({ delegation: { maxDepth, spawning } }: Offering): number {
  return Math.min(maxDepth, spawning?.maxDepth ?? maxDepth);
}

/** @throws {RefusedCall} */
function planSpawn(args: ToolArguments, asking: Asking): Plan {
  const task = anyText(args['task']);
  if (task.trim() === '') throw new RefusedCall('task is required for spawn_agent');
  const spawning = spawningFor(asking);
  const mode = anyText(args['mode']).trim();
  if (mode !== '' && mode !== 'plan' && mode !== 'auto') throw new RefusedCall('mode must be plan or auto');
  const toolCalls = callsOf(args, spawning);
  const { maxTokens: tokens, timeoutMs } = spawning.budget;
  const time = seconds(Math.ceil(timeoutMs / 1000));
  const budget = [`${toolCalls} tool calls`, `${tokens} tokens`, `${time} seconds`];
  const scope = anyText(args['scope']);
  return {
    kind: 'delegate',
    agent: asking.agent,
    task,
    context: '',
    derived: {
      ...defined({ model: spawning.model }),
      system: systemPrompt(task, scope, asking.folder ?? asking.workdir ?? '.', budget),
      tools: (spawning.tools ?? asking.tools.map(({ name }) => name)).filter((name) => name !== 'ask_user'),
      mode: mode || (spawning.inheritMode ? (asking.rules?.mode ?? 'auto') : 'ask'),
      isSilent: true,
      caps: { toolCalls, tokens, warnAt: 0, pauseAt: 0 },
      seconds: time,
      atOnce: spawning.maxConcurrent,
    },
  };
}

/** @throws {RefusedCall} */
function callsOf(args: ToolArguments, { budget, hardStopAt }: Spawning): number {
  const asked = integerArgument(args, 'max_tool_calls', { fallback: budget.maxToolCalls });
  const calls = Math.min(asked, hardStopAt || Infinity);
  if (calls < 1) throw new RefusedCall('maxToolCalls must be positive');
  return calls;
}

function systemPrompt(task: string, scope: string, folder: string, budget: readonly string[]): string {
  return [
    'You are a sub-agent that works on one task for another agent.',
    '',
    `Task: ${preview(task)}`,
    ...(scope.trim() === '' ? [] : [`Scope: ${scope}`]),
    `Working directory: ${folder}`,
    `Budget: ${budget.join(', ')}`,
    '',
    'Do this task and nothing else, and stay within the budget. Be concise. End with a summary of what you found and what you changed: it is all that the other agent gets to read.',
  ].join('\n');
}

function statusOf({ run, reason }: EndedSubAgent): SpawnedResult['status'] {
  if (run?.status === 'budget_exceeded') return 'budget_exceeded';
  if (run?.status === 'timed_out') return 'timeout';
  return reason === '' ? 'completed' : 'error';
}

/** Its result when it ended: its answer, or the newest text before a limit, or why there is none or not all of it. */
function responseOf({ run, turns, reason }: EndedSubAgent): string {
  if (run === undefined) return reason;
  const status = run.status === 'timed_out' ? 'budget_exceeded' : run.status;
  const text = resultOf({ ...run, status }, turns);
  if (run.incomplete !== undefined) return withReason(text, INCOMPLETE[run.incomplete]);
  return text === '' ? (run.exceeded ?? reason) : text;
}

/** The files that its calls read and modified, by what the tools themselves kept. */
function filesOf({ calls }: EndedSubAgent): string[] {
  const list = (label: string, paths: readonly string[]) => {
    const sorted = [...new Set(paths)].sort();
    return sorted.length === 0 ? [] : [`${label}: ${sorted.join(', ')}`];
  };
  return [
    ...list(
      'Files read',
      calls.flatMap(({ filesRead = [] }) => filesRead),
    ),
    ...list(
      'Files modified',
      calls.flatMap(({ filesModified = [] }) => filesModified),
    ),
  ];
}
