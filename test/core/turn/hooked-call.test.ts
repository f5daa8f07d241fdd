import { expect, test } from 'vitest';
import { carryOutCall, type CallPorts } from '../../../src/core/turn/call.ts';
import { seconds } from '../../../src/core/records/times.ts';
import type { Hook } from '../../../src/core/records/hook.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createMemoryTable, NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { loadOwnTools } from '../../../src/tools/load-own-tools.ts';
import { mortal, type Life } from '../../fixtures/mortal.ts';
import { NO_WORKSPACE } from '../../../src/core/lifecycle/no-workspace.ts';
import { anOpened, aRun, aTurn } from '../../fixtures/records.ts';

const id = 'top-00000000000000';
const hook = (on: Hook['on']): Hook => ({
  on,
  name: on,
  function: on,
  source: { function: on },
  seconds: seconds(10),
});

/** A call of a function of the user's own, whose hooks say something else each time that they are asked. */
async function played(dies: Life['dies'], words: readonly string[]) {
  const table = createMemoryTable();
  const bare = createRunStore(table, createDocuments(table, NO_BLOBS));
  const target = {
    kind: 'function' as const,
    source: { function: 'deed' },
    seconds: seconds(30),
    isRepeatable: true,
    writes: true,
  };
  const opened = anOpened({
    tools: [{ name: 'deed', description: '', parameters: { type: 'object', properties: {} } }],
    targets: { deed: target },
    hooks: [hook('before_call'), hook('after_call')],
  });
  await bare.insertRun(aRun());
  await bare.saveOpened(id, opened);
  const plan = {
    kind: 'invoke' as const,
    subject: '',
    writes: true,
    isRepeatable: true,
    seconds: seconds(30),
    hooked: true as const,
  };
  const calls = [{ id: 'c1', name: 'deed', arguments: {} }];
  await bare.saveTurn(id, aTurn({ answer: { calls }, plans: [plan] }));
  let deeds = 0;
  let asked = 0;
  const life: Life = { operations: 0, dies };
  const portsOf = (store: typeof bare, name: string): CallPorts => ({
    store,
    tools: loadOwnTools,
    now: Date.now,
    invocation: () => name,
    mayBeAtWork: () => false,
    sleep: async () => {},
    reach: () => ({
      workspace: NO_WORKSPACE,
      callFunction: async ({ name: called }) => {
        if (called === 'deed') return { value: `deed ${(deeds += 1)}` };
        return {
          value: { decision: words[(asked += 1) - 1] ?? 'allow', arguments: {}, result: `hidden ${asked}` },
        };
      },
    }),
  });
  const input = {
    run: id,
    turn: 1,
    call: 1,
    holder: 1,
    execution: 'arn',
    timeout: 60,
    deadline: Date.now() + 60_000,
  };
  const { signal } = new AbortController();
  await carryOutCall(input, portsOf(mortal(bare, life), 'first'), signal).catch(() => {});
  // A new process knows nothing of what was read before.
  const store = createRunStore(table, createDocuments(table, NO_BLOBS));
  await carryOutCall(input, portsOf(store, 'second'), signal);
  const decisions = await store.decisions(id, 1);
  const result = await store.callResult({ run: id, turn: 1, call: 1 });
  return {
    deeds,
    operations: life.operations,
    text: result?.text,
    said: decisions.map(({ decided }) => decided.decision),
  };
}

test.each([
  ['denied at first', ['deny', 'allow', 'allow']],
  ['allowed at first', ['allow', 'deny', 'deny']],
  ['replaced at last', ['allow', 'replace', 'allow']],
])(
  'a function that dies at any operation leaves one decision, and what follows from it: %s',
  async (_, words) => {
    const { operations } = await played({ at: Infinity, when: 'before' }, words);
    expect(operations).toBeGreaterThan(5);
    for (let at = 0; at < operations; at += 1) {
      for (const when of ['before', 'after'] as const) {
        const { said, text, deeds } = await played({ at, when }, words);
        const [before, after] = said;
        if (before === 'deny') {
          expect({ at, when, deeds, text, said }).toEqual({
            at,
            when,
            deeds: 0,
            text: 'Permission denied: hook "before_call" denied deed: it gave no reason',
            said: ['deny'],
          });
          continue;
        }
        expect(said).toHaveLength(2);
        if (after === 'allow') expect(text).toMatch(/^deed \d$/);
        if (after === 'replace') expect(text).toMatch(/^hidden \d$/);
        if (after === 'deny')
          expect(text).toBe('Permission denied: hook "after_call" denied deed: it gave no reason');
      }
    }
  },
);
