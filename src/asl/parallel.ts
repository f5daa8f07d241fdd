import type { Json } from '../json.ts';
import type { ParallelState, States } from './definition.ts';
import { dataLimitExceeded, StateFailure } from './failure.ts';
import { fitsDataLimit } from './json-value.ts';
import type { RunStates } from './run-states.ts';
import { ThreadGroup } from './thread-group.ts';
import type { Exit, Visit } from './visit.ts';

/** Runs all branches at once on the same input; the first to fail ends the others. */
export async function enterParallel(visit: Visit, state: ParallelState, run: RunStates): Promise<Exit> {
  const { thread } = visit;
  const input = state.arguments === undefined ? visit.input : await visit.data(state.arguments);
  thread.record('ParallelStateStarted');

  const group = new ThreadGroup(visit);
  const runBranch = async (states: States): Promise<Json> => {
    const branch = group.add();
    try {
      const output = await run(branch, states, input);
      group.ended(branch);
      return output;
    } catch (thrown) {
      if (thrown instanceof StateFailure) group.fail(branch, thrown);
      throw thrown;
    }
  };
  const result = await group.all(state.branches.map(runBranch));
  if (!fitsDataLimit(JSON.stringify(result))) throw dataLimitExceeded(state.name);
  thread.recordAside('ParallelStateSucceeded');
  return visit.exit(state, result, { result });
}
