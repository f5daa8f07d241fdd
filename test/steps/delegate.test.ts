import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { childDeadline, ownDeadline } from '../../src/runs/deadline.ts';
import type { DelegationLimits, Turn } from '../../src/runs/run.ts';
import { preview, toSteps } from '../../src/conversation/step.ts';
import type { Plan } from '../../src/runs/plan.ts';
import { utf16 } from '../fixtures/utf16.ts';

const limits: DelegationLimits = { subAgents: ['x'], depth: 0, maxDepth: 3, parallel: true, timeout: 0 };
const turnOf = (plans: Plan[]): Turn => ({
  number: 2,
  results: [],
  answer: {
    text: '',
    calls: [],
    stopReason: 'tool_calls',
    rawStopReason: '',
    usage: { inputTokens: 0, outputTokens: 0 },
  },
  plans,
  at: '',
  latencyMs: 0,
});
const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
const TOP = 'digest-00000000000000';

describe('steps', () => {
  test('carry a reference and a preview of the task', () => {
    const turn = turnOf([
      { kind: 'done', text: 'no', isError: true },
      { kind: 'delegate', agent: 'x', task: 'look\n\tat   this', context: 'secret' },
    ]);
    expect(toSteps(TOP, turn, { ...limits, timeout: 30 }, 200_000, 100_000)).toEqual([
      {
        call: 2,
        run: 'x-00000000000000-t2c2',
        agent: 'x',
        task: 'look at this',
        deadline: 190_000,
        timeout: 30,
      },
    ]);
  });

  test('stay under 4 KB for one call and under 40 KB for 100, whatever the texts and names', () => {
    const text = fc.oneof(
      utf16({ minLength: 150, maxLength: 900 }),
      fc.constantFrom('\\"'.repeat(500), '\ud800'.repeat(500), '漢'.repeat(500), '\u0001'.repeat(500)),
    );
    const deep = `${'a'.repeat(24)}-00000000000000-t50c100_t50c100_t50c100_t50c100`;
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), (texts) => {
        const plan = (index: number): Plan => ({
          kind: 'delegate',
          agent: 'a'.repeat(64),
          task: texts[index % texts.length] ?? '',
          context: 'x',
        });
        const steps = (count: number) =>
          toSteps(deep, turnOf(Array.from({ length: count }, (_, index) => plan(index))), limits, 2e12, 1e12);
        expect(bytesOf(steps(1))).toBeLessThan(3_000);
        expect(bytesOf(steps(100))).toBeLessThan(39_000);
      }),
      { numRuns: 30 },
    );
  });

  test('preview never cuts a character in two', () => {
    fc.assert(
      fc.property(utf16({ maxLength: 300 }), fc.integer({ min: 0, max: 300 }), (text, bytes) => {
        const shown = preview(text, bytes);
        expect(shown.isWellFormed()).toBe(true);
        expect(shown.length).toBeLessThanOrEqual(200);
        expect(bytesOf(shown)).toBeLessThanOrEqual(Math.max(2, bytes));
      }),
    );
  });
});

describe('the deadline of a child', () => {
  test.each([
    ['its own timeout where that is nearer', [30, 0], 130_000],
    ["its parent's limit for it where that is nearer", [0, 20], 120_000],
    ['what its parent has left, less a margin', [0, 0], 190_000],
    ['never later than its parent can use', [500, 400], 190_000],
  ])('is %s', (_, limits, expected) => {
    expect(ownDeadline(100_000, childDeadline(100_000, 200_000), ...limits)).toBe(expected);
  });

  test('counts from its own start on, however late that is', () => {
    expect(ownDeadline(150_000, childDeadline(100_000, 200_000), 30)).toBe(180_000);
  });

  test('leaves every parent time to answer, five levels down', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1_000, max: 10 ** 9 }),
        fc.array(fc.nat(1000), { minLength: 5, maxLength: 5 }),
        (left, timeouts) => {
          let deadline = left;
          for (const timeout of timeouts) {
            const child = ownDeadline(0, childDeadline(0, deadline), timeout);
            expect(child).toBeLessThan(deadline);
            expect(child).toBeGreaterThan(0);
            deadline = child;
          }
        },
      ),
    );
  });
});
