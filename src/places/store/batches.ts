import { createHash } from 'node:crypto';
import type {
  BatchedResult,
  BatchMember,
  BucketNotes,
  BucketPlan,
  PartClaim,
  PartNotes,
  PendingTurn,
} from '../../core/records/batched.ts';
import type { Batches } from '../../core/records/ports.ts';
import type { Instant } from '../../core/records/times.ts';
import { defined } from '../../defined.ts';
import type { Documents } from './documents.ts';
import { fromItem, toStored } from './stored.ts';
import type { Key, Table } from './table.ts';
import { turnNumber } from './turn-number.ts';

/** Turns that wait for batches, and what these are made of. */
export function createBatches(table: Table, documents: Documents): Batches {
  return {
    pendingTurn: (run, turn) => documents.get<PendingTurn>(turnKey('pending', run, turn)),
    savePendingTurn: (run, pending) => documents.putIfAbsent(turnKey('pending', run, pending.turn), pending),
    batchedResult: (run, turn) => documents.get<BatchedResult>(turnKey('batched', run, turn)),
    saveBatchedResult: (run, turn, result) =>
      documents.putIfAbsent(turnKey('batched', run, turn), { ...result }),
    async batchWaits(run, turn) {
      const { partition, sort } = turnKey('await-batch', run, turn);
      const tokens: string[] = [];
      for await (const item of table.query(partition, `${sort}#`))
        tokens.push(fromItem<{ token: string }>(item).token);
      return tokens;
    },
    async saveBatchWait(run, turn, { holder, token }) {
      const { partition, sort } = turnKey('await-batch', run, turn);
      // A state that is entered anew has another token.
      await table.putIfAbsent({ partition, sort: `${sort}#${holder}#${digestOf(token)}` }, { token });
    },
    async bucket(name) {
      const notes = new Map<string, Key>();
      for await (const { key } of table.query(bucketPartition(name), 'note#'))
        notes.set(key.sort.slice(5), key);
      const read = async <T extends object>(what: string) => {
        const key = notes.get(what);
        return key === undefined ? undefined : documents.get<T>(key);
      };
      const [started, sealed, settled, plan] = await Promise.all([
        read<{ at: Instant }>('started'),
        read<{ at: Instant }>('sealed'),
        read<{ at: Instant }>('settled'),
        read<BucketPlan>('plan'),
      ]);
      const parts = new Map<number, PartNotes>();
      for (const part of plan?.parts.keys() ?? []) parts.set(part, await readPart(part, notes, read));
      return { ...defined({ started, sealed, settled, plan }), parts } satisfies BucketNotes;
    },
    async noteBucket(name, what, note) {
      await documents.putIfAbsent(noteKey(name, what), note);
    },
    planBucket: (name, plan) => documents.putIfAbsent(noteKey(name, 'plan'), plan),
    claimPart: (name, part, attempt, claim) =>
      documents.putIfAbsent(noteKey(name, `${part}#claim#${turnNumber(attempt)}`), claim),
    notePart: (name, part, what, note) => documents.putIfAbsent(noteKey(name, `${part}#${what}`), note),
    async nameBatch(batch, part) {
      const kept = await documents.putIfAbsent(batchKey(batch), part);
      return kept.bucket === part.bucket && kept.part === part.part;
    },
    async bucketMembers(name) {
      const members: BatchMember[] = [];
      for await (const item of table.query(bucketPartition(name), 'member#'))
        members.push(fromItem<BatchMember>(item));
      return members;
    },
    async joinBucket(name, member) {
      await table.putIfAbsent(memberKey(name, member.id), toStored(member));
    },
  };
}

async function readPart(
  part: number,
  notes: ReadonlyMap<string, Key>,
  read: <T extends object>(what: string) => Promise<T | undefined>,
): Promise<PartNotes> {
  const claimed = [...notes.keys()].filter((what) => what.startsWith(`${part}#claim#`)).sort();
  const claims = await Promise.all(claimed.map((what) => read<PartClaim>(what)));
  const [submitted, cancelled, delivered] = await Promise.all([
    read<NonNullable<PartNotes['submitted']>>(`${part}#submitted`),
    read<{ at: Instant }>(`${part}#cancelled`),
    read<{ at: Instant }>(`${part}#delivered`),
  ]);
  return {
    claims: claims.filter((claim) => claim !== undefined),
    ...defined({ submitted, cancelled, delivered }),
  };
}

/** A token may be longer than a key. */
function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex').slice(0, 16);
}

function turnKey(kind: 'await-batch' | 'batched' | 'pending', run: string, turn: number): Key {
  return { partition: `run#${run}`, sort: `${kind}#${turnNumber(turn)}` };
}

function noteKey(bucket: string, what: string): Key {
  return { partition: bucketPartition(bucket), sort: `note#${what}` };
}

/** Where a bucket's members are, and what is noted of it. */
export function bucketPartition(bucket: string): string {
  return `batch#${bucket}`;
}

/** @param id of the request of a pending turn */
export function memberKey(bucket: string, id: string): Key {
  return { partition: bucketPartition(bucket), sort: `member#${id}` };
}

/** Where it is noted what a provider's batch was made of. */
export function batchKey(batch: string): Key {
  return { partition: 'batches', sort: batch };
}
