import { fromCursor, toCursor } from '../../src/core/events/positions.ts';
import { createTeller } from '../../src/core/events/tell.ts';
import type { TreeEvent } from '../../src/core/events/tree-event.ts';
import { createTreeReader } from '../../src/core/events/tree-reader.ts';
import { isIn, phases } from '../../src/core/records/phase.ts';
import { openTree } from '../../src/places/follow/view.ts';
import { loadOwnTools } from '../../src/tools/load-own-tools.ts';
import type { RunStore } from '../../src/core/records/ports.ts';
import { asKept, inOrder } from '../../test/core/events/in-order.ts';
import type { Run } from '../../src/core/records/run.ts';
import type { Law } from './law.ts';

const GAVE_ANSWER = phases('idle', 'answered');

/** People who look at trees now and then; with every second tree, one who comes back with a cursor for each look. */
export interface Watchers extends Law {
  /** Tells them what is new in all trees. */
  look(): Promise<void>;
}

/** What was told while it happened equals what is read afterwards, except begun turns that came to nothing. */
export function watchers(roots: readonly string[], store: RunStore, now: () => number): Watchers {
  const watched = roots.map((root, index) => {
    const watch = (index + roots.length) % 2 === 0 ? watching : returning;
    return { root, ...watch(root, store, now), told: [] as TreeEvent[] };
  });
  let last = Promise.resolve();
  const look = async () => {
    for (const { news, told } of watched) told.push(...(await news()));
  };
  return {
    says: 'what is told live is what is read later',
    // One look after another.
    look: () => (last = last.then(look)),
    async atRest() {
      await (last = last.then(look));
      const wrong: string[] = [];
      for (const { root, told } of watched) {
        const [live, later] = [told, await watching(root, store, now).news()].map((events) =>
          inOrder(asKept(events)),
        );
        const tree = await store.tree(root);
        const answered = new Set(tree.filter((run) => isIn(GAVE_ANSWER, run)).map(({ id }) => id));
        const late = new Set((await Promise.all(tree.map((run) => lateTurns(run, store)))).flat());
        const isLate = ({ at, event }: TreeEvent) =>
          ('turn' in event && late.has(`${event.run} ${event.turn}`)) ||
          (event.type === 'call_finished' &&
            isInGap(
              at,
              tree.find(({ id }) => id === event.run),
            ));
        for (const of of Object.keys({ ...live, ...later })) {
          const [one = [], other = []] = [live?.[of], later?.[of]].map((events) =>
            events?.filter((one) => isFinal(one) && !isLate(one)).map(toText),
          );
          // What comes after the end of a run is stored, but not told to followers who have heard of the end.
          if (!answered.has(of.split(' ')[0] ?? '') || one.join() === other.join()) continue;
          const missing = other.filter((event) => !one.includes(event)).join();
          const more = one.filter((event) => !other.includes(event)).join();
          wrong.push(`${of} was not told ${missing}, but ${more || 'all in another order'}`);
        }
      }
      return wrong;
    },
  };
}

/** Turns that were stored while their run had ended, though it has continued since; and turns for messages passed over. */
async function lateTurns(run: Run, store: RunStore): Promise<string[]> {
  const { id, gaps = [], passedOver } = run;
  const last = (isIn(GAVE_ANSWER, run) && passedOver?.turn) || Infinity;
  if (gaps.length === 0 && last === Infinity) return [];
  const turns = await store.turns(id);
  return turns
    .filter(({ number, at }) => number > last || isInGap(Date.parse(at), run))
    .map(({ number }) => `${id} ${number}`);
}

/** Whether something happened while a run had ended that has continued since. */
function isInGap(at: number, { gaps = [] }: Pick<Run, 'gaps'> = {}): boolean {
  return gaps.some(([, from, to]) => from < at && at < to);
}

function isFinal({ event }: TreeEvent): boolean {
  return event.type !== 'turn_started' && !(event.type === 'call_finished' && event.kind === 'delegate');
}

/** The model of a run is unknown until its agent could be read, and a repeated call begins again. */
function toText({ at, event }: TreeEvent): string {
  return JSON.stringify({ ...(event.type !== 'call_started' && { at }), event: { ...event, model: '' } });
}

function watching(root: string, store: RunStore, now: () => number) {
  const top = { id: root, root, path: '' };
  const reader = createTreeReader(top, store, loadOwnTools, now);
  const teller = createTeller(top);
  return {
    async news(): Promise<TreeEvent[]> {
      await reader.read();
      return [...teller.news(reader.records)];
    },
  };
}

/** As a function does that has just started, and has nothing but the cursor. */
function returning(root: string, store: RunStore, now: () => number) {
  let cursor = '';
  return {
    async news(): Promise<TreeEvent[]> {
      const positions = fromCursor(root, cursor) ?? new Map();
      const { top, reader } = await openTree(root, positions, { store, now });
      await reader.read();
      const teller = createTeller(top, positions);
      const events = [...teller.news(reader.records)];
      cursor = toCursor(root, positions);
      return events;
    },
  };
}
