import type { Delta } from '../models/model.ts';
import { identityOf, type EmitRunEvent } from '../runs/event.ts';
import type { RunStore } from '../runs/ports.ts';
import type { BegunTurn, Run } from '../runs/run.ts';

export interface LivePorts {
  store: RunStore;
  emit: EmitRunEvent;
  now: () => number;
  /** Whether anybody in this process wants to hear of answers while they are written; absent: nobody does. */
  hears?(): boolean;
}

/** Those who follow an answer while it is written. */
export interface LiveAnswer {
  hear(delta: Delta): void;
  /** Waits for what is on its way to the store. */
  settled(): Promise<void>;
}

/** How often those who watch from elsewhere get what there is. */
const WRITE_MS = 500;

/** More of an answer comes with its turn: an item of the store has an end, and is written again as a whole. */
const MAX_DRAFT_CHARACTERS = 32_000;

/**
 * Hands an answer on while it is written: at once to listeners in this process, and every half second to the store
 * where somebody watches from elsewhere. Losing any of it loses nothing, since the turn has it all.
 * @returns undefined if nobody follows
 */
export function followAnswer(
  run: Run,
  begun: BegunTurn,
  isWatched: boolean,
  { store, emit, now, hears }: LivePorts,
): LiveAnswer | undefined {
  const isHeard = hears?.() ?? false;
  if (!isHeard && !isWatched) return undefined;
  const told = { type: 'message_delta' as const, ...identityOf(run), turn: begun.turn };
  let text = '';
  let written = now();
  let writing: Promise<void> | undefined;

  function write(): void {
    written = now();
    const draft = { ...begun, text: text.slice(0, MAX_DRAFT_CHARACTERS) };
    writing = store
      .saveDraft(run.id, draft)
      .catch(() => {})
      .finally(() => (writing = undefined));
  }

  if (isWatched) write();
  return {
    hear(delta) {
      if (isHeard && delta.type !== 'alive') emit({ ...told, kind: delta.type, text: delta.text });
      if (!isWatched) return;
      if (delta.type === 'text') text += delta.text;
      if (writing === undefined && now() - written >= WRITE_MS) write();
    },
    settled: async () => writing,
  };
}

/** Notes the turn in which a run fails, for those who read of it later: nothing else is kept of one without an answer. */
export async function noteBegun(run: Run, begun: BegunTurn, store: RunStore): Promise<void> {
  const note = (current: Run) => (current.holder === run.holder ? { ...current, begun } : current);
  await store.updateRun(run.id, note, run).catch(() => {});
}
