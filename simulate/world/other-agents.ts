import type { RemoteRequest, RemoteState } from '../../src/core/records/remote.ts';
import type { ToolOutput } from '../../src/core/tool-contracts/tool.ts';
import type { Choices } from '../choices.ts';
import type { WorldTime } from './time.ts';

/** A task that an agent of others was handed. */
export interface OtherTask {
  id: string;
  /** Who handed it over. */
  run: string;
  state: RemoteState['state'];
  /** Whether the agent could not be reached to give up the task. */
  isCutOff: boolean;
}

export type OtherAgents = ReturnType<typeof createOtherAgents>;

/** The longest that one thinks. */
const LONGEST_MS = 300_000;

/** How often an agent cannot be reached, or its answer is lost. */
const TROUBLE = 0.1;

/** Remote agents: they know messages by their ids, are slow, fail, ask, and are gone at times. */
export function createOtherAgents({ happens, pick, upTo }: Choices, { now }: Pick<WorldTime, 'now'>) {
  const tasks: OtherTask[] = [];
  const byMessage = new Map<string, OtherTask>();
  /** Messages that were to be given up, and had not arrived yet when their agent could not be reached. */
  const cutOff = new Set<string>();
  /** What becomes of a task, and when. */
  const fates = new Map<OtherTask, { state: OtherTask['state']; at: number }>();

  const find = (id: string | undefined) => tasks.find((task) => task.id === id);

  function think(task: OtherTask, states: readonly OtherTask['state'][]): void {
    fates.set(task, { state: pick(states), at: now() + upTo(LONGEST_MS) });
    task.state = 'working';
  }

  function take(run: string, { message, task: known }: Extract<RemoteRequest, { ask: 'send' }>): OtherTask {
    const before = byMessage.get(message);
    if (before !== undefined) return before;
    const open = find(known);
    const task = open ?? {
      id: `task-${tasks.length + 1}`,
      run,
      state: 'working',
      isCutOff: cutOff.has(message),
    };
    byMessage.set(message, task);
    if (open === undefined) tasks.push(task);
    if (open === undefined) think(task, ['done', 'working', 'asks', 'failed']);
    else if (open.state === 'asks') think(task, ['done', 'working']);
    return task;
  }

  function carryOut(run: string, request: RemoteRequest): OtherTask | undefined {
    if (request.ask === 'send') return take(run, request);
    const task = find(request.task);
    const fate = task && fates.get(task);
    if (task?.state === 'working' && fate !== undefined && now() >= fate.at) task.state = fate.state;
    if (task !== undefined && request.ask === 'cancel' && isOpen(task)) task.state = 'canceled';
    return task;
  }

  return {
    tasks,
    /** @param run who asks @param isLast whether the request gives up a task */
    ask(run: string, request: RemoteRequest, isLast: boolean): ToolOutput {
      if (happens(TROUBLE)) {
        if (happens(0.5)) carryOut(run, request);
        const task = request.ask === 'send' ? byMessage.get(request.message) : find(request.task);
        if (isLast && task !== undefined) task.isCutOff = true;
        else if (isLast && request.ask === 'send') cutOff.add(request.message);
        return { text: 'Error: remote agent "other" does not answer: it is gone', isError: true };
      }
      const task = carryOut(run, request);
      const state: RemoteState =
        task === undefined
          ? { state: 'failed', text: 'there is no such task' }
          : { task: task.id, state: task.state, text: `${task.id} is ${task.state}` };
      return { text: JSON.stringify(state) };
    },
  };
}

/** Whether an agent is at work on it, or waits for an answer. */
export function isOpen({ state }: OtherTask): boolean {
  return state === 'working' || state === 'asks';
}
