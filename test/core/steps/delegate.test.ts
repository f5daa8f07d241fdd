import { treeInstant, seconds } from '../../../src/core/records/times.ts';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openLocalStore } from '../../../src/places/local/local-store.ts';
import type { DelegatePlan, Plan } from '../../../src/core/records/plan.ts';
import { preview } from '../../../src/core/records/preview.ts';
import type { RunStore } from '../../../src/core/records/ports.ts';
import type { Run } from '../../../src/core/records/run.ts';
import type { Turn } from '../../../src/core/records/turn.ts';
import { planned } from '../../../src/core/steps/kinds.ts';
import { toWaves } from '../../../src/core/steps/waves.ts';
import type { Outcome } from '../../../src/core/steps/outcome.ts';
import { cases } from '../../fixtures/cases.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { utf16 } from '../../fixtures/random-texts.ts';
import { aDelegation, aRun, aSubAgent, aTurn, keepRun } from '../../fixtures/records.ts';
import { loadOwnTools } from '../../../src/tools/load-own-tools.ts';

const limits = aDelegation({ subAgents: ['x'] });
const top = aRun({ model: 'offline/extractive' });
const kid = aSubAgent(top, {
  agent: 'helper',
  path: 't2c1',
  parent: { run: top.id, turn: 2, call: 1 },
});
const plan: DelegatePlan = {
  kind: 'delegate',
  agent: 'helper',
  task: 'look\n\tat   this',
  context: 'secret',
};
const turnOf = (number: number, text: string) => aTurn({ number, answer: { text } });

async function storeWith(child?: Run, ...turns: Turn[]): Promise<RunStore> {
  const { runs, close } = await openLocalStore(await tempFolder());
  onTestFinished(close);
  if (child !== undefined) await keepRun(runs, child);
  for (const turn of turns) await runs.saveTurn(kid.id, turn);
  return runs;
}

describe('a step', () => {
  const stepsOf = async (plans: Plan[], store: RunStore, other: object = {}) => {
    const waves = await toWaves(
      { ...turnOf(2, ''), plans },
      {
        run: top,
        turn: 2,
        limits,
        store,
        deadline: treeInstant(200_000),
        now: treeInstant(100_000),
        paused: 0,
        isRepeated: false,
        ...other,
      },
    );
    expect(waves.length).toBeLessThan(2);
    return waves.flatMap(({ steps }) => steps);
  };
  const step = {
    kind: 'delegate',
    call: 1,
    run: kid.id,
    holder: 1,
    agent: 'helper',
    task: 'look at this',
    depth: 1,
    deadline: 190_000,
    timeout: 90,
  };
  const again = { isRepeated: true };

  test('carries a reference and a preview of the task', async () => {
    const done: Plan = { kind: 'done', text: 'no', isError: true };
    const steps = await stepsOf([plan, done], await storeWith(), { limits: { ...limits, timeout: 30 } });
    expect(steps).toEqual([{ ...step, timeout: 30 }]);
  });

  test.each(['succeeded', 'budget_exceeded', 'failed', 'timed_out'] as const)(
    'is not made again for a sub-agent that has %s',
    async (status) => {
      expect(await stepsOf([plan], await storeWith({ ...kid, status }), again)).toEqual([]);
    },
  );

  test.each([
    ['is made again under a name that is free for one that was interrupted', 'running', 3, 1, 4],
    ['and for one that was stopped with its tree', 'stopped', 1, 1, 2],
    ['with the number of the execution that makes it, if that is higher', 'running', 1, 5, 5],
  ] as const)('%s', async (_, status, holder, ofParent, expected) => {
    const store = await storeWith({ ...kid, status, holder });
    const steps = await stepsOf([plan], store, { ...again, run: { ...top, holder: ofParent } });
    expect(steps).toEqual([{ ...step, holder: expected }]);
  });

  test('is made again for a sub-agent that never came to open its record', async () => {
    const steps = await stepsOf([plan], await storeWith(), { ...again, run: { ...top, holder: 2 } });
    expect(steps).toEqual([{ ...step, holder: 2 }]);
  });

  test('stays under 4 KB, and a hundred of them under 40 KB, with any texts and names', async () => {
    const text = fc.oneof(
      utf16({ minLength: 150, maxLength: 900 }),
      fc.constantFrom('\\"'.repeat(500), '\ud800'.repeat(500), '漢'.repeat(500), '\u0001'.repeat(500)),
    );
    const path = 't50c100_t50c100_t50c100_t50c100';
    const run = { ...top, id: `${'a'.repeat(24)}-00000000000000-t50c100_0123456789ab`, path, holder: 99 };
    const store = await storeWith();
    const bytesOf = async (texts: string[], count: number) => {
      const plans = Array.from({ length: count }, (_, index): Plan => ({
        kind: 'delegate',
        agent: 'a'.repeat(64),
        task: texts[index % texts.length] ?? '',
        context: 'x',
      }));
      const steps = await stepsOf(plans, store, { run, ...again, deadline: 2e12, now: 1e12 });
      return Buffer.byteLength(JSON.stringify(steps));
    };
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 5 }), async (texts) => {
        expect(await bytesOf(texts, 1)).toBeLessThan(3_000);
        expect(await bytesOf(texts, 100)).toBeLessThan(39_000);
      }),
      { numRuns: cases(30) },
    );
  });
});

test('a preview never cuts a character in two', () => {
  fc.assert(
    fc.property(utf16({ maxLength: 300 }), fc.integer({ min: 0, max: 300 }), (text, bytes) => {
      const shown = preview(text, bytes);
      expect(shown.isWellFormed()).toBe(true);
      expect(shown.length).toBeLessThanOrEqual(200);
      expect(Buffer.byteLength(JSON.stringify(shown))).toBeLessThanOrEqual(Math.max(2, bytes));
    }),
  );
});

describe('the result of a delegation', () => {
  const call = { id: 'toolu_1', name: 'call_agent', arguments: {} };
  const resultOf = async (store: RunStore, outcome: Outcome | undefined) =>
    planned(plan).toResult(call, {
      run: top,
      turn: 2,
      call: 1,
      limits: { ...limits, timeout: seconds(7) },
      store,
      tools: await loadOwnTools(['call_agent']),
      outcome,
      now: 0,
    });
  const failed = (error: string, message: string, status: Run['status'] = 'failed'): Run => ({
    ...kid,
    status,
    failure: { error, message },
  });
  const taskFailed = { call: 1, error: 'States.TaskFailed', cause: '' };

  test('is the final text alone', async () => {
    const store = await storeWith({ ...kid, status: 'succeeded' }, turnOf(1, 'wait'), turnOf(2, 'found it'));
    expect(await resultOf(store, { call: 1 })).toEqual({
      callId: 'toolu_1',
      name: 'call_agent',
      text: 'found it',
      isError: false,
    });
  });

  test('is the final text even where the machine only saw that the child was there already', async () => {
    const store = await storeWith({ ...kid, status: 'succeeded' }, turnOf(1, ''));
    const outcome = { call: 1, error: 'StepFunctions.ExecutionAlreadyExistsException', cause: 'x' };
    expect(await resultOf(store, outcome)).toMatchObject({ text: '', isError: false });
  });

  test('is what a budget left of it, and why', async () => {
    const ended: Run = { ...kid, status: 'budget_exceeded', exceeded: 'budget exceeded: x' };
    const store = await storeWith(ended, turnOf(1, 'so far'), turnOf(2, ''));
    expect(await resultOf(store, { call: 1 })).toMatchObject({
      text: 'so far\n\n[budget exceeded: x]',
      isError: false,
    });
  });

  const ends: [string, Run | undefined, Outcome | undefined, string][] = [
    [
      'a failure that the child wrote down',
      failed('ModelError', 'rate_limit: slow down'),
      taskFailed,
      'rate_limit: slow down',
    ],
    [
      'a child that ran out of its own time',
      failed('ModelError', 'timeout: x', 'timed_out'),
      taskFailed,
      'timeout after 9s',
    ],
    [
      'a child that no longer gave a sign of life',
      kid,
      { call: 1, error: 'States.HeartbeatTimeout' },
      'timeout after 9s',
    ],
    ['a child that the machine gave up on', kid, { call: 1, error: 'States.Timeout' }, 'timeout after 9s'],
    [
      'a child that never came to write anything down in its time',
      undefined,
      { call: 1, error: 'States.Timeout' },
      'timeout after 7s',
    ],
    ['a child that somebody stopped', { ...kid, status: 'stopped' }, taskFailed, 'it was stopped'],
    [
      'a child that a person stopped a moment ago, whose record is open',
      { ...kid, status: 'running' },
      { call: 1, error: 'Stopped', cause: 'stopped through the API' },
      'stopped through the API',
    ],
    [
      'a child that was stopped a moment ago without a reason',
      { ...kid, status: 'running' },
      { call: 1, error: 'Stopped', cause: '' },
      'it was stopped',
    ],
    [
      'a child that never started',
      undefined,
      { call: 1, error: 'StepFunctions.AccessDeniedException', cause: 'not authorized' },
      'StepFunctions.AccessDeniedException: not authorized',
    ],
    ['a child of which nothing is known', undefined, undefined, 'no result'],
  ];
  test.each(ends)('tells the model of %s', async (_, child, outcome, reason) => {
    expect(await resultOf(await storeWith(child), outcome)).toEqual({
      callId: 'toolu_1',
      name: 'call_agent',
      text: `Error: sub-agent "helper" failed - ${reason}. You may retry or proceed without this result.`,
      isError: true,
    });
  });
});
