import type { Watching } from '../../core/records/ports.ts';
import { treeKey } from '../../core/records/run-id.ts';
import type { Draft } from '../../core/records/turn.ts';
import type { Json } from '../../json.ts';
import { fromItem, toStored } from './stored.ts';
import { WATCHED } from './partitions.ts';
import { untilOf } from './rests.ts';
import type { Key, PutOptions, Table } from './table.ts';

/** Notes of those who watch a tree, and of its runs for them: one item each, replaced as a whole. */
export function createWatching(table: Table): Watching {
  async function put(key: Key, value: Json, options?: PutOptions): Promise<void> {
    const { written, item } = await table.putIfAbsent(key, value, options);
    // The faster writer's note is as good.
    if (!written) await table.putIfVersion(key, value, item.version, options);
  }

  return {
    async watchedUntil(run) {
      const [item, earlier] = await Promise.all([table.get(watchKey(run)), table.get(earlierWatchKey(run))]);
      return Math.max(untilOf(item), untilOf(earlier));
    },
    watch: (run, until) => put(watchKey(run), until, { expires: Math.ceil(until / 1000) }),

    async draft(run) {
      const item = await table.get(draftKey(run));
      return item && fromItem<Draft>(item);
    },
    saveDraft: (run, draft) => put(draftKey(run), toStored(draft)),
    ...(table.newest !== undefined && { newest: () => table.newest?.() ?? 0 }),
  };
}

/** Apart from the records of the tree: permissions of DynamoDB are by the partition, and watchers write nothing else. */
export function watchKey(run: string): Key {
  return { partition: `${WATCHED}${treeKey(run)}`, sort: 'watch' };
}

/** Where clients of earlier releases write it. */
function earlierWatchKey(run: string): Key {
  return { partition: `tree#${treeKey(run)}`, sort: 'watch' };
}

function draftKey(run: string): Key {
  return { partition: `run#${run}`, sort: 'draft' };
}
