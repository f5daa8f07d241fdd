import { setTimeout as delay } from 'node:timers/promises';
import {
  callFinishedEvent,
  callStartedEvent,
  closedEvent,
  openedEvent,
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

/**
 * Tells of a tree that another process carries out, as it appears in the store, until the signal is aborted, its top
 * has ended or nobody carries it out any more: the same events as the process itself emits, in the order of time, up to
 * a second later.
 * @param holder the execution of the top whose end is waited for: that of an earlier one is none
 */
export async function pollEvents(
  root: string,
  store: RunStore,
  emit: EmitRunEvent,
  signal: AbortSignal,
  isCarriedOut: () => Promise<boolean> = () => Promise.resolve(true),
  holder = 1,
): Promise<void> {
  const seen = new Map<string, { turns: number; closedBy: number }>();
  const toldCalls = new Set<string>();
  const hasEnded = (run: Run) => run.status !== 'running' && (run.id !== root || run.holder >= holder);
  while (!signal.aborted) {
    // Asked first: a run that ends in between is then read as ended, and never as abandoned.
    const abandoned = !(await isCarriedOut());
    const tree = await store.tree(root);
    const news: Dated[] = [];
    for (const run of tree) {
      const before = seen.get(run.id);
      // A run that is taken over goes on.
      if (before?.closedBy === run.holder) continue;
      const turns = await store.turns(run.id);
      if (before === undefined) news.push({ at: Date.parse(run.startedAt), event: openedEvent(run) });
      news.push(...turns.slice(before?.turns ?? 0).flatMap((turn) => turnEvents(run, turn)));
      // Calls of any but the newest turn have ended.
      for (const turn of turns.slice(Math.max(0, (before?.turns ?? 0) - 1))) {
        news.push(...(await callEvents(run, turn, store, toldCalls)));
      }
      const isClosed = hasEnded(run);
      if (isClosed) news.push({ at: Date.parse(run.endedAt ?? run.startedAt), event: closedEvent(run) });
      seen.set(run.id, { turns: turns.length, closedBy: isClosed ? run.holder : 0 });
    }
    for (const { event } of news.sort((one, other) => one.at - other.at)) emit(event);
    if (abandoned || tree.some((run) => run.id === root && hasEnded(run))) return;
    await delay(POLL_MS, undefined, { signal }).catch(() => {});
  }
}

/** What has become known since of the calls that functions carry out. @param told which of them were told of */
async function callEvents(
  run: Run,
  { number, answer, plans }: Turn,
  store: RunStore,
  told: Set<string>,
): Promise<Dated[]> {
  const events: Dated[] = [];
  for (const [index, plan] of plans.entries()) {
    const at = { run: run.id, turn: number, call: index + 1 };
    const key = `${run.id} ${number} ${index}`;
    if (plan.kind !== 'invoke' || told.has(key)) continue;
    const result = await store.callResult(at);
    if (result === undefined) continue;
    told.add(key);
    const call = { ...at, tool: answer.calls[index]?.name ?? '', subject: plan.subject };
    const started = Date.parse(result.startedAt);
    events.push(
      { at: started, event: callStartedEvent(run, call) },
      { at: started + result.durationMs, event: callFinishedEvent(run, call, result) },
    );
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
