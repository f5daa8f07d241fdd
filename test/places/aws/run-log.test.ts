import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../../src/core/events/event.ts';
import type { LogLevel } from '../../../src/places/aws/variables.ts';
import { createRunLog } from '../../../src/places/aws/run-log.ts';

const identity = {
  run: 'digest-00000000000001-t1c2',
  root: 'digest-00000000000001',
  agent: 'facts',
  model: 'anthropic/claude-sonnet-4-5',
  depth: 1,
};
const AT = Date.UTC(2026, 0, 2, 3, 4, 5, 6);
const head = { timestamp: '2026-01-02T03:04:05.006Z', environment: 'dev', ...identity };

/** The lines that an event comes to, as CloudWatch gets them. */
function linesOf(event: RunEvent, level: LogLevel = 'info'): unknown[] {
  const written: string[] = [];
  const emit = createRunLog({
    environment: 'dev',
    level,
    write: (line) => void written.push(line),
    now: () => AT,
  });
  emit(event);
  expect(written.every((line) => line.indexOf('\n') === line.length - 1)).toBe(true);
  return written.map((line) => JSON.parse(line));
}

const metrics = (dimensions: string[], ...names: string[]) => ({
  Timestamp: AT,
  CloudWatchMetrics: [directive(dimensions, ...names)],
});
const directive = (dimensions: string[], ...names: string[]) => ({
  Namespace: 'Cadre',
  Dimensions: [['environment', ...dimensions]],
  Metrics: names.map((Name) => ({ Name, Unit: Name.endsWith('Ms') ? 'Milliseconds' : 'Count' })),
});

const opened: RunEvent = {
  type: 'run_opened',
  ...identity,
  parent: { run: 'digest-00000000000001', turn: 1, call: 2 },
  task: 'the secret plan\nof two lines',
};
const closed = {
  type: 'run_closed',
  ...identity,
  durationMs: 1500,
  characters: 9,
  text: 'an answer',
} as const;

describe('the log of runs', () => {
  test('tells of a turn in one line with its numbers, which are metrics by agent and model', () => {
    const usage = { turns: 1, toolCalls: 2, inputTokens: 300, outputTokens: 40 };
    expect(
      linesOf({
        type: 'turn_finished',
        ...identity,
        turn: 3,
        text: 'what it said',
        stopReason: 'tool_use',
        calls: 2,
        latencyMs: 950,
        usage,
      }),
    ).toEqual([
      {
        level: 'INFO',
        ...head,
        event: 'turn_finished',
        turn: 3,
        stopReason: 'tool_use',
        ...usage,
        latencyMs: 950,
        _aws: metrics(['agent', 'model'], 'turns', 'toolCalls', 'inputTokens', 'outputTokens', 'latencyMs'),
      },
    ]);
  });

  test('tells where a run comes from, and what it was asked only if that was asked for', () => {
    const line = {
      level: 'INFO',
      ...head,
      event: 'run_opened',
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'facts',
      parent: 'digest-00000000000001',
      parentTurn: 1,
      parentCall: 2,
    };
    expect(linesOf(opened)).toEqual([line]);
    expect(linesOf(opened, 'debug')).toEqual([{ ...line, task: 'the secret plan\nof two lines' }]);
  });

  test('counts a failure by its class', () => {
    const failure = { status: 'failed', error: 'ModelError', reason: 'rate_limit: too many' } as const;
    expect(linesOf({ ...closed, ...failure })).toEqual([
      {
        level: 'WARN',
        ...head,
        event: 'run_closed',
        ...failure,
        class: 'rate_limit',
        durationMs: 1500,
        failures: 1,
        _aws: metrics(['agent', 'class'], 'failures'),
      },
    ]);
  });

  test.each([
    ['ModelError', 'auth: no such key', 'auth'],
    ['ModelError', 'whatever', 'other'],
    ['States.Timeout', '', 'States.Timeout'],
    ['Stopped', 'by hand', 'Stopped'],
    ['SomebodyElsesError-4711', '', 'other'],
  ])('has few classes: %s (%s) is %s', (error, reason, expected) => {
    expect(linesOf({ ...closed, status: 'failed', error, reason })).toEqual([
      expect.objectContaining({ class: expected }),
    ]);
  });

  test('does not count by the name of an agent that there may not be', () => {
    const failure = { status: 'failed', error: 'ConfigError', reason: 'agent config not found: x' } as const;
    expect(linesOf({ ...closed, ...failure, agent: 'x', model: '' })).toEqual([
      expect.objectContaining({ agent: 'x', _aws: metrics(['class'], 'failures') }),
    ]);
  });

  test.each([
    ['succeeded', 'runs'],
    ['budget_exceeded', 'budgetStops'],
  ] as const)('counts the ends of runs that %s', (status, metric) => {
    expect(linesOf({ ...closed, status, error: '', reason: '' })).toEqual([
      expect.objectContaining({
        level: 'INFO',
        [metric]: 1,
        durationMs: 1500,
        _aws: metrics(['agent'], metric, 'durationMs'),
      }),
    ]);
  });

  test.each([
    ['succeeded', '', '', 'answered'],
    ['budget_exceeded', '', 'tokens', 'answered'],
    ['stopped', 'Stopped', 'by hand', 'stopped'],
    ['failed', 'ModelError', 'overloaded: later', 'model'],
    ['failed', 'MissingKeyError', 'no key', 'model'],
    ['failed', 'Lambda.Unknown', '', 'code'],
    ['timed_out', 'States.Timeout', '', 'code'],
  ] as const)('counts a tree that %s (%s, %s) by its outcome', (status, error, reason, outcome) => {
    const top = { ...closed, run: identity.root, depth: 0, status, error, reason };
    expect(linesOf(top)).toEqual([
      expect.objectContaining({
        outcome,
        trees: 1,
        _aws: {
          Timestamp: AT,
          CloudWatchMetrics: [expect.anything(), directive(['outcome'], 'trees')],
        },
      }),
    ]);
  });

  test('counts no tree that rests', () => {
    const top = { ...closed, run: identity.root, depth: 0, status: 'idle', error: '', reason: '' } as const;
    expect(linesOf(top)).toEqual([expect.not.objectContaining({ trees: 1 })]);
  });
});
