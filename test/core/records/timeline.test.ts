import fc from 'fast-check';
import { expect, test } from 'vitest';
import { reopened } from '../../../src/core/records/reopened.ts';
import { durationOf, type Run } from '../../../src/core/records/run.ts';
import { coarser, SPAN_KINDS, timesOf, toSpans, type Span } from '../../../src/core/records/spans.ts';
import { timelineOf, type OpenCalls } from '../../../src/core/records/timeline.ts';
import type { InvokePlan } from '../../../src/core/records/plan.ts';
import { millis, seconds } from '../../../src/core/records/times.ts';
import { elapsed, workedIn } from '../../../src/core/reports/words/elapsed.ts';
import { runOverview } from '../../../src/core/reports/run-report.ts';
import { shownRun } from '../../../src/core/reports/shown-times.ts';
import type { Turn } from '../../../src/core/records/turn.ts';
import { aRun, aTurn } from '../../fixtures/records.ts';

const START = Date.parse('2026-01-01T00:00:00.000Z');
const at = (second: number) => START + 1_000 * second;
const iso = (second: number) => new Date(at(second)).toISOString();
const inSeconds = (spans: readonly Span[]) => spans.map(([kind, ms]) => [kind, ms / 1_000]);

const READ = { id: 'a', name: 'read_file', arguments: {} };
const TOOL: InvokePlan = {
  kind: 'invoke',
  subject: '',
  writes: false,
  isRepeatable: true,
  seconds: seconds(9),
};
const ASK = { kind: 'ask', question: 'Which?' } as const;

/** A turn whose answer takes two seconds. */
function answered(number: number, second: number, other: Parameters<typeof aTurn>[0] = {}): Turn {
  return aTurn({ number, at: iso(second), latencyMs: 2_000, ...other });
}

/** A turn with calls. */
function calling(number: number, second: number, plans: Turn['plans'], other: Partial<Turn> = {}): Turn {
  return answered(number, second, { ...other, plans, answer: { calls: plans.map(() => READ) } });
}

test('the time of a run is told apart from its turns', () => {
  const turns = [
    calling(1, 3, [TOOL]),
    answered(2, 9, {
      waited: [
        ['own', 500],
        ['tool', 3_000],
      ],
    }),
  ];
  const run = aRun({ status: 'succeeded', endedAt: iso(10) });
  expect(inSeconds(timelineOf(run, turns))).toEqual([
    ['own', 1],
    ['model', 2],
    ['own', 0.5],
    ['tool', 3],
    ['own', 0.5],
    ['model', 2],
    ['own', 1],
  ]);
});

test('what a person was waited for is so after the answer, too', () => {
  const question = { question: { askedAt: iso(4) } };
  const calls: OpenCalls = { begins: [at(3)], ends: [undefined], questions: [question] };
  const asking = [calling(1, 3, [ASK])];
  expect(inSeconds(timelineOf(aRun(), asking, at(50), { calls }))).toEqual([
    ['own', 1],
    ['model', 2],
    ['own', 1],
    ['person', 46],
  ]);
  const turns = [...asking, answered(2, 63, { waited: [['person', 57_000]] })];
  const ended = aRun({ status: 'succeeded', endedAt: iso(63) });
  expect(timesOf(timelineOf(ended, turns))).toMatchObject({ person: 57_000, model: 4_000 });
});

test('an approved call waits for its person first, and then for its tool', () => {
  const question = { question: { askedAt: iso(4) }, answer: { at: iso(14) } };
  const calls: OpenCalls = { begins: [at(3)], ends: [{ at: at(20) }], questions: [question] };
  const turns = [calling(1, 3, [{ ...TOOL, gate: true }])];
  expect(inSeconds(timelineOf(aRun(), turns, at(21), { calls }))).toEqual([
    ['own', 1],
    ['model', 2],
    ['own', 1],
    ['person', 10],
    ['tool', 6],
    ['model', 1],
  ]);
});

test('a call that waits behind one that a person has to approve is no work of a tool yet', () => {
  const question = { question: { askedAt: iso(3) } };
  const none = [undefined, undefined, undefined];
  const calls: OpenCalls = { begins: [at(3), at(3), undefined], ends: none, questions: [question] };
  const writing = { ...TOOL, writes: true };
  const turns = [calling(1, 3, [{ ...writing, gate: true }, { ...writing, gate: true }, TOOL])];
  expect(inSeconds(timelineOf(aRun(), turns, at(20), { calls }))).toEqual([
    ['own', 1],
    ['model', 2],
    ['person', 17],
  ]);
});

test('a call that a person has been asked about goes on, whatever is before it', () => {
  const questions = [
    { question: { askedAt: iso(3) } },
    { question: { askedAt: iso(4) }, answer: { at: iso(6) } },
  ];
  const calls: OpenCalls = { begins: [at(3), at(3)], ends: [undefined, undefined], questions };
  const gated = { ...TOOL, writes: true, gate: true as const };
  expect(inSeconds(timelineOf(aRun(), [calling(1, 3, [gated, gated])], at(20), { calls }))).toEqual([
    ['own', 1],
    ['model', 2],
    ['person', 3],
    ['tool', 14],
  ]);
});

test('requests that a model refused at first are waits for it', () => {
  const run = aRun({
    status: 'failed',
    endedAt: iso(60),
    failure: { error: 'ModelError', message: 'overloaded' },
  });
  expect(inSeconds(timelineOf(run, []))).toEqual([['model', 60]]);
  const ended = aRun({ status: 'succeeded', endedAt: iso(60) });
  const turns = [answered(1, 60, { retries: 2 })];
  expect(inSeconds(timelineOf(ended, turns))).toEqual([['model', 60]]);
});

test('the time between executions is no work, whether its agent had answered or not', () => {
  const stopped = aRun({ status: 'stopped', endedAt: iso(10) });
  const again = reopened(stopped, at(100));
  const rested = { ...again, status: 'idle' as const, endedAt: iso(110) };
  const woken = reopened(rested, at(200));
  const ended = { ...woken, status: 'succeeded' as const, endedAt: iso(210) };
  const spans = timelineOf(ended, [answered(1, 110), answered(2, 210)]);
  expect(inSeconds(spans)).toEqual([
    ['own', 10],
    ['gap', 90],
    ['own', 8],
    ['model', 2],
    ['idle', 90],
    ['own', 8],
    ['model', 2],
  ]);
  expect(workedIn(timesOf(spans))).toBe(durationOf(ended, 0));
});

test('a record of an earlier release tells its gaps by their sum alone', () => {
  const run = aRun({
    status: 'succeeded',
    resumedAt: iso(100),
    workedMs: millis(10_000),
    endedAt: iso(110),
  });
  expect(inSeconds(timelineOf(run, []))).toEqual([
    ['own', 10],
    ['gap', 90],
    ['own', 10],
  ]);
});

const moment = fc.integer({ min: -50_000, max: 400_000 });
const kind = fc.constantFrom(...SPAN_KINDS.filter((each) => each !== 'idle' && each !== 'gap'));
const plan = fc.constantFrom<Turn['plans'][0]>(
  TOOL,
  ASK,
  { kind: 'wait', seconds: 0 },
  { kind: 'delegate', agent: 'kid', task: '', context: '' },
  { kind: 'done', text: '', isError: false },
);
const turn = fc.record({
  at: moment,
  latencyMs: fc.integer({ min: 0, max: 30_000 }),
  plans: fc.array(plan, { maxLength: 3 }),
  waited: fc.option(fc.array(fc.tuple(kind, fc.integer({ min: 0, max: 20_000 })), { maxLength: 4 })),
  retries: fc.option(fc.constant(1)),
});
const call = fc.record({
  begins: fc.option(moment, { nil: undefined }),
  ends: fc.option(fc.record({ at: moment }), { nil: undefined }),
  askedAt: moment,
  answeredAt: fc.option(moment),
  isAsked: fc.boolean(),
});

/** A life: executions of a run, one after another, each with the gap before it. */
const lives = fc.array(
  fc.record({
    gap: fc.integer({ min: 0, max: 60_000 }),
    worked: fc.integer({ min: 0, max: 60_000 }),
    status: fc.constantFrom<Run['status']>('stopped', 'failed', 'idle', 'succeeded'),
  }),
  { minLength: 1, maxLength: 70 },
);

test('spans part the time of any run without hole or overlap, and add up to its duration', () => {
  fc.assert(
    fc.property(
      lives,
      fc.array(turn, { maxLength: 5 }),
      fc.array(call),
      fc.boolean(),
      (life, made, calls, isOpen) => {
        let now = START;
        let run = aRun();
        for (const [index, { gap, worked, status }] of life.entries()) {
          if (index > 0) run = { ...reopened(run, (now += gap)), holder: index + 1 };
          now += worked;
          run = { ...run, status, endedAt: new Date(now).toISOString() };
        }
        const { endedAt: _, ...open } = run;
        const shown: Run = isOpen ? { ...open, status: 'running' } : run;
        const turns = made.map(({ waited, retries, plans, ...each }, index) =>
          aTurn({
            ...each,
            number: index + 1,
            at: new Date(START + each.at).toISOString(),
            plans,
            answer: { calls: plans.map(() => READ) },
            ...(waited && { waited }),
            ...(retries && { retries }),
          }),
        );
        const facts: OpenCalls = {
          begins: calls.map(({ begins }) => begins && START + begins),
          ends: calls.map(({ ends }) => ends && { at: START + ends.at }),
          questions: calls.map(({ isAsked, askedAt, answeredAt }) =>
            isAsked
              ? {
                  question: { askedAt: new Date(START + askedAt).toISOString() },
                  answer:
                    answeredAt === null ? undefined : { at: new Date(START + answeredAt).toISOString() },
                }
              : undefined,
          ),
        };
        const spans = timelineOf(shown, turns, now, { calls: facts });
        expect(spans.every(([, ms]) => Number.isInteger(ms) && ms > 0)).toBe(true);
        expect(spans.every(([each], index) => each !== spans[index + 1]?.[0])).toBe(true);
        const times = timesOf(spans);
        const sum = Object.values(times).reduce((total, each) => total + each, 0);
        expect(sum).toBe(now - START);
        expect(workedIn(times)).toBe(durationOf(shown, now));
        const overview = runOverview(shownRun(shown, shown.status, turns, { calls: facts }));
        const later = now + 1_000_000;
        expect(elapsed(overview, later)).toBe(durationOf(shown, later));
        const few = coarser(spans, 6);
        expect(few.length).toBeLessThanOrEqual(6);
        expect(few.reduce((total, [, ms]) => total + ms, 0)).toBe(sum);
      },
    ),
  );
});

test('things that go on at once are one span each', () => {
  const spans = toSpans(
    [
      { kind: 'person', from: 10, to: 90 },
      { kind: 'tool', from: 20, to: 30 },
      { kind: 'tool', from: 25, to: 40 },
      { kind: 'messages', from: 0, to: 95 },
    ],
    0,
    100,
  );
  expect(spans).toEqual([
    ['messages', 10],
    ['person', 10],
    ['tool', 20],
    ['person', 50],
    ['messages', 5],
    ['own', 5],
  ]);
});

test('in fewer spans, long ones stay and short ones join what most of them are', () => {
  const turns = Array.from({ length: 1_000 }, (): Span[] => [
    ['model', 900],
    ['tool', 100],
  ]).flat();
  const spans: Span[] = [...turns, ['person', 1_000_000], ...turns];
  const few = coarser(spans, 24);
  expect(few.length).toBeLessThanOrEqual(24);
  expect(few).toEqual([
    ['model', 1_000_000],
    ['person', 1_000_000],
    ['model', 1_000_000],
  ]);
});

test('of four spans, two are left that are as long as they may be', () => {
  const spans: Span[] = [
    ['tool', 8],
    ['own', 5],
    ['model', 6],
    ['own', 4],
  ];
  expect(coarser(spans, 2)).toEqual([
    ['tool', 13],
    ['model', 10],
  ]);
});
