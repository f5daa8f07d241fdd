import * as v from 'valibot';
import { carryOutCall } from '../../core/turn/call.ts';
import { openRun } from '../../core/lifecycle/open.ts';
import { isOfTree } from '../../core/records/run-id.ts';
import type { CallKey } from '../../core/records/call.ts';
import type { RunStore } from '../../core/records/ports.ts';
import type { Models } from '../../core/model/model.ts';
import type { Wake } from '../../core/machine/wake.ts';
import { control } from '../../core/lifecycle/control.ts';
import { settleRun } from '../../core/lifecycle/settle.ts';
import { takeTurn } from '../../core/turn/turn.ts';
import { createEmbeddedExecutions, createEmbeddedWake, type LocalExecutions } from './embedded.ts';
import { createConversationMachines } from './conversation-machines.ts';
import { createStateMachines } from '../../asl/create-state-machines.ts';
import type { StateMachines } from '../../asl/state-machines.ts';
import type { LocalStore } from './local-store.ts';
import { createInvocations, type LocalFunction } from './invoke-here.ts';
import { createCarriedTrees, type CarriedTrees } from './carried-trees.ts';
import { systemTime } from '../time.ts';
import { createClosing, type Closing } from './closing.ts';
import { createLocalPorts, type LocalPortsOptions } from './local-ports.ts';
import { NO_SECRETS } from '../../core/records/secrets.ts';
import type { ResidentPorts } from '../../core/lifecycle/ports.ts';
import { createLocalBatches, type LocalBatches } from './local-batches.ts';
import { createLocalNotices, type LocalNotices } from './local-notices.ts';
import { createLocalWaits, type LocalWaits } from './local-waits.ts';
import { createGoOnCheck } from './go-on-check.ts';
// Each tree with sub-agents needs it: loaded with what carries trees, and not in the middle of the first one.
import '../../core/spending/charge.ts';
// So does each tree.
import '../store/run-index.ts';

/** The interpreter of this process with its functions, which a carrier holds. */
export interface LocalPipeline {
  /** That of the folder, whose writes `notice` hears. */
  store: RunStore;
  executions: LocalExecutions;
  models: Models;
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
  /** Waits until runs that have ended are closed in the store too. @throws what has failed, once */
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
export async function openLocalPipeline(options: LocalPortsOptions): Promise<LocalPipeline> {
  const { local, time = systemTime } = options;
  const ports = createLocalPorts(options);
  const { store, now } = ports;
  const closing = createClosing((event) => settleRun(event, residents), time);
  // Each function is called after all that it needs is there.
  const assertMayGoOn = createGoOnCheck({
    store,
    live: ports.live,
    findFault: options.findStoredOutside,
    refuses: options.refusesOutside,
    since: now(),
  });
  const functions = functionsOf(ports, closing, assertMayGoOn, () => ({
    residents,
    waits,
    trees,
    notices,
    batches,
  }));
  const { invoke, rest } = createInvocations(functions);
  let isLeaving = false;
  const machines = createStateMachines({
    keepEnded: KEPT_EXECUTIONS,
    clock: time,
    invokeLambda: (name, payload, { signal }) => time.during(invoke(name, payload, signal)),
    onStatusChange: (status, toEvent) => {
      // A run that starts or succeeds keeps its own record, and one that is left goes on elsewhere.
      if (status !== 'RUNNING' && status !== 'SUCCEEDED' && !isLeaving) closing.ended(toEvent());
    },
  });
  const names = Object.fromEntries([...functions.keys()].map((name) => [name, name]));
  const stateMachineArns = createConversationMachines(machines, names);
  const [stateMachineArn] = stateMachineArns;

  const executions = createEmbeddedExecutions(machines, stateMachineArn);
  const wake = createEmbeddedWake(machines);
  /** The runs whose tasks are just being given up: who ends a run does it, and whoever looks at its tree meanwhile. */
  const givingUp = new Map<string, Promise<void>>();
  const giveUp = (run: string): Promise<void> => {
    const begin = async () =>
      (await import('../../core/lifecycle/give-up-remote.ts')).giveUpRemote(run, ports);
    const done = givingUp.get(run) ?? begin().finally(() => givingUp.delete(run));
    givingUp.set(run, done);
    return done;
  };
  const residents = { store, executions, wake, now, giveUp };
  const { report, done: closed, settled } = closing;
  const waits = createLocalWaits({ store, wake, isRunning: executions.isRunning, now, report });
  const batches = createLocalBatches({ ports: { ...ports, wake }, time, report });
  const { notify, secrets = NO_SECRETS } = options;
  const notices =
    notify &&
    createLocalNotices({
      store,
      live: ports.live,
      time,
      secrets,
      settings: notify,
      base: local.serving.address,
    });
  const running = () =>
    stateMachineArns
      .flatMap((arn) => machines.listExecutions({ stateMachineArn: arn, statusFilter: 'RUNNING' }))
      .map(({ name, executionArn }) => ({ name, arn: executionArn }));
  const ofTree = (run: string) => running().filter(({ name }) => isOfTree(name, run));

  async function rested(root: string): Promise<void> {
    // Closing runs that have ended may start those that are told of it.
    do {
      for (let left = ofTree(root); left.length > 0; left = ofTree(root)) {
        await Promise.all(left.map(({ arn }) => machines.ended(arn)));
      }
      await closed();
    } while (ofTree(root).length > 0);
    await batches.over(root);
  }
  /** Its agents beside others may have ended after its top did. */
  async function giveBack(root: string): Promise<void> {
    if ((await store.opened(root))?.budget?.perDay === undefined) return;
    await (await import('../../core/spending/return-allotment.ts')).returnAllotment(root, store);
  }
  const trees = createCarriedTrees({ residents, locks: local.locks, running, rested, report });

  return {
    local,
    store,
    machines,
    executions,
    models: options.models,
    wake,
    wakeAsker: waits.look,
    trees,
    settled,
    async carryOut(run, work) {
      const root = (await store.run(run))?.root ?? run;
      await trees.take(root);
      const [done] = await Promise.allSettled([work()]);
      await trees.letGo(root);
      await giveBack(root);
      await settled();
      if (done.status === 'rejected') throw done.reason;
      return done.value;
    },
    async leave() {
      isLeaving = true;
      waits.close();
      batches.close();
      notices?.close();
      const roots = trees.leave();
      // Work under way may have begun something more before it was broken off.
      for (let left = running(); left.length > 0; left = running()) {
        for (const { arn } of left)
          machines.stopExecution({ executionArn: arn, cause: 'left to another process' });
        const late = new AbortController();
        // Answers that have just arrived are kept.
        await Promise.race([rest(), time.during(time.sleep(LEAVING_MS, late.signal)).catch(() => {})]);
        late.abort();
      }
      return roots;
    },
    async close() {
      waits.close();
      batches.close();
      notices?.close();
      trees.close();
      await Promise.all([options.servers?.close(), options.telemetry?.close()]);
    },
  };
}

/** What the functions need beside their ports. */
interface FunctionSurroundings {
  residents: ResidentPorts;
  waits: LocalWaits;
  trees: CarriedTrees;
  notices: LocalNotices | undefined;
  batches: LocalBatches;
}

const OfRun = v.object({ run: v.string() });

/** Each state that waits here has its bucket looked after, whoever opened it. */
const openBucket = async () => {};

/** The functions of the machine, by their names in its definition. */
function functionsOf(
  ports: ReturnType<typeof createLocalPorts>,
  closing: Closing,
  assertMayGoOn: (run: string) => Promise<void>,
  surroundings: () => FunctionSurroundings,
): Map<string, LocalFunction> {
  return new Map<string, LocalFunction>([
    ['OpenFunction', (event, signal) => closing.after(openRun(event, { ...ports, signal }))],
    [
      'TurnFunction',
      async (event, signal) => {
        const { waits, batches } = surroundings();
        const { run } = v.parse(OfRun, event);
        await assertMayGoOn(run);
        // The state that waited may have timed out before this process looked.
        if (!waits.areNone()) await waits.over(run);
        await batches.overdue(run);
        return takeTurn(event, ports, signal);
      },
    ],
    [
      'ToolFunction',
      async (event, signal) => {
        await assertMayGoOn(v.parse(OfRun, event).run);
        return carryOutCall(event, ports, signal);
      },
    ],
    [
      'ControlFunction',
      async (event, signal) => {
        const { residents, waits, trees, notices, batches } = surroundings();
        const { person, mail, batch } = await control(event, { ...ports, ...residents, openBucket }, signal);
        if (person !== undefined) {
          waits.add(person);
          notices?.asked(person);
        }
        if (mail !== undefined) trees.add(mail);
        if (batch !== undefined) batches.add(batch);
        return {};
      },
    ],
    ['SettleFunction', (event) => settleRun(event, surroundings().residents)],
  ]);
}

/**
 * The store has the results of runs; the histories of executions are of use only to callers that are just looking at
 * them.
 */
const KEPT_EXECUTIONS = 20;

/** How long functions that do not look at their signals may keep the end of the process waiting. */
const LEAVING_MS = 5_000;
