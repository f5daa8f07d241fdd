import { setTimeout as delay } from 'node:timers/promises';
import type { EmitRunEvent, RunEvent } from '../runs/event.ts';
import type { RunStore } from '../runs/ports.ts';
import { closingReason } from '../conversation/outcome.ts';
import { identityOf, usageOf, type Run, type Turn } from '../runs/run.ts';

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
 */
export async function pollEvents(
  root: string,
  store: RunStore,
  emit: EmitRunEvent,
  signal: AbortSignal,
  isCarriedOut: () => Promise<boolean> = () => Promise.resolve(true),
): Promise<void> {
  const seen = new Map<string, { turns: number; closed: boolean }>();
  while (!signal.aborted) {
    // Asked first: a run that ends in between is then read as ended, and never as abandoned.
    const abandoned = !(await isCarriedOut());
    const tree = await store.tree(root);
    const news: Dated[] = [];
    for (const run of tree) {
      const before = seen.get(run.id);
      if (before?.closed) continue;
      const turns = await store.turns(run.id);
      if (before === undefined) news.push(await opened(run, store));
      news.push(...turns.slice(before?.turns ?? 0).flatMap((turn) => turnEvents(run, turn)));
      const isClosed = run.status !== 'running';
      if (isClosed) news.push(closed(run, turns));
      seen.set(run.id, { turns: turns.length, closed: isClosed });
    }
    for (const { event } of news.sort((one, other) => one.at - other.at)) emit(event);
    if (abandoned || tree.some((run) => run.id === root && run.status !== 'running')) return;
    await delay(POLL_MS, undefined, { signal }).catch(() => {});
  }
}

async function opened(run: Run, store: RunStore): Promise<Dated> {
  const asked = run.parent && (await store.turn(run.parent.run, run.parent.turn));
  const plan = run.parent && asked?.plans[run.parent.call - 1];
  return {
    at: Date.parse(run.startedAt),
    event: {
      type: 'run_opened',
      ...identityOf(run),
      task: plan?.kind === 'delegate' ? plan.task : '',
      ...(run.parent !== undefined && { parent: run.parent }),
    },
  };
}

function turnEvents(run: Run, turn: Turn): Dated[] {
  const { number, results, answer, latencyMs } = turn;
  const at = Date.parse(turn.at);
  return [
    {
      at: at - latencyMs,
      event: {
        type: 'turn_started',
        ...identityOf(run),
        turn: number,
        // the first user message, and an answer and its results for each turn before
        messages: 2 * number - 1,
        pendingCalls: results.length,
      },
    },
    {
      at,
      event: {
        type: 'turn_finished',
        ...identityOf(run),
        turn: number,
        stopReason: answer.rawStopReason,
        calls: answer.calls.length,
        latencyMs,
        usage: usageOf([turn]),
      },
    },
  ];
}

function closed(run: Run, turns: readonly Turn[]): Dated {
  const startedAt = Date.parse(run.startedAt);
  const at = run.endedAt === undefined ? startedAt : Date.parse(run.endedAt);
  return {
    at,
    event: {
      type: 'run_closed',
      ...identityOf(run),
      status: run.status,
      durationMs: at - startedAt,
      characters: run.status === 'succeeded' ? (turns.at(-1)?.answer.text.length ?? 0) : 0,
      error: run.failure?.error ?? '',
      reason: closingReason(run),
    },
  };
}
