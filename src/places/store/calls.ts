import { createHash } from 'node:crypto';
import type { CallKey, CallMark, CallResult } from '../../core/records/call.ts';
import type { Calls } from '../../core/records/ports.ts';
import type { Documents } from './documents.ts';
import { fromStored, toStored } from './stored.ts';
import { replace } from './replace.ts';
import type { Key, Table } from './table.ts';
import { callNumber } from './turn-number.ts';

/** Calls that functions carry out: their results, their marks, and which files a run has seen. */
export function createCalls(table: Table, documents: Documents): Calls {
  return {
    callResult: (at) => documents.get<CallResult>(keyOf('result', at)),
    saveCallResult: (at, result) => documents.putIfAbsent(keyOf('result', at), result),

    async callMark(at) {
      const key = keyOf('begun', at);
      const item = await table.get(key);
      return item && fromStored<CallMark>(item.value, key.sort);
    },
    async markCall(at, mark, over) {
      const key = keyOf('begun', at);
      const { written, item } = await table.putIfAbsent(key, toStored(mark));
      const kept = fromStored<CallMark>(item.value, key.sort);
      if (written || over === undefined || kept.by !== over.by) return kept;
      if ((await table.putIfVersion(key, toStored(mark), item.version)) !== undefined) return mark;
      return fromStored<CallMark>((await table.get(key))?.value, key.sort);
    },

    async seenVersion(run, path) {
      const version = (await table.get(seenKey(run, path)))?.value;
      return typeof version === 'string' ? version : undefined;
    },
    noteSeen: (run, path, version) =>
      replace(
        table,
        seenKey(run, path),
        version,
        `what run "${run}" has read changes too often to be noted; try again`,
      ),
  };
}

function keyOf(kind: 'result' | 'begun', { run, turn, call }: CallKey): Key {
  return { partition: `run#${run}`, sort: `${kind}#${callNumber(turn, call)}` };
}

/** A path may be longer than a sort key. */
function seenKey(run: string, path: string): Key {
  return { partition: `run#${run}`, sort: `seen#${createHash('sha256').update(path).digest('hex')}` };
}
