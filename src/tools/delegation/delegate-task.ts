import { DELEGATION_MODEL, type DelegatedTask } from '../../core/records/delegation.ts';
import type { Plan } from '../../core/records/plan.ts';
import { preview } from '../../core/records/preview.ts';
import { anyText, RefusedCall } from '../../core/tool-contracts/arguments.ts';
import type { Asking, Delegation } from '../../core/tool-contracts/planned-tool.ts';
import { failedResult, planOrRefuse, answerText } from '../../core/tool-contracts/delegation.ts';
import { maySpawn, spawningFor } from './spawn-agent.ts';
import type { ToolArguments } from '../../core/tool-contracts/tool.ts';

/** The most subtasks of one delegation. */
export const MAX_SUBTASKS = 5;

/**
 * `delegate_task`: a plan of up to five subtasks, each for a sub-agent with a budget as `spawn_agent` gives it, and a
 * report on them. A conversation whose answers are computed carries it out: it has the loop, the limits and the records
 * of any other, and costs neither tokens nor a level of depth.
 */
export const delegateTask: Delegation = {
  name: 'delegate_task',

  define(asking) {
    if (!maySpawn(asking, 'delegate_task')) return undefined;
    const isInOrder = asking.delegation.spawning?.maxConcurrent === 1;
    const how = isInOrder
      ? 'run them sequentially'
      : 'run them, independent ones at the same time; use depends_on where order matters';
    return {
      name: 'delegate_task',
      description: `Break a complex task into sub-tasks and ${how}. Each sub-task spawns a sub-agent. Results are aggregated into a single report. Use for multi-step investigations or when exploring multiple areas of the codebase.`,
      parameters: {
        type: 'object',
        properties: {
          plan: { type: 'string', description: 'High-level description of the overall goal' },
          subtasks: {
            type: 'array',
            description: 'Ordered list of sub-tasks to execute',
            items: {
              type: 'object',
              properties: {
                task: { type: 'string', description: 'Task description' },
                scope: { type: 'string', description: 'Focus directory/file' },
                depends_on: {
                  type: 'number',
                  description: 'Index of prerequisite sub-task (0-based)',
                },
              },
              required: ['task'],
            },
          },
        },
        required: ['plan', 'subtasks'],
      },
    };
  },

  plan: ({ arguments: args }, asking) => planOrRefuse(() => planDelegation(args, asking)),

  toResult(ended) {
    const { run, turns, reason } = ended;
    if (run === undefined || reason !== '') return failedResult(ended);
    return { text: answerText(run, turns), isError: false };
  },
};

/** @throws {RefusedCall} */
function planDelegation(args: ToolArguments, asking: Asking): Plan {
  const plan = anyText(args['plan']);
  if (plan.trim() === '') throw new RefusedCall('plan is required for delegate_task');
  const written = toList(args['subtasks']) ?? [];
  if (written.length === 0) throw new RefusedCall('subtasks array is required for delegate_task');
  if (written.length > MAX_SUBTASKS) {
    throw new RefusedCall(`Maximum ${MAX_SUBTASKS} subtasks allowed per delegation.`);
  }
  const atOnce = spawningFor(asking).maxConcurrent > 1;
  const delegated: DelegatedTask = { plan, subtasks: written.map(toSubtask), atOnce };
  return {
    kind: 'delegate',
    agent: asking.agent,
    task: plan,
    context: '',
    derived: {
      isComputed: true,
      model: DELEGATION_MODEL,
      system: '',
      message: JSON.stringify(delegated),
      tools: [...asking.tools.map(({ name }) => name), 'spawn_agent'],
      // Each subtask has a time of its own.
      seconds: 0,
    },
  };
}

/** @throws {RefusedCall} */
function toSubtask(written: unknown, index: number): DelegatedTask['subtasks'][number] {
  const fields: Record<string, unknown> =
    typeof written === 'object' && written !== null ? { ...written } : { task: written };
  const task = anyText(fields['task']);
  if (task.trim() === '') throw new RefusedCall(`task is required for subtask ${index + 1}`);
  return { task, scope: anyText(fields['scope']), dependsOn: toEarlier(fields['depends_on'], index) };
}

/** @throws {RefusedCall} if it names a subtask that does not come before this one */
function toEarlier(value: unknown, index: number): number[] {
  if (value === undefined || value === null || value === '') return [];
  const all = (toList(value) ?? [value]).map((each) => {
    const number = typeof each === 'string' && each.trim() !== '' ? Number(each) : each;
    if (typeof number === 'number' && Number.isInteger(number) && number >= 0 && number < index)
      return number;
    const possible = index === 0 ? 'it is the first' : `use an index from 0 to ${index - 1}`;
    throw new RefusedCall(
      `depends_on ${preview(JSON.stringify(each))} of subtask ${index + 1} names no earlier subtask (${possible})`,
    );
  });
  return [...new Set(all)];
}

/** Models also write lists as JSON. */
function toList(value: unknown): unknown[] | undefined {
  if (Array.isArray(value)) return Array.from<unknown>(value);
  if (typeof value !== 'string' || !value.trim().startsWith('[')) return undefined;
  try {
    return toList(JSON.parse(value));
  } catch {
    return undefined;
  }
}
