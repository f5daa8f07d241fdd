import { setTimeout as delay } from 'node:timers/promises';
import type { EmitRunEvent, RunStore } from '../conversation/ports.ts';
import { identityOf, usageOf, type Run, type Turn } from '../conversation/run.ts';

const POLL_MS = 1_000;

/**
 * Tells of a tree that another process carries out, as it appears in the store, until the signal is aborted or its
 * top has ended: the same events as the process itself emits, up to a second later.
 */
export async function pollEvents(
  root: string,
  store: RunStore,
  emit: EmitRunEvent,
  signal: AbortSignal,
): Promise<void> {
  const seen = new Map<string, { turns: number; closed: boolean }>();
  while (!signal.aborted) {
    const tree = await store.tree(root);
    for (const run of tree) {
      const before = seen.get(run.id);
      if (before?.closed) continue;
      const turns = await store.turns(run.id);
      if (before === undefined) await emitOpened(run, store, emit);
      turns.slice(before?.turns ?? 0).forEach((turn) => emitTurn(run, turn, emit));
      const closed = run.status !== 'running';
      if (closed) emitClosed(run, turns, emit);
      seen.set(run.id, { turns: turns.length, closed });
    }
    if (tree.some((run) => run.id === root && run.status !== 'running')) return;
    await delay(POLL_MS, undefined, { signal }).catch(() => {});
  }
}

async function emitOpened(run: Run, store: RunStore, emit: EmitRunEvent): Promise<void> {
  const asked = run.parent && (await store.turn(run.parent.run, run.parent.turn));
  const plan = run.parent && asked?.plans[run.parent.call - 1];
  emit({
    type: 'run_opened',
    ...identityOf(run),
    task: plan?.kind === 'delegate' ? plan.task : '',
    ...(run.parent !== undefined && { parent: run.parent }),
  });
}

function emitTurn(run: Run, turn: Turn, emit: EmitRunEvent): void {
  const { number, results, answer } = turn;
  emit({
    type: 'turn_started',
    ...identityOf(run),
    turn: number,
    // the first user message, and an answer and its results for each turn before
    messages: 2 * number - 1,
    pendingCalls: results.length,
  });
  emit({
    type: 'turn_finished',
    ...identityOf(run),
    turn: number,
    stopReason: answer.rawStopReason,
    calls: answer.calls.length,
    latencyMs: turn.latencyMs,
    usage: usageOf([turn]),
  });
}

function emitClosed(run: Run, turns: readonly Turn[], emit: EmitRunEvent): void {
  emit({
    type: 'run_closed',
    ...identityOf(run),
    status: run.status,
    durationMs: run.endedAt === undefined ? 0 : Date.parse(run.endedAt) - Date.parse(run.startedAt),
    characters: run.status === 'succeeded' ? (turns.at(-1)?.answer.text.length ?? 0) : 0,
    error: run.failure?.error ?? '',
    reason: run.failure?.message ?? '',
  });
}
