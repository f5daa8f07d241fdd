import { noteStoppedBy } from '../../core/lifecycle/note-deed.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { createFollow } from '../follow/follow.ts';
import { LOCAL_POLL_MS } from '../follow/view.ts';
import { NOTHING_RUNS } from '../../core/lifecycle/ports.ts';
import type { PlaceLimits } from '../../core/spending/allot.ts';
import type { RunRequest } from '../../core/records/request.ts';
import { assertNotPaused } from '../assert-not-paused.ts';
import { assertStoppable } from '../assert-stoppable.ts';
import type { Run } from '../../core/records/run.ts';
import type { Environment, NewRun } from '../environment.ts';
import type { LocalCarrier } from './local-carrier.ts';
import type { LocalStore } from './local-store.ts';
import { unlessCarried } from './run-lock.ts';
import { createRecordOperations } from '../record-operations.ts';
import type { StartedAgent } from '../start-recorded.ts';
import type { LocalTime } from '../time.ts';
import { untilRested, type EndedOptions } from '../until-rested.ts';

export interface LocalEnvironmentOptions {
  /** The store of the folder. It is closed with the environment. */
  local: LocalStore;
  /** Loads the carrier of this process's runs, with the first of them. */
  load: () => Promise<LocalCarrier>;
  /** Whether this process stays to carry out what others have left; if not, killing an agent sets nothing going. */
  carries: boolean;
  /** Finds the agent of a request, and its faults. */
  check: (request: RunRequest) => Promise<StartedAgent>;
  /** @throws {ConfigError} unless an agent, and all that it can call, may start their programs here */
  assertTrusted: (agent: string) => Promise<void>;
  time: LocalTime;
  /** The limits per day of the folder; undefined: it has none. */
  limits: () => Promise<PlaceLimits | undefined>;
}

/** The environment of a folder, with what its keepers need: one who serves it, or who looks at its executions. */
export interface Folder extends Environment {
  readonly local: LocalStore;
  /** What carries runs out here, loaded with the first that asks for it. */
  carrier(): Promise<LocalCarrier>;
}

/** Long enough to fetch what an answer led to; nothing expires here. */
const LINK_MS = 15 * 60_000;

/**
 * A folder, and this process, which carries runs that are started or continued here. Other processes may do so in the
 * same folder: locks say which, and what people do to a tree is left to the process that has it.
 */
export function createLocalEnvironment(options: LocalEnvironmentOptions): Folder {
  const { local, load, carries, check, assertTrusted, time, limits } = options;
  const { runs: store, locks, blobs, isCarriedOut } = local;
  const now = () => time.now();
  const records = {
    ...store,
    isCarriedOut,
    // An answer that a model of this process writes is in no store until a client of another process watches.
    draft: async (run: string) => local.feed.answer(run) ?? store.draft(run),
  };
  let loaded: LocalCarrier | undefined;
  let loading: Promise<LocalCarrier> | undefined;
  const carrier = () => (loading ??= load().then((each) => (loaded = each)));
  const executions = () => loaded?.executions ?? NOTHING_RUNS.executions;

  async function start(run: NewRun): Promise<Run> {
    const [{ startRecorded }, { executions: locked }] = await Promise.all([
      import('../start-recorded.ts'),
      carrier(),
    ]);
    const ports = { store, executions: locked, now, limits: await limits(), hold: locked.hold };
    return startRecorded(run, ports, async (request) => {
      const agent = await check(request);
      await assertTrusted(request.agent);
      return agent;
    });
  }

  const operations = createRecordOperations({
    store,
    now,
    start,
    // A process that carries the tree looks for answers itself.
    wakeAsker: async (question) => loaded?.wakeAsker(question),
  });

  /** Takes a tree for as long as it takes to cancel what remote agents do for it, unless its carrier does so. */
  async function giveUpRemotes(root: string): Promise<void> {
    if ((await store.tree(root)).every(({ isToGiveUp }) => isToGiveUp !== true)) return;
    const { pipeline } = await carrier();
    await unlessCarried(() => pipeline.carryOut(root, async () => {}));
  }

  /** Waits for the runs here, and for the process that a message was left to. */
  async function untilWholeTreeRests(id: string, { signal }: EndedOptions): Promise<void> {
    const left = new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
    if (signal?.aborted) return;
    await Promise.race([loaded?.quiet(id), left]);
    const root = (await store.run(id))?.root ?? id;
    while (!signal?.aborted && (await locks.isTaken(root))) await delay(LOCAL_POLL_MS);
  }

  return {
    ...operations,
    local,
    carrier,
    records,
    perDay: async () => (await limits())?.perDay ?? {},
    start,
    async resume(run, { timeout, model, add, by } = {}) {
      const { assertAnyLeft, assertTop } = await import('../../core/lifecycle/resume.ts');
      assertTop(run);
      await assertAnyLeft(run, { store, executions: executions(), now });
      await assertTrusted(run.agent);
      const carried = await carrier();
      if (model !== undefined) await carried.pipeline.models.open(model);
      await assertNotPaused(store);
      return carried.resume(run, { timeout, model, add, by });
    },
    async send(message) {
      const { root } = (await store.run(message.run)) ?? {};
      const top = root === undefined ? undefined : await store.run(root);
      if (top !== undefined) await assertTrusted(top.agent);
      return (await carrier()).send(message);
    },
    async stop(run, cause, by) {
      await assertStoppable(run, executions());
      await noteStoppedBy(run, by, store);
      if (loaded?.executions.carries(run.root)) await loaded.executions.stop(run.execution, cause);
      else {
        await (await import('./stop-by-records.ts')).stopByRecords(run, cause, local, now);
        await giveUpRemotes(run.root);
      }
      return run;
    },
    async kill(run, by) {
      (await import('../../core/lifecycle/assert-killable.ts')).assertKillable(run);
      await noteStoppedBy(run, by, store);
      if (carries) return (await carrier()).kill(run);
      // By its records alone: a process that carries the tree sees them, ends the runs, and goes on with the agents that
      // were told. Where there is none, they go on when the tree is resumed.
      const { killForPerson } = await import('../../core/lifecycle/kill-agent.ts');
      return killForPerson(run, { ...NOTHING_RUNS, store, now });
    },
    ...createFollow({
      store,
      isCarriedOut,
      pollMs: LOCAL_POLL_MS,
      feed: local.feed,
      carries: (root) => loaded?.executions.carries(root) ?? false,
      now,
      during: (work) => time.during(work),
    }),
    async ended(id, ended = {}) {
      if (ended.wholeTree) await untilWholeTreeRests(id, ended);
      return untilRested(id, { ...ended, wholeTree: false }, records);
    },
    async publish(key, text) {
      await blobs.put(key, text);
      return { url: `/${key}`, expiresAt: now() + LINK_MS };
    },
    uploads: local.uploads(now),
    link: () => undefined,
    stopAll: async (cause) => loaded?.executions.stopAll(cause),
    async close() {
      // A carrier that is being loaded has the store open.
      await loading?.catch(() => {});
      await loaded?.close();
      await local.close();
    },
  };
}
