import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import * as v from 'valibot';
import { defined } from '../../defined.ts';
import { StoreUnavailableError } from '../../errors.ts';
import type { Instant } from '../../core/records/times.ts';
import type { Login, Logins } from '../../tools/mcp/ports.ts';
import type { PendingSignIns } from '../sign-ins.ts';
import { changeItem } from './change-item.ts';
import { backOff } from './contention.ts';
import { LOGINS } from './partitions.ts';
import type { Seal } from './seal.ts';
import { fromItem, toStored } from './stored.ts';
import { deleteItems, keysOf, type Key, type Table } from './table.ts';

export interface TableLoginsOptions {
  /** Whose items do not expire. */
  table: Table;
  /** As `ownerKey` has them; undefined: they are of the environment. */
  owner: string | undefined;
  seal: Seal;
  howTo: Logins['howTo'];
  now: () => Instant;
}

/** A sign-in as it lies in the table. */
interface Kept {
  /** A `Login` as JSON; absent: nobody has signed in. */
  sealed?: string;
  /** Who is about to change it, and until when nobody else does; absent: nobody. */
  lock?: { by: string; until: Instant };
}

/** A sign-in that was begun, as it lies there. */
interface KeptBegun {
  /** Absent: its person has come back. */
  sealed?: string;
  until: Instant;
}

const LoginText = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    client: v.optional(v.unknown()),
    tokens: v.optional(v.unknown()),
    lacks: v.exactOptional(v.string()),
  }),
);

const BegunText = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    url: v.string(),
    begun: v.object({
      state: v.string(),
      redirectUrl: v.string(),
      clientMetadataUrl: v.exactOptional(v.string()),
      verifier: v.string(),
      discovered: v.optional(v.unknown()),
      client: v.optional(v.unknown()),
    }),
  }),
);

/** Longer than an authorization server may take for a new token: whoever still holds the lock has died. */
const LOCK_MS = 60_000;
const LOOK_AGAIN_MS = 100;

/** How long a person may take to sign in. */
const BEGUN_MS = 10 * 60_000;

const TOO_OFTEN = 'the sign-in is changed too often; try again';

/** Removes all sign-ins of an owner, as `ownerKey` has it. @returns to how many servers they were */
export async function forgetLogins(table: Table, owner: string): Promise<number> {
  const keys = await keysOf(`${LOGINS}${owner}`, '', table);
  await deleteItems(keys, table);
  return keys.filter(({ sort }) => sort.startsWith('server#')).length;
}

/**
 * Sign-ins in a table that is read by more people than may know them: each is sealed, for its owner and its server
 * alone. Whoever renews one holds its lock, and the others wait for the result.
 */
export function createTableLogins(options: TableLoginsOptions): Logins & PendingSignIns {
  const { table, owner, seal, howTo, now } = options;
  const partition = `${LOGINS}${owner ?? ''}`;
  const keyOf = (kind: 'begun' | 'server', text: string): Key => ({
    partition,
    sort: `${kind}#${createHash('sha256').update(text).digest('hex')}`,
  });
  const placeOf = (key: Key) => JSON.stringify([key.partition, key.sort]);
  const close = (value: object, key: Key) => seal.close(JSON.stringify(value), placeOf(key));

  function open({ sealed }: Pick<Kept, 'sealed'>, key: Key): Login | undefined {
    const text = sealed && seal.open(sealed, placeOf(key));
    return text === undefined ? undefined : v.parse(LoginText, text);
  }

  const change = (key: Key, to: (kept: Kept | undefined) => Kept) =>
    changeItem<Kept, Kept>(table, key, to, { stayAway: backOff, tooOften: TOO_OFTEN });

  async function lock(key: Key, by: string): Promise<Kept> {
    for (;;) {
      const kept = await change(key, (now_) => {
        const isFree = now_?.lock === undefined || now_.lock.until <= now();
        return isFree ? { ...now_, lock: { by, until: now() + LOCK_MS } } : now_;
      });
      if (kept.lock?.by === by) return kept;
      await delay(LOOK_AGAIN_MS);
    }
  }

  /** @param to the new value; the lock of a process that was too late is another's by now */
  async function unlock(key: Key, by: string, to: (kept: Kept) => Kept): Promise<boolean> {
    let isOwn = false;
    await change(key, (kept = {}) => {
      isOwn = kept.lock?.by === by;
      return isOwn ? to(kept) : kept;
    });
    return isOwn;
  }

  return {
    howTo,
    async read(url) {
      const key = keyOf('server', url);
      const item = await table.get(key);
      return item && open(fromItem<Kept>(item), key);
    },
    async update(url, to) {
      const key = keyOf('server', url);
      const by = randomUUID();
      const kept = await lock(key, by);
      const free = ({ sealed }: Kept): Kept => defined({ sealed });
      let login: Login | undefined;
      try {
        login = await to(open(kept, key));
      } catch (thrown) {
        await unlock(key, by, free);
        throw thrown;
      }
      const isOwn = await unlock(key, by, (now_) =>
        login === undefined ? free(now_) : { sealed: close(login, key) },
      );
      if (!isOwn) throw new StoreUnavailableError('the sign-in was renewed by another meanwhile; try again');
    },
    remove: (url) => table.delete(keyOf('server', url)),
    async keep(url, begun) {
      const key = keyOf('begun', begun.state);
      const until = now() + BEGUN_MS;
      const value: KeptBegun = { sealed: close({ url, begun }, key), until };
      await table.putIfAbsent(key, toStored(value), { expires: Math.ceil(until / 1000) });
    },
    async take(state) {
      const key = keyOf('begun', state);
      const item = await table.get(key);
      if (item === undefined) return undefined;
      const { sealed, until } = fromItem<KeptBegun>(item);
      if (sealed === undefined || until <= now()) return undefined;
      // Whoever is first.
      const taken: KeptBegun = { until };
      const expires = Math.ceil(until / 1000);
      if ((await table.putIfVersion(key, toStored(taken), item.version, { expires })) === undefined)
        return undefined;
      const text = seal.open(sealed, placeOf(key));
      return text === undefined ? undefined : v.parse(BegunText, text);
    },
  };
}
