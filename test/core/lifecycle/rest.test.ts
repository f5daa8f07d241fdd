import { expect, test } from 'vitest';
import { NOTHING_RUNS } from '../../../src/core/lifecycle/ports.ts';
import { rest } from '../../../src/core/lifecycle/rest.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createMemoryTable, NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { mortal } from '../../fixtures/mortal.ts';
import { aFork, anOpened, aRun, aSubAgent, aTurn, keepRun } from '../../fixtures/records.ts';

test.each(['before', 'after'] as const)(
  'an agent over its budget ends with all below it, if the function dies %s any operation and is called again',
  async (when) => {
    for (let at = 0, isDead = true; isDead; at++) {
      const table = createMemoryTable();
      const store = createRunStore(table, createDocuments(table, NO_BLOBS));
      const top = aRun({ status: 'running', exceeded: 'the budget is spent' });
      // Messages have started their executions, with which no others are stopped.
      const fork = aFork(top, { holder: 2, execution: 'of the fork' });
      const kid = aSubAgent(fork, { path: `${fork.path}_t1c1`, holder: 2, execution: 'of the kid' });
      for (const run of [top, fork, kid]) {
        await keepRun(store, run);
        await store.saveOpened(run.id, anOpened());
      }
      await store.saveTurn(top.id, aTurn({ answer: { text: 'so far' } }));
      const stopped = new Set<string>();
      const ports = {
        ...NOTHING_RUNS,
        executions: {
          ...NOTHING_RUNS.executions,
          stop: async (execution: string) => void stopped.add(execution),
        },
        now: () => Date.parse(top.startedAt),
      };
      const deadline = Date.parse(top.startedAt) + 3_600_000;
      const resting = {
        run: top.id,
        holder: top.holder,
        execution: top.execution,
        deadline,
        token: 'the top',
      };
      isDead = await rest(resting, {
        ...ports,
        store: mortal(store, { operations: 0, dies: { at, when } }),
      }).then(
        () => false,
        () => true,
      );
      await rest(resting, { ...ports, store });
      const statuses = (await store.tree(top.id)).map(({ status }) => status);
      expect([at, statuses, [...stopped].sort()]).toEqual([
        at,
        ['budget_exceeded', 'stopped', 'stopped'],
        ['of the fork', 'of the kid'],
      ]);
    }
  },
);
