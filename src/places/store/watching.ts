import type { Watching } from '../../core/records/ports.ts';
import { treeKey } from '../../core/records/run-id.ts';
import type { Draft } from '../../core/records/turn.ts';
import type { Json } from '../../json.ts';
import { fromItem, toStored } from './stored.ts';
import type { Key, PutOptions, Table } from './table.ts';

/** Notes of those who watch a tree, and of its runs for them: one item each, replaced as a whole. */
export function createWatching(table: Table): Watching {
  async function put(key: Key, value: Json, options?: PutOptions): Promise<void> {
    const { written, item } = await table.putIfAbsent(key, value, options);
    // The faster writer's note is as good.
    if (!written) await table.putIfVersion(key, value, item.version, options);
  }

  return {
    watchedUntil: (run) =>
      table.get(watchKey(run)).then((item) => (typeof item?.value === 'number' ? item.value : 0)),
    watch: (run, until) => put(watchKey(run), until, { expires: Math.ceil(until / 1000) }),

    async draft(run) {
      const item = await table.get(draftKey(run));
      return item && fromItem<Draft>(item);
    },
    saveDraft: (run, draft) => put(draftKey(run), toStored(draft)),
    ...(table.newest !== undefined && { newest: () => table.newest?.() ?? 0 }),
  };
}

function watchKey(run: string): Key {
  return { partition: `tree#${treeKey(run)}`, sort: 'watch' };
}

function draftKey(run: string): Key {
  return { partition: `run#${run}`, sort: 'draft' };
}
