import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import {
  AgentNotFoundError,
  type AgentSource,
  type LoadedAgent,
} from '../../../core/agent-schema/agent-source.ts';
import { AgentError, ConfigError } from '../../../errors.ts';
import type { Models } from '../../../core/model/model.ts';
import { localSources } from '../../../authoring/loading/local-sources.ts';
import type { Prices } from '../../../core/spending/prices.ts';
import type { CallFailure } from '../../../core/records/call.ts';
import { toMillis } from '../../../core/records/times.ts';
import { secondsIn } from '../../../core/agent-schema/duration.ts';
import { JUDGE } from '../../../authoring/eval/judge.ts';
import type { Cadre, RunOptions, StartedRun } from '../cadre.ts';
import { openProjectFolder } from '../open-project.ts';
import { createCadre } from '../open-cadre.ts';
import { checkDuration, checkTestOptions } from '../run-options.ts';
import type { Evaluated } from './evaluated.ts';
import { play, toAsked, type Asked, type Script } from './script.ts';
import { createMemoryStore } from '../../../places/testing/memory-store.ts';
import { createVirtualTime, type VirtualTime } from '../../../places/testing/virtual-time.ts';

export interface TestCadreOptions {
  /** The scripts of agents' models, by the agents' names; that of the judge of evaluations is `eval-judge`. */
  models: Readonly<Record<string, Script>>;
  /** The project's folder, with `agents/` in it; the current one if absent. */
  folder?: string | undefined;
  /** A folder of agents to use in place of the project's, relative to it. */
  agentsDir?: string | undefined;
  /** Files of the folder in which agents work, by path; it is a new one for each `openTestCadre`. */
  files?: Readonly<Record<string, string>> | undefined;
  /** Environment variables, which have the secrets of tool servers and functions; absent: none. */
  env?: Readonly<Record<string, string>> | undefined;
  /** Takes warnings about files that can still be used; absent: they are dropped. */
  onWarning?: ((message: string) => void) | undefined;
}

/** A call of a tool that took place, or was refused. */
export interface MadeCall {
  /** The agent that made it. */
  agent: string;
  tool: string;
  arguments: Record<string, unknown>;
  /** The result as the model read it. */
  result: string;
  isError: boolean;
  failure?: CallFailure;
}

/** A project's agents with models that play scripts. Nothing of it leaves the machine. */
export interface TestCadre extends Cadre {
  /** Absolute: the folder in which agents work, which `close` removes. */
  folder: string;
  /** The requests to models, in order. @param agent only of this one */
  asked(agent?: string): Asked[];
  /**
   * The calls of a run and everything below it: those of an agent in the order in which it made them, each followed by
   * those of the agent that it called.
   * @param run the id of the run
   */
  calls(run: string): Promise<MadeCall[]>;
  /**
   * The agents' current time. It passes only while the test waits for a run: for `run`, `result()`, `calls` or the next
   * event of `watch`. Everything that agents wait for then comes at once, and the clock advances accordingly.
   */
  now(): Date;
  /**
   * Plays an evaluation: its cases with the test's models, each in a folder of its own. The judge's script is that of
   * `eval-judge`.
   * @param file relative to the project's folder
   * @throws {ConfigError} if the file is wrong, with its place, or its agent cannot be run
   */
  evaluate(file: string): Promise<Evaluated>;
  /** Lets time pass for the agents. @param duration seconds, or a text such as "30m" */
  pass(duration: number | string): Promise<void>;
}

/**
 * Opens the agents of a project for a test.
 * @throws {ConfigError} if an option is wrong, the folder's agents cannot be read, or a script is for none of them
 */
export async function openTestCadre(options: TestCadreOptions): Promise<TestCadre> {
  checkTestOptions(options);
  const { models, agentsDir, files = {}, env = {}, onWarning = () => {} } = options;
  const project = resolve(options.folder ?? '.');
  const folder = await makeFolder(files);
  const time = createVirtualTime(Date.now());
  const asked: Asked[] = [];

  const surroundings = { env: { ...env, XDG_CONFIG_HOME: join(folder, NO_CONFIG) }, isTrusted: true, time };
  const sources = await localSources({ cwd: project, ...surroundings }, agentsDir ?? 'agents');
  const named = Object.keys(models).filter((name) => name !== JUDGE);
  const unknown = await firstUnknown(named, sources.source);
  if (unknown !== undefined) {
    await rm(folder, { recursive: true, force: true });
    throw new ConfigError(`a script in models of openTestCadre is for no agent: ${unknown}`);
  }
  const playedModels: Models = {
    async open(model) {
      const agent = model.startsWith(PLAYED) ? model.slice(PLAYED.length) : undefined;
      const script = agent === undefined ? undefined : models[agent];
      if (agent === undefined || script === undefined) {
        if (needsNoScript(model)) return sources.models.open(model);
        const whose = agent === undefined ? `model "${model}"` : `the model of agent "${agent}"`;
        throw new AgentError(`${whose} has no script; add one to models of openTestCadre`);
      }
      return {
        name: agent,
        model: {
          send(request, signal) {
            const question = toAsked(agent, request);
            asked.push(question);
            return play(script, question, request, time, signal);
          },
        },
      };
    },
  };
  /** The model that an agent's file names, by its name here. */
  const written = new Map<string, string>();
  const source: AgentSource = {
    ...sources.source,
    async read(name) {
      const loaded = await sources.source.read(name);
      if (loaded === undefined || (needsNoScript(loaded.agent.model) && models[name] === undefined))
        return loaded;
      const model = `${PLAYED}${name}`;
      written.set(model, loaded.agent.model);
      return { ...loaded, agent: { ...loaded.agent, model } };
    },
  };
  const prices: Prices = {
    costOf: (model, usage) => sources.prices.costOf(written.get(model) ?? model, usage),
    tokenPrice: (model, ...others) => sources.prices.tokenPrice(written.get(model) ?? model, ...others),
  };
  const played = {
    ...sources,
    models: playedModels,
    source,
    prices,
    modelFaults: async (loaded: LoadedAgent) =>
      loaded.agent.model.startsWith(PLAYED) ? [] : sources.modelFaults(loaded),
  };
  const place = { cwd: folder, local: createMemoryStore(), time };
  const cadre = createCadre(await openProjectFolder(played, { ...place, onWarning }), () => time.now());

  const awaited = ({ id, result }: StartedRun): StartedRun => ({ id, result: () => time.letPass(result()) });
  const start = async (agent: string, options: RunOptions = {}) =>
    awaited(await time.during(cadre.start(agent, whileHeard(options, time))));

  async function* watch(...watched: Parameters<Cadre['watch']>): ReturnType<Cadre['watch']> {
    const events = cadre.watch(...watched);
    try {
      for (let next = await time.letPass(events.next()); !next.done; next = await time.letPass(events.next()))
        yield next.value;
    } finally {
      await events.return();
    }
  }

  return {
    ...cadre,
    folder,
    start,
    run: async (agent, options) => (await start(agent, options)).result(),
    watch,
    asked: (agent) => asked.filter((each) => agent === undefined || each.agent === agent),
    async calls(run) {
      const made = new Map<string, MadeCall>();
      for await (const event of watch(run)) {
        if (event.type !== 'call_started' && event.type !== 'call_finished') continue;
        const key = `${event.run} ${event.turn} ${event.call}`;
        if (event.type === 'call_started') {
          const { agent, tool, arguments: args } = event;
          made.set(key, { agent, tool, arguments: args, result: '', isError: false });
          continue;
        }
        const { text, isError, failure } = event;
        const begun = made.get(key);
        if (begun !== undefined) {
          Object.assign(begun, { result: text, isError, ...(failure !== undefined && { failure }) });
        }
      }
      return [...made.values()];
    },
    async evaluate(file) {
      const { evaluateProject } = await import('./evaluate-project.ts');
      const judge = models[JUDGE] === undefined ? undefined : `${PLAYED}${JUDGE}`;
      return evaluateProject(file, { project, folder, sources: played, judge, local: place.local, time });
    },
    now: () => new Date(time.now()),
    pass(duration) {
      checkDuration(duration);
      return time.letPass(new Promise((resolve) => void time.after(toMillis(secondsIn(duration)), resolve)));
    },
    answer: (question, text, options) => time.during(cadre.answer(question, text, options)),
    send: async (run, text, options) => awaited(await time.during(cadre.send(run, text, options))),
    resume: async (run, options) => awaited(await time.during(cadre.resume(run, options))),
    kill: (run) => time.during(cadre.kill(run)),
    stop: (run) => time.during(cadre.stop(run)),
    async close() {
      await cadre.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Time stands still until the promise that a listener returns is settled. */
function whileHeard({ onEvent, ...options }: RunOptions, time: VirtualTime): RunOptions {
  if (onEvent === undefined) return options;
  return {
    ...options,
    onEvent(event) {
      const heard: unknown = onEvent(event);
      if (heard instanceof Promise) void time.during(heard);
    },
  };
}

/** The name of an agent's model whose script is played. */
const PLAYED = 'played/';

/** The fault in the first of the names that no agent has; undefined if they all are agents. */
async function firstUnknown(names: readonly string[], source: AgentSource): Promise<string | undefined> {
  const known = await source.list();
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return undefined;
  const fault = new AgentNotFoundError(unknown, source);
  return fault.message + (await fault.hint());
}

/** Models that are on this machine, and say the same each time. */
function needsNoScript(model: string): boolean {
  return /^(offline|scripted)\//.test(model);
}

/** Tests ignore the user's own configuration. */
const NO_CONFIG = '.no-config';

async function makeFolder(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'cadre-')));
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return folder;
}
