import { setTimeout as delay } from 'node:timers/promises';
import type { CallKey } from '../runs/call.ts';
import {
  callFinishedEvent,
  callStartedEvent,
  closedEvent,
  openedEvent,
  questionAnsweredEvent,
  questionAskedEvent,
  turnFinishedEvent,
  turnStartedEvent,
  type EmitRunEvent,
  type RunEvent,
} from '../runs/event.ts';
import type { RunStore } from '../runs/ports.ts';
import type { Run, Turn } from '../runs/run.ts';

const POLL_MS = 1_000;

/** When it happened, in milliseconds since 1970. */
interface Dated {
  at: number;
  event: RunEvent;
}

/** What was told of each run of a tree, by run. */
export type Told = Map<string, { holder: number; turns: number; isClosed: boolean }>;

/** What there is of a tree already: nothing of it is told again. */
export async function toldAlready(root: string, store: RunStore): Promise<Told> {
  const tree = await store.tree(root);
  const told = tree.map(async (run) => [run.id, toldOf(run, await store.turns(run.id))] as const);
  return new Map(await Promise.all(told));
}

function toldOf(run: Run, { length }: readonly Turn[]) {
  return { holder: run.holder, turns: length, isClosed: run.status !== 'running' };
}

/**
 * Tells of a tree that another process carries out, as it appears in the store, until the signal is aborted, its top
 * has ended or nobody carries it out any more: the same events as the process itself emits, in the order of time, up to
 * a second later.
 * @param told before; where the top had ended then, it is another end that is waited for
 */
export async function pollEvents(
  root: string,
  store: RunStore,
  emit: EmitRunEvent,
  signal: AbortSignal,
  isCarriedOut: () => Promise<boolean> = () => Promise.resolve(true),
  told: Told = new Map(),
): Promise<void> {
  const seen = new Map(told);
  const toldCalls: ToldCalls = { begun: new Set(), ended: new Set() };
  const hasEnded = (run: Run) => run.status !== 'running' && run.holder > (told.get(run.id)?.holder ?? 0);
  while (!signal.aborted) {
    // Asked first: a run that ends in between is then read as ended, and never as abandoned.
    const abandoned = !(await isCarriedOut());
    const tree = await store.tree(root);
    const news: Dated[] = [];
    for (const run of tree) {
      const before = seen.get(run.id);
      // A run that is taken over goes on.
      const isTaken = before === undefined || run.holder > before.holder;
      if (!isTaken && before.isClosed) continue;
      const turns = await store.turns(run.id);
      const { startedAt, resumedAt = startedAt, endedAt = resumedAt } = run;
      if (isTaken) news.push({ at: Date.parse(resumedAt), event: openedEvent(run) });
      news.push(...turns.slice(before?.turns ?? 0).flatMap((turn) => turnEvents(run, turn)));
      // Calls of any but the newest turn have ended.
      for (const turn of turns.slice(Math.max(0, (before?.turns ?? 0) - 1))) {
        news.push(...(await callEvents(run, turn, store, toldCalls)));
      }
      if (run.status !== 'running') news.push({ at: Date.parse(endedAt), event: closedEvent(run) });
      seen.set(run.id, toldOf(run, turns));
    }
    for (const { event } of news.sort((one, other) => one.at - other.at)) emit(event);
    if (abandoned || tree.some((run) => run.id === root && hasEnded(run))) return;
    await delay(POLL_MS, undefined, { signal }).catch(() => {});
  }
}

/** Calls of which it was told that they began, and that they ended. */
interface ToldCalls {
  begun: Set<string>;
  ended: Set<string>;
}

/** What has become known since of the calls that functions carry out. */
async function callEvents(
  run: Run,
  { number, answer, plans }: Turn,
  store: RunStore,
  { begun, ended }: ToldCalls,
): Promise<Dated[]> {
  const events: Dated[] = [];
  for (const [index, plan] of plans.entries()) {
    const at = { run: run.id, turn: number, call: index + 1 };
    const key = `${run.id} ${number} ${index}`;
    if (plan.kind === 'ask') events.push(...(await questionEvents(run, at, store, key, { begun, ended })));
    if (plan.kind !== 'invoke' || ended.has(key)) continue;
    const call = { ...at, tool: answer.calls[index]?.name ?? '', subject: plan.subject };
    const result = await store.callResult(at);
    const started = result === undefined ? undefined : Date.parse(result.startedAt);
    if (!begun.has(key) && (started !== undefined || (await store.callMark(at)) !== undefined)) {
      begun.add(key);
      // Of a call that is under way, it is only known that it began before now.
      events.push({ at: started ?? Date.now(), event: callStartedEvent(run, call) });
    }
    if (result === undefined || started === undefined) continue;
    ended.add(key);
    events.push({ at: started + result.durationMs, event: callFinishedEvent(run, call, result) });
  }
  return events;
}

/** What has become known since of a question to a person. */
async function questionEvents(
  run: Run,
  at: CallKey,
  store: RunStore,
  key: string,
  { begun, ended }: ToldCalls,
): Promise<Dated[]> {
  if (ended.has(key)) return [];
  const [asked, answer] = await Promise.all([store.question(at), store.answer(at)]);
  const events: Dated[] = [];
  if (asked !== undefined && !begun.has(key)) {
    begun.add(key);
    events.push({ at: Date.parse(asked.askedAt), event: questionAskedEvent(run, asked) });
  }
  if (asked !== undefined && answer !== undefined) {
    ended.add(key);
    events.push({ at: Date.parse(answer.at), event: questionAnsweredEvent(run, at, answer) });
  }
  return events;
}

function turnEvents(run: Run, turn: Turn): Dated[] {
  const at = Date.parse(turn.at);
  return [
    { at: at - turn.latencyMs, event: turnStartedEvent(run, turn) },
    { at, event: turnFinishedEvent(run, turn) },
  ];
}
