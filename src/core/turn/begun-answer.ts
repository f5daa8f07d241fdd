import type { Delta } from '../model/model.ts';
import { identityOf, type EmitRunEvent } from '../events/event.ts';
import type { RunStore } from '../records/ports.ts';
import type { BegunTurn, Run } from '../records/run.ts';

export interface LivePorts {
  store: RunStore;
  emit: EmitRunEvent;
  now: () => number;
  /** Whether anybody in this process wants to hear of answers while they are written; absent: nobody does. */
  hears?(): boolean;
}

/** An answer that a model has been asked for, for those who watch. */
export interface BegunAnswer {
  /** Called with every piece of it; undefined where nobody follows. */
  hear: ((delta: Delta) => void) | undefined;
  /** Waits for what is on its way to the store. */
  settled(): Promise<void> | undefined;
  /** Notes in the run's record that it fails in this turn: nothing else is kept of a turn without an answer. */
  failed(): Promise<void>;
}

/** How often watchers in other processes get what there is. */
const WRITE_MS = 500;

/** The rest of an answer comes with its turn: items of the store are limited, and are rewritten as a whole. */
const MAX_DRAFT_CHARACTERS = 32_000;

/**
 * Hands an answer on while it is written: at once to listeners in this process, and every half second to the store
 * where somebody watches from elsewhere. Losing any of it loses nothing, since the turn has it all.
 */
export function beginAnswer(
  run: Run,
  begun: BegunTurn,
  isWatched: boolean,
  { store, emit, now, hears }: LivePorts,
): BegunAnswer {
  let text = '';
  let written = begun.at;
  let writing: Promise<void> | undefined;

  function write(): void {
    written = now();
    writing = store
      .saveDraft(run.id, { ...begun, text: text.slice(0, MAX_DRAFT_CHARACTERS) })
      .catch(() => {})
      .finally(() => (writing = undefined));
  }

  function toListeners(delta: Delta): void {
    if (delta.type === 'alive') return;
    const { type: kind, text: piece } = delta;
    emit({ type: 'message_delta', ...identityOf(run), turn: begun.turn, kind, text: piece });
  }

  function toStore(delta: Delta): void {
    if (delta.type === 'text') text += delta.text;
    if (writing === undefined && now() - written >= WRITE_MS) write();
  }

  const followers = [...(hears?.() ? [toListeners] : []), ...(isWatched ? [toStore] : [])];
  if (isWatched) write();
  return {
    hear: followers.length === 0 ? undefined : (delta) => followers.forEach((follow) => follow(delta)),
    settled: () => writing,
    async failed() {
      const note = (current: Run) => (current.holder === run.holder ? { ...current, begun } : current);
      await store.updateRun(run.id, note, run).catch(() => {});
    },
  };
}
