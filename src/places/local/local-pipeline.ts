import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import * as v from 'valibot';
import type { AgentSource } from '../../core/agent-schema/agent-source.ts';
import { carryOutCall } from '../../core/turn/call.ts';
import { openRun } from '../../core/lifecycle/open.ts';
import type { RunEvent } from '../../core/events/event.ts';
import type { LiveBus } from '../../core/events/live.ts';
import { noticed } from '../follow/notices.ts';
import { isOfTree } from '../../core/records/run-id.ts';
import type { Opened } from '../../core/records/opened.ts';
import type { Run } from '../../core/records/run.ts';
import { NO_SECRETS, type Secrets } from '../../core/records/secrets.ts';
import type { OpenToolServers } from '../../tools/mcp/ports.ts';
import type { CallKey } from '../../core/records/call.ts';
import type { RunStore } from '../../core/records/ports.ts';
import type { Executions } from '../../core/machine/executions.ts';
import type { Wake } from '../../core/machine/wake.ts';
import type { Models } from '../../core/model/model.ts';
import { control } from '../../core/lifecycle/control.ts';
import { settleRun } from '../../core/lifecycle/settle.ts';
import { takeTurn } from '../../core/turn/turn.ts';
import { TurnInput } from '../../core/turn/turn-input.ts';
import { createEmbeddedExecutions, createEmbeddedWake } from './embedded.ts';
import type { Json } from '../../json.ts';
import { CONVERSATION } from '../../core/machine/conversation.ts';
import type { Prices } from '../../core/spending/prices.ts';
import { createStateMachines } from '../../asl/create-state-machines.ts';
import type { StateMachines } from '../../asl/state-machines.ts';
import { createCommands } from './commands.ts';
import { createFetchUrl } from '../../tools/reach/fetch-url.ts';
import { localFunctions } from './local-functions.ts';
import { openFolderWorkspace } from './workspace/folder-workspace.ts';
import type { LocalStore } from './local-store.ts';
import { createInvocations, type LocalFunction } from './invoke-here.ts';
import { createCarriedTrees, type CarriedTrees } from './carried-trees.ts';
import { systemTime, type LocalTime } from '../time.ts';
import { createLocalWaits } from './local-waits.ts';
import { loadOwnTools } from '../../tools/load-own-tools.ts';
import { TOOL_NAMES } from '../../core/agent-schema/tool-names.ts';

export interface LocalPipelineOptions {
  /** Absolute: where the command runs. Its store lies in its `.cadre/` folder. */
  cwd: string;
  /** Of this process; tools that start others hand on variables that are no secrets. */
  env: Readonly<Record<string, string | undefined>>;
  /** The secrets that variables of users' functions refer to; absent: there are none. */
  secrets?: Secrets;
  /** Where Lambda's API is, in place of AWS's own. */
  lambdaEndpoint?: string | undefined;
  /** The folder's store, which is closed elsewhere. */
  local: LocalStore;
  source: AgentSource;
  models: Models;
  prices: Prices;
  /** The servers that agents use, closed with the pipeline; absent: none can be reached. */
  servers?: OpenToolServers;
  /** Absent: the system's. */
  time?: LocalTime;
  /**
   * Called with this process's own events in runs, as they happen: warnings and ends among it, but no pieces of
   * answers.
   */
  notice?: ((event: RunEvent) => void) | undefined;
}

/** The interpreter of this process with its functions, which a carrier holds. */
export interface LocalPipeline {
  /** That of the folder, whose writes `notice` hears. */
  store: RunStore;
  executions: Executions;
  /** Wakes the state that waits for a token. */
  wake: Wake;
  /** Wakes the agent that waits for the answer to a question, which is in the store. */
  wakeAsker(question: CallKey): Promise<void>;
  /**
   * Does the work that carries a run out, under the lock of its tree, and returns when everything of the tree that no
   * other work carries is closed in the store.
   * @throws {ConfigError} if another process carries the tree out already
   */
  carryOut<T>(run: string, work: () => Promise<T>): Promise<T>;
  /** What the folder keeps. */
  local: LocalStore;
  /** Waits until no execution of the tree that the run belongs to is left. */
  quiet(run: string): Promise<void>;
  /** Waits until runs that have ended are closed in the store too. */
  settled(): Promise<void>;
  /**
   * Leaves all that it carries out as if this process had died, to be resumed by another: records and locks stay as
   * they are. Work under way is broken off.
   * @returns the tops of the trees that are left
   */
  leave(): Promise<string[]>;
  trees: CarriedTrees;
  /** The interpreter that runs the machine, with the history of what it ran. */
  machines: StateMachines;
  /** Lets go of everything but the store. */
  close(): Promise<void>;
}

/**
 * The pipeline in this process: the definition that is deployed, run by the embedded interpreter, with its functions
 * called directly and everything kept in `.cadre/`.
 */
export async function openLocalPipeline(options: LocalPipelineOptions): Promise<LocalPipeline> {
  const { env, source, secrets = NO_SECRETS, time = systemTime } = options;
  // Most agents have tools: they are loaded before the first one asks for its own.
  await loadOwnTools(TOOL_NAMES);
  const { local } = options;
  const { memories, locks } = local;
  const { store, live } = heard(local, options.notice);
  const servers = options.servers === undefined ? {} : { servers: options.servers };
  const ports = {
    store,
    tools: loadOwnTools,
    memories,
    models: options.models,
    prices: options.prices,
    source,
    isAgentFile: source.isAgentFile,
    ...servers,
    cwd: options.cwd,
    openWorkspace: openFolderWorkspace,
    now: () => time.now(),
    after: (ms: number, callback: () => void) => time.after(ms, callback),
    random: Math.random,
    live,
    invocation: randomUUID,
    // This process alone carries the tree: a process that left a mark without a result is gone.
    mayBeAtWork: () => false,
    sleep: (ms: number, signal: AbortSignal) => time.sleep(ms, signal),
    reach(_: Run, { agent, workdir = '' }: Opened) {
      const folder = resolve(options.cwd, workdir);
      return {
        workspace: openFolderWorkspace(folder),
        commands: createCommands({ cwd: folder, env }),
        fetchUrl: createFetchUrl(),
        callFunction: localFunctions({
          root: async () => (await source.read(agent))?.root,
          env,
          secrets,
          lambdaEndpoint: options.lambdaEndpoint,
        }),
        ...servers,
      };
    },
  };
  /** A run that is stopped while it is being opened has a record to close only after that. */
  const opening = new Set<Promise<unknown>>();
  const open = (event: Json) => {
    const opened = openRun(event, ports).finally(() => opening.delete(opened));
    opening.add(opened);
    return opened;
  };
  const reachAgents = async (event: Json, signal: AbortSignal) => {
    const { person, mail: awaiting } = await control(event, { ...ports, ...residents }, signal);
    if (person !== undefined) waits.add(person);
    if (awaiting !== undefined) trees.add(awaiting);
    return {};
  };
  const turn = async (event: Json, signal: AbortSignal) => {
    // The state that waited may have timed out before this process looked.
    if (!waits.areNone()) await waits.over(v.parse(TurnInput, event).run);
    return takeTurn(event, ports, signal);
  };
  const functions = new Map<string, LocalFunction>([
    ['OpenFunction', open],
    ['TurnFunction', turn],
    ['ToolFunction', (event, signal) => carryOutCall(event, ports, signal)],
    ['ControlFunction', reachAgents],
    ['SettleFunction', (event) => settleRun(event, residents)],
  ]);

  const { invoke, rest } = createInvocations(functions);
  let isLeaving = false;
  const settling = new Set<Promise<unknown>>();
  const faults: unknown[] = [];
  const machines = createStateMachines({
    keepEnded: KEPT_EXECUTIONS,
    clock: time,
    invokeLambda: (name, payload, { signal }) => time.during(invoke(name, payload, signal)),
    onStatusChange: (status, toEvent) => {
      // A run that starts or succeeds keeps its own record, and one that is left goes on elsewhere.
      if (status === 'RUNNING' || status === 'SUCCEEDED' || isLeaving) return;
      const event = toEvent();
      const settled = Promise.allSettled(opening)
        .then(() => settleRun(event, residents))
        .catch((thrown: unknown) => void faults.push(thrown))
        .finally(() => settling.delete(settled));
      settling.add(settled);
      void time.during(settled);
    },
  });
  const { stateMachineArn } = machines.createStateMachine({
    name: 'cadre',
    definition: withFunctionNames([...functions.keys()]),
    roleArn: 'arn:aws:iam::123456789012:role/cadre',
  });

  const executions = createEmbeddedExecutions(machines, stateMachineArn);
  const wake = createEmbeddedWake(machines);
  const residents = { store, executions, wake, now: () => time.now() };
  const waits = createLocalWaits({
    store,
    wake,
    isRunning: executions.isRunning,
    now: () => time.now(),
    report: (thrown) => void faults.push(thrown),
  });

  const running = () =>
    machines
      .listExecutions({ stateMachineArn, statusFilter: 'RUNNING' })
      .map(({ name, executionArn }) => ({ name, arn: executionArn }));

  async function settled(): Promise<void> {
    // Ending one run may end others.
    while (settling.size > 0) await Promise.all(settling);
    if (faults.length > 0) throw faults[0];
  }

  const ofTree = (run: string) => running().filter(({ name }) => isOfTree(name, run));

  async function quiet(run: string): Promise<void> {
    for (let left = ofTree(run); left.length > 0; left = ofTree(run)) {
      await Promise.all(left.map(({ arn }) => machines.ended(arn)));
    }
  }

  const trees = createCarriedTrees({
    residents,
    locks,
    running,
    async rested(root) {
      // Closing runs that have ended may start those that are told of it.
      do {
        await quiet(root);
        await settled();
      } while (ofTree(root).length > 0);
    },
    report: (thrown) => void faults.push(thrown),
  });

  async function leave(): Promise<string[]> {
    isLeaving = true;
    waits.close();
    const roots = trees.leave();
    // Work under way may have begun something more before it was broken off.
    for (let left = running(); left.length > 0; left = running()) {
      for (const { arn } of left)
        machines.stopExecution({ executionArn: arn, cause: 'left to another process' });
      const late = new AbortController();
      // Answers that have just arrived are kept.
      await Promise.race([rest(), time.sleep(LEAVING_MS, late.signal).catch(() => {})]);
      late.abort();
    }
    return roots;
  }

  async function carryOut<T>(run: string, work: () => Promise<T>): Promise<T> {
    const root = (await store.run(run))?.root ?? run;
    await trees.take(root);
    const [done] = await Promise.allSettled([work()]);
    await trees.letGo(root);
    if (done.status === 'rejected') throw done.reason;
    return done.value;
  }

  return {
    local,
    store,
    machines,
    executions,
    wake,
    wakeAsker: waits.look,
    carryOut,
    quiet,
    settled,
    leave,
    trees,
    async close() {
      waits.close();
      trees.close();
      await options.servers?.close();
    },
  };
}

/** The store and the bus to use, so that listeners hear the events of this process. */
function heard({ runs, feed }: LocalStore, notice: LocalPipelineOptions['notice']) {
  if (notice === undefined) return { store: runs, live: feed };
  const { store, live } = noticed(runs, notice);
  const both: LiveBus = {
    tell(event) {
      feed.tell(event);
      live.tell(event);
    },
  };
  return { store, live: both };
}

/** The deployed definition has placeholders for its functions and AWS's partition, which the stack replaces. */
function withFunctionNames(names: readonly string[]): string {
  const text = JSON.stringify(CONVERSATION).replaceAll('${Partition}', 'aws');
  return names.reduce((all, name) => all.replaceAll(`\${${name}}`, name), text);
}

/**
 * The store has the results of runs; the histories of executions are of use only to callers that are just looking at
 * them.
 */
const KEPT_EXECUTIONS = 20;

/** How long functions that do not look at their signals may keep the end of the process waiting. */
const LEAVING_MS = 5_000;
