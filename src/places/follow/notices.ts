import { begunEvent, type RunEvent } from '../../core/events/event.ts';
import { eventsOf } from '../../core/events/events-of.ts';
import type { LiveBus } from '../../core/events/live.ts';
import { observed, runOf, type Write } from '../../core/events/write.ts';
import type { RunStore } from '../../core/records/ports.ts';
import type { Run } from '../../core/records/run.ts';
import type { Turn } from '../../core/records/turn.ts';
import { RecentlyUsed } from '../store/recently-used.ts';

/** So many runs, and so many turns, are kept in mind. */
const REMEMBERED = 200;

/**
 * Tells the events of runs in the order in which this process writes them to a store or hears them, and no others.
 * Pieces of answers are left out.
 * @returns the store and the bus to use instead
 */
export function noticed(
  store: RunStore,
  notice: (event: RunEvent) => void,
): { store: RunStore; live: LiveBus } {
  const runs = new RecentlyUsed<Run>(REMEMBERED);
  const turns = new RecentlyUsed<Turn>(REMEMBERED);
  const seenRun = <T extends Run | undefined>(run: T): T => {
    if (run !== undefined) runs.set(run.id, run, 1);
    return run;
  };
  const seenTurn = <T extends Turn | undefined>(run: string, turn: T): T => {
    if (turn !== undefined) turns.set(`${run} ${turn.number}`, turn, 1);
    return turn;
  };

  async function wrote(write: Write): Promise<void> {
    if (write.type === 'run') seenRun(write.after);
    if (write.type === 'turn') seenTurn(write.run, write.turn);
    const id = runOf(write);
    // Mostly, the run of a write has been read before.
    const run = runs.get(id) ?? (await store.run(id));
    const number = 'at' in write ? write.at.turn : undefined;
    const turn =
      number === undefined ? undefined : (turns.get(`${id} ${number}`) ?? (await store.turn(id, number)));
    if (run !== undefined) eventsOf(write, run, turn).forEach(notice);
  }

  return {
    store: {
      ...observed(store, wrote),
      run: async (id) => seenRun(await store.run(id)),
      turn: async (id, number) => seenTurn(id, await store.turn(id, number)),
      async turns(id) {
        const all = await store.turns(id);
        seenTurn(id, all.at(-1));
        return all;
      },
    },
    live: {
      tell(event) {
        if (event.type === 'piece') return;
        if (event.type !== 'begun') return notice(event);
        const run = runs.get(event.run);
        if (run !== undefined) notice(begunEvent(run, event));
      },
    },
  };
}
