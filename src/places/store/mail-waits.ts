import { callName } from '../../core/records/call.ts';
import type { MailWait } from '../../core/records/mail.ts';
import type { Mailboxes } from '../../core/records/ports.ts';
import { treeKey } from '../../core/records/run-id.ts';
import { changeItem } from './change-item.ts';
import type { BackOff } from './contention.ts';
import { tokensOf, withEarlier, type TokenWait } from './earlier-tokens.ts';
import { fromItem, toStored } from './stored.ts';
import type { Key, Table } from './table.ts';

/** A wait as it is kept. */
type KeptWait = MailWait & TokenWait;

/** Who waits for mail. */
export function createMailWaits(
  table: Table,
  stayAway: BackOff,
): Pick<Mailboxes, 'deleteMailWait' | 'mailWaits' | 'saveMailWait'> {
  return {
    async mailWaits(run) {
      const waits: MailWait[] = [];
      for await (const item of table.query(`tree#${treeKey(run)}`, 'await#')) {
        const kept = fromItem<KeptWait>(item);
        const { earlier: _earlier, ...wait } = kept;
        waits.push(...tokensOf(kept).map((token) => ({ ...wait, token })));
      }
      return waits;
    },
    async saveMailWait(wait) {
      const change = (kept: KeptWait | undefined) => withEarlier(wait, wait.isEnd ? undefined : kept);
      await changeItem<KeptWait, KeptWait>(table, waitKey(wait), change, {
        stayAway,
        tooOften: `who waits for mail in run "${wait.run}" changes too often; try again`,
      });
    },
    // Functions may write and not remove. A slow one leaves the next wait alone.
    async deleteMailWait(wait) {
      const item = await table.get(waitKey(wait));
      const kept = item && fromItem<KeptWait>(item);
      const tokens = tokensOf(kept);
      if (item === undefined || !tokens.includes(wait.token)) return;
      const [token = '', ...earlier] = tokens.filter((each) => each !== wait.token);
      const left = token === '' ? { run: wait.run, token, until: 0 } : { ...kept, token, earlier };
      await table.putIfVersion(item.key, toStored(left), item.version);
    },
  };
}

function waitKey({ run, at }: Pick<MailWait, 'run' | 'at'>): Key {
  const what = at === undefined ? 'idle' : callName(at);
  return { partition: `tree#${treeKey(run)}`, sort: `await#${run}#${what}` };
}
