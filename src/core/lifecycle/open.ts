import {
  later,
  onTreeClock,
  toMillis,
  type Seconds,
  type TreeInstant,
  type Instant,
} from '../records/times.ts';
import * as v from 'valibot';
import { AgentError } from '../../errors.ts';
import { identityOf } from '../events/event.ts';
import type { LiveBus } from '../events/live.ts';
import { isExpress } from '../machine/express.ts';
import { FORMAT } from '../machine/format.ts';
import { ANSWERED, DEAD, GONE, isIn, OPEN, phases, UNDER_WAY } from '../records/phase.ts';
import { STOPPED } from '../records/closing-reason.ts';
import { closeRun } from '../turn/close.ts';
import { pausedAt } from '../records/clock.ts';
import { ownDeadline, secondsUntil, usualTimeout } from '../records/deadline.ts';
import type { RunStore } from '../records/ports.ts';
import { mostSearches } from '../model/searches.ts';
import { preview } from '../records/preview.ts';
import { runOfExecution } from '../records/run-id.ts';
import { hasTextHooks, type Opened } from '../records/opened.ts';
import { isBeside, nameOf, NO_USAGE, type Run } from '../records/run.ts';
import { derive } from './derive.ts';
import { endedCaller } from './ended-caller.ts';
import { forkOf } from './fork.ts';
import { holdRun, isHeldBy, type Claim } from '../turn/hold.ts';
import { openAgentFile, type AgentFilePorts } from './open-agent-file.ts';
import { findOrigin, type Origin, RunInput } from './origin.ts';
import { reopenRun } from './reopen.ts';
import { defined } from '../../defined.ts';

const OpenInput = v.object({
  /** ARN and name of the execution, and how often it was redriven, as the context object has them. */
  execution: v.string(),
  name: v.string(),
  redrives: v.number(),
  input: RunInput,
});

export interface OpenOutput {
  run: string;
  /** Which execution of the run this is; each redrive counts as one more. */
  holder: number;
  deadline: TreeInstant;
  /** How long it is until then. */
  timeout: Seconds;
  /** How long the tree may wait for people in all, which does not count. */
  patience: Seconds;
}

export interface OpenPorts extends Omit<AgentFilePorts, 'warn'> {
  store: RunStore;
  now: () => Instant;
  /** Hears warnings; absent where nothing listens. */
  live?: LiveBus | undefined;
}

/**
 * Opens the conversation of an execution: loads the agent, gathers its context, and saves everything that stays the
 * same from turn to turn. A run that was opened before continues unchanged in this execution.
 *
 * @throws {ConfigError | AgentError} which fail the run; the record says why, so that a parent can be told
 */
export async function openRun(event: unknown, ports: OpenPorts): Promise<OpenOutput> {
  const { execution, name: executionName, redrives, input } = v.parse(OpenInput, event);
  const id = input.run ?? runOfExecution(executionName);
  const { isWoken, wokenBy, isForPerson } = input;
  const claim: Claim = { holder: input.holder + redrives, execution, isWoken, wokenBy, isForPerson };
  if (isWoken) {
    const [run, opened] = await Promise.all([ports.store.run(id), ports.store.opened(id)]);
    if (run !== undefined && opened !== undefined) {
      const { deadline, patience, holder } = input;
      const { held, times } = await reopenRun({ run, opened, claim, deadline, patience }, ports);
      await assertWanted(held, undefined, ports);
      return { ...times, holder };
    }
  }
  const { store } = ports;
  // Read along with where the run comes from; if it cannot be read, the run's record says so.
  const reading = store.opened(id);
  reading.catch(() => {});
  const origin = await findOrigin(id, input, ports);
  const name = origin.name && (await store.claimName({ id, path: origin.path }, origin.name));
  const startedAt = ports.now();
  // Of most, the first execution of their parent is the only one.
  const { parentHolder = 1 } = input;
  const begunBy = parentHolder > 1 ? { parentHolder } : {};
  const base: Run = {
    id,
    v: FORMAT,
    root: origin.root ?? id,
    ...defined({ parent: origin.parent }),
    ...begunBy,
    path: origin.path,
    agent: origin.agent,
    ...(origin.derived !== undefined && { derivedBy: origin.derived.by }),
    ...(origin.fork !== undefined && { derivedBy: 'fork' }),
    ...(name !== undefined && { name, beside: true }),
    // Nobody writes to one that no model carries on, even if it cannot be opened.
    model: origin.derived?.differences.model ?? '',
    depth: origin.depth,
    ...origin.owner,
    ...defined({ tags: origin.tags, traceparent: origin.traceparent }),
    status: 'running',
    startedAt: new Date(startedAt).toISOString(),
    ...defined({ forkedFrom: origin.forkedFrom }),
    task: preview(origin.task),
    holder: claim.holder,
    execution,
    timeout: 0,
    usage: NO_USAGE,
  };
  // If this function dies once it has written the record, nothing else says that there is more to look at.
  if (origin.isLate) await store.listAsOpen(base);
  let before: Opened | undefined;
  let made: Opened;
  try {
    assertKnownFormat(input.v);
    before = await reading;
    made = before ?? (await toOpened(base, origin, ports));
  } catch (thrown) {
    await ports.store.insertRun(base);
    throw thrown;
  }
  const patience = made.patience ?? input.patience;
  // Deadlines are times of the tree's clock, which stands still while an agent waits for a person.
  const begins = onTreeClock(startedAt, patience > 0 ? pausedAt(await store.clock(base.root), startedAt) : 0);
  const timesOf = (opened: Opened) => {
    const { deadline: inherited, timeout: given } = input;
    const deadline =
      inherited === undefined
        ? later(begins, toMillis(given || opened.timeout || usualTimeout(opened.service)))
        : ownDeadline(begins, inherited, opened.timeout, origin.timeout);
    // An execution that opens it late takes from its time, but not from what it was given.
    const timeout = deadline === inherited ? given : undefined;
    return { deadline, timeout: timeout ?? secondsUntil(deadline, begins) };
  };
  // Written at once. A reader that finds one without the other opens the run again, to the same effect.
  const [opened, kept] = await Promise.all([
    before ?? store.saveOpened(id, made),
    store.insertRun({
      ...base,
      model: made.model,
      timeout: timesOf(made).timeout,
      ...openedAs(made),
    }),
  ]);
  const { deadline, timeout } = timesOf(opened);
  // It had failed before it was moved. With the number of that execution, this one ends at the fence.
  if (input.isMoved && isExpress(kept.execution) && isIn(DEAD, kept)) {
    return { run: id, holder: kept.holder, deadline, timeout, patience };
  }
  const model = kept.chosenModel ?? opened.model;
  const found = {
    model,
    timeout,
    ...begunBy,
    ...openedAs(opened),
  };
  // A run that has its answer keeps it; this execution carries any other from now on.
  const newest = isHeldBy(kept, claim) ? undefined : await store.newestTurn(id);
  const held = await holdRun(kept, { ...claim, changes: found }, newest?.at, ports);
  // One that was written before it was known how the run is opened.
  const isKnown =
    held?.model === model &&
    held.timeout === timeout &&
    held.version === opened.version &&
    held.pack === opened.pack;
  if (held !== undefined && !isKnown) {
    await store.updateRun(id, (one) => (isHeldBy(one, claim) ? { ...one, ...found } : one), held);
  }
  await assertWanted(held ?? base, input.parentHolder, ports);
  return { run: id, holder: input.holder, deadline, timeout, patience };
}

/** What the record of a run says of how it was opened. */
function openedAs(opened: Opened): Pick<Run, 'pack' | 'version' | 'withholds'> {
  return {
    ...defined({ version: opened.version, pack: opened.pack }),
    ...(hasTextHooks(opened) && { withholds: true }),
  };
}

/** A deployment may have been rolled back while runs of a later one are under way. */
function assertKnownFormat(format: number): void {
  if (format <= FORMAT) return;
  throw new AgentError(
    `the run was started by a newer version of cadre (format ${format}; this one knows ${FORMAT}): deploy that version again, and resume the run`,
  );
}

/** The phases of an agent that has ended, and may go on as it was. */
const CONTINUING = phases(...ANSWERED, 'stopped');

/**
 * Ending an agent closes its record first, and then looks for runs below it; this looks at the record after it has left
 * its own. So one of both sees the other, and nothing is begun for an agent that has ended.
 * @param parentHolder as in `RunInput`
 */
async function assertWanted(run: Run, parentHolder: number | undefined, ports: OpenPorts): Promise<void> {
  const { store } = ports;
  const starter = run.parent && (await store.run(run.parent.run));
  if (starter === undefined || isIn(UNDER_WAY, starter)) return;
  // The tree may have come to its end with the execution that this function was invoked by, or may have been found at
  // rest since it was listed: the next sweep looks at it again.
  await store.listAsOpen(run);
  // The execution that has begun it has ended, even with an answer. An agent that was woken needs none above it at work.
  const isOver = !isIn(OPEN, starter) && starter.holder >= (parentHolder ?? Infinity);
  const nearest = isOver ? starter : await endedCaller(run, store);
  if (nearest === undefined) return;
  // Sub-agents that are waited for go on with a later execution of their caller, and with one that is redriven.
  const caller = isBeside(run) || isOver ? nearest : await endedCaller(run, store, GONE);
  if (caller === undefined) return;
  if (isIn(CONTINUING, caller)) {
    // So that it begins when its caller does, and fails nothing.
    const failure = { error: 'Stopped', message: STOPPED };
    await closeRun(run, await store.turns(run.id), { status: 'stopped', failure }, ports);
  }
  throw new AgentError(`its caller, run "${caller.id}", has ended: its status is ${caller.status}`);
}

async function toOpened(base: Run, origin: Origin, ports: OpenPorts): Promise<Opened> {
  const { fork, parent } = origin;
  if (fork !== undefined && parent !== undefined) {
    const newest = { run: parent.run, to: parent.turn };
    return forkOf(fork, base.id, nameOf(base), newest, origin.task);
  }
  const { derived } = origin;
  const own =
    derived === undefined
      ? await openAgentFile(base.root, origin, { ...ports, warn: warningOf(base, ports.live) })
      : await openDerived(derived, origin, ports);
  return origin.isAwaited ? { ...own, isAwaited: true } : own;
}

async function openDerived(
  derived: NonNullable<Origin['derived']>,
  origin: Origin,
  ports: Pick<OpenPorts, 'tools'>,
): Promise<Opened> {
  const { isComputed, tools } = derived.differences;
  const opened = derive(derived, origin, await ports.tools(tools));
  if (mostSearches(opened.tools) > 0 && !isComputed) {
    const { assertProviderSearch } = await import('../tool-contracts/provider-search.ts');
    // Its model may be another than its caller's.
    assertProviderSearch(opened.tools, opened.model, { api: opened.api });
  }
  return opened;
}

function warningOf(run: Run, live: LiveBus | undefined) {
  return (message: string, model: string) =>
    live?.tell({ type: 'warning', ...identityOf({ ...run, model }), message });
}
