import { setTimeout as delay } from 'node:timers/promises';
import { startRun } from '../../core/lifecycle/start.ts';
import { ConfigError, StoreError } from '../../errors.ts';
import { toRunRequest } from '../../places/run-request.ts';
import { untilClosed } from '../../places/until-closed.ts';
import { newestTrees } from '../../core/reports/newest-trees.ts';
import { readerOf, shownTree, type KeptRuns } from '../../core/reports/shown-tree.ts';
import { forkForPerson } from '../../core/lifecycle/fork-for-person.ts';
import { isRedriven } from '../../core/lifecycle/redriven.ts';
import type { RunEvent } from '../../core/events/event.ts';
import { isRunId, newRunId } from '../../core/records/run-id.ts';
import { AT_REST, OPEN, isIn } from '../../core/records/phase.ts';
import type { Run } from '../../core/records/run.ts';
import { outputOf, resultOf } from '../../core/records/turn.ts';
import type { Cadre, CadreOptions, RunOptions, RunResult, StartedRun } from './cadre.ts';
import { giveAnswer, listQuestions } from './questions.ts';
import { RunError } from './run-error.ts';
import { checkListOptions, checkRunOptions } from './run-options.ts';
import { summarise } from './run-summary.ts';
import type { Runs } from './runs.ts';

/**
 * Opens a project, or a deployed environment. Call `close` when you no longer need it.
 * @throws {ConfigError} if the user's configuration cannot be used, or there is no such environment
 * @throws {StoreError} if nothing can be kept in the folder
 */
export async function openCadre(options: CadreOptions = {}): Promise<Cadre> {
  const { environment } = options;
  if (environment !== undefined) {
    const { openCloudRuns } = await import('./cloud-runs.ts');
    return createCadre(await openCloudRuns(environment, options));
  }
  const { openLocalRuns } = await import('./local-runs.ts');
  return createCadre(await openLocalRuns(options));
}

export function createCadre(runs: Runs): Cadre {
  const { store, executions } = runs;
  const kept: KeptRuns = { runs: store, isCarriedOut: (root) => runs.isCarriedOut(root) };
  /** Awaited results that are yet to be read from the store. */
  const awaited = new Set<Promise<void>>();
  const closed = new AbortController();

  async function start(agent: string, options: RunOptions): Promise<Begun> {
    checkRunOptions(options);
    options.signal?.throwIfAborted();
    await runs.check(agent, options);
    const id = newRunId(agent, Date.now());
    return carry(id, () => startRun(id, toRunRequest(agent, options), runs), options);
  }

  /** Once a run has its record, it can be watched and stopped. */
  async function untilRecorded(id: string, execution: string): Promise<void> {
    for (let isRunning = true; (await store.run(id)) === undefined; await delay(runs.pollMs)) {
      if (!isRunning) throw new StoreError(`run "${id}" left no record`);
      isRunning = await executions.isRunning(execution);
    }
  }

  async function carry(
    id: string,
    begin: () => Promise<string>,
    { signal, onEvent }: Pick<RunOptions, 'signal' | 'onEvent'>,
  ): Promise<Begun> {
    let finish = () => {};
    const over = new Promise<void>((resolve) => (finish = resolve));
    // It listens before the run begins.
    const told = onEvent && tellAll(id, over, onEvent);
    // An exception of a listener is thrown by `result`.
    told?.catch(() => {});
    try {
      const { execution, ended } = await runs.carry(id, begin);
      // A run that can no longer be stopped has ended, which `result` tells.
      const stop = () => void executions.stop(execution, STOPPED).catch(() => {});
      signal?.addEventListener('abort', stop, { once: true });
      if (signal?.aborted) stop();
      return {
        id,
        execution,
        result() {
          const end = () => {
            signal?.removeEventListener('abort', stop);
            finish();
          };
          const result = ended()
            .finally(end)
            .then(() => told)
            .then(() => resultOfEnded(id, signal));
          const settled = Promise.allSettled([result, told]).then(() => {});
          awaited.add(settled);
          void settled.then(() => awaited.delete(settled));
          return result;
        },
      };
    } catch (thrown) {
      finish();
      throw thrown;
    }
  }

  /** Tells a listener of all that happens in a tree, until a promise is settled. */
  async function tellAll(
    id: string,
    until: Promise<void>,
    listener: (event: RunEvent) => void,
  ): Promise<void> {
    for await (const { event } of runs.follow(id, { live: true, signal: closed.signal, until }))
      listener(event);
  }

  async function resultOfEnded(id: string, signal: AbortSignal | undefined): Promise<RunResult> {
    const run = await store.run(id);
    if (run !== undefined && isIn(AT_REST, run)) return resultNow(run);
    signal?.throwIfAborted();
    if (run === undefined) throw new StoreError(`run "${id}" left no record`);
    throw new RunError((await resultNow(run)).run, run.failure);
  }

  async function resultNow(run: Run): Promise<RunResult> {
    const [turns, tree] = await Promise.all([store.turns(run.id), shownTree(run, readerOf(kept))]);
    const output = outputOf(run, turns);
    const top = tree.find(({ id }) => id === run.id) ?? run;
    return {
      content: resultOf(run, turns),
      ...(output !== undefined && { output }),
      run: summarise(top, tree),
    };
  }

  async function recorded(id: string): Promise<Run> {
    const run = isRunId(id) ? await store.run(id) : undefined;
    if (run === undefined) throw new ConfigError(`run not found: ${id}`);
    return run;
  }

  return {
    async start(agent, options = {}) {
      const { id, execution, result } = await start(agent, options);
      await untilRecorded(id, execution);
      return { id, result };
    },

    run: async (agent, options = {}) => (await start(agent, options)).result(),

    async send(id, text) {
      const { execution } = await recorded(id);
      const begin = async () => (await runs.send({ run: id, text })) ?? execution;
      const { result } = await carry(id, begin, {});
      return { id, result };
    },

    async fork(id) {
      const copy = await forkForPerson(await recorded(id), { store, now: () => runs.now() });
      return summarise(copy, [copy]);
    },

    kill: async (id) => runs.kill(await recorded(id)),

    async resume(id, { timeout, signal } = {}) {
      signal?.throwIfAborted();
      const run = await recorded(id);
      const begin = async () => (await runs.resume(run, timeout)).execution;
      const { result } = await carry(id, begin, { signal });
      return { id, result };
    },

    async *watch(id, { signal = new AbortController().signal } = {}) {
      await recorded(id);
      for await (const { event } of runs.follow(id, { live: true, signal, until: 'rest' })) yield event;
    },

    async stop(id) {
      const run = await recorded(id);
      if (!isIn(OPEN, run) && !(await isRedriven(run, executions))) {
        throw new ConfigError(`run "${id}" has ended: its status is ${run.status}`);
      }
      await runs.stop(run);
      await untilClosed(run, store);
    },

    async runs(options = {}) {
      checkListOptions(options);
      const { limit = LISTED_RUNS } = options;
      const trees = await newestTrees(readerOf(kept), { ...options, limit });
      return trees.map(({ top, tree }) => summarise(top, tree));
    },
    show: async (id) => resultNow(await recorded(id)),

    questions: () => listQuestions(kept),
    answer: (question, text, options = {}) => giveAnswer(question, text, options.arguments, runs),
    async close() {
      await runs.stopAll();
      await Promise.all(awaited);
      closed.abort();
      await runs.close();
    },
  };
}

interface Begun extends StartedRun {
  execution: string;
}

/** As many as `cadre runs` lists. */
const LISTED_RUNS = 20;

const STOPPED = 'stopped by the caller';
