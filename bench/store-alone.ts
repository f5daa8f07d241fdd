import { join } from 'node:path';
import { open } from 'lmdb';
import { MAX_TURNS } from '../src/core/turn/turn.ts';
import { treeKey } from '../src/core/records/run-id.ts';
import { parseJson, type Json } from '../src/json.ts';
import { STORE_FOLDER } from '../src/places/local/local-store.ts';
import { openLmdbTable } from '../src/places/local/store/lmdb/table.ts';
import type { LmdbKey } from '../src/places/local/store/lmdb/keys.ts';
import type { Key } from '../src/places/store/table.ts';
import { longestConversation, runLead, withPipeline } from './delegating.ts';
import { inProject } from './project.ts';
import type { Row } from './row.ts';

/** How often it is repeated, so that the compiler is done and other work shows the least. */
const REPETITIONS = 40;

const WHAT = `${MAX_TURNS} turns with a sub-agent each`;
const ROW = { unit: ' ms', digits: 3, counts: 'least' } as const;

/** A write of the conversation: what lies under a key, as often as it was written. */
interface Written {
  key: Key;
  value: Json;
}

/**
 * The lower bound of a model call's overhead as long as each turn is stored before the next: the transactions of a
 * conversation made by LMDB alone, and the JSON of what they write.
 */
export async function measureStoreAlone(): Promise<Row[]> {
  const { writes, calls } = await writesOfConversation();
  const texts = writes.map(({ value }) => JSON.stringify(value));
  return inProject({}, async (cwd) => {
    const path = join(cwd, 'alone.mdb');
    const database = open<string, LmdbKey>({ path, noSubdir: true, noSync: true, encoding: 'string' });
    try {
      const stored = least((repetition) => {
        writes.forEach(({ key: { partition, sort } }, index) => {
          // Each conversation has keys of its own, among those of the ones before.
          const key: LmdbKey = [`${partition}#${repetition}`, sort];
          database.transactionSync(() => database.putSync(key, texts[index] ?? ''));
        });
      });
      const json = least(() => {
        for (const { value } of writes) parseJson(JSON.stringify(value));
      });
      const writesOfCall = (writes.length / calls).toFixed(1);
      return [
        {
          ...ROW,
          what: `${WHAT}: the ${writesOfCall} transactions of a model call in LMDB alone`,
          value: stored / calls,
        },
        { ...ROW, what: `${WHAT}: the JSON of these, written and parsed once`, value: json / calls },
      ];
    } finally {
      await database.close();
    }
  });
}

/** Every write of the longest conversation with a sub-agent in each turn. */
async function writesOfConversation(): Promise<{ writes: Written[]; calls: number }> {
  let calls = 0;
  const model = longestConversation(() => {
    calls += 1;
  });
  return withPipeline(model, async (pipeline, cwd, folder) => {
    const { id } = await runLead(pipeline);
    const ofTree = await pipeline.store.tree(id);
    await folder.close();
    const table = await openLmdbTable(join(cwd, STORE_FOLDER, 'store'));
    const writes: Written[] = [];
    for (const partition of [`tree#${treeKey(id)}`, ...ofTree.map((run) => `run#${run.id}`)]) {
      for await (const { key, value, version } of table.query(partition, '')) {
        for (let write = 0; write < version; write++) writes.push({ key, value });
      }
    }
    await table.close();
    return { writes, calls };
  });
}

function least(work: (repetition: number) => void): number {
  let shortest = Infinity;
  for (let repetition = 0; repetition < REPETITIONS; repetition++) {
    const start = performance.now();
    work(repetition);
    shortest = Math.min(shortest, performance.now() - start);
  }
  return shortest;
}
