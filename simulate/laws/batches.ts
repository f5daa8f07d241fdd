import type { Run } from '../../src/core/records/run.ts';
import type { RunStore } from '../../src/core/records/ports.ts';
import type { Batches } from '../world/batches.ts';
import type { Law } from './law.ts';

/**
 * Turns that wait for batches are asked once, and paid for.
 * @param provider what was sent to it, and what it has answered
 */
export function askedOnce({ batches, results }: Batches): Law {
  return {
    says: 'a turn in a batch is asked once, its answer is a turn or is paid for, and no bucket is left behind',
    async atRest({ bare, buckets }, roots) {
      const wrong = buckets().map((name) => `the bucket ${name} is left behind`);
      const sent = batches
        .filter(({ mayBeMistaken }) => !mayBeMistaken)
        .flatMap(({ requests }) => requests.map(({ id }) => id));
      const twice = sent.filter((id, index) => sent.indexOf(id) !== index);
      wrong.push(...twice.map((id) => `the request ${id} was sent twice`));
      for (const root of roots) {
        for (const run of await bare.tree(root)) {
          for await (const { turn, id } of pendingTurns(run, bare)) {
            const result = sent.includes(id) ? results.get(id) : undefined;
            if (result === undefined || !('answered' in result)) continue;
            const made = await bare.turn(run.id, turn);
            const isTurn = made?.answer.usage.service === 'batch';
            const isPaid = run.unused?.some((one) => one.turn === turn) === true;
            if (isTurn === isPaid)
              wrong.push(
                `what was answered in a batch for turn ${turn} of ${run.id} is ${isTurn ? 'both a turn and paid for besides' : 'neither a turn nor paid for'}`,
              );
          }
        }
      }
      return wrong;
    },
  };
}

async function* pendingTurns({ id }: Run, store: RunStore) {
  const batches = await store.batches();
  const turns = await store.turns(id);
  for (let turn = 1; turn <= turns.length + 1; turn++) {
    const pending = await batches.pendingTurn(id, turn);
    if (pending !== undefined) yield pending;
  }
}
