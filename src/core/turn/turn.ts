import {
  offTreeClock,
  onTreeClock,
  type Instant,
  type TreeInstant,
  millis,
  toMillis,
} from '../records/times.ts';
import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { isComputed } from '../model/model-name.ts';
import { AgentError, messageOf } from '../../errors.ts';
import { pausedAt } from '../records/clock.ts';
import { secondsUntil } from '../records/deadline.ts';
import { reopened } from '../records/reopened.ts';
import { NO_NEWS, newsFor, turnsThatCount, type Mail, type MailNews } from '../records/mail.ts';
import type { Opened } from '../records/opened.ts';
import { AT_REST, isIn, phaseOf } from '../records/phase.ts';
import { mayStartBeside } from '../records/plan.ts';
import { isBeside, type Run } from '../records/run.ts';
import { coarser, MAX_SPANS, toSpans, type Interval, type SpanKind } from '../records/spans.ts';
import { hasAnswer, isAnswer, type Turn } from '../records/turn.ts';
import type { Planned } from '../steps/kind.ts';
import type { Outcome } from '../steps/outcome.ts';
import { toResults } from '../steps/results.ts';
import { toWaves, type Wave } from '../steps/waves.ts';
import { answerStands } from './answer-stands.ts';
import { askModel } from './ask.ts';
import { closeRun, countLate } from './close.ts';
import { holdRun, isHeldBy } from './hold.ts';
import { loadTurn, type Loaded } from './load-turn.ts';
import type { Said } from '../records/attachment.ts';
import { firstMessages, toReceived } from './messages.ts';
import type { RememberPorts } from './remember.ts';
import type { AskPorts, ConversationSoFar } from './send-prompt.ts';
import type { RunStore } from '../records/ports.ts';
import type { Account } from '../spending/spending.ts';
import { TurnInput, type TimedTurnInput } from './turn-input.ts';
import { restingWait, type TurnBatch, type TurnWait } from './wait.ts';
import type { LoadOwnTools } from '../tool-contracts/own-tools.ts';
import { loadOnce } from '../../load-once.ts';

/** A safety valve against conversations that never end, as in axe. A turn is one send and receive. */
export const MAX_TURNS = 50;

/** The machine's next step, by references only. */
export type TurnOutput =
  | { next: 'answered'; run: string; turn: number; status: 'succeeded' | 'budget_exceeded' | 'idle' }
  /** With the outcomes of earlier passes of the turn, where it has any. */
  | { next: 'act'; run: string; turn: number; waves: Wave[]; outcomes?: Outcome[] }
  /** It has answered, and others may still want something of it. */
  | { next: 'idle'; run: string; turn: number }
  /** Another execution carries the run now, or the run was closed: this one ends and changes nothing. */
  | { next: 'superseded'; run: string; turn: number }
  | TurnBatch
  | TurnWait;

export interface TurnPorts extends AskPorts, RememberPorts {
  tools: LoadOwnTools;
}

/**
 * Makes one turn with the model: puts the outcomes of the last turn's calls into words, sends the conversation, saves
 * the answer and plans its calls. A turn happens once: if it, or a later one, is saved already, the model is not asked
 * again and the newest turn decides the next step. So a repeated invocation costs nothing, be it a Lambda retry, a
 * redrive or a resumed run.
 *
 * @throws {ModelError | AgentError | MissingKeyError} which fail the run
 */
export async function takeTurn(event: unknown, ports: TurnPorts, signal: AbortSignal): Promise<TurnOutput> {
  const given = v.parse(TurnInput, event);
  const { store } = ports;
  const [kept, openedAs, turns, ledger, watchedUntil, clock] = await Promise.all([
    store.run(given.run),
    store.opened(given.run),
    store.turns(given.run),
    store.ledger(given.run),
    store.watchedUntil(given.run),
    given.patience > 0 ? store.clock(given.run) : undefined,
  ]);
  const paused = pausedAt(clock, ports.now());
  const input = { ...given, until: offTreeClock(given.deadline, paused) };
  if (kept === undefined || openedAs === undefined) {
    throw new AgentError(`run "${input.run}" has not been opened`);
  }
  // What is loaded for a conversation is known by it: a copy is made only where one is needed.
  const { chosenModel } = kept;
  const opened = chosenModel === undefined ? openedAs : (await loadModel()).withModel(openedAs, chosenModel);
  const newest = turns.at(-1);
  const isHeld = isHeldBy(kept, input);
  const isResting = isHeld && phaseOf(kept) === 'resting';
  if (isHeld && !isResting && isIn(AT_REST, kept)) {
    // The function that ended the run may have died before it did this.
    if (kept.usage.turns < turns.length) await countLate(turns, kept, store);
    return answered(kept, opened, turns, ports);
  }
  const superseded = { next: 'superseded', run: input.run, turn: turns.length } as const;
  const held = isResting ? kept : await holdRun(kept, input, newest?.at, ports);
  if (held === undefined) return superseded;
  // A function that has noted this may have died before the run ended.
  if (held.exceeded !== undefined) return comeToRest(held, turns, ports);

  // A step about its text comes before the turn is stored: if it is by now, its calls are still to be made.
  const wanted = input.outcomes.some(({ call }) => call === 0) ? input.turn - 1 : input.turn;
  const isRepeated = newest !== undefined && newest.number >= wanted;
  // The process that made the turn may have died before it did this.
  if (isRepeated) await markNewsRead(newest, held.id, store);
  const mails = held.hasMail ? await store.mails(held.id) : [];
  const news = held.hasMail ? newsFor(mails, turns, opened.tools, held) : NO_NEWS;
  const hasAnswered = hasAnswer(held, turns);
  // Once its time is over, what it has answered stands.
  const goesOn = news.said.length > 0 && ports.now() < input.until;
  if (hasAnswered && !goesOn) return finish(held, opened, turns, ports);
  if (hasAnswered && mails.some(({ kind }) => kind === 'end')) {
    const wait = await (await loadEnds()).moreEnds(held, { mails, news }, input, ports);
    if (wait !== undefined) return wait;
  }
  const run = isResting ? await woken(held, input.deadline, onTreeClock(ports.now(), paused), ports) : held;
  if (run === undefined) return superseded;
  const begun = { run, opened, turns, mails, news, ledger, paused, watchedUntil, isRepeated, hasAnswered };
  const stands = answerStands(begun);
  let reason: string;
  try {
    const made = await makeTurn(begun, input, ports, signal);
    if (!('exceeded' in made)) return made;
    // Another function has made the turn meanwhile.
    if ((await store.turn(run.id, turns.length + 1)) !== undefined)
      return await takeTurn(event, ports, signal);
    if (!stands) return await endAtLimit(made.exceeded, run, opened, turns, ports);
    reason = made.exceeded;
  } catch (thrown) {
    if (!stands || !(await loadPassOver()).failsForGood(thrown, signal)) throw thrown;
    reason = messageOf(thrown);
  }
  await (await loadPassOver()).passOver(begun, reason, ports);
  return comeToRest(run, turns, ports);
}

/** It rests, once what came late is counted. */
async function comeToRest(run: Run, turns: readonly Turn[], { store }: TurnPorts): Promise<TurnOutput> {
  await countLate(turns, run, store);
  return { next: 'idle', run: run.id, turn: turns.length };
}

/** Few agents have others at work beside them. */
const loadEnds = () => import('./ends.ts');

/** Few agents have hooks. */
const loadHooked = loadOnce(() => import('./hooked-turn.ts'));

/** Few runs go on with another model. */
const loadModel = () => import('../records/with-model.ts');

/** Few turns are made in vain. */
const loadPassOver = () => import('./pass-over.ts');

/** A run that is about to make a turn. */
interface Begun extends Pick<Known, 'run' | 'opened' | 'ledger' | 'watchedUntil'>, Pick<Planned, 'paused'> {
  /** The new one joins them. */
  turns: Turn[];
  mails: readonly Mail[];
  news: MailNews;
  /** Whether the turn is there already. */
  isRepeated: boolean;
  hasAnswered: boolean;
}

/**
 * Makes the turn itself, unless it is there.
 * @returns `exceeded` for the limit that stands in its way
 */
async function makeTurn(
  { run, opened, turns, mails, news, ledger, paused, watchedUntil, isRepeated, hasAnswered }: Begun,
  input: TimedTurnInput,
  ports: TurnPorts,
  signal: AbortSignal,
): Promise<TurnOutput | { exceeded: string }> {
  const { store } = ports;
  const account: Account = { run, opened, ledger, owner: randomUUID() };
  const loaded = await loadTurn(opened, ports.tools);
  let newest = turns.at(-1);
  const planned = {
    run,
    limits: opened.delegation,
    store,
    deadline: input.deadline,
    now: onTreeClock(ports.now(), paused),
    paused,
    patienceLeft: input.patience > 0 ? millis(toMillis(input.patience) - paused) : undefined,
    // Includes what an earlier execution of the run began.
    isRepeated: isRepeated || run.holder > 1,
  };
  const hooked = opened.hooks && (await loadHooked()).hookedTurn({ opened, turns, loaded, input, planned });
  if (newest === undefined || !isRepeated || hasAnswered) {
    const left = await hooked?.left(hasAnswered);
    if (left !== undefined && 'next' in left) return left;
    const known = { ...account, turns, loaded, news, watchedUntil };
    const asked = left ?? (await askModel(input, await readConversation(known, input, ports), ports, signal));
    if ('exceeded' in asked || 'next' in asked) return asked;
    const looking = 'made' in asked || left !== undefined ? undefined : await hooked?.made(asked.turn);
    if (looking !== undefined && 'next' in looking) return looking;
    newest = 'made' in asked ? asked.made : await store.saveTurn(run.id, (looking ?? asked).turn);
    turns.push(newest);
    if (newest.told !== undefined) await markNewsRead(newest, run.id, store);
  }
  const { exceeded } = newest;
  if (exceeded !== undefined) return { exceeded };
  if (hasAnswer(run, turns)) return finish(run, opened, turns, ports);
  assertCorrectable(turns, run, loaded);
  // One that is computed ends by itself, and a remote agent may take long.
  if (!isComputed(run.model) && turnsThatCount(turns, mails).length >= MAX_TURNS) {
    throw new AgentError(`agent exceeded maximum conversation turns (${MAX_TURNS})`);
  }
  // Its model may have taken minutes.
  const asPlanned = { ...planned, now: onTreeClock(ports.now(), paused), turn: newest.number };
  const acting = hooked?.act(newest) ?? toWaves(newest, asPlanned);
  const [waves] = await Promise.all([acting, countLate(turns, run, store)]);
  return { next: 'act', run: run.id, turn: newest.number, ...(Array.isArray(waves) ? { waves } : waves) };
}

/** What is known of a conversation before the messages of its next turn are read. */
type Known = Omit<ConversationSoFar, 'resting' | 'first' | 'received' | 'waited'>;

/** Reads what a model is told now: what came before its own turns, the results of its calls, and notes on its answer. */
async function readConversation(
  known: Known,
  input: TimedTurnInput,
  ports: TurnPorts,
): Promise<ConversationSoFar> {
  const { run, opened, turns, loaded } = known;
  const { store, now } = ports;
  const newest = turns.at(-1);
  const hasCalls = newest !== undefined && !isAnswer(newest);
  const waits: Interval[] = [];
  const madeAt = Date.parse(newest?.at ?? run.startedAt);
  const waited = (kind: SpanKind, to: Instant, from = madeAt) => void waits.push({ kind, from, to });
  const { hooks } = opened;
  const context = { run, limits: opened.delegation, hooks, store, tools: loaded.tools, now: now(), waited };
  // All at once: each read that waits for another is one more round trip.
  const [first, results, reserving, resting] = await Promise.all([
    firstMessages(opened, store),
    hasCalls ? toResults(newest, input.outcomes, context) : [],
    opened.budget === undefined ? {} : readBeforeReserving(known, store),
    restingWait(input, opened, ports),
  ]);
  const news = await untaken(known, store);
  const received = toReceived(results, [...notesOn(turns, opened, loaded), ...news.said]);
  const spans = toSpans(waits, madeAt, Math.max(madeAt, ...waits.map(({ to }) => to)));
  return { ...known, ...reserving, news, resting, first, received, waited: coarser(spans, MAX_SPANS) };
}

/** The news without the messages that a call of `wait` has just taken as its result. */
async function untaken({ run, turns, opened, news }: Known, store: RunStore): Promise<MailNews> {
  const mayTake = turns.at(-1)?.plans.some(({ kind }) => kind === 'wait') === true && news.ids.length > 0;
  return mayTake ? newsFor(await store.mails(run.id), turns, opened.tools, run) : news;
}

/** Marks the messages that a turn was told as read. */
async function markNewsRead(turn: Turn | undefined, run: string, store: TurnPorts['store']): Promise<void> {
  await Promise.all((turn?.told ?? []).map((id) => store.markRead(run, id)));
}

/** The notes for a model on its newest answer: its faults, and how near it has come to a limit. */
function notesOn(turns: readonly Turn[], { caps }: Opened, loaded: Loaded): Said[] {
  const { faults = [], denied } = turns.at(-1) ?? {};
  const ofLimits = (caps && loaded.caps?.noticesOf(caps, turns)) ?? [];
  const notices = denied === undefined ? ofLimits : [denied, ...ofLimits];
  const corrections =
    faults.length === 0 || loaded.output === undefined ? [] : [loaded.output.correctionOf(faults)];
  return [...corrections, ...notices].map((text) => ({ text }));
}

/** @throws {AgentError} if the newest answer has been corrected before, and is still not what it must be */
function assertCorrectable(turns: readonly Turn[], { resumedAt = '' }: Run, { output }: Loaded): void {
  if (turns.at(-1)?.faults === undefined) return;
  const failure = output?.failureOf(turns, resumedAt);
  if (failure !== undefined) throw new AgentError(failure);
}

/** An idle run has something to do again, until its deadline, unless it was ended meanwhile. */
async function woken(
  run: Run,
  deadline: TreeInstant,
  begins: TreeInstant,
  { store, now }: TurnPorts,
): Promise<Run | undefined> {
  const times = { timeout: secondsUntil(deadline, begins), deadline };
  const wake = (current: Run): Run =>
    current.status === 'idle' && isHeldBy(current, run) ? { ...reopened(current, now()), ...times } : current;
  const current = await store.updateRun(run.id, wake, run);
  return current?.status === 'running' && isHeldBy(current, run) ? current : undefined;
}

/**
 * Ends a run that has answered. One that others may write to, or that has forks at work, is not over yet; its fate is
 * not decided here.
 */
async function finish(
  run: Run,
  opened: Opened,
  turns: readonly Turn[],
  ports: TurnPorts,
): Promise<TurnOutput> {
  if (isResident(run, opened)) return comeToRest(run, turns, ports);
  const closed = await closeRun(run, turns, { status: 'succeeded' }, ports);
  // A message has come since it was looked at.
  if (closed?.status === 'running' && isHeldBy(closed, run)) return comeToRest(run, turns, ports);
  return answered(closed ?? run, opened, turns, ports);
}

/** Whether others count on it: they wrote to it or may wait for it, or it works beside another or may have others so. */
function isResident(run: Run, { delegation, isAwaited }: Opened): boolean {
  return run.hasMail === true || isAwaited === true || isBeside(run) || mayStartBeside(delegation);
}

const loadSpending = loadOnce(() => import('../spending/spending.ts'));

async function readBeforeReserving(account: Account, store: RunStore) {
  const { beforeReserving } = await loadSpending();
  return beforeReserving(account, store);
}

/** Reaching a limit is a normal end: the result is the text so far. */
async function endAtLimit(
  exceeded: string,
  run: Run,
  opened: Opened,
  turns: readonly Turn[],
  ports: TurnPorts,
): Promise<TurnOutput> {
  if (isResident(run, opened)) {
    const note = (current: Run) => (isHeldBy(current, run) ? { ...current, exceeded } : current);
    await ports.store.updateRun(run.id, note, run);
    return comeToRest(run, turns, ports);
  }
  const closed = await closeRun(run, turns, { status: 'budget_exceeded', exceeded }, ports);
  return answered(closed ?? run, opened, turns, ports);
}

/** The end of a run that has its answer; a run that was stopped at the last moment has none. */
async function answered(
  run: Run,
  opened: Opened,
  turns: readonly Turn[],
  ports: TurnPorts,
): Promise<TurnOutput> {
  const { id, status } = run;
  const answer = turns.findLast(isAnswer);
  if (status !== 'succeeded' && status !== 'budget_exceeded' && status !== 'idle') {
    return { next: 'superseded', run: id, turn: turns.length };
  }
  if (opened.memory !== undefined && answer !== undefined) {
    const { remember } = await import('./remember.ts');
    await remember(run, opened, answer, ports);
  }
  return { next: 'answered', run: id, turn: turns.length, status };
}
