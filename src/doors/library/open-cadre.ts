import { seconds } from '../../core/records/times.ts';
import { ConfigError } from '../../errors.ts';
import type { Environment } from '../../places/environment.ts';
import { readGiven } from '../../places/attach.ts';
import { toMessage } from '../../places/given-input.ts';
import { toRunRequest } from '../../places/run-request.ts';
import { stopAndWait } from '../../places/stop-and-wait.ts';
import { newestTrees } from '../../core/reports/newest-trees.ts';
import { isRunId, newRunId } from '../../core/records/run-id.ts';
import type { Run } from '../../core/records/run.ts';
import type { Cadre, CadreOptions, ForkOptions, RunOptions, StartedRun } from './cadre.ts';
import { createCarriedRuns, PROGRAM } from './carried-runs.ts';
import { listQuestions } from './questions.ts';
import {
  checkAnswerOptions,
  checkForkOptions,
  checkListOptions,
  checkCadreOptions,
  checkRunOptions,
  checkSendOptions,
} from './run-options.ts';
import { summarise, type RunSummary } from './run-summary.ts';

/**
 * Opens a project, or a deployed environment. Call `close` when you no longer need it.
 * @throws {ConfigError} if an option is wrong, the user's configuration cannot be used, or there is no such environment
 * @throws {StoreError} if nothing can be kept in the folder
 */
export async function openCadre(options: CadreOptions = {}): Promise<Cadre> {
  checkCadreOptions(options);
  const { environment } = options;
  if (environment === undefined) {
    const { openProject } = await import('./open-project.ts');
    return createCadre(await openProject(options));
  }
  for (const key of ['folder', 'agentsDir', 'lambdaEndpoint'] as const) {
    if (options[key] !== undefined) {
      throw new ConfigError(`${key} is for runs in this process; leave it out, or leave environment out`);
    }
  }
  const { openCloudEnvironment } = await import('../../places/aws/cloud-environment.ts');
  return createCadre(await openCloudEnvironment(environment));
}

/** @param now as the environment's runs see the time */
export function createCadre(environment: Environment, now: () => number = Date.now): Cadre {
  const { records } = environment;
  const { carry, resultNow, close } = createCarriedRuns(environment, now);

  async function start(agent: string, options: RunOptions): Promise<StartedRun> {
    checkRunOptions(options);
    options.signal?.throwIfAborted();
    const id = newRunId(agent, now());
    const given = await readGiven(options.attach ?? [], process.cwd());
    const request = toRunRequest(agent, options, given);
    return carry(id, () => environment.start({ id, request, files: given.files }), options);
  }

  async function recorded(id: string): Promise<Run> {
    const run = isRunId(id) ? await records.run(id) : undefined;
    if (run === undefined) throw new ConfigError(`run not found: ${id}`);
    return run;
  }

  function fork(id: string): Promise<RunSummary>;
  function fork(id: string, from: ForkOptions): Promise<StartedRun>;
  async function fork(id: string, from?: ForkOptions): Promise<RunSummary | StartedRun> {
    const run = await recorded(id);
    if (from === undefined) {
      const copy = await environment.fork(run);
      return summarise(copy, [copy], now());
    }
    checkForkOptions(from);
    const { timeout, signal, ...point } = from;
    signal?.throwIfAborted();
    const copy = newRunId(run.agent, now());
    const tree = { ...point, id: copy, timeout: timeout && seconds(timeout) };
    return carry(copy, () => environment.fork(run, tree), { signal });
  }

  return {
    start: (agent, options = {}) => start(agent, options),

    run: async (agent, options = {}) => (await start(agent, options)).result(),

    async send(id, text, options = {}) {
      checkSendOptions(options);
      await recorded(id);
      const given = await readGiven(options.attach ?? [], process.cwd());
      return carry(id, async () => void (await environment.send({ run: id, ...toMessage(text, given) })), {});
    },

    fork,

    kill: async (id) => void (await environment.kill(await recorded(id))),

    async resume(id, { timeout, model, signal } = {}) {
      signal?.throwIfAborted();
      const run = await recorded(id);
      const start = () => environment.resume(run, { timeout: timeout && seconds(timeout), model });
      return carry(id, start, { signal });
    },

    async *watch(id, { signal = new AbortController().signal } = {}) {
      await recorded(id);
      const told = environment.follow(id, { live: true, signal, until: 'rest' });
      for await (const { event } of told) yield event;
    },

    stop: async (id) => void (await stopAndWait(await recorded(id), environment, PROGRAM)),

    async runs(options = {}) {
      checkListOptions(options);
      const { limit = LISTED_RUNS } = options;
      const trees = await newestTrees(records, { ...options, limit });
      return trees.map(({ top, tree }) => summarise(top, tree, now()));
    },
    show: async (id) => resultNow(await recorded(id)),

    questions: () => listQuestions(records),
    async answer({ run, turn, call }, text, options = {}) {
      checkAnswerOptions(options);
      await environment.answer({ run, turn, call }, { text, arguments: options.arguments });
    },
    async close() {
      await environment.stopAll('its process let go of it');
      await close();
      await environment.close();
    },
  };
}

/** As many as `cadre runs` lists. */
const LISTED_RUNS = 20;
