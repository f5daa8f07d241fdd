import type { Instant } from '../records/times.ts';
import type { LiveBus } from '../events/live.ts';
import type { Delta } from '../model/model.ts';
import type { RunStore } from '../records/ports.ts';
import type { BegunTurn, Run } from '../records/run.ts';
import { lastThoughts } from '../records/turn.ts';

export interface LivePorts {
  store: RunStore;
  /** Hears models' texts, and events that no record holds; absent where nothing listens. */
  live?: LiveBus | undefined;
  now: () => Instant;
}

/** An answer that a model has been asked for, for those who watch. */
export interface WatchedAnswer {
  /** Called with every piece of it. */
  hear(delta: Delta): void;
  /** Ends the watching, and waits for writes on their way to the store. */
  written(): Promise<void> | undefined;
  /** The same where no answer came, which the run's record notes: nothing else is kept of a turn without one. */
  unanswered(): Promise<void>;
}

/** How often watchers in other processes get what there is. */
const WRITE_MS = 500;

/** When a turn that was unwatched as it began looks for watchers, and how often it looks again. */
const LOOK_MS = { first: 1_000, later: 5_000 };

/** The rest of an answer comes with its turn: items of the store are limited, and are rewritten as a whole. */
const MAX_DRAFT_CHARACTERS = 32_000;

/**
 * Hands an answer on while it is written: at once to those who listen in this process, and every half second to the
 * store while a client watches from elsewhere. Losing any of it loses nothing, since the turn has it all.
 * @param isWatched whether a client watched when the model was asked
 */
export function beginAnswer(
  run: Run,
  begun: BegunTurn,
  isWatched: boolean,
  { store, live, now }: LivePorts,
): WatchedAnswer {
  const { turn, at } = begun;
  const offsets = { text: 0, thinking: 0 };
  let text = '';
  let thinking = '';
  let written = at;
  let busy: Promise<void> | undefined;
  let isWanted = isWatched;
  let timer = setTimeout(look, LOOK_MS.first);
  timer.unref();

  function save(): Promise<void> {
    written = now();
    return store.saveDraft(run.id, {
      ...begun,
      text: text.slice(0, MAX_DRAFT_CHARACTERS),
      ...(thinking !== '' && { thinking: thinking.toWellFormed() }),
    });
  }

  function look(): void {
    timer = setTimeout(look, LOOK_MS.later);
    timer.unref();
    const read = async () => {
      const wasWanted = isWanted;
      isWanted = (await store.watchedUntil(run.id)) > now();
      if (isWanted && !wasWanted) await save();
    };
    if (busy === undefined) keep(read());
  }

  function keep(work: Promise<void>): void {
    busy = work.catch(() => {}).finally(() => (busy = undefined));
  }

  live?.tell({ type: 'begun', run: run.id, ...begun });
  if (isWanted) keep(save());
  return {
    hear(delta) {
      if (delta.type !== 'alive') {
        const { type: kind, text: piece } = delta;
        live?.tell({ type: 'piece', run: run.id, turn, at, kind, offset: offsets[kind], text: piece });
        offsets[kind] += piece.length;
        if (kind === 'text') text += piece;
        else thinking = lastThoughts(thinking, piece);
      }
      if (isWanted && busy === undefined && now() - written >= WRITE_MS) keep(save());
    },
    written() {
      clearTimeout(timer);
      return busy;
    },
    async unanswered() {
      clearTimeout(timer);
      await busy;
      const note = (current: Run) => (current.holder === run.holder ? { ...current, begun } : current);
      await store.updateRun(run.id, note, run).catch(() => {});
    },
  };
}
