import { Death } from '../test/fixtures/mortal.ts';
import { StoreUnavailableError } from '../src/errors.ts';
import { NOTHING_RUNS } from '../src/core/lifecycle/ports.ts';
import { settleRun } from '../src/core/lifecycle/settle.ts';
import { isIn, OPEN } from '../src/core/records/phase.ts';
import { createDocuments } from '../src/places/store/documents.ts';
import { NO_BLOBS } from '../src/places/store/memory-table.ts';
import { createRunStore } from '../src/places/store/runs.ts';
import { BIG_TREE_NOW, openBigTree } from '../test/account/big-tree.ts';
import { tableThrough } from '../simulate/world/function-ports.ts';
import { controlPlaneOf, DOCUMENTED, limitedTable } from '../simulate/world/quotas.ts';
import { createWorldTime } from '../simulate/world/time.ts';
import type { Campaign } from './campaign.ts';

const RUNS = 1_600;
const FUNCTION_MS = 55_000;
/** When Lambda calls the function again: the event comes a second time, too, since one of three attempts may die. */
const ATTEMPTS = [0, 60_000, 120_000, 0, 60_000, 120_000];

export const BIG_STOP: Campaign = {
  name: 'big-stop',
  tries: `stops of trees of ${RUNS} runs within documented quotas, by functions that die`,
  async open() {
    return {
      async attack(trial) {
        const wide = trial.number(17, 90);
        const { tree, top, table, kept, ended } = await openBigTree(wide, Math.round(RUNS / wide), true);
        const time = createWorldTime(0);
        const limited = limitedTable(table, DOCUMENTED, time);
        const stopped = new Set<string>();
        const plane = controlPlaneOf(
          DOCUMENTED,
          time,
        )({
          ...NOTHING_RUNS,
          executions: { ...NOTHING_RUNS.executions, stop: async (arn) => void stopped.add(arn) },
        });
        let operations = 0;
        const deaths = Array.from({ length: trial.number(0, 3) }, () => trial.number(0, 4 * RUNS));
        for (const pause of ATTEMPTS) {
          await time.goOn({ to: time.now() + pause });
          const until = time.now() + FUNCTION_MS;
          let isDead = false;
          const operate = async <T>(effect: () => Promise<T>): Promise<T> => {
            isDead ||= deaths.includes(operations++);
            if (isDead) throw new Death();
            if (time.now() > until) throw new StoreUnavailableError('the time of the function is over');
            return effect();
          };
          const own = tableThrough(limited, operate);
          const store = createRunStore(own, createDocuments(own, NO_BLOBS), undefined, () => BIG_TREE_NOW);
          const stop = (arn: string, cause: string) => operate(() => plane.executions.stop(arn, cause));
          const ports = { ...plane, executions: { ...plane.executions, stop }, store };
          try {
            await time.letPass(settleRun(ended(top), { ...ports, now: () => BIG_TREE_NOW }));
            break;
          } catch (thrown) {
            if (!(thrown instanceof Death || thrown instanceof StoreUnavailableError)) throw thrown;
          }
        }
        const open = (await kept.tree(top.id)).filter((run) => isIn(OPEN, run));
        const running = tree.filter((run) => run !== top && !stopped.has(run.execution));
        return [
          ...(open.length > 0 ? [`${open.length} of ${tree.length} records are left open`] : []),
          ...(running.length > 0 ? [`${running.length} of ${tree.length} executions run on`] : []),
        ];
      },
      async close() {},
    };
  },
};
