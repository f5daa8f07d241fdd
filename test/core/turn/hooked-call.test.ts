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
import { toHookedResult } from '../../../src/core/steps/hooked.ts';
import { ofKind } from '../../../src/core/steps/kinds.ts';
import { anOpened, aRun, aTurn } from '../../fixtures/records.ts';

const id = 'top-00000000000000';
const hook = (on: Hook['on']): Hook => ({
  on,
  name: on,
  function: on,
  source: { function: on },
  seconds: seconds(10),
});

const TOOLS = [{ name: 'deed', description: '', parameters: { type: 'object' as const, properties: {} } }];
const TARGET = {
  kind: 'function' as const,
  source: { function: 'deed' },
  seconds: seconds(30),
  isRepeatable: true,
  writes: true,
};
const PLAN = {
  kind: 'invoke' as const,
  subject: '',
  writes: true,
  isRepeatable: true,
  seconds: seconds(30),
  hooked: true as const,
};
const CALL = { id: 'c1', name: 'deed', arguments: {} };
const AT = { run: id, turn: 1, call: 1 };
const inputNow = () => ({
  ...AT,
  holder: 1,
  execution: 'arn',
  timeout: 60,
  deadline: Date.now() + 60_000,
});
const PORTS = {
  tools: loadOwnTools,
  now: Date.now,
  mayBeAtWork: () => false,
  sleep: async () => {},
};

/** A call of a function of the user's own, whose hooks say something else each time that they are asked. */
async function played(dies: Life['dies'], words: readonly string[]) {
  const table = createMemoryTable();
  const bare = createRunStore(table, createDocuments(table, NO_BLOBS));
  const hooks = [hook('before_call'), hook('after_call')];
  const opened = anOpened({ tools: TOOLS, targets: { deed: TARGET }, hooks });
  await bare.insertRun(aRun());
  await bare.saveOpened(id, opened);
  await bare.saveTurn(id, aTurn({ answer: { calls: [CALL] }, plans: [PLAN] }));
  let deeds = 0;
  let asked = 0;
  const life: Life = { operations: 0, dies };
  const portsOf = (store: typeof bare, name: string): CallPorts => ({
    ...PORTS,
    store,
    invocation: () => name,
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
  const input = inputNow();
  const { signal } = new AbortController();
  await carryOutCall(input, portsOf(mortal(bare, life), 'first'), signal).catch(() => {});
  // A new process knows nothing of what was read before.
  const store = createRunStore(table, createDocuments(table, NO_BLOBS));
  await carryOutCall(input, portsOf(store, 'second'), signal);
  const decisions = await store.decisions(id, 1);
  const result = await store.callResult(AT);
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

test.each([
  ['was not asked', 'it failed', undefined],
  ['denied it', 'no', { decision: 'deny' as const, reason: 'no', at: aRun().startedAt, durationMs: 0 }],
])(
  'a call ends as and when the model was told that its hook %s, whatever a late function makes of it',
  async (_, why, said) => {
    const table = createMemoryTable();
    const store = createRunStore(table, createDocuments(table, NO_BLOBS));
    const run = aRun();
    const opened = anOpened({ tools: TOOLS, targets: { deed: TARGET }, hooks: [hook('before_call')] });
    await store.insertRun(run);
    await store.saveOpened(id, opened);
    await store.saveTurn(id, aTurn({ answer: { calls: [CALL] }, plans: [PLAN] }));
    const told: unknown[] = [];
    const ended = {
      ...AT,
      run,
      limits: opened.delegation,
      store,
      hooks: opened.hooks,
      tools: { planned: () => undefined },
      outcome: { call: 1, error: 'States.Timeout', cause: '' },
      now: Date.parse(aRun().startedAt) + 1_000,
    };
    let deeds = 0;
    await carryOutCall(
      inputNow(),
      {
        ...PORTS,
        store,
        invocation: () => 'late',
        reach: () => ({
          workspace: NO_WORKSPACE,
          callFunction: async ({ name }) => {
            if (name === 'deed') return { value: `deed ${(deeds += 1)}` };
            // The machine gives the function up meanwhile.
            if (said !== undefined)
              await store.saveDecision(
                { ...AT, hook: 0 },
                { hook: 'before_call', on: 'before_call', ...said },
              );
            told.push((await toHookedResult(ofKind(PLAN), PLAN, CALL, ended)).text);
            return { value: { decision: 'allow' } };
          },
        }),
      },
      new AbortController().signal,
    );
    const text = `Permission denied: hook "before_call" denied deed: ${why}`;
    expect([told, deeds]).toEqual([[text], 0]);
    const startedAt = new Date(ended.now).toISOString();
    const kept = { text, isError: true, failure: 'permission_denied', startedAt, durationMs: 0 };
    expect(await store.callResult(AT)).toEqual(kept);
  },
);
