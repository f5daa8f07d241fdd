import { expect, onTestFinished } from 'vitest';
import { startRun } from '../../../src/core/lifecycle/start.ts';
import { toAgUi, type AgUi } from '../../../src/doors/api/ag-ui/to-ag-ui.ts';
import { createFollow } from '../../../src/places/follow/follow.ts';
import { fromCursor, type Positions } from '../../../src/core/events/positions.ts';
import type { Top } from '../../../src/core/events/records.ts';
import { createTreeReader } from '../../../src/core/events/tree-reader.ts';
import { createTeller } from '../../../src/core/events/tell.ts';
import type { ToldEvent, TreeEvent } from '../../../src/core/events/tree-event.ts';
import { openLocalStore } from '../../../src/places/local/local-store.ts';
import { newRunId } from '../../../src/core/records/run-id.ts';
import type { RunRequest } from '../../../src/core/records/request.ts';
import type { RunStore } from '../../../src/core/records/ports.ts';
import type { Stage } from '../../fixtures/stage.ts';
import { loadOwnTools } from '../../../src/tools/load-own-tools.ts';

/** A run to be started, and the store as another process sees it. */
export async function openRun({ cwd, pipeline }: Stage, request: Partial<RunRequest> = {}) {
  const { runs: store, close } = await openLocalStore(cwd);
  onTestFinished(close);
  const whole = { agent: 'top', prompt: 'go', ...request };
  const id = newRunId(whole.agent, Date.now());
  const top: Top = { id, root: id, path: '' };
  return {
    id,
    top,
    store,
    /** Carries it to its end. */
    async run(): Promise<void> {
      await pipeline.executions.wait(await startRun(id, whole, pipeline));
      await pipeline.settled();
    },
  };
}

/** An event as AG-UI spells it, and where to go on behind it. */
export interface Cut {
  event: AgUi;
  cursor: string;
}

/** Everything from a cursor, or from the beginning, until the tree rests or a promise is settled. */
export async function cutsOf(
  top: Top,
  store: RunStore,
  cursor?: string,
  until?: Promise<unknown>,
): Promise<Cut[]> {
  const from = cursor === undefined ? undefined : fromCursor(top.id, cursor);
  if (cursor !== undefined && from === undefined) throw new Error(`no cursor of ${top.id}: ${cursor}`);
  const cuts: Cut[] = [];
  for await (const told of follow(top, store, { from, until })) {
    const parts = toAgUi(top.id, told);
    for (const [index, event] of parts.entries()) {
      if (index < (told.skip ?? 0)) continue;
      cuts.push({ event, cursor: told.cursor(index + 1 < parts.length ? index + 1 : undefined) });
    }
  }
  return cuts;
}

/** A tree as another process follows it, until it rests or a promise is settled. */
export function follow(
  { id }: Pick<Top, 'id'>,
  store: RunStore,
  {
    from,
    until = 'rest',
  }: { from?: Positions | undefined; until?: Promise<unknown> | undefined | 'rest' } = {},
): AsyncIterable<ToldEvent> {
  const { follow: events } = createFollow({ store, isCarriedOut: async () => true, pollMs: 1 });
  return events(id, { from, live: true, signal: new AbortController().signal, until });
}

/** The list of a tree's events now. */
export async function listed(top: Top, store: RunStore): Promise<ToldEvent[]> {
  const reader = createTreeReader(top, store, loadOwnTools, Date.now);
  await reader.read();
  return [...createTeller(top).news(reader.records)];
}

/** The list of a tree's events while it works. */
export async function listedLive(top: Top, store: RunStore): Promise<ToldEvent[]> {
  const events: ToldEvent[] = [];
  for await (const event of follow(top, store)) events.push(event);
  return events;
}

/** AG-UI's events of each run, and of each of its calls, with what was told of a message in pieces put together. */
export function joined(events: readonly AgUi[]): Record<string, AgUi[]> {
  const runs: Record<string, AgUi[]> = {};
  for (const { timestamp: _at, ...event } of events) {
    const of = `${String(event['subagentRunId'] ?? '')} ${String(event['toolCallId'] ?? '')}`;
    const run = (runs[of] ??= []);
    const last = run.at(-1);
    const isPiece = event.type === 'TEXT_MESSAGE_CONTENT' && last?.type === event.type;
    if (isPiece) last['delta'] = `${String(last['delta'])}${String(event['delta'])}`;
    else run.push(event);
  }
  return runs;
}

/**
 * Expects each run's events between the begin and the end of the call that asked for it, and those of a call between
 * the end of its turn and the begin of the next.
 */
export function expectNested(events: readonly TreeEvent[]): void {
  const open = new Map<string, string>();
  const seen = new Set<string>();
  const turns = new Map<string, number>();
  for (const { event } of events) {
    const { run, parent } = event;
    if (parent !== undefined) expect(open.get(`${parent.run} ${parent.turn} ${parent.call}`)).toBe('begun');
    if (event.type === 'run_opened') seen.add(run);
    expect(seen.has(run)).toBe(true);
    if ('turn' in event && event.type !== 'message_delta') {
      const isOfTurn = event.type === 'turn_started' || event.turn === turns.get(run);
      expect([event, isOfTurn]).toEqual([event, true]);
      turns.set(run, event.turn);
    }
    if (event.type === 'call_started') open.set(`${run} ${event.turn} ${event.call}`, 'begun');
    if (event.type === 'call_finished') open.set(`${run} ${event.turn} ${event.call}`, 'ended');
  }
  expect([...open.values()].every((state) => state === 'ended')).toBe(true);
}
