import type { Json } from '../json.ts';
import { enterChoice } from './choice.ts';
import type { State, States } from './definition.ts';
import { enterFail } from './fail.ts';
import { enterMap } from './map.ts';
import { enterParallel } from './parallel.ts';
import { withRetryAndCatch } from './retry.ts';
import { enterTask } from './task.ts';
import type { Thread } from './thread.ts';
import { Visit, type Exit } from './visit.ts';
import { enterWait } from './wait.ts';

/** Runs states to their end; how a Parallel and a Map run theirs. */
export type RunStates = typeof runStates;

/**
 * Runs states one after another until one ends.
 * @returns the output of the last one
 * @throws StateFailure from the state that failed; Cancelled if the thread is given up
 */
export async function runStates(thread: Thread, { startAt, states }: States, input: Json): Promise<Json> {
  let name = startAt;
  let value = input;
  for (;;) {
    const state = states.get(name);
    if (state === undefined) throw new TypeError(`there is no state "${name}"`);
    const visit = Visit.enter(thread, state, value);
    // Threads that start together enter their states before any of them goes on.
    await Promise.resolve();
    const { output, next } = await enter(visit, state);
    if (next === undefined) return output;
    name = next;
    value = output;
  }
}

async function enter(visit: Visit, state: State): Promise<Exit> {
  try {
    switch (state.type) {
      case 'Pass':
      case 'Succeed':
        return await visit.exit(state, visit.input);
      case 'Fail':
        return await enterFail(visit, state);
      case 'Choice':
        return await enterChoice(visit, state);
      case 'Wait':
        return await enterWait(visit, state);
      case 'Task':
        return await withRetryAndCatch(visit, state, () => enterTask(visit, state));
      case 'Parallel':
        return await withRetryAndCatch(visit, state, () => enterParallel(visit, state, runStates));
      case 'Map':
        return await withRetryAndCatch(visit, state, () => enterMap(visit, state, runStates));
    }
  } catch (thrown) {
    throw visit.toFailure(thrown);
  }
}
